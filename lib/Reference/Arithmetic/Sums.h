//===- Sums.h - Sums and products of many numbers ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the order in which an implementation adds or multiplies. Every
// operation on f32 may be off by u = 2^-23 of its result, since Vulkan leaves
// open which way it rounds.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_ARITHMETIC_SUMS_H
#define DML_LIB_REFERENCE_ARITHMETIC_SUMS_H

#include "Arithmetic/Interval.h"

namespace dml::reference {

/// The sum of intervals. The exact sum lies between those of the lower and of
/// the upper bounds; n - 1 additions are off by at most
/// ((1 + u)^(n - 1) - 1) * (sum of magnitudes), in any order.
class Sum {
public:
  void add(Interval x);
  Interval get() const;

private:
  /// The sums of the reference's numbers and of the bounds, as far as these are
  /// finite.
  long double value = 0, low = 0, high = 0;
  /// The sums of magnitudes, of positive and of negative numbers.
  long double positive = 0, negative = 0;
  int64_t count = 0;
  bool isNaN = false, mayBeNaN = false;
  /// How infinities take part: they may, or they surely do.
  bool mayBePositive = false, isPositive = false;
  bool mayBeNegative = false, isNegative = false;
};

/// The product of intervals, with the same relative bound.
class Product {
public:
  void add(Interval x);
  Interval get() const;

private:
  long double value = 1, low = 1, high = 1;
  /// The products of all magnitudes above 1, and of all below: no partial
  /// product is larger or smaller.
  long double largest = 1, smallest = 1;
  int64_t count = 0;
  bool isNaN = false, mayBeNaN = false, mayBeZero = false;
  bool mayBeInfinite = false;
};

/// Sums and products of integers, which are exact, have the same interface.
class IntegerSum {
public:
  explicit IntegerSum(Integer zero) : total(zero(0)) {}
  void add(Integer x) { total = total + x; }
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

/// x * x, which is not negative.
Interval square(Interval x);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_ARITHMETIC_SUMS_H
