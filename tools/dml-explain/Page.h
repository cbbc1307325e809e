//===- Page.h - A page about a model ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLEXPLAIN_PAGE_H
#define DML_TOOLS_DMLEXPLAIN_PAGE_H

#include "Kernels.h"
#include "dml/Explain/Explain.h"
#include "mlir/IR/BuiltinOps.h"

namespace dml::tools {

/// What the page has beside the report about the operators.
struct Measures {
  /// What the kernels are compiled for, and they, or why there are none.
  std::string profile;
  std::vector<KernelFunction> functions;
  std::string whyNone;
  /// A run, if there was one. If they differ from the steps of
  /// `functions`, these have no times, and the text describes the difference.
  Trace trace;
  std::string whyOtherSteps;
  /// What a driver's compiler made of the kernels, if a file says so.
  std::optional<DriverReport> driver;
};

/// Prints the report as one HTML page that refers to no other files. For each
/// function, it shows the graph, the memory of the tensors, the kernels and the
/// times of a run, and for each operator the feature level that it needs. The
/// page is valid XML.
void printPage(mlir::ModuleOp module, const explain::Report &report,
               const Measures &measures, llvm::StringRef title,
               llvm::raw_ostream &os);

/// Prints the graphs alone, as SVG.
void printDrawing(mlir::ModuleOp module, const explain::Report &report,
                  const Measures &measures, llvm::StringRef title,
                  llvm::raw_ostream &os);

} // namespace dml::tools

#endif // DML_TOOLS_DMLEXPLAIN_PAGE_H
