//===- GatherOps.cpp - DirectML's gathers to linalg -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/GatherOps.h"
#include "LoweringUtils.h"

using namespace mlir;
using namespace dml;

static RankedTensorType getType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

namespace {
struct GatherLowering : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = getType(op.getInput());
    int64_t rank = type.getRank(), axis = op.getAxis(),
            count = op.getIndexDimensions();
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          // The number of dimensions by which those before the axis have moved.
          int64_t shift = 1 - count;
          SmallVector<Value> place(rank - count, b.index(0)), coordinates;
          for (int64_t dim = 0; dim < count; ++dim)
            place.push_back(indices[axis + shift + dim]);
          for (int64_t dim = 0; dim < rank; ++dim)
            coordinates.push_back(dim > axis ? indices[dim]
                                  : dim + shift >= 0 && dim < axis
                                      ? indices[dim + shift]
                                      : b.index(0));
          Value index =
              tensor::ExtractOp::create(b, adaptor.getIndices(), place);
          coordinates[axis] =
              readIndex(b, index, getType(op.getIndices()).getElementType(),
                        type.getDimSize(axis))
                  .coordinate;
          return tensor::ExtractOp::create(b, adaptor.getInput(), coordinates);
        });
  }
};

struct GatherElementsLowering : OpConversionPattern<GatherElementsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GatherElementsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    int64_t axis = op.getAxis();
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          SmallVector<Value> coordinates(indices);
          Value index =
              tensor::ExtractOp::create(b, adaptor.getIndices(), indices);
          coordinates[axis] =
              readIndex(b, index, getType(op.getIndices()).getElementType(),
                        getType(op.getInput()).getDimSize(axis))
                  .coordinate;
          return tensor::ExtractOp::create(b, adaptor.getInput(), coordinates);
        });
  }
};

template <typename OpTy> struct GatherNdLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType inputType = getType(op.getInput()),
                     indicesType = getType(op.getIndices());
    int64_t rank = inputType.getRank(),
            inputCount = op.getInputDimensionCount(),
            indicesCount = op.getIndicesDimensionCount(), batch = 0;
    if constexpr (std::is_same_v<OpTy, GatherNd1Op>)
      batch = op.getBatchDimensionCount();
    int64_t chosen = indicesType.getShape().back();
    int64_t slice = inputCount - batch - chosen;
    return replaceWithTensor(
        op, *this->getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          ValueRange tuple =
              indices.drop_back(slice).take_back(indicesCount - 1);
          SmallVector<Value> place(rank - indicesCount, b.index(0)),
              coordinates(rank - inputCount, b.index(0));
          llvm::append_range(place, tuple);
          llvm::append_range(coordinates, tuple.take_front(batch));
          for (int64_t i = 0; i < chosen; ++i) {
            place.push_back(b.index(i));
            Value index =
                tensor::ExtractOp::create(b, adaptor.getIndices(), place);
            place.pop_back();
            coordinates.push_back(
                readIndex(b, index, indicesType.getElementType(),
                          inputType.getDimSize(coordinates.size()))
                    .coordinate);
          }
          llvm::append_range(coordinates, indices.take_back(slice));
          return tensor::ExtractOp::create(b, adaptor.getInput(), coordinates);
        });
  }
};

struct OneHotLowering : OpConversionPattern<OneHotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OneHotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    int64_t axis = op.getAxis();
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          SmallVector<Value> place(indices);
          place[axis] = b.index(0);
          Value index =
              tensor::ExtractOp::create(b, adaptor.getIndices(), place);
          DataIndex hot =
              readIndex(b, index, getType(op.getIndices()).getElementType(),
                        getType(op.getOutput()).getDimSize(axis));
          Value isHot =
              b.andi(hot.isValid, b.cmpi(arith::CmpIPredicate::eq,
                                         hot.coordinate, indices[axis]));
          // Reads the first two elements. The second one has the coordinate 1
          // in the last dimension with several elements.
          ArrayRef<int64_t> shape = getType(op.getValues()).getShape();
          SmallVector<Value> off(shape.size(), b.index(0)), on = off;
          size_t fastest = shape.size() - 1;
          while (shape[fastest] == 1)
            --fastest;
          on[fastest] = b.index(1);
          return b.select(
              isHot, tensor::ExtractOp::create(b, adaptor.getValues(), on),
              tensor::ExtractOp::create(b, adaptor.getValues(), off));
        });
  }
};
} // namespace

void dml::populateGatherPatterns(const TypeConverter &typeConverter,
                                 RewritePatternSet &patterns) {
  patterns
      .add<GatherLowering, GatherElementsLowering, GatherNdLowering<GatherNdOp>,
           GatherNdLowering<GatherNd1Op>, OneHotLowering>(
          typeConverter, patterns.getContext());
}
