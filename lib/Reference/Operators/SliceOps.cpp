//===- SliceOps.cpp - DirectML's slices -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SliceOps.h"
#include "Operators/Evaluators.h"

using namespace mlir;

namespace dml::reference {

static LogicalResult evaluateSlice(SliceOp op, ArrayRef<Tensor> operands,
                                   MutableArrayRef<Tensor> outputs) {
  gather(operands[0], outputs[0], [&](unsigned dim, int64_t coordinate) {
    return op.getOffsets()[dim] + op.getStrides()[dim] * coordinate;
  });
  return success();
}

/// Returns the coordinate at step `step` of the window of `op`.
template <typename OpTy>
static int64_t getPlace(OpTy op, unsigned dim, int64_t step) {
  int64_t first = op.getInputWindowOffsets()[dim];
  int64_t stride = op.getInputWindowStrides()[dim];
  if (stride < 0)
    first += op.getInputWindowSizes()[dim] - 1;
  return first + stride * step;
}

static LogicalResult evaluateSlice1(Slice1Op op, ArrayRef<Tensor> operands,
                                    MutableArrayRef<Tensor> outputs) {
  gather(operands[0], outputs[0], [&](unsigned dim, int64_t coordinate) {
    return getPlace(op, dim, coordinate);
  });
  return success();
}

static LogicalResult evaluateSliceGrad(SliceGradOp op,
                                       ArrayRef<Tensor> operands,
                                       MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0];
  // For each dimension, the step that leads to each coordinate.
  SmallVector<SmallVector<int64_t>> steps;
  for (auto [dim, size] : llvm::enumerate(outputs[0].getShape())) {
    steps.emplace_back(size, outsideOfInput);
    for (int64_t step = 0; step < input.getShape()[dim]; ++step)
      steps.back()[getPlace(op, dim, step)] = step;
  }
  const char zeros[8] = {};
  gather(
      input, outputs[0],
      [&](unsigned dim, int64_t coordinate) { return steps[dim][coordinate]; },
      {zeros, getByteWidth(input.getDataType())});
  return success();
}

void addSliceEvaluators(Evaluators &evaluators) {
  evaluators.addMovement<SliceOp>(evaluateSlice);
  evaluators.addMovement<Slice1Op>(evaluateSlice1);
  evaluators.addMovement<SliceGradOp>(evaluateSliceGrad);
}

} // namespace dml::reference
