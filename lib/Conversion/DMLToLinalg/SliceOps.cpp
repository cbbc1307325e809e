//===- SliceOps.cpp - DirectML's slices to linalg -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SliceOps.h"
#include "LoweringUtils.h"
#include <cstdlib>

using namespace mlir;
using namespace dml;

/// Builds the coordinate of step `o` of a window, in the tensor that contains
/// the window. The coordinate is never negative.
static Value buildStep(ElementBuilder &b, Value o, int64_t offset, int64_t size,
                       int64_t stride) {
  if (stride < 0)
    return b.sub(b.index(offset + size - 1), b.mul(o, -stride));
  return b.add(b.mul(o, stride), offset);
}

/// Reads the element at step `indices` of a window.
static Value readWindow(ElementBuilder &b, Value tensor, ValueRange indices,
                        ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                        ArrayRef<int64_t> strides) {
  SmallVector<Value> coordinates;
  for (auto [o, offset, size, stride] :
       llvm::zip_equal(indices, offsets, sizes, strides))
    coordinates.push_back(buildStep(b, o, offset, size, stride));
  return tensor::ExtractOp::create(b, tensor, coordinates);
}

namespace {
struct SliceLowering : OpConversionPattern<SliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          return readWindow(b, adaptor.getInput(), indices, op.getOffsets(),
                            op.getSizes(), op.getStrides());
        });
  }
};

struct Slice1Lowering : OpConversionPattern<Slice1Op> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Slice1Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          return readWindow(
              b, adaptor.getInput(), indices, op.getInputWindowOffsets(),
              op.getInputWindowSizes(), op.getInputWindowStrides());
        });
  }
};

struct SliceGradLowering : OpConversionPattern<SliceGradOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SliceGradOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> sizes =
        cast<RankedTensorType>(op.getInputGradient().getType()).getShape();
    ArrayRef<int64_t> outputSizes =
        cast<RankedTensorType>(op.getOutputGradient().getType()).getShape();
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          using Predicate = arith::CmpIPredicate;
          Value hit;
          auto require = [&](Value condition) {
            hit = hit ? b.andi(hit, condition) : condition;
          };
          SmallVector<Value> coordinates;
          for (auto [o, count, whole, offset, size, stride] : llvm::zip_equal(
                   indices, sizes, outputSizes, op.getInputWindowOffsets(),
                   op.getInputWindowSizes(), op.getInputWindowStrides())) {
            if (count == whole && stride > 0 && (stride == 1 || count == 1)) {
              coordinates.push_back(o);
              continue;
            }
            // The distance from the window's first element, in the direction of
            // the window. Before this element, the distance is a large unsigned
            // number.
            Value distance = stride < 0 ? b.sub(b.index(offset + size - 1), o)
                                        : b.add(o, -offset);
            int64_t step = std::abs(stride), reach = (count - 1) * step + 1;
            Value inside = b.cmpi(Predicate::ult, distance, b.index(reach));
            require(inside);
            // The coordinate is valid for any `o`.
            distance =
                b.minsi(b.maxsi(distance, b.index(0)), b.index(reach - 1));
            if (step == 1) {
              coordinates.push_back(distance);
              continue;
            }
            if (count > 1)
              require(
                  b.cmpi(Predicate::eq, b.remui(distance, step), b.index(0)));
            coordinates.push_back(b.divui(distance, step));
          }
          Value element = tensor::ExtractOp::create(
              b, adaptor.getInputGradient(), coordinates);
          if (!hit)
            return element;
          Value zero =
              arith::ConstantOp::create(b, b.getZeroAttr(element.getType()));
          return b.select(hit, element, zero);
        });
  }
};
} // namespace

void dml::populateSlicePatterns(const TypeConverter &typeConverter,
                                RewritePatternSet &patterns) {
  patterns.add<SliceLowering, Slice1Lowering, SliceGradLowering>(
      typeConverter, patterns.getContext());
}
