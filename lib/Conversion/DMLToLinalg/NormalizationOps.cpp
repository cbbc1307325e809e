//===- NormalizationOps.cpp - DirectML's normalizations to linalg ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/NormalizationOps.h"
#include "ReductionBuilder.h"

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

struct BatchNormalizationTrainingLowering
    : OpConversionPattern<BatchNormalizationTrainingOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BatchNormalizationTrainingOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct BatchNormalizationGradLowering
    : OpConversionPattern<BatchNormalizationGradOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BatchNormalizationGradOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct BatchNormalizationTrainingGradLowering
    : OpConversionPattern<BatchNormalizationTrainingGradOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BatchNormalizationTrainingGradOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

/// The properties that the versions of the operator have in common.
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
    // The sums, or the sums of squares, if only these are needed.
    Value sums;
    std::optional<PairOfSets> both;
    if (params.useMean && params.useVariance)
      both = buildSquares(rewriter, op, axes, load);
    else if (params.useMean || params.useVariance)
      sums = buildReduction(rewriter, op, axes, sum,
                            [&](ElementBuilder &b, ValueRange indices) {
                              Number x = load(b, indices);
                              return params.useMean ? x : x * x;
                            });
    auto getMean = [&](Number total) {
      return total / total(static_cast<double>(axes.getCount()));
    };
    return replaceWithTensor(
        op, *this->getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) {
          auto loadSum = [&] {
            return loadReduced(b, sums, axes.getSet(b, indices));
          };
          Number x = load(b, indices);
          if (params.useMean)
            x = x - getMean(both ? both->getFirst(b, indices) : loadSum());
          if (params.useVariance)
            x = x / sqrt(getMean(both ? both->getSum(b, indices) : loadSum()) +
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

struct LocalResponseGradLowering
    : OpConversionPattern<LocalResponseNormalizationGradOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LocalResponseNormalizationGradOp op, OpAdaptor adaptor,
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

//===----------------------------------------------------------------------===//
// Batches in training
//===----------------------------------------------------------------------===//

/// Returns the dimensions in which `repeated` has size 1 and is broadcast. The
/// elements of `input` that share an element of `repeated` form a set.
static ReducedAxes getSets(RankedTensorType input, Value repeated) {
  SmallVector<int64_t> axes;
  for (auto [dim, size] :
       llvm::enumerate(cast<RankedTensorType>(repeated.getType()).getShape()))
    if (size == 1)
      axes.push_back(dim);
  return ReducedAxes(input.getShape(), axes);
}

/// Loads the mean of the set that contains the element at `indices`. `sums`
/// contains the sums of the sets.
static Number loadMean(ElementBuilder &b, const ReducedAxes &axes, Value sums,
                       ValueRange indices) {
  Number total = loadReduced(b, sums, axes.getSet(b, indices));
  return total / total(static_cast<double>(axes.getCount()));
}

using Results = SmallVector<std::function<Value(ElementBuilder &, ValueRange)>>;

LogicalResult BatchNormalizationTrainingLowering::matchAndRewrite(
    BatchNormalizationTrainingOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  Type type = inputType.getElementType();
  ReducedAxes axes = getSets(inputType, op.getScale());
  auto load = [&](ElementBuilder &b, ValueRange indices) {
    return loadNumber(b, adaptor.getInput(), inputType, indices);
  };
  PairOfSets sums = buildSquares(rewriter, op, axes, load);
  auto getMean = [&](Number total) {
    return total / total(static_cast<double>(axes.getCount()));
  };
  auto normalize = [&](ElementBuilder &b, ValueRange indices) {
    Number x = load(b, indices) - getMean(sums.getFirst(b, indices));
    Number epsilon = x(op.getEpsilon().convertToDouble());
    x = x / sqrt(getMean(sums.getSum(b, indices)) + epsilon);
    x = x * loadNumber(b, adaptor.getScale(), op.getScale().getType(), indices);
    x = x + loadNumber(b, adaptor.getBias(), op.getBias().getType(), indices);
    if (Value other = adaptor.getFusedAdd())
      x = x + loadNumber(b, other, inputType, indices);
    return fromNumber(applyActivation(x, op.getFusedActivationAttr()), type);
  };
  // The coordinates in the tensors of means and variances identify sets.
  auto loadMean = [&](ElementBuilder &b, ValueRange indices) {
    return fromNumber(getMean(sums.getFirst(b, indices)), type);
  };
  auto loadVariance = [&](ElementBuilder &b, ValueRange indices) {
    return fromNumber(getMean(sums.getSum(b, indices)), type);
  };
  return replaceWithTensors(op, *getTypeConverter(), rewriter,
                            Results{normalize, loadMean, loadVariance});
}

namespace {
/// The common part of the gradients of batch normalizations.
template <typename OpTy> struct BatchGradient {
  OpTy op;
  typename OpTy::Adaptor adaptor;
  OpBuilder &builder;
  RankedTensorType inputType = cast<RankedTensorType>(op.getInput().getType());
  Type type = inputType.getElementType();
  ReducedAxes axes = getSets(inputType, op.getMean());

  Number loadInput(ElementBuilder &b, ValueRange indices) {
    return loadNumber(b, adaptor.getInput(), inputType, indices);
  }
  Number loadGradient(ElementBuilder &b, ValueRange indices) {
    return loadNumber(b, adaptor.getInputGradient(), inputType, indices);
  }
  Number loadScale(ElementBuilder &b, ValueRange indices) {
    return loadNumber(b, adaptor.getScale(), op.getScale().getType(), indices);
  }
  Number loadDivisor(ElementBuilder &b, ValueRange indices) {
    Number variance = loadNumber(b, adaptor.getVariance(),
                                 op.getVariance().getType(), indices);
    return variance + variance(op.getEpsilon().convertToDouble());
  }
  Value buildSums(const NumberFn &element) {
    return buildReduction(builder, op, axes, Combiner::getSum(type), element);
  }
  /// Builds the sums from which the gradient of the scale is computed.
  Value buildScaleSums() {
    return buildSums([&](ElementBuilder &b, ValueRange indices) {
      Number mean =
          loadNumber(b, adaptor.getMean(), op.getMean().getType(), indices);
      return loadGradient(b, indices) * (loadInput(b, indices) - mean);
    });
  }
  /// Return the gradient of the scale and of the bias.
  Value getScaleGradient(ElementBuilder &b, Value sums, ValueRange indices) {
    return fromNumber(
        loadReduced(b, sums, indices) / sqrt(loadDivisor(b, indices)), type);
  }
  Value getBiasGradient(ElementBuilder &b, Value sums, ValueRange indices) {
    return fromNumber(loadReduced(b, sums, indices), type);
  }
};
} // namespace

LogicalResult BatchNormalizationGradLowering::matchAndRewrite(
    BatchNormalizationGradOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  BatchGradient<BatchNormalizationGradOp> batch{op, adaptor, rewriter};
  Value scaleSums = batch.buildScaleSums();
  Value biasSums = batch.buildSums([&](ElementBuilder &b, ValueRange indices) {
    return batch.loadGradient(b, indices);
  });
  return replaceWithTensors(
      op, *getTypeConverter(), rewriter,
      Results{[&](ElementBuilder &b, ValueRange indices) {
                return fromNumber(batch.loadGradient(b, indices) *
                                      batch.loadScale(b, indices) /
                                      sqrt(batch.loadDivisor(b, indices)),
                                  batch.type);
              },
              [&](ElementBuilder &b, ValueRange indices) {
                return batch.getScaleGradient(b, scaleSums, indices);
              },
              [&](ElementBuilder &b, ValueRange indices) {
                return batch.getBiasGradient(b, biasSums, indices);
              }});
}

LogicalResult BatchNormalizationTrainingGradLowering::matchAndRewrite(
    BatchNormalizationTrainingGradOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  BatchGradient<BatchNormalizationTrainingGradOp> batch{op, adaptor, rewriter};
  const ReducedAxes &axes = batch.axes;
  Value inputSums = batch.buildSums([&](ElementBuilder &b, ValueRange indices) {
    return batch.loadInput(b, indices);
  });
  Value biasSums = batch.buildSums([&](ElementBuilder &b, ValueRange indices) {
    return batch.loadGradient(b, indices);
  });
  auto center = [&](ElementBuilder &b, ValueRange indices) {
    return batch.loadInput(b, indices) - loadMean(b, axes, inputSums, indices);
  };
  Value products = batch.buildSums([&](ElementBuilder &b, ValueRange indices) {
    return batch.loadGradient(b, indices) * center(b, indices);
  });
  Value scaleSums = batch.buildScaleSums();
  return replaceWithTensors(
      op, *getTypeConverter(), rewriter,
      Results{[&](ElementBuilder &b, ValueRange indices) {
                Number gradient = batch.loadGradient(b, indices) -
                                  loadMean(b, axes, biasSums, indices);
                Number divisor = batch.loadDivisor(b, indices);
                Number slope = loadMean(b, axes, products, indices) / divisor;
                return fromNumber((gradient - center(b, indices) * slope) *
                                      batch.loadScale(b, indices) /
                                      sqrt(divisor),
                                  batch.type);
              },
              [&](ElementBuilder &b, ValueRange indices) {
                return batch.getScaleGradient(b, scaleSums, indices);
              },
              [&](ElementBuilder &b, ValueRange indices) {
                return batch.getBiasGradient(b, biasSums, indices);
              }});
}

//===----------------------------------------------------------------------===//
// Local responses
//===----------------------------------------------------------------------===//

/// Builds, for each element, the sum of `element` over the element itself,
/// `before` neighbours before it and `after` neighbours behind it along `axis`.
static Value buildLocalSum(OpBuilder &builder, Operation *op,
                           ArrayRef<int64_t> shape, int64_t axis,
                           int64_t before, int64_t after,
                           const NumberFn &element) {
  int64_t size = shape[axis];
  // No neighbour is farther away than the tensor is long.
  before = std::min(before, size - 1);
  after = std::min(after, size - 1);
  return buildReduction(
      builder, op, shape, before + 1 + after,
      /*isInnermost=*/axis + 1 == static_cast<int64_t>(shape.size()),
      Combiner::getSum(builder.getF32Type()),
      [&](ElementBuilder &b, ValueRange outputs, ValueRange place) {
        // The position is counted from the first position that may lie before
        // the tensor, so that it is not negative.
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

namespace {
/// The common part of a local response normalization and its gradient.
template <typename OpTy> struct LocalResponse {
  OpTy op;
  OpBuilder &builder;
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getInput().getType()).getShape();
  int64_t localSize = static_cast<int64_t>(op.getLocalSize());
  float beta = op.getBeta().convertToFloat();

  /// Builds the sum of `element` over each element's region, or over all
  /// elements whose regions contain this element.
  Value buildSums(bool isMirrored, const NumberFn &element) {
    int64_t before = (localSize - 1) / 2, after = localSize / 2;
    if (isMirrored)
      std::swap(before, after);
    Value sums = buildLocalSum(builder, op, shape, op.getCrossChannel() ? 1 : 3,
                               before, after, element);
    if (op.getCrossChannel())
      return sums;
    // The sum over a rectangle is computed along one dimension after the other.
    return buildLocalSum(builder, op, shape, 2, before, after,
                         [&](ElementBuilder &b, ValueRange indices) {
                           return loadReduced(b, sums, indices);
                         });
  }
  /// Computes the base of the power from the sum of the squares.
  Number getBase(Number squares) {
    Number weight = squares(op.getAlpha().convertToDouble() /
                            static_cast<double>(localSize));
    return squares(op.getBias().convertToDouble()) + weight * squares;
  }
  Number getDivisor(Number base) {
    return beta == 1 ? base : exp(base(beta) * log(base));
  }
};
} // namespace

LogicalResult LocalResponseLowering::matchAndRewrite(
    LocalResponseNormalizationOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  LocalResponse<LocalResponseNormalizationOp> response{op, rewriter};
  auto load = [&](ElementBuilder &b, ValueRange indices) {
    return loadNumber(b, adaptor.getInput(), inputType, indices);
  };
  Value sums = response.buildSums(/*isMirrored=*/false,
                                  [&](ElementBuilder &b, ValueRange indices) {
                                    Number x = load(b, indices);
                                    return x * x;
                                  });
  return replaceWithTensor(op, *getTypeConverter(), rewriter,
                           [&](ElementBuilder &b, ValueRange indices) {
                             Number x = load(b, indices);
                             if (response.beta != 0)
                               x = x / response.getDivisor(response.getBase(
                                           loadReduced(b, sums, indices)));
                             return fromNumber(x, inputType.getElementType());
                           });
}

LogicalResult LocalResponseGradLowering::matchAndRewrite(
    LocalResponseNormalizationGradOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  LocalResponse<LocalResponseNormalizationGradOp> response{op, rewriter};
  auto load = [&](ElementBuilder &b, ValueRange indices) {
    return loadNumber(b, adaptor.getInput(), inputType, indices);
  };
  auto loadGradient = [&](ElementBuilder &b, ValueRange indices) {
    return loadNumber(b, adaptor.getInputGradient(), inputType, indices);
  };
  Value squares, terms;
  if (response.beta != 0) {
    squares = response.buildSums(/*isMirrored=*/false,
                                 [&](ElementBuilder &b, ValueRange indices) {
                                   Number x = load(b, indices);
                                   return x * x;
                                 });
    // Each term is part of several sums, so that it is computed only once.
    Value each = buildTensor(
        rewriter, op,
        RankedTensorType::get(response.shape, rewriter.getF32Type()),
        [&](ElementBuilder &b, ValueRange indices) {
          Number base = response.getBase(loadReduced(b, squares, indices));
          Number term = loadGradient(b, indices) * load(b, indices) /
                        (response.getDivisor(base) * base);
          return term.value;
        });
    terms = response.buildSums(/*isMirrored=*/true,
                               [&](ElementBuilder &b, ValueRange indices) {
                                 return loadReduced(b, each, indices);
                               });
  }
  double weight = 2 * op.getAlpha().convertToDouble() *
                  op.getBeta().convertToDouble() /
                  static_cast<double>(response.localSize);
  return replaceWithTensor(
      op, *getTypeConverter(), rewriter,
      [&](ElementBuilder &b, ValueRange indices) {
        Number gradient = loadGradient(b, indices);
        if (response.beta != 0) {
          Number base = response.getBase(loadReduced(b, squares, indices));
          gradient = gradient / response.getDivisor(base) -
                     gradient(weight) * load(b, indices) *
                         loadReduced(b, terms, indices);
        }
        return fromNumber(gradient, inputType.getElementType());
      });
}

void dml::populateNormalizationPatterns(const TypeConverter &typeConverter,
                                        RewritePatternSet &patterns) {
  patterns.add<BatchNormalizationGradLowering, BatchNormalizationLowering,
               BatchNormalizationTrainingGradLowering,
               BatchNormalizationTrainingLowering, LocalResponseGradLowering,
               LocalResponseLowering, LpNormalizationLowering,
               MeanVarianceLowering<MeanVarianceNormalizationOp>,
               MeanVarianceLowering<MeanVarianceNormalization1Op>,
               MeanVarianceLowering<MeanVarianceNormalization2Op>>(
      typeConverter, patterns.getContext());
}
