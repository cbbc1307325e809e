//===- GatherOps.cpp - DirectML's gathers ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/GatherOps.h"
#include "Arithmetic/Places.h"
#include "Operators/IndexedMovement.h"

using namespace mlir;

namespace dml::reference {

static LogicalResult evaluateGather(GatherOp op, ArrayRef<Estimate> operands,
                                    Evaluators::Estimates &outputs) {
  auto rank = static_cast<int64_t>(operands[0].value.getRank()),
       axis = static_cast<int64_t>(op.getAxis()),
       count = static_cast<int64_t>(op.getIndexDimensions());
  // The coordinates of an output element consist of those before the axis,
  // those of the indices, and those after the axis. They are taken apart from
  // the end.
  auto getSource = [&](const Tensor &input, ArrayRef<int64_t> to,
                       IndexReader &indices) {
    ArrayRef<int64_t> rest = to;
    ArrayRef<int64_t> after = rest.take_back(rank - axis - 1);
    rest = rest.drop_back(after.size());
    ArrayRef<int64_t> chosen = rest.take_back(count);
    rest = rest.drop_back(count);
    SmallVector<int64_t> at(rank - count, 0);
    llvm::append_range(at, chosen);
    SmallVector<int64_t> from(
        rest.take_back(std::min<size_t>(axis, rest.size())));
    while (static_cast<int64_t>(from.size()) < axis)
      from.insert(from.begin(), 0);
    from.push_back(indices.getClamped(at, input.getShape()[axis]));
    llvm::append_range(from, after);
    return getPlace(input, from);
  };
  return gatherEach(op, operands, /*input=*/0, /*indices=*/1, outputs,
                    getSource);
}

static LogicalResult evaluateGatherElements(GatherElementsOp op,
                                            ArrayRef<Estimate> operands,
                                            Evaluators::Estimates &outputs) {
  int64_t axis = op.getAxis();
  auto getSource = [&](const Tensor &input, ArrayRef<int64_t> to,
                       IndexReader &indices) {
    SmallVector<int64_t> from(to);
    from[axis] = indices.getClamped(to, input.getShape()[axis]);
    return getPlace(input, from);
  };
  return gatherEach(op, operands, /*input=*/0, /*indices=*/1, outputs,
                    getSource);
}

template <typename OpTy>
static LogicalResult evaluateGatherNd(OpTy op, ArrayRef<Estimate> operands,
                                      Evaluators::Estimates &outputs) {
  int64_t batch = 0;
  if constexpr (std::is_same_v<OpTy, GatherNd1Op>)
    batch = op.getBatchDimensionCount();
  int64_t rank = operands[0].value.getRank(),
          tuple = operands[1].value.getShape().back();
  int64_t before = rank - op.getInputDimensionCount();
  int64_t slice = op.getInputDimensionCount() - batch - tuple;
  auto getSource = [&](const Tensor &input, ArrayRef<int64_t> to,
                       IndexReader &indices) {
    ArrayRef<int64_t> which =
        to.drop_back(slice).take_back(op.getIndicesDimensionCount() - 1);
    SmallVector<int64_t> at(rank - which.size() - 1, 0), from(before, 0);
    llvm::append_range(at, which);
    at.push_back(0);
    llvm::append_range(from, which.take_front(batch));
    for (at.back() = 0; at.back() < tuple; ++at.back())
      from.push_back(indices.getClamped(at, input.getShape()[from.size()]));
    llvm::append_range(from, to.take_back(slice));
    return getPlace(input, from);
  };
  return gatherEach(op, operands, /*input=*/0, /*indices=*/1, outputs,
                    getSource);
}

static LogicalResult evaluateOneHot(OneHotOp op, ArrayRef<Estimate> operands,
                                    Evaluators::Estimates &outputs) {
  int64_t axis = op.getAxis();
  int64_t size = cast<RankedTensorType>(op.getType()).getShape()[axis];
  // The second value belongs to the position that the index names.
  auto getSource = [&](const Tensor &, ArrayRef<int64_t> to,
                       IndexReader &indices) -> int64_t {
    SmallVector<int64_t> at(to);
    at[axis] = 0;
    return indices.get(at, size) == to[axis];
  };
  return gatherEach(op, operands, /*input=*/1, /*indices=*/0, outputs,
                    getSource);
}

void addGatherEvaluators(Evaluators &evaluators) {
  evaluators.add<GatherOp>(evaluateGather);
  evaluators.add<GatherElementsOp>(evaluateGatherElements);
  evaluators.add<GatherNdOp>(evaluateGatherNd<GatherNdOp>);
  evaluators.add<GatherNd1Op>(evaluateGatherNd<GatherNd1Op>);
  evaluators.add<OneHotOp>(evaluateOneHot);
}

} // namespace dml::reference
