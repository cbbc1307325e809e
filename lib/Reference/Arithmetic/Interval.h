//===- Interval.h - Numbers known within bounds -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of f32 as a Vulkan device may do it, and of integers, which is
// exact, but whose operands may be known within bounds. Both have the same
// operators, so that one formula evaluates both.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_ARITHMETIC_INTERVAL_H
#define DML_LIB_REFERENCE_ARITHMETIC_INTERVAL_H

#include "dml/Reference/Estimate.h"
#include "mlir/IR/Attributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace dml::reference {

/// The smallest normal f32. Devices may take smaller numbers for zeros.
inline constexpr double smallestNormal = 0x1p-126;

/// Whether something holds, as far as bounds tell: surely, surely not, or it is
/// unknown; and whether it holds for the reference's own numbers.
class Truth {
public:
  static const Truth False, True;
  /// What bounds leave open, although it `holds` for the reference's numbers.
  static constexpr Truth unknown(bool holds) { return Truth(holds, false); }

  bool holds() const { return isTrue; }
  bool isUnknown() const { return !isKnown; }
  /// What is unknown equals neither certainty.
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

/// An integer of `width` bits: `value` in the reference, and one from `low` to
/// `high` in a correct implementation. Results wrap around: where those of some
/// numbers between the bounds do and those of others do not, any integer of the
/// type may result.
struct Integer {
  __int128 value = 0, low = 0, high = 0;
  unsigned width = 32;
  bool isUnsigned = false;

  static Integer load(const Estimate &tensor, int64_t index);
  void store(Estimate &tensor, int64_t index) const;

  /// Whether there is only one integer between the bounds.
  bool isCertain() const { return low == high; }
  /// `number` as an integer of this one's type.
  Integer wrap(__int128 number) const;
  /// The integers from `low` to `high`, wrapped to this one's type.
  Integer wrap(__int128 value, __int128 low, __int128 high) const;
  /// Any integer of this one's type; the reference has `value`.
  Integer anything(__int128 value) const;
  Integer operator()(double constant) const {
    return wrap(static_cast<__int128>(constant));
  }
  /// The constant `attribute`, or its negative: that of a float is rounded
  /// towards zero and limited to the numbers of this type, NaN becomes 0.
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

  /// The hull of what `function` makes of each integer that this one and
  /// `other` may be, as integers of this one's type: any integer where these
  /// are more than some hundred pairs. For functions that are not monotonic.
  Integer
  combine(Integer other,
          llvm::function_ref<__int128(__int128 x, __int128 y)> function) const;
};

/// What is chosen, or the hull of both where the condition is unknown.
Integer select(Truth condition, Integer whenTrue, Integer whenFalse);
Integer max(Integer a, Integer b);
Integer min(Integer a, Integer b);
Integer abs(Integer x);
/// The power by repeated multiplication; negative powers are quotients of 1.
Integer pow(Integer x, Integer exponent);
/// The remainder of a division that rounds down, or towards zero; -1 for that
/// by 0.
Integer modulus(Integer a, Integer b, bool isFloor);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_ARITHMETIC_INTERVAL_H
