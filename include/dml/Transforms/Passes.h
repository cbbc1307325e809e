//===- Passes.h - Passes within the dml dialect -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TRANSFORMS_PASSES_H
#define DML_TRANSFORMS_PASSES_H

#include "dml/IR/DML.h"
#include "mlir/Pass/Pass.h"

namespace dml {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dml/Transforms/Passes.h.inc"

/// Rewrites the operators in `root` for `level`, keeping values bit for bit.
/// Emits an error for each operator where that is impossible.
llvm::LogicalResult legalizeFeatureLevel(mlir::Operation *root,
                                         FeatureLevel level);

/// The same of the one operator `op`, which is gone afterwards where something
/// else does its work. The operators that do are added to `made`, in their
/// order.
llvm::LogicalResult
legalizeOperator(FeatureLevelOpInterface op, FeatureLevel level,
                 llvm::SmallVectorImpl<mlir::OperationName> &made);

} // namespace dml

#endif // DML_TRANSFORMS_PASSES_H
