//===- dml-opt.cpp - The optimizer driver ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/Passes.h"
#include "dml/Conversion/Passes.h"
#include "dml/Executable/Passes.h"
#include "dml/IR/DML.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Transforms/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "support/Version.h"

int main(int argc, char **argv) {
  dml::tools::setVersionPrinter();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<dml::DMLDialect>();
  mlir::registerAllPasses();
  dml::registerDMLCodegenPasses();
  dml::registerDMLConversionPasses();
  dml::registerDMLExecutablePasses();
  dml::registerPipelines();
  dml::registerDMLTransformsPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "dml optimizer driver\n", registry));
}
