//===- Calibrate.cpp - Measuring how fast a device is ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"
#include "Executables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

using namespace dml::tools;

/// A buffer that the first cache of every GPU holds.
static constexpr uint64_t kFirstCache = 4096;
/// The operations of threads that a multiprocessor begins in a cycle, which
/// defines the cycle (DeviceSpeed.h).
static constexpr double kOpsPerCycle = 128;

/// Prints a number of a profile: a whole one, or with three digits.
static std::string format(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), value < 1000 ? "%.3g" : "%.0f", value);
  return text;
}

/// Prints a rate for readers.
static std::string formatRate(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

void Calibration::add(const char *name, double value, const char *meaning,
                      double least) {
  bool isKnown = std::isfinite(value) && value >= least;
  std::string text = isKnown ? format(value) : "unknown";
  lines += std::string(name) + ": " + text + " " + meaning + "\n";
  if (!isKnown)
    return;
  profile += std::string(",") + name + "=" + text;
  speeds.numbers.emplace_back(name, roundSpeed(name, value));
}

/// Returns the size of the last cache in bytes. Small buffers are read at the
/// rate of a cache, and large buffers at the rate of memory. The size is that
/// of the largest buffer that is read at more than the average of the two
/// rates. Returns 0 if the two rates hardly differ.
uint64_t Calibration::findCacheSize() {
  constexpr uint64_t kLeast = uint64_t(1) << 20, kMost = uint64_t(1) << 28;
  std::vector<std::pair<uint64_t, double>> rates;
  for (uint64_t bytes = kLeast; bytes <= kMost; bytes *= 2)
    if (bytes <= getLargestCopy(info))
      rates.emplace_back(bytes, measureRate(makeReads(bytes, info)));
  if (rates.empty())
    return 0;
  double ofMemory = rates.back().second, best = 0;
  for (auto [bytes, rate] : rates)
    best = std::max(best, rate);
  uint64_t found = 0;
  for (auto [bytes, rate] : rates)
    if (best > 1.1 * ofMemory && rate > (best + ofMemory) / 2)
      found = bytes;
  return found;
}

/// Returns the number of multiprocessors that the driver reports, or else a
/// measured number: of workgroups that each occupy a multiprocessor, the most
/// that the device runs in the time of one. Returns 0 if the device does not
/// support workgroups of 1024 threads, or if thousands of workgroups take the
/// time of one.
uint64_t Calibration::countMultiprocessors() {
  if (info.limits.multiprocessorCount != 0)
    return info.limits.multiprocessorCount;
  uint64_t most = getMostGroups(info);
  if (most == 0)
    return 0;
  double ofOne = measureRate(makeGroups(1));
  // If there is one workgroup more than there are multiprocessors, the time
  // doubles. Times of up to 1.5 count as the time of one workgroup, since times
  // vary.
  auto takeOneTurn = [&](uint64_t groups) {
    return measureRate(makeGroups(groups)) > double(groups) * ofOne / 1.5;
  };
  uint64_t fit = 1, tooMany = 2;
  while (tooMany <= most && takeOneTurn(tooMany)) {
    fit = tooMany;
    tooMany *= 2;
  }
  if (tooMany > most)
    return 0;
  while (tooMany - fit > 1) {
    uint64_t middle = fit + (tooMany - fit) / 2;
    (takeOneTurn(middle) ? fit : tooMany) = middle;
  }
  return fit;
}

/// Measures the bytes that a multiprocessor loads in a cycle.
void Calibration::measureRates() {
  // Workgroups enough to fill each multiprocessor several times.
  uint64_t groups = 32 * multiprocessors;
  auto getBytesPerCycle = [&](const Work &work) {
    return measureRate(work) / 1e9 * cycle / double(multiprocessors);
  };
  progress.begin("measuring the rate of its first caches");
  add("firstCacheBytesPerCycle",
      getBytesPerCycle(makeLoads(kFirstCache, groups, info)),
      "bytes that a multiprocessor loads from its first cache in a cycle");
  if (cacheBytes > 0) {
    // Half of a cache has room for what else is in it.
    progress.begin("measuring the rate of its last cache");
    add("lastCacheBytesPerCycle",
        getBytesPerCycle(makeLoads(cacheBytes / 2, groups, info)),
        "bytes that a multiprocessor loads from the last cache in a cycle");
  }
  progress.begin("measuring the rate of workgroup memory");
  add("workgroupBytesPerCycle", getBytesPerCycle(makeSharedLoads(groups, info)),
      "bytes that a multiprocessor loads from workgroup memory in a cycle");
}

/// Measures the number of products that a multiprocessor adds up in a cycle
/// with matrices of `shape`, times the bytes of a factor. The work counts two
/// operations for each product: a multiplication and an addition.
double Calibration::measureMatrices(const DmlMatrixShape &shape,
                                    const Work &work) {
  double bytes = double(dmlGetDataTypeBits(shape.factors)) / 8;
  return measureRate(work) / 2 / 1e9 * cycle / double(multiprocessors) * bytes;
}

/// Counts the matrix units of a multiprocessor, which share the rate
/// `bytesPerCycle`. A single subgroup uses one unit, so that its rate is the
/// share of one unit.
double Calibration::countMatrixUnits(const DmlMatrixShape &shape,
                                     double bytesPerCycle) {
  Work alone = makeProductsOfSubgroup(shape, info);
  double bytes = double(dmlGetDataTypeBits(shape.factors)) / 8;
  double ofSubgroup =
      alone.amount / 2 * cycle / (measureTime(alone) - kernelTime) * bytes;
  return std::max(std::round(bytesPerCycle / ofSubgroup), 1.0);
}

/// Measures products of cooperative matrices of all shapes for which there is a
/// kernel, and puts the shapes into the order of their rates.
void Calibration::measureMatrices() {
  if (!(info.features & DML_FEATURE_COOPERATIVE_MATRIX_BIT))
    return;
  progress.begin("measuring its products of matrices");
  std::vector<std::pair<double, uint32_t>> rates;
  for (uint32_t i = 0; i < info.limits.matrixShapeCount; ++i) {
    const DmlMatrixShape &shape = info.limits.matrixShapes[i];
    if (!hasProducts(shape))
      continue;
    Work work = makeProducts(shape, info);
    if (dmlCheckExecutable(work.executable, &info, nullptr) != DML_SUCCESS)
      continue;
    double rate = measureMatrices(shape, work);
    lines += "matrices of " + describeMatrix(shape) + ": " + formatRate(rate) +
             " products in a cycle, times the bytes of a factor\n";
    rates.emplace_back(-rate, i);
  }
  if (rates.empty())
    return;
  auto fastest = *std::min_element(rates.begin(), rates.end());
  add("matrixBytesPerCycle", -fastest.first,
      "products of matrices that a multiprocessor adds up in a cycle, times "
      "the bytes of a factor");
  add("matrixUnits",
      countMatrixUnits(info.limits.matrixShapes[fastest.second],
                       -fastest.first),
      "subgroups that multiply matrices at a time on a multiprocessor");
  // Shapes that are about as fast keep the device's order.
  for (auto &[rate, index] : rates)
    rate = -roundSpeed("", -rate);
  std::sort(rates.begin(), rates.end());
  for (auto [rate, index] : rates)
    speeds.matrices.push_back(info.limits.matrixShapes[index]);
}

/// Measures times in cycles.
void Calibration::measureLatencies() {
  progress.begin("measuring how long its barriers take");
  Work exchanges = makeExchanges();
  add("barrierCycles",
      (measureTime(exchanges) - kernelTime) / exchanges.amount / cycle,
      "cycles of an exchange of values between the threads of a workgroup");
  auto getLoadCycles = [&](uint64_t bytes) {
    Work chase = makeChase(bytes);
    return (measureTime(chase) - kernelTime) / chase.amount / cycle;
  };
  progress.begin("measuring how long its loads take");
  add("firstCacheCycles", getLoadCycles(kFirstCache),
      "cycles of a load from the first cache");
  if (cacheBytes > 0)
    // A first cache has a fraction of this buffer.
    add("lastCacheCycles",
        getLoadCycles(std::min(cacheBytes / 2, uint64_t(1) << 21)),
        "cycles of a load from the last cache");
  uint64_t bytes = uint64_t(1) << 28;
  while (bytes > getLargestCopy(info))
    bytes /= 2;
  // The last cache has less than a fourth of this buffer.
  if (bytes >= 4 * cacheBytes)
    add("memoryCycles", getLoadCycles(bytes), "cycles of a load from memory");
  add("kernelCycles", kernelTime / cycle,
      "cycles of a kernel that does next to nothing");
  progress.begin("measuring how long its kernels wait for each other");
  constexpr uint64_t kKernels = 33;
  double ofAll = measureTime(makeSmallKernels(kKernels, info));
  add("launchCycles", (ofAll - kernelTime) / double(kKernels - 1) / cycle,
      "cycles of one more kernel, which waits for the one before");
}

void Calibration::measure(double copiedBytes) {
  progress.begin("measuring its operations");
  double operations = measureRate(makeOperations(info));
  progress.begin("measuring how fast it starts threads");
  double threads = measureRate(makeThreads(info));
  if (copiedBytes == 0 || threads == 0 || operations == 0)
    fail("the device gives no times that could be compared", kExitNo);
  lines = "device: " + std::string(info.name) + ", " + info.driverName + " " +
          info.driverInfo + "\ncopy: " + formatRate(copiedBytes) +
          " bytes a second\noperations: " + formatRate(operations) +
          " a second\nthreads: " + formatRate(threads) +
          " started in a second\n";
  add("opsPerByte", operations / copiedBytes,
      "operations that begin while memory moves a byte");
  add("bytesPerThread", copiedBytes / threads,
      "bytes that memory moves while a thread starts");
  progress.begin("looking for the size of its cache");
  cacheBytes = findCacheSize();
  add("cacheBytes", double(cacheBytes), "bytes of the last cache",
      /*least=*/0);
  progress.begin("counting its multiprocessors");
  multiprocessors = countMultiprocessors();
  add("multiprocessors", double(multiprocessors),
      "that each run workgroups of their own");
  if (multiprocessors == 0)
    return;
  // The other numbers are of one multiprocessor, and in its cycles.
  cycle = double(multiprocessors) * kOpsPerCycle / operations * 1e9;
  lines += "cycle: " + format(cycle) +
           " ns in which a multiprocessor begins 128 operations\n";
  progress.begin("measuring its shortest kernel");
  kernelTime = measureTime(makeSmallKernels(1, info));
  measureRates();
  measureMatrices();
  measureLatencies();
}

std::string Calibration::print() const {
  // If a profile states the size of subgroups, the threads of a subgroup can
  // exchange values.
  std::string subgroup =
      info.features & DML_FEATURE_SUBGROUP_SHUFFLE_BIT
          ? ",subgroupSize=" + std::to_string(info.limits.subgroupSize)
          : "";
  return lines + "--device-profile=full" + profile + subgroup + "\n";
}
