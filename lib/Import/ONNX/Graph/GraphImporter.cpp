//===- GraphImporter.cpp - From a graph to a function ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/GraphImporter.h"
#include "Graph/LoopForm.h"
#include "Reader/Shapes.h"
#include "Reader/Versions.h"
#include "dml/IR/Origin.h"
#include "dml/Import/Division.h"
#include "dml/Import/Survey.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// The oldest and the newest version of ONNX's operator set that the registry
/// supports.
static constexpr int64_t oldestOpset = 1, newestOpset = 26;

llvm::Error GraphImporter::checkOperatorSets() {
  // If all nodes belong to other domains, no version is needed. The nodes of a
  // function have the versions of the function.
  bool isStated = llvm::all_of(getNodes(), [](const PlacedNode &placed) {
    return !normalizeDomain(placed.node.domain).empty() ||
           placed.sets->count("") != 0;
  });
  if (!isStated ||
      (getNodes().empty() && !expander.getSets().front().count("")))
    return llvm::createStringError(
        "the model states no version of ONNX's operator set, but wanted is "
        "one from " +
        Twine(oldestOpset) + " to " + Twine(newestOpset));
  for (const OperatorSets &sets : expander.getSets()) {
    auto own = sets.find("");
    if (own != sets.end() &&
        (own->second < oldestOpset || own->second > newestOpset))
      return llvm::createStringError(
          "the model is of version " + Twine(own->second) +
          " of ONNX's operator set, but wanted is one from " +
          Twine(oldestOpset) + " to " + Twine(newestOpset));
  }
  return llvm::Error::success();
}

llvm::Error GraphImporter::fuseNodes() {
  // Outputs and graphs within nodes still read the same names.
  for (const ValueInfo &output : graph.outputs)
    state.read.insert(output.name);
  for (const PlacedNode &placed : getNodes())
    if (llvm::Error error = readInnerGraphs(placed.node, 0))
      return error;
  runtime.fuseNodes(expander.getMutableNodes(), graph, state.read,
                    expander.getStrings(), notes);
  state.read.clear();
  return llvm::Error::success();
}

llvm::Error GraphImporter::findNeededNodes() {
  for (const ValueInfo &output : graph.outputs)
    state.read.insert(output.name);
  isNeeded.assign(getNodes().size(), false);
  for (size_t index = getNodes().size(); index-- > 0;) {
    const NodeProto &node = getNodes()[index].node;
    for (StringRef output : node.outputs)
      if (!output.empty() && state.read.contains(output))
        isNeeded[index] = true;
    if (!isNeeded[index])
      continue;
    for (StringRef input : node.inputs)
      state.read.insert(input);
    if (llvm::Error error = readInnerGraphs(node, 0))
      return error;
  }
  return llvm::Error::success();
}

void GraphImporter::collectUnreadOperands(
    llvm::function_ref<void(StringRef name, Tensor &)> collect) {
  for (auto [index, placed] : llvm::enumerate(getNodes())) {
    bool hasProblem =
        options.survey && !options.survey->nodes[index].problem.empty();
    auto isUnread = [&](StringRef name) {
      auto found = state.tensors.find(name);
      return !name.empty() && found != state.tensors.end() &&
             (hasProblem || !found->second.isKnown);
    };
    if (!isNeeded[index] || llvm::none_of(placed.node.outputs, isUnread))
      continue;
    for (StringRef name : placed.node.inputs)
      if (auto found = state.tensors.find(name);
          found != state.tensors.end() && found->second.isKnown &&
          found->second.value && found->second.value.getDefiningOp())
        collect(name, found->second);
  }
}

llvm::Error GraphImporter::connect(NodeImporter &importer, bool &isComplete) {
  const NodeProto &node = importer.getNode();
  auto fail = [&](const Twine &message) {
    return llvm::createStringError("node '" + importer.getName() + "' (" +
                                   node.opType + ") " + message);
  };
  llvm::StringSet<> attributes;
  for (const AttributeProto &attribute : node.attributes)
    if (!attributes.insert(attribute.name).second)
      return fail("has the attribute '" + attribute.name + "' twice");
  isComplete = true;
  SmallVector<const Tensor *> inputs;
  for (StringRef name : node.inputs) {
    if (name.empty()) {
      inputs.push_back(nullptr);
      continue;
    }
    if (llvm::Error error = loadInitializer(name))
      return error;
    auto found = state.tensors.find(name);
    if (found == state.tensors.end())
      return fail("reads '" + name + "', which nothing before it computes");
    inputs.push_back(&found->second);
    isComplete &= found->second.isKnown;
  }
  importer.setInputs(inputs);
  // If an output already exists, names would be ambiguous.
  for (StringRef name : node.outputs)
    if (!name.empty() &&
        (state.tensors.count(name) || initializers.count(name)))
      return fail("computes '" + name + "', which is there already");
  // All names are entered, whether the tensor is known or not, since other
  // nodes look them up. Entered tensors keep their addresses, which the
  // importer stores.
  for (StringRef name : node.outputs)
    if (!name.empty() && !state.tensors.try_emplace(name).second)
      return fail("computes '" + name + "' twice");
  return llvm::Error::success();
}

std::string GraphImporter::buildNode(NodeImporter &importer,
                                     const PlacedNode &placed, unsigned index,
                                     const Operator &info) {
  const NodeProto &node = placed.node;
  StringRef domain = normalizeDomain(node.domain);
  if (domain.empty())
    if (std::string error = findVersionError(node, importer.getOpset());
        !error.empty())
      return error;
  state.whyNotTaken = runtime.findWhyNotTaken(domain, importer);
  if (options.survey)
    options.survey->nodes[index].notTaken = state.whyNotTaken.str();
  state.fusion = placed.fusion;
  LogicalResult result = importer.import(info);
  std::string reason = importer.takeReason();
  if (failed(result) || !reason.empty()) {
    if (failed(result))
      for (StringRef name : node.outputs)
        if (!name.empty())
          state.tensors[name] = Tensor();
    return reason.empty() ? "it cannot be expressed" : reason;
  }
  for (auto [number, name] : llvm::enumerate(node.outputs))
    if (!name.empty() && state.read.contains(name) &&
        !state.tensors[name].isKnown)
      return "its output " + std::to_string(number) + " is not supported";
  return "";
}

int64_t GraphImporter::getOpset(const PlacedNode &placed) {
  auto opset = placed.sets->find(normalizeDomain(placed.node.domain));
  return opset == placed.sets->end() ? 1 : opset->second;
}

llvm::Error GraphImporter::importNode(const PlacedNode &placed, unsigned index,
                                      const ScopePointer &scope) {
  const NodeProto &node = placed.node;
  StringRef domain = normalizeDomain(node.domain);
  NodeImporter importer(state, node, getOpset(placed), index);
  bool isComplete;
  if (llvm::Error error = connect(importer, isComplete))
    return error;
  bool isBranch = domain.empty() && node.opType == "If";
  bool repeats = isLoop(domain, node.opType);
  const Operator *info = registry.find(domain, node.opType);
  if (!isBranch && !repeats && !info) {
    addProblem(index, node, importer.getName(),
               describeUnknown(domain, node.opType));
    return llvm::Error::success();
  }
  // If a node depends on a failed node, it is not checked, since the shapes of
  // its inputs are unknown.
  if (!isComplete) {
    problems.addBehind();
    if (options.survey)
      options.survey->nodes[index].problem = describeUnknownInput(node);
    return llvm::Error::success();
  }
  if (isBranch)
    return importBranch(importer, placed, index, scope);
  if (repeats) {
    LoopForm form;
    auto problem = readLoop(importer, scope, form);
    if (problem && problem->empty()) {
      problem = importLoop(importer, placed, index, scope, form);
      if (problem && !problem->empty())
        problems.noteSession();
    }
    if (problem && !problem->empty())
      addProblem(index, node, importer.getName(), *problem);
    return problem.takeError();
  }
  std::string reason = buildNode(importer, placed, index, *info);
  if (reason.empty())
    return llvm::Error::success();
  addProblem(index, node, importer.getName(), reason);
  if (isRunByHost(domain, node.opType) || importer.lacksElements())
    problems.noteSession();
  return llvm::Error::success();
}

class GraphImporter::Results {
public:
  Results(const GraphProto &graph, GraphState &state) : state(state) {
    for (const ValueInfo &input : graph.inputs)
      names.insert(input.name);
  }

  /// Adds `tensor` under its name, or under a similar name if the function
  /// already has an argument or a result with this name.
  void add(const Tensor &tensor, StringRef tensorName) {
    Value value = NodeImporter(state).materialize(tensor, getShape(tensor));
    values.push_back(value);
    std::string name = tensorName.str();
    while (!names.insert(name).second)
      name += "_output";
    attributes.push_back(
        state.builder.getDictionaryAttr(state.builder.getNamedAttr(
            nameAttrName, state.builder.getStringAttr(name))));
  }
  bool hasName(StringRef name) const { return names.contains(name); }
  /// Returns the shape of `tensor` in the function, where a scalar is a tensor
  /// with one element.
  static Shape getShape(const Tensor &tensor) {
    return tensor.shape.empty() ? Shape{1} : tensor.shape;
  }

  SmallVector<Value> values;
  SmallVector<DictionaryAttr> attributes;

private:
  GraphState &state;
  llvm::StringSet<> names;
};

llvm::Error GraphImporter::addOutputs(Results &results) {
  for (const ValueInfo &output : graph.outputs) {
    if (llvm::Error error = loadInitializer(output.name))
      return error;
    auto found = state.tensors.find(output.name);
    if (found == state.tensors.end())
      return llvm::createStringError("output '" + output.name +
                                     "' is computed by no node");
    Tensor &tensor = found->second;
    // The node that computes the tensor is listed among the problems.
    if (!tensor.isKnown || assumed.contains(output.name))
      continue;
    Shape shape = Results::getShape(tensor);
    std::optional<int64_t> count = countElements(shape);
    if (options.survey && (!count || *count == 0))
      continue;
    if (!count || *count == 0)
      return llvm::createStringError("output '" + output.name +
                                     "' has the shape " + describeShape(shape) +
                                     ", but wanted are 1 to 2^32 - 1 elements");
    results.add(tensor, output.name);
  }
  return llvm::Error::success();
}

llvm::Error GraphImporter::finish(func::FuncOp function) {
  if (graph.outputs.empty())
    return llvm::createStringError("the graph has no outputs, but wanted is "
                                   "one at least");
  Results results(graph, state);
  if (llvm::Error error = addOutputs(results))
    return error;
  if (options.leavesOutUnread && !problems.empty()) {
    llvm::StringSet<> added;
    collectUnreadOperands([&](StringRef name, Tensor &tensor) {
      if (added.insert(name).second && !results.hasName(name) &&
          !assumed.contains(name))
        results.add(tensor, name);
    });
  }
  addReturn(function, results.values, results.attributes);
  return llvm::Error::success();
}

void GraphImporter::addReturn(func::FuncOp function, ValueRange values,
                              ArrayRef<DictionaryAttr> attributes) {
  func::ReturnOp::create(state.builder, function.getLoc(), values);
  function.setFunctionType(state.builder.getFunctionType(
      function.getArgumentTypes(), values.getTypes()));
  function.setAllResultAttrs(attributes);
  // Erases intermediate views of views, and constants that were replaced.
  function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

llvm::Error GraphImporter::reportProblems(ModuleOp module) const {
  if (problems.empty())
    return llvm::Error::success();
  if (!options.leavesOutUnread) {
    std::string text = problems.describe(getNodes().size());
    if (problems.isForSession())
      return llvm::make_error<UnexpressedNodes>(text);
    return llvm::createStringError(text);
  }
  SmallVector<std::string> list = problems.list();
  if (unsigned behind = problems.getNumBehind(); behind != 0)
    list.push_back("behind these: " + std::to_string(behind) +
                   (behind == 1 ? " node" : " nodes"));
  if (problems.isForSession())
    list.push_back(Problems::sessionNote.str());
  module->setAttr(unreadAttrName,
                  Builder(module.getContext())
                      .getStrArrayAttr(llvm::to_vector_of<StringRef>(list)));
  return llvm::Error::success();
}

llvm::Error GraphImporter::prepareNodes() {
  if (llvm::Error error = expander.run())
    return error;
  if (llvm::Error error = checkOperatorSets())
    return error;
  if (graph.hasSparseInitializers)
    return llvm::createStringError("the graph has sparse initializers, but "
                                   "wanted are dense ones");
  if (state.isOptimized)
    if (llvm::Error error = fuseNodes())
      return error;
  if (options.survey)
    options.survey->nodes.assign(getNodes().size(), {});
  return findNeededNodes();
}

llvm::Error GraphImporter::importNodes(func::FuncOp function) {
  if (llvm::Error error = declareInputs(function))
    return error;
  for (unsigned index = 0; index < getNodes().size(); ++index) {
    if (isNeeded[index])
      if (llvm::Error error = importNode(getNodes()[index], index, nullptr))
        return error;
    if (options.survey)
      if (llvm::Error error = assumeOutputs(index, function))
        return error;
  }
  if (options.survey)
    surveyTensors();
  else if (llvm::Error error = checkDeclarations())
    return error;
  return finish(function);
}

llvm::Error GraphImporter::verifyModule(ModuleOp module) {
  std::string reason;
  ScopedDiagnosticHandler handler(module.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    reason = diagnostic.str();
                                    return success();
                                  });
  if (succeeded(verify(module)))
    return llvm::Error::success();
  return llvm::createStringError("the function built of the graph does not "
                                 "verify: " +
                                 reason);
}

OwningOpRef<ModuleOp> GraphImporter::startModule(func::FuncOp &function) {
  OpBuilder &builder = state.builder;
  Location loc =
      NameLoc::get(builder.getStringAttr(llvm::sys::path::filename(path)));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  function = func::FuncOp::create(builder, loc, "main",
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>> GraphImporter::run() {
  if (llvm::Error error = prepareNodes())
    return error;
  func::FuncOp function;
  OwningOpRef<ModuleOp> module = startModule(function);
  if (llvm::Error error = importNodes(function))
    return error;
  if (llvm::Error error = reportProblems(*module))
    return error;
  if (!onHost.empty())
    (*module)->setAttr(
        onHostAttrName,
        Builder(module->getContext())
            .getStrArrayAttr(llvm::to_vector_of<StringRef>(onHost.list())));
  if (state.isOptimized)
    runtime.optimize(function, std::move(state.origins), std::move(notes));
  if (llvm::Error error = verifyModule(*module))
    return error;
  return module;
}
