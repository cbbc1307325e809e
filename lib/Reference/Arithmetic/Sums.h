//===- Sums.h - Sums and products of many numbers ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Computes bounds that hold for any order in which an implementation adds or
// multiplies numbers. Each operation on f32 may have a relative error of u =
// 2^-23, since Vulkan does not specify the direction of rounding.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_ARITHMETIC_SUMS_H
#define DML_LIB_REFERENCE_ARITHMETIC_SUMS_H

#include "Arithmetic/Interval.h"
#include "dml/Reference/Accuracy.h"

namespace dml::reference {

/// The sum of intervals. The exact sum lies between the sum of the lower bounds
/// and the sum of the upper bounds. In any order, n - 1 additions have an error
/// of at most ((1 + u)^(n - 1) - 1) * (sum of magnitudes), where u is the
/// relative error of one addition.
class Sum {
public:
  void add(Interval x);
  Interval get() const;

private:
  /// The sum of the reference's numbers, and the sums of the finite lower and
  /// upper bounds.
  long double value = 0, low = 0, high = 0;
  /// The sums of the magnitudes of the positive numbers and of the negative
  /// numbers.
  long double positive = 0, negative = 0;
  int64_t count = 0;
  bool isNaN = false, mayBeNaN = false;
  /// Whether the terms may include, or certainly include, an infinity of either
  /// sign.
  bool mayBePositive = false, isPositive = false;
  bool mayBeNegative = false, isNegative = false;
};

/// The product of intervals, with an analogous error bound.
class Product {
public:
  void add(Interval x);
  Interval get() const;

private:
  long double value = 1, low = 1, high = 1;
  /// The product of all magnitudes greater than 1, and the product of all
  /// magnitudes less than 1. No partial product is larger or smaller than
  /// these.
  long double largest = 1, smallest = 1;
  int64_t count = 0;
  bool isNaN = false, mayBeNaN = false, mayBeZero = false;
  bool mayBeInfinite = false;
};

/// Exact sums and products of integers, with the same interface.
class IntegerSum {
public:
  explicit IntegerSum(Integer zero) : total(zero(0)) {}
  void add(Integer x) {
    ArithmeticLog::noteIntegerSum(total.width);
    total = total + x;
  }
  Integer get() const { return total; }

private:
  Integer total;
};
class IntegerProduct {
public:
  explicit IntegerProduct(Integer one) : total(one(1)) {}
  void add(Integer x) { total = total * x; }
  Integer get() const { return total; }

private:
  Integer total;
};

/// Returns x * x, which is not negative.
Interval square(Interval x);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_ARITHMETIC_SUMS_H
