//===- ElementWiseOps.cpp - Element-wise operators ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ElementWiseOps.h"
#include "Operators/ElementWiseRows.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mlir;

namespace dml::reference {

static Interval toward(RoundingMode mode, Interval x) {
  switch (mode) {
  case RoundingMode::halves_to_nearest_even:
    return roundEven(x);
  case RoundingMode::toward_zero:
    return trunc(x);
  case RoundingMode::toward_infinity:
    return roundAway(x);
  }
  llvm_unreachable("unknown rounding mode");
}

static Truth isInfinite(IsInfinityMode mode, Interval x) {
  switch (mode) {
  case IsInfinityMode::either:
    return isInfinity(x, 1) || isInfinity(x, -1);
  case IsInfinityMode::positive:
    return isInfinity(x, 1);
  case IsInfinityMode::negative:
    return isInfinity(x, -1);
  }
  llvm_unreachable("unknown infinity mode");
}

/// (a + b) / 2
static Interval mean(Interval a, Interval b) { return (a + b) * a(0.5); }
static Integer mean(Integer a, Integer b) { return (a + b) / a(2); }

/// Computes a - b * trunc(a / b), or the same with floor. If |a| < |b|, even if
/// b is infinite, the result of trunc is a itself.
static Interval getModulus(Interval a, Interval b, bool isFloor) {
  Interval whole = a - b * (isFloor ? floor(a / b) : trunc(a / b));
  Interval zero(0), rest = a;
  if (isFloor)
    rest = select((a < zero && b > zero) || (a > zero && b < zero), a + b, a);
  return select(abs(a) < abs(b), rest, whole);
}
static Integer getModulus(Integer a, Integer b, bool isFloor) {
  return modulus(a, b, isFloor);
}

static const ElementWiseRow rows[] = {
    row("element_wise_abs", [](auto &x) { return out(abs(x[0])); }),
    row("element_wise_add", [](auto &x) { return out(x[0] + x[1]); }),
    floatRow("element_wise_add1", [](auto &x) { return out(x[0] + x[1]); }),
    floatRow("element_wise_ceil", [](auto &x) { return out(ceil(x[0])); }),
    row("element_wise_divide", [](auto &x) { return out(x[0] / x[1]); }),
    floatRow("element_wise_exp", [](auto &x) { return out(exp(x[0])); }),
    floatRow("element_wise_floor", [](auto &x) { return out(floor(x[0])); }),
    floatRow("element_wise_log", [](auto &x) { return out(log(x[0])); }),
    integerRow("element_wise_logical_and",
               [](auto &x) {
                 return out(x, !x[0].equals(x[0](0)) && !x[1].equals(x[0](0)));
               }),
    row("element_wise_logical_equals",
        [](auto &x) { return out(x, x[0].equals(x[1])); }),
    row("element_wise_logical_greater_than",
        [](auto &x) { return out(x, x[0] > x[1]); }),
    row("element_wise_logical_greater_than_or_equal",
        [](auto &x) { return out(x, x[0] >= x[1]); }),
    row("element_wise_logical_less_than",
        [](auto &x) { return out(x, x[0] < x[1]); }),
    row("element_wise_logical_less_than_or_equal",
        [](auto &x) { return out(x, x[0] <= x[1]); }),
    integerRow("element_wise_logical_not",
               [](auto &x) { return out(x, x[0].equals(x[0](0))); }),
    integerRow("element_wise_logical_or",
               [](auto &x) {
                 return out(x, !x[0].equals(x[0](0)) || !x[1].equals(x[0](0)));
               }),
    integerRow("element_wise_logical_xor",
               [](auto &x) {
                 Truth a = x[0].equals(x[0](0)), b = x[1].equals(x[0](0));
                 return out(x, (a && !b) || (!a && b));
               }),
    row("element_wise_max", [](auto &x) { return out(max(x[0], x[1])); }),
    row("element_wise_min", [](auto &x) { return out(min(x[0], x[1])); }),
    row("element_wise_multiply", [](auto &x) { return out(x[0] * x[1]); }),
    row("element_wise_negate", [](auto &x) { return out(-x[0]); }),
    floatRow("element_wise_recip", [](auto &x) { return out(x[0](1) / x[0]); }),
    row("element_wise_sign",
        [](auto &x) {
          auto zero = x[0](0);
          return out(select(x[0] < zero, x[0](-1),
                            select(x[0] > zero, x[0](1), zero)));
        }),
    floatRow("element_wise_sqrt", [](auto &x) { return out(sqrt(x[0])); }),
    row("element_wise_subtract", [](auto &x) { return out(x[0] - x[1]); }),
    floatRow("element_wise_sin", [](auto &x) { return out(sin(x[0])); }),
    floatRow("element_wise_cos", [](auto &x) { return out(cos(x[0])); }),
    floatRow("element_wise_asin", [](auto &x) { return out(asin(x[0])); }),
    floatRow("element_wise_acos", [](auto &x) { return out(acos(x[0])); }),
    floatRow("element_wise_atan", [](auto &x) { return out(atan(x[0])); }),
    floatRow("element_wise_sinh", [](auto &x) { return out(sinh(x[0])); }),
    floatRow("element_wise_cosh", [](auto &x) { return out(cosh(x[0])); }),
    floatRow("element_wise_tanh", [](auto &x) { return out(tanh(x[0])); }),
    floatRow("element_wise_asinh", [](auto &x) { return out(asinh(x[0])); }),
    floatRow("element_wise_acosh", [](auto &x) { return out(acosh(x[0])); }),
    floatRow("element_wise_atanh", [](auto &x) { return out(atanh(x[0])); }),
    floatRow("element_wise_erf", [](auto &x) { return out(erf(x[0])); }),
    floatRow("element_wise_tan",
             [](auto &x) { return out(sin(x[0]) / cos(x[0])); }),
    floatRow("element_wise_atan_yx",
             [](auto &x) { return out(atan2(x[0], x[1])); }),
    row("element_wise_clip",
        [](auto &x) {
          return out(min(max(x[0], x.getBound("min")), x.getBound("max")));
        }),
    row("element_wise_clip1",
        [](auto &x) {
          return out(max(min(x[0], x.getBound("max")), x.getBound("min")));
        }),
    row("element_wise_threshold",
        [](auto &x) { return out(max(x[0], x.getBound("min"))); }),
    row("element_wise_clip_grad",
        [](auto &x) {
          return out(
              select(x[0] <= x.getBound("min") || x[0] >= x.getBound("max"),
                     x[1](0), x[1]));
        }),
    row("element_wise_clip_grad1",
        [](auto &x) {
          return out(
              select(x[0] <= x.getBound("min") || x[0] >= x.getBound("max"),
                     x[1](0), x[1]));
        }),
    floatRow("element_wise_constant_pow",
             [](auto &x) { return out(pow(x[0], x["exponent"])); }),
    row("element_wise_difference_square",
        [](auto &x) { return out((x[0] - x[1]) * (x[0] - x[1])); }),
    floatRow("element_wise_is_nan",
             [](auto &x) { return out(x, isNaN(x[0])); }),
    floatRow("element_wise_is_infinity",
             [](auto &x) {
               return out(x, isInfinite(x.template getAttr<IsInfinityModeAttr>(
                                             "infinity_mode")
                                            .getValue(),
                                        x[0]));
             }),
    row("element_wise_mean", [](auto &x) { return out(mean(x[0], x[1])); }),
    row("element_wise_modulus_truncate",
        [](auto &x) { return out(getModulus(x[0], x[1], false)); }),
    row("element_wise_modulus_floor",
        [](auto &x) { return out(getModulus(x[0], x[1], true)); }),
    floatRow("element_wise_round",
             [](auto &x) {
               return out(
                   toward(x.template getAttr<RoundingModeAttr>("rounding_mode")
                              .getValue(),
                          x[0]));
             }),
};

llvm::ArrayRef<ElementWiseRow> getElementWiseRows() { return rows; }

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static bool isFloat(DataType type) {
  return type == DataType::FLOAT16 || type == DataType::FLOAT32 ||
         type == DataType::FLOAT64;
}

/// Returns the bits of an element as an unsigned integer. If the bits are not
/// certain, returns all integers.
static Integer getBits(const Estimate &tensor, int64_t index) {
  DataType type = tensor.value.getDataType();
  Integer bits;
  bits.width = getByteWidth(type) * 8;
  bits.isUnsigned = true;
  uint64_t pattern = 0;
  std::memcpy(&pattern, tensor.value.getData() + index * getByteWidth(type),
              getByteWidth(type));
  if (tensor.isBitExact)
    return bits.wrap(pattern);
  if (isFloat(type)) {
    // Each number has only one bit pattern, except for zeros and NaNs.
    double low = tensor.lower.getNumber(index);
    bool isKnown = low == tensor.upper.getNumber(index) && low != 0;
    return isKnown ? bits.wrap(pattern) : bits.anything(pattern);
  }
  // Integers with equal signs have the same order as their bits.
  Integer number = Integer::load(tensor, index);
  return bits.wrap(number.value, number.low, number.high);
}

/// Whether bounds that were stored as unsigned bits are valid bounds of the
/// corresponding numbers. This holds for integers if both bounds have the same
/// sign. Floats between the bounds might be NaNs.
static bool hasOrderOfBits(const Estimate &tensor, int64_t index) {
  if (isFloat(tensor.value.getDataType()))
    return false;
  return (tensor.lower.getInteger(index) < 0) ==
         (tensor.upper.getInteger(index) < 0);
}

/// Adds the evaluator of an operator that processes the bits of its operands.
template <typename Function>
static void addBits(Evaluators &evaluators, StringRef name, Function function) {
  evaluators.add(
      ("dml." + name).str(),
      [function](Operation *op, ArrayRef<Estimate> operands,
                 Evaluators::Estimates &outputs) -> LogicalResult {
        FailureOr<Estimate> output =
            createBounds(op, op->getResult(0).getType());
        if (failed(output))
          return failure();
        unsigned bytes = getByteWidth(operands.front().value.getDataType());
        unsigned outputBytes = getByteWidth(output->value.getDataType());
        bool isExact = true;
        for (int64_t i = 0; i < output->value.getNumElements(); ++i) {
          Integer x = getBits(operands.front(), i);
          Integer result =
              x.combine(operands.size() > 1 ? getBits(operands[1], i) : x(0),
                        [&](__int128 a, __int128 b) {
                          return function(static_cast<uint64_t>(a),
                                          static_cast<uint64_t>(b), bytes * 8);
                        });
          auto store = [&](Tensor &tensor, __int128 number) {
            auto pattern = static_cast<uint64_t>(number);
            std::memcpy(tensor.getData() + i * outputBytes, &pattern,
                        outputBytes);
          };
          store(output->value, result.value);
          store(output->lower, result.low);
          store(output->upper, result.high);
          isExact &= result.isCertain();
          if (!result.isCertain() && !hasOrderOfBits(*output, i))
            storeUnknown(*output, i);
        }
        outputs.push_back(isExact ? Estimate(output->value, /*bits=*/true)
                                  : std::move(*output));
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Mixed types
//===----------------------------------------------------------------------===//

/// Adds an estimate to `outputs`, in which `store` stores element `i`. Integers
/// are exact if their bounds are equal.
static LogicalResult
storeEach(Operation *op, Evaluators::Estimates &outputs,
          llvm::function_ref<void(Estimate &output, int64_t i)> store) {
  FailureOr<Estimate> output = createBounds(op, op->getResult(0).getType());
  if (failed(output))
    return failure();
  for (int64_t i = 0; i < output->value.getNumElements(); ++i)
    store(*output, i);
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

static LogicalResult evaluateIdentity(ElementWiseIdentityOp op,
                                      ArrayRef<Estimate> operands,
                                      Evaluators::Estimates &outputs) {
  auto scaleBias = op.getScaleBiasAttr();
  if (!scaleBias) {
    outputs.push_back(operands.front());
    return success();
  }
  return storeEach(op, outputs, [&](Estimate &output, int64_t i) {
    Interval x = Interval::load(operands.front(), i);
    (x * x(scaleBias.getScale().getValueAsDouble()) +
     x(scaleBias.getBias().getValueAsDouble()))
        .store(output, i);
  });
}

static LogicalResult evaluateIf(ElementWiseIfOp op, ArrayRef<Estimate> operands,
                                Evaluators::Estimates &outputs) {
  const Estimate &condition = operands[0], &a = operands[1], &b = operands[2];
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  unsigned width = getByteWidth(output->value.getDataType());
  bool isCertain = true;
  for (int64_t i = 0; i < output->value.getNumElements(); ++i) {
    Integer number = Integer::load(condition, i);
    Truth isTrue = !number.equals(number(0));
    const Estimate &chosen = isTrue.holds() ? a : b,
                   &other = isTrue.holds() ? b : a;
    for (Tensor Estimate::*part :
         {&Estimate::value, &Estimate::lower, &Estimate::upper})
      std::memcpy(((*output).*part).getData() + i * width,
                  (chosen.*part).getData() + i * width, width);
    if (isTrue.isUnknown())
      includeElement(*output, i, other, i);
    isCertain &= !isTrue.isUnknown();
  }
  bool isExact = isCertain && a.isExact() && b.isExact();
  bool isBitExact = isCertain && a.isBitExact && b.isBitExact;
  outputs.push_back(isExact ? Estimate(output->value, isBitExact)
                            : std::move(*output));
  return success();
}

static LogicalResult evaluateCast(CastOp op, ArrayRef<Estimate> operands,
                                  Evaluators::Estimates &outputs) {
  const Estimate &input = operands.front();
  auto toType = cast<RankedTensorType>(op.getType()).getElementType();
  DataType from = input.value.getDataType(), to = *getDataType(toType);
  if (from == to) {
    // The bits of converted floats are not guaranteed.
    outputs.push_back(isFloat(from) && input.isExact()
                          ? Estimate(input.value, /*bits=*/false)
                          : input);
    return success();
  }
  return storeEach(op, outputs, [&](Estimate &output, int64_t i) {
    if (!isFloat(from) && !isFloat(to)) {
      Integer number = Integer::load(input, i);
      Integer::load(output, i)
          .wrap(number.value, number.low, number.high)
          .store(output, i);
      return;
    }
    if (to == DataType::FLOAT64 || from == DataType::FLOAT64) {
      // Numbers are converted through f64, since an Interval cannot represent
      // all of them.
      Interval x = Interval::load(input, i);
      if (!x.isNaN && !x.mayBeNaN) {
        double low = input.lower.getNumber(i), high = input.upper.getNumber(i);
        if (!isFloat(from) && std::fabs(low) > 0x1p53)
          low = std::nextafter(low, -HUGE_VAL);
        if (!isFloat(from) && std::fabs(high) > 0x1p53)
          high = std::nextafter(high, HUGE_VAL);
        if (to == DataType::FLOAT64 || !isFloat(to)) {
          // Denormals of either type may be replaced by zeros.
          double normal = from == DataType::FLOAT16   ? 0x1p-14
                          : from == DataType::FLOAT32 ? 0x1p-126
                                                      : 0x1p-1022;
          x.low = low > 0 && low < normal ? 0 : low;
          x.high = high < 0 && high > -normal ? 0 : high;
          x.value = input.value.getNumber(i);
        }
      }
      return x.storeConverted(output, i);
    }
    Interval::load(input, i).storeConverted(output, i);
  });
}

static LogicalResult evaluatePow(ElementWisePowOp op,
                                 ArrayRef<Estimate> operands,
                                 Evaluators::Estimates &outputs) {
  const Estimate &base = operands[0], &exponent = operands[1];
  bool isFloating = isFloat(base.value.getDataType()),
       byFloat = isFloat(exponent.value.getDataType());
  auto scaleBias = op.getScaleBiasAttr();
  return storeEach(op, outputs, [&](Estimate &output, int64_t i) {
    Interval x = Interval::load(base, i), e = Interval::load(exponent, i);
    if (scaleBias)
      x = x * x(scaleBias.getScale().getValueAsDouble()) +
          x(scaleBias.getBias().getValueAsDouble());
    if (isFloating) {
      std::optional<bool> isOdd;
      if (!byFloat)
        if (Integer whole = Integer::load(exponent, i); whole.isCertain())
          isOdd = whole.low & 1;
      return pow(x, e, isOdd).store(output, i);
    }
    Integer number = Integer::load(base, i);
    if (!byFloat)
      return pow(number, Integer::load(exponent, i)).store(output, i);
    bool isWhole = !e.mayBeNaN && e.low == e.high && e.low == std::trunc(e.low);
    Integer whole;
    if (isWhole)
      return pow(number, whole(std::clamp(e.low, -2147483520.0, 2147483520.0)))
          .store(output, i);
    if (e.low != e.high && std::floor(e.high) >= std::ceil(e.low))
      return storeUnknown(output, i);
    pow(x, e).storeConverted(output, i);
  });
}

static LogicalResult evaluateQuantize(ElementWiseQuantizeLinearOp op,
                                      ArrayRef<Estimate> operands,
                                      Evaluators::Estimates &outputs) {
  return storeEach(op, outputs, [&](Estimate &output, int64_t i) {
    Interval x = roundEven(Interval::load(operands[0], i) /
                           Interval::load(operands[1], i));
    if (operands.size() == 3)
      x = x + Interval::load(operands[2], i);
    storeQuantized(x, output, i);
  });
}

static LogicalResult evaluateDequantize(ElementWiseDequantizeLinearOp op,
                                        ArrayRef<Estimate> operands,
                                        Evaluators::Estimates &outputs) {
  return storeEach(op, outputs, [&](Estimate &output, int64_t i) {
    Interval x = loadDifference(
        operands[0], i, operands.size() == 3 ? &operands[2] : nullptr, i);
    (x * Interval::load(operands[1], i)).store(output, i);
  });
}

static LogicalResult evaluateQuantizedAdd(ElementWiseQuantizedLinearAddOp op,
                                          ArrayRef<Estimate> operands,
                                          Evaluators::Estimates &outputs) {
  NamedOperands in(op, operands);
  return storeEach(op, outputs, [&](Estimate &output, int64_t i) {
    Interval sum = loadDifference(*in.getA(), i, in.getAZeroPoint(), 0) *
                       Interval::load(*in.getAScale(), 0) +
                   loadDifference(*in.getB(), i, in.getBZeroPoint(), 0) *
                       Interval::load(*in.getBScale(), 0);
    Interval x = roundEven(sum / Interval::load(*in.getOutputScale(), 0));
    if (const Estimate *zero = in.getOutputZeroPoint())
      x = x + Interval::load(*zero, 0);
    storeQuantized(x, output, i);
  });
}

void addElementWiseEvaluators(Evaluators &evaluators) {
  addElementWise(evaluators, rows);
  using Bits = uint64_t;
  addBits(evaluators, "element_wise_bit_and",
          [](Bits a, Bits b, unsigned) { return a & b; });
  addBits(evaluators, "element_wise_bit_or",
          [](Bits a, Bits b, unsigned) { return a | b; });
  addBits(evaluators, "element_wise_bit_xor",
          [](Bits a, Bits b, unsigned) { return a ^ b; });
  addBits(evaluators, "element_wise_bit_not",
          [](Bits a, Bits, unsigned) { return ~a; });
  addBits(
      evaluators, "element_wise_bit_shift_left",
      [](Bits a, Bits b, unsigned width) { return b < width ? a << b : 0; });
  addBits(
      evaluators, "element_wise_bit_shift_right",
      [](Bits a, Bits b, unsigned width) { return b < width ? a >> b : 0; });
  addBits(evaluators, "element_wise_bit_count", [](Bits a, Bits, unsigned) {
    return static_cast<Bits>(llvm::popcount(a));
  });
  evaluators.add<ElementWiseIdentityOp>(evaluateIdentity);
  evaluators.add<ElementWiseIfOp>(evaluateIf);
  evaluators.add<CastOp>(evaluateCast);
  evaluators.add<ElementWisePowOp>(evaluatePow);
  evaluators.add<ElementWiseQuantizeLinearOp>(evaluateQuantize);
  evaluators.add<ElementWiseDequantizeLinearOp>(evaluateDequantize);
  evaluators.add<ElementWiseQuantizedLinearAddOp>(evaluateQuantizedAdd);
}

} // namespace dml::reference
