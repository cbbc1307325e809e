//===- Scatter.cpp - DirectML's scatters ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Places.h"
#include "dml/IR/ScatterOps.h"

using namespace mlir;

namespace dml::reference {

static LogicalResult evaluateElements(ScatterElementsOp op,
                                      ArrayRef<Tensor> operands,
                                      MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0], &indices = operands[1],
               &updates = operands[2];
  std::copy_n(input.getData(), input.getNumBytes(), outputs[0].getData());
  int64_t axis = op.getAxis();
  forEachCoordinate(indices.getShape(), [&](ArrayRef<int64_t> from) {
    SmallVector<int64_t> to(from);
    std::optional<int64_t> index =
        getIndex(indices, from, input.getShape()[axis]);
    if (!index)
      return;
    to[axis] = *index;
    copyElement(updates, from, outputs[0], to);
  });
  return success();
}

static LogicalResult evaluateNd(ScatterNdOp op, ArrayRef<Tensor> operands,
                                MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0], &indices = operands[1],
               &updates = operands[2];
  std::copy_n(input.getData(), input.getNumBytes(), outputs[0].getData());
  int64_t rank = input.getRank(), tuple = indices.getShape().back();
  int64_t before = rank - op.getInputDimensionCount();
  int64_t slice = op.getInputDimensionCount() - tuple;
  forEachCoordinate(updates.getShape(), [&](ArrayRef<int64_t> from) {
    ArrayRef<int64_t> which =
        from.drop_back(slice).take_back(op.getIndicesDimensionCount() - 1);
    SmallVector<int64_t> at(rank - which.size() - 1, 0), to(before, 0);
    llvm::append_range(at, which);
    at.push_back(0);
    for (at.back() = 0; at.back() < tuple; ++at.back()) {
      std::optional<int64_t> index =
          getIndex(indices, at, input.getShape()[to.size()]);
      if (!index)
        return;
      to.push_back(*index);
    }
    llvm::append_range(to, from.take_back(slice));
    copyElement(updates, from, outputs[0], to);
  });
  return success();
}

void addScatterEvaluators(Evaluators &evaluators) {
  evaluators.addIndexedMovement<ScatterElementsOp>(evaluateElements, {1});
  evaluators.addIndexedMovement<ScatterNdOp>(evaluateNd, {1});
}

} // namespace dml::reference
