//===- dml-run.cpp - Run a function of a compiled program -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Compile.h"
#include "Devices.h"
#include "Options.h"
#include "support/Arguments.h"
#include "support/CommandLine.h"
#include "support/Escape.h"
#include "support/File.h"
#include "support/FunctionText.h"
#include "support/Input.h"
#include "support/Json.h"
#include "support/Limits.h"
#include "support/Npy.h"
#include "support/PipelineCache.h"
#include "support/Plural.h"
#include "support/ProfileAtHand.h"
#include "support/Progress.h"
#include "support/Runtime.h"
#include "support/Signature.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iomanip>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace dml::tools;

namespace {

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string describeType(const DmlTensorInfo &info) {
  return dml::tools::describeType(info.dataType,
                                  {info.sizes, info.sizes + info.rank});
}

//===----------------------------------------------------------------------===//
// The executable and its functions
//===----------------------------------------------------------------------===//

/// The place of the program.
struct Source {
  std::string path;
  /// Whether dml-compile has to read the file first.
  bool isModule = false;
  bool isOnnx = false;
  /// Whether the file is a JSON model, which says itself what to run.
  bool hasCommands = false;
  /// An executable that standard input or a pipe had.
  std::vector<uint8_t> bytes;
  /// A module that standard input or a pipe had, which the compiler's tools get
  /// as their standard input.
  AnonymousFile copy;
  /// The standard input of the tools, or null.
  const AnonymousFile *getInput() const {
    return copy.exists() ? &copy : nullptr;
  }
  /// A temporary file for weights that are too large for an executable, used
  /// when a module is compiled. There is no such file if the command line names
  /// one.
  AnonymousFile weights;
};

Source findSource(const std::string &path) {
  Source source;
  source.path = path;
  std::error_code code;
  if (!isStandardInput(path) && (!std::filesystem::exists(path, code) ||
                                 std::filesystem::is_regular_file(path, code) ||
                                 std::filesystem::is_directory(path, code))) {
    std::vector<uint8_t> start = readInput(path, 256);
    // A damaged executable is one by its name.
    source.isModule = !isExecutable(start) && !endsWith(path, ".dmlx");
    source.hasCommands = isJson(start);
    source.isOnnx = isOnnx(start);
    return source;
  }
  source.bytes = readInput(path);
  source.hasCommands = isJson(source.bytes);
  source.isOnnx = isOnnx(source.bytes);
  if (isExecutable(source.bytes))
    return source;
  if (source.bytes.empty())
    fail((isStandardInput(path) ? "standard input" : "'" + path + "'") +
         " is empty, but wanted is an executable, a module or a model");
  // It may have to be compiled twice, and a pipe is read once.
  std::string error;
  if (!source.copy.create(error, source.bytes))
    fail(error, kExitNo);
  source.path = "-";
  source.isModule = true;
  return source;
}

/// Whether the commands of the file are run.
bool runsCommands(const Options &options, const Source &source) {
  return source.hasCommands && options.function.empty() &&
         !options.printSignature;
}

/// Lets a tool of the compiler name this tool in its messages.
const char *const kAsDmlRun = "--as=dml-run";

/// Lets dml-compile print what an ONNX model declares that leaves sizes open.
const std::string kPrintOpenSignature = "--print-open-signature";

/// Returns the name that messages have for the module at `path`.
std::string describeModule(const std::string &path) {
  return isStandardInput(path) ? "standard input" : "'" + path + "'";
}

Executable compile(const Source &source,
                   const std::vector<std::string> &arguments,
                   const Consult &consult) {
  AnonymousFile compiled;
  std::string error;
  ExitCode exitCode = kExitNo;
  if (!compiled.create(error))
    fail(error, kExitNo);
  std::vector<std::string> all = {source.path, "-o", compiled.path()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.push_back(kAsDmlRun);
  if (!runCompilerTool("dml-compile", all,
                       "compile " + describeModule(source.path), error,
                       exitCode, source.getInput(), consult))
    fail(error, exitCode);
  Executable executable;
  // What a model leaves open is printed instead.
  bool printsOpen = std::find(arguments.begin(), arguments.end(),
                              kPrintOpenSignature) != arguments.end();
  if (printsOpen && !compiled.hasBytes())
    return executable;
  DML_CHECK(dmlCreateExecutableFromFile, compiled.path().c_str(),
            executable.out());
  return executable;
}

void printMessage(void * /*userData*/, DmlMessageSeverity severity,
                  const char *message) {
  std::fprintf(stderr, "dml-run: validation %s: %s\n",
               severity == DML_MESSAGE_SEVERITY_ERROR ? "error" : "warning",
               message);
}

Instance createInstance(const Options &options) {
  DmlInstanceCreateInfo info{};
  info.enableValidation = options.validate;
  info.messageCallback = printMessage;
  return dml::tools::createInstance(&info);
}

/// Creates the instance, and sets the profile with which modules are compiled:
/// that of the device that will run them, unless the module or the command line
/// states a profile. If there is no such device, modules are compiled for all
/// devices, so that other errors are found first. withDevice() then reports the
/// error of the device.
///
/// The drivers of CPUs compile kernels with tiles four times as long as those
/// without (ResNet-18 on lavapipe: 25 and 7 s of a core), and gain little by
/// them: 1 s for each run. A single run of an ONNX model has none.
void compileForDevice(Options &options, const Source &source,
                      Instance &instance) {
  try {
    instance = createInstance(options);
  } catch (const Failure &) {
    return;
  }
  ProfileAtHand found =
      findProfileAtHand(instance, options.device, options.disabledFeatures);
  if (!found.warning.empty())
    std::fprintf(stderr, "dml-run: warning: %s\n",
                 dml::tools::escapeControls(found.warning).c_str());
  if (!found.error.empty())
    return;
  bool isMeasured =
      options.time || options.repeat > 1 || !options.trace.empty();
  if (found.isCPU && source.isOnnx && !isMeasured &&
      options.compileArguments.end() ==
          std::find_if(options.compileArguments.begin(),
                       options.compileArguments.end(),
                       [](const std::string &argument) {
                         return argument.rfind("--contraction-tile", 0) == 0;
                       }))
    options.compileArguments.push_back("--contraction-tile=none");
  options.compileArguments.push_back("--default-device-profile=" +
                                     found.profile);
}

/// Lets dml-compile and dml-interpret take the sizes that an ONNX model leaves
/// open from the tensors that its inputs get.
void giveShapes(Options &options, const Source &source) {
  if (!source.isOnnx || options.inputs.empty())
    return;
  std::string error;
  auto shapes = describeShapes(options.inputs, error);
  if (!shapes)
    fail(error);
  for (const std::string &shape : *shapes)
    options.compileArguments.push_back("--given-shape=" + shape);
}

/// What dml-compile is asked for with a module.
std::vector<std::string> getCompileArguments(const Options &options,
                                             const Source &source) {
  std::vector<std::string> arguments = options.compileArguments;
  if (source.weights.exists())
    arguments.push_back("--spill-weights=" + source.weights.path());
  return arguments;
}

/// `commands` is where dml-compile is to write those of the file, or empty.
/// `consult` gets what it tells of a module's functions before they are
/// compiled.
Executable loadExecutable(Options &options, const Source &source,
                          const std::string &commands = "",
                          const Consult &consult = nullptr) {
  if (source.isModule) {
    std::vector<std::string> arguments = getCompileArguments(options, source);
    if (!commands.empty())
      arguments.push_back("--commands=" + commands);
    if (options.printSignature)
      arguments.push_back(kPrintOpenSignature);
    Executable executable = compile(source, arguments, consult);
    if (source.weights.exists() && source.weights.hasBytes())
      options.spilledWeights = source.weights.path();
    return executable;
  }
  if (!options.compileArguments.empty())
    fail("--compile-arg, --dim and --input-shape are for modules and models, "
         "but '" +
         options.file + "' is an executable");
  if (!source.bytes.empty())
    return dml::tools::loadExecutable(source.bytes);
  return dml::tools::loadExecutable(source.path);
}

/// A signature as the command line has it.
FunctionSignature describe(const Signature &signature) {
  auto describeAll = [](const std::vector<DmlTensorInfo> &tensors) {
    std::vector<Parameter> parameters;
    for (const DmlTensorInfo &tensor : tensors)
      parameters.push_back({tensor.name, describeType(tensor)});
    return parameters;
  };
  return {signature.info.name, describeAll(signature.inputs),
          describeAll(signature.outputs)};
}

/// The weights that the command line gives for the executable: some by name,
/// and the others in a file.
struct Weights {
  std::vector<DmlWeightInfo> infos;
  std::vector<std::optional<HostTensor>> tensors;
};

Weights readWeights(DmlExecutable executable, const Options &options) {
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  Weights weights;
  weights.infos.resize(info.weightCount);
  FunctionSignature signature;
  for (uint32_t i = 0; i < info.weightCount; ++i) {
    DML_CHECK(dmlGetWeightInfo, executable, i, &weights.infos[i]);
    signature.outputs.push_back(
        {weights.infos[i].tensor.name, describeType(weights.infos[i].tensor)});
  }
  if (weights.infos.empty() &&
      (!options.weights.empty() || !options.weight.empty()))
    fail("--weights and --weight are for an executable that was compiled with "
         "--external-weights, but '" +
         options.file + "' has all that it needs");
  std::string error;
  auto tensors = readOutputTensors("weight", options.weight, signature, error);
  if (!tensors)
    fail(error);
  weights.tensors = std::move(*tensors);
  weights.tensors.resize(info.weightCount);
  return weights;
}

/// Binds the weights, and has the program computed what it computes of them.
void bindWeights(DmlProgram program, const Weights &weights,
                 const std::string &path) {
  for (uint32_t i = 0; i < weights.infos.size(); ++i) {
    const DmlWeightInfo &info = weights.infos[i];
    if (!weights.tensors[i]) {
      if (path.empty())
        fail(std::string("weight '") + info.tensor.name +
             "' has no bytes: name a file with --weights, or give it a value "
             "with --weight=" +
             info.tensor.name + "=VALUE");
      DML_CHECK(dmlBindWeightFromFile, program, i, path.c_str(),
                info.fileOffset);
      continue;
    }
    const std::vector<uint8_t> &packed = weights.tensors[i]->data;
    std::optional<std::vector<uint8_t>> bytes = packed;
    if (!isPacked(info.tensor))
      bytes = applyLayout(info.tensor, packed);
    if (!bytes)
      fail(std::string("weight '") + info.tensor.name +
           "' has different elements where its strides (" +
           printStrides(info.tensor) + ") have one");
    DML_CHECK(dmlBindWeight, program, i, bytes->data(), bytes->size());
  }
  if (!weights.infos.empty())
    DML_CHECK(dmlInitializeProgram, program);
}

/// What the command line gives to a function, and what is done with the
/// results.
struct Given {
  FunctionSignature function;
  std::vector<std::string> files;
  std::vector<HostTensor> inputs;
  Expectation expected;
};

/// Reads the tensors and files that the command line names for `function`.
Given readGiven(Options &options, const FunctionSignature &function) {
  Given given;
  given.function = function;
  std::string error;
  if (!options.labels.empty() &&
      !readLabels(options.labels, function, options.print, error))
    fail(error);
  auto files = readOutputs("output", options.outputs, function, error);
  if (!files)
    fail(error);
  auto inputs = readInputs(options.inputs, function, options.pictures, error);
  if (!inputs)
    fail(error);
  auto readTensors = [&](const char *option,
                         const std::vector<std::string> &values) {
    auto tensors = readOutputTensors(option, values, function, error);
    if (!tensors)
      fail(error);
    return std::move(*tensors);
  };
  given.files = std::move(*files);
  given.inputs = std::move(*inputs);
  given.expected = {readTensors("expected", options.expected),
                    options.tolerance, readTensors("lower", options.lower),
                    readTensors("upper", options.upper)};
  return given;
}

/// The function asked for: by name, or main, or the only one.
uint32_t chooseFunction(DmlExecutable executable, const Options &options) {
  uint32_t index = 0;
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  if (options.function.empty() && info.functionCount == 1)
    return 0;
  std::string name = options.function.empty() ? "main" : options.function;
  DML_CHECK(dmlFindFunction, executable, name.c_str(), &index);
  return index;
}

/// The same among the functions that dml-compile tells of, or null.
const FunctionSignature *choose(const std::vector<FunctionSignature> &functions,
                                const Options &options) {
  if (options.function.empty() && functions.size() == 1)
    return &functions.front();
  std::string name = options.function.empty() ? "main" : options.function;
  auto found = std::find_if(
      functions.begin(), functions.end(),
      [&](const FunctionSignature &each) { return each.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

/// Whether two functions take and return the same tensors.
bool areEqual(const FunctionSignature &a, const FunctionSignature &b) {
  auto isEqual = [](const Parameter &one, const Parameter &other) {
    return one.name == other.name && one.type == other.type;
  };
  auto areAllEqual = [&](const std::vector<Parameter> &ones,
                         const std::vector<Parameter> &others) {
    return std::equal(ones.begin(), ones.end(), others.begin(), others.end(),
                      isEqual);
  };
  return a.name == b.name && areAllEqual(a.inputs, b.inputs) &&
         areAllEqual(a.outputs, b.outputs);
}

/// "shaderInt8, 3 storage buffers"
std::string printNeeds(const DmlVariantInfo &variant) {
  std::string text;
  for (const auto &[name, isNeeded] : listFeatures(variant.requiredFeatures))
    if (isNeeded)
      text += std::string(name) + ", ";
  for (const std::string &shape : listMatrixShapes(variant.requiredLimits))
    text += "matrices " + shape + ", ";
  return text +
         printCount(variant.requiredLimits.maxPerStageDescriptorStorageBuffers,
                    "storage buffer");
}

void printSignatures(DmlExecutable executable) {
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  for (uint32_t i = 0; i < info.weightCount; ++i) {
    DmlWeightInfo weight{};
    DML_CHECK(dmlGetWeightInfo, executable, i, &weight);
    std::printf("weight %%%s: %s\n", weight.tensor.name,
                describeType(weight.tensor).c_str());
  }
  for (uint32_t i = 0; i < info.functionCount; ++i) {
    Signature signature = readSignature(executable, i);
    std::printf("%s\n", printFunction(executable, i).c_str());
    std::printf("  checked against feature level %u_%u",
                signature.info.featureLevel >> 12,
                signature.info.featureLevel >> 8 & 0xf);
    uint32_t count = signature.info.variantCount;
    if (count > 1)
      std::printf(", %s, the first that fits a device is run\n",
                  printCount(count, "variant").c_str());
    for (uint32_t v = 0; v < count; ++v) {
      DmlVariantInfo variant{};
      DML_CHECK(dmlGetVariantInfo, executable, i, v, &variant);
      std::string text = printCount(variant.stepCount, "step") + ", " +
                         printCount(variant.temporarySize, "byte") +
                         " temporary";
      if (count == 1)
        std::printf(", %s\n", text.c_str());
      else
        std::printf("    variant %u: %s; needs %s\n", v, text.c_str(),
                    printNeeds(variant).c_str());
    }
  }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The number of kernels of the variants that the device runs.
size_t countKernels(DmlDevice device, DmlExecutable executable) {
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  DmlDeviceInfo has{};
  dmlGetDeviceProperties(device, &has);
  std::set<uint32_t> kernels;
  for (uint32_t function = 0; function < info.functionCount; ++function) {
    uint32_t number = 0;
    DML_CHECK(dmlChooseVariant, executable, function, &has, &number);
    DmlVariantInfo variant{};
    DML_CHECK(dmlGetVariantInfo, executable, function, number, &variant);
    for (uint32_t i = 0; i < variant.stepCount; ++i) {
      DmlStepInfo step{};
      DML_CHECK(dmlGetStepInfo, executable, function, number, i, &step);
      if (step.kind == DML_STEP_KIND_DISPATCH)
        kernels.insert(step.kernelIndex);
    }
  }
  return kernels.size();
}

/// Whether the device is a CPU. The drivers of CPUs compile a kernel when it is
/// first run.
bool isOnCPU(DmlDevice device) {
  DmlDeviceInfo info{};
  dmlGetDeviceProperties(device, &info);
  return info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/// Prints how long it took to compile the kernels and to upload the constants.
void printProgramTime(DmlDevice device, DmlExecutable executable,
                      std::chrono::duration<double, std::milli> time) {
  std::fprintf(stderr, "time: program with %s: %.2f ms\n",
               printCount(countKernels(device, executable), "kernel").c_str(),
               time.count());
}

/// A step of the variant that ran.
struct TimedStep {
  std::string name;
  /// The operators that it computes, "copy" where it computes none.
  std::string operators;
  /// Nanoseconds since the first step began.
  uint64_t begin = 0, end = 0;
  uint64_t boundSize = 0;
};

/// The steps of the variant `number`, with the latest times.
std::vector<TimedStep> readSteps(DmlExecutable executable, uint32_t function,
                                 uint32_t number, DmlBindingTable table) {
  DmlVariantInfo variant{};
  DML_CHECK(dmlGetVariantInfo, executable, function, number, &variant);
  std::vector<DmlStepTime> times(variant.stepCount);
  DML_CHECK(dmlGetStepTimes, table, 0, variant.stepCount, times.data());
  std::vector<TimedStep> steps;
  for (uint32_t i = 0; i < times.size(); ++i) {
    DmlStepInfo step{};
    DML_CHECK(dmlGetStepInfo, executable, function, number, i, &step);
    // The label names the operator that the step computes. A label that only
    // repeats the kernel's name is left out.
    std::string what = step.kind == DML_STEP_KIND_COPY ? "copy" : step.kernel;
    if (step.label[0] != '\0' && what != step.label)
      what += std::string(" ") + step.label;
    steps.push_back({what, step.label[0] != '\0' ? step.label : "copy",
                     times[i].begin, times[i].end, step.boundSize});
  }
  return steps;
}

/// Writes the steps as a Chrome trace: events with a beginning and a duration
/// in microseconds.
void writeTrace(const std::string &path, const char *function,
                const std::string &signature, const char *profile,
                const std::vector<TimedStep> &steps) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << "{\"traceEvents\": [";
  for (size_t i = 0; i < steps.size(); ++i) {
    const TimedStep &step = steps[i];
    text << (i ? ",\n " : "\n ") << "{\"name\": " << quoteJson(step.name)
         << ", \"ph\": \"X\", \"pid\": 0, \"tid\": 0, \"ts\": "
         << static_cast<double>(step.begin) / 1000
         << ", \"dur\": " << static_cast<double>(step.end - step.begin) / 1000
         << ", \"args\": {\"function\": " << quoteJson(function)
         << ", \"step\": " << i << ", \"bytes\": " << step.boundSize
         << ", \"operators\": " << quoteJson(step.operators) << "}}";
  }
  // What tells a trace of another model apart.
  text << "\n],\n\"otherData\": {\"signature\": " << quoteJson(signature)
       << ", \"deviceProfile\": " << quoteJson(profile) << "}}\n";
  std::string error;
  if (!writeOutput(path, text.str(), error))
    fail(error, kExitNotWritten);
}

/// Prints the total time of all steps that compute the same operators, with the
/// largest total first.
void printSums(const std::vector<TimedStep> &steps) {
  struct Sum {
    uint64_t duration = 0;
    size_t steps = 0;
  };
  std::map<std::string, Sum> sums;
  uint64_t all = 0;
  for (const TimedStep &step : steps) {
    Sum &sum = sums[step.operators];
    sum.duration += step.end - step.begin;
    ++sum.steps;
    all += step.end - step.begin;
  }
  std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto &a, const auto &b) {
                     return a.second.duration > b.second.duration;
                   });
  for (const auto &[operators, sum] : sorted)
    std::fprintf(stderr, "time: %s: %.1f us, %.1f %%, %s\n",
                 printCount(sum.steps, "step").c_str(),
                 static_cast<double>(sum.duration) / 1000,
                 all ? 100 * static_cast<double>(sum.duration) /
                           static_cast<double>(all)
                     : 0.0,
                 operators.c_str());
}

/// Prints the time of each step. Steps of which there are many alike, as in the
/// iterations of a loop, have one line together.
void printSteps(const std::vector<TimedStep> &steps) {
  constexpr size_t mostAlike = 64;
  struct Alike {
    size_t count = 0;
    uint64_t duration = 0, boundSize = 0;
  };
  std::map<std::pair<std::string, uint64_t>, Alike> all;
  for (const TimedStep &step : steps) {
    Alike &alike = all[{step.name, step.boundSize}];
    ++alike.count;
    alike.duration += step.end - step.begin;
    alike.boundSize += step.boundSize;
  }
  auto print = [](const std::string &which, uint64_t time, uint64_t bytes,
                  const std::string &name) {
    auto duration = static_cast<double>(time);
    std::fprintf(stderr, "time: %s: %.1f us, %.2f GB/s, %s\n", which.c_str(),
                 duration / 1000,
                 duration > 0 ? static_cast<double>(bytes) / duration : 0.0,
                 name.c_str());
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    const TimedStep &step = steps[i];
    Alike &alike = all[{step.name, step.boundSize}];
    if (alike.count > mostAlike)
      print(std::to_string(alike.count) + " steps from step " +
                std::to_string(i) + " on",
            alike.duration, alike.boundSize, step.name);
    else if (alike.count != 0)
      print("step " + std::to_string(i), step.end - step.begin, step.boundSize,
            step.name);
    if (alike.count > mostAlike)
      alike.count = 0;
  }
}

/// Reports the times of the steps as the options require: prints the shortest
/// wall time, the variant that ran and its steps, and writes a trace.
void reportTimes(const Options &options, DmlDevice device,
                 DmlExecutable executable, const Signature &signature,
                 DmlBindingTable table, const std::vector<double> &wallTimes) {
  DmlDeviceInfo has{};
  dmlGetDeviceProperties(device, &has);
  uint32_t number = 0;
  DML_CHECK(dmlChooseVariant, executable, signature.index, &has, &number);
  std::vector<TimedStep> steps =
      readSteps(executable, signature.index, number, table);
  DmlFunctionInfo function{};
  DML_CHECK(dmlGetFunctionInfo, executable, signature.index, &function);
  DmlVariantInfo variant{};
  DML_CHECK(dmlGetVariantInfo, executable, signature.index, number, &variant);
  if (!options.trace.empty())
    writeTrace(options.trace, function.name,
               printFunction(executable, signature.index),
               variant.deviceProfile, steps);
  if (!options.time)
    return;
  std::vector<double> sorted = wallTimes;
  std::sort(sorted.begin(), sorted.end());
  std::fprintf(stderr,
               "time: %s, submit to finish: %.1f us shortest, "
               "%.1f us median\n",
               printCount(sorted.size(), "run").c_str(), sorted.front(),
               sorted[sorted.size() / 2]);
  if (function.variantCount > 1)
    std::fprintf(stderr, "time: variant %u of %u; needs %s\n", number,
                 function.variantCount, printNeeds(variant).c_str());
  if (*variant.deviceProfile)
    std::fprintf(stderr, "time: compiled for %s\n", variant.deviceProfile);
  printSteps(steps);
  printSums(steps);
}

uint64_t waitLimit(const Options &options) {
  return options.timeout == 0 ? UINT64_MAX
                              : uint64_t(options.timeout) * 1'000'000'000;
}

std::vector<HostTensor> run(const Options &options, DmlDevice device,
                            DmlExecutable executable,
                            const Signature &signature,
                            const std::vector<HostTensor> &inputs,
                            Progress &progress) {
  // Destroyed after the table, which waits for the work that uses them.
  std::vector<Buffer> buffers;
  progress.begin("making pipelines");
  Program program;
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  DML_CHECK(dmlCreateProgram, device, executable, program.out());
  bindWeights(program, readWeights(executable, options),
              options.weights.empty() ? options.spilledWeights
                                      : options.weights);
  if (options.time)
    printProgramTime(device, executable, Clock::now() - begin);
  progress.begin("writing inputs");
  BindingTable table;
  DmlBindingTableCreateInfo tableInfo{};
  tableInfo.function = signature.index;
  bool wantsTimes = options.time || !options.trace.empty();
  tableInfo.timestamps = wantsTimes;
  DML_CHECK(dmlCreateBindingTable, program, &tableInfo, table.out());

  auto createBuffer = [&](const DmlTensorInfo &info) {
    buffers.emplace_back();
    DML_CHECK(dmlCreateBuffer, device, info.bufferSize, DML_MEMORY_DEVICE,
              buffers.back().out());
    DmlBufferInfo bufferInfo{};
    dmlGetBufferInfo(buffers.back(), &bufferInfo);
    return DmlBufferRange{bufferInfo.buffer, 0, bufferInfo.size};
  };
  auto writeInput = [&](uint32_t i) {
    const DmlTensorInfo &info = signature.inputs[i];
    std::optional<std::vector<uint8_t>> bytes = inputs[i].data;
    if (!isPacked(info))
      bytes = applyLayout(info, inputs[i].data);
    if (!bytes)
      fail(std::string("input '") + info.name +
           "' has different elements where its strides (" + printStrides(info) +
           ") have one");
    DML_CHECK(dmlWriteBuffer, buffers[i], 0, bytes->data(), bytes->size());
  };
  std::vector<DmlBufferRange> ranges;
  std::vector<uint32_t> inPlace;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    ranges.push_back(createBuffer(signature.inputs[i]));
    writeInput(i);
    DML_CHECK(dmlBindInput, table, i, &ranges.back());
  }
  std::vector<DmlBuffer> results;
  for (uint32_t i = 0; i < signature.outputs.size(); ++i) {
    uint32_t input = UINT32_MAX;
    DML_CHECK(dmlGetInPlaceInput, executable, signature.index, i, &input);
    DmlBufferRange range;
    if (input == UINT32_MAX) {
      range = createBuffer(signature.outputs[i]);
      results.push_back(buffers.back());
    } else {
      range = ranges[input];
      results.push_back(buffers[input]);
      inPlace.push_back(input);
    }
    DML_CHECK(dmlBindOutput, table, i, &range);
  }

  // Returns the microseconds of a run.
  auto runOnce = [&] {
    // The run before has written outputs in the place of these inputs.
    for (uint32_t input : inPlace)
      writeInput(input);
    Clock::time_point start = Clock::now();
    DML_CHECK(dmlSubmit, table, nullptr);
    DML_CHECK(dmlWait, table, waitLimit(options));
    std::chrono::duration<double, std::micro> duration = Clock::now() - start;
    return duration.count();
  };
  std::string compiling =
      "compiling " + printCount(countKernels(device, executable), "kernel") +
      " for the CPU, whose driver keeps them for later runs";
  bool isCPU = isOnCPU(device);
  if (isCPU && wantsTimes) {
    progress.begin(compiling);
    double microseconds = runOnce();
    if (options.time)
      std::fprintf(stderr,
                   "time: a run before those that count, in which the CPU's "
                   "driver compiles kernels: %.2f ms\n",
                   microseconds / 1000);
  }
  std::vector<double> wallTimes;
  for (uint32_t i = 0; i < options.repeat; ++i) {
    if (isCPU && !wantsTimes && i == 0)
      progress.begin(compiling + ", and running");
    else if (i <= 1)
      progress.begin("running");
    if (i > 0 || (options.repeat > 1 && wantsTimes))
      progress.advance("running, " + std::to_string(i + 1) + " of " +
                       printCount(options.repeat, "time"));
    wallTimes.push_back(runOnce());
  }
  progress.clear();
  if (wantsTimes)
    reportTimes(options, device, executable, signature, table, wallTimes);

  std::vector<HostTensor> outputs;
  for (uint32_t i = 0; i < signature.outputs.size(); ++i) {
    const DmlTensorInfo &info = signature.outputs[i];
    HostTensor tensor{info.dataType, {info.sizes, info.sizes + info.rank}, {}};
    tensor.data.resize(info.byteSize);
    DML_CHECK(dmlReadBuffer, results[i], 0, tensor.data.data(),
              tensor.data.size());
    if (!isPacked(info))
      tensor.data = removeLayout(info, tensor.data);
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

/// Reads the results of the reference: for each element of each output, the
/// smallest and the largest correct value.
void readReference(const Options &options, const Source &source,
                   const FunctionSignature &function, Expectation &expected) {
  if (options.reference.empty() && !source.isModule)
    fail("'" + options.file +
         "' does not have its model, which the reference is to run: name it "
         "with --compare-reference=MODEL");
  // Inputs are given to both programs in the same words.
  std::vector<std::string> arguments = {
      options.reference.empty() ? source.path : options.reference,
      "--function=" + function.name};
  for (const std::string &input : options.inputs)
    arguments.push_back("--input=" + input);
  for (const std::string &argument : options.pictureArguments)
    arguments.push_back(argument);
  for (const std::string &argument : options.compileArguments)
    if (argument.compare(0, 6, "--dim=") == 0 ||
        argument.compare(0, 14, "--input-shape=") == 0 ||
        argument.compare(0, 14, "--given-shape=") == 0)
      arguments.push_back(argument);
  std::vector<AnonymousFile> files(2 * function.outputs.size());
  std::string error;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].create(error))
      fail(error, kExitNo);
    arguments.push_back((i % 2 ? "--upper=@" : "--lower=@") + files[i].path());
  }
  ExitCode exitCode = kExitNo;
  arguments.push_back(kAsDmlRun);
  if (!runCompilerTool("dml-interpret", arguments,
                       "interpret " + describeModule(arguments.front()), error,
                       exitCode, source.getInput()))
    fail(error, exitCode);
  for (size_t i = 0; i < files.size(); ++i) {
    auto tensor = readNpy(files[i].path(), error);
    const Parameter &output = function.outputs[i / 2];
    if (tensor && dml::tools::describeType(*tensor) != output.type)
      error = "the model has " + dml::tools::describeType(*tensor) +
              " where the executable has " + output.type;
    if (!error.empty())
      fail("output '" + output.name + "' of the reference: " + error);
    (i % 2 ? expected.upper : expected.lower)[i / 2] = std::move(tensor);
  }
}

/// Prints the verdict about each output that was compared with the reference
/// and does not differ.
void printVerdict(const FunctionSignature &function,
                  const Expectation &expected) {
  for (size_t i = 0; i < function.outputs.size(); ++i) {
    Unjudged unjudged = countUnjudged(&*expected.lower[i], &*expected.upper[i]);
    std::fprintf(
        stderr,
        "dml-run: output '%s': %llu of %s judged, all within the "
        "bounds of the reference\n",
        dml::tools::escapeControls(function.outputs[i].name).c_str(),
        static_cast<unsigned long long>(unjudged.total - unjudged.count),
        printCount(unjudged.total, "element").c_str());
  }
}

/// Prints a note where an executable that was compiled for any device takes
/// `seconds`, which are many, on one that has a profile of its own. Kernels
/// that are compiled for the device may be several times as fast. There is no
/// note where another program reads the results, unless times are asked for.
void noteForeignProfile(const Options &options, DmlInstance instance,
                        DmlDevice device, DmlExecutable executable,
                        uint32_t function, double seconds) {
  constexpr double kPatience = 0.5;
  bool isWatched = isTerminal(STDOUT_FILENO) && seconds >= kPatience;
  // Without some of its features, the device is not what dml-compile finds.
  if ((!isWatched && !options.time) || options.disabledFeatures)
    return;
  DmlDeviceInfo has{};
  dmlGetDeviceProperties(device, &has);
  uint32_t number = 0;
  DML_CHECK(dmlChooseVariant, executable, function, &has, &number);
  DmlVariantInfo variant{};
  DML_CHECK(dmlGetVariantInfo, executable, function, number, &variant);
  std::string compiledFor = variant.deviceProfile;
  ProfileAtHand found =
      findProfileAtHand(instance, options.device, options.disabledFeatures);
  // A profile that has numbers, such as subgroupSize=32, is a device's.
  bool isForAny =
      !compiledFor.empty() && compiledFor.find('=') == std::string::npos;
  if (!isForAny || !found.error.empty() || found.profile == compiledFor)
    return;
  std::string selector =
      options.device.empty() ? "native" : "'" + options.device + "'";
  std::fprintf(
      stderr,
      "dml-run: note: '%s' is compiled for the profile '%s', which any device "
      "with its features runs; dml-compile --device=%s makes an executable for "
      "this one (%s), which may be several times as fast\n",
      dml::tools::escapeName(options.file).c_str(),
      dml::tools::escapeName(compiledFor).c_str(),
      dml::tools::escapeName(selector).c_str(),
      dml::tools::escapeName(has.name).c_str());
}

/// Calls `use` with the device of the instance. Creates the instance, unless a
/// module was already compiled for one of its devices.
template <typename Use>
void withDevice(const Options &options, Instance &instance, Use use) {
  Progress progress("dml-run");
  progress.begin("looking for a device");
  if (!instance)
    instance = createInstance(options);
  requireDevices(instance);
  {
    DmlDeviceCreateInfo info{};
    info.selector = options.device.c_str();
    info.robustBufferAccess = options.robust;
    info.disabledFeatures = options.disabledFeatures;
    Device device;
    DML_CHECK(dmlCreateDevice, instance, &info, device.out());
    dmlSetWaitLimit(device, waitLimit(options));
    PipelineCache cache("dml-run", options.pipelineCache);
    cache.load(device);
    use(device, progress);
    cache.save(device);
  }
  // The device is gone by now: what the layer has to say has been said.
  if (uint32_t count = dmlGetValidationMessageCount(instance))
    fail("the validation layer has " + printCount(count, "message"), kExitNo);
  progress.clear();
}

/// Does what a JSON model says.
void runCommands(Options &options, const Source &source, Instance &instance) {
  if (!options.inputs.empty() || !options.outputs.empty() ||
      !options.trace.empty() || compares(options))
    fail("--input, --output, --trace and what compares results are for a "
         "function, but the model '" +
         options.file +
         "' says what its resources hold: name a function with --function");
  AnonymousFile file;
  std::string error;
  if (!file.create(error))
    fail(error, kExitNo);
  Executable executable = loadExecutable(options, source, file.path());
  Commands commands(file.read());
  auto find = [&](const std::string &name) {
    uint32_t index = 0;
    DML_CHECK(dmlFindFunction, executable, name.c_str(), &index);
    return readSignature(executable, index);
  };
  commands.check(
      [&](const std::string &name) {
        Signature signature = find(name);
        return FunctionTensors{signature.inputs, signature.outputs};
      },
      options.outputFolder);
  withDevice(options, instance, [&](DmlDevice device, Progress &progress) {
    commands.run(
        [&](const std::string &name, const std::vector<HostTensor> &inputs) {
          return run(options, device, executable, find(name), inputs, progress);
        });
  });
  commands.finish();
}

void runTool(Options &options) {
  if (options.listDevices) {
    Instance instance = createInstance(options);
    std::string text =
        options.json ? printDevicesAsJson(instance) : printDevices(instance);
    if (!options.json)
      requireDevices(instance);
    std::fputs(text.c_str(), stdout);
    return;
  }
  if (options.file.empty())
    fail("no file is given (see --help)");

  // Errors that can be found without a device are reported before a device is
  // searched for.
  Source source = findSource(options.file);
  bool isStated = std::any_of(
      options.compileArguments.begin(), options.compileArguments.end(),
      [](const std::string &argument) {
        return argument.rfind("--external-weights", 0) == 0;
      });
  if (std::error_code code; !options.reference.empty() &&
                            !std::filesystem::exists(options.reference, code))
    fail("--compare-reference=" + options.reference +
         ": there is no such file");
  if (std::string error; source.isModule && options.weights.empty() &&
                         !isStated && !source.weights.createOnDisk(error))
    fail(error, kExitNo);
  if (source.isModule)
    giveShapes(options, source);
  Instance instance;
  if (source.isModule && !options.printSignature)
    compileForDevice(options, source, instance);
  if (runsCommands(options, source))
    return runCommands(options, source, instance);
  if (!options.outputFolder.empty())
    fail("--output-dir is for the files that a .json model writes");
  // Mistakes in what the command line gives are found before a module is
  // compiled, where the types are known by then.
  std::optional<Given> given;
  Consult consult = [&](const std::vector<uint8_t> &told) {
    std::vector<FunctionSignature> functions = readFunctions(told);
    if (const FunctionSignature *function = choose(functions, options))
      given = readGiven(options, *function);
  };
  bool isConsulted = source.isModule && !options.printSignature;
  Executable executable = loadExecutable(options, source, /*commands=*/"",
                                         isConsulted ? consult : nullptr);
  if (options.printSignature) {
    if (executable)
      printSignatures(executable);
    return;
  }
  (void)readWeights(executable, options);
  Signature signature =
      readSignature(executable, chooseFunction(executable, options));
  if (FunctionSignature compiled = describe(signature);
      !given || !areEqual(compiled, given->function))
    given = readGiven(options, compiled);
  const FunctionSignature &function = given->function;
  Expectation &expected = given->expected;
  if (options.compareReference)
    readReference(options, source, function, expected);

  std::vector<HostTensor> outputs;
  withDevice(options, instance, [&](DmlDevice device, Progress &progress) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point begin = Clock::now();
    outputs =
        run(options, device, executable, signature, given->inputs, progress);
    std::chrono::duration<double> time = Clock::now() - begin;
    if (!source.isModule)
      noteForeignProfile(options, instance, device, executable, signature.index,
                         time.count());
  });
  std::string error;
  if (!writeOutputs(given->files, expected, function, outputs, options.print,
                    error))
    fail(error, kExitNotWritten);
  std::string difference = compareOutputs(expected, function, outputs);
  if (!difference.empty())
    fail(difference, kExitNo);
  std::string partly, entirely = describeUnjudged(expected, function, partly);
  if (!partly.empty())
    std::fprintf(stderr, "dml-run: warning: %s\n",
                 dml::tools::escapeControls(partly).c_str());
  if (!entirely.empty())
    fail(entirely, kExitUndecided);
  if (options.compareReference)
    printVerdict(function, expected);
}

} // namespace

int main(int argc, char **argv) {
  return runMain("dml-run", [&] {
    Options options;
    std::string error;
    if (!parseOptions(argc, argv, options, error))
      fail(error);
    if (options.help)
      std::printf("%s%s", kHelp, kExitCodesHelp);
    else if (options.version)
      std::printf("dml-run %s\n", dmlGetVersion());
    else
      runTool(options);
  });
}
