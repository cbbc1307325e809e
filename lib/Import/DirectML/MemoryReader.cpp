//===- MemoryReader.cpp - Operators and graphs in memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Reads the structures of DirectML.h that a program has filled. Those of the
// operators are laid out by the table of all fields, and become the JSON of a
// DxDispatch model, so that the meaning of the fields is implemented only once.
//
// A pointer is the program's: null is refused where it is not allowed, and no
// more is read behind it than the structure says, within limits that an
// uninitialized count exceeds.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Memory.h"
#include "dml/IR/Ownership.h"
#include "dml/Import/DirectML.h"
#include "llvm/ADT/StringSet.h"
#include <cstring>
#include <queue>

using namespace mlir;
using namespace dml;
using namespace dml::directml;

/// Dimensions of a tensor at most, and elements of arrays that have one for
/// each dimension.
static constexpr uint32_t maxDimensions = 8;
/// Elements of other arrays at most: tensors of JOIN, channels, activations.
static constexpr uint32_t maxElements = 1 << 16;
/// Nodes, edges, inputs and outputs of a graph at most.
static constexpr uint32_t maxParts = 1 << 20;
/// Bytes of a name that are read at most.
static constexpr size_t maxNameBytes = 1024;

/// Returns the value of the type `T` at the byte `offset`.
template <typename T> static T load(const void *structure, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char *>(structure) + offset, sizeof(T));
  return value;
}

/// Returns the element `index` of an array.
template <typename T> static T loadElement(const void *array, size_t index) {
  return load<T>(array, index * sizeof(T));
}

static llvm::Error wantPointer(const void *pointer, const Path &path,
                               const Twine &wanted) {
  return pointer ? llvm::Error::success() : path.fail(Twine("null"), wanted);
}

static std::string readName(const char *name) {
  return name ? std::string(name, strnlen(name, maxNameBytes)) : std::string();
}

//===----------------------------------------------------------------------===//
// Fields of operators
//===----------------------------------------------------------------------===//

namespace {
/// Reads the structure of an operator.
class StructureReader {
public:
  StructureReader(OperationName op, const void *structure, Path path,
                  bool isFused)
      : op(op), structure(structure), path(std::move(path)), isFused(isFused) {}

  llvm::Expected<llvm::json::Object> run();

private:
  llvm::Expected<llvm::json::Value> read(const Member &member);
  llvm::Expected<llvm::json::Value> readTensors(const Member &member);
  llvm::Expected<llvm::json::Value> readAttribute(const Member &member);
  llvm::Error readCount(const Member &member);
  bool isSigned(const FieldRow &row) const;

  /// Returns the number `bits` of a UINT or an INT.
  llvm::json::Value toInteger(const FieldRow &row, uint32_t bits) const {
    return isSigned(row) ? int64_t(int32_t(bits)) : int64_t(bits);
  }
  /// Reads the `count` elements of the array at `pointer` by `readElement`.
  template <typename Read>
  llvm::Expected<llvm::json::Value> readArray(const void *pointer,
                                              uint32_t count, const Path &place,
                                              Read readElement) {
    if (llvm::Error error = wantPointer(count ? pointer : this, place,
                                        "a pointer to " + Twine(count) +
                                            " values, as the count says"))
      return std::move(error);
    llvm::json::Array array;
    for (uint32_t index = 0; index < count; ++index) {
      llvm::Expected<llvm::json::Value> value = readElement(index);
      if (!value)
        return value.takeError();
      array.push_back(std::move(*value));
    }
    return array;
  }

  OperationName op;
  const void *structure;
  Path path;
  /// Whether another operator fuses this one, which has no tensors then.
  bool isFused;
  llvm::StringMap<uint32_t> counts;
  std::optional<DataType> scalarType;
};
} // namespace

static llvm::Expected<DataType> readDataType(uint32_t value, const Path &path) {
  if (std::optional<DataType> type = symbolizeDataType(value))
    return *type;
  std::string names;
  for (DataType type : getDataTypes())
    names += (names.empty() ? "" : ", ") + describeDataType(type) + " (" +
             std::to_string(static_cast<uint32_t>(type)) + ")";
  return path.fail(Twine(value), "a DML_TENSOR_DATA_TYPE: " + names);
}

/// Reads a DML_TENSOR_DESC.
static llvm::Expected<llvm::json::Value> readTensor(const memory::Typed &tensor,
                                                    const Path &path) {
  constexpr uint32_t bufferType = 1, ownedFlag = 1;
  if (tensor.type != bufferType)
    return path["Type"].fail(Twine(tensor.type), "DML_TENSOR_TYPE_BUFFER (1)");
  Path place = path["Desc"];
  if (llvm::Error error =
          wantPointer(tensor.desc, place, "a DML_BUFFER_TENSOR_DESC"))
    return std::move(error);
  auto desc = load<memory::BufferTensor>(tensor.desc, 0);
  llvm::Expected<DataType> type =
      readDataType(desc.dataType, place["DataType"]);
  if (!type)
    return type.takeError();
  if (desc.flags & ~ownedFlag)
    return place["Flags"].fail(Twine(desc.flags),
                               "DML_TENSOR_FLAG_NONE (0) or "
                               "DML_TENSOR_FLAG_OWNED_BY_DML (1)");
  if (desc.dimensionCount == 0 || desc.dimensionCount > maxDimensions)
    return place["DimensionCount"].fail(Twine(desc.dimensionCount),
                                        "1 to " + Twine(maxDimensions));
  llvm::json::Object fields{
      {"DataType", describeDataType(*type)},
      {"Flags", desc.flags & ownedFlag ? "OWNED_BY_DML" : "NONE"},
      {"TotalTensorSizeInBytes", desc.totalTensorSizeInBytes},
      {"GuaranteedBaseOffsetAlignment", desc.guaranteedBaseOffsetAlignment}};
  auto readNumbers = [&](const uint32_t *numbers) {
    llvm::json::Array array;
    for (uint32_t index = 0; index < desc.dimensionCount; ++index)
      array.push_back(loadElement<uint32_t>(numbers, index));
    return array;
  };
  if (llvm::Error error =
          wantPointer(desc.sizes, place["Sizes"],
                      "a pointer to " + Twine(desc.dimensionCount) + " sizes"))
    return std::move(error);
  fields["Sizes"] = readNumbers(desc.sizes);
  if (desc.strides)
    fields["Strides"] = readNumbers(desc.strides);
  // In JSON, 0 stands for the smallest number.
  if (desc.totalTensorSizeInBytes == 0)
    return place["TotalTensorSizeInBytes"].fail(
        Twine("0"),
        "the bytes of the tensor, as DMLCalcBufferTensorSize counts them");
  return llvm::json::Object{{"Type", "BUFFER"}, {"Desc", std::move(fields)}};
}

/// Returns the operator of a DML_OPERATOR_DESC.
static llvm::Expected<OperationName>
readOperatorType(uint32_t value, const Path &path, MLIRContext *context) {
  std::string type = getOperatorType(value);
  if (type.empty())
    return path.fail(Twine(value),
                     "a DML_OPERATOR_TYPE from 1 (" + getOperatorType(1) +
                         ") to " + Twine(getLastOperatorType()) + " (" +
                         getOperatorType(getLastOperatorType()) + ")");
  return findOperator(type, path, context);
}

/// Reads a DML_OPERATOR_DESC that another operator fuses.
static llvm::Expected<llvm::json::Value>
readFused(const memory::Typed &desc, const Path &path, MLIRContext *context) {
  llvm::Expected<OperationName> op =
      readOperatorType(desc.type, path["Type"], context);
  if (!op)
    return op.takeError();
  if (llvm::Error error =
          wantPointer(desc.desc, path["Desc"],
                      "the description of " + getOperatorType(desc.type)))
    return std::move(error);
  llvm::Expected<llvm::json::Object> fields =
      StructureReader(*op, desc.desc, path["Desc"], /*isFused=*/true).run();
  if (!fields)
    return fields.takeError();
  return llvm::json::Object{{"Type", getOperatorType(desc.type)},
                            {"Desc", std::move(*fields)}};
}

llvm::Error StructureReader::readCount(const Member &member) {
  auto count = load<uint32_t>(structure, member.offset);
  bool isPerDimension =
      llvm::is_contained({"DimensionCount", "AxisCount", "RepeatsCount",
                          "ScaleCount", "QuantizationTensorCount"},
                         StringRef(member.name));
  uint32_t most = isPerDimension ? maxDimensions : maxElements;
  if (count > most)
    return path[member.name].fail(Twine(count), "0 to " + Twine(most));
  counts[member.name] = count;
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Value>
StructureReader::readTensors(const Member &member) {
  auto pointer = load<const void *>(structure, member.offset);
  Path place = path[member.name];
  if (member.tensor->count == TensorInfo::Count::Variadic)
    return readArray(pointer, counts.lookup(getCountField(*member.tensor)),
                     place, [&](uint32_t index) {
                       return readTensor(
                           loadElement<memory::Typed>(pointer, index),
                           place[index]);
                     });
  if (isFused && pointer)
    return place.fail(Twine("a pointer"),
                      "null, since a fused operator has no tensors");
  if (!pointer) {
    if (!isFused && member.tensor->count == TensorInfo::Count::One)
      return place.fail(Twine("null"), "a DML_TENSOR_DESC");
    return nullptr;
  }
  return readTensor(load<memory::Typed>(pointer, 0), place);
}

/// Whether the integers of a field are INT, and not UINT: its bounds tell.
bool StructureReader::isSigned(const FieldRow &row) const {
  return llvm::any_of(
      getOperatorSupport(op)->arrays, [&](const ArraySupport &array) {
        return array.attribute == row.attribute && array.min == INT32_MIN;
      });
}

llvm::Expected<llvm::json::Value>
StructureReader::readAttribute(const Member &member) {
  const FieldRow &row = *member.row;
  size_t offset = member.offset;
  Path place = path[member.name];
  auto getPointer = [&] { return load<const void *>(structure, offset); };
  auto readElements = [&](auto readElement) {
    return readArray(getPointer(), counts.lookup(row.count), place,
                     readElement);
  };
  switch (row.kind) {
  case FieldKind::Enum:
    return load<uint32_t>(structure, offset);
  case FieldKind::Bool:
    return load<uint32_t>(structure, offset) != 0;
  case FieldKind::Float:
    return toJson(double(load<float>(structure, offset)));
  case FieldKind::Integer:
    return toInteger(row, load<uint32_t>(structure, offset));
  case FieldKind::Integers:
    if (row.isSize2D()) {
      auto size = load<memory::Size2D>(structure, offset);
      return llvm::json::Object{{"Width", size.width}, {"Height", size.height}};
    }
    return readElements(
        [&](uint32_t index) -> llvm::Expected<llvm::json::Value> {
          return toInteger(row, loadElement<uint32_t>(getPointer(), index));
        });
  case FieldKind::Floats:
    return readElements(
        [&](uint32_t index) -> llvm::Expected<llvm::json::Value> {
          return toJson(double(loadElement<float>(getPointer(), index)));
        });
  case FieldKind::Scalar:
    return describeElement(*scalarType,
                           load<memory::Scalar>(structure, offset).bits);
  case FieldKind::ScaleBias: {
    if (!getPointer())
      return nullptr;
    auto value = load<memory::ScaleBias>(getPointer(), 0);
    return llvm::json::Object{{"Scale", toJson(double(value.scale))},
                              {"Bias", toJson(double(value.bias))}};
  }
  case FieldKind::Activation:
    if (!getPointer())
      return nullptr;
    return readFused(load<memory::Typed>(getPointer(), 0), place,
                     op.getContext());
  case FieldKind::Activations:
    return readElements([&](uint32_t index) {
      return readFused(loadElement<memory::Typed>(getPointer(), index),
                       place[index], op.getContext());
    });
  }
  llvm_unreachable("unknown kind of field");
}

llvm::Expected<llvm::json::Value> StructureReader::read(const Member &member) {
  switch (member.kind) {
  case Member::Kind::Tensor:
    return readTensors(member);
  case Member::Kind::Count:
    if (llvm::Error error = readCount(member))
      return std::move(error);
    return counts.lookup(member.name);
  case Member::Kind::DataType: {
    llvm::Expected<DataType> type = readDataType(
        load<uint32_t>(structure, member.offset), path[member.name]);
    if (!type)
      return type.takeError();
    scalarType = *type;
    return describeDataType(*type);
  }
  case Member::Kind::Attribute:
    return readAttribute(member);
  }
  llvm_unreachable("unknown kind of member");
}

llvm::Expected<llvm::json::Object> StructureReader::run() {
  llvm::json::Object fields;
  for (const Member &member : getStructure(op).members) {
    llvm::Expected<llvm::json::Value> value = read(member);
    if (!value)
      return value.takeError();
    fields[member.name] = std::move(*value);
  }
  return fields;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

struct dml::directml::MemoryOperator {
  /// The enumerator of DML_OPERATOR_TYPE.
  std::string type;
  /// The fields as in a JSON model, which belong to no context.
  llvm::json::Object fields;
};

static llvm::Expected<OperatorDesc>
readDesc(const MemoryOperator &op, const Path &path, MLIRContext *context) {
  llvm::Expected<OperationName> name = findOperator(op.type, path, context);
  if (!name)
    return name.takeError();
  return readOperatorDesc(*name, op.fields, path);
}

llvm::Expected<std::shared_ptr<const MemoryOperator>>
dml::directml::readOperator(const void *desc, MLIRContext *context) {
  context->loadDialect<DMLDialect>();
  Path path("DML_OPERATOR_DESC");
  if (llvm::Error error = wantPointer(desc, path, "a description"))
    return std::move(error);
  auto typed = load<memory::Typed>(desc, 0);
  llvm::Expected<OperationName> name =
      readOperatorType(typed.type, path["Type"], context);
  if (!name)
    return name.takeError();
  std::string type = getOperatorType(typed.type);
  if (llvm::Error error =
          wantPointer(typed.desc, path["Desc"], "the description of " + type))
    return std::move(error);
  llvm::Expected<llvm::json::Object> fields =
      StructureReader(*name, typed.desc, Path(type), /*isFused=*/false).run();
  if (!fields)
    return fields.takeError();
  auto op = std::make_shared<MemoryOperator>();
  op->type = type;
  op->fields = std::move(*fields);
  // What the operator itself does not accept is refused here, too.
  llvm::Expected<MemoryModule> module = importOperator(*op, "", context);
  if (!module)
    return module.takeError();
  return op;
}

namespace {
/// The tensors of a node by the indices that edges and bindings use: null
/// optional tensors count, and each tensor of an array.
struct Slot {
  /// The field, such as "InputTensors[1]".
  std::string field;
  const TensorDesc *tensor;
};
} // namespace

static SmallVector<Slot> getSlots(ArrayRef<TensorField> fields) {
  SmallVector<Slot> slots;
  for (const TensorField &field : fields) {
    bool isArray = field.info->count == TensorInfo::Count::Variadic;
    for (const auto &[index, tensor] : llvm::enumerate(field.tensors))
      slots.push_back(
          {isArray ? Path(field.name)[index].str() : field.name, &tensor});
    if (!isArray && field.tensors.empty())
      slots.push_back({field.name, nullptr});
  }
  return slots;
}

/// Builds the module of a graph.
static llvm::Expected<OwningOpRef<ModuleOp>>
buildModule(const Graph &graph, StringRef name, MLIRContext *context) {
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module = createModule(builder, name);
  llvm::Expected<func::FuncOp> function = buildFunction(builder, "main", graph);
  if (!function)
    return function.takeError();
  if (llvm::Error error = verifyModule(*module))
    return std::move(error);
  return module;
}

llvm::Expected<MemoryModule>
dml::directml::importOperator(const MemoryOperator &op, StringRef name,
                              MLIRContext *context) {
  context->loadDialect<DMLDialect>();
  llvm::Expected<OperatorDesc> desc = readDesc(op, Path(op.type), context);
  if (!desc)
    return desc.takeError();
  MemoryModule result;
  Graph graph;
  Graph::Node node{"", std::move(*desc), {}, {}};
  auto addPorts = [&](ArrayRef<TensorField> fields,
                      std::vector<Graph::Port> &ports,
                      SmallVector<std::string> &tensors,
                      std::vector<MemoryModule::BindPoint> &points) {
    for (const Slot &slot : getSlots(fields)) {
      MemoryModule::BindPoint &point = points.emplace_back();
      if (!slot.tensor)
        continue;
      point.isBound = true;
      point.isOwned = slot.tensor->isOwned;
      point.index = ports.size();
      ports.push_back({slot.field, slot.field, slot.tensor->path});
      tensors.push_back(slot.field);
    }
  };
  addPorts(node.desc.inputs, graph.inputs, node.inputs, result.inputs);
  addPorts(node.desc.outputs, graph.outputs, node.outputs, result.outputs);
  graph.nodes.push_back(std::move(node));
  auto module = buildModule(graph, name.empty() ? op.type : name, context);
  if (!module)
    return module.takeError();
  result.module = std::move(*module);
  return result;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {
/// A node of a graph in memory. A constant has no operator.
struct MemoryNode {
  Path path;
  std::string name;
  std::optional<OperatorDesc> desc;
  std::optional<Graph::Constant> constant;
  SmallVector<Slot> inputs, outputs;
  /// The tensor that an edge leads to each input, or "".
  SmallVector<std::string> sources;
  /// The nodes that read this one, and the number of nodes before it that have
  /// not been placed.
  SmallVector<uint32_t> readers;
  uint32_t missing = 0;

  std::string getTensor(uint32_t output) const {
    return path["outputs"][output].str();
  }
};

/// A graph input or output: its edges state its name.
struct MemoryPort {
  std::string name;
  /// The tensor that an edge leads to the graph output, or "".
  std::string source;
  bool isRead = false;
};

/// Reads a DML_GRAPH_DESC.
class MemoryGraphReader {
public:
  MemoryGraphReader(const void *desc, OperatorLookup getOperator,
                    MLIRContext *context)
      : desc(desc), getOperator(getOperator), context(context) {}

  llvm::Expected<Graph> run();
  MemoryModule result;

private:
  llvm::Error readNode(const memory::Typed &node, MemoryNode &result);
  llvm::Error readNodes(const memory::Graph &graph);
  llvm::Error readInputEdge(const void *desc, const Path &path);
  llvm::Error readOutputEdge(const void *desc, const Path &path);
  llvm::Error readIntermediateEdge(const void *desc, const Path &path);
  llvm::Error
  readEdges(StringRef field, const void *edges, uint32_t count, uint32_t type,
            llvm::Error (MemoryGraphReader::*read)(const void *, const Path &));
  llvm::Error connect(std::string source, uint32_t node, uint32_t input,
                      const Path &path);
  llvm::Expected<std::string> getSource(uint32_t node, uint32_t output,
                                        const Path &path);
  llvm::Expected<SmallVector<uint32_t>> sortNodes();
  void nameTensors();

  const void *desc;
  OperatorLookup getOperator;
  MLIRContext *context;
  std::vector<MemoryNode> nodes;
  std::vector<MemoryPort> inputs, outputs;
};
} // namespace

static std::string getInputTensor(uint32_t index) {
  return Path("inputs")[index].str();
}

static llvm::Error checkIndex(uint32_t index, size_t count, const Path &path,
                              const Twine &what) {
  if (index < count)
    return llvm::Error::success();
  return path.fail(Twine(index),
                   "less than " + Twine(count) + ", the number of " + what);
}

static llvm::Error checkParts(uint32_t count, uint32_t least,
                              const Path &path) {
  if (count >= least && count <= maxParts)
    return llvm::Error::success();
  return path.fail(Twine(count), Twine(least) + " to " + Twine(maxParts));
}

llvm::Error MemoryGraphReader::readNode(const memory::Typed &node,
                                        MemoryNode &result) {
  constexpr uint32_t operatorType = 1, constantType = 2;
  const Path &path = result.path;
  if (node.type != operatorType && node.type != constantType)
    return path["Type"].fail(Twine(node.type),
                             "DML_GRAPH_NODE_TYPE_OPERATOR (1) or "
                             "DML_GRAPH_NODE_TYPE_CONSTANT (2)");
  Path place = path["Desc"];
  if (llvm::Error error = wantPointer(node.desc, place, "a node's description"))
    return error;
  if (node.type == constantType) {
    auto constant = load<memory::ConstantNode>(node.desc, 0);
    if (llvm::Error error =
            wantPointer(constant.data, place["Data"], "the constant's bytes"))
      return error;
    result.name = readName(constant.name);
    result.constant = Graph::Constant{
        {static_cast<const char *>(constant.data), constant.dataSize},
        nullptr,
        isName(result.name) ? result.name : "constant",
        place};
    result.outputs.push_back({"the constant", nullptr});
    return llvm::Error::success();
  }
  auto operatorNode = load<memory::OperatorNode>(node.desc, 0);
  result.name = readName(operatorNode.name);
  Path operatorPath = place["Operator"];
  if (llvm::Error error =
          wantPointer(operatorNode.op, operatorPath, "an operator"))
    return error;
  const MemoryOperator *op = getOperator(operatorNode.op);
  if (!op)
    return operatorPath.fail(Twine("a pointer to something else"),
                             "an operator that was created here");
  llvm::Expected<OperatorDesc> read = readDesc(*op, operatorPath, context);
  if (!read)
    return read.takeError();
  result.desc = std::move(*read);
  result.inputs = getSlots(result.desc->inputs);
  result.outputs = getSlots(result.desc->outputs);
  result.sources.resize(result.inputs.size());
  return llvm::Error::success();
}

llvm::Error MemoryGraphReader::readNodes(const memory::Graph &graph) {
  Path path("Nodes");
  if (llvm::Error error = checkParts(graph.nodeCount, 1, Path("NodeCount")))
    return error;
  if (llvm::Error error =
          wantPointer(graph.nodes, path,
                      "a pointer to " + Twine(graph.nodeCount) + " nodes"))
    return error;
  nodes.resize(graph.nodeCount);
  for (auto [index, node] : llvm::enumerate(nodes)) {
    node.path = path[index];
    if (llvm::Error error =
            readNode(loadElement<memory::Typed>(graph.nodes, index), node))
      return error;
  }
  return llvm::Error::success();
}

/// Notes that an edge leads the tensor `source` to an input of a node.
llvm::Error MemoryGraphReader::connect(std::string source, uint32_t node,
                                       uint32_t input, const Path &path) {
  if (llvm::Error error =
          checkIndex(node, nodes.size(), path["ToNodeIndex"], "nodes"))
    return error;
  MemoryNode &to = nodes[node];
  Path place = path["ToNodeInputIndex"];
  if (llvm::Error error = checkIndex(input, to.inputs.size(), place,
                                     "inputs of " + to.path.str()))
    return error;
  const Slot &slot = to.inputs[input];
  if (!slot.tensor)
    return place.fail(Twine(input) + ", which is " + slot.field,
                      "an input that the description of " + to.path.str() +
                          " has; there it is null");
  if (!to.sources[input].empty())
    return place.fail("a second edge to input " + Twine(input) + ", " +
                          slot.field + ", of " + to.path.str(),
                      "one");
  to.sources[input] = std::move(source);
  return llvm::Error::success();
}

/// Returns the tensor that is the output `output` of the node `node`.
llvm::Expected<std::string>
MemoryGraphReader::getSource(uint32_t node, uint32_t output, const Path &path) {
  if (llvm::Error error =
          checkIndex(node, nodes.size(), path["FromNodeIndex"], "nodes"))
    return std::move(error);
  const MemoryNode &from = nodes[node];
  Path place = path["FromNodeOutputIndex"];
  if (llvm::Error error = checkIndex(output, from.outputs.size(), place,
                                     "outputs of " + from.path.str()))
    return std::move(error);
  const Slot &slot = from.outputs[output];
  if (!slot.tensor && !from.constant)
    return place.fail(Twine(output) + ", which is " + slot.field,
                      "an output that the description of " + from.path.str() +
                          " has; there it is null");
  return from.getTensor(output);
}

llvm::Error MemoryGraphReader::readInputEdge(const void *desc,
                                             const Path &path) {
  auto edge = load<memory::InputEdge>(desc, 0);
  if (llvm::Error error = checkIndex(edge.graphInputIndex, inputs.size(),
                                     path["GraphInputIndex"], "graph inputs"))
    return error;
  MemoryPort &input = inputs[edge.graphInputIndex];
  input.isRead = true;
  if (input.name.empty())
    input.name = readName(edge.name);
  return connect(getInputTensor(edge.graphInputIndex), edge.toNodeIndex,
                 edge.toNodeInputIndex, path);
}

llvm::Error MemoryGraphReader::readOutputEdge(const void *desc,
                                              const Path &path) {
  auto edge = load<memory::OutputEdge>(desc, 0);
  llvm::Expected<std::string> source =
      getSource(edge.fromNodeIndex, edge.fromNodeOutputIndex, path);
  if (!source)
    return source.takeError();
  if (nodes[edge.fromNodeIndex].constant)
    return path["FromNodeIndex"].fail(Twine(edge.fromNodeIndex) +
                                          ", which is a constant",
                                      "an operator, whose outputs have types");
  Path place = path["GraphOutputIndex"];
  if (llvm::Error error = checkIndex(edge.graphOutputIndex, outputs.size(),
                                     place, "graph outputs"))
    return error;
  MemoryPort &output = outputs[edge.graphOutputIndex];
  if (!output.source.empty())
    return place.fail(
        "a second edge to graph output " + Twine(edge.graphOutputIndex), "one");
  output.source = std::move(*source);
  output.name = readName(edge.name);
  return llvm::Error::success();
}

llvm::Error MemoryGraphReader::readIntermediateEdge(const void *desc,
                                                    const Path &path) {
  auto edge = load<memory::IntermediateEdge>(desc, 0);
  llvm::Expected<std::string> source =
      getSource(edge.fromNodeIndex, edge.fromNodeOutputIndex, path);
  if (!source)
    return source.takeError();
  if (llvm::Error error = connect(std::move(*source), edge.toNodeIndex,
                                  edge.toNodeInputIndex, path))
    return error;
  nodes[edge.fromNodeIndex].readers.push_back(edge.toNodeIndex);
  ++nodes[edge.toNodeIndex].missing;
  return llvm::Error::success();
}

llvm::Error MemoryGraphReader::readEdges(
    StringRef field, const void *edges, uint32_t count, uint32_t type,
    llvm::Error (MemoryGraphReader::*read)(const void *, const Path &)) {
  Path path(field);
  if (llvm::Error error =
          checkParts(count, 0, Path(field.drop_back() + "Count")))
    return error;
  if (llvm::Error error =
          wantPointer(count ? edges : this, path,
                      "a pointer to " + Twine(count) + " edges"))
    return error;
  for (uint32_t index = 0; index < count; ++index) {
    auto edge = loadElement<memory::Typed>(edges, index);
    Path place = path[index];
    if (edge.type != type)
      return place["Type"].fail(
          Twine(edge.type),
          "DML_GRAPH_EDGE_TYPE_" +
              field.drop_back(StringRef("Edges").size()).upper() + " (" +
              Twine(type) + ")");
    if (llvm::Error error =
            wantPointer(edge.desc, place["Desc"], "an edge's description"))
      return error;
    if (llvm::Error error = (this->*read)(edge.desc, place["Desc"]))
      return error;
  }
  return llvm::Error::success();
}

/// Returns the nodes so that each one reads what stands before it, otherwise in
/// the program's order.
llvm::Expected<SmallVector<uint32_t>> MemoryGraphReader::sortNodes() {
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t index = 0; index < nodes.size(); ++index)
    if (nodes[index].missing == 0)
      ready.push(index);
  SmallVector<uint32_t> order;
  while (!ready.empty()) {
    uint32_t index = ready.top();
    ready.pop();
    order.push_back(index);
    for (uint32_t reader : nodes[index].readers)
      if (--nodes[reader].missing == 0)
        ready.push(reader);
  }
  for (const MemoryNode &node : nodes)
    if (node.missing != 0)
      return node.path.fail(Twine("a node on or behind a cycle of edges"),
                            "a graph without cycles");
  return order;
}

/// Gives each input and output a name of its own: the name of its edge where
/// that can be printed and no other one has it, else its number.
void MemoryGraphReader::nameTensors() {
  llvm::StringSet<> names;
  auto addNumbers = [&](StringRef kind, size_t count) {
    for (size_t index = 0; index < count; ++index)
      names.insert((kind + Twine(index)).str());
  };
  addNumbers("input", inputs.size());
  addNumbers("output", outputs.size());
  auto name = [&](StringRef kind, std::vector<MemoryPort> &ports) {
    for (auto [index, port] : llvm::enumerate(ports))
      if (!isName(port.name) || !names.insert(port.name).second)
        port.name = (kind + Twine(index)).str();
  };
  name("input", inputs);
  name("output", outputs);
}

llvm::Expected<Graph> MemoryGraphReader::run() {
  if (llvm::Error error =
          wantPointer(desc, Path("DML_GRAPH_DESC"), "a description"))
    return std::move(error);
  auto graphDesc = load<memory::Graph>(desc, 0);
  if (llvm::Error error =
          checkParts(graphDesc.inputCount, 0, Path("InputCount")))
    return std::move(error);
  if (llvm::Error error =
          checkParts(graphDesc.outputCount, 1, Path("OutputCount")))
    return std::move(error);
  inputs.resize(graphDesc.inputCount);
  outputs.resize(graphDesc.outputCount);
  if (llvm::Error error = readNodes(graphDesc))
    return std::move(error);
  constexpr uint32_t inputType = 1, outputType = 2, intermediateType = 3;
  if (llvm::Error error = readEdges("InputEdges", graphDesc.inputEdges,
                                    graphDesc.inputEdgeCount, inputType,
                                    &MemoryGraphReader::readInputEdge))
    return std::move(error);
  if (llvm::Error error = readEdges("OutputEdges", graphDesc.outputEdges,
                                    graphDesc.outputEdgeCount, outputType,
                                    &MemoryGraphReader::readOutputEdge))
    return std::move(error);
  if (llvm::Error error =
          readEdges("IntermediateEdges", graphDesc.intermediateEdges,
                    graphDesc.intermediateEdgeCount, intermediateType,
                    &MemoryGraphReader::readIntermediateEdge))
    return std::move(error);
  for (const MemoryNode &node : nodes)
    for (auto [index, source] : llvm::enumerate(node.sources))
      if (node.inputs[index].tensor && source.empty())
        return node.path.fail("no edge to input " + Twine(index) + ", " +
                                  node.inputs[index].field,
                              "one, since its description is not null");
  llvm::Expected<SmallVector<uint32_t>> order = sortNodes();
  if (!order)
    return order.takeError();
  nameTensors();

  Graph graph;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    MemoryModule::BindPoint &point = result.inputs.emplace_back();
    if (!input.isRead)
      continue;
    point.isBound = true;
    point.index = graph.inputs.size();
    graph.inputs.push_back(
        {getInputTensor(index), input.name, Path("inputs")[index]});
  }
  for (auto [index, output] : llvm::enumerate(outputs)) {
    if (output.source.empty())
      return Path("OutputEdges")
          .fail("no edge to graph output " + Twine(index), "one");
    result.outputs.push_back({true, false, index});
    graph.outputs.push_back(
        {output.source, output.name, Path("outputs")[index]});
  }
  for (uint32_t index : *order) {
    MemoryNode &node = nodes[index];
    if (node.constant) {
      graph.constants.try_emplace(node.getTensor(0), std::move(*node.constant));
      continue;
    }
    SmallVector<std::string> reads, writes;
    for (auto [slot, source] : llvm::zip_equal(node.inputs, node.sources))
      if (slot.tensor)
        reads.push_back(source);
    for (auto [output, slot] : llvm::enumerate(node.outputs))
      if (slot.tensor)
        writes.push_back(node.getTensor(output));
    graph.nodes.push_back({isName(node.name) ? node.name : "",
                           std::move(*node.desc), std::move(reads),
                           std::move(writes)});
  }
  return graph;
}

llvm::Expected<MemoryModule>
dml::directml::importGraph(const void *desc, OperatorLookup getOperator,
                           StringRef name, MLIRContext *context) {
  context->loadDialect<DMLDialect>();
  MemoryGraphReader reader(desc, getOperator, context);
  llvm::Expected<Graph> graph = reader.run();
  if (!graph)
    return graph.takeError();
  auto module = buildModule(*graph, name, context);
  if (!module)
    return module.takeError();
  MemoryModule result = std::move(reader.result);
  result.module = std::move(*module);
  auto function = *result.module->getOps<func::FuncOp>().begin();
  for (MemoryModule::BindPoint &point : result.inputs)
    point.isOwned = point.isBound &&
                    function.getArgAttr(point.index, ownedAttrName) != nullptr;
  return result;
}
