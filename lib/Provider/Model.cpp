//===- Model.cpp - From a graph of ONNX Runtime to dml's model ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include <algorithm>
#include <cstring>
#include <set>

using namespace dml;
using namespace dml::provider;

namespace {
/// Builds the model of a part.
class Builder {
public:
  Builder(const Graph &graph, const Part &part, ModelKind kind,
          const std::string &identifier);
  /// Builds the graph within a node of the graph of `outer`.
  Builder(const Graph &graph, const Builder &outer);
  dml::Model run();
  dml::Model runInner();

private:
  bool isKnownAround(const std::string &name) const;
  dml::Attribute convertInner(const InnerGraph &inner) const;
  std::string getName(ValueIndex index) const {
    return index == noValue ? "" : graph.values[index].name;
  }
  const std::vector<int64_t> &getSizes(ValueIndex index) const;
  std::vector<dml::Dimension> getDimensions(ValueIndex index) const;
  void addSource(ValueIndex index);
  void addConstant(ValueIndex index, const Elements &elements);
  void addWeight(const Value &value);
  void addNode(const Node &node);

  const Graph &graph;
  const Part part;
  ModelKind kind;
  dml::Model model;
  /// The graph around this one, or null, and the names of this one's values.
  const Builder *outer = nullptr;
  std::set<std::string> names;
};
} // namespace

/// The versions of operator sets. A graph that names no version of ONNX's own
/// set has nodes of other domains alone.
static std::map<std::string, int64_t> getOperatorSets(const Graph &graph) {
  std::map<std::string, int64_t> sets = graph.operatorSets;
  sets.try_emplace("", 21);
  return sets;
}

Builder::Builder(const Graph &graph, const Part &part, ModelKind kind,
                 const std::string &identifier)
    : graph(graph), part(part), kind(kind),
      model(getOperatorSets(graph), graph.name.empty() ? "graph" : graph.name,
            identifier) {}

Builder::Builder(const Graph &graph, const Builder &outer)
    : graph(graph), part(getWhole(graph)), kind(outer.kind),
      model({}, graph.name.empty() ? "graph" : graph.name), outer(&outer) {}

const std::vector<int64_t> &Builder::getSizes(ValueIndex index) const {
  auto given = part.shapes.find(index);
  return given == part.shapes.end() ? graph.values[index].sizes : given->second;
}

std::vector<dml::Dimension> Builder::getDimensions(ValueIndex index) const {
  const std::vector<int64_t> &sizes = getSizes(index);
  const std::vector<std::string> &symbols = graph.values[index].symbols;
  std::vector<dml::Dimension> dimensions;
  for (size_t i = 0; i < sizes.size(); ++i) {
    bool isNamed = kind == ModelKind::Survey && sizes[i] < 0 &&
                   i < symbols.size() && !symbols[i].empty();
    dimensions.push_back(isNamed ? dml::Dimension(symbols[i])
                                 : dml::Dimension(sizes[i]));
  }
  return dimensions;
}

void Builder::addConstant(ValueIndex index, const Elements &elements) {
  const Value &value = graph.values[index];
  std::string bytes;
  for (const int64_t &element : elements)
    bytes.append(reinterpret_cast<const char *>(&element),
                 getBits(value.type) / 8);
  dml::Weight weight;
  weight.name = value.name;
  weight.elementType = value.type;
  weight.sizes = getSizes(index);
  weight.byteSize = bytes.size();
  // Models of one partition share their weights, but for these elements.
  weight.identifier = "elements of type " + std::to_string(value.type);
  for (int64_t element : elements)
    weight.identifier += " " + std::to_string(element);
  weight.read = [bytes](uint64_t offset, size_t size, void *destination) {
    std::memcpy(destination, bytes.data() + offset, size);
  };
  model.weight(std::move(weight));
}

static dml::Weight makeWeight(const Value &value) {
  dml::Weight weight;
  weight.name = value.name;
  weight.elementType = value.type;
  weight.sizes = value.sizes;
  weight.byteSize = value.weight->byteSize;
  weight.path = value.weight->path;
  weight.offset = value.weight->offset;
  if (weight.path.empty())
    weight.data = value.weight->data;
  return weight;
}

/// Adds an input of the part: an input of the model, a weight or a constant.
void Builder::addSource(ValueIndex index) {
  const Value &value = graph.values[index];
  auto constant = part.constants.find(index);
  if (constant != part.constants.end())
    addConstant(index, constant->second);
  else if (value.weight)
    model.weight(makeWeight(value));
  else if (value.isTensor && (value.hasShape || part.shapes.count(index)))
    model.input(value.name, value.type, getDimensions(index));
  else
    // A type that no operator of dml reads: the survey refuses the nodes that
    // do.
    model.input(
        value.name,
        static_cast<DmlElementType>(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING), {});
}

/// The attribute as dml's model has it. Node::graphs has the graphs.
static std::optional<dml::Attribute> convert(const NodeAttribute &given) {
  switch (given.type) {
  case ORT_OP_ATTR_INT:
    return dml::Attribute(given.name, given.integer);
  case ORT_OP_ATTR_INTS:
    return dml::Attribute(given.name, given.integers);
  case ORT_OP_ATTR_FLOAT:
    return dml::Attribute(given.name, given.number);
  case ORT_OP_ATTR_FLOATS:
    return dml::Attribute(given.name, given.numbers);
  case ORT_OP_ATTR_STRING:
    return dml::Attribute(given.name, given.text);
  case ORT_OP_ATTR_STRINGS:
    return dml::Attribute(given.name, given.texts);
  case ORT_OP_ATTR_TENSOR: {
    dml::Weight weight;
    weight.elementType = given.tensor.type;
    weight.sizes = given.tensor.sizes;
    weight.byteSize = given.elements.size();
    weight.read = [bytes = given.elements](uint64_t offset, size_t size,
                                           void *destination) {
      std::memcpy(destination, bytes.data() + offset, size);
    };
    return dml::Attribute(given.name, std::move(weight));
  }
  default:
    return std::nullopt;
  }
}

void Builder::addNode(const Node &node) {
  std::vector<std::string> inputs, outputs;
  for (ValueIndex value : node.inputs)
    inputs.push_back(getName(value));
  for (ValueIndex value : node.outputs)
    outputs.push_back(getName(value));
  std::vector<dml::Attribute> attributes;
  // The survey of such a node is about the nodes behind it, and about those
  // that graphs within it read.
  if (!node.problem.empty() ||
      (kind == ModelKind::Survey && !node.graphs.empty())) {
    for (ValueIndex value : node.implicitInputs)
      inputs.push_back(getName(value));
    model.node("unread::" + node.type, inputs, outputs, {}, node.name);
    return;
  }
  for (const NodeAttribute &attribute : node.attributes)
    if (std::optional<dml::Attribute> converted = convert(attribute))
      attributes.push_back(std::move(*converted));
  for (const InnerGraph &inner : node.graphs)
    attributes.push_back(convertInner(inner));
  std::string type =
      node.domain.empty() ? node.type : node.domain + "::" + node.type;
  model.node(type, inputs, outputs, attributes, node.name);
}

dml::Model Builder::run() {
  for (const Value &value : graph.values)
    names.insert(value.name);
  for (ValueIndex index : part.inputs)
    addSource(index);
  for (uint32_t index : part.nodes) {
    const Node &node = graph.nodes[index];
    addNode(node);
    if (kind != ModelKind::Survey)
      continue;
    for (ValueIndex output : node.outputs)
      if (output != noValue && !graph.isOutput[output] &&
          graph.values[output].isTensor && graph.values[output].hasShape)
        model.value(getName(output), graph.values[output].type,
                    getDimensions(output));
  }
  for (ValueIndex index : part.outputs) {
    const Value &value = graph.values[index];
    if (kind == ModelKind::Survey && graph.isOutput[index] && value.isTensor &&
        value.hasShape)
      model.output(value.name, value.type, getDimensions(index));
    else
      model.output(value.name);
  }
  return model;
}

//===----------------------------------------------------------------------===//
// Graphs within nodes
//===----------------------------------------------------------------------===//

/// Whether a graph around this one has a value of the name.
bool Builder::isKnownAround(const std::string &name) const {
  return outer && (outer->names.count(name) || outer->isKnownAround(name));
}

dml::Attribute Builder::convertInner(const InnerGraph &inner) const {
  return dml::Attribute(inner.attribute,
                        Builder(*inner.graph, *this).runInner());
}

/// Builds the graph within a node, whose inputs and outputs have their order.
dml::Model Builder::runInner() {
  std::set<ValueIndex> inputs(graph.inputs.begin(), graph.inputs.end());
  for (ValueIndex index : graph.inputs) {
    const Value &value = graph.values[index];
    if (value.hasShape)
      model.input(value.name, value.type, getDimensions(index));
    else
      model.input(value.name, value.type);
  }
  for (ValueIndex index = 0; index < graph.values.size(); ++index)
    if (const Value &value = graph.values[index];
        value.weight && !inputs.count(index) && !isKnownAround(value.name))
      model.weight(makeWeight(value));
  for (const Value &value : graph.values)
    names.insert(value.name);
  for (const Node &node : graph.nodes)
    addNode(node);
  // A Loop without iterations collects tensors of the type that is declared.
  for (ValueIndex index : graph.outputs) {
    const Value &value = graph.values[index];
    if (value.hasShape)
      model.output(value.name, value.type, getDimensions(index));
    else
      model.output(value.name, value.type);
  }
  return model;
}

dml::Model provider::buildModel(const Graph &graph, const Part &part,
                                ModelKind kind, const std::string &identifier) {
  return Builder(graph, part, kind, identifier).run();
}

Part provider::getPart(const Graph &graph, std::vector<uint32_t> nodes) {
  Part part;
  std::set<uint32_t> inside(nodes.begin(), nodes.end());
  std::set<ValueIndex> seen;
  auto addInputs = [&](const std::vector<ValueIndex> &values) {
    for (ValueIndex value : values)
      if (value != noValue &&
          !(graph.producers[value] && inside.count(*graph.producers[value])) &&
          seen.insert(value).second)
        part.inputs.push_back(value);
  };
  auto leaves = [&](ValueIndex value) {
    bool result = graph.isOutput[value];
    for (uint32_t reader : graph.readers[value])
      result |= inside.count(reader) == 0;
    return result;
  };
  for (uint32_t index : nodes) {
    addInputs(graph.nodes[index].inputs);
    addInputs(graph.nodes[index].implicitInputs);
    for (ValueIndex value : graph.nodes[index].outputs)
      if (value != noValue && leaves(value))
        part.outputs.push_back(value);
  }
  part.nodes = std::move(nodes);
  return part;
}

Part provider::getWhole(const Graph &graph) {
  std::vector<uint32_t> nodes;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i)
    nodes.push_back(i);
  return getPart(graph, std::move(nodes));
}
