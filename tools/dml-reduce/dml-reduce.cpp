//===- dml-reduce.cpp - The reducer of test cases -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// MLIR's driver that makes a module smaller as long as a script finds it
// interesting, with dml's operators and passes.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "dml/Pipelines/Pipelines.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "support/CompilerCommandLine.h"

int main(int argc, char **argv) {
  dml::tools::setVersionPrinter();
  dml::tools::hideLibraryOptions();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<dml::DMLDialect>();
  mlir::registerAllPasses();
  dml::registerAllPasses();
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(argc, argv, context))
             ? dml::tools::kExitNo
             : dml::tools::kExitDone;
}
