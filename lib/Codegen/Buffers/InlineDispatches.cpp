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

/// Whether `function` launches kernels and is a dispatch, or the body of a loop
/// that was outlined: a private function with a single block and no results.
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
    // Private functions are visited first. The outlined body of a loop is a
    // private function that calls dispatches, and the kernels replace these
    // calls before the body itself replaces the call of the body.
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
