//===- NormalizationOps.cpp - DirectML's normalizations -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/NormalizationOps.h"
#include "Arithmetic/Sets.h"
#include "Arithmetic/Sums.h"
#include "Operators/ElementWiseRows.h"
#include <algorithm>

using namespace mlir;

namespace dml::reference {

/// Returns the element of `tensor` at `coordinates`, where dimensions of size 1
/// are broadcast.
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

/// Returns the dimensions in which `repeated` has size 1 and is broadcast.
static SmallVector<int64_t> getRepeatedAxes(const Estimate &repeated) {
  SmallVector<int64_t> axes;
  for (auto [dim, size] : llvm::enumerate(repeated.value.getShape()))
    if (size == 1)
      axes.push_back(dim);
  return axes;
}

/// Returns the sum of `get` over `places`.
static Interval sumUp(ArrayRef<int64_t> places,
                      llvm::function_ref<Interval(int64_t place)> get) {
  Sum sum;
  for (int64_t place : places)
    sum.add(get(place));
  return sum.get();
}

static LogicalResult evaluateBatchTraining(BatchNormalizationTrainingOp op,
                                           ArrayRef<Estimate> operands,
                                           Evaluators::Estimates &outputs) {
  for (Type type : op->getResultTypes()) {
    FailureOr<Estimate> output = createBounds(op, type);
    if (failed(output))
      return failure();
    outputs.push_back(std::move(*output));
  }
  const Estimate &input = operands[0], &scale = operands[1],
                 &bias = operands[2];
  const Estimate *fusedAdd = NamedOperands(op, operands).getFusedAdd();
  Interval epsilon(op.getEpsilon().convertToDouble());
  // The number of a set is the position of its element in the tensors that are
  // broadcast.
  Sets(input.value.getShape(), getRepeatedAxes(scale))
      .forEach([&](int64_t set, ArrayRef<int64_t> places) {
        Interval count(static_cast<double>(places.size()));
        auto load = [&](int64_t place) { return Interval::load(input, place); };
        Interval mean = sumUp(places, load) / count;
        Interval variance =
            sumUp(places,
                  [&](int64_t place) { return square(load(place) - mean); }) /
            count;
        mean.store(outputs[1], set);
        variance.store(outputs[2], set);
        for (int64_t place : places) {
          Interval x = (load(place) - mean) / sqrt(variance + epsilon) *
                           Interval::load(scale, set) +
                       Interval::load(bias, set);
          if (fusedAdd)
            x = x + Interval::load(*fusedAdd, place);
          applyActivation(x, op.getFusedActivationAttr())
              .store(outputs[0], place);
        }
      });
  return success();
}

/// `isTraining` states that the mean and the variance depend on the input.
template <typename OpTy>
static LogicalResult evaluateBatchGradient(OpTy op, ArrayRef<Estimate> operands,
                                           bool isTraining,
                                           Evaluators::Estimates &outputs) {
  for (Type type : op->getResultTypes()) {
    FailureOr<Estimate> output = createBounds(op, type);
    if (failed(output))
      return failure();
    outputs.push_back(std::move(*output));
  }
  Interval epsilon(op.getEpsilon().convertToDouble());
  Sets(operands[0].value.getShape(), getRepeatedAxes(operands[2]))
      .forEach([&](int64_t set, ArrayRef<int64_t> places) {
        Interval count(static_cast<double>(places.size()));
        Interval mean = Interval::load(operands[2], set),
                 variance = Interval::load(operands[3], set),
                 scale = Interval::load(operands[4], set);
        Interval divisor = variance + epsilon;
        auto input = [&](int64_t place) {
          return Interval::load(operands[0], place);
        };
        auto gradient = [&](int64_t place) {
          return Interval::load(operands[1], place);
        };
        Interval biasGradient = sumUp(places, gradient);
        (sumUp(places,
               [&](int64_t place) {
                 return gradient(place) * (input(place) - mean);
               }) /
         sqrt(divisor))
            .store(outputs[1], set);
        biasGradient.store(outputs[2], set);
        if (!isTraining) {
          for (int64_t place : places)
            (gradient(place) * scale / sqrt(divisor)).store(outputs[0], place);
          return;
        }
        Interval inputMean = sumUp(places, input) / count;
        Interval slope =
            sumUp(places,
                  [&](int64_t place) {
                    return gradient(place) * (input(place) - inputMean);
                  }) /
            count / divisor;
        for (int64_t place : places) {
          Interval centered = gradient(place) - biasGradient / count;
          Interval x = input(place) - inputMean;
          ((centered - x * slope) * scale / sqrt(divisor))
              .store(outputs[0], place);
        }
      });
  return success();
}

static LogicalResult evaluateBatchGrad(BatchNormalizationGradOp op,
                                       ArrayRef<Estimate> operands,
                                       Evaluators::Estimates &outputs) {
  return evaluateBatchGradient(op, operands, /*isTraining=*/false, outputs);
}

static LogicalResult
evaluateBatchTrainingGrad(BatchNormalizationTrainingGradOp op,
                          ArrayRef<Estimate> operands,
                          Evaluators::Estimates &outputs) {
  return evaluateBatchGradient(op, operands, /*isTraining=*/true, outputs);
}

/// Normalizes each set: subtracts the mean if `useMean` is set, and divides by
/// the root of the mean square of the result if `useVariance` is set.
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
  // The normalized elements, before scale and bias.
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
  NamedOperands in(op, operands);
  return evaluateMeanVariance(op, *in.getInput(), in.getScale(), in.getBias(),
                              axes, useMean, useVariance,
                              op.getEpsilon().convertToDouble(),
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

/// For each element of a tensor of shape `shape`, computes the sum of `get`
/// over a region that extends `before` elements before and `after` elements
/// behind this element. The region runs along the channels or over the plane.
static std::vector<Interval>
sumRegions(ArrayRef<int64_t> shape, bool crossChannel, int64_t before,
           int64_t after, llvm::function_ref<Interval(int64_t place)> get) {
  std::vector<Interval> sums;
  forEachCoordinate(shape, [&](ArrayRef<int64_t> at) {
    // The first and the last coordinates of the region.
    SmallVector<int64_t> first(at), last(at);
    auto extend = [&](unsigned dim) {
      first[dim] = std::max<int64_t>(at[dim] - before, 0);
      last[dim] = std::min(at[dim] + after, shape[dim] - 1);
    };
    if (crossChannel) {
      extend(1);
    } else {
      extend(2);
      extend(3);
    }
    Sum sum;
    int64_t plane = at[0] * shape[1];
    for (int64_t c = first[1]; c <= last[1]; ++c)
      for (int64_t h = first[2]; h <= last[2]; ++h)
        for (int64_t w = first[3]; w <= last[3]; ++w)
          sum.add(get(((plane + c) * shape[2] + h) * shape[3] + w));
    sums.push_back(sum.get());
  });
  return sums;
}

/// Returns, for each element, the number that a local response normalization
/// raises to a power.
template <typename OpTy>
static std::vector<Interval> getBases(OpTy op, const Estimate &input) {
  auto localSize = static_cast<int64_t>(op.getLocalSize());
  std::vector<Interval> bases =
      sumRegions(input.value.getShape(), op.getCrossChannel(),
                 (localSize - 1) / 2, localSize / 2, [&](int64_t place) {
                   return square(Interval::load(input, place));
                 });
  Interval weight = Interval(op.getAlpha().convertToDouble()) /
                    Interval(static_cast<double>(localSize));
  Interval bias(op.getBias().convertToDouble());
  for (Interval &base : bases)
    base = bias + weight * base;
  return bases;
}

/// base^beta
static Interval getDivisor(Interval base, float beta) {
  return beta == 1 ? base : exp(Interval(beta) * log(base));
}

static LogicalResult evaluateLocalResponse(LocalResponseNormalizationOp op,
                                           ArrayRef<Estimate> operands,
                                           Evaluators::Estimates &outputs) {
  const Estimate &input = operands[0];
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  float beta = op.getBeta().convertToFloat();
  for (auto [place, base] : llvm::enumerate(getBases(op, input))) {
    Interval x = Interval::load(input, place);
    if (beta != 0)
      x = x / getDivisor(base, beta);
    x.store(*output, place);
  }
  outputs.push_back(std::move(*output));
  return success();
}

static LogicalResult
evaluateLocalResponseGrad(LocalResponseNormalizationGradOp op,
                          ArrayRef<Estimate> operands,
                          Evaluators::Estimates &outputs) {
  const Estimate &input = operands[0], &inputGradient = operands[1];
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  auto localSize = static_cast<int64_t>(op.getLocalSize());
  float beta = op.getBeta().convertToFloat();
  std::vector<Interval> bases = getBases(op, input);
  // The elements whose regions contain a given element form the mirrored region
  // of this element.
  std::vector<Interval> sums =
      sumRegions(input.value.getShape(), op.getCrossChannel(), localSize / 2,
                 (localSize - 1) / 2, [&](int64_t place) {
                   return Interval::load(inputGradient, place) *
                          Interval::load(input, place) /
                          (getDivisor(bases[place], beta) * bases[place]);
                 });
  // The rounding of this constant is not specified.
  double exact = 2 * op.getAlpha().convertToDouble() *
                 op.getBeta().convertToDouble() /
                 static_cast<double>(localSize);
  Interval weight = Interval::around(exact, exact, exact, 2);
  for (auto [place, base] : llvm::enumerate(bases)) {
    Interval gradient = Interval::load(inputGradient, place);
    if (beta != 0)
      gradient = gradient / getDivisor(base, beta) -
                 weight * Interval::load(input, place) * sums[place];
    gradient.store(*output, place);
  }
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
  evaluators.add<BatchNormalizationGradOp>(evaluateBatchGrad);
  evaluators.add<BatchNormalizationOp>(evaluateBatch);
  evaluators.add<BatchNormalizationTrainingGradOp>(evaluateBatchTrainingGrad);
  evaluators.add<BatchNormalizationTrainingOp>(evaluateBatchTraining);
  evaluators.add<LocalResponseNormalizationGradOp>(evaluateLocalResponseGrad);
  evaluators.add<LocalResponseNormalizationOp>(evaluateLocalResponse);
  evaluators.add<LpNormalizationOp>(evaluateLp);
  evaluators.add<MeanVarianceNormalizationOp>(evaluateMVN);
  evaluators.add<MeanVarianceNormalization1Op>(evaluateMVN1);
  evaluators.add<MeanVarianceNormalization2Op>(evaluateMVN2);
}

} // namespace dml::reference
