//===- SeenKeys.cpp - The keys that a query sees --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/SeenKeys.h"

using namespace mlir;
using namespace dml;

Value dml::buildLastSeen(ImplicitLocOpBuilder &b, TileBuilder &builder,
                         const Attention &attention,
                         const SmallVector<LinearForm> &coordinates) {
  auto compare = attention.isSeen.getDefiningOp<arith::CmpIOp>();
  builder.bind(0, attention.key, LinearForm(0));
  builder.buildSlice(attention.isSeenSlice, coordinates);
  return arith::MinUIOp::create(
      b, builder.getBuilt(0, compare.getRhs()),
      arith::ConstantIndexOp::create(b, attention.keys - 1));
}
