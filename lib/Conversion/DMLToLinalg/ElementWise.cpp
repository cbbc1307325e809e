//===- ElementWise.cpp - How element-wise operators are lowered -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementWise.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Conditions and numbers
//===----------------------------------------------------------------------===//

Condition Condition::operator&&(Condition other) const {
  return {b, b->createOrFold<arith::AndIOp>(value, other.value)};
}
Condition Condition::operator||(Condition other) const {
  return {b, b->createOrFold<arith::OrIOp>(value, other.value)};
}
Condition Condition::operator!() const {
  Value one = arith::ConstantOp::create(*b, b->getBoolAttr(true));
  return {b, b->createOrFold<arith::XOrIOp>(value, one)};
}

Number Number::operator()(double constant) const {
  Type type = value.getType();
  TypedAttr attribute =
      isFloat()
          ? TypedAttr(b->getFloatAttr(type, constant))
          : TypedAttr(b->getIntegerAttr(type, static_cast<int64_t>(constant)));
  return with(arith::ConstantOp::create(*b, attribute));
}

template <typename FloatOp, typename IntegerOp>
static Number build(Number lhs, Number rhs) {
  ElementBuilder &b = *lhs.b;
  return lhs.with(lhs.isFloat()
                      ? b.createOrFold<FloatOp>(lhs.value, rhs.value)
                      : b.createOrFold<IntegerOp>(lhs.value, rhs.value));
}

Number Number::operator+(Number other) const {
  return build<arith::AddFOp, arith::AddIOp>(*this, other);
}
Number Number::operator-(Number other) const {
  return build<arith::SubFOp, arith::SubIOp>(*this, other);
}
Number Number::operator*(Number other) const {
  return build<arith::MulFOp, arith::MulIOp>(*this, other);
}

Number Number::operator/(Number other) const {
  if (isFloat())
    return with(b->createOrFold<arith::DivFOp>(value, other.value));
  // A division by zero, or of the lowest number by -1, is undefined in SPIR-V:
  // neither is ever run.
  const Number &self = *this;
  Condition isZero = other.equals(self(0));
  if (isUnsigned) {
    Number divisor = select(isZero, self(1), other);
    Number quotient =
        with(b->createOrFold<arith::DivUIOp>(value, divisor.value));
    return select(isZero, self(-1), quotient);
  }
  Condition isMinusOne = other.equals(self(-1));
  Number divisor = select(isZero || isMinusOne, self(1), other);
  Number quotient = with(b->createOrFold<arith::DivSIOp>(value, divisor.value));
  return select(isZero, self(-1), select(isMinusOne, -self, quotient));
}

Number Number::operator-() const {
  if (isFloat())
    return with(b->createOrFold<arith::NegFOp>(value));
  return (*this)(0) - *this;
}

Condition Number::compare(arith::CmpFPredicate ofFloats,
                          arith::CmpIPredicate ofSigned,
                          arith::CmpIPredicate ofUnsigned, Number other) const {
  if (isFloat())
    return {b, b->createOrFold<arith::CmpFOp>(ofFloats, value, other.value)};
  return {b, b->cmpi(isUnsigned ? ofUnsigned : ofSigned, value, other.value)};
}
Condition Number::operator<(Number other) const {
  return compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt,
                 arith::CmpIPredicate::ult, other);
}
Condition Number::operator<=(Number other) const {
  return compare(arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle,
                 arith::CmpIPredicate::ule, other);
}
Condition Number::equals(Number other) const {
  return compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq,
                 arith::CmpIPredicate::eq, other);
}

Number dml::select(Condition condition, Number whenTrue, Number whenFalse) {
  return whenTrue.with(
      whenTrue.b->select(condition.value, whenTrue.value, whenFalse.value));
}

Number dml::max(Number a, Number b) {
  if (a.isFloat())
    return a.with(a.b->createOrFold<arith::MaxNumFOp>(a.value, b.value));
  return select(a < b, b, a);
}
Number dml::min(Number a, Number b) {
  if (a.isFloat())
    return a.with(a.b->createOrFold<arith::MinNumFOp>(a.value, b.value));
  return select(b < a, b, a);
}

Number dml::abs(Number x) {
  if (x.isFloat())
    return x.with(x.b->createOrFold<math::AbsFOp>(x.value));
  return x.isUnsigned ? x : select(x < x(0), -x, x);
}

#define DML_FUNCTION(name, Op)                                                 \
  Number dml::name(Number x) {                                                 \
    return x.with(x.b->createOrFold<math::Op>(x.value));                       \
  }
DML_FUNCTION(ceil, CeilOp)
DML_FUNCTION(exp, ExpOp)
DML_FUNCTION(floor, FloorOp)
DML_FUNCTION(log, LogOp)
DML_FUNCTION(sqrt, SqrtOp)
DML_FUNCTION(tanh, TanhOp)
#undef DML_FUNCTION

Number dml::toNumber(Condition condition, Number like) {
  return select(condition, like(1), like(0));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Number dml::toNumber(ElementBuilder &b, Value element, Type type) {
  bool isUnsigned = type.isUnsignedInteger();
  if (isa<FloatType>(type))
    return {&b, toF32(b, element), false};
  if (type.getIntOrFloatBitWidth() < 32)
    element = isUnsigned
                  ? b.createOrFold<arith::ExtUIOp>(b.getI32Type(), element)
                  : b.createOrFold<arith::ExtSIOp>(b.getI32Type(), element);
  return {&b, element, isUnsigned};
}

Value dml::fromNumber(Number number, Type convertedType) {
  ElementBuilder &b = *number.b;
  Type type = number.value.getType();
  if (type == convertedType)
    return number.value;
  if (number.isFloat())
    return b.createOrFold<arith::TruncFOp>(convertedType, number.value);
  if (convertedType.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return b.createOrFold<arith::TruncIOp>(convertedType, number.value);
  return number.isUnsigned
             ? b.createOrFold<arith::ExtUIOp>(convertedType, number.value)
             : b.createOrFold<arith::ExtSIOp>(convertedType, number.value);
}

Number Elements::operator[](StringRef name) const {
  return numbers.front()(attributes.getAs<FloatAttr>(name).getValueAsDouble());
}

/// Takes `x * scale + bias` for `x`, if the attributes have a scale_bias.
static Number applyScaleBias(Number x, DictionaryAttr attributes) {
  auto scaleBias = attributes.getAs<ScaleBiasAttr>("scale_bias");
  if (!scaleBias)
    return x;
  return x * x(scaleBias.getScale().getValueAsDouble()) +
         x(scaleBias.getBias().getValueAsDouble());
}

Number dml::applyActivation(Number x, ActivationAttr activation) {
  if (!activation)
    return x;
  DictionaryAttr parameters = activation.getParameters();
  std::string name = activation.getOperatorName();
  x = applyScaleBias(x, parameters);
  for (ArrayRef<ElementWiseRow> rows :
       {getActivationRows(), getElementWiseRows()})
    for (const ElementWiseRow &row : rows)
      if (row.op == name)
        return row.build(Elements(x, parameters));
  llvm_unreachable("an activation without a row");
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

namespace {
struct ElementWiseLowering : ConversionPattern {
  ElementWiseLowering(const TypeConverter &typeConverter, MLIRContext *context,
                      const ElementWiseRow &row)
      : ConversionPattern(typeConverter, ("dml." + row.op).str(), /*benefit=*/1,
                          context),
        row(row) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    auto attributes =
        cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
    if (!attributes)
      attributes = rewriter.getDictionaryAttr({});
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          SmallVector<Number> numbers;
          for (auto [operand, original] :
               llvm::zip_equal(operands, op->getOperandTypes())) {
            Value element = tensor::ExtractOp::create(b, operand, indices);
            numbers.push_back(toNumber(
                b, element, cast<RankedTensorType>(original).getElementType()));
          }
          numbers.front() = applyScaleBias(numbers.front(), attributes);
          Number result = applyActivation(
              row.build(Elements(numbers, attributes)),
              attributes.getAs<ActivationAttr>("fused_activation"));
          auto type = cast<RankedTensorType>(
              getTypeConverter()->convertType(op->getResult(0).getType()));
          return fromNumber(result, type.getElementType());
        });
  }

private:
  const ElementWiseRow &row;
};
} // namespace

void dml::populateElementWise(const TypeConverter &typeConverter,
                              RewritePatternSet &patterns,
                              ArrayRef<ElementWiseRow> rows) {
  for (const ElementWiseRow &row : rows)
    patterns.add<ElementWiseLowering>(typeConverter, patterns.getContext(),
                                      row);
}
