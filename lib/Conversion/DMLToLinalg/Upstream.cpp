//===- Upstream.cpp - Tensor operations beside dml's to linalg ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Lowers operations of upstream dialects, which importers and the rewrites for
// older feature levels insert between dml operators. Reshapes remain, and
// become views in bufferization. Other operations become kernels that move
// elements. (DirectML itself transposes and broadcasts by the strides of a
// binding.)
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dml;

namespace {
struct BitcastLowering : OpConversionPattern<tensor::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    // The types differ only in their signedness.
    if (type == adaptor.getSource().getType()) {
      rewriter.replaceOp(op, adaptor.getSource());
      return success();
    }
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          Value element =
              tensor::ExtractOp::create(b, adaptor.getSource(), indices);
          return arith::BitcastOp::create(b, type.getElementType(), element);
        });
  }
};

struct ConcatLowering : OpConversionPattern<tensor::ConcatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::ConcatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildJoin(rewriter, op, adaptor.getInputs(),
                                     static_cast<int64_t>(op.getDim())));
    return success();
  }
};

struct ExtractSliceLowering : OpConversionPattern<tensor::ExtractSliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::ExtractSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> offsets = op.getStaticOffsets();
    ArrayRef<int64_t> strides = op.getStaticStrides();
    if (ShapedType::isDynamicShape(offsets) ||
        ShapedType::isDynamicShape(strides) || !op.getType().hasStaticShape())
      return rewriter.notifyMatchFailure(op, "slice is dynamic");
    llvm::SmallBitVector dropped = op.getDroppedDims();
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          SmallVector<Value> coordinates;
          for (auto [dim, offset, stride] : llvm::enumerate(offsets, strides)) {
            Value index = b.index(0);
            if (!dropped[dim]) {
              index = indices.front();
              indices = indices.drop_front();
            }
            coordinates.push_back(b.add(b.mul(index, stride), offset));
          }
          return tensor::ExtractOp::create(b, adaptor.getSource(), coordinates);
        });
  }
};

struct TransposeLowering : OpConversionPattern<linalg::TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(linalg::TransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "operands are buffers");
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          SmallVector<Value> coordinates(indices.size());
          for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
            coordinates[from] = indices[dim];
          return tensor::ExtractOp::create(b, adaptor.getInput(), coordinates);
        });
  }
};

struct BroadcastLowering : OpConversionPattern<linalg::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(linalg::BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "operands are buffers");
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          SmallVector<Value> coordinates;
          for (auto [dim, index] : llvm::enumerate(indices))
            if (!llvm::is_contained(op.getDimensions(),
                                    static_cast<int64_t>(dim)))
              coordinates.push_back(index);
          return tensor::ExtractOp::create(b, adaptor.getInput(), coordinates);
        });
  }
};
} // namespace

void dml::populateTensorPatterns(const TypeConverter &typeConverter,
                                 RewritePatternSet &patterns) {
  patterns.add<BitcastLowering, BroadcastLowering, ConcatLowering,
               ExtractSliceLowering, TransposeLowering>(typeConverter,
                                                        patterns.getContext());
}
