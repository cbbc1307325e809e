//===- SortOps.cpp - Drawing selections -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SortOps.h"
#include "Testing/Programs/Axes.h"

using namespace mlir;

namespace dml::fuzz {

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

static RankedTensorType getSelectedType(RankedTensorType input, int64_t axis,
                                        int64_t k, Type elementType) {
  SmallVector<int64_t> shape(input.getShape());
  shape[axis] = k;
  return RankedTensorType::get(shape, elementType);
}

template <typename OpTy>
static Operation *drawSelection(Draft &draft, const Cell &cell, uint32_t mode,
                                Value input) {
  auto type = cast<RankedTensorType>(input.getType());
  auto axis = static_cast<int64_t>(drawAxis(draft, cell.rank));
  int64_t size = type.getDimSize(axis);
  // Selects all elements of a line, few of them, or any number.
  int64_t k = draft.random.oneIn(3) ? size
              : draft.random.oneIn(2)
                  ? draft.random.between(1, std::min<int64_t>(size, 5))
                  : draft.random.between(1, size);
  Type values = getSelectedType(type, axis, k, type.getElementType());
  Type indices = getSelectedType(
      type, axis, k, getElementType(cell.types[2], draft.builder.getContext()));
  if constexpr (std::is_same_v<OpTy, TopK1Op>)
    return OpTy::create(draft.builder, values, indices, input, axis, k,
                        static_cast<AxisDirection>(mode));
  else
    return OpTy::create(draft.builder, values, indices, input, axis, k);
}

/// Gives the results of a selection the sizes that the operator requires.
template <typename OpTy> static void fitSelection(Operation *operation) {
  auto op = cast<OpTy>(operation);
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto axis = static_cast<int64_t>(op.getAxis()),
       k = static_cast<int64_t>(op.getK());
  if (!input || axis < 0 || axis >= input.getRank())
    return;
  if (k > input.getDimSize(axis)) {
    k = input.getDimSize(axis);
    op.setK(k);
  }
  for (Value output : op->getResults())
    output.setType(
        getSelectedType(input, axis, k, getElementTypeOrSelf(output)));
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// If older feature levels support the input's rank, all tensors get that rank,
/// as those levels require.
static Operation *drawNonzero(Draft &draft, const Cell &cell, uint32_t,
                              Value input) {
  Random &random = draft.random;
  auto type = cast<RankedTensorType>(input.getType());
  bool isOld = cell.rank == 4 || cell.rank == 5;
  size_t countRank = isOld ? cell.rank : random.between(1, 8),
         rowsRank = isOld ? cell.rank : random.between(2, 8);
  int64_t rank = type.getRank(), units = 0;
  while (units < rank - 1 && type.getDimSize(units) == 1)
    ++units;
  SmallVector<int64_t> rows(rowsRank, 1);
  rows[rowsRank - 1] = random.between(rank - units, rank);
  rows[rowsRank - 2] = type.getNumElements();
  MLIRContext *context = draft.builder.getContext();
  return NonzeroCoordinatesOp::create(
      draft.builder,
      RankedTensorType::get(SmallVector<int64_t>(countRank, 1),
                            getElementType(cell.types[1], context)),
      RankedTensorType::get(rows, getElementType(cell.types[2], context)),
      input);
}

/// Gives the tensor of coordinates its sizes: one row per element, whose length
/// is the rank of the input.
static void fitRows(Operation *operation) {
  auto op = cast<NonzeroCoordinatesOp>(operation);
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto rows = dyn_cast<RankedTensorType>(op.getOutputCoordinates().getType());
  if (!input || !input.hasStaticShape() || !rows || rows.getRank() < 2)
    return;
  SmallVector<int64_t> shape(rows.getRank(), 1);
  shape[shape.size() - 1] = input.getRank();
  shape[shape.size() - 2] = input.getNumElements();
  op.getOutputCoordinates().setType(rows.clone(shape));
}

void addSortOperators(Operators &operators) {
  Operator op;
  op.getPurpose = [](OpOperand &) { return Purpose::Order; };
  op.needsExact = true;
  op.draw = drawNonzero;
  op.refit = fitRows;
  operators.add<NonzeroCoordinatesOp>(op);
  // The values are copies of elements, but the indices are computed.
  op.draw = drawSelection<TopKOp>;
  op.refit = fitSelection<TopKOp>;
  operators.add<TopKOp>(op);
  op.modeAttribute = "axis_direction";
  op.numModes = getMaxEnumValForAxisDirection() + 1;
  op.stringifyMode = [](uint32_t mode) {
    return stringifyAxisDirection(static_cast<AxisDirection>(mode));
  };
  op.draw = drawSelection<TopK1Op>;
  op.refit = fitSelection<TopK1Op>;
  operators.add<TopK1Op>(op);
}

} // namespace dml::fuzz
