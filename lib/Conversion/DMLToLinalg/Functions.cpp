//===- Functions.cpp - Functions made of arithmetic -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Most polynomials and their ranges are from the Cephes library in single
// precision (S. L. Moshier); the polynomial for erf is by N. Juffa. Numbers are
// split into exponent and mantissa by integer operations on their bits. A
// device thus only needs additions, multiplications, divisions and square
// roots.
//
//===----------------------------------------------------------------------===//

#include "ElementWiseRows.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace dml;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nanValue = std::numeric_limits<double>::quiet_NaN();
static constexpr double pi = 3.14159265358979323846;
/// ln 2 as the sum of two numbers. The first has few bits, so that its products
/// with small integers are exact.
static constexpr double ln2High = 0.693359375, ln2Low = -2.12194440e-4;

/// Evaluates the polynomial with these coefficients, beginning with that of the
/// highest power.
static Number evaluate(Number x, std::initializer_list<double> coefficients) {
  Number result = x(*coefficients.begin());
  for (double coefficient : llvm::drop_begin(coefficients))
    result = result * x + x(coefficient);
  return result;
}

Number dml::fma(Number a, Number b, Number c) {
  return a.with(math::FmaOp::create(*a.b, a.value, b.value, c.value));
}

Number dml::evaluateFused(Number x,
                          std::initializer_list<double> coefficients) {
  Number result = x(*coefficients.begin());
  for (double coefficient : llvm::drop_begin(coefficients))
    result = fma(result, x, x(coefficient));
  return result;
}

/// Returns `magnitude` if x is positive, -`magnitude` if x is negative, and x
/// if it is 0 or NaN.
static Number withSignOf(Number x, Number magnitude) {
  return select(x > x(0), magnitude, select(x < x(0), -magnitude, x));
}

static Number toInteger(Number x) {
  ElementBuilder &b = *x.b;
  return {&b, b.createOrFold<arith::FPToSIOp>(b.getI32Type(), x.value)};
}
static Number toFloat(Number x) {
  ElementBuilder &b = *x.b;
  return {&b, b.createOrFold<arith::SIToFPOp>(b.getF32Type(), x.value)};
}

//===----------------------------------------------------------------------===//
// Exponentials and logarithms
//===----------------------------------------------------------------------===//

/// Computes 2^n for an integer n from -126 to 127.
static Number powerOfTwo(Number n) {
  Number integer = toInteger(n);
  return fromBits((integer + integer(127)) << integer(23));
}

/// Computes x * 2^n for an integer n from -252 to 254. This takes two
/// multiplications, since 2^n itself may not be a normal number.
static Number scale(Number x, Number n) {
  Number half = floor(n * n(0.5));
  return x * powerOfTwo(half) * powerOfTwo(n - half);
}

/// Computes e^r for r from -0.4 to 0.4.
static Number expOfSmall(Number r) {
  Number tail =
      evaluateFused(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                        4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  return fma(tail, r * r, r) + r(1);
}

static Number exponential(Number x) {
  Condition fits = x > x(-104) && x < x(89);
  Number safe = select(fits, x, x(0));
  Number n = roundEven(safe * x(1.44269504088896341));
  Number r = safe - n * x(ln2High) - n * x(ln2Low);
  return select(fits, scale(expOfSmall(r), n),
                select(x >= x(89), x(infinity), select(x <= x(-104), x(0), x)));
}

/// Computes e^x for x from -80 to 0, where the result is a normal number.
static Number exponentialOfNegative(Number x) {
  Number n = roundEven(x * x(1.44269504088896341));
  Number r = fma(n, x(-ln2Low), fma(n, x(-ln2High), x));
  return expOfSmall(r) * powerOfTwo(n);
}

/// Computes 2^x.
static Number exponential2(Number x) {
  Condition fits = x > x(-151) && x < x(129);
  Number safe = select(fits, x, x(0));
  Number n = roundEven(safe);
  Number r = (safe - n) * x(0.69314718055994531);
  return select(
      fits, scale(expOfSmall(r), n),
      select(x >= x(129), x(infinity), select(x <= x(-151), x(0), x)));
}

namespace {
/// A positive number as (1 + fraction) * 2^exponent, where 1 + fraction lies
/// between sqrt(1/2) and sqrt(2).
struct Parts {
  Number fraction, exponent;
};
} // namespace

static Parts takeApart(Number x) {
  Condition isDenormal = x < x(0x1p-126);
  Number bits = toBits(select(isDenormal, x * x(0x1p24), x));
  Number exponent = toFloat(bits >> bits(23));
  exponent = exponent - select(isDenormal, x(127 + 24), x(127));
  Number mantissa = fromBits((bits & bits(0x7fffff)) | bits(0x3f800000));
  Condition isLarge = mantissa > x(1.41421356237309505);
  mantissa = select(isLarge, mantissa * x(0.5), mantissa);
  exponent = select(isLarge, exponent + x(1), exponent);
  return {mantissa - x(1), exponent};
}

/// Computes ln(1 + f) - f for the fraction f of such a number.
static Number logOfParts(Number f) {
  Number square = f * f;
  Number tail =
      evaluate(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                   -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                   2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  return tail * f * square - f(0.5) * square;
}

/// Returns `result` if x is finite and positive, and the logarithm of x
/// otherwise.
static Number ofPositive(Number x, Condition isPositive, Number result) {
  return select(isPositive, result,
                select(x.equals(x(0)), x(-infinity),
                       select(x > x(0), x(infinity), x(nanValue))));
}

static Number logarithm(Number x) {
  Condition isPositive = x > x(0) && x < x(infinity);
  auto [f, exponent] = takeApart(select(isPositive, x, x(1)));
  Number result = f + (logOfParts(f) + exponent * x(ln2Low));
  return ofPositive(x, isPositive, result + exponent * x(ln2High));
}

static Number logarithm2(Number x) {
  Condition isPositive = x > x(0) && x < x(infinity);
  auto [f, exponent] = takeApart(select(isPositive, x, x(1)));
  Number fraction = (f + logOfParts(f)) * x(1.44269504088896341);
  return ofPositive(x, isPositive, exponent + fraction);
}

Number dml::log1p(Number x) {
  // Corrects the rounding error of the sum.
  Number sum = x + x(1);
  Number lost = select(sum.equals(x(1)), x(1), sum - x(1));
  return select(sum.equals(x(1)), x, logarithm(sum) * (x / lost));
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

Number dml::tanh(Number x) {
  Number a = abs(x), z = x * x;
  Number near0 =
      evaluate(z, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                   1.33314422036e-1, -3.33332819422e-1}) *
          z * x +
      x;
  // The result is 1 beyond 10. Without the limit, infinities would be divided
  // by each other.
  Number limited = select(a > x(10), x(10), a);
  Number far = x(1) - x(2) / (exponential(limited + limited) + x(1));
  return select(a < x(0.625), near0, withSignOf(x, far));
}

Number dml::sinh(Number x) {
  Number a = abs(x), z = x * x;
  Number near0 =
      evaluate(z, {2.03721912945e-4, 8.33028376239e-3, 1.66667160211e-1}) * z *
          x +
      x;
  // e^a may overflow although the result, half of it, does not.
  Number root = exponential(a * x(0.5));
  Number far = x(0.5) * root * root - x(0.5) / root / root;
  return select(a < x(1), near0, withSignOf(x, far));
}

Number dml::cosh(Number x) {
  Number root = exponential(abs(x) * x(0.5));
  return x(0.5) * root * root + x(0.5) / root / root;
}

Number dml::asinh(Number x) {
  Number a = abs(x), z = x * x;
  Number near0 = evaluate(z, {2.0122003309e-2, -4.2699340972e-2,
                              7.4847586088e-2, -1.6666288134e-1}) *
                     z * x +
                 x;
  Condition isLarge = a > x(1500);
  Number limited = select(isLarge, x(1), a);
  Number far = select(isLarge, logarithm(a) + x(0.69314718055994531),
                      logarithm(limited + sqrt(limited * limited + x(1))));
  return select(a < x(0.5), near0, withSignOf(x, far));
}

Number dml::acosh(Number x) {
  Condition isLarge = x > x(1500), isValid = x >= x(1);
  Number limited = select(isValid && !isLarge, x, x(1));
  Number z = limited - x(1);
  Number near1 =
      evaluate(z, {1.7596881071e-3, -7.5272886713e-3, 2.6454905019e-2,
                   -1.1784741703e-1, 1.4142135263e0}) *
      sqrt(z);
  Number far = logarithm(limited + sqrt(z * (limited + x(1))));
  Number result = select(z < x(0.5), near1, far);
  return select(isLarge, logarithm(x) + x(0.69314718055994531),
                select(isValid, result, x(nanValue)));
}

Number dml::atanh(Number x) {
  Number a = abs(x), z = x * x;
  Number near0 =
      evaluate(z, {1.81740078349e-1, 8.24370301058e-2, 1.46691431730e-1,
                   1.99782164500e-1, 3.33337300303e-1}) *
          z * x +
      x;
  Condition isInside = a < x(1);
  Number limited = select(isInside, a, x(0));
  Number inside = x(0.5) * logarithm((x(1) + limited) / (x(1) - limited));
  Number far = select(isInside, inside,
                      select(a.equals(x(1)), x(infinity), x(nanValue)));
  return select(a < x(0.5), near0, withSignOf(x, far));
}

//===----------------------------------------------------------------------===//
// Trigonometric functions
//===----------------------------------------------------------------------===//

/// Computes the sine of x, or of x + pi / 2 if `isCosine` is set.
static Number sineOrCosine(Number x, bool isCosine) {
  // x consists of n quarters of a turn and a rest r. pi / 2 is split into three
  // numbers with few bits each, so that their products with n are exact.
  Number n = roundEven(x * x(2 / pi));
  Number r = x - n * x(1.5703125) - n * x(4.837512969970703125e-4) -
             n * x(7.54978995489188e-8);
  // If n is too large, the rest is wrong, but it must not be NaN.
  r = select(abs(r) > x(1), x(0), r);
  Number z = r * r;
  Number sine =
      evaluate(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}) * z *
          r +
      r;
  Number cosine = evaluate(z, {2.443315711809948e-5, -1.388731625493765e-3,
                               4.166664568298827e-2}) *
                      z * z -
                  x(0.5) * z + x(1);
  if (isCosine)
    n = n + x(1);
  Number quarter = n - floor(n * x(0.25)) * x(4);
  Condition isOdd = quarter.equals(x(1)) || quarter.equals(x(3));
  Number result = select(isOdd, cosine, sine);
  return select(quarter >= x(2), -result, result);
}

Number dml::sin(Number x) { return sineOrCosine(x, /*isCosine=*/false); }
Number dml::cos(Number x) { return sineOrCosine(x, /*isCosine=*/true); }

/// Computes the arc sine of a number from 0 to 1/2, whose square is `square`.
static Number arcSineOfSmall(Number a, Number square) {
  return evaluate(square, {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2,
                           7.4953002686e-2, 1.6666752422e-1}) *
             square * a +
         a;
}

/// Computes half of the arc cosine of a number from 1/2 to 1.
static Number halfArcCosine(Number a) {
  Number square = max(a(0), a(0.5) * (a(1) - a));
  return arcSineOfSmall(sqrt(square), square);
}

Number dml::asin(Number x) {
  Number a = abs(x);
  Number far = x(pi / 2) - x(2) * halfArcCosine(a);
  Number result =
      select(a > x(0.5), withSignOf(x, far), arcSineOfSmall(x, x * x));
  return select(a > x(1), x(nanValue), result);
}

Number dml::acos(Number x) {
  Number a = abs(x), far = x(2) * halfArcCosine(a);
  Number result = select(
      x > x(0.5), far,
      select(x < x(-0.5), x(pi) - far, x(pi / 2) - arcSineOfSmall(x, x * x)));
  return select(a > x(1), x(nanValue), result);
}

/// Computes the arc tangent of a number from 0 to infinity.
static Number arcTangent(Number a) {
  Condition isLarge = a > a(2.414213562373095),
            isMiddle = a > a(0.4142135623730950);
  // From 2^30 on, all results are pi / 2, so that the number can be limited to
  // 2^30. Without the limit, divisors could exceed 2^126, whose reciprocals may
  // be flushed to 0.
  Number limited = select(a > a(0x1p30), a(0x1p30), a);
  Number reduced =
      select(isMiddle, (limited - a(1)) / (limited + a(1)), limited);
  reduced = select(isLarge, a(-1) / select(isLarge, limited, a(1)), reduced);
  Number offset = select(isLarge, a(pi / 2), select(isMiddle, a(pi / 4), a(0)));
  Number z = reduced * reduced;
  return offset + (evaluate(z, {8.05374449538e-2, -1.38776856032e-1,
                                1.99777106478e-1, -3.33329491539e-1}) *
                       z * reduced +
                   reduced);
}

Number dml::atan(Number x) { return withSignOf(x, arcTangent(abs(x))); }

/// Whether the sign bit of `x` is set, as for -0.
static Condition hasSign(Number x) {
  Number bits = toBits(x);
  return bits >= bits(0x80000000);
}

Number dml::atan2(Number y, Number x) {
  Number a = abs(y), b = abs(x);
  Number large = max(a, b), small = min(a, b);
  // The quotients of equal infinities and of zeros are known. Otherwise, the
  // divisor is scaled to the range in which devices divide accurately.
  Number factor = select(large > x(0x1p100), x(0x1p-60),
                         select(large < x(0x1p-60), x(0x1p60), x(1)));
  Condition isZero = large.equals(x(0));
  Number ratio = small * factor / select(isZero, x(1), large * factor);
  ratio = select(small.equals(large), select(isZero, x(0), x(1)), ratio);
  ratio = select(large.equals(x(infinity)) && small < x(infinity), x(0), ratio);
  Number angle = arcTangent(ratio);
  angle = select(a > b, x(pi / 2) - angle, angle);
  angle = select(hasSign(x), x(pi) - angle, angle);
  angle = select(hasSign(y), -angle, angle);
  return select(x.equals(x) && y.equals(y), angle, x(nanValue));
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

Number dml::erf(Number x) {
  Number a = abs(x), z = x * x;
  // The polynomial is a single product. If x were added separately, the
  // remainder for a small x could be denormal, and a device could replace it by
  // 0.
  Number near0 =
      evaluateFused(z, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                        1.12819925e-1, -3.76125336e-1, 1.128379166}) *
      x;
  // The result is 1 beyond 4. A NaN becomes 4, too, and is left to `near0`.
  Number t = select(a <= x(4), a, x(4));
  Number high = evaluateFused(t, {-1.72853470e-5, 3.83197126e-4});
  Number low = evaluateFused(t, {-3.88396438e-3, 2.42546219e-2});
  Number power = fma(high, t * t, low);
  for (double coefficient : {-1.06777877e-1, -6.34846687e-1, -1.28717512e-1})
    power = fma(power, t, x(coefficient));
  Number far = x(1) - exponentialOfNegative(fma(power, t, -t));
  return select(a > x(0.927734375), select(x < x(0), -far, far), near0);
}

/// Computes x to the power of an integer by repeated squaring.
static Number powOfIntegers(Number x, Number exponent) {
  Number unsignedExponent = {exponent.b, exponent.value, true};
  Condition isNegative = exponent < exponent(0);
  Number magnitude =
      select(isNegative, Number{exponent.b, (-exponent).value, true},
             unsignedExponent);
  Number result = x(1), power = x;
  for (unsigned bit = 0; bit < 32; ++bit) {
    Number isSet = (magnitude >> magnitude(bit)) & magnitude(1);
    result = select(isSet.equals(isSet(1)), result * power, result);
    power = power * power;
  }
  // The quotient 1 / x is 0 unless x is 1, -1 or 0.
  if (exponent.isUnsigned)
    return result;
  Condition isUnit = x.equals(x(1));
  if (!x.isUnsigned)
    isUnit = isUnit || x.equals(x(-1));
  Number quotient = select(isUnit, result, select(x.equals(x(0)), x(-1), x(0)));
  return select(isNegative, quotient, result);
}

/// Computes x to the power of `exponent` as specified by IEEE 754.
static Number powOfFloats(Number x, Number exponent, Condition isInteger,
                          Condition isOdd) {
  Number a = abs(x);
  Number power = exponential2(exponent * logarithm2(a));
  power = select(a.equals(x(1)), x(1), power);
  // -0 and -infinity also have powers with fractional exponents.
  Condition isDefined = isInteger || a.equals(x(0)) || a.equals(x(infinity));
  Number ofNegative =
      select(isOdd, -power, select(isDefined, power, x(nanValue)));
  power = select(hasSign(x), ofNegative, power);
  // Comparisons do not detect a NaN in x, but detect one in the exponent.
  power = select(x.equals(x), power, x);
  power = select(exponent.equals(exponent), power, exponent);
  return select(exponent.equals(x(0)) || x.equals(x(1)), x(1), power);
}

Number dml::pow(Number x, Number exponent) {
  if (x.isFloat() && !exponent.isFloat()) {
    // An f32 may not represent the last bit of the exponent.
    Condition isOdd = (exponent & exponent(1)).equals(exponent(1));
    return powOfFloats(x, convert(exponent, x.value.getType()),
                       exponent.equals(exponent), isOdd);
  }
  if (x.isFloat()) {
    Condition isInteger = exponent.equals(floor(exponent));
    Number half = exponent * x(0.5);
    return powOfFloats(x, exponent, isInteger,
                       isInteger && !half.equals(floor(half)));
  }
  if (!exponent.isFloat())
    return powOfIntegers(x, exponent);
  llvm_unreachable("a float exponent of an integer has a row of its own");
}
