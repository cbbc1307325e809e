//===- Compile.cpp - From a model to a program's image --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "dml/IR/DML.h"
#include "dml/IR/Ownership.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dml;
using namespace dml::session;

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

Status Progress::begin(const char *name, float fraction) {
  if (!cancelled && callback && !callback(userData, name, fraction))
    cancelled = true;
  return cancelled
             ? Status(DML_ERROR_CANCELLED,
                      "the caller's progress callback has cancelled the call")
             : Status();
}

namespace {
/// Asks the caller before each pass of a module whether to go on.
class ProgressInstrumentation : public PassInstrumentation {
public:
  ProgressInstrumentation(Progress &progress, const PassManager &pm)
      : progress(progress), pm(pm), thread(llvm::get_threadid()) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    // Passes of functions and kernels run on other threads.
    if (!isa<ModuleOp>(op) || llvm::get_threadid() != thread)
      return;
    float fraction = 0.1f + 0.6f * static_cast<float>(count++) /
                                static_cast<float>(pm.size());
    if (!progress.begin("compiling", std::min(fraction, 0.7f)).ok())
      (pass->*&Access::signalPassFailure)();
  }

private:
  /// A pass is failed from outside: no pass is begun after it.
  struct Access : Pass {
    using Pass::signalPassFailure;
  };

  Progress &progress;
  const PassManager &pm;
  uint64_t thread;
  unsigned count = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Renames tensors of functions that have the name of a constant, so that each
/// weight has the name of its constant. A session has the names of tensors by
/// their order.
static void renameTensors(ModuleOp module) {
  llvm::StringSet<> constants;
  module.walk([&](arith::ConstantOp op) {
    if (auto value = dyn_cast<DenseResourceElementsAttr>(op.getValue()))
      constants.insert(value.getRawHandle().getKey());
  });
  auto rename = [&](DictionaryAttr attributes) -> Attribute {
    auto name =
        attributes ? attributes.getAs<StringAttr>(nameAttrName) : StringAttr();
    if (!name || attributes.contains(ownedAttrName) ||
        !constants.contains(name.getValue()))
      return name;
    std::string unique = name.str();
    do
      unique += "_";
    while (!constants.insert(unique).second);
    return StringAttr::get(module.getContext(), unique);
  };
  for (auto function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (Attribute name = rename(function.getArgAttrDict(i)))
        function.setArgAttr(i, nameAttrName, name);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (Attribute name = rename(function.getResultAttrDict(i)))
        function.setResultAttr(i, nameAttrName, name);
  }
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {
/// A file that constants may refer to, and its place in memory.
struct MappedFile {
  const char *begin;
  uint64_t size;
};
using Places = llvm::StringMap<WeightSource>;
} // namespace

/// Returns where in `files` the bytes of the constants are, by their names.
static Places findPlaces(ModuleOp module, ArrayRef<MappedFile> files) {
  Places places;
  module.walk([&](arith::ConstantOp op) {
    auto value = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    AsmResourceBlob *blob = value ? value.getRawHandle().getBlob() : nullptr;
    if (!blob)
      return;
    const char *data = blob->getData().data();
    for (auto [index, file] : llvm::enumerate(files))
      if (data >= file.begin && data < file.begin + file.size)
        places[value.getRawHandle().getKey()] = {
            WeightSource::Kind::File, static_cast<uint32_t>(index),
            static_cast<uint64_t>(data - file.begin), blob->getData().size()};
  });
  return places;
}

/// Adds the weight `name` to the image: its place, or else its bytes.
static Status addWeight(MLIRContext *context, const std::string &name,
                        uint64_t size, const Places &places, Image &image) {
  auto &blobs = DenseResourceElementsHandle::getManagerInterface(context)
                    .getBlobManager();
  auto *entry = blobs.lookup(name);
  AsmResourceBlob *blob = entry ? entry->getBlob() : nullptr;
  WeightSource source;
  source.size = size;
  if (!blob) {
    image.weights.push_back(source);
    return Status();
  }
  ArrayRef<char> data = blob->getData();
  if (data.size() != size)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the weight '",
                     runtime::escape(name), "' has ", data.size(),
                     " bytes in the model, but wanted are ", size);
  auto place = places.find(name);
  if (place != places.end()) {
    image.weights.push_back(place->second);
    return Status();
  }
  source.kind = WeightSource::Kind::Own;
  source.offset = image.bytes.size();
  image.bytes.insert(image.bytes.end(), data.begin(), data.end());
  image.weights.push_back(source);
  return Status();
}

static Status addWeights(MLIRContext *context, const Places &places,
                         Image &image) {
  auto executable = create<ExecutableHandle>(
      dmlCreateExecutable, image.executable.data(), image.executable.size());
  if (!executable)
    return executable.status();
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable->get(), &info);
  for (uint32_t i = 0; i < info.weightCount; ++i) {
    DmlWeightInfo weight{};
    DML_TRY(call(dmlGetWeightInfo, executable->get(), i, &weight));
    DML_TRY(addWeight(context, weight.tensor.name, weight.tensor.byteSize,
                      places, image));
  }
  return Status();
}

/// Notes which files the image's weights are in.
static Status addFiles(const Model &model,
                       ArrayRef<std::shared_ptr<llvm::MemoryBuffer>> files,
                       Image &image) {
  image.files.push_back({model.getName(), model.getState()});
  for (const std::shared_ptr<llvm::MemoryBuffer> &file : files) {
    std::string path = file->getBufferIdentifier().str();
    Expected<FileState> state = FileState::get(path);
    if (!state)
      return state.status();
    image.files.push_back({path, *state});
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

Expected<Image> dml::session::compile(
    const Model &model, const llvm::StringMap<int64_t> &dimensions,
    const CompilerOptions &options, Progress &progress, Messages &messages) {
  DML_TRY(progress.begin("reading the model", 0));
  Expected<std::unique_ptr<llvm::MemoryBuffer>> file = model.getBytes();
  if (!file)
    return file.status();
  SmallVector<MappedFile> mapped{
      {(*file)->getBufferStart(), (*file)->getBufferSize()}};
  CompilerContext context;
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> files;
  auto read = model.read(std::move(*file), dimensions, &context.get(), files);
  if (!read)
    return invalid(read.takeError()).in(model.getName());
  OwningOpRef<ModuleOp> module = std::move(*read);
  if (!module)
    return context.getError(DML_ERROR_INVALID_ARGUMENT, "it does not parse")
        .in(model.getName());
  Image image;
  DML_TRY(addFiles(model, files, image));
  for (const std::shared_ptr<llvm::MemoryBuffer> &beside : files)
    mapped.push_back({beside->getBufferStart(), beside->getBufferSize()});
  Places places = findPlaces(*module, mapped);
  renameTensors(*module);
  FailureOr<ExecutableImage> code = compileToImage(
      *module, options, /*deviceProfiles=*/{}, [&](PassManager &pm) {
        pm.addInstrumentation(
            std::make_unique<ProgressInstrumentation>(progress, pm));
        return success();
      });
  if (progress.isCancelled())
    return progress.begin("compiling", 0);
  for (const std::string &warning : context.getWarnings())
    messages.warn(model.getName() + ": " + warning);
  if (failed(code))
    return context.getError(DML_ERROR_UNSUPPORTED, "the compiler fails")
        .in(model.getName());
  image.executable = code->join();
  DML_TRY(addWeights(&context.get(), places, image));
  return image;
}
