//===- Interval.cpp - Numbers known within bounds -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Interval.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace dml::reference {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nanValue = std::numeric_limits<double>::quiet_NaN();
/// The smallest normal f32. Devices may take smaller numbers for zeros.
static constexpr double smallestNormal = 0x1p-126;

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// The largest f32 that is not above `x`.
static double roundDown(double x) {
  auto rounded = static_cast<float>(x);
  if (static_cast<double>(rounded) > x)
    rounded = std::nextafter(rounded, -std::numeric_limits<float>::infinity());
  return rounded;
}
static double roundUp(double x) { return -roundDown(-x); }

/// One unit in the last place of an f32 near `x`.
static double getUnit(double x) {
  double magnitude = std::fabs(x);
  if (!std::isfinite(magnitude))
    return 0;
  return std::ldexp(
      1.0, std::max(magnitude == 0 ? -149 : std::ilogb(magnitude) - 23, -149));
}

Interval::Interval(double constant)
    : value(static_cast<float>(constant)), low(value), high(value) {}

Interval Interval::nan() {
  Interval result(nanValue);
  result.mayBeNaN = result.isNaN = true;
  return result;
}

Interval Interval::anything(double value) {
  Interval result(value);
  result.low = -infinity;
  result.high = infinity;
  result.mayBeNaN = true;
  return result;
}

Interval Interval::around(double value, double low, double high, double ulps) {
  if (std::isnan(low) || std::isnan(high))
    return anything(value);
  // Bounds that are computed in double precision may be off by a unit of it.
  Interval result(value);
  if (ulps > 0) {
    low -= ulps * getUnit(low);
    high += ulps * getUnit(high);
  }
  result.low = roundDown(low);
  result.high = roundUp(high);
  if (result.low < smallestNormal && result.high > -smallestNormal) {
    result.low = std::min(result.low, 0.0);
    result.high = std::max(result.high, 0.0);
  }
  return result;
}

/// `x` as an operand, whose denormals may be taken for zeros.
static Interval flush(Interval x) {
  if (x.low > 0 && x.low < smallestNormal)
    x.low = 0;
  if (x.high < 0 && x.high > -smallestNormal)
    x.high = 0;
  return x;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// The smallest normal number of a tensor's type: what converts to and from f16
/// may flush its denormals, too.
static double getSmallestNormal(const Estimate &tensor) {
  return tensor.value.getDataType() == DataType::FLOAT16 ? 0x1p-14
                                                         : smallestNormal;
}

Interval Interval::load(const Estimate &tensor, int64_t index) {
  Interval result(tensor.value.getNumber(index));
  double low = tensor.lower.getNumber(index),
         high = tensor.upper.getNumber(index);
  if (std::isnan(low))
    return nan();
  if (std::isnan(high))
    return anything(result.value);
  result.low = low;
  result.high = high;
  double normal = getSmallestNormal(tensor);
  if (result.low > 0 && result.low < normal)
    result.low = 0;
  if (result.high < 0 && result.high > -normal)
    result.high = 0;
  return result;
}

void Interval::store(Estimate &tensor, int64_t index) const {
  tensor.value.setNumber(index, isNaN ? nanValue : value);
  double first = isNaN ? nanValue : low, second = isNaN ? nanValue : high;
  if (!isNaN && mayBeNaN) {
    first = -infinity;
    second = nanValue;
  } else if (!isNaN) {
    double normal = getSmallestNormal(tensor);
    if (first > 0 && first < normal)
      first = 0;
    if (second < 0 && second > -normal)
      second = 0;
  }
  tensor.lower.setNumber(index, first);
  tensor.upper.setNumber(index, second);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Widens bounds that double precision has rounded.
static Interval roundResult(double value, double low, double high,
                            bool mayBeNaN, double ulps = 0) {
  Interval result = Interval::around(value, low, high, ulps);
  result.mayBeNaN |= mayBeNaN;
  return result;
}

/// A sum in double precision, rounded down: `a + b` may be off by half a unit.
static double addDown(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  double other = sum - a;
  double error = (a - (sum - other)) + (b - other);
  return error < 0 ? std::nextafter(sum, -infinity) : sum;
}
static double addUp(double a, double b) { return -addDown(-a, -b); }

Interval Interval::operator+(Interval other) const {
  Interval a = flush(*this), b = flush(other);
  if (a.isNaN || b.isNaN)
    return nan();
  double sum = static_cast<float>(a.value + b.value);
  // Infinities of different signs.
  bool meets = (a.low == -infinity && b.high == infinity) ||
               (a.high == infinity && b.low == -infinity);
  if (meets)
    return a.low == a.high && b.low == b.high ? nan() : anything(sum);
  return roundResult(sum, addDown(a.low, b.low), addUp(a.high, b.high),
                     a.mayBeNaN || b.mayBeNaN);
}

Interval Interval::operator-() const {
  Interval result = *this;
  result.value = -value;
  result.low = -high;
  result.high = -low;
  return result;
}

Interval Interval::operator-(Interval other) const { return *this + -other; }

static bool hasOnlyZero(Interval x) {
  return !x.mayBeNaN && x.low == 0 && x.high == 0;
}

Interval Interval::operator*(Interval other) const {
  Interval a = flush(*this), b = flush(other);
  if (a.isNaN || b.isNaN)
    return hasOnlyZero(a) || hasOnlyZero(b) ? anything(nanValue) : nan();
  double product = static_cast<float>(a.value * b.value);
  auto hasZero = [](Interval x) { return x.low <= 0 && x.high >= 0; };
  auto hasInfinity = [](Interval x) {
    return x.low == -infinity || x.high == infinity;
  };
  // A device need not honour infinities: lavapipe makes 0 of a constant 0 times
  // an infinity, where IEEE has NaN.
  if ((hasZero(a) && hasInfinity(b)) || (hasZero(b) && hasInfinity(a)))
    return anything(product);
  // Products of two f32 are exact in double precision.
  auto [low, high] = std::minmax(
      {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return roundResult(product, low, high, a.mayBeNaN || b.mayBeNaN);
}

Interval Interval::operator/(Interval other) const {
  Interval a = flush(*this), b = flush(other);
  if (a.isNaN || b.isNaN)
    return nan();
  double quotient = static_cast<float>(a.value / b.value);
  if (a.mayBeNaN || b.mayBeNaN)
    return anything(quotient);
  if (b.low <= 0 && b.high >= 0) {
    // Bounds do not tell the sign of a zero.
    if (a.low == 0 && a.high == 0 && b.low == 0 && b.high == 0)
      return nan();
    if (b.low == 0 && b.high == 0 && (a.low > 0 || a.high < 0)) {
      Interval result(quotient);
      result.low = -infinity;
      result.high = infinity;
      return result;
    }
    return anything(quotient);
  }
  bool isInfinite = std::isinf(a.low) || std::isinf(a.high);
  bool byInfinity = std::isinf(b.low) || std::isinf(b.high);
  if (isInfinite && byInfinity)
    return a.low == a.high && b.low == b.high ? nan() : anything(quotient);
  auto [low, high] = std::minmax(
      {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
  // Vulkan: 2.5 units where the divisor is from 2^-126 to 2^126; the reciprocal
  // of a larger one is a denormal, which may be flushed.
  Interval result = roundResult(quotient, low, high, false, 2.5);
  if (std::max(std::fabs(b.low), std::fabs(b.high)) > 0x1p126) {
    result.low = std::min(result.low, 0.0);
    result.high = std::max(result.high, 0.0);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

Truth Interval::operator<(Interval other) const {
  Interval a = flush(*this), b = flush(other);
  if (a.isNaN || b.isNaN)
    return Truth::False;
  if (a.low >= b.high)
    return Truth::False;
  if (a.high < b.low && !a.mayBeNaN && !b.mayBeNaN)
    return Truth::True;
  return Truth::Unknown;
}
Truth Interval::operator<=(Interval other) const {
  Interval a = flush(*this), b = flush(other);
  if (a.isNaN || b.isNaN)
    return Truth::False;
  if (a.low > b.high)
    return Truth::False;
  if (a.high <= b.low && !a.mayBeNaN && !b.mayBeNaN)
    return Truth::True;
  return Truth::Unknown;
}
Truth Interval::equals(Interval other) const {
  return *this <= other && other <= *this;
}

Interval select(Truth condition, Interval whenTrue, Interval whenFalse) {
  if (condition == Truth::True)
    return whenTrue;
  if (condition == Truth::False)
    return whenFalse;
  // The reference's own value decides nothing here: either may be right.
  Interval result = whenFalse.isNaN ? whenTrue : whenFalse;
  result.low = std::min(whenTrue.isNaN ? whenFalse.low : whenTrue.low,
                        whenFalse.isNaN ? whenTrue.low : whenFalse.low);
  result.high = std::max(whenTrue.isNaN ? whenFalse.high : whenTrue.high,
                         whenFalse.isNaN ? whenTrue.high : whenFalse.high);
  result.mayBeNaN = whenTrue.mayBeNaN || whenFalse.mayBeNaN;
  result.isNaN = whenTrue.isNaN && whenFalse.isNaN;
  return result;
}

Interval max(Interval a, Interval b) {
  if (a.isNaN)
    return b;
  if (b.isNaN)
    return a;
  Interval result(std::max(a.value, b.value));
  result.low =
      std::max(a.mayBeNaN ? -infinity : a.low, b.mayBeNaN ? -infinity : b.low);
  result.high = std::max(a.high, b.high);
  result.mayBeNaN = a.mayBeNaN && b.mayBeNaN;
  return Interval::around(result.value, result.low, result.high, 0).low ==
                 result.low
             ? result
             : flush(result);
}
Interval min(Interval a, Interval b) { return -max(-a, -b); }

Interval abs(Interval x) {
  if (x.isNaN)
    return x;
  Interval result = x;
  result.value = std::fabs(x.value);
  result.high = std::max(std::fabs(x.low), std::fabs(x.high));
  result.low = x.low <= 0 && x.high >= 0
                   ? 0
                   : std::min(std::fabs(x.low), std::fabs(x.high));
  return result;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Interval mapIncreasing(Interval operand, double (*function)(double),
                       double ulps, double absolute) {
  Interval x = flush(operand);
  if (x.isNaN)
    return Interval::nan();
  double value = function(x.value), low = function(x.low),
         high = function(x.high);
  return roundResult(value, low - absolute, high + absolute, x.mayBeNaN, ulps);
}

Interval exp(Interval operand) {
  Interval x = flush(operand);
  if (x.isNaN)
    return x;
  // Vulkan: 3 + 2 |x| units.
  auto getUlps = [](double x) {
    return std::isfinite(x) ? 3 + 2 * std::min(std::fabs(x), 200.0) : 0;
  };
  double low = std::exp(x.low), high = std::exp(x.high);
  low -= getUlps(x.low) * getUnit(low);
  high += getUlps(x.high) * getUnit(high);
  return roundResult(std::exp(x.value), std::max(low, 0.0), high, x.mayBeNaN);
}

Interval log(Interval operand) {
  Interval x = flush(operand);
  if (x.isNaN || x.high < 0)
    return Interval::nan();
  if (x.low < 0)
    return Interval::anything(std::log(x.value));
  // Vulkan: 3 units, or 2^-21 between 0.5 and 2.
  return mapIncreasing(x, std::log, 3, 0x1p-21);
}

Interval sqrt(Interval operand) {
  Interval x = flush(operand);
  if (x.isNaN || x.high < 0)
    return Interval::nan();
  if (x.low < 0)
    return Interval::anything(std::sqrt(x.value));
  // Vulkan: the reciprocal of the inverse root, which are 2 and 2.5 units.
  return mapIncreasing(x, std::sqrt, 5);
}

Interval tanh(Interval x) {
  // Vulkan inherits the error from sinh(x) / cosh(x), in which exponentials
  // cancel near 0.
  Interval result = mapIncreasing(x, std::tanh, 16, 0x1p-19);
  result.low = std::max(result.low, -1.0 - 0x1p-20);
  result.high = std::min(result.high, 1.0 + 0x1p-20);
  return result;
}

Interval floor(Interval x) { return mapIncreasing(x, std::floor, 0); }
Interval ceil(Interval x) { return mapIncreasing(x, std::ceil, 0); }

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Integer Integer::wrap(__int128 number) const {
  Integer result = *this;
  auto bits = static_cast<unsigned __int128>(number);
  unsigned unused = 128 - width;
  bits <<= unused;
  result.value = isUnsigned ? static_cast<__int128>(bits >> unused)
                            : static_cast<__int128>(bits) >> unused;
  return result;
}

Integer Integer::load(const Estimate &tensor, int64_t index) {
  Integer result;
  DataType type = tensor.value.getDataType();
  result.width = getByteWidth(type) * 8;
  result.isUnsigned = type == DataType::UINT8 || type == DataType::UINT16 ||
                      type == DataType::UINT32 || type == DataType::UINT64;
  result.value = tensor.value.getInteger(index);
  return result;
}

void Integer::store(Estimate &tensor, int64_t index) const {
  tensor.value.setInteger(index, value);
}

Integer Integer::operator*(Integer other) const {
  // 128 bits hold the product of 64 and 64 but for its sign: the low bits are
  // right whatever is lost above.
  return wrap(
      static_cast<__int128>(static_cast<unsigned __int128>(value) *
                            static_cast<unsigned __int128>(other.value)));
}
Integer Integer::operator/(Integer other) const {
  return wrap(other.value == 0 ? -1 : value / other.value);
}
Truth Integer::operator<(Integer other) const {
  return value < other.value ? Truth::True : Truth::False;
}
Truth Integer::operator<=(Integer other) const {
  return value <= other.value ? Truth::True : Truth::False;
}
Truth Integer::equals(Integer other) const {
  return value == other.value ? Truth::True : Truth::False;
}
Integer max(Integer a, Integer b) { return a.value < b.value ? b : a; }
Integer min(Integer a, Integer b) { return b.value < a.value ? b : a; }
Integer abs(Integer x) { return x.value < 0 ? -x : x; }

} // namespace dml::reference
