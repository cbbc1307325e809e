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

/// The fraction that the scale or offset `value` of a resampling stands for: of
/// the fractions that round to `value`, the one with the smallest denominator.
/// The f32 next to 0.6 stands for 3/5. `value` is finite.
SimplestFraction getSimplestFraction(float value);

} // namespace dml

#endif // DML_IR_SIMPLESTFRACTION_H
