//===- SinkConstants.cpp - Kernels have their own constants ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace dml {
#define GEN_PASS_DEF_SINKCONSTANTS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;

/// Copies the constants that `launch` uses, and that are defined outside of it,
/// into `launch`.
static void sinkConstants(gpu::LaunchOp launch) {
  auto builder = OpBuilder::atBlockBegin(&launch.getBody().front());
  llvm::SmallDenseMap<Operation *, Operation *> copies;
  launch.getBody().walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *constant = operand.get().getDefiningOp();
      if (!constant || !constant->hasTrait<OpTrait::ConstantLike>() ||
          launch->isProperAncestor(constant))
        continue;
      Operation *&copy = copies[constant];
      if (!copy)
        copy = builder.clone(*constant);
      operand.set(copy->getResult(0));
    }
  });
}

namespace {
struct SinkConstants : dml::impl::SinkConstantsBase<SinkConstants> {
  void runOnOperation() override { getOperation().walk(sinkConstants); }
};
} // namespace
