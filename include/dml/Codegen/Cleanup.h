//===- Cleanup.h - Simplification between passes ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_CLEANUP_H
#define DML_CODEGEN_CLEANUP_H

#include "mlir/Pass/PassManager.h"

namespace dml {

/// Creates the canonicalization pass without simplification of regions. Regions
/// are single blocks or SPIR-V's structured control flow, in which there is
/// nothing to simplify.
std::unique_ptr<mlir::Pass> createCanonicalization();

/// Adds canonicalization and common subexpression elimination.
void addCleanup(mlir::OpPassManager &pm);

/// Adds canonicalization and the pass dml-merge-equal-ops, which replaces
/// common subexpression elimination in modules with many generics that differ
/// only in their bodies.
void addGenericCleanup(mlir::OpPassManager &pm);

} // namespace dml

#endif // DML_CODEGEN_CLEANUP_H
