//===- TrainingOps.cpp - Drawing optimizers -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/TrainingOps.h"
#include "Testing/Programs/Operators.h"

using namespace mlir;

namespace dml::fuzz {

static Operation *drawAdam(Draft &draft, const Cell &cell, uint32_t,
                           Value input) {
  Random &random = draft.random;
  Type type = input.getType();
  Value first = draft.addArgument(type), second = draft.addArgument(type),
        gradient = draft.addArgument(type);
  Value step = draft.addArgument(RankedTensorType::get(
      SmallVector<int64_t>(cell.rank, 1),
      getElementType(cell.types[4], draft.builder.getContext())));
  // The lists hold numbers that models have, and others.
  auto pick = [&](ArrayRef<float> floats) {
    return llvm::APFloat(random.pick(floats));
  };
  return AdamOptimizerOp::create(
      draft.builder, type, type, type, input, first, second, gradient, step,
      pick({1e-3f, 1e-3f, 0.1f, 1.0f, -0.5f}),
      pick({0.9f, 0.9f, 0.5f, 0.0f, 1.0f}),
      pick({0.999f, 0.999f, 0.99999994f, 0.25f, 0.0f, 1.0f}),
      pick({1e-8f, 1e-8f, 1e-3f, 0.5f, 0.0f}));
}

void addTrainingOperators(Operators &operators) {
  Operator adam;
  adam.draw = drawAdam;
  adam.getPurpose = [](OpOperand &operand) {
    switch (operand.getOperandNumber()) {
    case 2: // Second moments are not negative.
      return Purpose::Scale;
    case 4: // Few steps mostly, and sometimes many.
      return Purpose::Index;
    default:
      return Purpose::Compute;
    }
  };
  operators.add<AdamOptimizerOp>(adam);
}

} // namespace dml::fuzz
