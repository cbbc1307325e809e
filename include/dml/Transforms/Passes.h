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

/// Rewrites the operators in `root` for `level` without changing any bit of
/// their results. Emits an error for each operator for which this is
/// impossible.
llvm::LogicalResult legalizeFeatureLevel(mlir::Operation *root,
                                         FeatureLevel level);

/// Rewrites the single operator `op` in the same way. Erases `op` if other
/// operators replace it, and adds these operators to `made`, in order.
llvm::LogicalResult
legalizeOperator(FeatureLevelOpInterface op, FeatureLevel level,
                 llvm::SmallVectorImpl<mlir::OperationName> &made);

} // namespace dml

#endif // DML_TRANSFORMS_PASSES_H
