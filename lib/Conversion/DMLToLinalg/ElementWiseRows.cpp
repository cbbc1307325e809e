//===- ElementWiseRows.cpp - How element-wise operators are lowered -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementWiseRows.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>
#include <numeric>

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
  // Division by zero, and division of the lowest number by -1, are undefined in
  // SPIR-V. The code never executes either.
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
DML_FUNCTION(floor, FloorOp)
DML_FUNCTION(roundEven, RoundEvenOp)
DML_FUNCTION(sqrt, SqrtOp)
#undef DML_FUNCTION

/// Computes the exponential of x, which is NaN if x is NaN. The select is
/// needed since SPIR-V does not specify the exponential of NaN: a driver that
/// clamps its operand first returns 0 or infinity.
Number dml::exp(Number x) {
  Number power = x.with(x.b->createOrFold<math::ExpOp>(x.value));
  return select(x.equals(x), power, x);
}

/// Computes the natural logarithm of x. The selects cover the following cases.
/// The logarithm of a negative number is undefined in SPIR-V. Some drivers
/// replace 0 and denormals by the smallest normal number and return -88, so
/// that a root computed as exp(log(x) / 17) would be 0.0056. Denormals
/// therefore count as 0 here, whose logarithm is -infinity. A driver may also
/// simplify the exponential of a logarithm, or the logarithm of an exponential,
/// to the number itself: exp(log(-3)) would become -3, and log(exp(200)) would
/// become 200. The selects prevent the former, and the detour through an
/// integer prevents the latter.
Number dml::log(Number x) {
  ElementBuilder &b = *x.b;
  Value bits = b.createOrFold<arith::BitcastOp>(b.getI32Type(), x.value);
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  bits = b.createOrFold<arith::MaxSIOp>(bits, zero);
  Value positive = b.createOrFold<arith::BitcastOp>(b.getF32Type(), bits);
  using Limits = std::numeric_limits<float>;
  Number least = x(Limits::min()), nan = x(Limits::quiet_NaN()),
         infinity = x(-Limits::infinity());
  Number other = select(abs(x) < least, infinity, nan);
  Number logarithm = x.with(b.createOrFold<math::LogOp>(positive));
  return select(x >= least, logarithm, other);
}

// MLIR does not convert math.trunc to SPIR-V.
Number dml::trunc(Number x) { return select(x < x(0), ceil(x), floor(x)); }

Number dml::toNumber(Condition condition, Number like) {
  return select(condition, like(1), like(0));
}

Number dml::toTruth(Condition condition) {
  ElementBuilder &b = *condition.b;
  return {&b, b.createOrFold<arith::ExtUIOp>(b.getI32Type(), condition.value),
          /*isUnsigned=*/true};
}

Number dml::operator&(Number a, Number b) {
  return a.with(a.b->createOrFold<arith::AndIOp>(a.value, b.value));
}
Number dml::operator|(Number a, Number b) {
  return a.with(a.b->createOrFold<arith::OrIOp>(a.value, b.value));
}
Number dml::operator^(Number a, Number b) {
  return a.with(a.b->createOrFold<arith::XOrIOp>(a.value, b.value));
}

/// Builds a shift. A shift by the width or more is undefined in SPIR-V.
template <typename Op> static Number shift(Number a, Number b) {
  Condition fits =
      Number{b.b, b.value, true} < b(a.value.getType().getIntOrFloatBitWidth());
  Number amount = select(fits, b, b(0));
  return select(fits, a.with(a.b->createOrFold<Op>(a.value, amount.value)),
                a(0));
}
Number dml::operator<<(Number a, Number b) {
  return shift<arith::ShLIOp>(a, b);
}
Number dml::operator>>(Number a, Number b) {
  return shift<arith::ShRUIOp>(a, b);
}

Number dml::toBits(Number x) {
  ElementBuilder &b = *x.b;
  return {&b, b.createOrFold<arith::BitcastOp>(b.getI32Type(), x.value),
          /*isUnsigned=*/true};
}
Number dml::fromBits(Number bits) {
  ElementBuilder &b = *bits.b;
  return {&b, b.createOrFold<arith::BitcastOp>(b.getF32Type(), bits.value)};
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Returns the type in which arithmetic on elements of `type` is done.
static Type getComputeType(Type type) {
  if (isa<FloatType>(type))
    return type.isF64() ? type : Float32Type::get(type.getContext());
  return IntegerType::get(type.getContext(),
                          std::max(type.getIntOrFloatBitWidth(), 32u));
}

/// Converts a float to an integer. In SPIR-V, the conversion of a float out of
/// range is undefined, so that the code never executes it.
static Number convertToInteger(Number x, Type type) {
  ElementBuilder &b = *x.b;
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger();
  APInt min = isUnsigned ? APInt(width, 0) : APInt::getSignedMinValue(width);
  APInt max =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  Number low = x(isUnsigned ? 0 : std::ldexp(-1.0, width - 1)),
         high = x(std::ldexp(1.0, isUnsigned ? width : width - 1));
  Condition fits = x > low && x < high;
  Value safe = select(fits, x, x(0)).value;
  Type computed = getComputeType(type);
  // Narrow integers, including unsigned ones, are represented as signed 32-bit
  // integers.
  Number converted = {&b,
                      isUnsigned && width >= 32
                          ? b.createOrFold<arith::FPToUIOp>(computed, safe)
                          : b.createOrFold<arith::FPToSIOp>(computed, safe),
                      isUnsigned};
  auto constant = [&](const APInt &number) {
    APInt wide = isUnsigned
                     ? number.zextOrTrunc(computed.getIntOrFloatBitWidth())
                     : number.sextOrTrunc(computed.getIntOrFloatBitWidth());
    return converted.with(arith::ConstantOp::create(
        b, computed, b.getIntegerAttr(computed, wide)));
  };
  Number limit = select(x >= high, constant(max),
                        select(x <= low, constant(min), converted(0)));
  return select(fits, converted, limit);
}

Number dml::convert(Number x, Type type) {
  ElementBuilder &b = *x.b;
  Type from = x.value.getType(), to = getComputeType(type);
  if (x.isFloat()) {
    if (!isa<FloatType>(type))
      return convertToInteger(x, type);
    if (from == to)
      return x;
    return {&b, to.isF64() ? b.createOrFold<arith::ExtFOp>(to, x.value)
                           : b.createOrFold<arith::TruncFOp>(to, x.value)};
  }
  if (isa<FloatType>(type))
    return {&b, x.isUnsigned ? b.createOrFold<arith::UIToFPOp>(to, x.value)
                             : b.createOrFold<arith::SIToFPOp>(to, x.value)};
  bool isUnsigned = type.isUnsignedInteger();
  if (from == to)
    return {&b, x.value, isUnsigned};
  if (to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth())
    return {&b, b.createOrFold<arith::TruncIOp>(to, x.value), isUnsigned};
  return {&b,
          x.isUnsigned ? b.createOrFold<arith::ExtUIOp>(to, x.value)
                       : b.createOrFold<arith::ExtSIOp>(to, x.value),
          isUnsigned};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Number dml::toNumber(ElementBuilder &b, Value element, Type type) {
  bool isUnsigned = type.isUnsignedInteger();
  // The bits of an f64 are represented as an i64.
  if (type.isF64())
    return {&b, b.createOrFold<arith::BitcastOp>(type, element)};
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
  if (type.isF64())
    return b.createOrFold<arith::BitcastOp>(convertedType, number.value);
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

Number Elements::getBound(StringRef name, bool isNegated) const {
  Number like = numbers.front();
  Attribute attribute = attributes.get(name);
  APSInt integer;
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    APFloat value = number.getValue();
    if (isNegated)
      value.changeSign();
    if (like.isFloat())
      return like(value.convertToDouble());
    // The conversion of APFloat saturates, and returns 0 for NaN.
    bool isExact;
    integer = APSInt(types.front().getIntOrFloatBitWidth(), like.isUnsigned);
    value.convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  } else {
    integer = APSInt(cast<IntegerAttr>(attribute).getValue(), like.isUnsigned);
  }
  Type type = like.value.getType();
  return like.with(arith::ConstantOp::create(
      *like.b, type,
      like.b->getIntegerAttr(
          type, integer.extOrTrunc(type.getIntOrFloatBitWidth()))));
}

std::optional<Number> Elements::getOptional(unsigned index) const {
  ArrayRef<int32_t> counts =
      attributes.getAs<DenseI32ArrayAttr>("operandSegmentSizes").asArrayRef();
  if (counts[index] == 0)
    return std::nullopt;
  ArrayRef<int32_t> before = counts.take_front(index);
  return numbers[std::accumulate(before.begin(), before.end(), 0)];
}

/// Returns `x * scale + bias` if the attributes contain a scale_bias, and `x`
/// otherwise.
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
        return row.build(
            Elements(x, parameters, {x.value.getType(), x.value.getType()}));
  llvm_unreachable("an activation without a row");
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

Number dml::toBits(ElementBuilder &b, Value element) {
  Type type = element.getType();
  if (isa<FloatType>(type))
    element = b.createOrFold<arith::BitcastOp>(
        b.getIntegerType(type.getIntOrFloatBitWidth()), element);
  if (type.getIntOrFloatBitWidth() < 32)
    element = b.createOrFold<arith::ExtUIOp>(b.getI32Type(), element);
  return {&b, element, /*isUnsigned=*/true};
}

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
    ElementWiseRow::As as = row.as;
    if (as == ElementWiseRow::As::Copies && attributes.get("scale_bias"))
      as = ElementWiseRow::As::Numbers;
    SmallVector<Type> types;
    for (Type type : op->getOperandTypes())
      types.push_back(cast<RankedTensorType>(type).getElementType());
    types.push_back(
        cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          SmallVector<Number> numbers;
          for (auto [operand, type] :
               llvm::zip(operands, ArrayRef<Type>(types))) {
            // Operands with a single element may be combined with tensors of
            // any shape.
            SmallVector<Value> position(indices);
            if (cast<RankedTensorType>(operand.getType()).getNumElements() == 1)
              position.assign(indices.size(), b.index(0));
            Value element = tensor::ExtractOp::create(b, operand, position);
            numbers.push_back(
                as == ElementWiseRow::As::Numbers ? toNumber(b, element, type)
                : as == ElementWiseRow::As::Bits  ? toBits(b, element)
                                                  : Number{&b, element});
          }
          numbers.front() = applyScaleBias(numbers.front(), attributes);
          Number result = applyActivation(
              row.build(Elements(numbers, attributes, types)),
              attributes.getAs<ActivationAttr>("fused_activation"));
          if (as == ElementWiseRow::As::Copies)
            return result.value;
          Type converted = getTypeConverter()->convertType(types.back());
          if (as == ElementWiseRow::As::Numbers || !isa<FloatType>(converted))
            return fromNumber(result, converted);
          Value bits = fromNumber(
              result, b.getIntegerType(converted.getIntOrFloatBitWidth()));
          return b.createOrFold<arith::BitcastOp>(converted, bits);
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
