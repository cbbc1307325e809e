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

static constexpr DeviceSpeed::Number numbers[] = {
#define DML_SPEED(NAME, LEAST) {#NAME, &DeviceSpeed::NAME, LEAST},
#include "dml/Target/Speeds.def"
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
