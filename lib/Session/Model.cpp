//===- Model.cpp - The model of a session ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "ReadFiles.h"
#include "dml/IR/Ownership.h"
#include "dml/Import/ModuleFile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <map>

using namespace mlir;
using namespace dml;
using namespace dml::session;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Expected<FileState> FileState::get(const std::string &path) {
  llvm::sys::fs::file_status status;
  std::error_code code = llvm::sys::fs::status(path, status);
  if (code)
    return makeError(code == std::errc::no_such_file_or_directory
                         ? DML_ERROR_NOT_FOUND
                         : DML_ERROR_IO,
                     "cannot open '", path, "': ", code.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return makeError(DML_ERROR_INVALID_ARGUMENT, "'", path,
                     "' is no regular file, but wanted is one");
  return get(status);
}

FileState FileState::get(const llvm::sys::fs::file_status &status) {
  FileState state;
  state.size = status.getSize();
  state.modified = status.getLastModificationTime().time_since_epoch().count();
  state.inode = status.getUniqueID().getFile();
  return state;
}

Status dml::session::wantRead(const FileMemory::State *state) {
  std::string error = state ? state->getError() : "";
  return error.empty() ? Status() : Status(DML_ERROR_IO, error);
}

/// Whether the first bytes are those of an executable.
static bool isExecutable(llvm::StringRef content) {
  return content.substr(4).starts_with("DMLX");
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static std::optional<ModelFormat> getModelFormat(DmlModelFormat format,
                                                 llvm::StringRef path,
                                                 llvm::StringRef content) {
  switch (format) {
  case DML_MODEL_FORMAT_AUTO:
    return findModelFormat(path, content);
  case DML_MODEL_FORMAT_ONNX:
    return ModelFormat::ONNX;
  case DML_MODEL_FORMAT_DIRECTML_GRAPH:
    return ModelFormat::SerializedGraph;
  case DML_MODEL_FORMAT_DXDISPATCH:
    return ModelFormat::DispatchModel;
  case DML_MODEL_FORMAT_MLIR:
    return ModelFormat::MLIR;
  case DML_MODEL_FORMAT_EXECUTABLE:
  case DML_MODEL_FORMAT_MAX_ENUM:
    break;
  }
  return std::nullopt;
}

/// The first bytes of a file, which tell its format.
static Expected<std::string> readStart(const std::string &path) {
  auto fail = [&](std::error_code code) {
    return makeError(DML_ERROR_IO, "cannot open '", path,
                     "': ", code.message());
  };
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return fail(llvm::errorToErrorCode(file.takeError()));
  std::string start(4096, 0);
  llvm::Expected<size_t> count = llvm::sys::fs::readNativeFile(
      *file, MutableArrayRef<char>(start.data(), start.size()));
  (void)llvm::sys::fs::closeFile(*file);
  if (!count)
    return fail(llvm::errorToErrorCode(count.takeError()));
  start.resize(*count);
  return start;
}

Expected<std::unique_ptr<Model>>
Model::open(const DmlSessionCreateInfo &info) noexcept {
  std::unique_ptr<Model> model(new Model);
  DML_TRY(model->openBytes(info));
  DML_TRY(model->fixSizes(info));
  DML_TRY(model->readSignature(info));
  return model;
}

Expected<std::unique_ptr<Model>>
Model::openUnrun(const DmlSessionCreateInfo &info) {
  std::unique_ptr<Model> model(new Model);
  DML_TRY(model->openBytes(info));
  if (model->executable)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "'", model->name,
                     "' is an executable, which has kernels in place of "
                     "operators, but wanted is the model that it was "
                     "compiled from");
  DML_TRY(model->fixSizes(info));
  return model;
}

Status Model::fixSizes(const DmlSessionCreateInfo &info) {
  for (uint32_t i = 0; i < info.dimensionCount; ++i) {
    const DmlNamedSize &dimension = info.dimensions[i];
    if (!dimension.name || dimension.size < 0 || dimension.size > UINT32_MAX)
      return makeError(DML_ERROR_INVALID_ARGUMENT, "the dimension '",
                       dimension.name ? dimension.name : "NULL",
                       "' has the size ", dimension.size,
                       ", but wanted is one from 0 to 2^32 - 1");
    fixedSizes[dimension.name] = dimension.size;
  }
  if (!fixedSizes.empty() && !isONNX())
    return makeError(DML_ERROR_INVALID_ARGUMENT,
                     "sizes of dimensions are for ONNX models, but '", name,
                     "' is none");
  return Status();
}

Status Model::openBytes(const DmlSessionCreateInfo &info) {
  int count = (info.path != nullptr) + (info.bytes != nullptr) +
              (info.model != nullptr);
  if (count != 1)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the model stands in ", count,
                     " places, but wanted is one of 'path', 'bytes' and "
                     "'model'");
  if (info.model && info.model->described) {
    described = info.model->described;
    name = described->getName();
    bytes = described->getBytecode();
    return Status();
  }
  if (info.model) {
    info.model->object->close();
    built = info.model->object;
    name = built->getName();
    format = ModelFormat::ONNX;
    return Status();
  }
  llvm::StringRef start;
  Expected<std::string> fileStart = std::string();
  if (info.path) {
    name = info.path;
    Expected<FileState> found = FileState::get(name);
    if (!found)
      return found.status();
    state = *found;
    fileStart = readStart(name);
    if (!fileStart)
      return fileStart.status();
    start = *fileStart;
  } else {
    name = "<bytes>";
    bytes =
        llvm::StringRef(static_cast<const char *>(info.bytes), info.byteSize);
    start = *bytes;
  }
  if (start.empty())
    return makeError(DML_ERROR_INVALID_ARGUMENT, "'", name,
                     "' is empty, but wanted is a model");
  if (info.format == DML_MODEL_FORMAT_EXECUTABLE ||
      (info.format == DML_MODEL_FORMAT_AUTO && isExecutable(start)))
    return openExecutable(info);
  llvm::StringRef path = info.path ? info.path : "";
  std::optional<ModelFormat> known = getModelFormat(info.format, path, start);
  if (!known)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the format ", info.format,
                     " is none that a model has");
  format = *known;
  bool isText = isModelText(format, start);
  isGuessed = info.format == DML_MODEL_FORMAT_AUTO && isText &&
              format == ModelFormat::MLIR && !path.ends_with(".mlir");
  if (size_t zero = start.find('\0'); isText && zero < start.size())
    return describe(makeError(DML_ERROR_INVALID_ARGUMENT, "byte ", zero,
                              " is 0, which no text has"));
  return Status();
}

Status Model::describe(const Status &status) const {
  if (!isGuessed)
    return status.in(name);
  return makeError(DML_ERROR_INVALID_ARGUMENT, "'", runtime::escape(name),
                   "' is no model: its first bytes are not those "
                   "of ONNX (.onnx), a graph of DirectML (.bin), a JSON model "
                   "of DxDispatch (.json) or an executable (.dmlx), and as "
                   "MLIR (.mlir, .mlirbc) the error is: ",
                   status.message());
}

Status Model::openExecutable(const DmlSessionCreateInfo &info) {
  auto opened =
      bytes ? session::openExecutable(*bytes)
            : create<ExecutableHandle>(dmlCreateExecutableFromFile, info.path);
  // The error of a file names the file.
  if (!opened)
    return bytes ? opened.status().in(name) : opened.status();
  executable = std::move(*opened);
  return Status();
}

/// The time between two writes of a file, in seconds.
static std::string describeAge(const FileState &now, const FileState &then) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(
      "%.3f s", static_cast<double>(now.modified - then.modified) / 1e9);
  return text;
}

Status dml::session::wantState(const std::string &path,
                               const FileState &state) {
  Expected<FileState> now = FileState::get(path);
  if (!now)
    return now.status();
  if (*now == state)
    return Status();
  std::string change =
      now->size != state.size
          ? "when it had " + std::to_string(state.size) +
                " bytes; now it has " + std::to_string(now->size)
          : "with as many bytes, " + std::to_string(state.size) + ": " +
                (now->inode != state.inode
                     ? std::string("another file stands in its place")
                     : "its time is " + describeAge(*now, state) + " later");
  return makeError(DML_ERROR_IO, "'", path,
                   "' has changed since the session was made, ", change,
                   ". A session wants files that stay; make another session");
}

Status Model::wantUnchanged() const {
  return isFile() ? wantState(name, state) : Status();
}

/// Adds the bytes of a file from `begin` to `end` to a digest. The file is
/// read, and not mapped, so that a truncated file causes an error instead of a
/// signal.
static llvm::Error addPart(llvm::sys::fs::file_t file, uint64_t begin,
                           uint64_t end, Digester &digester) {
  std::vector<char> piece(std::min<uint64_t>(end - begin, 1 << 20));
  while (begin < end) {
    size_t wanted = std::min<uint64_t>(end - begin, piece.size());
    llvm::Expected<size_t> count =
        llvm::sys::fs::readNativeFileSlice(file, {piece.data(), wanted}, begin);
    if (!count)
      return count.takeError();
    if (*count == 0)
      return llvm::createStringError("it ends at byte " + Twine(begin) +
                                     ", but wanted are " + Twine(end));
    digester.addBytes({piece.data(), *count});
    begin += *count;
  }
  return llvm::Error::success();
}

Expected<Digest> Model::getDigest() const {
  Digester digester;
  if (bytes) {
    digester.addBytes(*bytes);
    return digester.finish();
  }
  if (built) {
    DML_TRY_IN(built->addTo(digester), name);
    return digester.finish();
  }
  auto fail = [&](llvm::Error error) {
    return makeError(DML_ERROR_IO, "cannot read '", name,
                     "': ", llvm::toString(std::move(error)));
  };
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(name);
  if (!file)
    return fail(file.takeError());
  auto close = llvm::scope_exit([&] { (void)llvm::sys::fs::closeFile(*file); });
  // Weights count by the file's state, and not by their bytes, which are many.
  if (!signature.weights.empty())
    state.addTo(digester);
  uint64_t begin = 0;
  for (auto [weight, size] : signature.weights) {
    if (weight < begin)
      continue;
    if (llvm::Error error = addPart(*file, begin, weight, digester))
      return fail(std::move(error));
    begin = weight + size;
  }
  if (llvm::Error error = addPart(*file, begin, state.size, digester))
    return fail(std::move(error));
  DML_TRY(wantUnchanged());
  return digester.finish();
}

void Model::addTo(Digester &digester) const {
  digester.add(uint64_t(format));
  digester.add(uint64_t(isOptimized));
  digester.add(function);
  std::map<llvm::StringRef, int64_t> sizes;
  for (const auto &size : fixedSizes)
    sizes[size.first()] = size.second;
  for (auto [dimension, size] : sizes) {
    digester.add(dimension);
    digester.add(static_cast<uint64_t>(size));
  }
}

Expected<std::unique_ptr<llvm::MemoryBuffer>> Model::getBytes() const {
  if (built)
    return llvm::MemoryBuffer::getMemBuffer("", getPath());
  if (bytes) {
    // The parser of MLIR text needs a zero behind the text, which the caller's
    // memory may lack.
    if (isModelText(format, *bytes))
      return llvm::MemoryBuffer::getMemBufferCopy(*bytes, getPath());
    return llvm::MemoryBuffer::getMemBuffer(*bytes, getPath(),
                                            /*RequiresNullTerminator=*/false);
  }
  auto isText = [&](llvm::StringRef start) {
    return isModelText(format, start);
  };
  auto open = [&]() -> llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> {
    if (format == ModelFormat::ONNX)
      return FileMemory::open(name);
    return openModuleFile(name, isText, /*isRead=*/true);
  };
  auto file = open();
  if (!file)
    return Status(DML_ERROR_IO, llvm::toString(file.takeError()));
  DML_TRY(wantUnchanged());
  return std::move(*file);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

llvm::Expected<OwningOpRef<ModuleOp>>
Model::read(std::unique_ptr<llvm::MemoryBuffer> file,
            const std::map<std::string, int64_t> &dimensions,
            MLIRContext *context,
            std::vector<std::shared_ptr<llvm::MemoryBuffer>> &files,
            std::vector<reader::TensorPlace> &places) const {
  ModelOptions options;
  options.onnx.dimensions = fixedSizes;
  for (const auto &[name, size] : dimensions)
    options.onnx.dimensions[name] = size;
  options.onnx.files = &files;
  options.onnx.places = &places;
  auto module = readModule(std::move(file), ParserConfig(context), options);
  if (module)
    return module;
  llvm::Error error = module.takeError();
  if (error.isA<onnx::UnexpressedNodes>())
    wantsDivision = true;
  return std::move(error);
}

Expected<Model::Divided> Model::divide() const {
  Expected<std::unique_ptr<llvm::MemoryBuffer>> file = getBytes();
  if (!file)
    return file.status();
  Divided divided;
  divided.file = std::move(*file);
  FileMemory *memory = FileMemory::find(divided.file->getBufferStart());
  onnx::ImportOptions options;
  options.dimensions = fixedSizes;
  auto division = built ? onnx::divideBuiltModel(built->getProto(), getPath(),
                                                 built, options, isOptimized)
                        : onnx::divideModel(divided.file, options, isOptimized);
  Status status = division ? Status() : invalid(division.takeError());
  DML_TRY(wantRead(memory ? memory->getState().get() : nullptr));
  DML_TRY(wantUnchanged());
  if (!status.ok())
    return status.in(name);
  divided.division = std::move(*division);
  return divided;
}

/// Reads the module. `options` say what the model itself does not.
llvm::Expected<OwningOpRef<ModuleOp>>
Model::readModule(std::unique_ptr<llvm::MemoryBuffer> file,
                  const ParserConfig &config,
                  const ModelOptions &options) const {
  ModelOptions all = options;
  all.optimize = isOptimized;
  if (built)
    return onnx::importBuiltModel(built->getProto(), getPath(), built,
                                  config.getContext(), all.onnx, isOptimized);
  return readModel(std::move(file), format, config, all,
                   std::make_shared<llvm::SourceMgr>());
}

llvm::Expected<Signature>
Model::readONNXSignature(const llvm::MemoryBuffer &file) const {
  onnx::ImportOptions options;
  options.dimensions = fixedSizes;
  return built ? onnx::readSignature(built->getProto(), options)
               : onnx::readSignature(file, options);
}

/// Fails where `signature` has open dimensions, whose sizes were not stated.
static llvm::Error wantSizes(const Signature &signature) {
  std::string open;
  llvm::StringMap<bool> seen;
  for (const SignatureTensor &input : signature.inputs)
    for (const SignatureDimension &dimension : input.dimensions)
      if (dimension.size < 0 && seen.try_emplace(dimension.name).second)
        open += (open.empty() ? "'" : ", '") + runtime::escape(dimension.name) +
                "'";
  if (open.empty())
    return llvm::Error::success();
  return llvm::createStringError(
      "the model leaves sizes open, but wanted is the size of each of its "
      "dimensions " +
      open + " (dims={...} in Python, --dim on the command line)");
}

/// Reads the elements of all constants of `module` that have not been read.
/// Errors are those of the files.
static void readConstants(ModuleOp module) {
  module.walk([&](arith::ConstantOp op) {
    auto value = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    if (AsmResourceBlob *blob =
            value ? value.getRawHandle().getBlob() : nullptr)
      FileMemory::want(blob->getData());
  });
}

Expected<OwningOpRef<ModuleOp>>
Model::readUnrun(CompilerContext &context, const UnrunOptions &unrun) const {
  Expected<std::unique_ptr<llvm::MemoryBuffer>> file = getBytes();
  if (!file)
    return file.status();
  ReadFiles files(*this, **file);
  ModelOptions options;
  options.onnx.dimensions = fixedSizes;
  options.onnx.leavesOutUnread = unrun.leavesOutUnread;
  options.onnx.survey = unrun.survey;
  options.onnx.files = &files.beside;
  options.onnx.places = &files.weights;
  auto read = [&]() -> llvm::Expected<OwningOpRef<ModuleOp>> {
    if (isONNX() && !unrun.survey) {
      llvm::Expected<Signature> declared = readONNXSignature(**file);
      if (!declared)
        return declared.takeError();
      if (llvm::Error error = wantSizes(*declared))
        return error;
    }
    auto module =
        readModule(std::move(*file),
                   ParserConfig(&context.get(), unrun.verifies), options);
    if (module && *module && unrun.readsWeights)
      readConstants(**module);
    return module;
  };
  auto module = read();
  Status unread = module ? Status() : invalid(module.takeError());
  // What is wrong with a model may be that its file changes.
  DML_TRY(files.check());
  if (!unread.ok())
    return unread.in(name);
  if (!*module)
    return describe(
        context.getError(DML_ERROR_INVALID_ARGUMENT, "it does not parse"));
  return std::move(*module);
}

Status Model::setOptimized(bool value) {
  if (value && (executable || format != ModelFormat::ONNX))
    return makeError(DML_ERROR_INVALID_ARGUMENT,
                     "the option 'ort-optimizations' is for ONNX models, but '",
                     name, "' is none");
  isOptimized = value;
  return Status();
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

static std::string getTensorName(DictionaryAttr attributes,
                                 llvm::StringRef kind, unsigned index) {
  auto name = attributes ? attributes.getAs<StringAttr>(nameAttrName) : nullptr;
  return name ? name.str() : (kind + Twine(index)).str();
}

/// A tensor of a function. Fails where the type is none that an operator has.
static Expected<SignatureTensor> readTensor(Type type, std::string name) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  std::optional<DataType> dataType =
      tensorType ? getDataType(tensorType.getElementType()) : std::nullopt;
  if (!dataType || !tensorType.hasStaticShape() ||
      tensorType.getRank() > DML_MAX_RANK) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the tensor '",
                     runtime::escape(name), "' has the type ", text,
                     ", but a session wants a tensor of an operator's type "
                     "with a size in each dimension");
  }
  SignatureTensor tensor{std::move(name), dataType, true, {}};
  for (int64_t size : tensorType.getShape())
    tensor.dimensions.push_back({size, ""});
  return tensor;
}

/// Returns the function of `module` with the name `wanted`. If `wanted` is
/// null, returns "main", or the only public function.
static Expected<func::FuncOp> findFunction(ModuleOp module,
                                           const char *wanted) {
  SmallVector<func::FuncOp> functions;
  std::string names;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isDeclaration()) {
      functions.push_back(function);
      names += (names.empty() ? "'" : ", '") +
               runtime::escape(function.getName()) + "'";
    }
  if (!wanted && functions.size() == 1)
    return functions.front();
  for (func::FuncOp function : functions)
    if (function.getName() == (wanted ? wanted : "main"))
      return function;
  return makeError(DML_ERROR_NOT_FOUND, "there is no function '",
                   wanted ? wanted : "main", "'; the model has ",
                   names.empty() ? "none" : names);
}

/// Adds the names of the weights that all functions of `module` have for
/// inputs.
static void addCallerWeights(ModuleOp module, llvm::StringSet<> &names) {
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, ownedAttrName))
        names.insert(getTensorName(function.getArgAttrDict(i), "input", i));
}

Status Model::readModuleSignature(const char *wanted) {
  Expected<std::unique_ptr<llvm::MemoryBuffer>> file = getBytes();
  if (!file)
    return file.status();
  CompilerContext context;
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> files;
  std::vector<reader::TensorPlace> places;
  auto module = read(std::move(*file), {}, &context.get(), files, places);
  if (!module)
    return invalid(module.takeError()).in(name);
  if (!*module)
    return describe(
        context.getError(DML_ERROR_INVALID_ARGUMENT, "it does not parse"));
  Expected<func::FuncOp> found = findFunction(**module, wanted);
  if (!found)
    return (*module)->getBody()->empty() ? describe(found.status())
                                         : found.status().in(name);
  addCallerWeights(**module, callerWeights);
  func::FuncOp entry = *found;
  function = entry.getName().str();
  for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes())) {
    // An owned tensor is a weight, which is bound once.
    if (entry.getArgAttr(index, ownedAttrName))
      continue;
    auto tensor = readTensor(
        type, getTensorName(entry.getArgAttrDict(index), "input", index));
    if (!tensor)
      return tensor.status().in(name);
    signature.inputs.push_back(std::move(*tensor));
  }
  for (auto [index, type] : llvm::enumerate(entry.getResultTypes())) {
    auto tensor = readTensor(
        type, getTensorName(entry.getResultAttrDict(index), "output", index));
    if (!tensor)
      return tensor.status().in(name);
    signature.outputs.push_back(std::move(*tensor));
  }
  return Status();
}

static SignatureTensor describe(const DmlTensorInfo &info) {
  SignatureTensor tensor{info.name, symbolizeDataType(info.dataType), true, {}};
  for (uint32_t i = 0; i < info.rank; ++i)
    tensor.dimensions.push_back({info.sizes[i], ""});
  return tensor;
}

/// The signature of the function `index` of an executable.
static Status readExecutableSignature(DmlExecutable executable, uint32_t index,
                                      Signature &signature) {
  DmlFunctionInfo info{};
  DML_TRY(call(dmlGetFunctionInfo, executable, index, &info));
  DmlTensorInfo tensor{};
  for (uint32_t i = 0; i < info.inputCount; ++i) {
    DML_TRY(call(dmlGetInputInfo, executable, index, i, &tensor));
    signature.inputs.push_back(describe(tensor));
  }
  for (uint32_t i = 0; i < info.outputCount; ++i) {
    DML_TRY(call(dmlGetOutputInfo, executable, index, i, &tensor));
    signature.outputs.push_back(describe(tensor));
  }
  return Status();
}

Status Model::readSignature(const DmlSessionCreateInfo &info) {
  if (executable) {
    DmlExecutableInfo contents{};
    dmlGetExecutableInfo(executable.get(), &contents);
    uint32_t index = 0;
    if (info.function || contents.functionCount != 1)
      DML_TRY_IN(call(dmlFindFunction, executable.get(),
                      info.function ? info.function : "main", &index),
                 name);
    DmlFunctionInfo found{};
    DML_TRY(call(dmlGetFunctionInfo, executable.get(), index, &found));
    function = found.name;
    for (uint32_t i = 0; i < contents.weightCount; ++i) {
      DmlWeightInfo weight{};
      DML_TRY(call(dmlGetWeightInfo, executable.get(), i, &weight));
      callerWeights.insert(weight.tensor.name);
    }
    DML_TRY(readExecutableSignature(executable.get(), index, signature));
  }
  if (!executable && format == ModelFormat::ONNX) {
    Expected<std::unique_ptr<llvm::MemoryBuffer>> file = getBytes();
    if (!file)
      return file.status();
    auto read = readONNXSignature(**file);
    FileMemory *memory = FileMemory::find((*file)->getBufferStart());
    if (Status status = wantRead(memory ? memory->getState().get() : nullptr);
        !status.ok()) {
      llvm::consumeError(read.takeError());
      return status;
    }
    if (!read)
      return invalid(read.takeError()).in(name);
    signature = std::move(*read);
    function = "main";
    if (info.function && info.function != function)
      return makeError(DML_ERROR_NOT_FOUND, name, ": there is no function '",
                       info.function, "'; the model has 'main'");
    return Status();
  }
  return executable ? Status() : readModuleSignature(info.function);
}
