//===- ScanOps.cpp - Drawing scans ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ScanOps.h"
#include "Testing/Programs/Axes.h"

using namespace mlir;

namespace dml::fuzz {

template <typename OpTy>
static Operation *draw(Draft &draft, const Cell &cell, uint32_t mode,
                       Value input) {
  return OpTy::create(draft.builder, input.getType(), input,
                      drawAxis(draft, cell.rank),
                      static_cast<AxisDirection>(mode),
                      /*isExclusive=*/draft.random.oneIn(2));
}

template <typename OpTy> static void add(Operators &operators) {
  Operator scan;
  scan.modeAttribute = "axis_direction";
  scan.numModes = getMaxEnumValForAxisDirection() + 1;
  scan.stringifyMode = [](uint32_t mode) {
    return stringifyAxisDirection(static_cast<AxisDirection>(mode));
  };
  scan.draw = draw<OpTy>;
  scan.getPurpose = [](OpOperand &) { return Purpose::Compute; };
  // The interpreter adds integers without bounds, so it must know them exactly.
  scan.needsExact = true;
  operators.add<OpTy>(scan);
}

void addScanOperators(Operators &operators) {
  add<CumulativeProductOp>(operators);
  add<CumulativeSummationOp>(operators);
}

} // namespace dml::fuzz
