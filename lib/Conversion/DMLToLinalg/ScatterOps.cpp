//===- ScatterOps.cpp - DirectML's scatters to linalg ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// No kernel writes to places that it reads from a tensor: each element looks
// for the last index that leads to it. First that update's number is found, for
// each place that indices can lead to; then elements of whole slices share it.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ScatterOps.h"
#include "LoweringUtils.h"

using namespace mlir;
using namespace dml;

static RankedTensorType getType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

/// Builds a tensor of `shape` that has for each place the largest number, from
/// 1 to `count`, for which `isHit` holds of the number before it, and 0 where
/// it holds of none.
static Value buildWinners(
    OpBuilder &builder, Operation *op, ArrayRef<int64_t> shape, int64_t count,
    llvm::function_ref<Value(ElementBuilder &b, ValueRange place, Value number)>
        isHit) {
  Type i32 = builder.getI32Type();
  auto type = RankedTensorType::get(shape, i32);
  int64_t partials = getNumPartials(type.getNumElements(), count);
  int64_t steps = llvm::divideCeil(count, partials);
  auto getMax = [&](ElementBuilder &b, Value lhs, Value rhs) -> Value {
    return b.createOrFold<arith::MaxUIOp>(lhs, rhs);
  };
  auto getNone = [&](ElementBuilder &b) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  };
  auto buildPart = [&](ElementBuilder &b, ValueRange place, Value first) {
    return buildLoops(
               b, {steps}, getNone(b),
               [&](ElementBuilder &b, ValueRange step,
                   ValueRange last) -> SmallVector<Value> {
                 // Beyond the last, the last again.
                 Value number = b.add(b.mul(step[0], partials), first);
                 if (steps * partials != count)
                   number = b.minui(number, b.index(count - 1));
                 Value hit = isHit(b, place, number);
                 Value next = b.createOrFold<arith::IndexCastUIOp>(
                     i32, b.add(number, 1));
                 return {getMax(b, last[0], b.select(hit, next, getNone(b)))};
               })
        .front();
  };
  if (partials == 1)
    return buildTensor(builder, op, type,
                       [&](ElementBuilder &b, ValueRange place) -> Value {
                         return buildPart(b, place, b.index(0));
                       });
  SmallVector<int64_t> partialShape = {partials};
  llvm::append_range(partialShape, shape);
  Value parts =
      buildTensor(builder, op, RankedTensorType::get(partialShape, i32),
                  [&](ElementBuilder &b, ValueRange place) -> Value {
                    return buildPart(b, place.drop_front(), place.front());
                  });
  return buildTensor(
      builder, op, type, [&](ElementBuilder &b, ValueRange place) -> Value {
        return buildLoops(
                   b, {partials}, getNone(b),
                   [&](ElementBuilder &b, ValueRange step,
                       ValueRange last) -> SmallVector<Value> {
                     SmallVector<Value> at(step);
                     llvm::append_range(at, place);
                     return {getMax(b, last[0],
                                    tensor::ExtractOp::create(b, parts, at))};
                   })
            .front();
      });
}

/// What a winner says: whether there is one, and the number before it.
static std::pair<Value, Value> readWinner(ElementBuilder &b, Value winners,
                                          ValueRange place, int64_t count) {
  Value winner = tensor::ExtractOp::create(b, winners, place);
  Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value exists = b.cmpi(arith::CmpIPredicate::ne, winner, none);
  Value number = b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), winner);
  number =
      b.sub(b.createOrFold<arith::MaxUIOp>(number, b.index(1)), b.index(1));
  return {exists, b.minui(number, b.index(count - 1))};
}

namespace {
struct ScatterElementsLowering : OpConversionPattern<ScatterElementsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ScatterElementsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = getType(op.getInput()),
                     indicesType = getType(op.getIndices());
    int64_t axis = op.getAxis(), count = indicesType.getDimSize(axis);
    Value winners = buildWinners(
        rewriter, op, type.getShape(), count,
        [&](ElementBuilder &b, ValueRange place, Value number) -> Value {
          SmallVector<Value> at(place);
          at[axis] = number;
          Value element =
              tensor::ExtractOp::create(b, adaptor.getIndices(), at);
          DataIndex index = readIndex(b, element, indicesType.getElementType(),
                                      type.getDimSize(axis));
          return b.andi(index.isValid, b.cmpi(arith::CmpIPredicate::eq,
                                              index.coordinate, place[axis]));
        });
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          auto [exists, number] = readWinner(b, winners, indices, count);
          SmallVector<Value> at(indices);
          at[axis] = number;
          Value update = tensor::ExtractOp::create(b, adaptor.getUpdates(), at);
          Value old = tensor::ExtractOp::create(b, adaptor.getInput(), indices);
          return b.select(exists, update, old);
        });
  }
};

struct ScatterNdLowering : OpConversionPattern<ScatterNdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ScatterNdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = getType(op.getInput()),
                     indicesType = getType(op.getIndices());
    int64_t rank = type.getRank(), inputCount = op.getInputDimensionCount(),
            indicesCount = op.getIndicesDimensionCount(),
            chosen = indicesType.getShape().back();
    int64_t slice = inputCount - chosen;
    // The dimensions that tuples choose in, and those of the tuples.
    ArrayRef<int64_t> places =
        type.getShape().drop_back(slice).take_back(chosen);
    ArrayRef<int64_t> tuples =
        indicesType.getShape().take_back(indicesCount).drop_back();
    int64_t count = 1;
    for (int64_t size : tuples)
      count *= size;
    // The coordinates of tuple `number`.
    auto delinearize = [&](ElementBuilder &b, Value number) {
      SmallVector<Value> at(tuples.size());
      for (size_t dim = tuples.size(); dim-- > 1;) {
        at[dim] = b.remui(number, tuples[dim]);
        number = b.divui(number, tuples[dim]);
      }
      if (!at.empty())
        at.front() = number;
      return at;
    };
    Value winners = buildWinners(
        rewriter, op, places, count,
        [&](ElementBuilder &b, ValueRange place, Value number) -> Value {
          SmallVector<Value> at(rank - indicesCount, b.index(0));
          llvm::append_range(at, delinearize(b, number));
          Value hit;
          for (int64_t i = 0; i < chosen; ++i) {
            at.push_back(b.index(i));
            Value element =
                tensor::ExtractOp::create(b, adaptor.getIndices(), at);
            at.pop_back();
            DataIndex index =
                readIndex(b, element, indicesType.getElementType(), places[i]);
            Value same =
                b.andi(index.isValid, b.cmpi(arith::CmpIPredicate::eq,
                                             index.coordinate, place[i]));
            hit = hit ? b.andi(hit, same) : same;
          }
          return hit;
        });
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          auto [exists, number] = readWinner(
              b, winners, indices.drop_back(slice).take_back(chosen), count);
          SmallVector<Value> at(rank - (indicesCount - 1) - slice, b.index(0));
          llvm::append_range(at, delinearize(b, number));
          llvm::append_range(at, indices.take_back(slice));
          Value update = tensor::ExtractOp::create(b, adaptor.getUpdates(), at);
          Value old = tensor::ExtractOp::create(b, adaptor.getInput(), indices);
          return b.select(exists, update, old);
        });
  }
};
} // namespace

void dml::populateScatterPatterns(const TypeConverter &typeConverter,
                                  RewritePatternSet &patterns) {
  patterns.add<ScatterElementsLowering, ScatterNdLowering>(
      typeConverter, patterns.getContext());
}
