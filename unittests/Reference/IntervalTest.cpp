//===- IntervalTest.cpp - Tests of numbers within bounds ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../../lib/Reference/Arithmetic/Interval.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace dml::reference;

namespace {

/// Numbers of all magnitudes, most of them near 1.
class IntervalTest : public testing::Test {
protected:
  float draw() {
    double mantissa = std::uniform_real_distribution<double>(-2, 2)(random);
    int range = random() % 4 == 0 ? 60 : 6;
    return static_cast<float>(std::ldexp(
        mantissa, static_cast<int>(random() % (2 * range + 1)) - range));
  }

  /// A number known to lie between `x` and one some units away.
  Interval drawAround(float x) {
    Interval result(x);
    float end = x;
    for (unsigned i = random() % 4; i-- > 0;)
      end = std::nextafter(end, random() % 2 ? 1e38f : -1e38f);
    result.low = std::min(x, end);
    result.high = std::max(x, end);
    return result;
  }

  /// The correctly rounded result and its neighbours lie inside.
  void expectInside(double exact, Interval found, const char *what, double x,
                    double y = 0) {
    if (std::isnan(exact)) {
      EXPECT_TRUE(found.mayBeNaN) << what << " of " << x << ", " << y;
      return;
    }
    if (found.isNaN || std::fabs(exact) > 3e38) {
      EXPECT_FALSE(found.isNaN) << what << " of " << x << ", " << y;
      return;
    }
    EXPECT_LE(found.low, exact) << what << " of " << x << ", " << y;
    EXPECT_GE(found.high, exact) << what << " of " << x << ", " << y;
  }

  std::mt19937 random{1};
};

TEST_F(IntervalTest, ArithmeticHoldsTheExactResult) {
  for (int i = 0; i < 20000; ++i) {
    float x = draw(), y = draw();
    Interval a = drawAround(x), b = drawAround(y);
    double dx = x, dy = y;
    expectInside(dx + dy, a + b, "sum", x, y);
    expectInside(dx - dy, a - b, "difference", x, y);
    expectInside(dx * dy, a * b, "product", x, y);
    expectInside(dx / dy, a / b, "quotient", x, y);
    expectInside(std::max(dx, dy), max(a, b), "maximum", x, y);
    expectInside(std::min(dx, dy), min(a, b), "minimum", x, y);
    expectInside(std::atan2(dx, dy), atan2(a, b), "angle", x, y);
    if (std::fabs(y) < 30)
      expectInside(std::pow(dx, dy), pow(a, b), "power", x, y);
    expectInside(std::pow(dx, 3), pow(a, Interval(3)), "cube", x);
    expectInside(std::pow(dx, -2), pow(a, Interval(-2)), "power of -2", x);
  }
}

TEST_F(IntervalTest, RoundedResultsLieInside) {
  for (int i = 0; i < 20000; ++i) {
    float x = draw(), y = draw();
    Interval sum = Interval(x) + Interval(y),
             product = Interval(x) * Interval(y);
    float rounded = x + y;
    EXPECT_LE(sum.low, rounded);
    EXPECT_GE(sum.high, rounded);
    rounded = x * y;
    EXPECT_LE(product.low, rounded);
    EXPECT_GE(product.high, rounded);
  }
}

TEST_F(IntervalTest, FunctionsHoldTheExactResult) {
  struct Function {
    const char *name;
    Interval (*bounds)(Interval);
    double (*exact)(double);
  };
  static const Function functions[] = {
      {"exp", exp, std::exp},
      {"log", log, std::log},
      {"sqrt", sqrt, std::sqrt},
      {"tanh", tanh, std::tanh},
      {"sinh", sinh, std::sinh},
      {"cosh", cosh, std::cosh},
      {"asinh", asinh, std::asinh},
      {"acosh", acosh, std::acosh},
      {"atanh", atanh, std::atanh},
      {"sin", sin, std::sin},
      {"cos", cos, std::cos},
      {"asin", asin, std::asin},
      {"acos", acos, std::acos},
      {"atan", atan, std::atan},
      {"erf", erf, std::erf},
      {"floor", floor, std::floor},
      {"ceil", ceil, std::ceil},
      {"trunc", trunc, std::trunc},
      {"round", roundAway, std::round},
      {"nearbyint", roundEven, std::nearbyint},
  };
  for (const Function &function : functions)
    for (int i = 0; i < 5000; ++i) {
      float x = draw();
      expectInside(function.exact(x), function.bounds(drawAround(x)),
                   function.name, x);
    }
}

TEST_F(IntervalTest, SinesBetweenBoundsReachTheirMaximum) {
  Interval x(1.5);
  x.low = 1.5;
  x.high = 1.7;
  EXPECT_GE(sin(x).high, 1);
  EXPECT_LT(sin(x).high, 1.001);
  x.low = 3;
  x.high = 3.3;
  EXPECT_LE(cos(x).low, -1);
  EXPECT_GT(cos(x).high, -1);
}

// The reciprocal of a divisor above 2^126 may be flushed to 0. A device then
// computes NaN for an infinite dividend, and 0 for a finite one.
TEST_F(IntervalTest, QuotientsByLargeNumbersMayBeFlushed) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE((Interval(infinity) / Interval(0x1p127)).mayBeNaN);
  EXPECT_FALSE((Interval(infinity) / Interval(0x1p126)).mayBeNaN);
  Interval quotient = Interval(0x1p127) / Interval(0x1p127);
  EXPECT_FALSE(quotient.mayBeNaN);
  EXPECT_EQ(quotient.low, 0);
  EXPECT_GE(quotient.high, 1);
}

TEST_F(IntervalTest, SpecialNumbers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(sin(Interval(infinity)).isNaN);
  EXPECT_TRUE(asin(Interval(2)).isNaN);
  EXPECT_TRUE(acosh(Interval(0.5)).isNaN);
  EXPECT_EQ(atanh(Interval(1)).high, infinity);
  EXPECT_TRUE(pow(Interval(-2), Interval(0.5)).isNaN);
  EXPECT_EQ(pow(Interval::nan(), Interval(0)).low, 1);
  EXPECT_EQ(pow(Interval(1), Interval::nan()).high, 1);
  EXPECT_LE(pow(Interval(-2), Interval(3)).low, -8);
  EXPECT_LT(pow(Interval(-2), Interval(3)).high, -7.9);
  EXPECT_EQ(isInfinity(Interval(infinity), 1), Truth::True);
  EXPECT_EQ(isInfinity(Interval(infinity), -1), Truth::False);
  EXPECT_EQ(isNaN(Interval::nan()), Truth::True);
  EXPECT_EQ(isNaN(Interval::anything(0)), Truth::unknown(false));
  EXPECT_EQ(max(Interval::nan(), Interval(3)).low, 3);
}

TEST_F(IntervalTest, PowersOfWhatMayHaveEitherSign) {
  Interval x = Interval::around(0.5, -1, 2, 0);
  Interval square = pow(x, Interval(2)), cube = pow(x, Interval(3));
  EXPECT_EQ(square.low, 0);
  EXPECT_NEAR(square.high, 4, 1e-4);
  EXPECT_NEAR(cube.low, -1, 1e-4);
  EXPECT_NEAR(cube.high, 8, 1e-4);
  EXPECT_EQ(cube.value, 0.125);
  EXPECT_FALSE(square.mayBeNaN || cube.mayBeNaN);
  EXPECT_TRUE(pow(x, Interval(0.5)).mayBeNaN);
  EXPECT_TRUE(pow(x, Interval(-1)).mayBeNaN);
}

TEST_F(IntervalTest, QuotientsByWhatMayBeZero) {
  Interval zero = Interval::around(0.5, -1, 1, 0);
  EXPECT_FALSE((Interval(1) / zero).mayBeNaN);
  EXPECT_EQ((Interval(1) / zero).high, HUGE_VAL);
  EXPECT_TRUE((Interval(0) / zero).mayBeNaN);
  EXPECT_TRUE((zero / zero).mayBeNaN);
}

TEST(IntegerTest, PowersWrapAround) {
  Integer x;
  x.width = 8;
  auto power = [&](int base, int exponent) {
    return static_cast<int>(pow(x(base), Integer()(exponent)).value);
  };
  EXPECT_EQ(power(3, 4), 81);
  EXPECT_EQ(power(3, 5), -13);
  EXPECT_EQ(power(-1, -3), -1);
  EXPECT_EQ(power(-1, -2), 1);
  EXPECT_EQ(power(2, -1), 0);
  EXPECT_EQ(power(0, -1), -1);
  EXPECT_EQ(power(0, 0), 1);
}

/// An integer of 8 bits from `low` to `high`, both of which the reference has.
Integer makeOpen(int low, int high, int value) {
  Integer x;
  x.width = 8;
  return x.wrap(value, low, high);
}

void expectBounds(Integer found, int low, int high, int value) {
  EXPECT_EQ(static_cast<int>(found.low), low);
  EXPECT_EQ(static_cast<int>(found.high), high);
  EXPECT_EQ(static_cast<int>(found.value), value);
}

TEST(IntegerTest, BoundsFollowArithmetic) {
  Integer open = makeOpen(2, 3, 3), other = makeOpen(-5, -4, -4);
  expectBounds(open + other, -3, -1, -1);
  expectBounds(open - other, 6, 8, 7);
  expectBounds(open * other, -15, -8, -12);
  expectBounds(-other, 4, 5, 4);
  expectBounds(abs(other), 4, 5, 4);
  expectBounds(abs(makeOpen(-2, 1, -1)), 0, 2, 1);
  expectBounds(max(open, other(2)), 2, 3, 3);
  expectBounds(min(open, other(2)), 2, 2, 2);
  expectBounds(pow(open, Integer()(3)), 8, 27, 27);
  expectBounds(pow(other(2), makeOpen(2, 3, 2)), 4, 8, 4);
}

TEST(IntegerTest, BoundsFollowDivision) {
  Integer x = makeOpen(7, 9, 8);
  expectBounds(x / x(2), 3, 4, 4);
  expectBounds(x / makeOpen(-4, -3, -3), -3, -1, -2);
  // By 0, a quotient is -1.
  expectBounds(x / makeOpen(-1, 2, 2), -9, 9, 4);
  expectBounds(x / x(0), -1, -1, -1);
  expectBounds(modulus(x, x(4), false), 0, 3, 0);
  expectBounds(modulus(-x, x(4), true), 0, 3, 0);
  expectBounds(modulus(-x, x(4), false), -3, 0, 0);
  expectBounds(modulus(x, makeOpen(0, 1, 1), false), -1, 0, 0);
}

TEST(IntegerTest, BoundsWrapAround) {
  Integer most = makeOpen(126, 127, 127);
  // All wrap around, or some do.
  expectBounds(most + most(2), -128, -127, -127);
  expectBounds(most + most(1), -128, 127, -128);
  expectBounds(-makeOpen(-128, -127, -128), -128, 127, -128);
  Integer wide;
  wide.width = 64;
  wide.isUnsigned = true;
  Integer huge = wide.wrap(-1, -2, -1), product = huge * huge;
  EXPECT_EQ(huge.low, wide.getMax() - 1);
  EXPECT_EQ(product.value, 1);
  EXPECT_EQ(product.low, 0);
  EXPECT_EQ(product.high, wide.getMax());
}

TEST(IntegerTest, ComparisonsOfBounds) {
  Integer open = makeOpen(2, 3, 3);
  EXPECT_EQ(open < open(4), Truth::True);
  EXPECT_EQ(open < open(2), Truth::False);
  EXPECT_EQ(open < open(3), Truth::unknown(false));
  EXPECT_EQ(open <= open(3), Truth::True);
  EXPECT_EQ(open.equals(open(3)), Truth::unknown(true));
  EXPECT_EQ(open.equals(open(4)), Truth::False);
  EXPECT_EQ(!open.equals(open(3)), Truth::unknown(false));
  EXPECT_EQ(Truth::unknown(true) && Truth::False, Truth::False);
  EXPECT_EQ(Truth::unknown(false) || Truth::True, Truth::True);
  EXPECT_EQ(Truth::unknown(true) || Truth::False, Truth::unknown(true));
  // What is chosen may be either; the reference has its own.
  expectBounds(select(open.equals(open(3)), open(7), open(-7)), -7, 7, 7);
  expectBounds(select(open.equals(open(2)), open(7), open(-7)), -7, 7, -7);
}

} // namespace
