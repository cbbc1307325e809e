//===- SoftmaxOps.cpp - Drawing softmax and its relatives -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SoftmaxOps.h"
#include "Testing/Programs/Axes.h"

using namespace mlir;

namespace dml::fuzz {

template <typename OpTy>
static Operation *draw(Draft &draft, const Cell &cell, uint32_t, Value input) {
  return OpTy::create(draft.builder, input.getType(), input,
                      drawAxes(draft, cell.rank));
}

/// Draws an operator without axes, which requires a matrix. If `input` is none,
/// gives it the shape of a matrix or takes a new argument.
template <typename OpTy>
static Operation *drawOfMatrix(Draft &draft, const Cell &cell, uint32_t,
                               Value input) {
  SmallVector<int64_t> shape(getShape(input));
  auto sizes =
      ArrayRef(shape).drop_while([](int64_t size) { return size == 1; });
  if (sizes.size() > 2) {
    auto type = cast<RankedTensorType>(input.getType());
    for (int64_t &size : MutableArrayRef(shape).drop_back(2))
      size = 1;
    if (auto argument = dyn_cast<BlockArgument>(input);
        argument && argument.use_empty())
      argument.setType(type.clone(shape));
    else
      input = draft.addArgument(type.clone(shape));
  }
  return OpTy::create(draft.builder, input.getType(), input);
}

template <typename OpTy>
static void add(Operators &operators, bool isOrder,
                Operation *(*draw)(Draft &, const Cell &, uint32_t, Value)) {
  Operator op;
  op.draw = draw;
  if (isOrder)
    op.getPurpose = [](OpOperand &) { return Purpose::Order; };
  else
    op.getPurpose = [](OpOperand &) { return Purpose::Compute; };
  op.needsExact = isOrder;
  operators.add<OpTy>(op);
}

void addSoftmaxOperators(Operators &operators) {
  add<ActivationHardmaxOp>(operators, true, drawOfMatrix<ActivationHardmaxOp>);
  add<ActivationHardmax1Op>(operators, true, draw<ActivationHardmax1Op>);
  add<ActivationLogSoftmaxOp>(operators, false,
                              drawOfMatrix<ActivationLogSoftmaxOp>);
  add<ActivationLogSoftmax1Op>(operators, false, draw<ActivationLogSoftmax1Op>);
  add<ActivationSoftmaxOp>(operators, false, drawOfMatrix<ActivationSoftmaxOp>);
  add<ActivationSoftmax1Op>(operators, false, draw<ActivationSoftmax1Op>);
}

} // namespace dml::fuzz
