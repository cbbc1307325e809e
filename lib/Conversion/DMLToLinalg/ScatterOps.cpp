//===- ScatterOps.cpp - DirectML's scatters to linalg ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Kernels do not write to places that are read from a tensor. Instead, each
// element of the output searches for the last index that refers to its place.
// The first kernel determines the number of this update for each place to which
// indices can refer. The second kernel computes the elements; the elements of a
// slice share the number.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ScatterOps.h"
#include "LoweringUtils.h"

using namespace mlir;
using namespace dml;

static RankedTensorType getType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
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
    Value winners = buildLastHits(
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
          auto [exists, number] = readLastHit(b, winners, indices, count);
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
    // The dimensions in which tuples select a coordinate, and the dimensions of
    // the tuples.
    ArrayRef<int64_t> places =
        type.getShape().drop_back(slice).take_back(chosen);
    ArrayRef<int64_t> tuples =
        indicesType.getShape().take_back(indicesCount).drop_back();
    int64_t count = 1;
    for (int64_t size : tuples)
      count *= size;
    Value winners = buildLastHits(
        rewriter, op, places, count,
        [&](ElementBuilder &b, ValueRange place, Value number) -> Value {
          SmallVector<Value> at(rank - indicesCount, b.index(0));
          llvm::append_range(at, delinearize(b, number, tuples));
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
          auto [exists, number] = readLastHit(
              b, winners, indices.drop_back(slice).take_back(chosen), count);
          SmallVector<Value> at(rank - (indicesCount - 1) - slice, b.index(0));
          llvm::append_range(at, delinearize(b, number, tuples));
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
