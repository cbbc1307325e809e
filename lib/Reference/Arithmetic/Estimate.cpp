//===- Estimate.cpp - Tensors with bounds ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Reference/Estimate.h"
#include "Arithmetic/Interval.h"
#include <cmath>

namespace dml::reference {

static bool isFloat(DataType type) {
  return type == DataType::FLOAT16 || type == DataType::FLOAT32 ||
         type == DataType::FLOAT64;
}

bool admitsAnything(const Estimate &estimate, int64_t index) {
  if (estimate.isExact())
    return false;
  if (!isFloat(estimate.value.getDataType())) {
    Integer number = Integer::load(estimate, index);
    return number.low == number.getMin() && number.high == number.getMax();
  }
  double low = estimate.lower.getNumber(index),
         high = estimate.upper.getNumber(index);
  if (std::isnan(low))
    return false;
  return std::isnan(high) ||
         (std::isinf(low) && std::isinf(high) && low < high);
}

int64_t countUnjudged(const Estimate &estimate) {
  int64_t count = 0;
  if (!estimate.isExact())
    for (int64_t i = 0; i < estimate.value.getNumElements(); ++i)
      count += admitsAnything(estimate, i);
  return count;
}

} // namespace dml::reference
