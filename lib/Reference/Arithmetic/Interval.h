//===- Interval.h - Numbers known within bounds -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on numbers that are known within bounds: on f32, with all results
// that Vulkan permits, and on integers, with exact operations on operands that
// may have bounds. Both types have the same operators, so that one formula
// evaluates both.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_ARITHMETIC_INTERVAL_H
#define DML_LIB_REFERENCE_ARITHMETIC_INTERVAL_H

#include "dml/Reference/Estimate.h"
#include "mlir/IR/Attributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace dml::reference {

/// The smallest normal f32. Devices may replace smaller numbers by zeros.
inline constexpr double smallestNormal = 0x1p-126;

/// The truth of a condition, as far as bounds determine it: certainly true,
/// certainly false, or unknown. In all cases, it is also stored whether the
/// condition is true for the numbers of the reference.
class Truth {
public:
  static const Truth False, True;
  /// Returns a truth that bounds do not determine. `holds` states whether the
  /// condition is true for the numbers of the reference.
  static constexpr Truth unknown(bool holds) { return Truth(holds, false); }

  bool holds() const { return isTrue; }
  bool isUnknown() const { return !isKnown; }
  /// An unknown truth is equal to neither certain truth.
  bool operator==(Truth other) const {
    return isKnown == other.isKnown && isTrue == other.isTrue;
  }
  bool operator!=(Truth other) const { return !(*this == other); }

  Truth operator!() const { return Truth(!isTrue, isKnown); }
  Truth operator&&(Truth other) const {
    bool isFalse = *this == Truth(false, true) || other == Truth(false, true);
    return Truth(isTrue && other.isTrue, isFalse || (isKnown && other.isKnown));
  }
  Truth operator||(Truth other) const { return !(!*this && !other); }

private:
  constexpr Truth(bool isTrue, bool isKnown)
      : isTrue(isTrue), isKnown(isKnown) {}

  bool isTrue, isKnown;
};
inline constexpr Truth Truth::False = Truth(false, true);
inline constexpr Truth Truth::True = Truth(true, true);

/// The f32 result of a computation: `value` in the reference, and in a correct
/// implementation any number from `low` to `high`, or NaN if `mayBeNaN` is set.
///
/// Each operation includes the freedom that Vulkan grants: the direction in
/// which a result is rounded, the number of units in the last place by which a
/// function may be wrong, and the replacement of denormals by zeros in operands
/// and results. For example, 1 / 3 lies between 0.33333331 and 0.33333337,
/// which allows an error of 2.5 units.
struct Interval {
  double value = 0, low = 0, high = 0;
  bool mayBeNaN = false, isNaN = false;
  /// Whether a zero has the sign of `value` in each correct implementation.
  bool hasSign = false;

  /// The number `constant`, rounded to f32.
  explicit Interval(double constant);
  /// Returns an interval of all numbers and NaN.
  static Interval anything(double value);
  /// Returns the numbers from `low` to `high`, extended by `ulps` units in the
  /// last place, and by 0 if denormals may be flushed.
  static Interval around(double value, double low, double high, double ulps);
  /// Returns the result of an operation on NaN.
  static Interval nan();

  /// Loads an element of any type. An integer or an f64 may become either of
  /// the two adjacent f32.
  static Interval load(const Estimate &tensor, int64_t index);
  /// Stores the bounds in a tensor of any type, converted as by dml.cast.
  void storeConverted(Estimate &tensor, int64_t index) const;
  /// Stores the bounds, rounded to the element type.
  void store(Estimate &tensor, int64_t index) const;

  /// Returns the constant `constant` as an interval. Integer has the same
  /// function.
  Interval operator()(double constant) const { return Interval(constant); }
  /// Returns the constant `attribute`, or its negative.
  Interval getBound(mlir::Attribute attribute, bool isNegated = false) const;

  Interval operator+(Interval other) const;
  Interval operator-(Interval other) const;
  Interval operator*(Interval other) const;
  Interval operator/(Interval other) const;
  Interval operator-() const;
  Truth operator<(Interval other) const;
  Truth operator<=(Interval other) const;
  Truth operator>(Interval other) const { return other < *this; }
  Truth operator>=(Interval other) const { return other <= *this; }
  Truth equals(Interval other) const;
};

Interval select(Truth condition, Interval whenTrue, Interval whenFalse);
/// Returns the maximum. The maximum of a number and NaN is the number.
Interval max(Interval a, Interval b);
Interval min(Interval a, Interval b);
Interval abs(Interval x);
Interval exp(Interval x);
Interval log(Interval x);
Interval sqrt(Interval x);
Interval tanh(Interval x);
Interval floor(Interval x);
Interval ceil(Interval x);
Interval trunc(Interval x);
/// Round to the nearest integer, ties to even or ties away from zero.
Interval roundEven(Interval x);
Interval roundAway(Interval x);
Interval sinh(Interval x);
Interval cosh(Interval x);
Interval asinh(Interval x);
Interval acosh(Interval x);
Interval atanh(Interval x);
Interval sin(Interval x);
Interval cos(Interval x);
Interval asin(Interval x);
Interval acos(Interval x);
Interval atan(Interval x);
Interval atan2(Interval y, Interval x);
Interval erf(Interval x);
/// Computes ln(1 + e^x).
Interval softplus(Interval x);
/// Computes x^exponent. If the exponent was an integer that may have been
/// rounded to f32 since then, `isOdd` states whether the integer was odd.
Interval pow(Interval x, Interval exponent,
             std::optional<bool> isOdd = std::nullopt);
Truth isNaN(Interval x);
/// Whether x is the infinity with the sign of `sign`.
Truth isInfinity(Interval x, int sign);

/// Applies a function that never decreases. The result may be wrong by `ulps`
/// units in the last place or by `absolute`, whichever is more.
Interval mapIncreasing(Interval x, double (*function)(double), double ulps,
                       double absolute = 0);

/// An integer result with `width` bits: `value` in the reference, and any
/// integer from `low` to `high` in a correct implementation. Results wrap
/// around. If the results for only some of the numbers between the bounds wrap
/// around, the bounds become those of the type.
struct Integer {
  __int128 value = 0, low = 0, high = 0;
  unsigned width = 32;
  bool isUnsigned = false;

  static Integer load(const Estimate &tensor, int64_t index);
  void store(Estimate &tensor, int64_t index) const;

  /// Whether there is only one integer between the bounds.
  bool isCertain() const { return low == high; }
  /// Returns `number`, wrapped to the type of this integer.
  Integer wrap(__int128 number) const;
  /// Returns the integers from `low` to `high`, wrapped to the type of this
  /// integer.
  Integer wrap(__int128 value, __int128 low, __int128 high) const;
  /// Returns an interval of all integers of this type, with `value` in the
  /// reference.
  Integer anything(__int128 value) const;
  Integer operator()(double constant) const {
    return wrap(static_cast<__int128>(constant));
  }
  /// Returns the constant `attribute`, or its negative. A float is rounded
  /// towards zero and clamped to the range of this type, and NaN becomes 0.
  Integer getBound(mlir::Attribute attribute, bool isNegated = false) const;
  __int128 getMin() const;
  __int128 getMax() const;

  Integer operator+(Integer other) const {
    return wrap(value + other.value, low + other.low, high + other.high);
  }
  Integer operator-(Integer other) const {
    return wrap(value - other.value, low - other.high, high - other.low);
  }
  Integer operator*(Integer other) const;
  Integer operator/(Integer other) const;
  Integer operator-() const { return wrap(-value, -high, -low); }
  Truth operator<(Integer other) const;
  Truth operator<=(Integer other) const;
  Truth operator>(Integer other) const { return other < *this; }
  Truth operator>=(Integer other) const { return other <= *this; }
  Truth equals(Integer other) const;

  /// Returns the hull of the results of `function` for all pairs of integers
  /// within the bounds of this object and of `other`, as integers of this type.
  /// For more than some hundred pairs, returns all integers. Suitable for
  /// functions that are not monotonic.
  Integer
  combine(Integer other,
          llvm::function_ref<__int128(__int128 x, __int128 y)> function) const;
};

/// Returns the selected integer, or the hull of both if the condition is
/// unknown.
Integer select(Truth condition, Integer whenTrue, Integer whenFalse);
Integer max(Integer a, Integer b);
Integer min(Integer a, Integer b);
Integer abs(Integer x);
/// Computes the power by repeated multiplication. Negative powers are quotients
/// of 1.
Integer pow(Integer x, Integer exponent);
/// Returns the remainder of a division that rounds down, or that rounds towards
/// zero. The remainder of a division by 0 is -1.
Integer modulus(Integer a, Integer b, bool isFloor);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_ARITHMETIC_INTERVAL_H
