//===- PoolingOps.cpp - Drawing poolings
//-----------------------------------===//
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

static Operation *drawMaxPoolingGrad(Draft &draft, const Cell &, uint32_t mode,
                                     Value input) {
  Random &random = draft.random;
  auto inputType = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> gradientShape(inputType.getShape());
  SmallVector<int64_t> strides, windowSize, startPadding, endPadding, dilations;
  int64_t window = 1;
  // The same in all dimensions, as models have it, or anything.
  bool isUsual = random.oneIn(2);
  int64_t usualWindow = random.between(2, 3),
          usualStride = random.between(1, 3),
          usualPadding = random.between(0, usualWindow - 1),
          usualDilation = random.oneIn(3) ? 2 : 1;
  for (int64_t &size : MutableArrayRef(gradientShape).drop_front(2)) {
    strides.push_back(random.between(1, 3));
    // Windows of many elements are no likelier to find anything; and llvmpipe
    // ends the loops of an invocation, which computes several, after 65,535
    // iterations.
    constexpr int64_t maxWindow = 4000;
    windowSize.push_back(
        random.oneIn(8) && window < 100
            ? random.between(1, std::min(size + 2, maxWindow / window))
            : random.between(1, 4));
    window *= windowSize.back();
    bool padded = random.oneIn(2);
    int64_t most = random.oneIn(6) ? 6 : windowSize.back() - 1;
    startPadding.push_back(padded ? random.between(0, most) : 0);
    endPadding.push_back(padded ? random.between(0, most) : 0);
    dilations.push_back(random.oneIn(3) ? random.between(1, 3) : 1);
    if (isUsual) {
      strides.back() = usualStride;
      windowSize.back() = usualWindow;
      startPadding.back() = endPadding.back() = usualPadding;
      dilations.back() = usualDilation;
    }
    int64_t extent = 1 + (windowSize.back() - 1) * dilations.back();
    int64_t steps = std::max<int64_t>(
        size + startPadding.back() + endPadding.back() - extent, 0);
    int64_t roundUp = random.oneIn(2) ? strides.back() - 1 : 0;
    size = (steps + roundUp) / strides.back() + 1;
  }
  Value gradient = draft.addArgument(inputType.clone(gradientShape));
  return MaxPoolingGradOp::create(draft.builder, input, gradient, strides,
                                  windowSize, startPadding, endPadding,
                                  dilations);
}

/// Gives an input gradient that is an argument the size its operator wants.
static void fitGradient(Operation *operation) {
  auto op = cast<MaxPoolingGradOp>(operation);
  auto argument = dyn_cast<BlockArgument>(op.getInputGradient());
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!argument || !argument.hasOneUse() || !input)
    return;
  SmallVector<int64_t> shape(input.getShape());
  size_t numSpatial = op.getStrides().size();
  if (numSpatial + 2 != shape.size() ||
      op.getWindowSize().size() != numSpatial ||
      op.getStartPadding().size() != numSpatial ||
      op.getEndPadding().size() != numSpatial ||
      op.getDilations().size() != numSpatial)
    return;
  for (size_t i = 0; i < numSpatial; ++i) {
    // Nothing is verified here: unsigned numbers may overflow.
    auto at = [i](ArrayRef<int64_t> values) -> uint64_t { return values[i]; };
    uint64_t extent = 1 + (at(op.getWindowSize()) - 1) * at(op.getDilations());
    uint64_t padded =
        shape[i + 2] + at(op.getStartPadding()) + at(op.getEndPadding());
    uint64_t steps = extent >= padded ? 0 : padded - extent;
    uint64_t size = steps / std::max<uint64_t>(at(op.getStrides()), 1) + 1;
    if (size > UINT32_MAX)
      return;
    shape[i + 2] = static_cast<int64_t>(size);
  }
  argument.setType(input.clone(shape));
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
}

} // namespace dml::fuzz
