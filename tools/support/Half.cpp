//===- Half.cpp - Conversions of 16-bit floats ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Half.h"

#include <cmath>
#include <limits>

using namespace dml::tools;

uint16_t dml::tools::toHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7e00;
  double magnitude = std::fabs(value);
  // Halfway between the largest half, 65504, and the next power of two.
  if (magnitude >= 65520.0)
    return sign | 0x7c00;
  // Units of the last place: 2^-24 for subnormals, else 2^(exponent - 10).
  int exponent = -14;
  if (magnitude >= 0x1p-14)
    exponent = std::ilogb(magnitude);
  // Scaling by a power of two is exact, and nearbyint rounds ties to even by
  // default.
  auto units = static_cast<uint32_t>(
      std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // A carry out of the mantissa correctly increments the exponent. The leading
  // 1 of a normal number (1024) is a part of `units`, and increments the
  // exponent by 1.
  return sign | static_cast<uint16_t>(((exponent + 14) << 10) + units);
}

double dml::tools::fromHalf(uint16_t bits) {
  double sign = bits & 0x8000 ? -1.0 : 1.0;
  int exponent = bits >> 10 & 0x1f;
  int mantissa = bits & 0x3ff;
  if (exponent == 0x1f)
    return mantissa == 0
               ? sign * std::numeric_limits<double>::infinity()
               : std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (exponent == 0)
    return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}
