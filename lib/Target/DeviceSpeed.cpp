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

namespace {
/// A number of a device, and the least that it may be.
struct Number {
  llvm::StringLiteral name;
  double DeviceSpeed::*value;
  double least = 0;
};
} // namespace

static constexpr Number numbers[] = {
    {"opsPerByte", &DeviceSpeed::opsPerByte},
    {"bytesPerThread", &DeviceSpeed::bytesPerThread},
    {"cacheBytes", &DeviceSpeed::cacheBytes},
    {"multiprocessors", &DeviceSpeed::multiprocessors, 1},
};
/// More than any device has of any of these.
static constexpr double most = 1e15;

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
          "device profile number '" + part + "' wants a number from " +
          llvm::Twine(static_cast<int64_t>(number.least)) + " to 1e15");
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
