//===- TruncateBeforeSelecting.cpp - One truncation for all ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRV/TruncateBeforeSelecting.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace dml;

void dml::truncateBeforeSelecting(gpu::GPUModuleOp module) {
  llvm::MapVector<std::pair<Value, Type>, SmallVector<arith::TruncFOp>> users;
  module.walk([&](arith::TruncFOp op) {
    auto select = op.getIn().getDefiningOp<arith::SelectOp>();
    if (select && !isa<ShapedType>(op.getType()) && !op.getRoundingmode() &&
        matchPattern(select.getFalseValue(), m_Constant()))
      users[{select.getTrueValue(), op.getType()}].push_back(op);
  });
  for (auto &[key, ops] : users) {
    auto [value, type] = key;
    if (ops.size() < 2)
      continue;
    OpBuilder b(module.getContext());
    b.setInsertionPointAfterValue(value);
    Value narrow = arith::TruncFOp::create(b, value.getLoc(), type, value);
    for (arith::TruncFOp op : ops) {
      auto select = op.getIn().getDefiningOp<arith::SelectOp>();
      b.setInsertionPoint(op);
      Value other = b.createOrFold<arith::TruncFOp>(op.getLoc(), type,
                                                    select.getFalseValue());
      Value selected = arith::SelectOp::create(
          b, op.getLoc(), select.getCondition(), narrow, other);
      op.replaceAllUsesWith(selected);
      op.erase();
    }
  }
}
