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

/// Prints a Markdown table: for every operator, the data types of its first
/// tensor for which a program of it can be drawn and verified, interpreted, and
/// compiled to an executable, and the oldest feature level that legalization
/// reaches. Each is tried, with one program for each type. Returns the number
/// of types that miss a stage.
unsigned printOperatorMatrix(mlir::MLIRContext &context, llvm::raw_ostream &os);

} // namespace dml::fuzz

#endif // DML_TOOLS_DMLFUZZ_OPERATORMATRIX_H
