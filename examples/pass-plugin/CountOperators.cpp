//===- CountOperators.cpp - A pass in a plugin of dml-opt -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A pass of one's own, outside of dml's source. dml-opt loads the plugin, whose
// pass then has an option of dml-opt and stands in pipelines:
//
//   dml-opt --load-pass-plugin=./count_operators.so --count-operators x.mlir
//   dml-opt --load-pass-plugin=./count_operators.so x.mlir
//     --pass-pipeline='builtin.module(count-operators{only=dml.gemm,dml.tile})'
//
// The plugin links no library of dml's: what it needs of the dialect, dml-opt
// exports.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PaddingOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace {
/// Says how many operators of each kind a module has.
struct CountOperators
    : mlir::PassWrapper<CountOperators, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountOperators)

  CountOperators() = default;
  // Passes are copied, and their options with them: MLIR copies the values.
  CountOperators(const CountOperators &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override { return "count-operators"; }
  llvm::StringRef getDescription() const override {
    return "Remarks how many dml operators of each kind there are";
  }

  void runOnOperation() override {
    llvm::StringSet<> wanted;
    for (const std::string &name : only)
      wanted.insert(name);
    std::map<llvm::StringRef, unsigned> counts;
    getOperation().walk([&](mlir::Operation *op) {
      llvm::StringRef name = op->getName().getStringRef();
      if (op->getName().getDialectNamespace() == "dml" &&
          (wanted.empty() || wanted.contains(name)))
        ++counts[name];
      // Operators have the accessors of their headers.
      if (auto padding = mlir::dyn_cast<dml::PaddingOp>(op); padding && modes)
        padding.emitRemark()
            << "pads with " << dml::stringifyPaddingMode(padding.getMode());
    });
    for (auto [name, count] : counts)
      getOperation().emitRemark() << name << ": " << count;
  }

  ListOption<std::string> only{
      *this, "only", llvm::cl::desc("The operators to count; default: all")};
  Option<bool> modes{*this, "modes",
                     llvm::cl::desc("Also remark how each padding pads")};
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "count-operators", "1",
          [] { mlir::PassRegistration<CountOperators>(); }};
}
