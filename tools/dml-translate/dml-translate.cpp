//===- dml-translate.cpp - Between dml and other formats ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Import/ONNX.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "support/Version.h"

int main(int argc, char **argv) {
  dml::tools::setVersionPrinter();
  dml::onnx::registerTranslation();
  return failed(
      mlir::mlirTranslateMain(argc, argv, "dml-translate: reads ONNX models"));
}
