//===- Calibrate.h - Measuring how fast a device is -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLBENCH_CALIBRATE_H
#define DML_TOOLS_DMLBENCH_CALIBRATE_H

#include "Measure.h"
#include "dml/Target/DeviceAtHand.h"
#include "support/Progress.h"

#include <string>

namespace dml::tools {

/// Measures the numbers of a device by which the compiler chooses kernels.
/// docs/Benchmarks.md describes the numbers.
class Calibration {
public:
  Calibration(DmlDevice device, const DmlDeviceInfo &info, RandomData &random,
              const Effort &effort, Progress &progress)
      : device(device), info(info), random(random), effort(effort),
        progress(progress) {}

  /// Measures all numbers. A copy moves `copiedBytes` in a second.
  void measure(double copiedBytes);

  /// Returns a line of text for each number, followed by the compiler's option
  /// that states the numbers.
  std::string print() const;

  /// Returns the numbers, rounded, and the matrices, the fastest first.
  const dml::MeasuredSpeeds &getSpeeds() const { return speeds; }

private:
  double measureTime(const Work &work) {
    return tools::measureTime(device, work, random, effort);
  }
  double measureRate(const Work &work) {
    return tools::measureRate(device, work, random, effort);
  }
  /// Adds a number to the profile, and a line that describes the number. A
  /// measured value below `least`, which no device has, counts as unknown.
  void add(const char *name, double value, const char *meaning,
           double least = 1e-3);
  uint64_t findCacheSize();
  uint64_t countMultiprocessors();
  void measureRates();
  void measureMatrices();
  double measureMatrices(const DmlMatrixShape &shape, const Work &work);
  double countMatrixUnits(const DmlMatrixShape &shape, double perCycle);
  void measureLatencies();

  DmlDevice device;
  const DmlDeviceInfo &info;
  RandomData &random;
  const Effort &effort;
  Progress &progress;
  std::string lines, profile;
  dml::MeasuredSpeeds speeds;
  /// The size of the last cache, or 0, and the number of multiprocessors.
  uint64_t cacheBytes = 0, multiprocessors = 0;
  /// Nanoseconds in which a multiprocessor begins 128 operations.
  double cycle = 0;
  /// Nanoseconds of a kernel that does next to nothing.
  double kernelTime = 0;
};

} // namespace dml::tools

#endif // DML_TOOLS_DMLBENCH_CALIBRATE_H
