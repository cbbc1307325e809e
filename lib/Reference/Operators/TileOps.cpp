//===- TileOps.cpp - DML_OPERATOR_TILE ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/TileOps.h"
#include "Operators/Evaluators.h"

using namespace mlir;

namespace dml::reference {

static LogicalResult evaluate(TileOp op, ArrayRef<Tensor> operands,
                              MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0];
  gather(input, outputs[0], [&](unsigned dim, int64_t coordinate) {
    return coordinate % input.getShape()[dim];
  });
  return success();
}

void addTileEvaluators(Evaluators &evaluators) {
  evaluators.addMovement<TileOp>(evaluate);
}

} // namespace dml::reference
