//===- QuantizationOps.cpp - DirectML's quantizations to linalg -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/QuantizationOps.h"
#include "ReductionBuilder.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace dml;

static Type getTypeOfElements(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

namespace {
struct DynamicQuantizeLowering : OpConversionPattern<DynamicQuantizeLinearOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DynamicQuantizeLinearOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    Type elementType = inputType.getElementType(),
         type = getTypeOfElements(op.getOutput());
    ReducedAxes all(inputType.getShape(),
                    llvm::to_vector(llvm::seq<int64_t>(inputType.getRank())));
    auto load = [&](ElementBuilder &b, ValueRange indices) {
      return loadNumber(b, adaptor.getInput(), inputType, indices);
    };
    Value smallest =
        buildReduction(rewriter, op, all, Combiner::getMin(elementType), load);
    Value largest =
        buildReduction(rewriter, op, all, Combiner::getMax(elementType), load);
    double least = type.isUnsignedInteger() ? 0 : -128;
    auto getSmallest = [&](ElementBuilder &b, ValueRange indices) {
      Number x = loadReduced(b, smallest, indices);
      return min(x, x(0));
    };
    Value scales = buildTensor(
        rewriter, op, cast<RankedTensorType>(op.getOutputScale().getType()),
        [&](ElementBuilder &b, ValueRange indices) {
          Number x = loadReduced(b, largest, indices);
          return ((max(x, x(0)) - getSmallest(b, indices)) / x(255)).value;
        });
    // Computes the zero point as an f32, which can represent it, so that a
    // kernel that reads the zero point need not support 8-bit integers.
    Value zeroPoints = buildTensor(
        rewriter, op, cast<RankedTensorType>(op.getOutputScale().getType()),
        [&](ElementBuilder &b, ValueRange indices) {
          Number scale = loadReduced(b, scales, indices);
          Number x = scale(least) - getSmallest(b, indices) / scale;
          x = max(min(roundEven(x), x(least + 255)), x(least));
          return select(scale.equals(scale(0)), scale(least), x).value;
        });
    Type loweredType =
        getTypeConverter()->convertType(op.getOutput().getType());
    Type loweredElement = cast<RankedTensorType>(loweredType).getElementType();
    Value outputs = buildTensor(
        rewriter, op, cast<RankedTensorType>(loweredType),
        [&](ElementBuilder &b, ValueRange indices) {
          SmallVector<Value> first(indices.size(), b.index(0));
          Number scale = loadReduced(b, scales, first),
                 zeroPoint = loadReduced(b, zeroPoints, first);
          Number result = quantize(load(b, indices), scale, zeroPoint, type);
          Number empty = convert(scale(least), type);
          return fromNumber(select(scale.equals(scale(0)), empty, result),
                            loweredElement);
        });
    auto zeroType = getTypeConverter()->convertType<RankedTensorType>(
        op.getOutputZeroPoint().getType());
    Value zeroPoint = buildTensor(
        rewriter, op, zeroType, [&](ElementBuilder &b, ValueRange indices) {
          return fromNumber(convert(loadReduced(b, zeroPoints, indices), type),
                            loweredElement);
        });
    rewriter.replaceOp(op, {outputs, scales, zeroPoint});
    return success();
  }
};

/// Reads element `indices` of a tensor of blocks. Each of its elements applies
/// to a block of elements in a tensor with shape `shape`; the size of a block
/// is the ratio of the two shapes.
Number loadBlock(ElementBuilder &b, Value tensor, Value original,
                 ArrayRef<int64_t> shape, ValueRange indices) {
  auto type = cast<RankedTensorType>(original.getType());
  SmallVector<Value> blocks;
  for (auto [index, blockCount, size] :
       llvm::zip_equal(indices, type.getShape(), shape))
    blocks.push_back(blockCount == 1 ? b.index(0)
                                     : b.divui(index, size / blockCount));
  return toNumber(b, tensor::ExtractOp::create(b, tensor, blocks),
                  type.getElementType());
}

template <typename OpTy>
struct BlockQuantizationLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    auto resultType =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    return replaceWithTensor(
        op, *this->getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) {
          auto load = [&](unsigned index) {
            return loadBlock(b, adaptor.getQuantizations()[index],
                             op.getQuantizations()[index], inputType.getShape(),
                             indices);
          };
          Number x = loadNumber(b, adaptor.getInput(), inputType, indices);
          Number scale = load(0);
          std::optional<Number> zeroPoint;
          if (op.getQuantizations().size() == 2)
            zeroPoint = load(1);
          Number result = x;
          if constexpr (std::is_same_v<OpTy, QuantizeOp>)
            result = quantize(x, scale, zeroPoint,
                              getTypeOfElements(op.getOutput()));
          else
            result =
                dequantize(x, scale, zeroPoint, inputType.getElementType());
          return fromNumber(result, resultType.getElementType());
        });
  }
};
} // namespace

void dml::populateQuantizationPatterns(const TypeConverter &typeConverter,
                                       RewritePatternSet &patterns) {
  patterns.add<BlockQuantizationLowering<DequantizeOp>,
               BlockQuantizationLowering<QuantizeOp>, DynamicQuantizeLowering>(
      typeConverter, patterns.getContext());
}
