//===- NormalizationOps.cpp - DirectML's normalizations to linalg ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/NormalizationOps.h"
#include "Reduction.h"

using namespace mlir;
using namespace dml;

namespace {
struct BatchNormalizationLowering : OpConversionPattern<BatchNormalizationOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BatchNormalizationOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) {
          auto load = [&](Value operand, Value original) {
            return loadNumber(b, operand, original.getType(), indices);
          };
          Number x = load(adaptor.getInput(), op.getInput());
          Number mean = load(adaptor.getMean(), op.getMean());
          Number variance = load(adaptor.getVariance(), op.getVariance());
          Number scale = load(adaptor.getScale(), op.getScale());
          Number bias = load(adaptor.getBias(), op.getBias());
          Number epsilon = x(op.getEpsilon().convertToDouble());
          x = (x - mean) / sqrt(variance + epsilon) * scale + bias;
          return fromNumber(
              applyActivation(x, op.getFusedActivationAttr()),
              cast<RankedTensorType>(op.getType()).getElementType());
        });
  }
};

/// What the versions of the operator come to.
struct MeanVariance {
  SmallVector<int64_t> axes;
  bool useMean, useVariance;
};

MeanVariance getMeanVariance(MeanVarianceNormalizationOp op) {
  SmallVector<int64_t> axes = {2, 3};
  if (op.getCrossChannel())
    axes.insert(axes.begin(), 1);
  return {axes, /*useMean=*/true, op.getNormalizeVariance()};
}
MeanVariance getMeanVariance(MeanVarianceNormalization1Op op) {
  return {SmallVector<int64_t>(op.getAxes()), /*useMean=*/true,
          op.getNormalizeVariance()};
}
MeanVariance getMeanVariance(MeanVarianceNormalization2Op op) {
  return {SmallVector<int64_t>(op.getAxes()), op.getUseMean(),
          op.getUseVariance()};
}

template <typename OpTy>
struct MeanVarianceLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    Type elementType = inputType.getElementType();
    MeanVariance params = getMeanVariance(op);
    ReducedAxes axes(inputType.getShape(), params.axes);
    Combiner sum = Combiner::getSum(elementType);
    auto load = [&](ElementBuilder &b, ValueRange indices) {
      return loadNumber(b, adaptor.getInput(), inputType, indices);
    };
    auto loadMean = [&](ElementBuilder &b, Value sums, ValueRange indices) {
      Number total = loadReduced(b, sums, axes.getSet(b, indices));
      return total / total(static_cast<double>(axes.getCount()));
    };
    Value sums;
    if (params.useMean)
      sums = buildReduction(rewriter, op, axes, sum, load);
    auto center = [&](ElementBuilder &b, ValueRange indices) {
      Number x = load(b, indices);
      return sums ? x - loadMean(b, sums, indices) : x;
    };
    Value squares;
    if (params.useVariance)
      squares = buildReduction(rewriter, op, axes, sum,
                               [&](ElementBuilder &b, ValueRange indices) {
                                 Number x = center(b, indices);
                                 return x * x;
                               });
    return replaceWithTensor(
        op, *this->getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) {
          Number x = center(b, indices);
          if (squares)
            x = x / sqrt(loadMean(b, squares, indices) +
                         x(op.getEpsilon().convertToDouble()));
          if (Value scale = adaptor.getScale())
            x = x * loadNumber(b, scale, op.getScale().getType(), indices);
          if (Value bias = adaptor.getBias())
            x = x + loadNumber(b, bias, op.getBias().getType(), indices);
          return fromNumber(applyActivation(x, op.getFusedActivationAttr()),
                            elementType);
        });
  }
};

struct LocalResponseLowering
    : OpConversionPattern<LocalResponseNormalizationOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LocalResponseNormalizationOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct LpNormalizationLowering : OpConversionPattern<LpNormalizationOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LpNormalizationOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    ReducedAxes axes(inputType.getShape(), static_cast<int64_t>(op.getAxis()));
    bool isSquared = op.getP() == 2;
    auto load = [&](ElementBuilder &b, ValueRange indices) {
      return loadNumber(b, adaptor.getInput(), inputType, indices);
    };
    Value sums = buildReduction(rewriter, op, axes,
                                Combiner::getSum(inputType.getElementType()),
                                [&](ElementBuilder &b, ValueRange indices) {
                                  Number x = load(b, indices);
                                  return isSquared ? x * x : abs(x);
                                });
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) {
          Number x = load(b, indices);
          Number norm = loadReduced(b, sums, axes.getSet(b, indices));
          if (isSquared)
            norm = sqrt(norm);
          Number epsilon = x(op.getEpsilon().convertToDouble());
          return fromNumber(x / select(norm < epsilon, epsilon, norm),
                            inputType.getElementType());
        });
  }
};
} // namespace

/// The sums of what `element` gives over the neighbours along `axis`, as many
/// as `localSize` says with the element itself.
static Value buildLocalSum(OpBuilder &builder, Operation *op,
                           ArrayRef<int64_t> shape, int64_t axis,
                           int64_t localSize, const NumberFn &element) {
  int64_t size = shape[axis];
  // None is farther away than the tensor is long.
  int64_t before = std::min((localSize - 1) / 2, size - 1);
  int64_t after = std::min(localSize / 2, size - 1);
  return buildReduction(
      builder, op, shape, before + 1 + after,
      /*isInnermost=*/axis + 1 == static_cast<int64_t>(shape.size()),
      Combiner::getSum(builder.getF32Type()),
      [&](ElementBuilder &b, ValueRange outputs, ValueRange place) {
        // Counted from the first that may stand before the tensor, lest a place
        // be negative.
        Value at = b.add(outputs[axis], place[0]);
        Value first = b.index(before), end = b.index(before + size);
        SmallVector<Value> indices(outputs);
        indices[axis] = b.sub(
            b.minsi(b.maxsi(at, first), b.index(before + size - 1)), first);
        Number x = element(b, indices);
        Condition isBefore{&b, b.cmpi(arith::CmpIPredicate::ult, at, first)};
        Condition isBehind{&b, b.cmpi(arith::CmpIPredicate::uge, at, end)};
        Condition exists = !(isBefore || isBehind);
        return select(exists, x, x(0));
      });
}

LogicalResult LocalResponseLowering::matchAndRewrite(
    LocalResponseNormalizationOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  ArrayRef<int64_t> shape = inputType.getShape();
  auto localSize = static_cast<int64_t>(op.getLocalSize());
  auto load = [&](ElementBuilder &b, ValueRange indices) {
    return loadNumber(b, adaptor.getInput(), inputType, indices);
  };
  auto square = [&](ElementBuilder &b, ValueRange indices) {
    Number x = load(b, indices);
    return x * x;
  };
  // A rectangle is summed up along one dimension after the other.
  Value sums = buildLocalSum(rewriter, op, shape, op.getCrossChannel() ? 1 : 3,
                             localSize, square);
  if (!op.getCrossChannel()) {
    Value rows = sums;
    sums = buildLocalSum(rewriter, op, shape, 2, localSize,
                         [&](ElementBuilder &b, ValueRange indices) {
                           return loadReduced(b, rows, indices);
                         });
  }
  float beta = op.getBeta().convertToFloat();
  return replaceWithTensor(
      op, *getTypeConverter(), rewriter,
      [&](ElementBuilder &b, ValueRange indices) {
        Number x = load(b, indices);
        Type type = inputType.getElementType();
        if (beta == 0)
          return fromNumber(x, type);
        Number weight =
            x(op.getAlpha().convertToDouble() / static_cast<double>(localSize));
        Number base = x(op.getBias().convertToDouble()) +
                      weight * loadReduced(b, sums, indices);
        return fromNumber(x / (beta == 1 ? base : exp(x(beta) * log(base))),
                          type);
      });
}

void dml::populateNormalizationPatterns(const TypeConverter &typeConverter,
                                        RewritePatternSet &patterns) {
  patterns.add<BatchNormalizationLowering, LocalResponseLowering,
               LpNormalizationLowering,
               MeanVarianceLowering<MeanVarianceNormalizationOp>,
               MeanVarianceLowering<MeanVarianceNormalization1Op>,
               MeanVarianceLowering<MeanVarianceNormalization2Op>>(
      typeConverter, patterns.getContext());
}
