//===- Interval.cpp - Numbers known within bounds -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/Interval.h"
#include "dml/Reference/Accuracy.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace dml::reference {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nanValue = std::numeric_limits<double>::quiet_NaN();

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Returns the largest f32 that is not greater than `x`.
static double roundDown(double x) {
  auto rounded = static_cast<float>(x);
  if (static_cast<double>(rounded) > x)
    rounded = std::nextafter(rounded, -std::numeric_limits<float>::infinity());
  return rounded;
}
static double roundUp(double x) { return -roundDown(-x); }

/// Returns the unit in the last place of an f32 near `x`.
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
  // Bounds that are computed in double precision may be wrong by one unit in
  // the last place of a double.
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

/// Returns `x` as the operand of an operation, which may replace denormals by
/// zeros.
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

/// Returns the smallest normal number of a tensor's type. Conversions to and
/// from f16 may flush denormals of f16 as well.
static double getSmallestNormal(const Estimate &tensor) {
  return tensor.value.getDataType() == DataType::FLOAT16 ? 0x1p-14
                                                         : smallestNormal;
}

static bool isInteger(DataType type) {
  return type != DataType::FLOAT16 && type != DataType::FLOAT32 &&
         type != DataType::FLOAT64;
}

Interval Interval::load(const Estimate &tensor, int64_t index) {
  DataType type = tensor.value.getDataType();
  if (isInteger(type) || type == DataType::FLOAT64) {
    double number = tensor.value.getNumber(index),
           low = tensor.lower.getNumber(index),
           high = tensor.upper.getNumber(index);
    if (std::isnan(low))
      return nan();
    if (std::isnan(high))
      return anything(number);
    // Integers of more than 53 bits may have been rounded by the conversion to
    // double.
    if (isInteger(type) && std::fabs(low) > 0x1p53)
      low = std::nextafter(low, -infinity);
    if (isInteger(type) && std::fabs(high) > 0x1p53)
      high = std::nextafter(high, infinity);
    // The conversion to float must round only once, so that it does not start
    // from a double, which may already be rounded.
    float value = isInteger(type)
                      ? static_cast<float>(tensor.value.getInteger(index))
                      : static_cast<float>(number);
    return around(value, low, high, 0);
  }
  Interval result(tensor.value.getNumber(index));
  double low = tensor.lower.getNumber(index),
         high = tensor.upper.getNumber(index);
  if (std::isnan(low))
    return nan();
  if (std::isnan(high))
    return anything(result.value);
  result.low = low;
  result.high = high;
  result.hasSign = tensor.isBitExact;
  double normal = getSmallestNormal(tensor);
  if (result.low > 0 && result.low < normal)
    result.low = 0;
  if (result.high < 0 && result.high > -normal)
    result.high = 0;
  return result;
}

void Interval::storeConverted(Estimate &tensor, int64_t index) const {
  DataType type = tensor.value.getDataType();
  if (!isInteger(type))
    return store(tensor, index);
  Integer like = Integer::load(tensor, index);
  auto toInteger = [&](double number) -> __int128 {
    if (std::isnan(number))
      return 0;
    if (number <= static_cast<double>(like.getMin()))
      return like.getMin();
    if (number >= static_cast<double>(like.getMax()))
      return like.getMax();
    return static_cast<__int128>(number);
  };
  tensor.value.setInteger(index, toInteger(isNaN ? nanValue : value));
  tensor.lower.setInteger(index, isNaN ? 0
                                 : mayBeNaN
                                     ? std::min<__int128>(toInteger(low), 0)
                                     : toInteger(low));
  tensor.upper.setInteger(index, isNaN ? 0
                                 : mayBeNaN
                                     ? std::max<__int128>(toInteger(high), 0)
                                     : toInteger(high));
}

Interval Interval::getBound(mlir::Attribute attribute, bool isNegated) const {
  double number =
      mlir::cast<mlir::FloatAttr>(attribute).getValue().convertToDouble();
  return std::isnan(number) ? nan() : Interval(isNegated ? -number : number);
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

/// Widens bounds that were rounded to double precision.
static Interval roundResult(double value, double low, double high,
                            bool mayBeNaN, double ulps = 0) {
  Interval result = Interval::around(value, low, high, ulps);
  result.mayBeNaN |= mayBeNaN;
  return result;
}

/// Returns the sum rounded down in double precision. `a + b` may be wrong by
/// half a unit.
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
  // The sum of infinities of different signs is NaN.
  bool meets = (a.low == -infinity && b.high == infinity) ||
               (a.high == infinity && b.low == -infinity);
  if (meets)
    return a.low == a.high && b.low == b.high ? nan() : anything(sum);
  return roundResult(sum, addDown(a.low, b.low), addUp(a.high, b.high),
                     a.mayBeNaN || b.mayBeNaN, use(Arithmetic::Addition).ulps);
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
  // A device need not support infinities: lavapipe computes 0 for a constant 0
  // times infinity, whereas the result in IEEE arithmetic is NaN.
  if ((hasZero(a) && hasInfinity(b)) || (hasZero(b) && hasInfinity(a)))
    return anything(product);
  // Products of two f32 are exact in double precision.
  auto [low, high] = std::minmax(
      {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return roundResult(product, low, high, a.mayBeNaN || b.mayBeNaN,
                     use(Arithmetic::Multiplication).ulps);
}

Interval Interval::operator/(Interval other) const {
  Interval a = flush(*this), b = flush(other);
  if (a.isNaN || b.isNaN)
    return nan();
  double quotient = static_cast<float>(a.value / b.value);
  if (a.mayBeNaN || b.mayBeNaN)
    return anything(quotient);
  if (b.low <= 0 && b.high >= 0) {
    // Bounds do not contain the sign of a zero.
    if (a.low == 0 && a.high == 0 && b.low == 0 && b.high == 0)
      return nan();
    // A number other than 0, divided by a finite number, has a quotient that is
    // not NaN.
    bool isNumber = (a.low > 0 || a.high < 0) && std::isfinite(b.low) &&
                    std::isfinite(b.high);
    if (isNumber) {
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
  // Vulkan bounds the error if the divisor lies between 2^-126 and
  // 2^126. The reciprocal of a larger divisor is a denormal, which may be
  // flushed to 0, and infinity times 0 is NaN.
  bool isLarge = std::max(std::fabs(b.low), std::fabs(b.high)) > 0x1p126;
  if (isInfinite && isLarge)
    return anything(quotient);
  auto [low, high] = std::minmax(
      {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
  Interval result =
      roundResult(quotient, low, high, false, use(Arithmetic::Division).ulps);
  if (isLarge) {
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
  return Truth::unknown(value < other.value);
}
Truth Interval::operator<=(Interval other) const {
  Interval a = flush(*this), b = flush(other);
  if (a.isNaN || b.isNaN)
    return Truth::False;
  if (a.low > b.high)
    return Truth::False;
  if (a.high <= b.low && !a.mayBeNaN && !b.mayBeNaN)
    return Truth::True;
  return Truth::unknown(value <= other.value);
}
Truth Interval::equals(Interval other) const {
  return *this <= other && other <= *this;
}

Interval select(Truth condition, Interval whenTrue, Interval whenFalse) {
  if (!condition.isUnknown())
    return condition.holds() ? whenTrue : whenFalse;
  // Both alternatives may be correct. The reference takes the alternative that
  // its own numbers select.
  Interval result = condition.holds() ? whenTrue : whenFalse;
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
  Interval result(std::fmax(a.value, b.value));
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

/// Applies a function that never decreases and may be as wrong as `operation`.
static Interval mapIncreasing(Interval operand, double (*function)(double),
                              Arithmetic operation) {
  const Accuracy &accuracy = use(operation);
  return mapIncreasing(operand, function, accuracy.ulps, accuracy.absolute);
}

Interval exp(Interval operand) {
  Interval x = flush(operand);
  if (x.isNaN)
    return x;
  const Accuracy &accuracy = use(Arithmetic::Exponential);
  auto getUlps = [&](double x) {
    return std::isfinite(x) ? accuracy.ulps + accuracy.ulpsPerUnit *
                                                  std::min(std::fabs(x), 200.0)
                            : 0;
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
  // Vulkan allows an error of units, or an absolute one between 0.5 and 2.
  return mapIncreasing(x, std::log, Arithmetic::Logarithm);
}

Interval sqrt(Interval operand) {
  Interval x = flush(operand);
  if (x.isNaN || x.high < 0)
    return Interval::nan();
  if (x.low < 0)
    return Interval::anything(std::sqrt(x.value));
  return mapIncreasing(x, std::sqrt, Arithmetic::SquareRoot);
}

// Functions without bounds in Vulkan are composed of arithmetic. Their error
// bounds are documented in the descriptions of the operators.

/// The largest error of a result near 0, since denormals may be flushed during
/// the computation.
static constexpr double widthOfZero = 2 * smallestNormal;

static double limit(double x, double low, double high) {
  return std::min(std::max(x, low), high);
}

Interval tanh(Interval x) {
  Interval result = mapIncreasing(x, std::tanh, Arithmetic::HyperbolicTangent);
  result.low = std::max(result.low, -1.0 - 0x1p-20);
  result.high = std::min(result.high, 1.0 + 0x1p-20);
  return result;
}
Interval sinh(Interval x) {
  return mapIncreasing(x, std::sinh, Arithmetic::HyperbolicSine);
}
Interval cosh(Interval x) {
  return mapIncreasing(abs(x), std::cosh, Arithmetic::HyperbolicSine);
}
Interval asinh(Interval x) {
  return mapIncreasing(x, std::asinh, Arithmetic::AreaSine);
}
Interval atan(Interval x) {
  return mapIncreasing(x, std::atan, Arithmetic::ArcTangent);
}
Interval erf(Interval x) {
  return mapIncreasing(x, std::erf, Arithmetic::ErrorFunction);
}

/// Applies a function that never decreases between `first` and `last` and is
/// NaN elsewhere.
static Interval mapBetween(Interval operand, double first, double last,
                           double (*function)(double), Arithmetic operation) {
  Interval x = flush(operand);
  if (x.isNaN || x.high < first || x.low > last)
    return Interval::nan();
  if (x.low < first || x.high > last)
    return Interval::anything(function(x.value));
  return mapIncreasing(x, function, operation);
}

Interval acosh(Interval x) {
  return mapBetween(x, 1, infinity, std::acosh, Arithmetic::AreaCosine);
}
Interval atanh(Interval x) {
  return mapBetween(x, -1, 1, std::atanh, Arithmetic::AreaSine);
}
Interval asin(Interval x) {
  return mapBetween(x, -1, 1, std::asin, Arithmetic::ArcSine);
}
Interval acos(Interval x) {
  return -mapBetween(
      x, -1, 1, [](double x) { return -std::acos(x); }, Arithmetic::ArcSine);
}

/// Returns the sine of `x` + `shift`, which is largest where `x` + `shift` is
/// pi / 2.
static Interval sineOf(Interval operand, double shift,
                       double (*function)(double)) {
  constexpr double pi = 3.14159265358979323846;
  double absolute = use(Arithmetic::Sine).absolute;
  Interval x = flush(operand);
  if (x.isNaN || (x.low == x.high && std::isinf(x.low)))
    return Interval::nan();
  double value = function(x.value);
  if (std::isinf(x.low) || std::isinf(x.high))
    return Interval::anything(value);
  double low = -1, high = 1;
  if (std::max(std::fabs(x.low), std::fabs(x.high)) <= 8192) {
    // Returns whether a number of the form place + 2 pi n lies between the
    // bounds.
    auto passes = [&](double place) {
      return std::floor((x.high + shift - place) / (2 * pi) + 1e-9) >
             std::floor((x.low + shift - place) / (2 * pi) - 1e-9);
    };
    double first = function(x.low), second = function(x.high);
    low = passes(-pi / 2) ? -1 : std::min(first, second);
    high = passes(pi / 2) ? 1 : std::max(first, second);
    low -= absolute;
    high += absolute;
  }
  return roundResult(value, low, high, x.mayBeNaN);
}
Interval sin(Interval x) { return sineOf(x, 0, std::sin); }
Interval cos(Interval x) {
  return sineOf(x, 3.14159265358979323846 / 2, std::cos);
}

Interval atan2(Interval y, Interval x) {
  constexpr double pi = 3.14159265358979323846;
  Interval a = flush(y), b = flush(x);
  if (a.isNaN || b.isNaN)
    return Interval::nan();
  double value = std::atan2(a.value, b.value);
  // The angle jumps from pi to -pi at the negative x axis.
  double low = -pi, high = pi;
  if (!(a.low <= 0 && a.high >= 0 && b.low <= 0)) {
    low = infinity;
    high = -infinity;
    // The angle over a box without the origin is extreme at the corners of the
    // box.
    for (double cornerY : {a.low, a.high})
      for (double cornerX : {b.low, b.high}) {
        double angle = std::atan2(cornerY, cornerX);
        low = std::min(low, angle);
        high = std::max(high, angle);
      }
  }
  double absolute = use(Arithmetic::Angle).absolute;
  return roundResult(value, low - absolute, high + absolute,
                     a.mayBeNaN || b.mayBeNaN);
}

Interval softplus(Interval operand) {
  const Accuracy &accuracy = use(Arithmetic::Softplus);
  Interval x = flush(operand);
  // The function consists of an exponential of at most 1, a logarithm and a
  // sum.
  return mapIncreasing(
      x,
      [](double x) {
        return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
      },
      accuracy.ulps +
          accuracy.ulpsPerUnit *
              limit(std::max(std::fabs(x.low), std::fabs(x.high)), 0, 110),
      widthOfZero);
}

/// Computes x^exponent for x that is not negative.
static Interval powOfPositive(Interval x, Interval exponent, double value) {
  const Accuracy &accuracy = use(Arithmetic::Power);
  double low = infinity, high = -infinity;
  for (double base : {x.low, x.high})
    for (double power : {exponent.low, exponent.high}) {
      double result = std::pow(base, power);
      // The error in units of the exponential 2^p, which is the result. Both
      // the argument p and the logarithm from which p is computed are rounded.
      double p = base > 0 && std::isfinite(base) && std::isfinite(power)
                     ? std::fabs(power * std::log2(base))
                     : 0;
      double error =
          (accuracy.ulps + accuracy.ulpsPerUnit * std::min(p, 200.0)) *
          getUnit(result);
      low = std::min(low, result - error);
      high = std::max(high, result + error);
    }
  // A result that exceeds 2^128 by more than the error is certainly infinite.
  // Near 2^128, the result may be finite or infinite.
  return roundResult(value, std::max(low, 0.0), high, false);
}

/// Computes x^exponent for x that may be 0 or have either sign, and for a
/// positive exponent that is certainly an integer.
static Interval powAcrossZero(Interval x, Interval exponent, double value,
                              bool isOdd) {
  if (!isOdd)
    return powOfPositive(abs(x), exponent, value);
  Interval below = -x, above = x;
  below.low = above.low = 0;
  Interval result = powOfPositive(above, exponent, value);
  result.low = -powOfPositive(below, exponent, value).high;
  return result;
}

/// Computes 0^exponent for a negative exponent. The result is infinite. Its
/// sign is the sign of the zero if the exponent is odd.
static Interval powOfZero(Interval zero, double value, bool isOdd) {
  Interval result(value);
  if (isOdd && !zero.hasSign) {
    result.low = -infinity;
    result.high = infinity;
  }
  return result;
}

/// Computes x^exponent for x that may be negative but is not NaN. `isOdd` is
/// empty unless the exponent is an integer.
static Interval powOfSigned(Interval x, Interval exponent, double value,
                            std::optional<bool> isOdd) {
  bool isZero = x.low == 0 && x.high == 0;
  bool isInfinite = x.high == -infinity;
  if (exponent.low > 0 && x.low == 0)
    return powOfPositive(x, exponent, value);
  if (isZero && exponent.high < 0)
    return powOfZero(x, value, isOdd.value_or(false));
  if (x.high >= 0)
    return Interval::anything(value);
  if (!isOdd && !isInfinite)
    return std::isfinite(x.low) ? Interval::nan() : Interval::anything(value);
  Interval result =
      powOfPositive(-x, exponent, isOdd.value_or(false) ? -value : value);
  return isOdd.value_or(false) ? -result : result;
}

Interval pow(Interval base, Interval power, std::optional<bool> isOdd) {
  Interval x = flush(base), exponent = flush(power);
  double result = std::pow(x.value, exponent.value);
  // If the exponent was rounded, it may be even although the original integer
  // is odd.
  if (isOdd && std::signbit(x.value))
    result = std::copysign(result, *isOdd ? -1 : 1);
  double value = static_cast<float>(result);
  auto is = [](Interval number, double constant) {
    return !number.mayBeNaN && number.low == constant &&
           number.high == constant;
  };
  if (is(exponent, 0) || is(x, 1))
    return Interval(1);
  if (x.isNaN || exponent.isNaN)
    return (exponent.low <= 0 && exponent.high >= 0) ||
                   (x.low <= 1 && x.high >= 1)
               ? Interval::anything(value)
               : Interval::nan();
  if (x.mayBeNaN || exponent.mayBeNaN)
    return Interval::anything(value);
  if (x.low > 0)
    return powOfPositive(x, exponent, value);
  bool isCount = exponent.low == exponent.high && exponent.low > 0 &&
                 std::isfinite(exponent.low) &&
                 exponent.low == std::trunc(exponent.low);
  if (isCount && x.high >= 0)
    return powAcrossZero(x, exponent, value,
                         isOdd.value_or(std::fmod(exponent.low, 2) != 0));
  // An infinite exponent counts as even.
  bool isKnown = exponent.low == exponent.high;
  if (!isOdd && isKnown && exponent.low == std::trunc(exponent.low))
    isOdd = std::isfinite(exponent.low) && std::fmod(exponent.low, 2) != 0;
  if (!isKnown && !isOdd)
    return Interval::anything(value);
  return powOfSigned(x, exponent, value, isOdd);
}

Truth isNaN(Interval x) {
  if (x.isNaN)
    return Truth::True;
  return x.mayBeNaN ? Truth::unknown(std::isnan(x.value)) : Truth::False;
}

Truth isInfinity(Interval x, int sign) {
  double wanted = sign < 0 ? -infinity : infinity;
  if (x.isNaN || x.low > wanted || x.high < wanted)
    return Truth::False;
  return x.low == wanted && x.high == wanted && !x.mayBeNaN
             ? Truth::True
             : Truth::unknown(x.value == wanted);
}

Interval trunc(Interval x) { return mapIncreasing(x, std::trunc, 0); }
Interval roundEven(Interval x) { return mapIncreasing(x, std::nearbyint, 0); }
Interval roundAway(Interval x) { return mapIncreasing(x, std::round, 0); }
Interval floor(Interval x) { return mapIncreasing(x, std::floor, 0); }
Interval ceil(Interval x) { return mapIncreasing(x, std::ceil, 0); }

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Returns the integer of `type` with the low bits of `number`.
static __int128 wrapBits(const Integer &type, __int128 number) {
  unsigned unused = 128 - type.width;
  auto bits = static_cast<unsigned __int128>(number) << unused;
  return type.isUnsigned ? static_cast<__int128>(bits >> unused)
                         : static_cast<__int128>(bits) >> unused;
}

Integer Integer::wrap(__int128 number) const {
  Integer result = *this;
  result.value = result.low = result.high = wrapBits(*this, number);
  return result;
}

Integer Integer::wrap(__int128 value, __int128 low, __int128 high) const {
  if (low == high)
    return wrap(value);
  Integer result = *this;
  result.value = wrapBits(*this, value);
  result.low = wrapBits(*this, low);
  result.high = wrapBits(*this, high);
  // If both bounds have moved by the same multiple of 2^width, so have all
  // numbers between them. Otherwise, only some of the numbers wrap around.
  return low - result.low == high - result.high ? result : anything(value);
}

Integer Integer::anything(__int128 value) const {
  Integer result = *this;
  result.value = wrapBits(*this, value);
  result.low = getMin();
  result.high = getMax();
  return result;
}

Integer Integer::load(const Estimate &tensor, int64_t index) {
  Integer result;
  DataType type = tensor.value.getDataType();
  result.width = getBitWidth(type);
  result.isUnsigned = type == DataType::UINT4 || type == DataType::UINT8 ||
                      type == DataType::UINT16 || type == DataType::UINT32 ||
                      type == DataType::UINT64;
  result.value = tensor.value.getInteger(index);
  result.low = tensor.lower.getInteger(index);
  result.high = tensor.upper.getInteger(index);
  return result;
}

void Integer::store(Estimate &tensor, int64_t index) const {
  tensor.value.setInteger(index, value);
  if (!tensor.isExact()) {
    tensor.lower.setInteger(index, low);
    tensor.upper.setInteger(index, high);
  }
}

__int128 Integer::getMin() const {
  return isUnsigned ? 0 : -(static_cast<__int128>(1) << (width - 1));
}
__int128 Integer::getMax() const {
  return (static_cast<__int128>(1) << (isUnsigned ? width : width - 1)) - 1;
}

Integer Integer::getBound(mlir::Attribute attribute, bool isNegated) const {
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(attribute)) {
    llvm::APInt bits = integer.getValue();
    return wrap(isUnsigned ? static_cast<__int128>(bits.getZExtValue())
                           : static_cast<__int128>(bits.getSExtValue()));
  }
  double number =
      mlir::cast<mlir::FloatAttr>(attribute).getValue().convertToDouble();
  number = isNegated ? -number : number;
  if (std::isnan(number))
    return wrap(0);
  if (number <= static_cast<double>(getMin()))
    return wrap(getMin());
  if (number >= static_cast<double>(getMax()))
    return wrap(getMax());
  return wrap(static_cast<__int128>(number));
}

Integer Integer::combine(
    Integer other,
    llvm::function_ref<__int128(__int128, __int128)> function) const {
  Integer result = wrap(function(value, other.value));
  if (isCertain() && other.isCertain())
    return result;
  constexpr __int128 maxPairs = 256;
  // Differences of 64-bit numbers fit into 128 bits, but the product of two
  // differences might not.
  __int128 mine = high - low + 1, others = other.high - other.low + 1;
  if (mine > maxPairs || others > maxPairs || mine * others > maxPairs)
    return anything(result.value);
  for (__int128 x = low; x <= high; ++x)
    for (__int128 y = other.low; y <= other.high; ++y) {
      __int128 found = wrapBits(*this, function(x, y));
      result.low = std::min(result.low, found);
      result.high = std::max(result.high, found);
    }
  return result;
}

/// Returns the hull of two integers of one type.
static Integer hull(Integer a, Integer b) {
  a.low = std::min(a.low, b.low);
  a.high = std::max(a.high, b.high);
  return a;
}

Integer select(Truth condition, Integer whenTrue, Integer whenFalse) {
  Integer chosen = condition.holds() ? whenTrue : whenFalse;
  return condition.isUnknown()
             ? hull(chosen, condition.holds() ? whenFalse : whenTrue)
             : chosen;
}

static __int128 multiplyBits(__int128 a, __int128 b) {
  // The low bits of a product are correct even if the high bits overflow.
  return static_cast<__int128>(static_cast<unsigned __int128>(a) *
                               static_cast<unsigned __int128>(b));
}

Integer Integer::operator*(Integer other) const {
  __int128 product = multiplyBits(value, other.value);
  if (isCertain() && other.isCertain())
    return wrap(product);
  __int128 corners[4];
  if (__builtin_mul_overflow(low, other.low, &corners[0]) ||
      __builtin_mul_overflow(low, other.high, &corners[1]) ||
      __builtin_mul_overflow(high, other.low, &corners[2]) ||
      __builtin_mul_overflow(high, other.high, &corners[3]))
    return anything(product);
  auto [least, most] =
      std::minmax({corners[0], corners[1], corners[2], corners[3]});
  return wrap(product, least, most);
}

Integer Integer::operator/(Integer other) const {
  auto divide = [](__int128 a, __int128 b) { return b == 0 ? -1 : a / b; };
  Integer result = wrap(divide(value, other.value));
  if (isCertain() && other.isCertain())
    return result;
  // Quotients by divisors of one sign are monotonic in both operands.
  auto include = [&](__int128 least, __int128 most) {
    if (least > most)
      return;
    auto [first, last] = std::minmax({divide(low, least), divide(low, most),
                                      divide(high, least), divide(high, most)});
    result = hull(result, wrap(result.value, first, last));
  };
  include(other.low, std::min<__int128>(other.high, -1));
  include(std::max<__int128>(other.low, 1), other.high);
  if (other.low <= 0 && other.high >= 0)
    result = hull(result, wrap(-1));
  return result;
}

Truth Integer::operator<(Integer other) const {
  if (high < other.low)
    return Truth::True;
  return low >= other.high ? Truth::False : Truth::unknown(value < other.value);
}
Truth Integer::operator<=(Integer other) const { return !(other < *this); }
Truth Integer::equals(Integer other) const {
  return *this <= other && other <= *this;
}

Integer max(Integer a, Integer b) {
  Integer result = a;
  result.value = std::max(a.value, b.value);
  result.low = std::max(a.low, b.low);
  result.high = std::max(a.high, b.high);
  return result;
}
Integer min(Integer a, Integer b) {
  Integer result = a;
  result.value = std::min(a.value, b.value);
  result.low = std::min(a.low, b.low);
  result.high = std::min(a.high, b.high);
  return result;
}

Integer abs(Integer x) {
  if (x.low >= 0)
    return x;
  if (x.high <= 0)
    return -x;
  // Returns the hull of the absolute values of the negative and of the
  // non-negative numbers.
  Integer negative = x, positive = x;
  negative.high = 0;
  positive.low = 0;
  negative = -negative;
  return x.value < 0 ? hull(negative, positive) : hull(positive, negative);
}

static __int128 raise(__int128 x, __int128 exponent) {
  if (exponent < 0) {
    if (x == 0)
      return -1;
    if (x != 1 && x != -1)
      return 0;
    return exponent % 2 == 0 ? 1 : x;
  }
  __int128 result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1)
      result = multiplyBits(result, x);
    x = multiplyBits(x, x);
  }
  return result;
}

Integer pow(Integer x, Integer exponent) { return x.combine(exponent, raise); }

Integer modulus(Integer a, Integer b, bool isFloor) {
  return a.combine(b, [&](__int128 x, __int128 y) -> __int128 {
    if (y == 0)
      return -1;
    __int128 rest = x % y;
    return isFloor && rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  });
}

} // namespace dml::reference
