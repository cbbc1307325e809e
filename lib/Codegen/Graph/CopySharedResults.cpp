//===- CopySharedResults.cpp - A buffer for every result ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dml {
#define GEN_PASS_DEF_COPYSHAREDRESULTS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;

namespace {
struct CopySharedResults : dml::impl::CopySharedResultsBase<CopySharedResults> {
  void runOnOperation() override {
    getOperation().walk([](tensor::EmptyOp op) {
      OpBuilder builder(op);
      for (OpOperand &use : llvm::make_early_inc_range(op->getUses()))
        if (!op->hasOneUse())
          use.set(builder.clone(*op)->getResult(0));
    });
    getOperation().walk([](func::ReturnOp op) {
      OpBuilder builder(op);
      llvm::SmallDenseSet<Value> seen;
      for (OpOperand &operand : op->getOpOperands()) {
        Value value = operand.get();
        auto type = dyn_cast<RankedTensorType>(value.getType());
        if (!type || seen.insert(value).second)
          continue;
        operand.set(bufferization::AllocTensorOp::create(
            builder, op.getLoc(), type, /*dynamicSizes=*/ValueRange(),
            /*copy=*/value));
      }
    });
  }
};
} // namespace
