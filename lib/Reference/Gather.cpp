//===- Gather.cpp - DirectML's gathers ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Places.h"
#include "dml/IR/GatherOps.h"

using namespace mlir;

namespace dml::reference {

static LogicalResult evaluateGather(GatherOp op, ArrayRef<Tensor> operands,
                                    MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0], &indices = operands[1];
  auto rank = static_cast<int64_t>(input.getRank()),
       axis = static_cast<int64_t>(op.getAxis()),
       count = static_cast<int64_t>(op.getIndexDimensions());
  // Coordinates are read from the last one back: first those after the axis,
  // then those of the indices, then those before the axis.
  forEachCoordinate(outputs[0].getShape(), [&](ArrayRef<int64_t> to) {
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
    from.push_back(getClampedIndex(indices, at, input.getShape()[axis]));
    llvm::append_range(from, after);
    copyElement(input, from, outputs[0], to);
  });
  return success();
}

static LogicalResult evaluateGatherElements(GatherElementsOp op,
                                            ArrayRef<Tensor> operands,
                                            MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0];
  int64_t axis = op.getAxis();
  forEachCoordinate(outputs[0].getShape(), [&](ArrayRef<int64_t> to) {
    SmallVector<int64_t> from(to);
    from[axis] = getClampedIndex(operands[1], to, input.getShape()[axis]);
    copyElement(input, from, outputs[0], to);
  });
  return success();
}

template <typename OpTy>
static LogicalResult evaluateGatherNd(OpTy op, ArrayRef<Tensor> operands,
                                      MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0], &indices = operands[1];
  int64_t batch = 0;
  if constexpr (std::is_same_v<OpTy, GatherNd1Op>)
    batch = op.getBatchDimensionCount();
  int64_t rank = input.getRank(), tuple = indices.getShape().back();
  int64_t before = rank - op.getInputDimensionCount();
  int64_t slice = op.getInputDimensionCount() - batch - tuple;
  forEachCoordinate(outputs[0].getShape(), [&](ArrayRef<int64_t> to) {
    ArrayRef<int64_t> which =
        to.drop_back(slice).take_back(op.getIndicesDimensionCount() - 1);
    SmallVector<int64_t> at(rank - which.size() - 1, 0), from(before, 0);
    llvm::append_range(at, which);
    at.push_back(0);
    llvm::append_range(from, which.take_front(batch));
    for (at.back() = 0; at.back() < tuple; ++at.back())
      from.push_back(
          getClampedIndex(indices, at, input.getShape()[from.size()]));
    llvm::append_range(from, to.take_back(slice));
    copyElement(input, from, outputs[0], to);
  });
  return success();
}

static LogicalResult evaluateOneHot(OneHotOp op, ArrayRef<Tensor> operands,
                                    MutableArrayRef<Tensor> outputs) {
  const Tensor &indices = operands[0], &values = operands[1];
  Tensor &output = outputs[0];
  int64_t axis = op.getAxis();
  unsigned width = getByteWidth(values.getDataType());
  forEachCoordinate(output.getShape(), [&](ArrayRef<int64_t> to) {
    SmallVector<int64_t> at(to);
    at[axis] = 0;
    bool isOn = getIndex(indices, at, output.getShape()[axis]) == to[axis];
    std::copy_n(values.getData() + (isOn ? width : 0), width,
                output.getData() + getPlace(output, to) * width);
  });
  return success();
}

void addGatherEvaluators(Evaluators &evaluators) {
  evaluators.addIndexedMovement<GatherOp>(evaluateGather, {1});
  evaluators.addIndexedMovement<GatherElementsOp>(evaluateGatherElements, {1});
  evaluators.addIndexedMovement<GatherNdOp>(evaluateGatherNd<GatherNdOp>, {1});
  evaluators.addIndexedMovement<GatherNd1Op>(evaluateGatherNd<GatherNd1Op>,
                                             {1});
  evaluators.addIndexedMovement<OneHotOp>(evaluateOneHot, {0});
}

} // namespace dml::reference
