//===- Functions.cpp - Functions of a model in place of their calls -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Reader/Functions.h"
#include "llvm/ADT/STLExtras.h"

using namespace dml::onnx;
using llvm::StringRef;
using llvm::Twine;

/// The meaning of names and attributes within a call.
struct FunctionExpander::Scope {
  const NodeProto &call;
  const FunctionProto &function;
  Scope *outer;
  unsigned depth;
  std::string prefix;
  llvm::StringMap<StringRef> names;
};

PlacedNode PlacedNode::makePart(StringRef name, const OperatorSets &sets,
                                StringRef type, ArrayRef<StringRef> inputs,
                                StringRef output, std::optional<int64_t> axis) {
  PlacedNode part{{}, &sets, {}};
  part.node.name = name;
  part.node.opType = type;
  part.node.inputs.assign(inputs.begin(), inputs.end());
  part.node.outputs = {output};
  if (axis) {
    AttributeProto &attribute = part.node.attributes.emplace_back();
    attribute.name = "axis";
    attribute.type = AttributeProto::Int;
    attribute.i = *axis;
  }
  return part;
}

FunctionExpander::FunctionExpander(const ModelProto &model) : model(model) {
  auto add = [&](llvm::ArrayRef<OperatorSet> from) {
    OperatorSets &to = sets.emplace_back();
    for (const OperatorSet &set : from) {
      auto [known, isNew] =
          to.try_emplace(normalizeDomain(set.domain), set.version);
      if (!isNew && known->second != set.version)
        contradiction = ("versions " + Twine(known->second) + " and " +
                         Twine(set.version) + " of the operator set '" +
                         set.domain + "' are stated, but wanted is one")
                            .str();
    }
  };
  add(model.operatorSets);
  for (auto [index, function] : llvm::enumerate(model.functions)) {
    add(function.operatorSets);
    bool isNew = functions
                     .try_emplace({normalizeDomain(function.domain),
                                   function.name, function.overload},
                                  index)
                     .second;
    if (!isNew)
      contradiction =
          ("the function '" + function.name + "' is defined twice").str();
  }
}

llvm::Error FunctionExpander::run() {
  if (!contradiction.empty())
    return llvm::createStringError(contradiction);
  return expand(model.graph->nodes, sets.front(), nullptr);
}

/// Returns the number of numbers that a node's attributes contain themselves.
static size_t countNumbers(const NodeProto &node) {
  size_t count = node.inputs.size() + node.outputs.size();
  for (const AttributeProto &attribute : node.attributes) {
    count += 1 + attribute.floats.size() + attribute.ints.size() +
             attribute.strings.size();
    if (attribute.t)
      count += attribute.t->dims.size() + attribute.t->floats.size() +
               attribute.t->doubles.size() + attribute.t->int32s.size() +
               attribute.t->int64s.size() + attribute.t->uint64s.size();
  }
  return count;
}

static const AttributeProto *
findAttribute(llvm::ArrayRef<AttributeProto> attributes, StringRef name) {
  const auto *found =
      llvm::find_if(attributes, [&](const AttributeProto &attribute) {
        return attribute.name == name;
      });
  return found == attributes.end() ? nullptr : found;
}

llvm::Error FunctionExpander::expand(llvm::ArrayRef<NodeProto> from,
                                     const OperatorSets &of, Scope *scope) {
  auto rename = [&](StringRef name) -> StringRef {
    if (name.empty())
      return name;
    StringRef &renamed = scope->names[name];
    if (renamed.empty())
      renamed = strings.save(scope->prefix + name);
    return renamed;
  };
  for (auto [index, original] : llvm::enumerate(from)) {
    NodeProto node;
    if (scope) {
      expanded += 1 + countNumbers(original);
      if (expanded > maxExpanded)
        return llvm::createStringError(
            "the model's functions come to more than " + Twine(maxExpanded) +
            " nodes and numbers, the last in '" + scope->function.name + "'");
    }
    node = original;
    if (scope) {
      node.name = strings.save(scope->prefix +
                               (node.name.empty()
                                    ? (node.opType + "#" + Twine(index)).str()
                                    : node.name.str()));
      for (StringRef &name : node.inputs)
        name = rename(name);
      for (StringRef &name : node.outputs)
        name = rename(name);
      // An attribute may refer to an attribute of the call. If the call lacks
      // it and there is no default, the attribute is absent.
      std::vector<AttributeProto> attributes;
      for (AttributeProto &attribute : node.attributes) {
        if (attribute.reference.empty()) {
          attributes.push_back(std::move(attribute));
          continue;
        }
        const AttributeProto *given =
            findAttribute(scope->call.attributes, attribute.reference);
        if (!given)
          given = findAttribute(scope->function.defaults, attribute.reference);
        if (!given)
          continue;
        attributes.push_back(*given);
        attributes.back().name = attribute.name;
      }
      node.attributes = std::move(attributes);
      expanded += countNumbers(node);
    }
    // The names within a graph would have to be renamed as well.
    if (scope && llvm::any_of(node.attributes, [](const AttributeProto &a) {
          return a.type == AttributeProto::Graph;
        }))
      return llvm::createStringError(
          "node '" + node.name + "' (" + node.opType +
          ") has a graph of its own within a function, which the importer does "
          "not enter");
    auto function = functions.find(
        {normalizeDomain(node.domain), node.opType, node.overload});
    if (function == functions.end()) {
      nodes.push_back({std::move(node), &of, {}});
      continue;
    }
    if (llvm::Error error = call(node, function->second, scope))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error FunctionExpander::call(const NodeProto &node, size_t index,
                                   Scope *outer) {
  const FunctionProto &function = model.functions[index];
  std::string name = node.name.empty()
                         ? (node.opType + "#" + Twine(calls)).str()
                         : node.name.str();
  auto fail = [&](const Twine &message) {
    return llvm::createStringError("node '" + name + "' calls the function '" +
                                   function.name + "', " + message);
  };
  unsigned depth = outer ? outer->depth + 1 : 1;
  if (depth > maxDepth)
    return fail("and " + Twine(maxDepth) +
                " calls are around it: functions that call themselves have no "
                "end");
  if (node.inputs.size() > function.inputs.size() ||
      node.outputs.size() > function.outputs.size())
    return fail("with " + Twine(node.inputs.size()) + " inputs and " +
                Twine(node.outputs.size()) + " outputs, but it has " +
                Twine(function.inputs.size()) + " and " +
                Twine(function.outputs.size()));
  Scope scope{
      node, function, outer, depth, name + "~" + std::to_string(calls++) + "/",
      {}};
  // Missing inputs have the empty name, as in other nodes.
  llvm::StringMap<StringRef> absent;
  for (auto [position, inner] : llvm::enumerate(function.inputs)) {
    StringRef given =
        position < node.inputs.size() ? node.inputs[position] : "";
    if (!given.empty())
      scope.names[inner] = given;
    else
      absent[inner] = "";
  }
  // If an output of the function is also an input, a copy is inserted.
  std::vector<NodeProto> copies;
  for (auto [position, given] : llvm::enumerate(node.outputs)) {
    StringRef inner = function.outputs[position];
    if (given.empty())
      continue;
    if (scope.names.count(inner)) {
      NodeProto &copy = copies.emplace_back();
      copy.opType = "Identity";
      copy.name = strings.save(scope.prefix + "Identity");
      copy.inputs = {scope.names[inner]};
      copy.outputs = {given};
    } else {
      scope.names[inner] = given;
    }
  }
  std::vector<NodeProto> body;
  llvm::ArrayRef<NodeProto> from = function.nodes;
  if (!absent.empty()) {
    expanded += function.nodes.size();
    if (expanded > maxExpanded)
      return fail("which comes to more than " + Twine(maxExpanded) + " nodes");
    body = function.nodes;
    for (NodeProto &inner : body)
      for (StringRef &input : inner.inputs)
        if (absent.count(input))
          input = "";
    from = body;
  }
  if (llvm::Error error = expand(from, sets[index + 1], &scope))
    return error;
  for (NodeProto &copy : copies)
    nodes.push_back({std::move(copy), &sets[index + 1], {}});
  return llvm::Error::success();
}
