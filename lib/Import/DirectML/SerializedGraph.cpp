//===- SerializedGraph.cpp - Graphs that DirectML programs serialize ------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// FlatBuffers' verifier checks all offsets of the file before anything is read.
// A file may refer to one table many times: the verifier limits the number of
// visited tables, and the total size of copied arrays is limited by the size of
// the file.
//
//===----------------------------------------------------------------------===//

#include "SerializedGraph.h"

#include "GraphFormat.h"
#include "Support/ExternalFiles.h"
#include "dml/Import/DirectML.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace dml;
using namespace dml::directml;
using namespace dml::graph_format;

bool dml::directml::isSerializedGraph(StringRef content) {
  if (content.size() < 8)
    return false;
  uint32_t root = llvm::support::endian::read32le(content.data());
  constexpr uint32_t mostBefore = 1 << 10;
  return root >= 4 && root % 4 == 0 && root < mostBefore;
}

//===----------------------------------------------------------------------===//
// Fields of operators
//===----------------------------------------------------------------------===//

namespace {
using StringTable =
    flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;
using AttributeTable = flatbuffers::Vector<flatbuffers::Offset<AttributeDesc>>;

/// Returns the text, or an empty text if the file omits the field.
StringRef toRef(const flatbuffers::String *text) {
  return text ? StringRef(text->c_str(), text->size()) : StringRef();
}
template <typename T> size_t getSize(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

/// Converts operators to the JSON of a DxDispatch model, so that the meaning of
/// the fields is implemented only once.
class FieldReader {
public:
  explicit FieldReader(size_t budget) : budget(budget) {}

  llvm::Expected<Graph::Node> read(const DmlGraphNode &node, const Path &path,
                                   MLIRContext *context);

private:
  llvm::Error addAttributes(const AttributeTable *attributes, const Path &path,
                            llvm::json::Object &fields);
  llvm::Expected<llvm::json::Value> readValue(const AttributeDesc &attribute,
                                              const AttributeTable &all,
                                              const Path &path);
  llvm::Expected<llvm::json::Value> readActivation(const Activation *activation,
                                                   const Path &path);
  llvm::Expected<llvm::json::Value>
  readTensor(const DmlBufferTensorDesc *tensor, const Path &path);

  template <typename Vector>
  llvm::Expected<llvm::json::Value> readArray(const Vector *vector,
                                              const Path &path) {
    size_t size = getSize(vector);
    if (size * sizeof(uint32_t) > budget)
      return path.fail("the file refers to more elements than it has bytes");
    budget -= size * sizeof(uint32_t);
    llvm::json::Array array;
    for (size_t index = 0; index < size; ++index)
      array.push_back(toJson(vector->Get(index)));
    return array;
  }

  size_t budget;
};
} // namespace

llvm::Expected<llvm::json::Value>
FieldReader::readTensor(const DmlBufferTensorDesc *tensor, const Path &path) {
  llvm::Expected<llvm::json::Value> sizes = readArray(tensor->sizes(), path);
  if (!sizes)
    return sizes.takeError();
  llvm::json::Object fields{
      {"DataType", llvm::json::fixUTF8(toRef(tensor->dataType()))},
      {"Sizes", std::move(*sizes)},
      {"TotalTensorSizeInBytes", tensor->totalTensorSizeInBytes()}};
  if (tensor->strides()) {
    llvm::Expected<llvm::json::Value> strides =
        readArray(tensor->strides(), path);
    if (!strides)
      return strides.takeError();
    fields["Strides"] = std::move(*strides);
  }
  return fields;
}

llvm::Expected<llvm::json::Value>
FieldReader::readActivation(const Activation *activation, const Path &path) {
  if (!activation)
    return nullptr;
  llvm::json::Object fields;
  if (llvm::Error error = addAttributes(activation->attributes(), path, fields))
    return error;
  return llvm::json::Object{
      {"Type", llvm::json::fixUTF8(toRef(activation->type()))},
      {"Desc", std::move(fields)}};
}

/// Returns the number with the bytes of a DML_SCALAR_UNION, whose type is
/// stated by another attribute.
static llvm::Expected<llvm::json::Value>
readScalarUnion(const ScalarUnionData &data, const AttributeTable &all,
                const Path &path) {
  const ByteArray *bytes = data.data_as_ByteArray();
  if (!bytes)
    return path.fail("found no bytes, wanted the 8 of a DML_SCALAR_UNION");
  uint64_t bits = 0;
  for (unsigned index = 0; index < 8; ++index)
    bits |= static_cast<uint64_t>(bytes->data()->Get(index)) << (8 * index);
  std::optional<DataType> type;
  for (const AttributeDesc *attribute : all)
    if (attribute && toRef(attribute->name()).ends_with("DataType"))
      if (const UInt32 *number = attribute->val_as_UInt32())
        type = symbolizeDataType(number->data());
  if (!type)
    return path.fail("found no type of it, wanted an attribute that ends with "
                     "DataType");
  return describeElement(*type, bits);
}

llvm::Expected<llvm::json::Value>
FieldReader::readValue(const AttributeDesc &attribute,
                       const AttributeTable &all, const Path &path) {
  switch (attribute.val_type()) {
  case AttributeFieldVariant::NONE:
    return nullptr;
  case AttributeFieldVariant::Activation:
    return readActivation(attribute.val_as_Activation(), path);
  case AttributeFieldVariant::ActivationArray: {
    const ActivationArray *table = attribute.val_as_ActivationArray();
    if (!table || !table->data())
      return nullptr;
    llvm::json::Array array;
    for (const Activation *activation : *table->data()) {
      llvm::Expected<llvm::json::Value> value =
          readActivation(activation, path[array.size()]);
      if (!value)
        return value.takeError();
      array.push_back(std::move(*value));
    }
    return array;
  }
  case AttributeFieldVariant::UInt32:
    return attribute.val_as_UInt32()->data();
  case AttributeFieldVariant::UInt64:
    return attribute.val_as_UInt64()->data();
  case AttributeFieldVariant::Int32:
    return attribute.val_as_Int32()->data();
  case AttributeFieldVariant::Float32:
    return toJson(attribute.val_as_Float32()->data());
  case AttributeFieldVariant::UIntArray:
    if (const UIntArray *array = attribute.val_as_UIntArray())
      return readArray(array->data(), path);
    return nullptr;
  case AttributeFieldVariant::IntArray:
    if (const IntArray *array = attribute.val_as_IntArray())
      return readArray(array->data(), path);
    return nullptr;
  case AttributeFieldVariant::FloatArray:
    if (const FloatArray *array = attribute.val_as_FloatArray())
      return readArray(array->data(), path);
    return nullptr;
  case AttributeFieldVariant::ScaleBias:
    if (const graph_format::ScaleBias *value = attribute.val_as_ScaleBias())
      return llvm::json::Object{{"Scale", toJson(value->scale())},
                                {"Bias", toJson(value->bias())}};
    return nullptr;
  case AttributeFieldVariant::Size2D:
    return llvm::json::Object{{"Width", attribute.val_as_Size2D()->width()},
                              {"Height", attribute.val_as_Size2D()->height()}};
  case AttributeFieldVariant::ScalarUnionData:
    if (const ScalarUnionData *data = attribute.val_as_ScalarUnionData())
      return readScalarUnion(*data, all, path);
    return nullptr;
  case AttributeFieldVariant::Bool:
    return attribute.val_as_Bool()->data();
  }
  return path.fail("found a value of the unknown kind " +
                   Twine(static_cast<unsigned>(attribute.val_type())) +
                   ", wanted one of 0 to 13");
}

llvm::Error FieldReader::addAttributes(const AttributeTable *attributes,
                                       const Path &path,
                                       llvm::json::Object &fields) {
  if (!attributes)
    return llvm::Error::success();
  for (auto [index, attribute] : llvm::enumerate(*attributes)) {
    std::string name = llvm::json::fixUTF8(toRef(attribute->name()));
    Path place = name.empty() ? path["attributes"][index] : path[name];
    llvm::Expected<llvm::json::Value> value =
        readValue(*attribute, *attributes, place);
    if (!value)
      return value.takeError();
    // A null pointer has no name.
    if (value->kind() == llvm::json::Value::Null)
      continue;
    if (name.empty())
      return place.fail("found a value without a name, wanted one with it");
    if (!fields.try_emplace(name, std::move(*value)).second)
      return place.fail("the attribute is there twice, wanted is one");
  }
  return llvm::Error::success();
}

/// Replaces numbers in fields for the type of a scalar by the names of data
/// types, as in JSON.
static void nameDataTypes(llvm::json::Object &fields) {
  for (auto &field : fields)
    if (StringRef(field.first).ends_with("DataType"))
      if (std::optional<uint64_t> number = field.second.getAsUINT64())
        if (*number <= UINT32_MAX)
          if (std::optional<DataType> type = symbolizeDataType(*number))
            field.second = describeDataType(*type);
}

llvm::Expected<Graph::Node> FieldReader::read(const DmlGraphNode &node,
                                              const Path &path,
                                              MLIRContext *context) {
  const OperatorNodeDesc &desc = *node.desc_as_OperatorNodeDesc();
  llvm::Expected<OperationName> op = findOperator(
      llvm::json::fixUTF8(toRef(desc.type())), path["type"], context);
  if (!op)
    return op.takeError();
  llvm::json::Object fields;
  if (llvm::Error error = addAttributes(desc.attributes(), path, fields))
    return error;
  nameDataTypes(fields);

  // The tensors and their names, in the order of the operator's fields.
  SmallVector<std::string> inputs, outputs;
  auto addTensors = [&](bool isResult, const auto *tensors,
                        const StringTable *names,
                        SmallVector<std::string> &used) -> llvm::Error {
    StringRef what = isResult ? "outputs" : "inputs";
    size_t nextName = 0, nextTensor = 0;
    auto take = [&](const Path &place) -> llvm::Expected<llvm::json::Value> {
      StringRef name =
          nextName < getSize(names) ? toRef(names->Get(nextName)) : "";
      ++nextName;
      if (name.empty())
        return nullptr;
      if (nextTensor == getSize(tensors))
        return place.fail("found no tensor for the name '" + name +
                          "', wanted one");
      used.push_back(name.str());
      return readTensor(tensors->Get(nextTensor++), place);
    };
    for (const TensorInfo &info : getOperatorSupport(*op)->tensors) {
      if (info.isResult != isResult)
        continue;
      std::string field = getTensorFieldName(info);
      if (info.count != TensorInfo::Count::Variadic) {
        llvm::Expected<llvm::json::Value> tensor = take(path[field]);
        if (!tensor)
          return tensor.takeError();
        fields[field] = std::move(*tensor);
        continue;
      }
      llvm::json::Array array;
      while (nextTensor < getSize(tensors)) {
        llvm::Expected<llvm::json::Value> tensor =
            take(path[field][array.size()]);
        if (!tensor)
          return tensor.takeError();
        array.push_back(std::move(*tensor));
        if (nextName > getSize(names))
          break;
      }
      fields[field] = std::move(array);
    }
    if (nextTensor != getSize(tensors))
      return path.fail("found " + Twine(getSize(tensors)) + " " + what +
                       ", wanted " + Twine(nextTensor) +
                       ", as many as the operator and its names have");
    for (; nextName < getSize(names); ++nextName)
      if (!toRef(names->Get(nextName)).empty())
        return path.fail("found more names of " + what +
                         " than the operator has, wanted as many");
    return llvm::Error::success();
  };
  if (llvm::Error error =
          addTensors(false, desc.inputs(), node.inputNames(), inputs))
    return error;
  if (llvm::Error error =
          addTensors(true, desc.outputs(), node.outputNames(), outputs))
    return error;

  llvm::Expected<OperatorDesc> read = readOperatorDesc(*op, fields, path);
  if (!read)
    return read.takeError();
  return Graph::Node{"", std::move(*read), std::move(inputs),
                     std::move(outputs)};
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

namespace {
class GraphReader {
public:
  GraphReader(std::shared_ptr<llvm::MemoryBuffer> file, MLIRContext *context,
              reader::OpenedFiles *opened)
      : file(std::move(file)), context(context),
        externalFiles(this->file->getBufferIdentifier(), opened) {}

  llvm::Expected<Graph> run();

private:
  llvm::Expected<Graph::Constant> readConstant(const DmlGraphNode &node,
                                               const Path &path);

  std::shared_ptr<llvm::MemoryBuffer> file;
  MLIRContext *context;
  reader::ExternalFiles externalFiles;
  const DmlGraphDesc *format = nullptr;
  Graph graph;
};
} // namespace

llvm::Expected<Graph::Constant>
GraphReader::readConstant(const DmlGraphNode &node, const Path &path) {
  const ConstantNodeDesc &desc = *node.desc_as_ConstantNodeDesc();
  Graph::Constant constant;
  constant.path = path;
  constant.name = toRef(node.name()).str();
  if (const ConstantName *name = desc.data_as_ConstantName()) {
    auto opened = externalFiles.open((toRef(name->name()) + ".bin").str());
    if (!opened)
      return path.fail(llvm::toString(opened.takeError()));
    StringRef bytes = (*opened)->getBuffer();
    constant.data = ArrayRef<char>(bytes.data(), bytes.size());
    constant.owner = *opened;
    return constant;
  }
  if (const ConstantRawData *raw = desc.data_as_ConstantRawData()) {
    if (raw->data())
      constant.data =
          ArrayRef<char>(reinterpret_cast<const char *>(raw->data()->data()),
                         raw->data()->size());
    constant.owner = file;
    return constant;
  }
  return path.fail("found a constant without a value, wanted its bytes or the "
                   "name of its file");
}

llvm::Expected<Graph> GraphReader::run() {
  StringRef bytes = file->getBuffer();
  // A table occupies at least 4 bytes, and a reference to it 4 more. Visiting
  // more tables than fit into the file would mean visiting some of them
  // repeatedly.
  constexpr flatbuffers::uoffset_t maxNesting = 16;
  auto isGraph = [&] {
    flatbuffers::Verifier verifier(
        reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
        maxNesting, static_cast<flatbuffers::uoffset_t>(bytes.size() / 8 + 1));
    return VerifyDmlGraphDescBuffer(verifier);
  };
  // The verifier requires a size that FlatBuffers supports.
  if (bytes.size() < sizeof(flatbuffers::uoffset_t) ||
      bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE || !isGraph())
    return llvm::createStringError(
        "found no serialized graph of DirectML, wanted one: FlatBuffers' "
        "verifier refuses the file");
  format = GetDmlGraphDesc(bytes.data());
  FieldReader fieldReader(bytes.size());
  llvm::StringSet<> produced;
  auto produce = [&](StringRef name, const Path &path) -> llvm::Error {
    if (!produced.insert(name).second)
      return path.fail("found a second tensor '" + name + "', wanted one");
    return llvm::Error::success();
  };
  for (size_t index = 0; index < getSize(format->graphInputNames()); ++index) {
    StringRef name = toRef(format->graphInputNames()->Get(index));
    if (name.empty())
      continue;
    graph.inputs.push_back({name.str(), name.str(), Path("graphInputNames")});
    if (llvm::Error error = produce(name, Path("graphInputNames")[index]))
      return error;
  }
  for (size_t index = 0; index < getSize(format->nodes()); ++index) {
    const DmlGraphNode *node = format->nodes()->Get(index);
    Path path = Path("nodes")[index];
    if (node->desc_as_OperatorNodeDesc()) {
      llvm::Expected<Graph::Node> read = fieldReader.read(*node, path, context);
      if (!read)
        return read.takeError();
      for (StringRef name : read->outputs)
        if (llvm::Error error = produce(name, path["outputNames"]))
          return error;
      read->name = toRef(node->name()).str();
      graph.nodes.push_back(std::move(*read));
    } else if (node->desc_as_ConstantNodeDesc()) {
      llvm::Expected<Graph::Constant> constant = readConstant(*node, path);
      if (!constant)
        return constant.takeError();
      if (getSize(node->outputNames()) != 1)
        return path["outputNames"].fail("found " +
                                        Twine(getSize(node->outputNames())) +
                                        " names of a constant, wanted one");
      StringRef name = toRef(node->outputNames()->Get(0));
      if (llvm::Error error = produce(name, path["outputNames"]))
        return error;
      graph.constants.try_emplace(name, std::move(*constant));
    } else {
      return path.fail("found a node of an unknown kind, wanted an operator or "
                       "a constant");
    }
  }
  for (size_t index = 0; index < getSize(format->graphOutputNames()); ++index) {
    StringRef name = toRef(format->graphOutputNames()->Get(index));
    if (!name.empty())
      graph.outputs.push_back(
          {name.str(), name.str(), Path("graphOutputNames")[index]});
  }
  if (graph.outputs.empty())
    return Path("graphOutputNames").fail("found no outputs, wanted one");
  return std::move(graph);
}

llvm::Expected<func::FuncOp>
dml::directml::buildGraph(OpBuilder &builder, StringRef name,
                          std::shared_ptr<llvm::MemoryBuffer> file,
                          reader::OpenedFiles *opened) {
  llvm::Expected<Graph> graph =
      GraphReader(std::move(file), builder.getContext(), opened).run();
  if (!graph)
    return graph.takeError();
  return buildFunction(builder, name, *graph);
}

llvm::Expected<OwningOpRef<ModuleOp>> dml::directml::importSerializedGraph(
    std::unique_ptr<llvm::MemoryBuffer> file, MLIRContext *context,
    std::vector<std::shared_ptr<llvm::MemoryBuffer>> *files) {
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module =
      createModule(builder, file->getBufferIdentifier());
  llvm::Expected<func::FuncOp> function =
      buildGraph(builder, "main", std::move(file), files);
  if (!function)
    return function.takeError();
  if (llvm::Error error = verifyModule(*module))
    return error;
  return module;
}
