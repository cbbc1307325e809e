//===- SharedLayouts.h - One order of elements for all readers --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_SHAREDLAYOUTS_H
#define DML_LIB_CODEGEN_ANALYSIS_SHAREDLAYOUTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace dml {

/// Redirects all readers of a tensor to its reordered copy, if `function` has
/// such a copy (marked by layoutAttrName). The kernel that computes the tensor
/// can then write the copy directly, and the tensor in its original order is
/// not stored.
void shareLayouts(mlir::IRRewriter &rewriter, mlir::func::FuncOp function);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_SHAREDLAYOUTS_H
