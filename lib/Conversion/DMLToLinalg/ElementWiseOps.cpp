//===- ElementWiseOps.cpp - Element-wise operators to linalg --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementWiseRows.h"

using namespace mlir;
using namespace dml;

using X = const Elements &;

static Condition isTrue(Number x) { return !x.equals(x(0)); }

//===----------------------------------------------------------------------===//
// Formulas of several lines
//===----------------------------------------------------------------------===//

static Number roundElement(X x) {
  Number number = x[0], whole = trunc(number);
  switch (x.getAttr<RoundingModeAttr>("rounding_mode").getValue()) {
  case RoundingMode::halves_to_nearest_even:
    return roundEven(number);
  case RoundingMode::toward_zero:
    return whole;
  case RoundingMode::toward_infinity: {
    Number away =
        select(number < number(0), whole - number(1), whole + number(1));
    return select(abs(number - whole) >= number(0.5), away, whole);
  }
  }
  llvm_unreachable("unknown rounding mode");
}

/// Computes a - b * (a / b rounded towards zero), or rounded down. If |a| < |b|
/// for floats, the result is a. This includes an infinite b, for which the
/// product would be NaN.
static Number getModulus(Number a, Number b, bool isFloor) {
  if (a.isFloat()) {
    Number quotient = a / b, rest = a, zero = a(0);
    Number whole = a - b * (isFloor ? floor(quotient) : trunc(quotient));
    if (isFloor)
      rest = select((a < zero && b > zero) || (a > zero && b < zero), a + b, a);
    return select(abs(a) < abs(b), rest, whole);
  }
  Number rest = a - b * (a / b), zero = a(0);
  if (isFloor && !a.isUnsigned)
    rest = select(!rest.equals(zero) && ((rest ^ b) < zero), rest + b, rest);
  return select(b.equals(zero), a(-1), rest);
}

static Number power(X x) {
  Number exponent = x[1];
  if (x[0].isFloat() || !exponent.isFloat())
    return pow(x[0], exponent);
  // The power of an integer with a float exponent.
  Number limited =
      max(min(exponent, exponent(2147483520.0)), exponent(-2147483520.0));
  Number whole = trunc(limited);
  Type i32 = exponent.b->getI32Type();
  Number exact = pow(x[0], convert(whole, i32));
  Number rounded =
      convert(pow(convert(x[0], exponent.value.getType()), exponent),
              x.getResultType());
  return select(exponent.equals(trunc(exponent)), exact, rounded);
}

/// Returns the bits of a float without its sign, and the bits of infinity.
static std::pair<Number, Number> getMagnitude(X x) {
  bool isHalf = x.getType(0).isF16();
  Number bits = x[0];
  return {bits & bits(isHalf ? 0x7fff : 0x7fffffff),
          bits(isHalf ? 0x7c00 : 0x7f800000)};
}

static Number isInfinity(X x) {
  auto [magnitude, infinity] = getMagnitude(x);
  Number bits = x[0];
  switch (x.getAttr<IsInfinityModeAttr>("infinity_mode").getValue()) {
  case IsInfinityMode::either:
    return toTruth(magnitude.equals(infinity));
  case IsInfinityMode::positive:
    return toTruth(bits.equals(infinity));
  case IsInfinityMode::negative:
    return toTruth(magnitude.equals(infinity) && bits > infinity);
  }
  llvm_unreachable("unknown infinity mode");
}

static Number countBits(X x) {
  // Adds up groups of 2, 4 and 8 bits within the number, and then its bytes.
  Number n = x[0];
  bool isWide = n.value.getType().isInteger(64);
  auto mask = [&](uint64_t bits) {
    return n.with(arith::ConstantOp::create(
        *n.b, n.value.getType(),
        n.b->getIntegerAttr(n.value.getType(),
                            APInt(isWide ? 64 : 32, bits, false, true))));
  };
  n = n - ((n >> n(1)) & mask(0x5555555555555555));
  n = (n & mask(0x3333333333333333)) + ((n >> n(2)) & mask(0x3333333333333333));
  n = (n + (n >> n(4))) & mask(0x0f0f0f0f0f0f0f0f);
  return (n * mask(0x0101010101010101)) >> n(isWide ? 56 : 24);
}

static Number choose(X x) {
  Number condition = toNumber(*x[0].b, x[0].value, x.getType(0));
  return select(isTrue(condition), x[1], x[2]);
}

static Number clipGradient(X x) {
  return select(x[0] <= x.getBound("min") || x[0] >= x.getBound("max"), x[1](0),
                x[1]);
}

static Number toFloat(Number x) { return convert(x, x.b->getF32Type()); }

Number dml::quantize(Number x, Number scale, std::optional<Number> zeroPoint,
                     Type type) {
  Number quotient = roundEven(toFloat(x) / scale);
  if (zeroPoint)
    quotient = quotient + toFloat(*zeroPoint);
  return convert(quotient, type);
}

Number dml::dequantize(Number x, Number scale, std::optional<Number> zeroPoint,
                       Type type) {
  if (zeroPoint)
    x = x - *zeroPoint;
  // Differences of narrow integers may be negative.
  if (type.getIntOrFloatBitWidth() < 32)
    x.isUnsigned = false;
  return toFloat(x) * scale;
}

/// Returns the last of three operands, or nothing if there are only two.
static std::optional<Number> getZeroPoint(X x) {
  return x.size() == 3 ? std::optional(x[2]) : std::nullopt;
}

static Number quantizedAdd(X x) {
  auto take = [&](unsigned index) {
    Number number = *x.getOptional(index);
    if (std::optional<Number> zero = x.getOptional(index + 2))
      number = {number.b, (number - *zero).value};
    return toFloat(Number{number.b, number.value}) * *x.getOptional(index + 1);
  };
  Number sum = take(0) + take(3);
  Number quotient = roundEven(sum / *x.getOptional(6));
  if (std::optional<Number> zero = x.getOptional(7))
    quotient = quotient + toFloat(*zero);
  return convert(quotient, x.getResultType());
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

using As = ElementWiseRow::As;

static constexpr ElementWiseRow elementWiseRows[] = {
    {"element_wise_abs", [](X x) { return abs(x[0]); }},
    {"element_wise_add", [](X x) { return x[0] + x[1]; }},
    {"element_wise_add1", [](X x) { return x[0] + x[1]; }},
    {"element_wise_ceil", [](X x) { return ceil(x[0]); }},
    {"element_wise_divide", [](X x) { return x[0] / x[1]; }},
    {"element_wise_exp", [](X x) { return exp(x[0]); }},
    {"element_wise_floor", [](X x) { return floor(x[0]); }},
    {"element_wise_log", [](X x) { return log(x[0]); }},
    {"element_wise_logical_and",
     [](X x) { return toTruth(isTrue(x[0]) && isTrue(x[1])); }},
    {"element_wise_logical_equals",
     [](X x) { return toTruth(x[0].equals(x[1])); }},
    {"element_wise_logical_greater_than",
     [](X x) { return toTruth(x[0] > x[1]); }},
    {"element_wise_logical_greater_than_or_equal",
     [](X x) { return toTruth(x[0] >= x[1]); }},
    {"element_wise_logical_less_than",
     [](X x) { return toTruth(x[0] < x[1]); }},
    {"element_wise_logical_less_than_or_equal",
     [](X x) { return toTruth(x[0] <= x[1]); }},
    {"element_wise_logical_not", [](X x) { return toTruth(!isTrue(x[0])); }},
    {"element_wise_logical_or",
     [](X x) { return toTruth(isTrue(x[0]) || isTrue(x[1])); }},
    {"element_wise_logical_xor",
     [](X x) {
       Number a = toTruth(isTrue(x[0])), b = toTruth(isTrue(x[1]));
       return toTruth(!a.equals(b));
     }},
    {"element_wise_max", [](X x) { return max(x[0], x[1]); }},
    {"element_wise_min", [](X x) { return min(x[0], x[1]); }},
    {"element_wise_multiply", [](X x) { return x[0] * x[1]; }},
    {"element_wise_negate", [](X x) { return -x[0]; }},
    {"element_wise_recip", [](X x) { return x[0](1) / x[0]; }},
    {"element_wise_sign",
     [](X x) {
       Number zero = x[0](0);
       return select(x[0] < zero, x[0](-1), select(x[0] > zero, x[0](1), zero));
     }},
    {"element_wise_sqrt", [](X x) { return sqrt(x[0]); }},
    {"element_wise_subtract", [](X x) { return x[0] - x[1]; }},
    {"cast", [](X x) { return convert(x[0], x.getResultType()); }},
    {"element_wise_identity", [](X x) { return x[0]; }, As::Copies},
    {"element_wise_clip",
     [](X x) { return min(max(x[0], x.getBound("min")), x.getBound("max")); }},
    {"element_wise_clip1",
     [](X x) { return max(min(x[0], x.getBound("max")), x.getBound("min")); }},
    {"element_wise_if", choose, As::Copies},
    {"element_wise_pow", power},
    {"element_wise_constant_pow", [](X x) { return pow(x[0], x["exponent"]); }},
    {"element_wise_round", roundElement},
    {"element_wise_tan", [](X x) { return sin(x[0]) / cos(x[0]); }},
    {"element_wise_is_nan",
     [](X x) {
       auto [magnitude, infinity] = getMagnitude(x);
       return toTruth(magnitude > infinity);
     },
     As::Bits},
    {"element_wise_is_infinity", isInfinity, As::Bits},
    {"element_wise_mean",
     [](X x) {
       Number sum = x[0] + x[1];
       return sum.isFloat() ? sum * sum(0.5) : sum / sum(2);
     }},
    {"element_wise_modulus_truncate",
     [](X x) { return getModulus(x[0], x[1], /*isFloor=*/false); }},
    {"element_wise_modulus_floor",
     [](X x) { return getModulus(x[0], x[1], /*isFloor=*/true); }},
    {"element_wise_threshold",
     [](X x) { return max(x[0], x.getBound("min")); }},
    {"element_wise_difference_square",
     [](X x) {
       Number difference = x[0] - x[1];
       return difference * difference;
     }},
    {"element_wise_atan_yx", [](X x) { return atan2(x[0], x[1]); }},
    {"element_wise_bit_shift_left", [](X x) { return x[0] << x[1]; }, As::Bits},
    {"element_wise_bit_shift_right", [](X x) { return x[0] >> x[1]; },
     As::Bits},
    {"element_wise_bit_and", [](X x) { return x[0] & x[1]; }, As::Bits},
    {"element_wise_bit_or", [](X x) { return x[0] | x[1]; }, As::Bits},
    {"element_wise_bit_xor", [](X x) { return x[0] ^ x[1]; }, As::Bits},
    {"element_wise_bit_not", [](X x) { return x[0] ^ x[0](-1); }, As::Bits},
    {"element_wise_bit_count", countBits, As::Bits},
    {"element_wise_clip_grad", clipGradient},
    {"element_wise_clip_grad1", clipGradient},
    {"element_wise_quantize_linear",
     [](X x) {
       return quantize(x[0], x[1], getZeroPoint(x), x.getResultType());
     }},
    {"element_wise_dequantize_linear",
     [](X x) { return dequantize(x[0], x[1], getZeroPoint(x), x.getType(0)); }},
    {"element_wise_quantized_linear_add", quantizedAdd},
    {"element_wise_sin", [](X x) { return sin(x[0]); }},
    {"element_wise_cos", [](X x) { return cos(x[0]); }},
    {"element_wise_asin", [](X x) { return asin(x[0]); }},
    {"element_wise_acos", [](X x) { return acos(x[0]); }},
    {"element_wise_atan", [](X x) { return atan(x[0]); }},
    {"element_wise_sinh", [](X x) { return sinh(x[0]); }},
    {"element_wise_cosh", [](X x) { return cosh(x[0]); }},
    {"element_wise_tanh", [](X x) { return tanh(x[0]); }},
    {"element_wise_asinh", [](X x) { return asinh(x[0]); }},
    {"element_wise_acosh", [](X x) { return acosh(x[0]); }},
    {"element_wise_atanh", [](X x) { return atanh(x[0]); }},
    {"element_wise_erf", [](X x) { return erf(x[0]); }},
};

ArrayRef<ElementWiseRow> dml::getElementWiseRows() { return elementWiseRows; }

void dml::populateElementWisePatterns(const TypeConverter &typeConverter,
                                      RewritePatternSet &patterns) {
  populateElementWise(typeConverter, patterns, elementWiseRows);
}
