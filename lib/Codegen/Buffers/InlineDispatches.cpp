//===- InlineDispatches.cpp - Launches in the place of calls --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace dml {
#define GEN_PASS_DEF_INLINEDISPATCHES
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;

/// Whether `function` is a dispatch or the body of a loop over steps: a private
/// function with a single block and no results, which launches kernels.
static bool isDispatch(func::FuncOp function) {
  return function && function.isPrivate() && function.getBody().hasOneBlock() &&
         function.getNumResults() == 0 &&
         !function.getBody().getOps<gpu::LaunchFuncOp>().empty();
}

namespace {
struct InlineDispatches : dml::impl::InlineDispatchesBase<InlineDispatches> {
  using InlineDispatchesBase::InlineDispatchesBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::SetVector<Operation *> inlined;
    // The bodies of loops call dispatches, and come before their callers.
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    std::stable_partition(
        functions.begin(), functions.end(),
        [](func::FuncOp function) { return function.isPrivate(); });
    for (func::FuncOp function : functions)
      function.walk([&](func::CallOp call) {
        auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        if (!isDispatch(callee))
          return;
        OpBuilder builder(call);
        IRMapping mapping;
        mapping.map(callee.getArguments(), call.getOperands());
        for (Operation &op : callee.getBody().front().without_terminator())
          if (!isOpTriviallyDead(&op))
            builder.clone(op, mapping)->setLoc(call.getLoc());
        call.erase();
        inlined.insert(callee);
      });
    for (Operation *callee : inlined)
      symbols.erase(callee);
  }
};
} // namespace
