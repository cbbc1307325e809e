//===- Fraction.cpp - What a scale means ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Reference/Fraction.h"
#include "llvm/ADT/APInt.h"
#include <cmath>

using namespace llvm;

namespace dml::reference {

static DynamicAPInt powerOfTwo(unsigned exponent) {
  // The number has one bit more, since DynamicAPInt is signed.
  return DynamicAPInt(APInt::getOneBitSet(exponent + 2, exponent));
}

/// The simplest fraction between `low` and `high`, which are distinct, and of
/// which the integer parts are split off one by one as in a continued fraction.
/// `closed` says whether the ends belong to the interval.
static Fraction findSimplest(const Fraction &low, const Fraction &high,
                             bool closed) {
  DynamicAPInt whole = low.numerator / low.denominator;
  DynamicAPInt rest = low.numerator % low.denominator;
  if (rest == 0 && closed)
    return {whole, DynamicAPInt(1)};
  DynamicAPInt next = (whole + 1) * high.denominator;
  if (next < high.numerator || (next == high.numerator && closed))
    return {whole + 1, DynamicAPInt(1)};
  // No integer lies between them: both have the same integer part, and the
  // simplest fraction part is one over the simplest of the reciprocals.
  Fraction part = findSimplest(
      {high.denominator, high.numerator - whole * high.denominator},
      {low.denominator, rest}, closed);
  return {whole * part.numerator + part.denominator, part.numerator};
}

Fraction getSimplestFraction(float value) {
  // value = mantissa * 2^exponent, and neighbours differ by one mantissa.
  int exponent;
  auto mantissa =
      static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 24));
  exponent -= 24;
  if (std::trunc(value) == value) {
    DynamicAPInt integer(mantissa);
    if (exponent >= 0)
      return {integer * powerOfTwo(exponent), DynamicAPInt(1)};
    return {integer / powerOfTwo(-exponent), DynamicAPInt(1)};
  }
  // Denormals have fewer bits of mantissa.
  constexpr int minExponent = -149;
  if (exponent < minExponent) {
    mantissa >>= minExponent - exponent;
    exponent = minExponent;
  }
  // Half-way to the neighbours, in quarters of a unit. The neighbour below a
  // power of two is only half as far.
  bool isPowerOfTwo = mantissa == int64_t(1) << 23 && exponent > minExponent;
  DynamicAPInt denominator = powerOfTwo(2 - exponent);
  return findSimplest(
      {DynamicAPInt(4 * mantissa - (isPowerOfTwo ? 1 : 2)), denominator},
      {DynamicAPInt(4 * mantissa + 2), denominator},
      /*closed=*/mantissa % 2 == 0);
}

float roundToFloat(DynamicAPInt numerator, DynamicAPInt denominator) {
  if (numerator == 0)
    return 0.0f;
  // Scale to a quotient of 26 bits: two more than a mantissa, of which the last
  // also says whether anything was cut off. Then the conversion rounds once.
  const DynamicAPInt lower = powerOfTwo(25), upper = powerOfTwo(26);
  int exponent = 0;
  for (; numerator < lower * denominator; --exponent)
    numerator *= 2;
  for (; numerator >= upper * denominator; ++exponent)
    denominator *= 2;
  auto quotient = static_cast<int64_t>(numerator / denominator);
  if (numerator % denominator != 0)
    quotient |= 1;
  return static_cast<float>(
      std::ldexp(static_cast<double>(quotient), exponent));
}

} // namespace dml::reference
