//===- FractionTest.cpp - Tests of what scales mean -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Reference/Fraction.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace dml::reference;
using llvm::DynamicAPInt;

namespace {

std::string print(const Fraction &fraction) {
  std::string text;
  llvm::raw_string_ostream(text)
      << fraction.numerator << "/" << fraction.denominator;
  return text;
}

std::string simplest(float value) { return print(getSimplestFraction(value)); }

/// Finds a fraction by its definition: tries one denominator after the other.
/// `numerator` / `denominator` is one IEEE division of exact operands, and is
/// rounded once.
std::string findByTrying(float value) {
  for (int64_t denominator = 1; denominator < (1 << 24); ++denominator) {
    int64_t numerator = std::llround(double(value) * denominator);
    if (numerator < (1 << 24) && float(numerator) / float(denominator) == value)
      return std::to_string(numerator) + "/" + std::to_string(denominator);
  }
  return "none";
}

TEST(Fraction, WhatAuthorsMean) {
  EXPECT_EQ(simplest(1.0f), "1/1");
  EXPECT_EQ(simplest(2.0f), "2/1");
  EXPECT_EQ(simplest(0.5f), "1/2");
  EXPECT_EQ(simplest(0.1f), "1/10");
  EXPECT_EQ(simplest(1.1f), "11/10");
  EXPECT_EQ(simplest(0.3f), "3/10");
  EXPECT_EQ(simplest(1.0f / 3.0f), "1/3");
  // Not what its author meant, but six decimals are more than f32 can tell.
  EXPECT_EQ(simplest(0.333333f), "306433/919300");
  EXPECT_EQ(simplest(171.0f / 512.0f), "171/512");
  EXPECT_EQ(simplest(1920.0f / 1081.0f), "1920/1081");
  EXPECT_EQ(simplest(3.14159274f), "93343/29712");
}

TEST(Fraction, IntegersAreThemselves) {
  EXPECT_EQ(simplest(16777216.0f), "16777216/1");
  EXPECT_EQ(simplest(16777218.0f), "16777218/1");
  EXPECT_EQ(simplest(0x1p40f), "1099511627776/1");
  EXPECT_EQ(simplest(1e30f), "1000000015047466219876688855040/1");
  EXPECT_EQ(simplest(std::numeric_limits<float>::max()),
            "340282346638528859811704183484516925440/1");
}

TEST(Fraction, TinyScales) {
  // The result has the smallest denominator, and not the roundest. From 2^-25
  // on, the denominators of neighbouring floats differ by more than one.
  EXPECT_EQ(simplest(0x1p-20f), "1/1048576");
  EXPECT_EQ(simplest(0x1p-24f), "1/16777216");
  EXPECT_EQ(simplest(0x1p-25f), "1/33554431");
  // From a smallest normal number to a smallest denormal one.
  for (float value : {1e-30f, 1e-37f, 0x1p-126f, 0x1p-127f, 0x1.8p-140f,
                      0x1p-148f, 0x1p-149f}) {
    Fraction fraction = getSimplestFraction(value);
    EXPECT_EQ(roundToFloat(fraction.numerator, fraction.denominator), value);
    // One less rounds to the float above.
    EXPECT_EQ(fraction.numerator, DynamicAPInt(1));
    EXPECT_GT(roundToFloat(DynamicAPInt(1), fraction.denominator - 1), value);
  }
}

TEST(Fraction, SizeRatiosAreRecovered) {
  // Two fractions with denominators up to b differ by at least 1/b^2. Fractions
  // that round to the same float differ by at most a/b * 2^-23. A fraction a/b
  // with a * b < 2^23 is therefore unique.
  for (int64_t a = 1; a <= 400; ++a)
    for (int64_t b = 1; b <= 400; ++b) {
      int64_t divisor = std::gcd(a, b);
      EXPECT_EQ(simplest(float(a) / float(b)), std::to_string(a / divisor) +
                                                   "/" +
                                                   std::to_string(b / divisor));
    }
}

TEST(Fraction, AgreesWithTrying) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    float value = std::ldexp(1.0f + (random() >> 9) * 0x1p-23f,
                             static_cast<int>(random() % 12) - 6);
    EXPECT_EQ(simplest(value), findByTrying(value)) << value;
  }
  for (float value : {1.0f, 0.25f, 2.0f, 5.0f, 0.7f, 0.333333f})
    for (float near :
         {value, std::nextafter(value, 0.0f), std::nextafter(value, 9.0f)})
      EXPECT_EQ(simplest(near), findByTrying(near)) << near;
}

TEST(Fraction, RoundToFloatIsDivision) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    uint32_t a = random() % (1 << (random() % 25)),
             b = random() % (1 << (random() % 25)) + 1;
    b = std::min(b, uint32_t(1) << 24);
    EXPECT_EQ(roundToFloat(DynamicAPInt(a), DynamicAPInt(b)),
              float(a) / float(b));
  }
  // Denormals round once.
  DynamicAPInt power(llvm::APInt::getOneBitSet(200, 149));
  EXPECT_EQ(roundToFloat(DynamicAPInt(1), power), 0x1p-149f);
  EXPECT_EQ(roundToFloat(DynamicAPInt(3), power * 2), 0x1p-148f);
  EXPECT_EQ(roundToFloat(DynamicAPInt(5), power * 2), 0x1p-148f);
  EXPECT_EQ(roundToFloat(DynamicAPInt(1), power * 2), 0.0f);
}

} // namespace
