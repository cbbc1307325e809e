//===- dml-lsp-server.cpp - The language server ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics, hover and navigation for .mlir files with dml operators, for any
// editor that speaks the Language Server Protocol.
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/IR/BufferOps.h"
#include "dml/IR/DML.h"
#include "dml/IR/Suggestions.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "support/CompilerCommandLine.h"

int main(int argc, char **argv) {
  dml::tools::setVersionPrinter();
  dml::tools::hideLibraryOptions();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry
      .insert<dml::DMLDialect, dml::DMLBufferDialect, dml::DMLDeviceDialect>();
  dml::suggestOperations(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
