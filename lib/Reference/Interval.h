//===- Interval.h - Numbers known within bounds -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of f32 as a Vulkan device may do it, and of integers, which is
// exact. Both have the same operators, so that one formula evaluates both.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_INTERVAL_H
#define DML_LIB_REFERENCE_INTERVAL_H

#include "dml/Reference/Estimate.h"
#include "mlir/IR/Attributes.h"
#include <optional>

namespace dml::reference {

/// The smallest normal f32. Devices may take smaller numbers for zeros.
inline constexpr double smallestNormal = 0x1p-126;

/// Whether something holds, as far as bounds tell.
enum class Truth { False, True, Unknown };

inline Truth operator!(Truth t) {
  return t == Truth::Unknown ? t
         : t == Truth::True  ? Truth::False
                             : Truth::True;
}
inline Truth operator&&(Truth a, Truth b) {
  if (a == Truth::False || b == Truth::False)
    return Truth::False;
  return a == Truth::True && b == Truth::True ? Truth::True : Truth::Unknown;
}
inline Truth operator||(Truth a, Truth b) { return !(!a && !b); }

/// An f32 that a computation gives: `value` in the reference, and a number from
/// `low` to `high` in a correct implementation, or a NaN if `mayBeNaN`.
///
/// Every operation includes what Vulkan leaves open: which way a result is
/// rounded, the units in the last place by which a function may be off, and
/// that denormals may be taken for zeros and flushed to them.
/// For example, 1 / 3 is between 0.33333331 and 0.33333337: 2.5 units.
struct Interval {
  double value = 0, low = 0, high = 0;
  bool mayBeNaN = false, isNaN = false;
  /// Whether a zero has the sign of `value` in every correct implementation.
  bool hasSign = false;

  /// The number `constant`, rounded to f32.
  explicit Interval(double constant);
  /// A number of which nothing is known: any number, or NaN.
  static Interval anything(double value);
  /// The numbers from `low` to `high`, with `ulps` units in the last place
  /// around them, and room for flushed denormals.
  static Interval around(double value, double low, double high, double ulps);
  /// The result for a NaN.
  static Interval nan();

  /// An element of any type. An integer, or an f64, becomes either f32 next to
  /// it.
  static Interval load(const Estimate &tensor, int64_t index);
  /// Stores the bounds, converted to the tensor's type, whatever it is, as by
  /// dml.cast.
  void storeConverted(Estimate &tensor, int64_t index) const;
  /// Stores the bounds, rounded to the element type.
  void store(Estimate &tensor, int64_t index) const;

  /// The constant `constant`, as a number like this one.
  Interval operator()(double constant) const { return Interval(constant); }
  /// The constant `attribute`, or its negative.
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
/// The maximum; of a number and a NaN it is the number.
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
/// Halves to even, or away from zero.
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
/// ln(1 + e^x)
Interval softplus(Interval x);
/// x^exponent; `isOdd` says of an exponent that was an integer, and may have
/// been rounded since, whether it was odd.
Interval pow(Interval x, Interval exponent,
             std::optional<bool> isOdd = std::nullopt);
Truth isNaN(Interval x);
/// Whether x is the infinity with the sign of `sign`.
Truth isInfinity(Interval x, int sign);

/// A function that never decreases, off by `ulps` units in the last place, and
/// by `absolute` where that is more.
Interval mapIncreasing(Interval x, double (*function)(double), double ulps,
                       double absolute = 0);

/// An integer of `width` bits. Results wrap around.
struct Integer {
  __int128 value = 0;
  unsigned width = 32;
  bool isUnsigned = false;

  static Integer load(const Estimate &tensor, int64_t index);
  void store(Estimate &tensor, int64_t index) const;

  /// `number` as an integer of this one's type.
  Integer wrap(__int128 number) const;
  Integer operator()(double constant) const {
    return wrap(static_cast<__int128>(constant));
  }
  /// The constant `attribute`, or its negative: that of a float is rounded
  /// towards zero and limited to the numbers of this type, NaN becomes 0.
  Integer getBound(mlir::Attribute attribute, bool isNegated = false) const;
  __int128 getMin() const;
  __int128 getMax() const;

  Integer operator+(Integer other) const { return wrap(value + other.value); }
  Integer operator-(Integer other) const { return wrap(value - other.value); }
  Integer operator*(Integer other) const;
  Integer operator/(Integer other) const;
  Integer operator-() const { return wrap(-value); }
  Truth operator<(Integer other) const;
  Truth operator<=(Integer other) const;
  Truth operator>(Integer other) const { return other < *this; }
  Truth operator>=(Integer other) const { return other <= *this; }
  Truth equals(Integer other) const;
};

inline Integer select(Truth condition, Integer whenTrue, Integer whenFalse) {
  return condition == Truth::True ? whenTrue : whenFalse;
}
Integer max(Integer a, Integer b);
Integer min(Integer a, Integer b);
Integer abs(Integer x);
/// The power by repeated multiplication; negative powers are quotients of 1.
Integer pow(Integer x, __int128 exponent);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_INTERVAL_H
