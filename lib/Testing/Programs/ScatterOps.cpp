//===- ScatterOps.cpp - Drawing scatters ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ScatterOps.h"
#include "Testing/Programs/Operators.h"

using namespace mlir;

namespace dml::fuzz {

static Value addIndices(Draft &draft, const Cell &cell,
                        ArrayRef<int64_t> shape) {
  return draft.addArgument(RankedTensorType::get(
      shape, getElementType(cell.types[1], draft.builder.getContext())));
}

static Operation *drawElements(Draft &draft, const Cell &cell, uint32_t,
                               Value input) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t axis = draft.random.between(0, shape.size() - 1);
  // The interpreter compares each element with all indices along the axis.
  constexpr int64_t maxIndices = 2000;
  shape[axis] =
      draft.drawSize(std::min(draft.getRoom(shape, axis), maxIndices));
  Value indices = addIndices(draft, cell, shape);
  return ScatterElementsOp::create(draft.builder, input, indices,
                                   draft.addArgument(type.clone(shape)), axis);
}

static Operation *drawNd(Draft &draft, const Cell &cell, uint32_t,
                         Value input) {
  Random &random = draft.random;
  auto type = cast<RankedTensorType>(input.getType());
  ArrayRef<int64_t> shape = type.getShape();
  int64_t rank = type.getRank(), least = rank;
  while (least > 1 && shape[rank - least] == 1)
    --least;
  int64_t inputCount = random.between(least, rank);
  int64_t tuple = random.between(1, inputCount);
  ArrayRef<int64_t> slice = shape.take_back(inputCount - tuple);
  int64_t most =
      std::min<int64_t>(rank - static_cast<int64_t>(slice.size()), rank - 1);
  int64_t tuples = random.between(0, most);
  SmallVector<int64_t> indices(rank - tuples - 1, 1),
      updates(rank - tuples - slice.size(), 1);
  int64_t elements = *reference::getNumElements(slice);
  for (int64_t dim = 0; dim < tuples; ++dim) {
    int64_t size = draft.drawSize(std::clamp<int64_t>(
        draft.maxElements / elements, 1, random.oneIn(4) ? 1000 : 20));
    indices.push_back(size);
    updates.push_back(size);
    elements *= size;
  }
  indices.push_back(tuple);
  llvm::append_range(updates, slice);
  Value indicesValue = addIndices(draft, cell, indices);
  return ScatterNdOp::create(draft.builder, input, indicesValue,
                             draft.addArgument(type.clone(updates)), inputCount,
                             tuples + 1);
}

void addScatterOperators(Operators &operators) {
  Operator scatter;
  scatter.computes = [](StringRef) { return false; };
  scatter.getPurpose = [](OpOperand &operand) {
    return operand.getOperandNumber() == 1 ? Purpose::Index : Purpose::Move;
  };
  scatter.draw = drawElements;
  operators.add<ScatterElementsOp>(scatter);
  scatter.draw = drawNd;
  operators.add<ScatterNdOp>(scatter);
}

} // namespace dml::fuzz
