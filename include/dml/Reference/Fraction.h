//===- Fraction.h - What a scale means --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_REFERENCE_FRACTION_H
#define DML_REFERENCE_FRACTION_H

#include "llvm/ADT/DynamicAPInt.h"

namespace dml::reference {

/// A positive fraction in lowest terms. A denominator of 0 represents infinity.
struct Fraction {
  llvm::DynamicAPInt numerator, denominator;
};

/// Returns the fraction with the smallest denominator that rounds to `value`
/// (to nearest, ties to even). `value` is finite and greater than 0. If `value`
/// is an integer, returns this integer, although from 2^24 on other integers
/// round to the same value. For any other value, there is only one such
/// fraction.
Fraction getSimplestFraction(float value);

/// Returns `numerator / denominator`, rounded to nearest, ties to even. Neither
/// number is negative, and the denominator is not 0.
float roundToFloat(llvm::DynamicAPInt numerator,
                   llvm::DynamicAPInt denominator);

} // namespace dml::reference

#endif // DML_REFERENCE_FRACTION_H
