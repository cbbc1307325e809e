//===- TestPlugin.cpp - A plugin with a pass on dml operators -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PaddingOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

namespace {
/// Says what each padding pads with.
struct DescribePaddings
    : mlir::PassWrapper<DescribePaddings, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DescribePaddings)

  llvm::StringRef getArgument() const override {
    return "test-describe-paddings";
  }
  llvm::StringRef getDescription() const override {
    return "Remarks on every dml.padding";
  }
  void runOnOperation() override {
    getOperation()->walk([](dml::PaddingOp op) {
      op.emitRemark() << "pads with "
                      << dml::stringifyPaddingMode(op.getMode());
    });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "dml-test", "1",
          [] { mlir::PassRegistration<DescribePaddings>(); }};
}
