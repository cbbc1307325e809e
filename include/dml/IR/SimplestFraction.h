//===- SimplestFraction.h - The fraction that a float stands for *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_SIMPLESTFRACTION_H
#define DML_IR_SIMPLESTFRACTION_H

#include "llvm/ADT/DynamicAPInt.h"

namespace dml {

struct SimplestFraction {
  llvm::DynamicAPInt numerator, denominator;
};

/// Returns the fraction that the scale or offset `value` of a resampling
/// represents: the fraction with the smallest denominator among those that
/// round to `value`. For example, the f32 nearest to 0.6 represents 3/5.
/// `value` must be finite.
SimplestFraction getSimplestFraction(float value);

} // namespace dml

#endif // DML_IR_SIMPLESTFRACTION_H
