//===- LoweringUtils.cpp - What the operators' lowerings share ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dml;

Value ElementBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}
Value ElementBuilder::add(Value lhs, Value rhs) {
  return createOrFold<arith::AddIOp>(lhs, rhs);
}
Value ElementBuilder::sub(Value lhs, Value rhs) {
  return createOrFold<arith::SubIOp>(lhs, rhs);
}
Value ElementBuilder::mul(Value lhs, Value rhs) {
  return createOrFold<arith::MulIOp>(lhs, rhs);
}
Value ElementBuilder::divui(Value lhs, Value rhs) {
  return createOrFold<arith::DivUIOp>(lhs, rhs);
}
Value ElementBuilder::remui(Value lhs, Value rhs) {
  return createOrFold<arith::RemUIOp>(lhs, rhs);
}
Value ElementBuilder::minui(Value lhs, Value rhs) {
  return createOrFold<arith::MinUIOp>(lhs, rhs);
}
Value ElementBuilder::minsi(Value lhs, Value rhs) {
  return createOrFold<arith::MinSIOp>(lhs, rhs);
}
Value ElementBuilder::maxsi(Value lhs, Value rhs) {
  return createOrFold<arith::MaxSIOp>(lhs, rhs);
}
Value ElementBuilder::cmpi(arith::CmpIPredicate predicate, Value lhs,
                           Value rhs) {
  return createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
}
Value ElementBuilder::andi(Value lhs, Value rhs) {
  return createOrFold<arith::AndIOp>(lhs, rhs);
}
Value ElementBuilder::select(Value condition, Value whenTrue, Value whenFalse) {
  return createOrFold<arith::SelectOp>(condition, whenTrue, whenFalse);
}

Value dml::toF32(ElementBuilder &b, Value element, bool isUnsigned) {
  Type f32 = b.getF32Type();
  if (isa<FloatType>(element.getType()))
    return element.getType() == f32
               ? element
               : b.createOrFold<arith::ExtFOp>(f32, element);
  return isUnsigned ? b.createOrFold<arith::UIToFPOp>(f32, element)
                    : b.createOrFold<arith::SIToFPOp>(f32, element);
}

Value dml::fromF32(ElementBuilder &b, Value value, Type type) {
  if (type == value.getType())
    return value;
  if (isa<FloatType>(type))
    return b.createOrFold<arith::TruncFOp>(type, value);
  // A weighted mean stays within the type's range. Behind 1.5 * 2^23 f32 has no
  // fraction left: the sum is rounded, and its low bits are the integer. GPUs
  // add many times faster than they round and convert.
  Value shift = arith::ConstantOp::create(b, b.getF32FloatAttr(0x1.8p23f));
  value = b.createOrFold<arith::AddFOp>(value, shift);
  value = b.createOrFold<arith::BitcastOp>(b.getI32Type(), value);
  return b.createOrFold<arith::TruncIOp>(type, value);
}

Value dml::buildTensor(OpBuilder &builder, Operation *op, RankedTensorType type,
                       ElementFn element) {
  Location loc = op->getLoc();
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<AffineMap> maps = {
      builder.getMultiDimIdentityMap(type.getRank())};
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, type, /*inputs=*/ValueRange(), /*outputs=*/empty, maps,
      iterators, [&](OpBuilder &nested, Location nestedLoc, ValueRange) {
        ElementBuilder b(nestedLoc, nested);
        SmallVector<Value> indices;
        for (auto [dim, size] : llvm::enumerate(type.getShape()))
          indices.push_back(size == 1 ? b.index(0)
                                      : Value(linalg::IndexOp::create(b, dim)));
        linalg::YieldOp::create(b, element(b, indices));
      });
  generic->setAttr(labelAttrName,
                   builder.getStringAttr(op->getName().getStringRef()));
  return generic.getResult(0);
}

LogicalResult dml::replaceWithTensor(Operation *op,
                                     const TypeConverter &typeConverter,
                                     ConversionPatternRewriter &rewriter,
                                     ElementFn element) {
  auto type =
      typeConverter.convertType<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return rewriter.notifyMatchFailure(op, "result type does not convert");
  rewriter.replaceOp(op, buildTensor(rewriter, op, type, element));
  return success();
}
