//===- LoweringUtils.cpp - What the operators' lowerings share ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

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

LogicalResult dml::replaceWithTensors(
    Operation *op, const TypeConverter &typeConverter,
    ConversionPatternRewriter &rewriter,
    ArrayRef<std::function<Value(ElementBuilder &, ValueRange)>> elements) {
  SmallVector<Value> results;
  for (auto [result, element] : llvm::zip_equal(op->getResults(), elements)) {
    auto type = typeConverter.convertType<RankedTensorType>(result.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "result type does not convert");
    results.push_back(buildTensor(rewriter, op, type, element));
  }
  rewriter.replaceOp(op, results);
  return success();
}

//===----------------------------------------------------------------------===//
// Constants and indices
//===----------------------------------------------------------------------===//

TypedAttr dml::convertScalar(float value, Type elementType, Type loweredType) {
  llvm::APFloat number(value);
  bool losesInfo;
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    number.convert(floatType.getFloatSemantics(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return convertScalar(FloatAttr::get(elementType, number), loweredType);
  }
  // convertToInteger saturates, and gives 0 for NaN.
  llvm::APSInt integer(elementType.getIntOrFloatBitWidth(),
                       elementType.isUnsignedInteger());
  number.convertToInteger(integer, llvm::APFloat::rmTowardZero, &losesInfo);
  return IntegerAttr::get(loweredType, integer);
}

TypedAttr dml::convertScalar(TypedAttr value, Type loweredType) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    if (isa<FloatType>(loweredType))
      return number;
    return IntegerAttr::get(loweredType, number.getValue().bitcastToAPInt());
  }
  return IntegerAttr::get(loweredType, cast<IntegerAttr>(value).getValue());
}

DataIndex dml::readIndex(ElementBuilder &b, Value element, Type type,
                         int64_t size) {
  using Predicate = arith::CmpIPredicate;
  // In words of 32 bits, which every device has: a low one and, of 64 bits, a
  // high one.
  Type i32 = b.getI32Type();
  auto word = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, IntegerAttr::get(i32, APInt(32, static_cast<uint64_t>(value),
                                       /*isSigned=*/false,
                                       /*implicitTrunc=*/true)));
  };
  Value low = element, high;
  if (type.isInteger(64)) {
    low = b.createOrFold<arith::TruncIOp>(i32, element);
    Value shift = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
    high = b.createOrFold<arith::TruncIOp>(
        i32, b.createOrFold<arith::ShRUIOp>(element, shift));
  }
  Value isValid = b.cmpi(Predicate::ult, low, word(size));
  Value result = low;
  if (high) {
    Value isLow = b.cmpi(Predicate::eq, high, word(0));
    isValid = b.andi(isValid, isLow);
    result = b.select(isLow, low, word(-1));
  }
  if (!type.isUnsignedInteger()) {
    Value isNegative = b.cmpi(Predicate::slt, high ? high : low, word(0));
    // -size, ..., -1 without their sign.
    Value isNear = b.cmpi(Predicate::uge, low, word(-size));
    if (high)
      isNear = b.andi(isNear, b.cmpi(Predicate::eq, high, word(-1)));
    Value fromEnd = b.select(
        isNear, b.createOrFold<arith::AddIOp>(low, word(size)), word(0));
    // As unsigned ones, negative numbers can be below a large size.
    isValid = b.select(isNegative, isNear, isValid);
    result = b.select(isNegative, fromEnd, result);
  }
  result = b.createOrFold<arith::MinUIOp>(result, word(size - 1));
  return {b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), result),
          isValid};
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

/// Concatenates `inputs`, of which a kernel can read all.
static Value buildSmallJoin(OpBuilder &builder, Operation *op,
                            ArrayRef<Value> inputs, int64_t axis) {
  auto type = cast<RankedTensorType>(inputs.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  for (Value input : inputs.drop_front())
    shape[axis] += cast<RankedTensorType>(input.getType()).getDimSize(axis);
  return buildTensor(
      builder, op, type.clone(shape),
      [&](ElementBuilder &b, ValueRange indices) -> Value {
        // Every input is read at a valid coordinate; the last one that begins
        // at or before the element has it.
        Value result;
        int64_t start = 0;
        for (Value input : inputs) {
          int64_t size =
              cast<RankedTensorType>(input.getType()).getDimSize(axis);
          SmallVector<Value> coordinates(indices);
          Value offset = b.add(indices[axis], -start);
          coordinates[axis] =
              b.minsi(b.maxsi(offset, b.index(0)), b.index(size - 1));
          Value element = tensor::ExtractOp::create(b, input, coordinates);
          Value begun = b.cmpi(arith::CmpIPredicate::sge, offset, b.index(0));
          result = result ? b.select(begun, element, result) : element;
          start += size;
        }
        return result;
      });
}

Value dml::buildJoin(OpBuilder &builder, Operation *op, ValueRange inputs,
                     int64_t axis) {
  constexpr size_t maxInputs = 3;
  SmallVector<Value> parts(inputs);
  // In rounds, each of which moves every element once at most: elements are
  // moved as often as powers of three fit into the number of inputs.
  while (parts.size() > maxInputs) {
    SmallVector<Value> joined;
    size_t kernels = llvm::divideCeil(parts.size(), maxInputs);
    for (size_t i = 0; i < kernels; ++i) {
      // Parts of about the same number.
      size_t begin = i * parts.size() / kernels,
             end = (i + 1) * parts.size() / kernels;
      ArrayRef<Value> some = ArrayRef(parts).slice(begin, end - begin);
      joined.push_back(some.size() == 1
                           ? some.front()
                           : buildSmallJoin(builder, op, some, axis));
    }
    parts = joined;
  }
  return parts.size() == 1 ? parts.front()
                           : buildSmallJoin(builder, op, parts, axis);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Iterations that are written out rather than looped over: 3 x 3 windows are.
static constexpr int64_t maxUnrolled = 9;

SmallVector<Value>
dml::buildLoops(ElementBuilder &b, ArrayRef<int64_t> sizes, ValueRange init,
                llvm::function_ref<SmallVector<Value>(ElementBuilder &,
                                                      ValueRange, ValueRange)>
                    body) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count = llvm::MulOverflow(count, size, count) ? INT64_MAX : count;
  SmallVector<Value> carried(init);
  if (count <= maxUnrolled) {
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<Value> coordinates(sizes.size());
      int64_t rest = i;
      for (size_t dim = sizes.size(); dim-- > 0; rest /= sizes[dim])
        coordinates[dim] = b.index(rest % sizes[dim]);
      carried = body(b, coordinates, carried);
    }
    return carried;
  }
  // Dimensions of size 1 need no loop.
  SmallVector<Value> lower, upper, steps;
  for (int64_t size : sizes)
    if (size > 1) {
      lower.push_back(b.index(0));
      upper.push_back(b.index(size));
      steps.push_back(b.index(1));
    }
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), lower, upper, steps, carried,
      [&](OpBuilder &nested, Location loc, ValueRange induction,
          ValueRange carried) -> scf::ValueVector {
        ElementBuilder inner(loc, nested);
        SmallVector<Value> coordinates;
        for (int64_t size : sizes) {
          coordinates.push_back(size > 1 ? induction.front() : inner.index(0));
          induction = induction.drop_front(size > 1);
        }
        SmallVector<Value> next = body(inner, coordinates, carried);
        return scf::ValueVector(next.begin(), next.end());
      });
  return SmallVector<Value>(nest.results);
}

int64_t dml::getNumPartials(int64_t outputs, int64_t count) {
  // One step takes no more than so many elements a thread: a device that has
  // more to do than that for each of its threads is busy, and loops stay short.
  constexpr int64_t maxCount = 1024;
  // Threads that fill a device, as in DistributeToWorkgroups.
  constexpr int64_t enoughThreads = 1 << 16;
  if (count <= 64 || (outputs >= enoughThreads && count <= maxCount))
    return 1;
  // Partial results of about the square root keep both steps short; more where
  // few outputs would leave the device idle.
  auto partials = static_cast<int64_t>(
      llvm::bit_ceil(static_cast<uint64_t>(std::sqrt(count))));
  partials = std::max(partials, llvm::divideCeilSigned(count, maxCount));
  return std::min(partials, count);
}
