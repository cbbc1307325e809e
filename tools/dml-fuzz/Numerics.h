//===- Numerics.h - How exact each operator is ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLFUZZ_NUMERICS_H
#define DML_TOOLS_DMLFUZZ_NUMERICS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace dml::fuzz {

/// Prints the page docs/Numerics.md: the bounds of the interpreter's
/// arithmetic, and for each operator which of it the interpreter has used, in
/// which type it has added up, and whether one result alone is correct. Several
/// programs are interpreted for each mode and data type. Returns the number of
/// operators without one.
unsigned printNumerics(mlir::MLIRContext &context, llvm::raw_ostream &os);

} // namespace dml::fuzz

#endif // DML_TOOLS_DMLFUZZ_NUMERICS_H
