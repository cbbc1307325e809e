//===- AccuracyTest.cpp - Tests of how far arithmetic may be off ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Reference/Accuracy.h"
#include "../../lib/Reference/Arithmetic/Interval.h"
#include <gtest/gtest.h>

using namespace dml::reference;

namespace {

std::string describe(Arithmetic operation) {
  return describeBound(getAccuracy(operation));
}

TEST(AccuracyTest, BoundsHaveTheNumbersOfTheTable) {
  EXPECT_EQ(describe(Arithmetic::Division), "2.5 ULP, and 1 for rounding");
  EXPECT_EQ(describe(Arithmetic::Exponential), "3 + 2 \\|x\\| ULP");
  EXPECT_EQ(describe(Arithmetic::Logarithm), "3 ULP and 2^-21");
  EXPECT_EQ(describe(Arithmetic::Sum),
            "`(1 + 2^-23)^(n - 1) - 1` of the sum of all magnitudes");
}

TEST(AccuracyTest, IntervalsHaveTheBoundsOfTheTable) {
  // 1 / 3 lies 2.5 units of 2^-25 around, and is rounded outward.
  Interval third = Interval(1) / Interval(3);
  EXPECT_EQ(third.low, 11184808 * 0x1p-25);
  EXPECT_EQ(third.high, 11184814 * 0x1p-25);
}

TEST(AccuracyTest, TheLogHasWhatWasUsed) {
  ArithmeticLog log;
  EXPECT_FALSE(log.has(Arithmetic::Exponential));
  EXPECT_TRUE(log.getAddedWidths().empty());
  (void)exp(Interval(1));
  EXPECT_TRUE(log.has(Arithmetic::Exponential));
  EXPECT_FALSE(log.has(Arithmetic::Logarithm));
  EXPECT_FALSE(log.addsFloats());
  ArithmeticLog::noteIntegerSum(64);
  ArithmeticLog::noteIntegerSum(8);
  EXPECT_EQ(log.getAddedWidths(), (llvm::SmallVector<unsigned>{8, 64}));
  ArithmeticLog::noteOrderedSum();
  EXPECT_TRUE(log.addsFloats());
}

TEST(AccuracyTest, ALogBeginsEmpty) {
  (void)log(Interval(2));
  ArithmeticLog log;
  EXPECT_FALSE(log.has(Arithmetic::Logarithm));
}

} // namespace
