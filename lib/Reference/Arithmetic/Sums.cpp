//===- Sums.cpp - Sums and products of many numbers -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/Sums.h"
#include "dml/Reference/Accuracy.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace dml::reference {

static constexpr double infinity = std::numeric_limits<double>::infinity();
/// The largest f32. A number beyond it may be rounded to infinity.
static constexpr long double overflow = 0x1.fffffep127L;
/// A generous bound on the relative error of the bounds themselves, which are
/// computed in long double.
static constexpr long double own = 0x1p-50L;

/// Returns (1 + u)^(count - 1) - 1, the relative error of a sum or a product of
/// `count` numbers, of which u is that of one operation.
static long double getRelativeError(Arithmetic operation, int64_t count) {
  long double unit = use(operation).absolute;
  return std::expm1(static_cast<long double>(std::max<int64_t>(count - 1, 0)) *
                    std::log1p(unit));
}

Interval square(Interval x) {
  Interval magnitude = abs(x);
  return magnitude * magnitude;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void Sum::add(Interval x) {
  ++count;
  isNaN |= x.isNaN;
  mayBeNaN |= x.mayBeNaN;
  value += x.value;
  if (x.isNaN)
    return;
  isPositive |= x.low == infinity && !x.mayBeNaN;
  mayBePositive |= x.high == infinity;
  isNegative |= x.high == -infinity && !x.mayBeNaN;
  mayBeNegative |= x.low == -infinity;
  auto finite = [](double bound) {
    return std::isfinite(bound) ? static_cast<long double>(bound) : 0.0L;
  };
  low += finite(x.low);
  high += finite(x.high);
  positive += std::max(finite(x.high), 0.0L);
  negative += std::max(-finite(x.low), 0.0L);
}

Interval Sum::get() const {
  auto rounded = static_cast<double>(static_cast<float>(value));
  if (isNaN || (isPositive && isNegative))
    return Interval::nan();
  // In some orders of summation, partial sums may overflow.
  long double error = getRelativeError(Arithmetic::Sum, count) + own;
  bool mayOverflow = positive * (1 + error) >= overflow || mayBePositive;
  bool mayUnderflow = negative * (1 + error) >= overflow || mayBeNegative;
  if (mayBeNaN || (mayOverflow && mayUnderflow))
    return Interval::anything(rounded);
  if (isPositive || isNegative) {
    Interval result(isPositive ? infinity : -infinity);
    return result;
  }
  long double slack = (positive + negative) * error +
                      static_cast<long double>(count) * 2 * smallestNormal;
  // A sum of one number involves no addition, and is exact.
  if (count <= 1)
    slack = 0;
  Interval result = Interval::around(
      rounded, mayUnderflow ? -infinity : static_cast<double>(low - slack),
      mayOverflow ? infinity : static_cast<double>(high + slack), 0);
  // A sum of numbers that are not negative is not negative.
  if (negative == 0 && !mayBeNegative)
    result.low = std::max(result.low, 0.0);
  if (positive == 0 && !mayBePositive)
    result.high = std::min(result.high, 0.0);
  return result;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void Product::add(Interval x) {
  ++count;
  isNaN |= x.isNaN;
  mayBeNaN |= x.mayBeNaN;
  value *= x.value;
  if (x.isNaN)
    return;
  // A denormal may be replaced by 0.
  mayBeZero |= x.low < smallestNormal && x.high > -smallestNormal;
  mayBeInfinite |= std::isinf(x.low) || std::isinf(x.high);
  long double most = std::max(std::fabs(x.low), std::fabs(x.high));
  long double least = x.low <= 0 && x.high >= 0
                          ? 0
                          : std::min(std::fabs(x.low), std::fabs(x.high));
  largest *= std::max(most, 1.0L);
  // `smallest` bounds the magnitudes of all partial products from below. A
  // factor that may be 0 makes this bound 0.
  if (least > 0)
    smallest *= std::min(least, 1.0L);
  else
    smallest = 0;
  long double products[] = {low * x.low, low * x.high, high * x.low,
                            high * x.high};
  low = *std::min_element(products, products + 4);
  high = *std::max_element(products, products + 4);
}

Interval Product::get() const {
  auto rounded = static_cast<double>(static_cast<float>(value));
  if (isNaN)
    return mayBeZero ? Interval::anything(rounded) : Interval::nan();
  if (mayBeNaN)
    return Interval::anything(rounded);
  long double error = getRelativeError(Arithmetic::Product, count) + own;
  bool mayFlush = mayBeZero || smallest < smallestNormal * (1 + error);
  bool mayOverflow = mayBeInfinite || largest * (1 + error) >= overflow;
  if (mayOverflow) {
    // The product may overflow in one order of factors and be flushed to 0 in
    // another.
    if (mayFlush || std::isnan(low) || std::isnan(high))
      return Interval::anything(rounded);
    // After an overflow, no later factor makes the product smaller again.
    Interval result(rounded);
    result.low = low < 0 ? -infinity : static_cast<double>(low * (1 - error));
    result.high = high > 0 ? infinity : static_cast<double>(high * (1 - error));
    return Interval::around(rounded, result.low, result.high, 1);
  }
  // A partial product that is flushed is less than the smallest normal number,
  // and would be multiplied by the remaining factors.
  long double slack = std::max(std::fabs(low), std::fabs(high)) * error;
  if (mayFlush && count > 1)
    slack += static_cast<long double>(count) * smallestNormal * largest;
  if (count <= 1)
    slack = 0;
  return Interval::around(rounded, static_cast<double>(low - slack),
                          static_cast<double>(high + slack), 0);
}

} // namespace dml::reference
