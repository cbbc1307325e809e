//===- SupportMatrix.h - All operators at all levels ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DML_EXPLAIN_SUPPORTMATRIX_H
#define DML_TOOLS_DML_EXPLAIN_SUPPORTMATRIX_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace dml {

/// Writes the documentation page of the operators' support at each level.
void printSupportMatrix(mlir::MLIRContext *context, llvm::raw_ostream &os);

/// The same as data.
llvm::json::Value getSupportMatrix(mlir::MLIRContext *context);

} // namespace dml

#endif // DML_TOOLS_DML_EXPLAIN_SUPPORTMATRIX_H
