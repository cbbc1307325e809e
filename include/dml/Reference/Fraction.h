//===- Fraction.h - What a scale means --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_REFERENCE_FRACTION_H
#define DML_REFERENCE_FRACTION_H

#include "llvm/ADT/DynamicAPInt.h"

namespace dml::reference {

/// A positive fraction in lowest terms. A denominator of 0 is infinity.
struct Fraction {
  llvm::DynamicAPInt numerator, denominator;
};

/// The fraction with the smallest denominator among those that round to `value`
/// (to nearest, halves to even), which is finite and greater than 0. An integer
/// is itself, although from 2^24 on others round to it too; below the integers
/// there is just one such fraction.
Fraction getSimplestFraction(float value);

/// `numerator / denominator`, rounded to nearest, halves to even. Neither is
/// negative, and the denominator is not 0.
float roundToFloat(llvm::DynamicAPInt numerator,
                   llvm::DynamicAPInt denominator);

} // namespace dml::reference

#endif // DML_REFERENCE_FRACTION_H
