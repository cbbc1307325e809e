//===- ReductionOps.cpp - Drawing reductions ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ReductionOps.h"
#include "Testing/Programs/Axes.h"

using namespace mlir;

namespace dml::fuzz {

static RankedTensorType getReducedType(Draft &draft, const Cell &cell,
                                       Value input, ArrayRef<int64_t> axes) {
  return RankedTensorType::get(
      reduceShape(getShape(input), axes),
      getElementType(cell.types[1], draft.builder.getContext()));
}

static Operation *drawReduce(Draft &draft, const Cell &cell, uint32_t mode,
                             Value input) {
  SmallVector<int64_t> axes = drawAxes(draft, cell.rank);
  return ReduceOp::create(draft.builder,
                          getReducedType(draft, cell, input, axes), input,
                          static_cast<ReduceFunction>(mode), axes);
}

template <typename OpTy>
static Operation *drawArg(Draft &draft, const Cell &cell, uint32_t mode,
                          Value input) {
  SmallVector<int64_t> axes = drawAxes(draft, cell.rank);
  return OpTy::create(draft.builder, getReducedType(draft, cell, input, axes),
                      input, axes, static_cast<AxisDirection>(mode));
}

/// Gives the result of a reduction the sizes that the operator requires.
template <typename OpTy> static void fitReduction(Operation *operation) {
  auto op = cast<OpTy>(operation);
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto output = dyn_cast<RankedTensorType>(op.getOutput().getType());
  if (!input || !output)
    return;
  for (int64_t axis : op.getAxes())
    if (axis < 0 || axis >= input.getRank())
      return;
  op.getOutput().setType(
      output.clone(reduceShape(input.getShape(), op.getAxes())));
}

template <typename OpTy> static void addArg(Operators &operators) {
  Operator arg;
  arg.modeAttribute = "axis_direction";
  arg.numModes = getMaxEnumValForAxisDirection() + 1;
  arg.stringifyMode = [](uint32_t mode) {
    return stringifyAxisDirection(static_cast<AxisDirection>(mode));
  };
  arg.draw = drawArg<OpTy>;
  arg.getPurpose = [](OpOperand &) { return Purpose::Order; };
  arg.needsExact = true;
  arg.refit = fitReduction<OpTy>;
  operators.add<OpTy>(arg);
}

static bool isPlace(StringRef mode) {
  return mode == "argmax" || mode == "argmin";
}

void addReductionOperators(Operators &operators) {
  addArg<ArgMaxOp>(operators);
  addArg<ArgMinOp>(operators);

  Operator reduce;
  reduce.modeAttribute = "function";
  reduce.numModes = getMaxEnumValForReduceFunction() + 1;
  reduce.stringifyMode = [](uint32_t mode) {
    return stringifyReduceFunction(static_cast<ReduceFunction>(mode));
  };
  reduce.draw = drawReduce;
  reduce.accepts = [](const Cell &cell) {
    return isPlace(cell.mode) || cell.types[0] == cell.types[1];
  };
  reduce.getPurpose = [](OpOperand &operand) {
    switch (cast<ReduceOp>(operand.getOwner()).getFunction()) {
    case ReduceFunction::argmax:
    case ReduceFunction::argmin:
    case ReduceFunction::max:
    case ReduceFunction::min:
      return Purpose::Order;
    default:
      return Purpose::Compute;
    }
  };
  reduce.needsExact = true;
  reduce.refit = fitReduction<ReduceOp>;
  operators.add<ReduceOp>(reduce);
}

} // namespace dml::fuzz
