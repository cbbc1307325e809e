//===- ElementWise.cpp - Element-wise operators ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementWiseRows.h"
#include "dml/IR/ElementWiseOps.h"
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

/// a - b * trunc(a / b), or floor.
static Interval getModulus(Interval a, Interval b, bool isFloor) {
  return a - b * (isFloor ? floor(a / b) : trunc(a / b));
}
static Integer getModulus(Integer a, Integer b, bool isFloor) {
  if (b.value == 0)
    return a(-1);
  __int128 rest = a.value % b.value;
  if (isFloor && rest != 0 && (rest < 0) != (b.value < 0))
    rest += b.value;
  return a.wrap(rest);
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
                 return out(x, a == b ? Truth::False : Truth::True);
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

/// The bits of an element in the low bits of the result.
static uint64_t getBits(const Tensor &tensor, int64_t index) {
  uint64_t bits = 0;
  unsigned width = getByteWidth(tensor.getDataType());
  std::memcpy(&bits, tensor.getData() + index * width, width);
  return bits;
}

static bool isFloat(DataType type) {
  return type == DataType::FLOAT16 || type == DataType::FLOAT32 ||
         type == DataType::FLOAT64;
}

/// Evaluates an operator that looks at the bits of its operands.
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
        bool isExact = true;
        unsigned bytes = getByteWidth(operands.front().value.getDataType());
        unsigned outputBytes = getByteWidth(output->value.getDataType());
        for (int64_t i = 0; i < output->value.getNumElements(); ++i) {
          uint64_t bits[2] = {};
          bool isKnown = true;
          for (auto [operand, number] : llvm::zip(operands, bits)) {
            number = getBits(operand.value, i);
            isKnown &=
                operand.isBitExact || (!isFloat(operand.value.getDataType()) &&
                                       isCertain(operand, i));
          }
          uint64_t result = function(bits[0], bits[1], bytes * 8);
          for (Tensor *tensor :
               {&output->value, &output->lower, &output->upper})
            std::memcpy(tensor->getData() + i * outputBytes, &result,
                        outputBytes);
          if (!isKnown)
            storeUnknown(*output, i);
          isExact &= isKnown;
        }
        outputs.push_back(isExact ? Estimate(output->value, /*bits=*/true)
                                  : std::move(*output));
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Mixed types
//===----------------------------------------------------------------------===//

/// Adds an estimate whose element `i` is stored by `store`. Integers are exact
/// where their bounds meet.
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
  for (int64_t i = 0; i < output->value.getNumElements(); ++i) {
    const Estimate &chosen = condition.value.getInteger(i) != 0 ? a : b;
    for (Tensor Estimate::*part :
         {&Estimate::value, &Estimate::lower, &Estimate::upper})
      std::memcpy(((*output).*part).getData() + i * width,
                  (chosen.*part).getData() + i * width, width);
    // Bounds with a zero between them say nothing of the condition.
    if (condition.lower.getInteger(i) != condition.upper.getInteger(i))
      storeUnknown(*output, i);
  }
  bool isExact = condition.isExact() && a.isExact() && b.isExact();
  bool isBitExact = condition.isExact() && a.isBitExact && b.isBitExact;
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
    // The bits of floats that are converted are not promised.
    outputs.push_back(isFloat(from) && input.isExact()
                          ? Estimate(input.value, /*bits=*/false)
                          : input);
    return success();
  }
  return storeEach(op, outputs, [&](Estimate &output, int64_t i) {
    if (!isFloat(from) && !isFloat(to)) {
      __int128 number = input.value.getInteger(i);
      output.value.setInteger(i, number);
      output.lower.setInteger(i, number);
      output.upper.setInteger(i, number);
      if (!isCertain(input, i))
        storeUnknown(output, i);
      return;
    }
    if (to == DataType::FLOAT64 || from == DataType::FLOAT64) {
      // Numbers go through f64, since an Interval does not have them all.
      Interval x = Interval::load(input, i);
      if (!x.isNaN && !x.mayBeNaN) {
        double low = input.lower.getNumber(i), high = input.upper.getNumber(i);
        if (!isFloat(from) && std::fabs(low) > 0x1p53)
          low = std::nextafter(low, -HUGE_VAL);
        if (!isFloat(from) && std::fabs(high) > 0x1p53)
          high = std::nextafter(high, HUGE_VAL);
        if (to == DataType::FLOAT64 || !isFloat(to)) {
          // Denormals of any of the types may be taken for zeros.
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
      if (!byFloat && isCertain(exponent, i))
        isOdd = exponent.value.getInteger(i) & 1;
      return pow(x, e, isOdd).store(output, i);
    }
    bool isKnown = isCertain(base, i);
    if (!byFloat)
      isKnown &= isCertain(exponent, i);
    bool isWhole =
        byFloat && !e.mayBeNaN && e.low == e.high && e.low == std::trunc(e.low);
    if (!isKnown || (byFloat && !isWhole && e.low != e.high &&
                     std::floor(e.high) >= std::ceil(e.low)))
      return storeUnknown(output, i);
    if (byFloat && !isWhole)
      return pow(x, e).storeConverted(output, i);
    __int128 whole = byFloat ? static_cast<__int128>(std::clamp(
                                   e.low, -2147483520.0, 2147483520.0))
                             : exponent.value.getInteger(i);
    pow(Integer::load(base, i), whole).store(output, i);
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
  auto get = [&](unsigned index) { return getOptional(op, operands, index); };
  return storeEach(op, outputs, [&](Estimate &output, int64_t i) {
    Interval sum =
        loadDifference(*get(0), i, get(2), 0) * Interval::load(*get(1), 0) +
        loadDifference(*get(3), i, get(5), 0) * Interval::load(*get(4), 0);
    Interval x = roundEven(sum / Interval::load(*get(6), 0));
    if (const Estimate *zero = get(7))
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
