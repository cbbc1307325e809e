//===- Dump.cpp - A partition as an ONNX model ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Dump.h"
#include <cstring>
#include <fstream>
#include <set>

using namespace dml;
using namespace dml::provider;

namespace {
/// A message of protocol buffers. The numbers of fields are those of
/// onnx.proto.
class Message {
public:
  void addNumber(uint32_t field, int64_t value) {
    addKey(field, 0);
    addVarint(static_cast<uint64_t>(value));
  }
  void addFloat(uint32_t field, float value) {
    addKey(field, 5);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void addBytes(uint32_t field, const std::string &value) {
    addKey(field, 2);
    addVarint(value.size());
    bytes += value;
  }
  void add(uint32_t field, const Message &message) {
    addBytes(field, message.bytes);
  }
  const std::string &getBytes() const { return bytes; }

private:
  void addKey(uint32_t field, uint32_t kind) { addVarint(field << 3 | kind); }
  void addVarint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes += static_cast<char>((value & 0x7f) | 0x80);
    bytes += static_cast<char>(value);
  }

  std::string bytes;
};
} // namespace

/// A TensorProto.
static Message makeTensor(const Value &value, const std::string &elements) {
  Message tensor;
  for (int64_t size : value.sizes)
    tensor.addNumber(1, size);
  tensor.addNumber(2, value.type);
  tensor.addBytes(8, value.name);
  tensor.addBytes(9, elements);
  return tensor;
}

std::string provider::readElements(const WeightPlace &weight) {
  std::string elements(weight.byteSize, '\0');
  if (weight.path.empty()) {
    if (!elements.empty())
      std::memcpy(elements.data(), weight.data, elements.size());
    return elements;
  }
  std::ifstream file(weight.path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(weight.offset));
  file.read(elements.data(), static_cast<std::streamsize>(elements.size()));
  if (!file)
    throw Failure("the file '" + weight.path + "' cannot be read");
  return elements;
}

/// A ValueInfoProto.
static Message makeValue(const Value &value) {
  Message shape, tensor, type, info;
  for (size_t i = 0; i < value.sizes.size(); ++i) {
    Message dimension;
    if (value.sizes[i] >= 0)
      dimension.addNumber(1, value.sizes[i]);
    else if (!value.symbols[i].empty())
      dimension.addBytes(2, value.symbols[i]);
    shape.add(1, dimension);
  }
  tensor.addNumber(1, value.type);
  if (value.hasShape)
    tensor.add(2, shape);
  type.add(1, tensor);
  info.addBytes(1, value.name);
  info.add(2, type);
  return info;
}

/// An AttributeProto. Node::graphs has the graphs.
static Message makeAttribute(const NodeAttribute &given) {
  Message attribute;
  attribute.addBytes(1, given.name);
  auto setType = [&](int64_t type) { attribute.addNumber(20, type); };
  switch (given.type) {
  case ORT_OP_ATTR_FLOAT:
    attribute.addFloat(2, given.number);
    setType(DML_ATTRIBUTE_TYPE_FLOAT);
    break;
  case ORT_OP_ATTR_INT:
    attribute.addNumber(3, given.integer);
    setType(DML_ATTRIBUTE_TYPE_INT);
    break;
  case ORT_OP_ATTR_STRING:
    attribute.addBytes(4, given.text);
    setType(DML_ATTRIBUTE_TYPE_STRING);
    break;
  case ORT_OP_ATTR_TENSOR:
    attribute.add(5, makeTensor(given.tensor, given.elements));
    setType(DML_ATTRIBUTE_TYPE_TENSOR);
    break;
  case ORT_OP_ATTR_FLOATS:
    for (float number : given.numbers)
      attribute.addFloat(7, number);
    setType(DML_ATTRIBUTE_TYPE_FLOATS);
    break;
  case ORT_OP_ATTR_INTS:
    for (int64_t number : given.integers)
      attribute.addNumber(8, number);
    setType(DML_ATTRIBUTE_TYPE_INTS);
    break;
  case ORT_OP_ATTR_STRINGS:
    for (const std::string &text : given.texts)
      attribute.addBytes(9, text);
    setType(DML_ATTRIBUTE_TYPE_STRINGS);
    break;
  default:
    break;
  }
  return attribute;
}

using Names = std::set<std::string>;

static Message makeNode(const Graph &graph, const Node &given,
                        const Names &names);

/// The graph within a node. `around` has the names that it reads from around
/// it.
static Message makeInnerGraph(const Graph &graph, const Names &around) {
  Message result;
  Names names = around;
  std::set<ValueIndex> inputs(graph.inputs.begin(), graph.inputs.end());
  for (ValueIndex i = 0; i < graph.values.size(); ++i) {
    const Value &value = graph.values[i];
    if (names.insert(value.name).second && value.weight && !inputs.count(i))
      result.add(5, makeTensor(value, readElements(*value.weight)));
  }
  for (const Node &node : graph.nodes)
    result.add(1, makeNode(graph, node, names));
  result.addBytes(2, graph.name.empty() ? "graph" : graph.name);
  for (ValueIndex input : graph.inputs)
    result.add(11, makeValue(graph.values[input]));
  for (ValueIndex output : graph.outputs)
    result.add(12, makeValue(graph.values[output]));
  return result;
}

static Message makeAttribute(const InnerGraph &given, const Names &names) {
  Message attribute;
  attribute.addBytes(1, given.attribute);
  attribute.add(6, makeInnerGraph(*given.graph, names));
  attribute.addNumber(20, DML_ATTRIBUTE_TYPE_GRAPH);
  return attribute;
}

static Message makeNode(const Graph &graph, const Node &given,
                        const Names &names) {
  Message node;
  auto getName = [&](ValueIndex value) {
    return value == noValue ? std::string() : graph.values[value].name;
  };
  for (ValueIndex value : given.inputs)
    node.addBytes(1, getName(value));
  for (ValueIndex value : given.outputs)
    node.addBytes(2, getName(value));
  node.addBytes(3, given.name);
  node.addBytes(4, given.type);
  for (const NodeAttribute &attribute : given.attributes)
    if (attribute.type != ORT_OP_ATTR_GRAPH)
      node.add(5, makeAttribute(attribute));
  for (const InnerGraph &inner : given.graphs)
    node.add(5, makeAttribute(inner, names));
  node.addBytes(7, given.domain);
  return node;
}

/// Refuses weights that do not fit into one message.
static void wantSmall(const Graph &graph, const Part &part) {
  constexpr uint64_t mostBytes = uint64_t(1) << 30;
  uint64_t bytes = 0;
  for (ValueIndex value : part.inputs)
    if (graph.values[value].weight)
      bytes += graph.values[value].weight->byteSize;
  if (bytes > mostBytes)
    throw Failure("the weights of the partition have " + std::to_string(bytes) +
                  " bytes, but wanted are at most " +
                  std::to_string(mostBytes) + " in a file");
}

static Message makeGraph(const Graph &graph, const Part &part,
                         uint64_t mostBytes) {
  Message result;
  Names names;
  for (const Value &value : graph.values)
    names.insert(value.name);
  for (uint32_t node : part.nodes)
    result.add(1, makeNode(graph, graph.nodes[node], names));
  result.addBytes(2, graph.name.empty() ? "graph" : graph.name);
  for (ValueIndex index : part.inputs) {
    const Value &value = graph.values[index];
    if (value.weight && value.weight->byteSize <= mostBytes)
      result.add(5, makeTensor(value, readElements(*value.weight)));
    else
      result.add(11, makeValue(value));
  }
  for (ValueIndex output : part.outputs)
    result.add(12, makeValue(graph.values[output]));
  return result;
}

std::string provider::encodePart(const Graph &graph, const Part &part,
                                 uint64_t mostBytes) {
  Message model;
  model.addNumber(1, 8);
  model.addBytes(2, "dml");
  model.add(7, makeGraph(graph, part, mostBytes));
  for (const auto &[domain, version] : graph.operatorSets) {
    Message set;
    set.addBytes(1, domain);
    set.addNumber(2, version);
    model.add(8, set);
  }
  return model.getBytes();
}

void provider::dumpPart(const Graph &graph, const Part &part,
                        const std::string &path) {
  wantSmall(graph, part);
  std::string bytes = encodePart(graph, part, UINT64_MAX);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file)
    throw Failure("the file '" + path + "' cannot be written");
}
