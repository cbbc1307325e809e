//===- PoolingOps.cpp - Drawing poolings ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PoolingOps.h"
#include "Operators.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace dml::fuzz {

namespace {
/// How windows lie in a tensor.
struct Windows {
  SmallVector<int64_t> strides, size, startPadding, endPadding, dilations;
  /// A tensor with an element for each.
  SmallVector<int64_t> shape;

  Windows(Random &random, ArrayRef<int64_t> input, bool isDilated = true);
};
} // namespace

Windows::Windows(Random &random, ArrayRef<int64_t> input, bool isDilated)
    : shape(input) {
  int64_t window = 1;
  // The same in all dimensions, as models have it, or anything.
  bool isUsual = random.oneIn(2);
  int64_t usualWindow = random.between(2, 3),
          usualStride = random.between(1, 3),
          usualPadding = random.between(0, usualWindow - 1),
          usualDilation = random.oneIn(3) ? 2 : 1;
  for (int64_t &size : MutableArrayRef(shape).drop_front(2)) {
    strides.push_back(random.between(1, 3));
    // Windows of many elements are no likelier to find anything; and llvmpipe
    // ends the loops of an invocation, which computes several, after 65,535
    // iterations.
    constexpr int64_t maxWindow = 4000;
    this->size.push_back(
        random.oneIn(8) && window < 100
            ? random.between(1, std::min(size + 2, maxWindow / window))
            : random.between(1, 4));
    window *= this->size.back();
    bool padded = random.oneIn(2);
    int64_t most = random.oneIn(6) ? 6 : this->size.back() - 1;
    startPadding.push_back(padded ? random.between(0, most) : 0);
    endPadding.push_back(padded ? random.between(0, most) : 0);
    dilations.push_back(random.oneIn(3) ? random.between(1, 3) : 1);
    if (isUsual) {
      strides.back() = usualStride;
      this->size.back() = usualWindow;
      startPadding.back() = endPadding.back() = usualPadding;
      dilations.back() = usualDilation;
    }
    if (!isDilated)
      dilations.back() = 1;
    int64_t extent = 1 + (this->size.back() - 1) * dilations.back();
    int64_t steps = std::max<int64_t>(
        size + startPadding.back() + endPadding.back() - extent, 0);
    int64_t roundUp = random.oneIn(2) ? strides.back() - 1 : 0;
    size = (steps + roundUp) / strides.back() + 1;
  }
}

static Operation *drawMaxPoolingGrad(Draft &draft, const Cell &, uint32_t,
                                     Value input) {
  auto inputType = cast<RankedTensorType>(input.getType());
  Windows windows(draft.random, inputType.getShape());
  Value gradient = draft.addArgument(inputType.clone(windows.shape));
  return MaxPoolingGradOp::create(
      draft.builder, input, gradient, windows.strides, windows.size,
      windows.startPadding, windows.endPadding, windows.dilations);
}

static Operation *drawMaxPooling2(Draft &draft, const Cell &cell, uint32_t,
                                  Value input) {
  auto inputType = cast<RankedTensorType>(input.getType());
  Windows windows(draft.random, inputType.getShape());
  auto output = inputType.clone(windows.shape);
  // Indices of what is known within bounds only are unknown.
  Type indices;
  if (draft.random.oneIn(2) && !draft.isGraph)
    indices = output.clone(
        getElementType(cell.types.back(), draft.builder.getContext()));
  return MaxPooling2Op::create(
      draft.builder, output, indices, input, windows.strides, windows.size,
      windows.startPadding, windows.endPadding, windows.dilations);
}

static Operation *drawAveragePooling(Draft &draft, const Cell &, uint32_t,
                                     Value input) {
  auto inputType = cast<RankedTensorType>(input.getType());
  Windows windows(draft.random, inputType.getShape(), /*isDilated=*/false);
  return AveragePoolingOp::create(draft.builder, inputType.clone(windows.shape),
                                  input, windows.strides, windows.size,
                                  windows.startPadding, windows.endPadding,
                                  /*include_padding=*/draft.random.oneIn(2));
}

/// The sizes that windows of `input` have, or nothing if there is none.
template <typename OpTy>
static std::optional<SmallVector<int64_t>>
getFittingShape(OpTy op, ArrayRef<int64_t> dilations) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!input)
    return std::nullopt;
  SmallVector<int64_t> shape(input.getShape());
  size_t numSpatial = op.getStrides().size();
  if (numSpatial + 2 != shape.size() ||
      op.getWindowSize().size() != numSpatial ||
      op.getStartPadding().size() != numSpatial ||
      op.getEndPadding().size() != numSpatial ||
      (!dilations.empty() && dilations.size() != numSpatial))
    return std::nullopt;
  for (size_t i = 0; i < numSpatial; ++i) {
    // Nothing is verified here: unsigned numbers may overflow.
    auto at = [i](ArrayRef<int64_t> values) -> uint64_t {
      return values.empty() ? 1 : values[i];
    };
    uint64_t extent = 1 + (at(op.getWindowSize()) - 1) * at(dilations);
    uint64_t padded =
        shape[i + 2] + at(op.getStartPadding()) + at(op.getEndPadding());
    uint64_t steps = extent >= padded ? 0 : padded - extent;
    uint64_t size = steps / std::max<uint64_t>(at(op.getStrides()), 1) + 1;
    if (size > UINT32_MAX)
      return std::nullopt;
    shape[i + 2] = static_cast<int64_t>(size);
  }
  return shape;
}

/// Gives the results the sizes that the operator wants, which nobody infers.
template <typename OpTy>
static void fitOutput(OpTy op, ArrayRef<int64_t> dilations) {
  std::optional<SmallVector<int64_t>> shape = getFittingShape(op, dilations);
  if (!shape)
    return;
  for (Value result : op->getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      result.setType(type.clone(*shape));
}

/// Gives an input gradient that is an argument the size its operator wants.
static void fitGradient(Operation *operation) {
  auto op = cast<MaxPoolingGradOp>(operation);
  auto argument = dyn_cast<BlockArgument>(op.getInputGradient());
  std::optional<SmallVector<int64_t>> shape =
      getFittingShape(op, op.getDilations());
  if (!argument || !argument.hasOneUse() || !shape)
    return;
  argument.setType(
      cast<RankedTensorType>(op.getInput().getType()).clone(*shape));
}

void addPoolingOperators(Operators &operators) {
  Operator grad;
  grad.draw = drawMaxPoolingGrad;
  grad.getPurpose = [](OpOperand &operand) {
    return operand.getOperandNumber() == 0 ? Purpose::Order : Purpose::Add;
  };
  grad.needsExact = true;
  grad.refit = fitGradient;
  operators.add<MaxPoolingGradOp>(grad);

  Operator max;
  max.draw = drawMaxPooling2;
  max.getPurpose = [](OpOperand &) { return Purpose::Order; };
  max.computes = [](StringRef) { return false; };
  max.refit = [](Operation *operation) {
    auto op = cast<MaxPooling2Op>(operation);
    fitOutput(op, op.getDilations());
  };
  operators.add<MaxPooling2Op>(max);

  Operator average;
  average.draw = drawAveragePooling;
  // Half of them average small integers, whose sums are exact.
  average.getPurpose = [](OpOperand &operand) {
    auto op = cast<AveragePoolingOp>(operand.getOwner());
    return op.getIncludePadding() ? Purpose::Compute : Purpose::Add;
  };
  average.refit = [](Operation *operation) {
    fitOutput(cast<AveragePoolingOp>(operation), /*dilations=*/{});
  };
  operators.add<AveragePoolingOp>(average);
}

} // namespace dml::fuzz
