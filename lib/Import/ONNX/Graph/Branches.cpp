//===- Branches.cpp - Graphs within nodes ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/GraphImporter.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

llvm::Error GraphImporter::readInnerGraphs(const NodeProto &node,
                                           unsigned depth) {
  for (const AttributeProto &attribute : node.attributes) {
    if (attribute.type != AttributeProto::Graph)
      continue;
    if (depth == maxDepth)
      return llvm::createStringError(
          "node '" + node.name + "' (" + node.opType + ") has a graph within " +
          Twine(maxDepth) + " others, but wanted are at most as many");
    llvm::Expected<std::shared_ptr<const GraphProto>> inner =
        getInnerGraph(attribute);
    if (!inner)
      return inner.takeError();
    for (const ValueInfo &output : (*inner)->outputs)
      state.read.insert(output.name);
    for (const NodeProto &innerNode : (*inner)->nodes) {
      for (StringRef input : innerNode.inputs)
        state.read.insert(input);
      if (llvm::Error error = readInnerGraphs(innerNode, depth + 1))
        return error;
    }
  }
  return llvm::Error::success();
}

StringRef dml::onnx::resolve(const Scope *scope, StringRef name) {
  for (; scope; scope = scope->outer.get())
    if (auto found = scope->names.find(name); found != scope->names.end())
      return found->second;
  return name;
}

llvm::Error dml::onnx::collectReads(const NodeProto &node, const Scope *scope,
                                    llvm::StringSet<> &names) {
  for (StringRef input : node.inputs)
    names.insert(resolve(scope, input));
  for (const AttributeProto &attribute : node.attributes) {
    if (attribute.type != AttributeProto::Graph)
      continue;
    auto inner = getInnerGraph(attribute);
    if (!inner)
      return inner.takeError();
    for (const ValueInfo &output : (*inner)->outputs) {
      names.insert(output.name);
      names.insert(resolve(scope, output.name));
    }
    for (const NodeProto &innerNode : (*inner)->nodes) {
      for (StringRef input : innerNode.inputs)
        names.insert(input);
      if (llvm::Error error = collectReads(innerNode, scope, names))
        return error;
    }
  }
  return llvm::Error::success();
}

StringRef GraphImporter::define(Scope &scope, StringRef name) {
  if (name.empty())
    return name;
  StringRef &unique = scope.names[name];
  if (unique.empty()) {
    unique = strings->save(scope.prefix + name);
    if (state.read.contains(name))
      state.read.insert(unique);
  }
  return unique;
}

llvm::Error GraphImporter::importBranch(NodeImporter &importer,
                                        const PlacedNode &placed,
                                        unsigned index,
                                        const ScopePointer &scope) {
  const NodeProto &node = placed.node;
  auto reject = [&](StringRef reason) {
    addProblem(index, node, importer.getName(), reason);
    return llvm::Error::success();
  };
  if (importer.getNumInputs() != 1 || !importer.hasInput(0))
    return reject("it has no condition");
  const std::optional<Constant> &condition = importer.getInput(0).constant;
  if (!condition) {
    problems.noteSession();
    return reject("its condition is computed when the model runs, but a "
                  "program has no branches (where it depends on an input of "
                  "one integer or bool, --dim=NAME=VALUE states that)");
  }
  if (condition->getNumElements() != 1)
    return reject("its condition has " +
                  std::to_string(condition->getNumElements()) +
                  " elements, but wanted is one");
  const AttributeProto *branch = importer.getAttribute(
      condition->getFloats()[0] != 0 ? "then_branch" : "else_branch");
  if (!branch || branch->type != AttributeProto::Graph)
    return reject("it has no graph for a branch");
  if (scope && scope->depth == maxDepth)
    return reject("it has too many graphs around it");
  llvm::Expected<std::shared_ptr<const GraphProto>> found =
      getInnerGraph(*branch);
  if (!found)
    return found.takeError();
  const GraphProto &inner = *branches.emplace_back(std::move(*found));
  if (inner.hasSparseInitializers)
    return reject("its branch has sparse initializers");
  if (!inner.inputs.empty())
    return reject("its branch has inputs, but wanted are none");
  if (inner.outputs.size() < node.outputs.size())
    return reject("its branch has fewer outputs than it");
  return enterBranch(inner, importer, placed, index,
                     openScope(placed, branch->name, scope));
}

llvm::Error GraphImporter::enterBranch(const GraphProto &inner,
                                       const NodeImporter &importer,
                                       const PlacedNode &placed, unsigned index,
                                       const std::shared_ptr<Scope> &scope) {
  if (llvm::Error error = defineNames(inner, *scope, importer))
    return error;
  for (const NodeProto &innerNode : inner.nodes)
    if (llvm::Error error =
            importNode(place(innerNode, placed.sets, *scope), index, scope))
      return error;
  return leaveBranch(inner, placed, index, scope);
}

std::shared_ptr<Scope> GraphImporter::openScope(const PlacedNode &placed,
                                                StringRef attribute,
                                                const ScopePointer &outer) {
  auto scope = std::make_shared<Scope>();
  scope->outer = outer;
  scope->depth = outer ? outer->depth + 1 : 1;
  // The name of an output is unique, and so are names that begin with it.
  auto output = llvm::find_if(placed.node.outputs,
                              [](StringRef name) { return !name.empty(); });
  scope->prefix = ((output == placed.node.outputs.end() ? "" : *output) + "~" +
                   attribute.take_front(1) + "/")
                      .str();
  return scope;
}

llvm::Error GraphImporter::defineNames(const GraphProto &inner, Scope &scope,
                                       const NodeImporter &importer) {
  for (const TensorProto &tensor : inner.initializers)
    if (!initializers.try_emplace(define(scope, tensor.name), &tensor).second)
      return llvm::createStringError(
          "'" + tensor.name + "' stands twice in a graph of node '" +
          importer.getName() + "' (" + importer.getNode().opType + ")");
  for (const NodeProto &innerNode : inner.nodes)
    for (StringRef name : innerNode.outputs)
      define(scope, name);
  return llvm::Error::success();
}

PlacedNode GraphImporter::place(const NodeProto &innerNode,
                                const OperatorSets *sets, const Scope &scope) {
  PlacedNode copy{innerNode, sets, {}};
  for (StringRef &name : copy.node.inputs)
    name = resolve(&scope, name);
  for (StringRef &name : copy.node.outputs)
    name = resolve(&scope, name);
  return copy;
}

llvm::Error GraphImporter::leaveBranch(const GraphProto &inner,
                                       const PlacedNode &placed, unsigned index,
                                       const ScopePointer &scope) {
  for (auto [name, output] :
       llvm::zip_first(placed.node.outputs, inner.outputs)) {
    if (name.empty() || !state.read.contains(name))
      continue;
    // An Identity copies the output of the branch, from whichever tensor it is.
    PlacedNode copy{{}, placed.sets, {}};
    copy.node.opType = "Identity";
    copy.node.name = placed.node.name;
    copy.node.inputs = {resolve(scope.get(), output.name)};
    copy.node.outputs = {name};
    state.tensors.erase(name);
    if (llvm::Error error = importNode(copy, index, scope))
      return error;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

namespace {
/// The nodes of a graph and of the graphs within them, and the conditions of
/// their Ifs.
class Conditions {
public:
  llvm::Error add(const GraphProto &graph, unsigned depth = 0);
  /// Returns the conditions, and the tensors from whose elements they are
  /// computed.
  llvm::StringSet<> find();

private:
  /// The node that computes each tensor. Names are unique in a whole model.
  llvm::StringMap<const NodeProto *> producers;
  SmallVector<StringRef> conditions;
  std::vector<std::shared_ptr<const GraphProto>> innerGraphs;
};
} // namespace

llvm::Error Conditions::add(const GraphProto &graph, unsigned depth) {
  for (const NodeProto &node : graph.nodes) {
    for (StringRef output : node.outputs)
      producers.try_emplace(output, &node);
    if (normalizeDomain(node.domain).empty() && node.opType == "If" &&
        !node.inputs.empty())
      conditions.push_back(node.inputs.front());
    for (const AttributeProto &attribute : node.attributes) {
      // The importer refuses deeper graphs.
      if (attribute.type != AttributeProto::Graph ||
          depth == GraphImporter::maxDepth)
        continue;
      llvm::Expected<std::shared_ptr<const GraphProto>> inner =
          getInnerGraph(attribute);
      if (!inner)
        return inner.takeError();
      innerGraphs.push_back(*inner);
      if (llvm::Error error = add(**inner, depth + 1))
        return error;
    }
  }
  return llvm::Error::success();
}

llvm::StringSet<> Conditions::find() {
  llvm::StringSet<> found;
  while (!conditions.empty()) {
    StringRef name = conditions.pop_back_val();
    if (!found.insert(name).second)
      continue;
    const NodeProto *producer = producers.lookup(name);
    // A shape does not depend on the elements.
    if (producer && producer->opType != "Shape" && producer->opType != "Size")
      conditions.append(producer->inputs.begin(), producer->inputs.end());
  }
  return found;
}

llvm::Expected<llvm::StringSet<>>
dml::onnx::findConditions(const GraphProto &graph) {
  Conditions conditions;
  if (llvm::Error error = conditions.add(graph))
    return error;
  return conditions.find();
}
