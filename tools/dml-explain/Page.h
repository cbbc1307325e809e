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
  /// The steps of a run, if there was one, and how they differ from those of
  /// `functions`, which then have no times.
  std::vector<TimedStep> times;
  std::string whyOtherSteps;
};

/// Prints one HTML page that needs nothing beside it: the graph of each
/// function, the memory that its tensors take, the kernels that it becomes, the
/// time that it took, and what each operator needs. It is XML, too.
void printPage(mlir::ModuleOp module, const explain::Report &report,
               const Measures &measures, llvm::StringRef title,
               llvm::raw_ostream &os);

/// Prints the graphs alone, as SVG.
void printDrawing(mlir::ModuleOp module, const explain::Report &report,
                  const Measures &measures, llvm::StringRef title,
                  llvm::raw_ostream &os);

} // namespace dml::tools

#endif // DML_TOOLS_DMLEXPLAIN_PAGE_H
