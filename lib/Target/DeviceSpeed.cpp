//===- DeviceSpeed.cpp - How fast a device is -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/DeviceSpeed.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace dml;

/// The least value of a number by which a model divides.
static constexpr double leastDivisor = 1e-3;

static constexpr DeviceSpeed::Number numbers[] = {
    {"opsPerByte", &DeviceSpeed::opsPerByte, 0},
    {"bytesPerThread", &DeviceSpeed::bytesPerThread, 0},
    {"cacheBytes", &DeviceSpeed::cacheBytes, 0},
    {"multiprocessors", &DeviceSpeed::multiprocessors, 1},
    {"firstCacheBytesPerCycle", &DeviceSpeed::firstCacheBytesPerCycle,
     leastDivisor},
    {"lastCacheBytesPerCycle", &DeviceSpeed::lastCacheBytesPerCycle,
     leastDivisor},
    {"workgroupBytesPerCycle", &DeviceSpeed::workgroupBytesPerCycle,
     leastDivisor},
    {"matrixBytesPerCycle", &DeviceSpeed::matrixBytesPerCycle, leastDivisor},
    {"matrixUnits", &DeviceSpeed::matrixUnits, 1},
    {"barrierCycles", &DeviceSpeed::barrierCycles, 0},
    {"firstCacheCycles", &DeviceSpeed::firstCacheCycles, leastDivisor},
    {"lastCacheCycles", &DeviceSpeed::lastCacheCycles, 0},
    {"memoryCycles", &DeviceSpeed::memoryCycles, 0},
    {"kernelCycles", &DeviceSpeed::kernelCycles, 0},
    {"launchCycles", &DeviceSpeed::launchCycles, 0},
    // Vulkan tells neither how many registers and how much workgroup memory a
    // multiprocessor has, nor how long a line of a cache is, and a kernel sees
    // these only through its time, beside everything else that the time depends
    // on.
    {"registers", &DeviceSpeed::registers, 1},
    {"registersOfThread", &DeviceSpeed::registersOfThread, 1},
    {"workgroupMemory", &DeviceSpeed::workgroupMemory, 1},
    {"cacheLineBytes", &DeviceSpeed::cacheLineBytes, 1},
    {"sectorBytes", &DeviceSpeed::sectorBytes, 1},
};
/// More than any device has of any of these.
static constexpr double most = 1e15;

llvm::ArrayRef<DeviceSpeed::Number> DeviceSpeed::getNumbers() {
  return numbers;
}

int64_t DeviceSpeed::getEnoughThreads() const {
  double ofEach = enoughThreads / DeviceSpeed().multiprocessors;
  return std::llround(ofEach * multiprocessors);
}

std::optional<llvm::Error> DeviceSpeed::parse(llvm::StringRef part) {
  auto [name, text] = part.split('=');
  for (const Number &number : numbers) {
    if (name != number.name)
      continue;
    double value;
    if (text.getAsDouble(value) || !(value >= number.least) || !(value <= most))
      return llvm::createStringError(
          "device profile number '%s' wants a number from %g to 1e15",
          part.str().c_str(), number.least);
    this->*number.value = value;
    return llvm::Error::success();
  }
  return std::nullopt;
}

std::string DeviceSpeed::str() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const Number &number : numbers)
    if (this->*number.value != DeviceSpeed().*number.value)
      stream << ',' << number.name << '='
             << llvm::format("%.15g", this->*number.value);
  return text;
}
