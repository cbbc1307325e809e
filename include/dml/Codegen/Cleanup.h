//===- Cleanup.h - Simplification between passes ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_CLEANUP_H
#define DML_CODEGEN_CLEANUP_H

#include "mlir/Pass/PassManager.h"

namespace dml {

/// Creates canonicalization without the simplification of regions, which are
/// single blocks or SPIR-V's structured control flow.
std::unique_ptr<mlir::Pass> createCanonicalization();

/// Adds canonicalization and common subexpression elimination.
void addCleanup(mlir::OpPassManager &pm);

/// Adds canonicalization and, in place of common subexpression elimination, the
/// pass dml-merge-equal-ops, for modules with many generics that differ in
/// their bodies alone.
void addGenericCleanup(mlir::OpPassManager &pm);

} // namespace dml

#endif // DML_CODEGEN_CLEANUP_H
