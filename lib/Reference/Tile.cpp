//===- Tile.cpp - DML_OPERATOR_TILE ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

using namespace mlir;

namespace dml::reference {

LogicalResult evaluate(TileOp op, const Tensor &input, Tensor &output) {
  gather(input, output, [&](unsigned dim, int64_t coordinate) {
    return coordinate % input.getShape()[dim];
  });
  return success();
}

} // namespace dml::reference
