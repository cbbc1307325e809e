//===- ElementWise.cpp - Operations of each element -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TOSA/Expression.h"

using namespace mlir;
using namespace dml;
using namespace dml::tosareader;

namespace {
/// Returns the operands with the physical shape of the result.
SmallVector<Value> spreadOperands(Expression &e, ValueRange operands) {
  Shape shape = toPhysical(e.getResultShape());
  SmallVector<Value> values;
  for (Value operand : operands)
    values.push_back(e.spread(operand, shape));
  return values;
}
} // namespace

/// A rule for an operator of one tensor.
static Rules::Function asUnary(StringLiteral mnemonic) {
  return [mnemonic](Expression &e, ValueRange operands) {
    return e.apply(mnemonic, e.widenRank(operands[0]));
  };
}

/// A rule for an operator of two tensors.
static Rules::Function asBinary(StringLiteral mnemonic) {
  return [mnemonic](Expression &e, ValueRange operands) {
    SmallVector<Value> x = spreadOperands(e, operands);
    return e.combine(mnemonic, x[0], x[1]);
  };
}

/// A rule for a comparison.
static Rules::Function asComparison(StringLiteral mnemonic) {
  return [mnemonic](Expression &e, ValueRange operands) {
    SmallVector<Value> x = spreadOperands(e, operands);
    return e.combine(mnemonic, x[0], x[1], DataType::UINT8);
  };
}

/// A rule for an operator on bits. Unsigned integers need an older feature
/// level.
static Rules::Function asBits(StringLiteral mnemonic) {
  return [mnemonic](Expression &e, ValueRange operands) {
    SmallVector<Value> x = spreadOperands(e, operands);
    for (Value &value : x)
      value = e.toUnsigned(value);
    Value bits = x.size() == 1 ? e.apply(mnemonic, x[0])
                               : e.combine(mnemonic, x[0], x[1]);
    return e.bitcast(bits, e.getResultDataType());
  };
}

/// Whether NaNs among `value` become results, which they do not in DirectML.
static bool wantsNaNs(Expression &e, Value value,
                      tosa::NanPropagationMode mode) {
  return mode == tosa::NanPropagationMode::PROPAGATE && !e.ignoresNaNs() &&
         e.isFloat(value);
}

template <typename OpTy>
static Value convertExtremum(Expression &e, OpTy op, ValueRange operands) {
  SmallVector<Value> x = spreadOperands(e, operands);
  bool isMax = std::is_same_v<OpTy, tosa::MaximumOp>;
  Value result =
      e.combine(isMax ? "element_wise_max" : "element_wise_min", x[0], x[1]);
  if (wantsNaNs(e, x[0], op.getNanMode()))
    for (Value value : {x[1], x[0]})
      result = e.choose(e.isNaN(value), value, result);
  return result;
}

static Value convertClamp(Expression &e, tosa::ClampOp op,
                          ValueRange operands) {
  Value x = e.widenRank(operands[0]);
  auto minFloat = dyn_cast<FloatAttr>(op.getMinVal()),
       maxFloat = dyn_cast<FloatAttr>(op.getMaxVal());
  if (minFloat && maxFloat) {
    Value result = e.apply(
        "element_wise_clip", x,
        {e.number("min", static_cast<float>(minFloat.getValueAsDouble())),
         e.number("max", static_cast<float>(maxFloat.getValueAsDouble()))});
    return wantsNaNs(e, x, op.getNanMode()) ? e.choose(e.isNaN(x), x, result)
                                            : result;
  }
  auto getBound = [](Attribute bound) {
    auto integer = cast<IntegerAttr>(bound);
    return integer.getType().isUnsignedInteger()
               ? static_cast<int64_t>(integer.getValue().getZExtValue())
               : integer.getValue().getSExtValue();
  };
  return e.clip(x, getBound(op.getMinVal()), getBound(op.getMaxVal()));
}

static Value convertRsqrt(Expression &e, ValueRange operands) {
  // The root of an f16 is not rounded before it is inverted.
  Value x = e.castTo(e.widenRank(operands[0]), DataType::FLOAT32);
  Value result = e.apply("element_wise_recip", e.apply("element_wise_sqrt", x));
  return e.castTo(result, e.getResultDataType());
}

static Value convertSelect(Expression &e, ValueRange operands) {
  SmallVector<Value> x = spreadOperands(e, operands);
  return e.choose(x[0], x[1], x[2]);
}

static Value convertCast(Expression &e, tosa::CastOp op, ValueRange operands) {
  Value x = e.widenRank(operands[0]);
  Type from = getElementTypeOrSelf(op.getInput().getType()),
       to = getElementTypeOrSelf(op.getType());
  DataType type = e.getResultDataType();
  if (to.isInteger(1)) {
    if (from.isInteger(1))
      return x;
    if (isa<FloatType>(from))
      return e.refuse("TOSA does not say which floats are true");
    Value zero = e.splat(e.getDataTypeOf(x), 0, e.getShape(x));
    Value isZero =
        e.combine("element_wise_logical_equals", x, zero, DataType::UINT8);
    return e.apply("element_wise_logical_not", isZero);
  }
  // CAST drops fractions.
  if (isa<FloatType>(from) && !isa<FloatType>(to))
    x = e.apply(
        "element_wise_round", x,
        e.attr("rounding_mode",
               RoundingModeAttr::get(e.rewriter.getContext(),
                                     RoundingMode::halves_to_nearest_even)));
  return e.castTo(x, type);
}

static Value convertPow(Expression &e, ValueRange operands) {
  SmallVector<Value> x = spreadOperands(e, operands);
  return e.build("element_wise_pow", {{"input", x[0]}, {"exponent", x[1]}}, {},
                 e.getShape(x[0]), e.getResultDataType());
}

static Value convertConst(Expression &e, tosa::ConstOp op, ValueRange) {
  return e.constant(op.getValues());
}

void dml::tosareader::addElementWiseRules(Rules &rules) {
  rules.add<tosa::AddOp>(asBinary("element_wise_add"));
  rules.add<tosa::SubOp>(asBinary("element_wise_subtract"));
  rules.add<tosa::IntDivOp>(asBinary("element_wise_divide"));
  rules.add<tosa::LogicalAndOp>(asBinary("element_wise_logical_and"));
  rules.add<tosa::LogicalOrOp>(asBinary("element_wise_logical_or"));
  rules.add<tosa::LogicalXorOp>(asBinary("element_wise_logical_xor"));
  rules.add<tosa::EqualOp>(asComparison("element_wise_logical_equals"));
  rules.add<tosa::GreaterOp>(asComparison("element_wise_logical_greater_than"));
  rules.add<tosa::GreaterEqualOp>(
      asComparison("element_wise_logical_greater_than_or_equal"));
  rules.add<tosa::BitwiseAndOp>(asBits("element_wise_bit_and"));
  rules.add<tosa::BitwiseOrOp>(asBits("element_wise_bit_or"));
  rules.add<tosa::BitwiseXorOp>(asBits("element_wise_bit_xor"));
  rules.add<tosa::BitwiseNotOp>(asBits("element_wise_bit_not"));
  rules.add<tosa::LogicalLeftShiftOp>(asBits("element_wise_bit_shift_left"));
  rules.add<tosa::LogicalRightShiftOp>(asBits("element_wise_bit_shift_right"));
  rules.add<tosa::MaximumOp>(convertExtremum<tosa::MaximumOp>);
  rules.add<tosa::MinimumOp>(convertExtremum<tosa::MinimumOp>);
  rules.add<tosa::PowOp>(convertPow);

  rules.add<tosa::AbsOp>(asUnary("element_wise_abs"));
  rules.add<tosa::CeilOp>(asUnary("element_wise_ceil"));
  rules.add<tosa::FloorOp>(asUnary("element_wise_floor"));
  rules.add<tosa::ExpOp>(asUnary("element_wise_exp"));
  rules.add<tosa::LogOp>(asUnary("element_wise_log"));
  rules.add<tosa::SinOp>(asUnary("element_wise_sin"));
  rules.add<tosa::CosOp>(asUnary("element_wise_cos"));
  rules.add<tosa::ErfOp>(asUnary("element_wise_erf"));
  rules.add<tosa::ReciprocalOp>(asUnary("element_wise_recip"));
  rules.add<tosa::SigmoidOp>(asUnary("activation_sigmoid"));
  rules.add<tosa::TanhOp>(asUnary("activation_tanh"));
  rules.add<tosa::LogicalNotOp>(asUnary("element_wise_logical_not"));
  rules.add<tosa::RsqrtOp>(convertRsqrt);
  rules.add<tosa::ClampOp>(convertClamp);
  rules.add<tosa::CastOp>(convertCast);
  rules.add<tosa::SelectOp>(convertSelect);
  rules.add<tosa::ConstOp>(convertConst);
  rules.add<tosa::IdentityOp>(
      [](Expression &, ValueRange operands) { return operands[0]; });
}
