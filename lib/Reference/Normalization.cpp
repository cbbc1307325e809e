//===- Normalization.cpp - DirectML's normalizations ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementWiseRows.h"
#include "Sets.h"
#include "Sums.h"
#include "dml/IR/NormalizationOps.h"
#include <algorithm>

using namespace mlir;

namespace dml::reference {

/// The element of `tensor` at `coordinates`, where sizes of 1 repeat their
/// element.
static Interval loadRepeated(const Estimate &tensor,
                             ArrayRef<int64_t> coordinates) {
  int64_t place = 0;
  for (auto [size, coordinate] :
       llvm::zip_equal(tensor.value.getShape(), coordinates))
    place = place * size + (size == 1 ? 0 : coordinate);
  return Interval::load(tensor, place);
}

static LogicalResult evaluateBatch(BatchNormalizationOp op,
                                   ArrayRef<Estimate> operands,
                                   Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  Interval epsilon(op.getEpsilon().convertToDouble());
  int64_t place = 0;
  forEachCoordinate(output->value.getShape(), [&](ArrayRef<int64_t> at) {
    Interval x = Interval::load(operands[0], place);
    Interval mean = loadRepeated(operands[1], at);
    Interval variance = loadRepeated(operands[2], at);
    Interval scale = loadRepeated(operands[3], at);
    Interval bias = loadRepeated(operands[4], at);
    Interval result = (x - mean) / sqrt(variance + epsilon) * scale + bias;
    applyActivation(result, op.getFusedActivationAttr())
        .store(*output, place++);
  });
  outputs.push_back(std::move(*output));
  return success();
}

/// The mean over each set is taken away if `useMean`, and the root of what is
/// then the mean square divides if `useVariance`.
static LogicalResult evaluateMeanVariance(Operation *op, const Estimate &input,
                                          const Estimate *scale,
                                          const Estimate *bias,
                                          ArrayRef<int64_t> axes, bool useMean,
                                          bool useVariance, double epsilon,
                                          ActivationAttr activation,
                                          Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op->getResult(0).getType());
  if (failed(output))
    return failure();
  // Of each element: what becomes of it before scale and bias.
  std::vector<Interval> normalized(input.value.getNumElements(), Interval(0));
  Sets(input.value.getShape(), axes)
      .forEach([&](int64_t, ArrayRef<int64_t> places) {
        Interval count(static_cast<double>(places.size()));
        Interval mean(0);
        if (useMean) {
          Sum sum;
          for (int64_t place : places)
            sum.add(Interval::load(input, place));
          mean = sum.get() / count;
        }
        Sum squares;
        for (int64_t place : places) {
          Interval x = Interval::load(input, place);
          normalized[place] = useMean ? x - mean : x;
          squares.add(square(normalized[place]));
        }
        if (!useVariance)
          return;
        Interval variance = squares.get() / count;
        for (int64_t place : places)
          normalized[place] =
              normalized[place] / sqrt(variance + Interval(epsilon));
      });
  int64_t place = 0;
  forEachCoordinate(input.value.getShape(), [&](ArrayRef<int64_t> at) {
    Interval x = normalized[place];
    if (scale)
      x = x * loadRepeated(*scale, at);
    if (bias)
      x = x + loadRepeated(*bias, at);
    applyActivation(x, activation).store(*output, place++);
  });
  outputs.push_back(std::move(*output));
  return success();
}

template <typename OpTy>
static LogicalResult evaluateMeanVariance(OpTy op, ArrayRef<Estimate> operands,
                                          ArrayRef<int64_t> axes, bool useMean,
                                          bool useVariance,
                                          Evaluators::Estimates &outputs) {
  return evaluateMeanVariance(op, operands[0], getOptional(op, operands, 1),
                              getOptional(op, operands, 2), axes, useMean,
                              useVariance, op.getEpsilon().convertToDouble(),
                              op.getFusedActivationAttr(), outputs);
}

static LogicalResult evaluateMVN(MeanVarianceNormalizationOp op,
                                 ArrayRef<Estimate> operands,
                                 Evaluators::Estimates &outputs) {
  SmallVector<int64_t> axes = {2, 3};
  if (op.getCrossChannel())
    axes = {1, 2, 3};
  return evaluateMeanVariance(op, operands, axes, /*useMean=*/true,
                              op.getNormalizeVariance(), outputs);
}

static LogicalResult evaluateMVN1(MeanVarianceNormalization1Op op,
                                  ArrayRef<Estimate> operands,
                                  Evaluators::Estimates &outputs) {
  return evaluateMeanVariance(op, operands, op.getAxes(), /*useMean=*/true,
                              op.getNormalizeVariance(), outputs);
}

static LogicalResult evaluateMVN2(MeanVarianceNormalization2Op op,
                                  ArrayRef<Estimate> operands,
                                  Evaluators::Estimates &outputs) {
  return evaluateMeanVariance(op, operands, op.getAxes(), op.getUseMean(),
                              op.getUseVariance(), outputs);
}

static LogicalResult evaluateLocalResponse(LocalResponseNormalizationOp op,
                                           ArrayRef<Estimate> operands,
                                           Evaluators::Estimates &outputs) {
  const Estimate &input = operands[0];
  ArrayRef<int64_t> shape = input.value.getShape();
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  auto localSize = static_cast<int64_t>(op.getLocalSize());
  Interval weight = Interval(op.getAlpha().convertToDouble()) /
                    Interval(static_cast<double>(localSize));
  Interval bias(op.getBias().convertToDouble());
  float beta = op.getBeta().convertToFloat();
  int64_t place = 0;
  forEachCoordinate(shape, [&](ArrayRef<int64_t> at) {
    // The region, from its first to its last element.
    SmallVector<int64_t> first(at), last(at);
    auto extend = [&](unsigned dim) {
      first[dim] = std::max<int64_t>(at[dim] - (localSize - 1) / 2, 0);
      last[dim] = std::min(at[dim] + localSize / 2, shape[dim] - 1);
    };
    if (op.getCrossChannel()) {
      extend(1);
    } else {
      extend(2);
      extend(3);
    }
    Sum squares;
    int64_t plane = at[0] * shape[1];
    for (int64_t c = first[1]; c <= last[1]; ++c)
      for (int64_t h = first[2]; h <= last[2]; ++h)
        for (int64_t w = first[3]; w <= last[3]; ++w)
          squares.add(square(Interval::load(
              input, ((plane + c) * shape[2] + h) * shape[3] + w)));
    Interval x = Interval::load(input, place);
    Interval base = bias + weight * squares.get();
    if (beta == 1)
      x = x / base;
    else if (beta != 0)
      x = x / exp(Interval(beta) * log(base));
    x.store(*output, place++);
  });
  outputs.push_back(std::move(*output));
  return success();
}

static LogicalResult evaluateLp(LpNormalizationOp op,
                                ArrayRef<Estimate> operands,
                                Evaluators::Estimates &outputs) {
  const Estimate &input = operands[0];
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  Interval epsilon(op.getEpsilon().convertToDouble());
  bool isSquared = op.getP() == 2;
  Sets(input.value.getShape(), static_cast<int64_t>(op.getAxis()))
      .forEach([&](int64_t, ArrayRef<int64_t> places) {
        Sum sum;
        for (int64_t place : places) {
          Interval x = Interval::load(input, place);
          sum.add(isSquared ? square(x) : abs(x));
        }
        Interval norm = isSquared ? sqrt(sum.get()) : sum.get();
        norm = select(norm < epsilon, epsilon, norm);
        for (int64_t place : places)
          (Interval::load(input, place) / norm).store(*output, place);
      });
  outputs.push_back(std::move(*output));
  return success();
}

void addNormalizationEvaluators(Evaluators &evaluators) {
  evaluators.add<BatchNormalizationOp>(evaluateBatch);
  evaluators.add<LocalResponseNormalizationOp>(evaluateLocalResponse);
  evaluators.add<LpNormalizationOp>(evaluateLp);
  evaluators.add<MeanVarianceNormalizationOp>(evaluateMVN);
  evaluators.add<MeanVarianceNormalization1Op>(evaluateMVN1);
  evaluators.add<MeanVarianceNormalization2Op>(evaluateMVN2);
}

} // namespace dml::reference
