//===- ScatterOps.cpp - DirectML's scatters -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ScatterOps.h"
#include "Arithmetic/Places.h"
#include "Operators/IndexedMovement.h"

using namespace mlir;

namespace dml::reference {

static LogicalResult evaluateElements(ScatterElementsOp op,
                                      ArrayRef<Estimate> operands,
                                      Evaluators::Estimates &outputs) {
  int64_t axis = op.getAxis();
  auto getTarget = [&](const Tensor &output, ArrayRef<int64_t> from,
                       IndexReader &indices) -> std::optional<int64_t> {
    SmallVector<int64_t> to(from);
    std::optional<int64_t> index = indices.get(from, output.getShape()[axis]);
    if (!index)
      return std::nullopt;
    to[axis] = *index;
    return getPlace(output, to);
  };
  return scatterEach(op, operands, outputs, getTarget);
}

static LogicalResult evaluateNd(ScatterNdOp op, ArrayRef<Estimate> operands,
                                Evaluators::Estimates &outputs) {
  int64_t rank = operands[0].value.getRank(),
          tuple = operands[1].value.getShape().back();
  int64_t before = rank - op.getInputDimensionCount();
  int64_t slice = op.getInputDimensionCount() - tuple;
  auto getTarget = [&](const Tensor &output, ArrayRef<int64_t> from,
                       IndexReader &indices) -> std::optional<int64_t> {
    ArrayRef<int64_t> which =
        from.drop_back(slice).take_back(op.getIndicesDimensionCount() - 1);
    SmallVector<int64_t> at(rank - which.size() - 1, 0), to(before, 0);
    llvm::append_range(at, which);
    at.push_back(0);
    // All indices of a tuple are read, even after one that is out of range.
    bool isInside = true;
    for (at.back() = 0; at.back() < tuple; ++at.back()) {
      std::optional<int64_t> index =
          indices.get(at, output.getShape()[to.size()]);
      isInside &= index.has_value();
      to.push_back(index.value_or(0));
    }
    llvm::append_range(to, from.take_back(slice));
    return isInside ? std::optional(getPlace(output, to)) : std::nullopt;
  };
  return scatterEach(op, operands, outputs, getTarget);
}

void addScatterEvaluators(Evaluators &evaluators) {
  evaluators.add<ScatterElementsOp>(evaluateElements);
  evaluators.add<ScatterNdOp>(evaluateNd);
}

} // namespace dml::reference
