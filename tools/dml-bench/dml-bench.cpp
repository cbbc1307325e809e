//===- dml-bench.cpp - Compiled programs against the device's copy --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"
#include "Executables.h"
#include "Options.h"
#include "Report.h"
#include "support/CommandLine.h"
#include "support/File.h"
#include "support/HostTensor.h"
#include "support/Input.h"
#include "support/Limits.h"
#include "support/PipelineCache.h"
#include "support/Progress.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

using namespace dml::tools;

namespace {

/// If a run of a case reads and writes fewer bytes, its latency is measured,
/// too. Such a run finishes before its submission returns.
constexpr uint64_t kSmall = 16'000'000;
/// The bytes that the large copy reads; it writes as many.
constexpr uint64_t kLargeCopy = uint64_t(512) << 20;
/// The number of bytes of the copy that keeps the device busy: enough for the
/// device to be busy between two submissions, but so few that other work waits
/// only microseconds for it.
constexpr uint64_t kLoadCopy = uint64_t(128) << 20;

std::string describe(const DmlTensorInfo &info) {
  return describeType(info.dataType, {info.sizes, info.sizes + info.rank});
}

/// The name "main" says nothing, so that such a case is named after its file.
std::string nameCase(const std::string &file, const std::string &function) {
  if (function != "main")
    return function;
  size_t begin = file.find_last_of('/');
  begin = begin == std::string::npos ? 0 : begin + 1;
  size_t end = file.rfind(".dmlx");
  if (end == std::string::npos || end <= begin)
    end = file.size();
  return file.substr(begin, end - begin);
}

struct Loaded {
  Case result;
  RunSignature signature;
};

Case describeCase(const std::string &file, const RunSignature &signature) {
  Case result;
  result.file = file;
  result.function = signature.info.name;
  result.name = nameCase(file, result.function);
  for (const DmlTensorInfo &input : signature.inputs)
    result.inputs.push_back(describe(input));
  for (const DmlTensorInfo &output : signature.outputs)
    result.outputs.push_back(describe(output));
  if (!signature.outputs.empty())
    result.type = dmlGetDataTypeName(signature.outputs[0].dataType);
  return result;
}

/// Describes the steps of the variant that is run.
void describeSteps(Case &result, const RunSignature &signature) {
  result.dispatches = signature.dispatches;
  result.copies = signature.copies;
  result.temporaryBytes = signature.variant.temporarySize;
  result.boundBytes = signature.boundBytes;
}

void writeFile(const std::string &path, const std::string &text) {
  std::string error;
  if (!dml::tools::writeFile(path, {{text.data(), text.size()}}, error))
    fail(error, kExitNotWritten);
}

class Bench {
public:
  Bench(const Options &options, DmlDevice device, Progress &progress)
      : options(options), device(device), progress(progress), random(device) {
    dmlGetDeviceProperties(device, &report.device);
    effort.repeats = options.repeats;
    effort.seconds = options.minTime;
    effort.warmUp = options.warmUp.value_or(options.repeats ? 0 : 0.2);
  }

  Report run(const std::vector<Loaded> &cases);
  void calibrate();

private:
  Workload makeWorkload(const RunSignature &signature);
  /// A copy that reads and writes `bytes` together, as far as the device can.
  Workload makeCopy(uint64_t bytes, Executable &executable, Rate &rate);
  Rate measureLargeCopy();
  /// Begins to keep the device at work between cases.
  void startLoad();
  void runCase(Case &result, const RunSignature &described);
  /// Returns the largest rate of a case's operations on the device, in 10^9 a
  /// second, if the case has the steps of `variant`.
  double getProducts(const DmlVariantInfo &variant);
  double measureProducts(const DmlMatrixShape &shape);

  const Options &options;
  DmlDevice device;
  Progress &progress;
  RandomData random;
  Effort effort;
  Report report;
  std::optional<Workload> empty;
  /// The executable of `load`, which it runs from.
  Executable loadExecutable;
  std::optional<Load> load;
};

Workload Bench::makeWorkload(const RunSignature &signature) {
  // A case and its copy together take up to half of the memory.
  uint64_t limit = report.device.deviceMemorySize / 4;
  if (options.rotateMiB == 0)
    limit = 0;
  return {device, signature, random, uint64_t(options.rotateMiB) << 20, limit};
}

Workload Bench::makeCopy(uint64_t bytes, Executable &executable, Rate &rate) {
  uint64_t half = std::clamp<uint64_t>((bytes / 2 + 15) / 16 * 16, 16,
                                       getLargestCopy(report.device));
  executable = makeCopyExecutable(half, report.device);
  rate.bytes = 2 * half;
  return makeWorkload(readRunSignature(executable, 0));
}

Rate Bench::measureLargeCopy() {
  Rate rate;
  Executable executable;
  uint64_t half = std::min(kLargeCopy, report.device.deviceMemorySize / 8);
  Workload copy = makeCopy(2 * half, executable, rate);
  rate.time = measure(effort, [&] { return copy.runOnDevice(); })[0];
  return rate;
}

void Bench::startLoad() {
  // A device that is the processor also prepares the cases, and has no time for
  // other work meanwhile. With --repeats, the user counts the runs, so that
  // there must be no others.
  if (report.device.type == VK_PHYSICAL_DEVICE_TYPE_CPU || options.repeats)
    return;
  Rate rate;
  load.emplace(makeCopy(kLoadCopy, loadExecutable, rate));
}

void Bench::runCase(Case &result, const RunSignature &described) {
  describeSteps(result, described);
  Check check;
  if (dmlCheckExecutable(described.executable, &report.device, check) !=
      DML_SUCCESS) {
    result.skipped = dmlGetErrorMessage(*static_cast<DmlError *>(check));
    return;
  }
  RunSignature signature =
      readRunSignature(described.executable, described.index, &report.device);
  describeSteps(result, signature);
  if (signature.variant.stepCount == 0) {
    result.skipped = "it has no steps to run";
    return;
  }
  try {
    Workload work = makeWorkload(signature);
    Executable executable;
    Workload copy = makeCopy(signature.bytes(), executable, result.copy);
    result.sets = work.setCount();
    result.rate.bytes = signature.bytes();
    Load::Pause pause(load);
    if (result.operations > 0)
      result.products = getProducts(signature.variant);
    std::vector<Statistics> times = measure(
        effort, [&] { return work.runOnDevice(); },
        [&] { return copy.runOnDevice(); });
    result.rate.time = times[0];
    result.copy.time = times[1];
    if (result.rate.bytes < kSmall) {
      std::vector<Statistics> latencies = measure(
          effort, [&] { return work.runFromHost(); },
          [&] { return empty->runFromHost(); });
      result.hasLatency = true;
      result.latency = latencies[0];
      result.emptyLatency = latencies[1];
    }
    if (options.check)
      result.unwritten = work.findUnwritten();
  } catch (const Failure &failure) {
    // The device still works, and other cases may fit its memory.
    if (failure.result != DML_ERROR_OUT_OF_MEMORY)
      throw Failure{result.name + ": " + failure.message, failure.exitCode,
                    failure.result};
    result.skipped = failure.message;
  }
}

Report Bench::run(const std::vector<Loaded> &cases) {
  size_t width = 4;
  for (const Loaded &each : cases)
    width = std::max(width, each.result.name.size());
  auto show = [&](const std::string &text) {
    progress.clear();
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  };

  progress.begin("measuring the device's copy");
  report.copyBefore = measureLargeCopy();
  Executable executable = makeEmptyExecutable();
  empty.emplace(makeWorkload(readRunSignature(executable, 0)));
  report.emptyLatency =
      measure(effort, [&] { return empty->runFromHost(); })[0];
  if (std::any_of(cases.begin(), cases.end(), [](const Loaded &each) {
        return each.result.operations > 0;
      })) {
    progress.begin("measuring the device's products");
    report.products =
        measureRate(device, makeProducts(report.device), random, effort) / 1e9;
  }
  show(printHeader(report, width));
  startLoad();
  for (const Loaded &each : cases) {
    report.cases.push_back(each.result);
    progress.begin("measuring " + each.result.name + ", case " +
                   std::to_string(report.cases.size()) + " of " +
                   std::to_string(cases.size()));
    runCase(report.cases.back(), each.signature);
    show(printCase(report, report.cases.back(), width));
  }
  load.reset();
  progress.begin("measuring the device's copy again");
  report.copyAfter = measureLargeCopy();
  show(printFooter(report));
  return std::move(report);
}

double Bench::getProducts(const DmlVariantInfo &variant) {
  const DmlDeviceLimits &limits = variant.requiredLimits;
  if (limits.matrixShapeCount == 0)
    return report.products;
  std::vector<std::string> names = listMatrixShapes(limits);
  double most = 0;
  for (uint32_t i = 0; i < limits.matrixShapeCount; ++i) {
    auto &known = report.matrixProducts;
    auto found =
        std::find_if(known.begin(), known.end(),
                     [&](const auto &each) { return each.first == names[i]; });
    if (found == known.end())
      found = known.emplace(found, names[i],
                            measureProducts(limits.matrixShapes[i]));
    most = std::max(most, found->second);
  }
  return most;
}

/// Returns the largest rate of products of cooperative matrices of `shape`, or
/// 0 if the device cannot run the kernel that measures it.
double Bench::measureProducts(const DmlMatrixShape &shape) {
  if (!hasProducts(shape))
    return 0;
  Work work = makeProducts(shape, report.device);
  if (dmlCheckExecutable(work.executable, &report.device, nullptr) !=
      DML_SUCCESS)
    return 0;
  progress.begin("measuring the device's products of matrices");
  return measureRate(device, work, random, effort) / 1e9;
}

void Bench::calibrate() {
  progress.begin("measuring the device's copy");
  Rate copy = measureLargeCopy();
  Calibration calibration(device, report.device, random, effort, progress);
  calibration.measure(copy.gbps() * 1e9);
  progress.clear();
  std::fputs(calibration.print().c_str(), stdout);
  if (!options.save)
    return;
  std::string path = dml::getSpeedFile(report.device);
  writeFile(path, dml::printSpeedFile(report.device, calibration.getSpeeds()));
  std::printf("saved, rounded, in %s\n", path.c_str());
}

/// Sets the operations of the cases that are named in the file at `path`.
void readOperations(const std::string &path, std::vector<Loaded> &cases) {
  std::vector<uint8_t> text = readInput(path);
  std::istringstream lines(std::string(text.begin(), text.end()));
  std::map<std::string, double> operations;
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    size_t space = line.find(' ');
    double count = 0;
    if (space == std::string::npos ||
        !parseNumber(std::string_view(line).substr(space + 1), count) ||
        !std::isfinite(count) || count < 0)
      fail("'" + path + "', line " + std::to_string(number) +
           ": expected a case's name, a space and its number of operations");
    operations[line.substr(0, space)] = count;
  }
  for (Loaded &each : cases)
    if (auto found = operations.find(each.result.name);
        found != operations.end())
      each.result.operations = found->second;
}

/// Creates the folder of the file in which --save stores measured speeds. Fails
/// if the file cannot be written.
void prepareSpeedFile(DmlDevice device) {
  DmlDeviceInfo info{};
  dmlGetDeviceProperties(device, &info);
  std::string path = dml::getSpeedFile(info), error;
  if (path.empty())
    fail(
#ifdef _WIN32
        "--save has no folder for its file: LOCALAPPDATA is no absolute path",
#else
        "--save has no folder for its file: neither XDG_CACHE_HOME nor HOME is "
        "an absolute path",
#endif
        kExitNotWritten);
  std::error_code code;
  std::filesystem::create_directories(dml::getCacheFolder(), code);
  if (!checkOutput(path, error))
    fail(error, kExitNotWritten);
}

void runTool(const Options &options) {
  if (options.calibrate && !options.files.empty())
    fail("--calibrate measures the device alone, but a file is given");
  if (options.save && !options.calibrate)
    fail("--save keeps what --calibrate measures, which is not asked for");
  if (options.files.empty() && !options.calibrate)
    fail("no file is given (see --help)");
  std::regex filter;
  try {
    filter = std::regex(options.filter);
  } catch (const std::regex_error &) {
    fail("--filter=" + options.filter + ": this is no regular expression");
  }

  // All errors that do not depend on a device are reported before a device is
  // looked for.
  std::vector<Executable> executables;
  std::vector<Loaded> cases;
  for (const std::string &file : options.files) {
    Executable executable = loadExecutable(file);
    DmlExecutableInfo info{};
    dmlGetExecutableInfo(executable, &info);
    for (uint32_t i = 0; i < info.functionCount; ++i) {
      RunSignature signature = readRunSignature(executable, i);
      Case result = describeCase(file, signature);
      if (std::regex_search(result.name, filter))
        cases.push_back({std::move(result), std::move(signature)});
    }
    executables.push_back(std::move(executable));
  }
  if (cases.empty() && !options.calibrate)
    fail("the files have no case that --filter=" + options.filter + " finds");
  if (!options.operations.empty())
    readOperations(options.operations, cases);
  if (options.list) {
    for (const Loaded &each : cases)
      std::printf("%s\n", each.result.name.c_str());
    return;
  }

  Progress progress("dml-bench");
  progress.begin("looking for a device");
  Instance instance = createInstance(nullptr);
  requireDevices(instance);
  DmlDeviceCreateInfo deviceInfo{};
  deviceInfo.selector = options.device.c_str();
  Device device;
  DML_CHECK(dmlCreateDevice, instance, &deviceInfo, device.out());
  // A file that cannot be written is found out now, not after minutes.
  if (options.save)
    prepareSpeedFile(device);
  std::string error;
  if (!options.json.empty() && !checkOutput(options.json, error))
    fail(error, kExitNotWritten);
  PipelineCache cache("dml-bench", options.pipelineCache);
  cache.load(device);
  Bench bench(options, device, progress);
  if (options.calibrate) {
    bench.calibrate();
    cache.save(device);
    return;
  }
  Report report = bench.run(cases);
  cache.save(device);
  if (!options.json.empty())
    writeFile(options.json, printJson(report));

  for (const Case &result : report.cases)
    if (!result.unwritten.empty())
      fail(result.name + ": " + result.unwritten, kExitNo);
  if (std::all_of(report.cases.begin(), report.cases.end(),
                  [](const Case &result) { return !result.skipped.empty(); }))
    fail("the device can run none of the cases", kExitNo);
}

} // namespace

int main(int argc, char **argv) {
  return runMain("dml-bench", [&] {
    Options options;
    std::string error;
    if (!parseOptions(argc, argv, options, error))
      fail(error);
    if (options.help)
      std::printf("%s%s", kHelp, kExitCodesHelp);
    else if (options.version)
      std::printf("dml-bench %s\n", dmlGetVersion());
    else
      runTool(options);
  });
}
