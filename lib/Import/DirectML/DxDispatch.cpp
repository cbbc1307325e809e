//===- DxDispatch.cpp - DxDispatch's JSON models --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SerializedGraph.h"
#include "Support/ExternalFiles.h"
#include "dml/Import/DirectML.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dml;
using namespace dml::directml;

bool dml::directml::isDispatchModel(StringRef content) {
  content.consume_front("\xEF\xBB\xBF");
  content = content.ltrim();
  return content.starts_with("{") && !content.starts_with("{-#");
}

namespace {
/// A tensor of a function, or several tensors with a common name.
struct BindPoint {
  std::string name;
  size_t count = 1;
  bool isOutput = false;
  /// Whether the contents of the tensor are specified when the operator is
  /// initialized.
  bool isOwned = false;
};

using Bindings = llvm::StringMap<std::vector<Commands::Binding>>;

/// A function of the module. The bind points have the order of its tensors.
struct Dispatchable {
  std::vector<BindPoint> points;
  /// The resources that are bound at initialization.
  Bindings bindings;
};

class ModelReader {
public:
  ModelReader(const llvm::MemoryBuffer &file, OpBuilder &builder,
              Commands &commands, reader::OpenedFiles *opened)
      : file(file), externalFiles(file.getBufferIdentifier()), builder(builder),
        commands(commands), opened(opened) {}

  llvm::Error run();

private:
  llvm::Error addResource(StringRef name, const Json &json);
  llvm::Error readValues(const Json &json, const Json &type,
                         Commands::Resource &resource);
  llvm::Error addDispatchable(StringRef name, const Json &json);
  llvm::Error addOperator(StringRef name, StringRef type,
                          const llvm::json::Object &fields, const Path &path,
                          Dispatchable &dispatchable);
  llvm::Error addGraph(StringRef name, const llvm::json::Object &fields,
                       const Path &path, Dispatchable &dispatchable);
  llvm::Error readBindings(const Json &json, const Dispatchable &dispatchable,
                           bool isInitial, Bindings &bindings);
  llvm::Expected<Commands::Binding> readBinding(const Json &json);
  llvm::Expected<uint32_t> findResource(const Json &json);
  llvm::Error addCommand(const Json &json);
  llvm::Error addDispatch(const llvm::json::Object &fields, const Path &path,
                          Commands::Command &command);
  llvm::Expected<std::string> readFileName(const Json &json);

  const llvm::MemoryBuffer &file;
  reader::ExternalFiles externalFiles;
  OpBuilder &builder;
  Commands &commands;
  reader::OpenedFiles *opened;

  /// Resources by their names.
  llvm::StringMap<uint32_t> resources;
  llvm::StringMap<Dispatchable> dispatchables;
  /// The total size of all resources whose sizes are numbers in the file. It is
  /// limited, since otherwise a short file could request a large amount of
  /// memory.
  uint64_t resourceBytes = 0;
  uint64_t listedBytes = 0;
};

/// The limit on the size of all resources, which is also the size of the
/// largest Vulkan buffers. Without it, a few bytes of JSON could request any
/// amount of memory.
constexpr uint64_t maxResourceBytes = uint64_t(1) << 32;
/// The limit on the bytes of elements that the file lists for all resources.
/// They are passed to another program in a single FlatBuffer, which is limited
/// to 2^31 bytes.
constexpr uint64_t maxListedBytes = uint64_t(1) << 30;
} // namespace

/// Returns the fields of an object in a deterministic order.
static std::vector<std::pair<StringRef, const llvm::json::Value *>>
sortFields(const llvm::json::Object &object) {
  std::vector<std::pair<StringRef, const llvm::json::Value *>> fields;
  for (const auto &field : object)
    fields.push_back({field.first, &field.second});
  llvm::sort(fields);
  return fields;
}

/// Execution flags only affect the speed or the permitted precision of
/// DirectML. They are checked and then ignored.
static llvm::Error checkExecutionFlags(const Json &json) {
  auto check = [](const Json &flag) -> llvm::Error {
    llvm::Expected<StringRef> text = flag.getString();
    if (!text)
      return text.takeError();
    StringRef name = *text;
    name.consume_front("DML_EXECUTION_FLAG_");
    if (name == "NONE" || name == "ALLOW_HALF_PRECISION_COMPUTATION" ||
        name == "DISABLE_META_COMMANDS" || name == "DESCRIPTORS_VOLATILE")
      return llvm::Error::success();
    return flag.fail("one of NONE, ALLOW_HALF_PRECISION_COMPUTATION, "
                     "DISABLE_META_COMMANDS, DESCRIPTORS_VOLATILE");
  };
  if (!json)
    return llvm::Error::success();
  if (json.isString())
    return check(json);
  llvm::Expected<const llvm::json::Array *> flags = json.getArray();
  if (!flags)
    return flags.takeError();
  for (auto [index, flag] : llvm::enumerate(**flags))
    if (llvm::Error error = check(Json(&flag, json.getPath()[index])))
      return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

/// Appends a number of the type `type`.
static llvm::Error appendElement(const Json &json, DataType type,
                                 std::vector<char> &bytes) {
  llvm::Expected<llvm::APInt> bits = readElement(json, type);
  if (!bits)
    return bits.takeError();
  uint64_t value = bits->getZExtValue();
  for (unsigned byte = 0; byte < bits->getBitWidth() / 8; ++byte)
    bytes.push_back(static_cast<char>(value >> (8 * byte)));
  return llvm::Error::success();
}

/// Returns the type of a resource's elements, or nothing if it is UNKNOWN or
/// not specified.
static llvm::Expected<std::optional<DataType>>
readResourceType(const Json &json) {
  if (!json)
    return std::nullopt;
  if (json.isString()) {
    StringRef text = llvm::cantFail(json.getString());
    text.consume_front("DML_TENSOR_DATA_TYPE_");
    if (text == "UNKNOWN")
      return std::nullopt;
  }
  llvm::Expected<DataType> type = readDataType(json);
  if (!type)
    return type.takeError();
  if (countBytes(*type, 2) == countBytes(*type, 1))
    return json.fail("a type of whole bytes, or UNKNOWN");
  return *type;
}

llvm::Expected<std::string> ModelReader::readFileName(const Json &json) {
  llvm::Expected<StringRef> text = json.getString();
  if (!text)
    return text.takeError();
  llvm::Expected<std::string> path = externalFiles.getPath(*text);
  if (path)
    return path;
  llvm::consumeError(path.takeError());
  return json.fail("the name of a file in the model's folder");
}

llvm::Error ModelReader::readValues(const Json &json, const Json &type,
                                    Commands::Resource &resource) {
  if (!json)
    return json.fail("the elements");
  if (json.isString())
    return json.fail("an array or an object; buffers that a run sizes are not "
                     "supported");
  auto wantType = [&]() -> llvm::Error {
    if (resource.type)
      return llvm::Error::success();
    return type.fail("the type of the elements");
  };

  if (const llvm::json::Array *list = (*json).getAsArray()) {
    if (list->empty())
      return json.fail("at least one element");
    for (auto [index, element] : llvm::enumerate(*list)) {
      Json value(&element, json.getPath()[index]);
      std::optional<DataType> elementType = resource.type;
      if (!elementType) {
        // Elements of arbitrary types.
        llvm::Expected<const llvm::json::Object *> object = value.getObject();
        if (!object)
          return object.takeError();
        const Path &path = json.getPath()[index];
        if (llvm::Error error =
                wantKnown(**object, path, {"name", "type", "value"}))
          return error;
        auto read = readResourceType(getField(**object, path, "type"));
        if (!read)
          return read.takeError();
        if (!*read)
          return path["type"].fail("found no type, wanted one");
        elementType = *read;
        value = getField(**object, path, "value");
      }
      if (llvm::Error error =
              appendElement(value, *elementType, resource.values))
        return error;
    }
    return llvm::Error::success();
  }

  if (!(*json).getAsObject())
    return json.fail("an array or an object");
  llvm::Expected<const llvm::json::Object *> object = json.getObject();
  if (!object)
    return object.takeError();
  const Path &path = json.getPath();
  auto field = [&](StringRef name) { return getField(**object, path, name); };
  if (Json source = field("sourcePath")) {
    if (llvm::Error error = wantKnown(**object, path, {"sourcePath"}))
      return error;
    llvm::Expected<std::string> name = readFileName(source);
    if (!name)
      return name.takeError();
    StringRef text = *name;
    if (text.ends_with_insensitive(".png") ||
        text.ends_with_insensitive(".jpg"))
      return source.fail("a .npy file or one of raw elements; images are not "
                         "supported");
    resource.kind = Commands::Resource::Kind::File;
    resource.file = *name;
    return text.ends_with_insensitive(".npy") ? llvm::Error::success()
                                              : wantType();
  }
  bool isSequence = bool(field("valueStart"));
  if (llvm::Error error =
          isSequence ? wantKnown(**object, path,
                                 {"valueCount", "valueStart", "valueDelta"})
                     : wantKnown(**object, path, {"valueCount", "value"}))
    return error;
  if (llvm::Error error = wantType())
    return error;
  resource.kind = isSequence ? Commands::Resource::Kind::Sequence
                             : Commands::Resource::Kind::Constant;
  llvm::Expected<uint64_t> count = field("valueCount").getUnsigned(UINT32_MAX);
  if (!count)
    return count.takeError();
  if (*count == 0)
    return field("valueCount").fail("at least one element");
  resource.count = *count;
  SmallVector<StringRef, 2> names = {"value"};
  if (isSequence)
    names = {"valueStart", "valueDelta"};
  for (StringRef name : names)
    if (llvm::Error error =
            appendElement(field(name), *resource.type, resource.values))
      return error;
  return llvm::Error::success();
}

llvm::Error ModelReader::addResource(StringRef name, const Json &json) {
  const Path &path = json.getPath();
  if (!isName(name))
    return path.fail("its name is empty, no UTF-8 or has control characters, "
                     "wanted is one that can be printed");
  llvm::Expected<const llvm::json::Object *> object = json.getObject();
  if (!object)
    return object.takeError();
  auto field = [&](StringRef text) { return getField(**object, path, text); };
  if (llvm::Error error =
          wantKnown(**object, path,
                    {"type", "initialValues", "initialValuesDataType",
                     "initialValuesOffsetInBytes", "sizeInBytes",
                     "resampleSize", "resampleMode"}))
    return error;
  if (Json kind = field("type")) {
    llvm::Expected<StringRef> text = kind.getString();
    if (!text)
      return text.takeError();
    if (*text != "buffer")
      return kind.fail("buffer");
  }
  Commands::Resource resource;
  resource.name = name.str();
  Json typeField = field("initialValuesDataType");
  auto type = readResourceType(typeField);
  if (!type)
    return type.takeError();
  resource.type = *type;
  if (llvm::Error error =
          readValues(field("initialValues"), typeField, resource))
    return error;
  for (StringRef name : {"resampleSize", "resampleMode"})
    if (Json resample = field(name))
      return resample.fail("nothing: images are not supported");
  for (auto [name, value] :
       {std::pair<StringRef, uint64_t *>("sizeInBytes", &resource.sizeInBytes),
        {"initialValuesOffsetInBytes", &resource.offset}})
    if (Json number = field(name)) {
      llvm::Expected<uint64_t> bytes = number.getUnsigned(maxResourceBytes);
      if (!bytes)
        return bytes.takeError();
      *value = *bytes;
    }

  uint64_t values = resource.values.size();
  if (resource.type && resource.count)
    values = countBytes(*resource.type, resource.count);
  uint64_t size = resource.offset + values;
  if (resource.sizeInBytes && resource.sizeInBytes < size)
    return path["sizeInBytes"].fail(Twine(resource.sizeInBytes),
                                    "at least " + Twine(size) +
                                        ", the bytes of the elements and those "
                                        "before them");
  resourceBytes += std::max(size, resource.sizeInBytes);
  if (resourceBytes > maxResourceBytes)
    return path.fail(Twine(resourceBytes) + " bytes of resources up to here",
                     "at most " + Twine(maxResourceBytes));
  listedBytes += resource.values.size();
  if (listedBytes > maxListedBytes)
    return path["initialValues"].fail(
        Twine(listedBytes) + " bytes of listed elements up to here",
        "at most " + Twine(maxListedBytes));
  resources[name] = static_cast<uint32_t>(commands.resources.size());
  commands.resources.push_back(std::move(resource));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Dispatchables
//===----------------------------------------------------------------------===//

/// Appends the names of a function's tensors. Each has the name of its bind
/// point, with a number if the bind point has several tensors.
static void appendNames(const BindPoint &point, bool isArray,
                        SmallVectorImpl<std::string> &names) {
  for (size_t index = 0; index < point.count; ++index)
    names.push_back(isArray ? point.name + "[" + std::to_string(index) + "]"
                            : point.name);
}

llvm::Error ModelReader::addOperator(StringRef name, StringRef type,
                                     const llvm::json::Object &fields,
                                     const Path &path,
                                     Dispatchable &dispatchable) {
  MLIRContext *context = builder.getContext();
  llvm::Expected<OperationName> op = findOperator(type, path["type"], context);
  if (!op)
    return op.takeError();

  // The fields may be in the same object as the type.
  llvm::json::Object inlineFields;
  const llvm::json::Object *descFields = nullptr;
  Path descPath = path;
  for (StringRef key : {"Desc", "desc"})
    if (Json desc = getField(fields, path, key)) {
      llvm::Expected<const llvm::json::Object *> object = desc.getObject();
      if (!object)
        return object.takeError();
      descFields = *object;
      descPath = desc.getPath();
      if (llvm::Error error = wantKnown(fields, path,
                                        {"type", "Type", key, "dmlCompileType",
                                         "executionFlags", "bindings"}))
        return error;
      break;
    }
  if (!descFields) {
    inlineFields = fields;
    for (StringRef key :
         {"type", "Type", "dmlCompileType", "executionFlags", "bindings"})
      inlineFields.erase(key);
    descFields = &inlineFields;
  }
  if (Json compile = getField(fields, path, "dmlCompileType")) {
    llvm::Expected<StringRef> text = compile.getString();
    if (!text)
      return text.takeError();
    if (*text != "DmlCompileOp" && *text != "DmlCompileGraph")
      return compile.fail("DmlCompileOp or DmlCompileGraph");
  }

  llvm::Expected<OperatorDesc> desc =
      readOperatorDesc(*op, *descFields, descPath);
  if (!desc)
    return desc.takeError();
  SmallVector<Type> types;
  SmallVector<std::string> names, resultNames;
  auto addPoint = [&](const TensorField &field,
                      SmallVectorImpl<std::string> &tensorNames) {
    if (field.tensors.empty())
      return;
    BindPoint point;
    point.name = field.name;
    point.count = field.tensors.size();
    point.isOutput = field.info->isResult;
    point.isOwned = llvm::all_of(
        field.tensors, [](const TensorDesc &tensor) { return tensor.isOwned; });
    appendNames(point, field.info->count == TensorInfo::Count::Variadic,
                tensorNames);
    dispatchable.points.push_back(std::move(point));
  };
  for (const TensorField &field : desc->inputs) {
    addPoint(field, names);
    for (const TensorDesc &tensor : field.tensors) {
      if (tensor.isOwned != field.tensors.front().isOwned)
        return tensor.path["Flags"].fail(
            "found OWNED_BY_DML for some of the tensors of " + field.name +
            ", wanted it for all or none");
      llvm::Expected<RankedTensorType> memory = getMemoryType(tensor, context);
      if (!memory)
        return memory.takeError();
      types.push_back(*memory);
    }
  }
  for (const TensorField &field : desc->outputs) {
    addPoint(field, resultNames);
    for (const TensorDesc &tensor : field.tensors)
      if (tensor.isOwned)
        return tensor.path["Flags"].fail(
            "found OWNED_BY_DML, wanted NONE for an output");
  }

  llvm::Expected<func::FuncOp> function = buildFunction(
      builder, name, path, types, names,
      [&](ValueRange arguments) -> llvm::Expected<Results> {
        llvm::Expected<SmallVector<Value>> values =
            buildOperator(builder, NameLoc::get(builder.getStringAttr(name)),
                          *desc, SmallVector<Value>(arguments));
        if (!values)
          return values.takeError();
        return Results{std::move(*values), std::move(resultNames)};
      });
  return function ? llvm::Error::success() : function.takeError();
}

llvm::Error ModelReader::addGraph(StringRef name,
                                  const llvm::json::Object &fields,
                                  const Path &path,
                                  Dispatchable &dispatchable) {
  if (llvm::Error error = wantKnown(
          fields, path, {"type", "sourcePath", "executionFlags", "bindings"}))
    return error;
  Json source = getField(fields, path, "sourcePath");
  llvm::Expected<std::string> fileName = readFileName(source);
  if (!fileName)
    return fileName.takeError();
  auto buffer = llvm::MemoryBuffer::getFile(*fileName, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/opened != nullptr);
  if (!buffer)
    return source.getPath().fail("'" + *fileName +
                                 "': " + buffer.getError().message());
  std::shared_ptr<llvm::MemoryBuffer> graph = std::move(*buffer);
  if (opened)
    opened->push_back(graph);
  llvm::Expected<func::FuncOp> function =
      buildGraph(builder, name, graph, opened);
  if (!function)
    return source.getPath().fail("'" + *fileName +
                                 "': " + llvm::toString(function.takeError()));
  auto addPoint = [&](DictionaryAttr attributes, bool isOutput) {
    auto text = attributes.getAs<StringAttr>(nameAttrName);
    dispatchable.points.push_back({text.str(), 1, isOutput, false});
  };
  for (unsigned index = 0; index < function->getNumArguments(); ++index)
    addPoint(function->getArgAttrDict(index), false);
  for (unsigned index = 0; index < function->getNumResults(); ++index)
    addPoint(function->getResultAttrDict(index), true);
  return llvm::Error::success();
}

llvm::Error ModelReader::addDispatchable(StringRef name, const Json &json) {
  const Path &path = json.getPath();
  llvm::Expected<const llvm::json::Object *> object = json.getObject();
  if (!object)
    return object.takeError();
  Json type = getField(**object, path, "type");
  if (!type)
    type = getField(**object, path, "Type");
  llvm::Expected<StringRef> text = type.getString();
  if (!text)
    return text.takeError();
  for (StringRef other : {"hlsl", "onnx"})
    if (text->equals_insensitive(other))
      return type.fail(
          "an operator of DirectML, or dmlSerializedGraph; " +
          StringRef(other == "hlsl" ? "shaders in HLSL" : "ONNX models") +
          " are not supported here");
  Dispatchable &dispatchable = dispatchables[name];
  if (llvm::Error error =
          text->equals_insensitive("dmlSerializedGraph")
              ? addGraph(name, **object, path, dispatchable)
              : addOperator(name, *text, **object, path, dispatchable))
    return error;
  if (llvm::Error error =
          checkExecutionFlags(getField(**object, path, "executionFlags")))
    return error;
  return readBindings(getField(**object, path, "bindings"), dispatchable,
                      /*isInitial=*/true, dispatchable.bindings);
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

llvm::Expected<uint32_t> ModelReader::findResource(const Json &json) {
  llvm::Expected<StringRef> name = json.getString();
  if (!name)
    return name.takeError();
  auto found = resources.find(*name);
  if (found == resources.end())
    return json.fail("the name of a resource");
  return found->second;
}

llvm::Expected<Commands::Binding> ModelReader::readBinding(const Json &json) {
  Commands::Binding binding;
  Json name = json;
  if (!json.isString()) {
    if (!json || !(*json).getAsObject())
      return json.fail("the name of a resource, or an object with it");
    llvm::Expected<const llvm::json::Object *> object = json.getObject();
    if (!object)
      return object.takeError();
    const Path &path = json.getPath();
    // The number and the format of the elements that are visible only matter to
    // shaders.
    if (llvm::Error error =
            wantKnown(**object, path,
                      {"name", "format", "elementCount", "elementSizeInBytes",
                       "elementStride", "elementOffset"}))
      return error;
    for (auto [field, value] : {std::pair<StringRef, uint64_t *>(
                                    "elementOffset", &binding.elementOffset),
                                {"elementSizeInBytes", &binding.elementSize}})
      if (Json number = getField(**object, path, field)) {
        llvm::Expected<uint64_t> read = number.getUnsigned(UINT32_MAX);
        if (!read)
          return read.takeError();
        *value = *read;
      }
    name = getField(**object, path, "name");
  }
  llvm::Expected<uint32_t> resource = findResource(name);
  if (!resource)
    return resource.takeError();
  binding.resource = *resource;
  return binding;
}

llvm::Error ModelReader::readBindings(const Json &json,
                                      const Dispatchable &dispatchable,
                                      bool isInitial, Bindings &bindings) {
  llvm::json::Object none;
  const llvm::json::Object *object = &none;
  const Path &path = json.getPath();
  if (json || !isInitial) {
    llvm::Expected<const llvm::json::Object *> read = json.getObject();
    if (!read)
      return read.takeError();
    object = *read;
  }
  SmallVector<StringRef> known;
  for (const BindPoint &point : dispatchable.points) {
    // Tensors that DirectML owns are bound only once, at initialization.
    if (point.isOwned != isInitial)
      continue;
    known.push_back(point.name);
    Json source = getField(*object, path, point.name);
    if (!source)
      return source.fail("the name of a resource");
    std::vector<Commands::Binding> &list = bindings[point.name];
    auto add = [&](const Json &element) -> llvm::Error {
      llvm::Expected<Commands::Binding> binding = readBinding(element);
      if (!binding)
        return binding.takeError();
      binding->isInitial = isInitial;
      list.push_back(*binding);
      return llvm::Error::success();
    };
    if (const llvm::json::Array *array = (*source).getAsArray()) {
      if (array->size() != point.count)
        return source.fail(Twine(point.count) + " resources");
      for (auto [index, element] : llvm::enumerate(*array))
        if (llvm::Error error = add(Json(&element, source.getPath()[index])))
          return error;
    } else if (point.count != 1) {
      return source.fail("an array of " + Twine(point.count) + " resources");
    } else if (llvm::Error error = add(source)) {
      return error;
    }
  }
  return wantKnown(*object, path, known);
}

llvm::Error ModelReader::addDispatch(const llvm::json::Object &fields,
                                     const Path &path,
                                     Commands::Command &command) {
  // The number of threads only matters to shaders.
  if (llvm::Error error =
          wantKnown(fields, path,
                    {"type", "dispatchable", "bindings", "threadGroupCount"}))
    return error;
  Json name = getField(fields, path, "dispatchable");
  llvm::Expected<StringRef> text = name.getString();
  if (!text)
    return text.takeError();
  auto found = dispatchables.find(*text);
  if (found == dispatchables.end())
    return name.fail("the name of a dispatchable");
  Dispatchable &dispatchable = found->second;
  command.function = text->str();
  Bindings bindings;
  if (llvm::Error error =
          readBindings(getField(fields, path, "bindings"), dispatchable,
                       /*isInitial=*/false, bindings))
    return error;
  for (const BindPoint &point : dispatchable.points) {
    const std::vector<Commands::Binding> &list =
        point.isOwned ? dispatchable.bindings[point.name]
                      : bindings[point.name];
    llvm::append_range(point.isOutput ? command.outputs : command.inputs, list);
  }
  return llvm::Error::success();
}

llvm::Error ModelReader::addCommand(const Json &json) {
  const Path &path = json.getPath();
  llvm::Expected<const llvm::json::Object *> object = json.getObject();
  if (!object)
    return object.takeError();
  auto field = [&](StringRef name) { return getField(**object, path, name); };
  llvm::Expected<StringRef> type = field("type").getString();
  if (!type)
    return type.takeError();
  Commands::Command command;
  command.place = path.str();
  if (type->equals_insensitive("dispatch")) {
    command.kind = Commands::Command::Kind::Dispatch;
    if (llvm::Error error = addDispatch(**object, path, command))
      return error;
    commands.commands.push_back(std::move(command));
    return llvm::Error::success();
  }

  bool isPrint = type->equals_insensitive("print");
  if (!isPrint && !type->equals_insensitive("writeFile"))
    return field("type").fail("dispatch, print or writeFile");
  if (llvm::Error error =
          isPrint ? wantKnown(**object, path, {"type", "resource", "verbose"})
                  : wantKnown(**object, path,
                              {"type", "resource", "targetPath", "dimensions"}))
    return error;
  llvm::Expected<uint32_t> resource = findResource(field("resource"));
  if (!resource)
    return resource.takeError();
  command.resource = *resource;
  if (isPrint) {
    const Commands::Resource &printed = commands.resources[*resource];
    if (!printed.type && printed.kind != Commands::Resource::Kind::File)
      return field("resource").fail("a resource whose elements have one type");
    if (Json verbose = field("verbose")) {
      llvm::Expected<bool> flag = verbose.getBool();
      if (!flag)
        return flag.takeError();
      command.isVerbose = *flag;
    }
    commands.commands.push_back(std::move(command));
    return llvm::Error::success();
  }

  command.kind = Commands::Command::Kind::WriteFile;
  // The caller that runs the model chooses the folder.
  Json target = field("targetPath");
  if (llvm::Expected<std::string> name = readFileName(target); !name)
    return name.takeError();
  command.file = llvm::cantFail(target.getString()).str();
  StringRef name = command.file;
  if (name.ends_with_insensitive(".png") || name.ends_with_insensitive(".jpg"))
    return target.fail("a .npy file or one of raw elements; images are not "
                       "supported");
  if (Json dimensions = field("dimensions")) {
    llvm::Expected<const llvm::json::Array *> array = dimensions.getArray();
    if (!array)
      return array.takeError();
    for (auto [index, element] : llvm::enumerate(**array)) {
      llvm::Expected<uint64_t> size =
          Json(&element, dimensions.getPath()[index]).getUnsigned(UINT32_MAX);
      if (!size)
        return size.takeError();
      command.sizes.push_back(static_cast<uint32_t>(*size));
    }
  }
  commands.commands.push_back(std::move(command));
  return llvm::Error::success();
}

llvm::Error ModelReader::run() {
  llvm::Expected<llvm::json::Value> value = parseJson(file.getBuffer());
  if (!value)
    return value.takeError();
  Json root(&*value, Path());
  llvm::Expected<const llvm::json::Object *> model = root.getObject();
  if (!model)
    return model.takeError();
  if (llvm::Error error =
          wantKnown(**model, Path(),
                    {"$schema", "resources", "dispatchables", "commands"}))
    return error;
  for (auto [field, add] :
       {std::make_pair(StringRef("resources"), &ModelReader::addResource),
        std::make_pair(StringRef("dispatchables"),
                       &ModelReader::addDispatchable)}) {
    Json json = getField(**model, Path(), field);
    llvm::Expected<const llvm::json::Object *> object = json.getObject();
    if (!object)
      return object.takeError();
    for (auto [name, element] : sortFields(**object))
      if (llvm::Error error =
              (this->*add)(name, Json(element, json.getPath()[name])))
        return error;
  }
  Json json = getField(**model, Path(), "commands");
  llvm::Expected<const llvm::json::Array *> array = json.getArray();
  if (!array)
    return array.takeError();
  for (auto [index, command] : llvm::enumerate(**array))
    if (llvm::Error error = addCommand(Json(&command, json.getPath()[index])))
      return error;
  return llvm::Error::success();
}

llvm::Expected<OwningOpRef<ModuleOp>>
dml::directml::importDispatchModel(const llvm::MemoryBuffer &file,
                                   MLIRContext *context, Commands *commands,
                                   reader::OpenedFiles *files) {
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module =
      createModule(builder, file.getBufferIdentifier());
  Commands unused;
  if (llvm::Error error =
          ModelReader(file, builder, commands ? *commands : unused, files)
              .run())
    return error;
  if (llvm::Error error = verifyModule(*module))
    return error;
  return module;
}
