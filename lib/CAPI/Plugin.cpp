//===- Plugin.cpp - dml as a plugin of mlir-opt ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The entry points that MLIR's drivers look up in a library for
// --load-dialect-plugin or --load-pass-plugin.
//
//===----------------------------------------------------------------------===//

#include "dml/Pipelines/Pipelines.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "dml", DML_VERSION,
          [](mlir::DialectRegistry *registry) {
            // A driver such as dml-opt may already have registered the dialect.
            if (!registry->getDialectAllocator("dml"))
              dml::registerCompilerDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "dml", DML_VERSION,
          [] { dml::registerAllPasses(); }};
}
