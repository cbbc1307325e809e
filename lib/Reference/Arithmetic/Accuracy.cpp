//===- Accuracy.cpp - How far arithmetic may be off -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Reference/Accuracy.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

namespace dml::reference {

thread_local uint64_t ArithmeticLog::seen = 0;

ArithmeticLog::ArithmeticLog() { seen = 0; }
ArithmeticLog::~ArithmeticLog() { seen = 0; }

bool ArithmeticLog::has(Arithmetic operation) const {
  return (seen >> static_cast<unsigned>(operation)) & 1;
}

bool ArithmeticLog::addsFloats() const {
  return has(Arithmetic::Sum) || (seen & orderedSum);
}

llvm::SmallVector<unsigned> ArithmeticLog::getAddedWidths() const {
  llvm::SmallVector<unsigned> widths;
  for (unsigned width : {8, 16, 32, 64})
    if (seen & (firstWidth * width))
      widths.push_back(width);
  return widths;
}

/// Returns a number as "2.5", or as "2^-21" if it is a small power of two.
static std::string describeNumber(double number) {
  int exponent = 0;
  if (std::frexp(number, &exponent) == 0.5 && exponent < -2)
    return "2^" + std::to_string(exponent - 1);
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text;
}

std::string describeBound(const Accuracy &accuracy) {
  std::string text = accuracy.bound.str();
  double numbers[] = {accuracy.ulps, accuracy.ulpsPerUnit, accuracy.absolute};
  for (unsigned i = 0; i < std::size(numbers); ++i) {
    std::string name = "{" + std::to_string(i) + "}";
    if (size_t place = text.find(name); place != std::string::npos)
      text.replace(place, name.size(), describeNumber(numbers[i]));
  }
  return text;
}

} // namespace dml::reference
