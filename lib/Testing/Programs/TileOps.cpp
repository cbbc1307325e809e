//===- TileOps.cpp - Drawing tiles ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/TileOps.h"
#include "Testing/Programs/Operators.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace dml::fuzz {

static Operation *drawTile(Draft &draft, const Cell &, uint32_t mode,
                           Value input) {
  SmallVector<int64_t> shape(getShape(input)), repeats(shape.size(), 1);
  for (unsigned dim : draft.drawOrder(shape.size())) {
    if (draft.random.oneIn(3))
      continue;
    repeats[dim] = draft.drawSize(draft.getRoom(shape, dim) / shape[dim]);
    shape[dim] *= repeats[dim];
  }
  return TileOp::create(draft.builder, input, repeats);
}

void addTileOperators(Operators &operators) {
  Operator tile;
  tile.draw = drawTile;
  tile.computes = [](StringRef) { return false; };
  operators.add<TileOp>(tile);
}

} // namespace dml::fuzz
