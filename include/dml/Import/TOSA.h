//===- TOSA.h - Modules of MLIR's TOSA dialect ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The pass --convert-tosa-to-dml expresses the operations of MLIR's dialect
// TOSA by operators of DirectML (docs/TOSA.md). The functions here are what
// readers of modules use, which run the pass where a module has such
// operations.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_TOSA_H
#define DML_IMPORT_TOSA_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace dml::tosareader {

/// Adds the dialect TOSA, which modules may be parsed with.
void registerDialects(mlir::DialectRegistry &registry);

/// Whether `module` has an operation of the dialect TOSA.
bool isModel(mlir::ModuleOp module);

/// Runs --convert-tosa-to-dml on `module` with the pass's default options.
/// Fails after a diagnostic for each operation that DirectML cannot express.
llvm::LogicalResult convertModel(mlir::ModuleOp module);

} // namespace dml::tosareader

#endif // DML_IMPORT_TOSA_H
