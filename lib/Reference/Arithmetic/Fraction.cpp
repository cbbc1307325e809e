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
  // DynamicAPInt is signed, so that the number needs one more bit.
  return DynamicAPInt(APInt::getOneBitSet(exponent + 2, exponent));
}

/// Returns the simplest fraction between `low` and `high`, which differ. The
/// function splits off integer parts, as in a continued fraction. `closed`
/// states whether the ends belong to the interval.
static Fraction findSimplest(const Fraction &low, const Fraction &high,
                             bool closed) {
  DynamicAPInt whole = low.numerator / low.denominator;
  DynamicAPInt rest = low.numerator % low.denominator;
  if (rest == 0 && closed)
    return {whole, DynamicAPInt(1)};
  DynamicAPInt next = (whole + 1) * high.denominator;
  if (next < high.numerator || (next == high.numerator && closed))
    return {whole + 1, DynamicAPInt(1)};
  // No integer lies between the ends, so that both have the same integer part.
  // The simplest fractional part is the reciprocal of the simplest fraction
  // between the reciprocals of the two fractional parts.
  Fraction part = findSimplest(
      {high.denominator, high.numerator - whole * high.denominator},
      {low.denominator, rest}, closed);
  return {whole * part.numerator + part.denominator, part.numerator};
}

Fraction getSimplestFraction(float value) {
  // value = mantissa * 2^exponent. Neighbouring floats differ by 1 in the
  // mantissa.
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
  // The ends of the interval lie half-way to the neighbouring floats, and are
  // counted in quarters of a unit. The neighbour below a power of two is only
  // half as far away.
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
  // Scales the quotient to 26 bits, two more than a mantissa. The last bit also
  // represents whether any bits were cut off. The conversion to float then
  // rounds only once.
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
