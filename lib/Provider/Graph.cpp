//===- Graph.cpp - A graph of ONNX Runtime --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Options.h"
#include <cstring>
#include <set>
#include <sys/stat.h>

using namespace dml;
using namespace dml::provider;

uint64_t provider::getBits(DmlElementType type) {
  switch (type) {
  case DML_ELEMENT_TYPE_UINT4:
  case DML_ELEMENT_TYPE_INT4:
    return 4;
  case DML_ELEMENT_TYPE_UINT8:
  case DML_ELEMENT_TYPE_INT8:
  case DML_ELEMENT_TYPE_BOOL:
    return 8;
  case DML_ELEMENT_TYPE_UINT16:
  case DML_ELEMENT_TYPE_INT16:
  case DML_ELEMENT_TYPE_FLOAT16:
    return 16;
  case DML_ELEMENT_TYPE_FLOAT:
  case DML_ELEMENT_TYPE_INT32:
  case DML_ELEMENT_TYPE_UINT32:
    return 32;
  case DML_ELEMENT_TYPE_DOUBLE:
  case DML_ELEMENT_TYPE_INT64:
  case DML_ELEMENT_TYPE_UINT64:
    return 64;
  default:
    return 0;
  }
}

/// Both sides number the types as ONNX does. A type that dml has not becomes
/// DML_ELEMENT_TYPE_UNDEFINED.
static DmlElementType toElementType(ONNXTensorElementDataType type) {
  auto same = static_cast<DmlElementType>(type);
  return getBits(same) ? same : DML_ELEMENT_TYPE_UNDEFINED;
}

/// Reads the type and the shape of a tensor.
static void readShape(const OrtTensorTypeAndShapeInfo *info, Value &value) {
  value.type = toElementType(
      get<ONNXTensorElementDataType>(ort().GetTensorElementType, info));
  value.isTensor = value.type != DML_ELEMENT_TYPE_UNDEFINED;
  value.sizes.resize(get<size_t>(ort().GetDimensionsCount, info));
  // Before version 24, a shape that is not known looks like that of a scalar,
  // and counts as not known.
  value.hasShape = getApi().version < 24
                       ? !value.sizes.empty()
                       : ort().TensorTypeAndShape_HasShape(info);
  if (value.sizes.empty())
    return;
  std::vector<const char *> symbols(value.sizes.size());
  check(ort().GetDimensions(info, value.sizes.data(), value.sizes.size()));
  check(ort().GetSymbolicDimensions(info, symbols.data(), symbols.size()));
  for (const char *symbol : symbols)
    value.symbols.emplace_back(symbol ? symbol : "");
}

static void readType(const OrtTypeInfo *type, Value &value) {
  if (!type ||
      get<ONNXType>(ort().GetOnnxTypeFromTypeInfo, type) != ONNX_TYPE_TENSOR)
    return;
  if (auto *info = get<const OrtTensorTypeAndShapeInfo *>(
          ort().CastTypeInfoToTensorInfo, type))
    readShape(info, value);
}

uint64_t provider::countBytes(const Value &value) {
  uint64_t count = 1;
  for (int64_t size : value.sizes)
    count *= static_cast<uint64_t>(size);
  return (count * getBits(value.type) + 7) / 8;
}

/// Sets the place in a file of a weight that the model has in one, if the file
/// is there. Its name is relative to the model's folder.
static void readPlace(const OrtValueInfo *info, const std::string &folder,
                      WeightPlace &weight) {
  Owned<OrtExternalInitializerInfo> place(get<OrtExternalInitializerInfo *>(
      ort().ValueInfo_GetExternalInitializerInfo, info));
  if (!place)
    return;
  std::string path = ort().ExternalInitializerInfo_GetFilePath(place.get());
  if (path.empty() || path[0] != '/')
    path = folder + path;
  auto offset = static_cast<uint64_t>(
      ort().ExternalInitializerInfo_GetFileOffset(place.get()));
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<uint64_t>(status.st_size) < offset + weight.byteSize)
    return;
  weight.path = path;
  weight.offset = offset;
}

namespace {
/// Reads a graph, around which there are `depth` others.
class Reader {
public:
  explicit Reader(const OrtGraph *handle, unsigned depth = 0)
      : handle(handle), depth(depth) {}
  Graph run();
  Graph readAround(const OrtNode *node);

private:
  ValueIndex add(const OrtValueInfo *info);
  std::vector<ValueIndex> add(const std::vector<const OrtValueInfo *> &infos);
  void readWeight(const OrtValueInfo *info, Value &value);
  void readNode(const OrtNode *node);
  void readInnerGraphs(Node &node) const;
  void readOperatorSets();
  void link();

  const OrtGraph *handle;
  const unsigned depth;
  Graph graph;
  std::map<std::string, ValueIndex> indices;
  std::set<std::string> nodeNames;
};
} // namespace

void Reader::readWeight(const OrtValueInfo *info, Value &value) {
  if (!get<bool>(ort().ValueInfo_IsConstantInitializer, info))
    return;
  const auto *tensor =
      get<const OrtValue *>(ort().ValueInfo_GetInitializerValue, info);
  if (!tensor)
    return;
  WeightPlace weight;
  weight.byteSize = countBytes(value);
  weight.data = get<const void *>(ort().GetTensorData, tensor);
  readPlace(info, graph.folder, weight);
  value.weight = weight;
}

ValueIndex Reader::add(const OrtValueInfo *info) {
  if (!info)
    return noValue;
  std::string name = get<const char *>(ort().GetValueInfoName, info);
  if (name.empty())
    return noValue;
  auto [found, isNew] =
      indices.try_emplace(name, static_cast<ValueIndex>(graph.values.size()));
  if (!isNew)
    return found->second;
  Value value;
  value.name = name;
  readType(get<const OrtTypeInfo *>(ort().GetValueInfoTypeInfo, info), value);
  if (value.isTensor)
    readWeight(info, value);
  graph.values.push_back(std::move(value));
  return found->second;
}

std::vector<ValueIndex>
Reader::add(const std::vector<const OrtValueInfo *> &infos) {
  std::vector<ValueIndex> result;
  for (const OrtValueInfo *info : infos)
    result.push_back(add(info));
  return result;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The elements of an attribute, as bytes.
static std::string readBytes(const OrtOpAttr *attribute, OrtOpAttrType type) {
  size_t size = 0;
  // Without memory, the call fails and says how many bytes there are.
  if (OrtStatus *status = ort().ReadOpAttr(attribute, type, nullptr, 0, &size))
    ort().ReleaseStatus(status);
  std::string bytes(size, '\0');
  if (size != 0)
    check(ort().ReadOpAttr(attribute, type, bytes.data(), size, &size));
  return bytes;
}

template <typename T> static std::vector<T> toList(const std::string &bytes) {
  std::vector<T> list(bytes.size() / sizeof(T));
  if (!list.empty())
    std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
  return list;
}

/// Splits strings that each end with a 0.
static std::vector<std::string> splitStrings(const std::string &bytes) {
  std::vector<std::string> strings;
  for (size_t at = 0; at < bytes.size(); at += strings.back().size() + 1)
    strings.emplace_back(bytes.c_str() + at);
  return strings;
}

static void readTensor(const OrtOpAttr *handle, NodeAttribute &attribute) {
  Owned<OrtValue> value(
      get<OrtValue *>(ort().OpAttr_GetTensorAttributeAsOrtValue, handle));
  Owned<OrtTensorTypeAndShapeInfo> info(get<OrtTensorTypeAndShapeInfo *>(
      ort().GetTensorTypeAndShape, value.get()));
  readShape(info.get(), attribute.tensor);
  if (!attribute.tensor.isTensor)
    return;
  attribute.tensor.hasShape = true;
  const auto *data = static_cast<const char *>(
      get<const void *>(ort().GetTensorData, value.get()));
  attribute.elements.assign(data, countBytes(attribute.tensor));
}

static NodeAttribute readAttribute(const OrtOpAttr *handle) {
  NodeAttribute attribute;
  attribute.name = get<const char *>(ort().OpAttr_GetName, handle);
  attribute.type = get<OrtOpAttrType>(ort().OpAttr_GetType, handle);
  if (attribute.type == ORT_OP_ATTR_TENSOR) {
    readTensor(handle, attribute);
    return attribute;
  }
  if (attribute.type == ORT_OP_ATTR_GRAPH ||
      attribute.type == ORT_OP_ATTR_UNDEFINED)
    return attribute;
  std::string bytes = readBytes(handle, attribute.type);
  switch (attribute.type) {
  case ORT_OP_ATTR_INT:
    std::memcpy(&attribute.integer, bytes.data(),
                std::min(bytes.size(), sizeof(int64_t)));
    break;
  case ORT_OP_ATTR_FLOAT:
    std::memcpy(&attribute.number, bytes.data(),
                std::min(bytes.size(), sizeof(float)));
    break;
  case ORT_OP_ATTR_INTS:
    attribute.integers = toList<int64_t>(bytes);
    break;
  case ORT_OP_ATTR_FLOATS:
    attribute.numbers = toList<float>(bytes);
    break;
  case ORT_OP_ATTR_STRINGS:
    attribute.texts = splitStrings(bytes);
    break;
  default:
    attribute.text = bytes;
  }
  return attribute;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Finds out why a node stays with ONNX Runtime in any case.
static std::string findProblem(const Node &node) {
  const char *provider = get<const char *>(ort().Node_GetEpName, node.handle);
  if (provider && *provider && std::string(provider) != providerName)
    return std::string("the provider ") + provider + " has it already";
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.type == ORT_OP_ATTR_UNDEFINED ||
        (attribute.type == ORT_OP_ATTR_TENSOR && !attribute.tensor.isTensor))
      return "its attribute '" + attribute.name +
             "' has a type that no DirectML tensor has";
  return "";
}

void Reader::readInnerGraphs(Node &node) const {
  /// Graphs around a graph, at most, as in files.
  constexpr unsigned mostDepth = 16;
  size_t count = get<size_t>(ort().Node_GetNumSubgraphs, node.handle);
  if (count == 0)
    return;
  if (depth == mostDepth) {
    node.problem = "it has graphs within it, and too many around it";
    return;
  }
  std::vector<const OrtGraph *> graphs(count);
  std::vector<const char *> names(count);
  check(
      ort().Node_GetSubgraphs(node.handle, graphs.data(), count, names.data()));
  for (size_t i = 0; i < count; ++i)
    node.graphs.push_back({names[i], std::make_shared<Graph>(
                                         Reader(graphs[i], depth + 1).run())});
}

void Reader::readNode(const OrtNode *handle) {
  Node node;
  node.handle = handle;
  node.type = get<const char *>(ort().Node_GetOperatorType, handle);
  node.domain = get<const char *>(ort().Node_GetDomain, handle);
  node.name = get<const char *>(ort().Node_GetName, handle);
  std::string id = std::to_string(get<size_t>(ort().Node_GetId, handle));
  if (node.name.empty())
    node.name = node.type + "_" + id;
  while (!nodeNames.insert(node.name).second)
    node.name += "~" + id;
  node.inputs = add(getAll<const OrtValueInfo *>(ort().Node_GetNumInputs,
                                                 ort().Node_GetInputs, handle));
  node.outputs = add(getAll<const OrtValueInfo *>(
      ort().Node_GetNumOutputs, ort().Node_GetOutputs, handle));
  node.implicitInputs = add(getAll<const OrtValueInfo *>(
      ort().Node_GetNumImplicitInputs, ort().Node_GetImplicitInputs, handle));
  for (const OrtOpAttr *attribute : getAll<const OrtOpAttr *>(
           ort().Node_GetNumAttributes, ort().Node_GetAttributes, handle))
    node.attributes.push_back(readAttribute(attribute));
  node.problem = findProblem(node);
  readInnerGraphs(node);
  graph.nodes.push_back(std::move(node));
}

void Reader::readOperatorSets() {
  size_t count = get<size_t>(ort().Graph_GetNumOperatorSets, handle);
  std::vector<const char *> domains(count);
  std::vector<int64_t> versions(count);
  if (count != 0)
    check(ort().Graph_GetOperatorSets(handle, domains.data(), versions.data(),
                                      count));
  for (size_t i = 0; i < count; ++i)
    graph.operatorSets[domains[i]] = versions[i];
}

void Reader::link() {
  graph.producers.resize(graph.values.size());
  graph.readers.resize(graph.values.size());
  graph.isOutput.resize(graph.values.size());
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const Node &node = graph.nodes[i];
    for (ValueIndex value : node.outputs)
      if (value != noValue)
        graph.producers[value] = i;
    for (const auto *values : {&node.inputs, &node.implicitInputs})
      for (ValueIndex value : *values)
        if (value != noValue &&
            (graph.readers[value].empty() || graph.readers[value].back() != i))
          graph.readers[value].push_back(i);
  }
  for (ValueIndex output : graph.outputs)
    graph.isOutput[output] = true;
}

Graph Reader::run() {
  // A model of bytes has no path.
  const char *path = get<const char *>(ort().Graph_GetModelPath, handle);
  graph.folder = path ? path : "";
  graph.folder.erase(graph.folder.rfind('/') + 1);
  graph.name = get<const char *>(ort().Graph_GetName, handle);
  readOperatorSets();
  graph.inputs = add(getAll<const OrtValueInfo *>(
      ort().Graph_GetNumInputs, ort().Graph_GetInputs, handle));
  for (const OrtNode *node : getAll<const OrtNode *>(
           ort().Graph_GetNumNodes, ort().Graph_GetNodes, handle))
    readNode(node);
  graph.outputs = add(getAll<const OrtValueInfo *>(
      ort().Graph_GetNumOutputs, ort().Graph_GetOutputs, handle));
  link();
  return std::move(graph);
}

Graph Reader::readAround(const OrtNode *node) {
  readOperatorSets();
  readNode(node);
  link();
  return std::move(graph);
}

Graph provider::readGraph(const OrtGraph *handle) {
  return Reader(handle).run();
}

std::optional<Graph> provider::readNodeAround(const OrtGraph *handle) {
  const auto *node = get<const OrtNode *>(ort().Graph_GetParentNode, handle);
  if (!node)
    return std::nullopt;
  return Reader(handle).readAround(node);
}
