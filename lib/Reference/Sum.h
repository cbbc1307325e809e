//===- Sum.h - Sums in any order --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_SUM_H
#define DML_LIB_REFERENCE_SUM_H

#include "Interval.h"
#include <algorithm>
#include <cmath>

namespace dml::reference {

/// A sum of f32 that a device may add up in any order, each product rounded or
/// fused with its addition. Of n terms t, the result is off by at most
/// ((1 + u)^(n + 1) - 1) * sum |t| with u = 2^-23, since every term goes
/// through at most n + 1 roundings, that of its product included, whichever way
/// these go; and by 2^-126 for each operation that may flush a denormal.
class Sum {
public:
  void add(const Interval &term) {
    if (isOrdinary(term))
      return addOrdinary(term.low);
    others = hasOthers ? others + term : term;
    hasOthers = true;
    value += term.value;
    ++numTerms;
    magnitude += getMagnitude(term);
  }

  /// Adds `a * b`.
  void addProduct(const Interval &a, const Interval &b) {
    // Products of two f32 are exact in double precision.
    if (isOrdinary(a) && isOrdinary(b))
      return addOrdinary(a.low * b.low);
    add(a * b);
  }

  Interval get() const {
    if (numTerms == 0 || (hasOthers && others.isNaN))
      return others;
    // Where a partial sum may overflow, nothing is known; of a lone term all
    // is.
    if (numTerms > 1 && magnitude >= 0x1.fffffp127)
      return Interval::anything(value);
    double error =
        magnitude * std::expm1((numTerms + 1) * std::log1p(0x1p-23)) +
        2 * numTerms * 0x1p-126;
    Interval result = Interval::around(static_cast<float>(value), exact - error,
                                       exact + error, /*ulps=*/0);
    if (!hasOthers)
      return result;
    result = result + others;
    result.value = static_cast<float>(value);
    return result;
  }

private:
  /// Whether `x` is one number, and neither a denormal nor infinite.
  static bool isOrdinary(const Interval &x) {
    return x.low == x.high && !x.mayBeNaN && !x.isNaN &&
           (x.low == 0 || (std::fabs(x.low) >= 0x1p-126 &&
                           std::fabs(x.low) <= 0x1.fffffep127));
  }
  /// Of the largest number that `x` may be. (Infinities stay what they are.)
  static double getMagnitude(const Interval &x) {
    double magnitude = std::max(std::fabs(x.low), std::fabs(x.high));
    return std::isfinite(magnitude) ? magnitude : 0;
  }
  void addOrdinary(double term) {
    value += term;
    exact += term;
    magnitude += std::fabs(term);
    ++numTerms;
  }

  /// What the reference computes; the terms that are certain, added up in
  /// double precision, which is off by far less than the bound; the others.
  double value = 0, exact = 0;
  bool hasOthers = false;
  Interval others = Interval(0);
  double magnitude = 0;
  int64_t numTerms = 0;
};

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_SUM_H
