//===- dml-translate.cpp - Between dml and other formats ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Import/DirectML.h"
#include "dml/Import/ONNX.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "support/CompilerCommandLine.h"
#include "support/Progress.h"
#include "llvm/Support/raw_ostream.h"

/// The table of docs/ONNXModels.md.
static void printONNXOperators() {
  llvm::outs() << "| ONNX | becomes |\n|---|---|\n";
  for (const dml::onnx::SupportedOperator &info :
       dml::onnx::getSupportedOperators())
    llvm::outs() << "| " << info.domain << (info.domain.empty() ? "" : ".")
                 << info.name << " | " << info.becomes << " |\n";
}

int main(int argc, char **argv) {
  // The translation driver wants a file, which this has none of.
  if (argc == 2 && llvm::StringRef(argv[1]) == "--onnx-operators") {
    printONNXOperators();
    return 0;
  }
  dml::tools::setVersionPrinter();
  dml::tools::hideLibraryOptions();
  dml::tools::Progress progress("dml-translate");
  // The translation may go to the same terminal.
  if (!llvm::outs().is_displayed())
    progress.begin("translating");
  dml::directml::registerTranslations();
  dml::onnx::registerTranslation();
  return failed(mlir::mlirTranslateMain(
      argc, argv,
      "dml-translate: reads ONNX models, JSON models of DxDispatch and "
      "serialized graphs of DirectML (--onnx-operators alone lists what ONNX "
      "models may consist of)"));
}
