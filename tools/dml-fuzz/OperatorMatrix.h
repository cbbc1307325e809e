//===- OperatorMatrix.h - What is there of each operator --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLFUZZ_OPERATORMATRIX_H
#define DML_TOOLS_DMLFUZZ_OPERATORMATRIX_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace dml::fuzz {

/// Prints a Markdown table with a row for each operator. The row lists the data
/// types of the first tensor for which a program can be drawn and verified,
/// interpreted, and compiled to an executable, and the oldest feature level to
/// which legalization can rewrite a program. One program is tried for each
/// type. Returns the number of types that fail at a stage.
unsigned printOperatorMatrix(mlir::MLIRContext &context, llvm::raw_ostream &os);

} // namespace dml::fuzz

#endif // DML_TOOLS_DMLFUZZ_OPERATORMATRIX_H
