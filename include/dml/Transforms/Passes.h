//===- Passes.h - Passes within the dml dialect -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TRANSFORMS_PASSES_H
#define DML_TRANSFORMS_PASSES_H

#include "dml/IR/FeatureLevels.h"
#include "mlir/Pass/Pass.h"

namespace dml {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dml/Transforms/Passes.h.inc"

/// Rewrites the operators in `root` for `level`, keeping values bit for bit.
/// Emits an error for each operator where that is impossible.
llvm::LogicalResult legalizeFeatureLevel(mlir::Operation *root,
                                         FeatureLevel level);

} // namespace dml

#endif // DML_TRANSFORMS_PASSES_H
