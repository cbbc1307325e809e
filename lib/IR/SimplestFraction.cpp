//===- SimplestFraction.cpp - The fraction that a float stands for --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SimplestFraction.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace dml;
using llvm::DynamicAPInt;

static DynamicAPInt getPowerOfTwo(unsigned exponent) {
  return DynamicAPInt(llvm::APInt::getOneBitSet(exponent + 2, exponent));
}

/// Returns the fraction with the smallest denominator in [lowN / lowD, highN /
/// highD]: the common prefix of the continued fractions of both ends, which is
/// the first node of the Stern-Brocot tree inside of the interval.
static SimplestFraction findSimplestFraction(const DynamicAPInt &lowN,
                                             const DynamicAPInt &lowD,
                                             const DynamicAPInt &highN,
                                             const DynamicAPInt &highD) {
  DynamicAPInt whole = lowN / lowD;
  if (whole * lowD == lowN)
    return {whole, DynamicAPInt(1)};
  if ((whole + 1) * highD <= highN)
    return {whole + 1, DynamicAPInt(1)};
  SimplestFraction rest = findSimplestFraction(highD, highN - whole * highD,
                                               lowD, lowN - whole * lowD);
  return {whole * rest.numerator + rest.denominator, rest.numerator};
}

SimplestFraction dml::getSimplestFraction(float value) {
  if (value < 0) {
    SimplestFraction fraction = getSimplestFraction(-value);
    return {-fraction.numerator, fraction.denominator};
  }
  // Floats, and the numbers halfway between two floats, are multiples of
  // 2^-150. The numbers that round to `value` lie between the halfway points to
  // its two neighbours. If the mantissa is odd, the halfway points themselves
  // round to the neighbours. In this case, each end is moved inward by 2^-190,
  // which excludes no other fraction with a small denominator.
  constexpr int unit = 190;
  auto toUnits = [](double number) {
    int exponent;
    auto mantissa =
        static_cast<int64_t>(std::ldexp(std::frexp(number, &exponent), 53));
    int shift = exponent - 53 + unit;
    return shift >= 0 ? DynamicAPInt(mantissa) * getPowerOfTwo(shift)
                      : DynamicAPInt(mantissa) / getPowerOfTwo(-shift);
  };
  DynamicAPInt one = getPowerOfTwo(unit);
  if (value == std::floor(value))
    return {toUnits(value) / one, DynamicAPInt(1)};
  double below = std::nextafter(value, 0.0f);
  double above = std::nextafter(value, 2 * value + 1);
  bool odd = llvm::bit_cast<uint32_t>(value) & 1;
  return findSimplestFraction(toUnits((below + value) / 2) + odd, one,
                              toUnits((above + value) / 2) - odd, one);
}
