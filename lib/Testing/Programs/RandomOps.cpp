//===- RandomOps.cpp - Drawing random generators --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RandomOps.h"
#include "Testing/Programs/Operators.h"

using namespace mlir;

namespace dml::fuzz {

static Operation *drawGenerator(Draft &draft, const Cell &cell, uint32_t mode,
                                Value input) {
  Random &random = draft.random;
  SmallVector<int64_t> shape(cell.rank, 1);
  shape.back() = 6;
  Type state = RankedTensorType::get(
      shape, getElementType(cell.type, draft.builder.getContext()));
  // The state is an argument, because the results of other operators seldom
  // have its shape.
  if (mayRetype(input))
    input.setType(state);
  else if (input.getType() != state)
    input = draft.addArgument(state);
  // Older feature levels support one rank only.
  auto rank =
      static_cast<unsigned>(cell.rank == 4 ? cell.rank : random.between(1, 8));
  return RandomGeneratorOp::create(draft.builder,
                                   draft.drawType(cell.type, rank),
                                   random.oneIn(3) ? Type() : state, input,
                                   static_cast<RandomGeneratorType>(mode));
}

void addRandomOperators(Operators &operators) {
  Operator generator;
  generator.modeAttribute = "type";
  generator.numModes = getMaxEnumValForRandomGeneratorType() + 1;
  generator.stringifyMode = [](uint32_t mode) {
    return stringifyRandomGeneratorType(static_cast<RandomGeneratorType>(mode));
  };
  generator.draw = drawGenerator;
  // The results depend on all bits of the state, and are known exactly if the
  // state is.
  generator.needsExact = true;
  generator.computes = [](llvm::StringRef) { return false; };
  operators.add<RandomGeneratorOp>(generator);
}

} // namespace dml::fuzz
