//===- dml-compile.cpp - The ahead-of-time compiler -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "dml/Executable/Executable.h"
#include "dml/IR/ConstantData.h"
#include "dml/IR/DML.h"
#include "dml/IR/InPlace.h"
#include "dml/IR/Ownership.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Target/DeviceProfile.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "dml/Target/TuningTable.h"
#include "dml/Transforms/Passes.h"
#include "dml/runtime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "support/CompilerCommandLine.h"
#include "support/File.h"
#include "support/Module.h"
#include "support/ModuleFunction.h"
#include "support/ProfileAtHand.h"
#include "support/SizeOptions.h"
#include "support/ToolError.h"
#include "support/TuningOptions.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using dml::tools::emitToolError;
using dml::tools::ExitCode;
namespace cl = llvm::cl;

namespace {
enum class Stage { Linalg, GPU, SPIRV, SPIRVBinary, Executable };
} // namespace

static cl::OptionCategory category("dml-compile options");

static cl::opt<std::string>
    inputFile(cl::Positional, cl::Required,
              cl::desc("<input.mlir, .mlirbc, .onnx, .json, .bin or ->"),
              cl::cat(category));

static cl::opt<std::string>
    outputFile("o", cl::desc("File to write (default: standard output)"),
               cl::value_desc("file"), cl::init("-"), cl::cat(category));

static cl::opt<Stage> stage(
    "emit", cl::desc("What to write:"), cl::init(Stage::Executable),
    cl::values(
        clEnumValN(Stage::Linalg, "linalg", "linalg on tensors, as MLIR"),
        clEnumValN(Stage::GPU, "gpu", "GPU kernels on buffers, as MLIR"),
        clEnumValN(Stage::SPIRV, "spirv", "SPIR-V kernels, as MLIR"),
        clEnumValN(Stage::SPIRVBinary, "spirv-binary",
                   "the SPIR-V binary of the one kernel; of each kernel, "
                   "in the folder that -o names, which is made, where there "
                   "are several"),
        clEnumValN(Stage::Executable, "dmlx",
                   "the executable that the runtime loads (the default)")),
    cl::cat(category));

static cl::list<std::string> deviceProfiles(
    "device-profile",
    cl::desc(
        "Devices to generate code for: 'full' (every feature that a kernel "
        "may need) or 'minimal' (none), then any number of "
        "',+feature' or ',-feature' under Vulkan's names: full,-shaderFloat64 "
        "(default: what dml_device.profile says in the input, else full). "
        "Of several profiles each is a variant in the executable, of which "
        "a device runs the first that it can"),
    cl::value_desc("profile"), cl::cat(category));

static cl::opt<std::string> deviceAtHand(
    "device",
    cl::desc("Generate code for a Vulkan device of this machine: a part of its "
             "name, its number or its UUID, or 'native', the first GPU, else "
             "the first device. With --device-profile, the device's variant is "
             "the first one"),
    cl::value_desc("name|native"), cl::cat(category));

static cl::opt<std::string> defaultProfile(
    "default-device-profile",
    cl::desc("The device profile of an input that states none, where no other "
             "option does, for dml-run"),
    cl::value_desc("profile"), cl::Hidden, cl::cat(category));

static cl::opt<std::string> featureLevel(
    "feature-level",
    cl::desc("Feature level that the operators must keep to, such as 5_0 "
             "(default: what dml.target says in the input, else the newest)"),
    cl::value_desc("level"), cl::cat(category));

static cl::opt<bool> legalize(
    "legalize",
    cl::desc("Rewrite operators that --feature-level does not support by ones "
             "that it does, where values can be kept"),
    cl::cat(category));

static cl::opt<std::string> externalWeights(
    "external-weights", cl::ValueOptional,
    cl::desc("Leave the bytes of large constants out of the executable, which "
             "has their names, types and shapes; the program that runs it "
             "binds them. They are written to the file, if one is named, for "
             "dml-run --weights"),
    cl::value_desc("file"), cl::cat(category));

static cl::opt<std::string> spilledWeights(
    "spill-weights",
    cl::desc("As --external-weights=FILE, but only where the constants have "
             "more bytes than an executable can hold"),
    cl::value_desc("file"), cl::cat(category));

static cl::opt<uint64_t>
    spillLimit("spill-limit",
               cl::desc("The bytes of constants from which --spill-weights "
                        "takes effect, for tests"),
               cl::value_desc("bytes"), cl::init(dml::maxConstantBytes),
               cl::Hidden, cl::cat(category));

static dml::tools::CallerOption callerName(category);
static dml::tools::SizeOptions sizeOptions(category);

static cl::opt<std::string> commandsFile(
    "commands",
    cl::desc("Write what a JSON model says to do with its functions, for "
             "dml-run"),
    cl::value_desc("file"), cl::Hidden, cl::cat(category));

static cl::opt<int> consultedSocket(
    "consult",
    cl::desc("The descriptor of a socket over which dml-run is "
             "told of the functions, and says whether to go on"),
    cl::value_desc("descriptor"), cl::init(-1), cl::Hidden, cl::cat(category));

static cl::opt<bool> printsOpen(
    "print-open-signature",
    cl::desc("Of an ONNX model that leaves sizes open, print the inputs and "
             "outputs, and compile nothing, for dml-run"),
    cl::Hidden, cl::cat(category));

static cl::list<std::string> addedFunctions(
    "add-function",
    cl::desc("Compile the one function of another file into the same "
             "executable, under this name; may be repeated. Weights that are "
             "equal stand there once: a decoder for several lengths is one "
             "executable"),
    cl::value_desc("name=file"), cl::cat(category));

static cl::list<std::string> functionDimensions(
    "function-dim",
    cl::desc("The size of a symbolic dimension in one function of "
             "--add-function, where --dim states none or another "
             "(--input-shape is for the input file alone)"),
    cl::value_desc("function:name=size"), cl::cat(category));

static cl::list<std::string> inPlace(
    "in-place",
    cl::desc("Write an output in the buffer of an input of the same type, by "
             "their names; may be repeated. A decoder's cache of keys that is "
             "an input and an output then moves its new positions alone. The "
             "function is the only one, else 'main'. A pair that may not share "
             "a buffer is an error that names the operator"),
    cl::value_desc("output=input"), cl::cat(category));

static cl::opt<std::string> ortOptimizations(
    "ort-optimizations",
    cl::desc("Fuse operators of an ONNX model as ONNX Runtime's optimizations "
             "for its DirectML provider do: 'none' (the default), or 'all' of "
             "those that docs/ONNXModels.md lists"),
    cl::value_desc("none|all"), cl::init("none"), cl::cat(category));

static cl::opt<std::string> tuningFile(
    "tuning",
    cl::desc("A table of kernels that dml-tune has measured on a device, which "
             "are taken in the place of those that the models of time choose"),
    cl::value_desc("file"), cl::cat(category));

static dml::tools::TuningOptions tuningOptions(category);

static ExitCode write(llvm::StringRef path, llvm::StringRef data) {
  std::string error;
  if (!dml::tools::writeOutput(path.str(), data, error))
    return emitToolError(error, dml::tools::kExitNotWritten);
  return dml::tools::kExitDone;
}

template <typename T>
static ExitCode writeBytes(llvm::StringRef path, const std::vector<T> &data) {
  return write(path, {reinterpret_cast<const char *>(data.data()),
                      data.size() * sizeof(T)});
}

static ExitCode writeKernels(ModuleOp module) {
  FailureOr<std::vector<dml::KernelBinary>> kernels =
      dml::serializeKernels(module);
  if (failed(kernels))
    return dml::tools::kExitNo;
  if (kernels->size() == 1 && !llvm::sys::fs::is_directory(outputFile))
    return writeBytes(outputFile, kernels->front().code);
  if (outputFile == "-")
    return emitToolError("the module has " + llvm::Twine(kernels->size()) +
                         " kernels; name a folder with -o to write one file "
                         "for each");
  if (std::error_code code = llvm::sys::fs::create_directories(outputFile))
    return emitToolError(
        "cannot make the folder '" + outputFile + "' for the files of " +
            llvm::Twine(kernels->size()) + " kernels: " + code.message(),
        dml::tools::kExitNotWritten);
  for (auto [index, kernel] : llvm::enumerate(*kernels)) {
    llvm::SmallString<128> path(outputFile);
    llvm::sys::path::append(path,
                            llvm::Twine(index) + "." + kernel.name + ".spv");
    if (ExitCode code = writeBytes(path, kernel.code))
      return code;
  }
  return dml::tools::kExitDone;
}

/// Whether the runtime accepts the executable. An executable that the runtime
/// refuses is not written. The bytes of constants, which may be many, are not
/// checked.
static bool isReadable(const dml::ExecutableImage &image) {
  uint64_t size = 0;
  for (auto [_, bytes] : image.pieces)
    size += bytes;
  if (size >= INT32_MAX) {
    emitToolError("the executable would have " + llvm::Twine(size) +
                  " bytes, but wanted are fewer than " +
                  llvm::Twine(INT32_MAX) +
                  " (--external-weights leaves weights out)");
    return false;
  }
  DmlExecutable executable = nullptr;
  DmlError error = nullptr;
  DmlResult result = dmlCreateExecutable(image.withoutConstants.data(),
                                         image.withoutConstants.size(), nullptr,
                                         &executable, &error);
  dmlDestroyExecutable(executable);
  if (result != DML_SUCCESS)
    emitToolError(llvm::Twine("the module has no executable that the runtime "
                              "takes: ") +
                  dmlGetErrorMessage(error));
  dmlDestroyError(error);
  return result == DML_SUCCESS;
}

/// Writes the executable. The constants are written from their place in the
/// module, without a copy.
static ExitCode writeExecutable(const dml::ExecutableImage &image) {
  if (outputFile == "-")
    return writeBytes(outputFile, image.join());
  std::string error;
  if (!dml::tools::writeFile(outputFile, image.pieces, error))
    return emitToolError(error, dml::tools::kExitNotWritten);
  return dml::tools::kExitDone;
}

/// Writes the bytes of the weights that `executable` lacks, at the offsets that
/// the executable states.
static ExitCode writeWeights(MLIRContext *context,
                             const std::vector<uint8_t> &bytes) {
  DmlExecutable executable = nullptr;
  dmlCreateExecutable(bytes.data(), bytes.size(), nullptr, &executable,
                      nullptr);
  auto destroy = llvm::scope_exit([&] { dmlDestroyExecutable(executable); });
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  auto &blobs = DenseResourceElementsHandle::getManagerInterface(context)
                    .getBlobManager();
  static const std::vector<char> padding(dml::DeviceProfile::rangeAlignment);
  std::vector<std::pair<const void *, size_t>> pieces;
  uint64_t end = 0;
  for (uint32_t i = 0; i < info.weightCount; ++i) {
    DmlWeightInfo weight{};
    dmlGetWeightInfo(executable, i, &weight, nullptr);
    auto *entry = blobs.lookup(weight.tensor.name);
    AsmResourceBlob *blob = entry ? entry->getBlob() : nullptr;
    if (!blob || blob->getData().size() != weight.tensor.byteSize)
      return emitToolError("the weight '" + llvm::Twine(weight.tensor.name) +
                           "' has no bytes in the module that could be written "
                           "to '" +
                           externalWeights + "'");
    for (uint64_t gap = weight.fileOffset - end; gap != 0;) {
      uint64_t size = std::min<uint64_t>(gap, padding.size());
      pieces.emplace_back(padding.data(), size);
      gap -= size;
    }
    pieces.emplace_back(blob->getData().data(), blob->getData().size());
    end = weight.fileOffset + weight.tensor.byteSize;
  }
  std::string error;
  if (!dml::tools::writeFile(externalWeights, pieces, error))
    return emitToolError(error, dml::tools::kExitNotWritten);
  return dml::tools::kExitDone;
}

/// The bytes of the constants that the module refers to, each once.
static uint64_t countResourceBytes(ModuleOp module) {
  llvm::SmallDenseSet<Attribute> seen;
  uint64_t bytes = 0;
  module.walk([&](arith::ConstantOp constant) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    if (!resource || !seen.insert(resource).second)
      return;
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes += blob->getData().size();
  });
  return bytes;
}

/// Writes the pairs of --in-place on the function that has them.
static ExitCode requestInPlace(ModuleOp module) {
  if (inPlace.empty())
    return dml::tools::kExitDone;
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      functions.push_back(function);
  func::FuncOp function;
  for (func::FuncOp other : functions)
    if (functions.size() == 1 || other.getName() == "main")
      function = other;
  if (!function)
    return emitToolError("--in-place=" + llvm::Twine(inPlace.front()) +
                         " wants a module with one function, or with one that "
                         "is called 'main'");
  SmallVector<dml::InPlacePair> pairs;
  for (const std::string &text : inPlace) {
    FailureOr<dml::InPlacePair> pair = dml::parseInPlace(function, text);
    if (failed(pair))
      return dml::tools::kExitInvalid;
    pairs.push_back(*pair);
  }
  return failed(dml::setInPlace(function, pairs)) ? dml::tools::kExitInvalid
                                                  : dml::tools::kExitDone;
}

static ExitCode compile(ModuleOp module, const dml::CompilerOptions &options,
                        dml::tools::Progress &progress) {
  DefaultTimingManager timing;
  applyDefaultTimingManagerCLOptions(timing);
  TimingScope scope = timing.getRootScope();
  auto configure = [&](PassManager &pm) {
    pm.enableTiming(scope);
    return applyPassManagerCLOptions(pm);
  };
  FailureOr<dml::ExecutableImage> image = failure();
  dml::Stage to = stage == Stage::Linalg ? dml::Stage::Linalg
                  : stage == Stage::GPU  ? dml::Stage::GPU
                                         : dml::Stage::SPIRV;
  if (stage == Stage::Executable)
    image = dml::compileToImage(module, options, deviceProfiles, configure);
  else if (failed(dml::compileTo(module, to, options, configure)))
    return dml::tools::kExitNo;

  switch (stage) {
  case Stage::Linalg:
  case Stage::GPU:
  case Stage::SPIRV: {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    progress.clear();
    return write(outputFile, text);
  }
  case Stage::SPIRVBinary:
    return writeKernels(module);
  case Stage::Executable:
    progress.clear();
    if (failed(image) || !isReadable(*image))
      return dml::tools::kExitNo;
    if (!externalWeights.empty())
      if (ExitCode code = writeWeights(module.getContext(), image->join()))
        return code;
    return writeExecutable(*image);
  }
  llvm_unreachable("unknown stage");
}

/// Returns the name in "NAME=SIZE". The name itself may contain "=".
static llvm::StringRef getDimensionName(llvm::StringRef text) {
  return text.rsplit('=').first;
}

/// Checks that each --function-dim names a function of --add-function, and that
/// no two of them state the same dimension of a function.
static ExitCode checkFunctionDimensions() {
  llvm::StringSet<> names;
  for (llvm::StringRef text : functionDimensions) {
    auto [name, dimension] = text.split(':');
    if (name.empty() || dimension.empty())
      return emitToolError("--function-dim=" + text +
                           ": wanted is FUNCTION:NAME=SIZE");
    if (!names.insert(getDimensionName(text)).second)
      return emitToolError("--function-dim states '" + getDimensionName(text) +
                           "' twice");
    if (llvm::none_of(addedFunctions, [name = name](llvm::StringRef added) {
          return added.split('=').first == name;
        }))
      return emitToolError("--function-dim=" + text +
                           ": --add-function adds no function '" + name + "'");
  }
  return dml::tools::kExitDone;
}

/// Returns the sizes for the function `name` of --add-function: those of
/// --function-dim, and those of --dim for all other dimensions.
static std::vector<std::string> getDimensions(llvm::StringRef name) {
  std::vector<std::string> sizes;
  llvm::StringSet<> names;
  for (llvm::StringRef text : functionDimensions)
    if (auto [function, dimension] = text.split(':'); function == name) {
      sizes.push_back(dimension.str());
      names.insert(getDimensionName(dimension));
    }
  for (llvm::StringRef dimension : sizeOptions.dimensions)
    if (!names.contains(getDimensionName(dimension)))
      sizes.push_back(dimension.str());
  return sizes;
}

/// Reads the model of `text`, "name=file", and moves its function to `module`.
static ExitCode addFunction(dml::tools::Console &console, ModuleOp module,
                            llvm::StringRef text) {
  auto [name, file] = text.split('=');
  if (name.empty() || file.empty())
    return emitToolError("--add-function=" + text + ": wanted is NAME=FILE");
  std::vector<std::string> dimensions = getDimensions(name);
  dml::tools::LoadOptions load;
  load.optimize = ortOptimizations == "all";
  OwningOpRef<ModuleOp> other = dml::tools::loadModule(
      console, file, {dimensions, /*shapes=*/{}, /*otherwise=*/std::nullopt},
      ParserConfig(module.getContext()), load);
  if (!other)
    return dml::tools::kExitInvalid;
  auto functions = llvm::to_vector(other->getOps<func::FuncOp>());
  if (functions.size() != 1 || !llvm::hasSingleElement(*other->getBody()))
    return emitToolError("--add-function=" + text + ": the file has " +
                         llvm::Twine(functions.size()) +
                         " functions, but wanted is one, and nothing beside "
                         "it");
  if (module.lookupSymbol(name))
    return emitToolError("--add-function=" + text +
                         ": there is a function of that name already");
  functions.front().setName(name);
  functions.front()->moveBefore(module.getBody(), module.getBody()->end());
  return dml::tools::kExitDone;
}

/// Finds the device that --device names, and puts its profile in front of all
/// other profiles.
static ExitCode addProfileAtHand() {
  DmlInstance instance = nullptr;
  DmlError error = nullptr;
  auto destroy = llvm::scope_exit([&] {
    dmlDestroyInstance(instance);
    dmlDestroyError(error);
  });
  if (dmlCreateInstance(/*info=*/nullptr, &instance, &error) != DML_SUCCESS)
    return emitToolError(llvm::Twine("--device=") + deviceAtHand + ": " +
                             dmlGetErrorMessage(error),
                         dml::tools::kExitNo);
  dml::tools::ProfileAtHand found = dml::tools::findProfileAtHand(
      instance, deviceAtHand == "native" ? "" : deviceAtHand.getValue());
  if (!found.error.empty())
    return emitToolError("--device=" + deviceAtHand + ": " + found.error);
  dml::tools::emitToolWarning(found.warning);
  deviceProfiles.insert(deviceProfiles.begin(), found.profile);
  return dml::tools::kExitDone;
}

static ExitCode run() {
  if (!deviceAtHand.empty())
    if (ExitCode code = addProfileAtHand())
      return code;
  for (const std::string &profile : deviceProfiles)
    if (llvm::Expected<dml::DeviceProfile> parsed =
            dml::DeviceProfile::parse(profile);
        !parsed)
      return emitToolError(llvm::toString(parsed.takeError()));
  if (deviceProfiles.size() > 1 && stage != Stage::Executable)
    return emitToolError("there are " + llvm::Twine(deviceProfiles.size()) +
                         " device profiles, but only an executable "
                         "(--emit=dmlx) has variants: name one");

  if (!featureLevel.empty() && !dml::parseFeatureLevel(featureLevel))
    return emitToolError(dml::describeUnknownFeatureLevel(featureLevel));
  if (legalize && featureLevel.empty())
    return emitToolError(
        "--legalize wants the level to reach: --feature-level");

  if (!spilledWeights.empty() && stage != Stage::Executable)
    return emitToolError("--spill-weights=" + llvm::Twine(spilledWeights) +
                         ": weights are written beside an executable "
                         "(--emit=dmlx)");
  if (!externalWeights.empty() && stage != Stage::Executable)
    return emitToolError("--external-weights=" + llvm::Twine(externalWeights) +
                         ": weights are written beside an executable "
                         "(--emit=dmlx)");

  if (ortOptimizations != "none" && ortOptimizations != "all")
    return emitToolError(
        "--ort-optimizations=" + llvm::Twine(ortOptimizations) +
        ": wanted is none or all");

  dml::CompilerOptions tuning;
  tuningOptions.copyTo(tuning);
  if (std::string error = dml::describeWrongOption(tuning); !error.empty())
    return emitToolError(error);

  std::string tuningText;
  if (!tuningFile.empty()) {
    llvm::Expected<dml::TuningTable> table = dml::TuningTable::read(tuningFile);
    if (!table)
      return emitToolError(llvm::toString(table.takeError()));
    tuningText = table->str();
  }

  if (ExitCode code = checkFunctionDimensions())
    return code;

  bool isBinary = stage == Stage::SPIRVBinary || stage == Stage::Executable;
  if (isBinary && outputFile == "-" &&
      llvm::sys::Process::StandardOutIsDisplayed())
    return emitToolError("the output is binary and standard output a terminal; "
                         "name a file with -o");

  DialectRegistry registry;
  dml::registerCompilerDialects(registry);
  // The context and its objects are never destroyed, which would take a
  // twentieth of the time. The process ends in any case.
  static auto *context = new MLIRContext(registry);
  // Unregistered operations are parsed, so that the compiler can name the
  // operation that it cannot compile.
  context->allowUnregisteredDialects();
  // A message names what it is about; a whole function after it hides it.
  context->printOpOnDiagnostic(false);
  dml::tools::Console console(dml::tools::toolName(), context);
  dml::directml::Commands commands;
  dml::tools::LoadOptions load;
  load.commands = &commands;
  load.optimize = ortOptimizations == "all";
  std::vector<dml::tools::AbsentInput> absent;
  load.absent = &absent;
  std::string declaration;
  if (printsOpen)
    load.declaration = &declaration;
  static ModuleOp module =
      dml::tools::loadModule(console, inputFile, sizeOptions.get(),
                             ParserConfig(context), load)
          .release();
  if (!declaration.empty()) {
    console.progress.clear();
    llvm::outs() << declaration;
    return dml::tools::kExitDone;
  }
  if (!module)
    return dml::tools::kExitInvalid;
  if (consultedSocket >= 0) {
    // Owned inputs are weights. Where one function has some, or has types that
    // a command line cannot name, nothing is told of any, since the choice of a
    // function depends on all.
    auto publicOnes = llvm::make_filter_range(
        module.getOps<func::FuncOp>(), [](func::FuncOp function) {
          return function.isPublic() && !function.isDeclaration();
        });
    bool isTold = llvm::all_of(publicOnes, [](func::FuncOp function) {
      return dml::tools::hasPlainTypes(function) &&
             llvm::none_of(
                 llvm::seq(function.getNumArguments()), [&](unsigned index) {
                   return bool(function.getArgAttr(index, dml::ownedAttrName));
                 });
    });
    std::vector<dml::tools::FunctionSignature> functions;
    for (func::FuncOp function : publicOnes)
      if (isTold)
        functions.push_back(dml::tools::describe(function, absent));
    if (!dml::tools::consult(consultedSocket, functions))
      return dml::tools::kExitNo;
  }
  for (const std::string &text : addedFunctions)
    if (ExitCode code = addFunction(console, module, text))
      return code;
  if (!commandsFile.empty())
    if (ExitCode code =
            writeBytes(commandsFile, dml::tools::serializeCommands(commands)))
      return code;

  if (ExitCode code = requestInPlace(module))
    return code;

  bool isExternal = externalWeights.getNumOccurrences() > 0;
  if (!isExternal && !spilledWeights.empty() &&
      countResourceBytes(module) > spillLimit) {
    externalWeights = spilledWeights;
    isExternal = true;
  }
  dml::CompilerOptions options;
  options.featureLevel = featureLevel.getValue();
  options.legalize = legalize.getValue();
  if (deviceProfiles.empty() && !defaultProfile.empty() &&
      !module->hasAttr(dml::deviceProfileAttrName))
    deviceProfiles.push_back(defaultProfile);
  if (!deviceProfiles.empty())
    options.deviceProfile = deviceProfiles.front();
  options.externalWeights = isExternal;
  tuningOptions.copyTo(options);
  options.tuning = tuningText;
  console.progress.begin("compiling " + inputFile);
  return compile(module, options, console.progress);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  // MLIR's own options are shown by --help-hidden alone.
  for (auto [name, option] : cl::getRegisteredOptions())
    if (name.starts_with("mlir-"))
      option->setHiddenFlag(cl::Hidden);
  if (!dml::tools::parseCompilerCommandLine(
          argc, argv,
          "dml-compile: compiles DirectML operators ahead of time\n\n"
          "  dml-compile model.mlir -o model.dmlx\n"
          "  dml-compile model.mlir --emit=linalg\n"
          "  dml-compile model.mlir --device-profile=full,-shaderFloat64 -o "
          "model.dmlx\n"
          "  dml-compile model.mlir --device-profile=full "
          "--device-profile=minimal -o model.dmlx\n"
          "  dml-compile model.mlir --device=native --device-profile=full -o "
          "model.dmlx\n\n"
          "Reads a module of dml operators in functions on tensors and writes "
          "the\n"
          "executable that dml-run and the runtime load, or a stage on the "
          "way.\n"
          "ONNX models, JSON models of DxDispatch (.json) and serialized "
          "graphs "
          "of\n"
          "DirectML (.bin) are such modules, too.\n"
          "--help-hidden has MLIR's options too: --mlir-timing and others.\n",
          &category))
    return dml::tools::kExitInvalid;
  return run();
}
