//===- GatherOps.cpp - Drawing gathers ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/GatherOps.h"
#include "Testing/Programs/Operators.h"

using namespace mlir;

namespace dml::fuzz {

static Value addIndices(Draft &draft, const Cell &cell, unsigned tensor,
                        ArrayRef<int64_t> shape) {
  return draft.addArgument(RankedTensorType::get(
      shape, getElementType(cell.types[tensor], draft.builder.getContext())));
}

static Operation *drawGather(Draft &draft, const Cell &cell, uint32_t,
                             Value input) {
  Random &random = draft.random;
  ArrayRef<int64_t> shape = getShape(input);
  auto rank = static_cast<int64_t>(shape.size());
  // The number of leading dimensions of size 1, which the result may drop.
  int64_t units = 0;
  while (units < rank && shape[units] == 1)
    ++units;
  int64_t axis = random.between(0, rank - 1);
  int64_t count = random.between(0, std::min(units, axis) + 1);
  int64_t elements = *reference::getNumElements(shape) / shape[axis];
  SmallVector<int64_t> indices(rank, 1);
  for (int64_t dim = rank - count; dim < rank; ++dim) {
    indices[dim] =
        draft.drawSize(std::max<int64_t>(draft.maxElements / elements, 1));
    elements *= indices[dim];
  }
  return GatherOp::create(draft.builder, input,
                          addIndices(draft, cell, 1, indices), axis, count);
}

static Operation *drawGatherElements(Draft &draft, const Cell &cell, uint32_t,
                                     Value input) {
  SmallVector<int64_t> shape(getShape(input));
  int64_t axis = draft.random.between(0, shape.size() - 1);
  shape[axis] = draft.drawSize(draft.getRoom(shape, axis));
  return GatherElementsOp::create(draft.builder, input,
                                  addIndices(draft, cell, 1, shape), axis);
}

template <typename OpTy>
static Operation *drawGatherNd(Draft &draft, const Cell &cell, uint32_t,
                               Value input) {
  Random &random = draft.random;
  ArrayRef<int64_t> shape = getShape(input);
  auto rank = static_cast<int64_t>(shape.size());
  int64_t least = rank;
  while (least > 1 && shape[rank - least] == 1)
    --least;
  int64_t inputCount = random.between(least, rank);
  ArrayRef<int64_t> counted = shape.take_back(inputCount);
  int64_t batch = 0;
  if constexpr (std::is_same_v<OpTy, GatherNd1Op>)
    batch = random.oneIn(2) ? random.between(0, inputCount - 1) : 0;
  int64_t tuple = random.between(1, inputCount - batch);
  int64_t slice = inputCount - batch - tuple;
  // `tuples` is the number of index dimensions before the dimension of the
  // tuples: the batch dimensions, and some others. There is always room for the
  // batch dimensions, because a tuple selects at least one dimension.
  int64_t tuples = random.between(batch, std::min(rank - slice, rank - 1));
  SmallVector<int64_t> indices(rank - tuples - 1, 1);
  llvm::append_range(indices, counted.take_front(batch));
  int64_t elements = *reference::getNumElements(counted.take_back(slice));
  elements *= *reference::getNumElements(counted.take_front(batch));
  for (int64_t dim = batch; dim < tuples; ++dim) {
    indices.push_back(
        draft.drawSize(std::max<int64_t>(draft.maxElements / elements, 1)));
    elements *= indices.back();
  }
  indices.push_back(tuple);
  Value indicesValue = addIndices(draft, cell, 1, indices);
  if constexpr (std::is_same_v<OpTy, GatherNd1Op>)
    return OpTy::create(draft.builder, input, indicesValue, inputCount,
                        tuples + 1, batch);
  else
    return OpTy::create(draft.builder, input, indicesValue, inputCount,
                        tuples + 1);
}

static Operation *drawOneHot(Draft &draft, const Cell &cell, uint32_t,
                             Value input) {
  Random &random = draft.random;
  SmallVector<int64_t> shape(getShape(input)), values(shape.size(), 1);
  // The indices are the first operand. They must be an argument, not a result
  // of another operator.
  int64_t axis = random.between(0, shape.size() - 1);
  shape[axis] = 1;
  MLIRContext *context = draft.builder.getContext();
  if (!mayRetype(input))
    input = addIndices(draft, cell, 0, shape);
  else
    input.setType(
        RankedTensorType::get(shape, getElementType(cell.types[0], context)));
  values[random.between(0, values.size() - 1)] = random.between(2, 4);
  Type type = getElementType(cell.types[1], context);
  Value choice = draft.addArgument(RankedTensorType::get(values, type));
  shape[axis] = draft.drawSize(draft.getRoom(shape, axis));
  return OneHotOp::create(draft.builder, RankedTensorType::get(shape, type),
                          input, choice, axis);
}

void addGatherOperators(Operators &operators) {
  Operator gather;
  gather.computes = [](StringRef) { return false; };
  gather.getPurpose = [](OpOperand &operand) {
    return operand.getOperandNumber() == 1 ? Purpose::Index : Purpose::Move;
  };
  gather.draw = drawGather;
  operators.add<GatherOp>(gather);
  gather.draw = drawGatherElements;
  operators.add<GatherElementsOp>(gather);
  gather.draw = drawGatherNd<GatherNdOp>;
  operators.add<GatherNdOp>(gather);
  gather.draw = drawGatherNd<GatherNd1Op>;
  operators.add<GatherNd1Op>(gather);
  gather.getPurpose = [](OpOperand &operand) {
    return operand.getOperandNumber() == 0 ? Purpose::Index : Purpose::Move;
  };
  gather.draw = drawOneHot;
  operators.add<OneHotOp>(gather);
}

} // namespace dml::fuzz
