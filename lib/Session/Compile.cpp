//===- Compile.cpp - From a model to a program's image --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Preparation.h"
#include "Tuner.h"
#include "dml/IR/DML.h"
#include "dml/IR/FileMemory.h"
#include "dml/IR/InPlace.h"
#include "dml/IR/Ownership.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinDialect.h"
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
  latest = std::max(latest, fraction);
  if (!cancelled && callback && !callback(userData, name, latest))
    cancelled = true;
  return check();
}

Status Progress::check() const {
  return cancelled
             ? Status(DML_ERROR_CANCELLED,
                      "the caller's progress callback has cancelled the call")
             : Status();
}

namespace {
/// Asks the caller before each pass of a module whether to go on.
class ProgressInstrumentation : public PassInstrumentation {
public:
  ProgressInstrumentation(Progress &progress, const PassManager &pm,
                          float begin, float end)
      : progress(progress), pm(pm), begin(begin), end(end),
        thread(llvm::get_threadid()) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    // Passes of functions and kernels run on other threads.
    if (!isa<ModuleOp>(op) || llvm::get_threadid() != thread)
      return;
    float part = static_cast<float>(count++) / static_cast<float>(pm.size());
    float fraction = begin + (end - begin) * std::min(part, 1.0f);
    if (!progress.begin("compiling", fraction).ok())
      (pass->*&Access::signalPassFailure)();
  }

private:
  /// A pass is failed from outside: no pass is begun after it.
  struct Access : Pass {
    using Pass::signalPassFailure;
  };

  Progress &progress;
  const PassManager &pm;
  float begin, end;
  uint64_t thread;
  unsigned count = 0;
};
} // namespace

void dml::session::addProgress(PassManager &pm, Progress &progress, float begin,
                               float end) {
  pm.addInstrumentation(
      std::make_unique<ProgressInstrumentation>(progress, pm, begin, end));
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

Status dml::session::setOption(const DmlNamedValue &option, Model &model,
                               CompilerOptions &options) {
  llvm::StringRef name = option.name ? option.name : "";
  llvm::StringRef value = option.value ? option.value : "";
  if (model.getExecutable())
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the option '", name.str(),
                     "' is for the compiler, but '", model.getName(),
                     "' is compiled already");
  if (name == "external-weights")
    return makeError(DML_ERROR_INVALID_ARGUMENT,
                     "the option 'external-weights' is dml-compile's own; a "
                     "session has all weights apart from programs, and "
                     "dmlCompileModel has them in the executable");
  if (name == "tuning") {
    llvm::Expected<TuningTable> table = TuningTable::read(value);
    if (!table)
      return invalid(table.takeError());
    options.tuning = table->str();
    return Status();
  }
  if (name == "ort-optimizations" && (value == "all" || value == "none"))
    return model.setOptimized(value == "all");
  if (failed(setCompilerOption(options, name, value)))
    return makeError(DML_ERROR_INVALID_ARGUMENT, "there is no option '",
                     name.str(), "' with the value '", value.str(),
                     "'; wanted is one of dml-compile's");
  return Status();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Renames the tensors of functions that have the name of a constant, so that
/// each weight can have the name of its constant. A session identifies tensors
/// by their order, and not by these names.
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
using Places = llvm::StringMap<WeightSource>;
} // namespace

/// Returns where in `sources`, which stand in any order and may overlap, the
/// bytes of the constants are, by their names.
static Places findPlaces(ModuleOp module, SmallVector<MappedSource> sources) {
  Places places;
  llvm::sort(sources, [](const MappedSource &a, const MappedSource &b) {
    return std::pair(a.begin, a.size) < std::pair(b.begin, b.size);
  });
  module.walk([&](arith::ConstantOp op) {
    auto value = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    AsmResourceBlob *blob = value ? value.getRawHandle().getBlob() : nullptr;
    if (!blob)
      return;
    const char *data = blob->getData().data();
    // The source that begins last at or before the bytes, and the largest such.
    auto after = llvm::upper_bound(
        sources, data, [](const char *data, const MappedSource &source) {
          return data < source.begin;
        });
    if (after == sources.begin())
      return;
    const MappedSource &source = *std::prev(after);
    uint64_t offset = static_cast<uint64_t>(data - source.begin);
    uint64_t size = blob->getData().size();
    if (offset < source.size && size <= source.size - offset)
      places[value.getRawHandle().getKey()] = {source.kind, source.index,
                                               offset, size};
  });
  return places;
}

namespace {
/// Finds the bytes of weights by their names.
class WeightFinder {
public:
  WeightFinder(MLIRContext *context, Places places, Image &image)
      : context(context), places(std::move(places)), image(image) {}

  /// Declares that the weight `name` is result `index` of the preparation.
  void addPrepared(StringRef name, uint32_t index) {
    places[name] = {WeightSource::Kind::Prepared, index, 0, 0};
  }
  /// Returns the place of the bytes of the weight `tensor`. Bytes that are in
  /// no file are copied to the image.
  Expected<WeightSource> find(const DmlTensorInfo &tensor);

private:
  MLIRContext *context;
  Places places;
  Image &image;
};
} // namespace

Expected<WeightSource> WeightFinder::find(const DmlTensorInfo &tensor) {
  auto place = places.find(tensor.name);
  if (place != places.end() &&
      place->second.kind == WeightSource::Kind::Prepared)
    return place->second;
  WeightSource source;
  source.size = tensor.byteSize;
  auto &blobs = DenseResourceElementsHandle::getManagerInterface(context)
                    .getBlobManager();
  auto *entry = blobs.lookup(tensor.name);
  AsmResourceBlob *blob = entry ? entry->getBlob() : nullptr;
  if (!blob)
    return source;
  ArrayRef<char> data = blob->getData();
  if (data.size() != source.size)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the weight '",
                     runtime::escape(tensor.name), "' has ", data.size(),
                     " bytes in the model, but wanted are ", source.size);
  if (place != places.end())
    return place->second;
  FileMemory::want(data);
  source.kind = WeightSource::Kind::Own;
  source.offset = image.bytes.size();
  image.bytes.insert(image.bytes.end(), data.begin(), data.end());
  // Another executable of the image may read the weight, too.
  places[tensor.name] = source;
  return source;
}

/// Finds the weights of the executable, and the inputs of the preparation.
static Status addWeights(WeightFinder &finder, Image &image) {
  auto executable = openExecutable(image.executable);
  if (!executable)
    return executable.status();
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable->get(), &info);
  for (uint32_t i = 0; i < info.weightCount; ++i) {
    DmlWeightInfo weight{};
    DML_TRY(call(dmlGetWeightInfo, executable->get(), i, &weight));
    Expected<WeightSource> source = finder.find(weight.tensor);
    if (!source)
      return source.status();
    image.weights.push_back(*source);
  }
  return Status();
}

/// Adds the inputs of the preparation, whose results `results` describes.
static Status addPreparation(WeightFinder &finder,
                             ArrayRef<Preparation::Result> results,
                             Image &image) {
  auto executable = openExecutable(image.preparation);
  if (!executable)
    return executable.status();
  DmlFunctionInfo info{};
  DML_TRY(call(dmlGetFunctionInfo, executable->get(), 0u, &info));
  llvm::StringMap<uint32_t> numbers;
  for (uint32_t i = 0; i < info.inputCount; ++i) {
    DmlTensorInfo input{};
    DML_TRY(call(dmlGetInputInfo, executable->get(), 0u, i, &input));
    numbers[input.name] = i;
    Expected<WeightSource> source = finder.find(input);
    if (!source)
      return source.status();
    image.preparationWeights.push_back(*source);
  }
  for (const Preparation::Result &result : results) {
    PreparedWeight prepared{result.computation, {}};
    for (const std::string &name : result.weights)
      prepared.weights.push_back(numbers.lookup(name));
    image.prepared.push_back(std::move(prepared));
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Compiles a module of linalg on tensors to an executable. `tuner` measures
/// its kernels, or is null; what it cannot do sets `untuned`.
static FailureOr<std::vector<uint8_t>>
compileKernels(ModuleOp module, const CompilerOptions &options, Tuner *tuner,
               Status &untuned, Progress &progress, float begin, float end) {
  CompilerOptions tuned;
  tuned.copyOptionValuesFrom(options);
  // Measuring takes most of the time.
  float size = end - begin, middle = begin + size * (tuner ? 0.1f : 0.5f),
        measured = tuner ? begin + size * 0.9f : middle;
  PassManager toDispatches(module.getContext());
  addProgress(toDispatches, progress, begin, middle);
  buildLinalgToDispatchesPipeline(toDispatches, options);
  if (failed(runPasses(toDispatches, module)))
    return failure();
  if (tuner) {
    Expected<std::string> table =
        tuner->tune(module, options, progress, middle, measured);
    if (!table) {
      untuned = table.status();
      return failure();
    }
    tuned.tuning = *table;
  }
  PassManager toKernels(module.getContext());
  addProgress(toKernels, progress, measured, end);
  buildDispatchesToGPUPipeline(toKernels, tuned);
  buildGPUToSPIRVPipeline(toKernels, tuned);
  if (failed(runPasses(toKernels, module)))
    return failure();
  return exportExecutable(
      module, getDeviceProfile(module).getMaxMemoryAllocationSize());
}

/// Compiles `module` to the executables of `image`.
static LogicalResult compileModule(ModuleOp module,
                                   const CompilerOptions &options, Tuner *tuner,
                                   Status &untuned, Progress &progress,
                                   Preparation &preparation, Image &image) {
  if (failed(
          compileTo(module, dml::Stage::Linalg, options, [&](PassManager &pm) {
            addProgress(pm, progress, 0.05f, 0.15f);
            return success();
          })))
    return failure();
  preparation = takePreparation(module);
  float middle = preparation.module ? 0.5f : 0.6f;
  auto executable =
      compileKernels(module, options, tuner, untuned, progress, 0.15f, middle);
  if (failed(executable))
    return failure();
  image.executable = std::move(*executable);
  if (!preparation.module)
    return success();
  executable = compileKernels(*preparation.module, options, /*tuner=*/nullptr,
                              untuned, progress, middle, 0.6f);
  if (failed(executable))
    return failure();
  image.preparation = std::move(*executable);
  return success();
}

/// Asks for the outputs of `shared` in the buffers of inputs.
static LogicalResult shareBuffers(ModuleOp module, const Model &model,
                                  ArrayRef<SharedBuffer> shared) {
  auto function = module.lookupSymbol<func::FuncOp>(model.getFunction());
  if (shared.empty() || !function)
    return success();
  // Owned tensors are arguments, but no inputs.
  SmallVector<unsigned> inputs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttr(i, ownedAttrName))
      inputs.push_back(i);
  SmallVector<InPlacePair> pairs;
  for (auto [input, output] : shared)
    if (input < inputs.size() && output < function.getNumResults())
      pairs.push_back({inputs[input], output});
  return setInPlace(function, pairs);
}

Expected<Image> dml::session::compile(
    const Model &model, const std::map<std::string, int64_t> &dimensions,
    llvm::ArrayRef<SharedBuffer> shared, const CompilerOptions &options,
    Tuner *tuner, Progress &progress, Messages &messages) noexcept {
  DML_TRY(progress.begin("reading the model", 0));
  Expected<std::unique_ptr<llvm::MemoryBuffer>> file = model.getBytes();
  if (!file)
    return file.status();
  ReadFiles files(model, **file);
  CompilerContext context;
  auto read = model.read(std::move(*file), dimensions, &context.get(),
                         files.beside, files.weights);
  Status unread = read ? Status() : invalid(read.takeError());
  // What is wrong with a model may be that its file changes.
  DML_TRY(files.check());
  if (!unread.ok())
    return unread.in(model.getName());
  OwningOpRef<ModuleOp> module = std::move(*read);
  if (!module)
    return context.getError(DML_ERROR_INVALID_ARGUMENT, "it does not parse")
        .in(model.getName());
  return compileRead(model, files, context, *module, shared, options, tuner,
                     progress, messages);
}

Expected<Image> dml::session::compileRead(const Model &model, ReadFiles &files,
                                          CompilerContext &context,
                                          ModuleOp module,
                                          llvm::ArrayRef<SharedBuffer> shared,
                                          const CompilerOptions &options,
                                          Tuner *tuner, Progress &progress,
                                          Messages &messages) noexcept {
  Image image;
  DML_TRY(files.addTo(image));
  Places places = findPlaces(module, files.list());
  LogicalResult result = shareBuffers(module, model, shared);
  renameTensors(module);
  Preparation preparation;
  Status untuned;
  if (succeeded(result))
    result = compileModule(module, options, tuner, untuned, progress,
                           preparation, image);
  DML_TRY(progress.check());
  DML_TRY_IN(std::move(untuned), model.getName());
  DML_TRY(files.check());
  for (const std::string &warning : context.getWarnings())
    messages.warn(model.getName() + ": " + warning);
  if (failed(result))
    return context.getError(DML_ERROR_UNSUPPORTED, "the compiler fails")
        .in(model.getName());
  WeightFinder finder(&context.get(), std::move(places), image);
  if (preparation.module) {
    DML_TRY(addPreparation(finder, preparation.results, image));
    for (auto [index, prepared] : llvm::enumerate(preparation.results))
      finder.addPrepared(prepared.name, index);
  }
  DML_TRY(addWeights(finder, image));
  DML_TRY(files.check());
  return image;
}
