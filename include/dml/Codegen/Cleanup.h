//===- Cleanup.h - What passes leave is made simpler ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_CLEANUP_H
#define DML_CODEGEN_CLEANUP_H

#include "mlir/Pass/PassManager.h"

namespace dml {

/// Canonicalization. Regions are single blocks, or structured as SPIR-V wants
/// them: there is nothing to simplify.
std::unique_ptr<mlir::Pass> createCanonicalization();

/// Adds canonicalization and common subexpression elimination.
void addCleanup(mlir::OpPassManager &pm);

/// Adds the same for modules of generics that are alike in all but their
/// bodies.
void addGenericCleanup(mlir::OpPassManager &pm);

} // namespace dml

#endif // DML_CODEGEN_CLEANUP_H
