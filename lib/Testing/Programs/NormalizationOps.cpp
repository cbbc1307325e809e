//===- NormalizationOps.cpp - Drawing normalizations ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/NormalizationOps.h"
#include "Testing/Programs/Axes.h"
#include "Testing/Programs/ElementWiseDraws.h"

using namespace mlir;

namespace dml::fuzz {

/// Draws one of the given numbers.
static llvm::APFloat drawFloat(Draft &draft, ArrayRef<float> floats) {
  return llvm::APFloat(draft.random.pick(floats));
}

/// Draws an epsilon, which is mostly large enough that square roots do not
/// depend on rounding errors.
static llvm::APFloat drawEpsilon(Draft &draft) {
  return drawFloat(draft, {1e-5f, 1e-5f, 1e-3f, 0.5f, 1.0f, 0.0f});
}

/// Adds an argument like `input` with some dimensions of size 1, whose elements
/// are broadcast: all but the channels, as models have it, or any.
static Value drawRepeated(Draft &draft, Value input) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  bool isUsual = draft.random.oneIn(2);
  for (auto [dim, size] : llvm::enumerate(shape))
    if (isUsual ? dim != 1 : draft.random.oneIn(2))
      size = 1;
  return draft.addArgument(type.clone(shape));
}

static Value drawOptional(Draft &draft, Value input) {
  return draft.random.oneIn(3) ? Value() : drawRepeated(draft, input);
}

static Operation *drawBatch(Draft &draft, const Cell &, uint32_t, Value input) {
  Value mean = drawRepeated(draft, input),
        variance = drawRepeated(draft, input),
        scale = drawRepeated(draft, input), bias = drawRepeated(draft, input);
  auto activation = drawFusedActivation<BatchNormalizationOp>(draft);
  llvm::APFloat epsilon = drawEpsilon(draft);
  bool spatial = draft.random.oneIn(2);
  return BatchNormalizationOp::create(draft.builder, input.getType(), input,
                                      mean, variance, scale, bias, spatial,
                                      epsilon, activation);
}

static Operation *drawBatchTraining(Draft &draft, const Cell &, uint32_t,
                                    Value input) {
  Value scale = drawRepeated(draft, input);
  Value bias = draft.addArgument(scale.getType());
  Value fusedAdd = draft.random.oneIn(2)
                       ? Value()
                       : Value(draft.addArgument(input.getType()));
  llvm::APFloat epsilon = drawEpsilon(draft);
  auto activation =
      draft.random.oneIn(2)
          ? ActivationAttr()
          : drawActivation(draft,
                           BatchNormalizationTrainingOp::getOperatorSupport());
  return BatchNormalizationTrainingOp::create(
      draft.builder, input.getType(), scale.getType(), scale.getType(), input,
      scale, bias, fusedAdd, epsilon, activation);
}

template <typename OpTy>
static Operation *drawBatchGrad(Draft &draft, const Cell &, uint32_t,
                                Value input) {
  Value gradient = draft.addArgument(input.getType());
  Value mean = drawRepeated(draft, input);
  Value variance = draft.addArgument(mean.getType()),
        scale = draft.addArgument(mean.getType());
  return OpTy::create(draft.builder, input.getType(), mean.getType(),
                      mean.getType(), input, gradient, mean, variance, scale,
                      drawEpsilon(draft));
}

static Operation *drawMVN(Draft &draft, const Cell &, uint32_t, Value input) {
  Value scale = drawOptional(draft, input), bias = drawOptional(draft, input);
  bool crossChannel = draft.random.oneIn(2);
  bool normalizeVariance = !draft.random.oneIn(4);
  llvm::APFloat epsilon = drawEpsilon(draft);
  return MeanVarianceNormalizationOp::create(
      draft.builder, input.getType(), input, scale, bias, crossChannel,
      normalizeVariance, epsilon,
      drawFusedActivation<MeanVarianceNormalizationOp>(draft));
}

static Operation *drawMVN1(Draft &draft, const Cell &cell, uint32_t,
                           Value input) {
  Value scale = drawOptional(draft, input), bias = drawOptional(draft, input);
  SmallVector<int64_t> axes = drawAxes(draft, cell.rank);
  bool normalizeVariance = !draft.random.oneIn(4);
  llvm::APFloat epsilon = drawEpsilon(draft);
  return MeanVarianceNormalization1Op::create(
      draft.builder, input.getType(), input, scale, bias, axes,
      normalizeVariance, epsilon,
      drawFusedActivation<MeanVarianceNormalization1Op>(draft));
}

static Operation *drawMVN2(Draft &draft, const Cell &cell, uint32_t,
                           Value input) {
  Value scale = drawOptional(draft, input), bias = drawOptional(draft, input);
  SmallVector<int64_t> axes = drawAxes(draft, cell.rank);
  bool useMean = draft.random.oneIn(2);
  bool useVariance = !draft.random.oneIn(4);
  llvm::APFloat epsilon = drawEpsilon(draft);
  return MeanVarianceNormalization2Op::create(
      draft.builder, input.getType(), input, scale, bias, axes, useMean,
      useVariance, epsilon,
      drawFusedActivation<MeanVarianceNormalization2Op>(draft));
}

namespace {
/// The attributes of a local response normalization.
struct LocalResponse {
  uint64_t localSize;
  bool crossChannel;
  llvm::APFloat alpha, beta, bias;

  LocalResponse(Draft &draft, Value input);
};
} // namespace

static uint64_t drawLocalSize(Random &random, ArrayRef<int64_t> shape) {
  auto localSize = static_cast<uint64_t>(
      random.oneIn(8) ? random.pick(ArrayRef<int64_t>({70, 1000, 4294967295}))
                      : random.between(1, 9));
  // A small region limits the time of the interpreter, which visits each
  // element of each region.
  if (shape.back() > 64 || shape[2] > 64)
    localSize = std::min<uint64_t>(localSize, 9);
  return localSize;
}

LocalResponse::LocalResponse(Draft &draft, Value input)
    : localSize(drawLocalSize(draft.random, getShape(input))),
      crossChannel(draft.random.oneIn(2)),
      alpha(drawFloat(draft, {1e-4f, 0.3f, 1.0f})),
      beta(drawFloat(draft, {0.75f, 0.75f, 0.5f, 1.0f, 0.0f, 2.5f, -0.5f})),
      bias(drawFloat(draft, {1.0f, 1.0f, 2.0f, 0.5f})) {}

static Operation *drawLocalResponse(Draft &draft, const Cell &, uint32_t,
                                    Value input) {
  LocalResponse drawn(draft, input);
  return LocalResponseNormalizationOp::create(
      draft.builder, input.getType(), input, drawn.crossChannel,
      drawn.localSize, drawn.alpha, drawn.beta, drawn.bias);
}

static Operation *drawLocalResponseGrad(Draft &draft, const Cell &, uint32_t,
                                        Value input) {
  LocalResponse drawn(draft, input);
  Value gradient = draft.addArgument(input.getType());
  return LocalResponseNormalizationGradOp::create(
      draft.builder, input.getType(), input, gradient, drawn.crossChannel,
      drawn.localSize, drawn.alpha, drawn.beta, drawn.bias);
}

static Operation *drawLp(Draft &draft, const Cell &cell, uint32_t mode,
                         Value input) {
  uint64_t axis = drawAxis(draft, cell.rank);
  return LpNormalizationOp::create(
      draft.builder, input.getType(), input, axis, drawEpsilon(draft),
      static_cast<uint64_t>(draft.random.between(1, 2)));
}

template <typename OpTy>
static void add(Operators &operators,
                Operation *(*draw)(Draft &, const Cell &, uint32_t, Value)) {
  Operator op;
  op.draw = draw;
  op.getPurpose = [](OpOperand &) { return Purpose::Compute; };
  operators.add<OpTy>(op);
}

void addNormalizationOperators(Operators &operators) {
  Operator batch;
  batch.draw = drawBatch;
  batch.getPurpose = [](OpOperand &operand) {
    // Variances must not be negative.
    return operand.getOperandNumber() == 2 ? Purpose::Scale : Purpose::Compute;
  };
  operators.add<BatchNormalizationOp>(batch);
  batch.getPurpose = [](OpOperand &operand) {
    return operand.getOperandNumber() == 3 ? Purpose::Scale : Purpose::Compute;
  };
  batch.draw = drawBatchGrad<BatchNormalizationGradOp>;
  operators.add<BatchNormalizationGradOp>(batch);
  batch.draw = drawBatchGrad<BatchNormalizationTrainingGradOp>;
  operators.add<BatchNormalizationTrainingGradOp>(batch);
  add<BatchNormalizationTrainingOp>(operators, drawBatchTraining);
  add<LocalResponseNormalizationGradOp>(operators, drawLocalResponseGrad);
  add<LocalResponseNormalizationOp>(operators, drawLocalResponse);
  add<LpNormalizationOp>(operators, drawLp);
  add<MeanVarianceNormalizationOp>(operators, drawMVN);
  add<MeanVarianceNormalization1Op>(operators, drawMVN1);
  add<MeanVarianceNormalization2Op>(operators, drawMVN2);
}

} // namespace dml::fuzz
