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

/// Has tensors that a kernel of `function` wants in another order
/// (layoutAttrName) read in that order by all that reads them. Whatever
/// computes such a tensor can then write it in that order alone.
void shareLayouts(mlir::IRRewriter &rewriter, mlir::func::FuncOp function);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_SHAREDLAYOUTS_H
