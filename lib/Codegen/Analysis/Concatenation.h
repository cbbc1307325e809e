//===- Concatenation.h - Chains of insertions -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_CONCATENATION_H
#define DML_LIB_CODEGEN_ANALYSIS_CONCATENATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace dml {

/// Returns the insertions in `function` that are the last of their chains, in
/// their order: no other insertion has such a result as its destination.
llvm::SmallVector<mlir::tensor::InsertSliceOp>
getConcatenations(mlir::func::FuncOp function);

/// Returns the tensors that the chain of insertions up to `last` concatenates,
/// in their order along `axis`, which is set. Returns no tensors if the slices
/// do not make up the whole result, or if an earlier insertion has another user
/// than the next one.
llvm::SmallVector<mlir::Value> getJoined(mlir::tensor::InsertSliceOp last,
                                         int64_t &axis);

/// Erases `last` and the insertions before it, from the last one on, until one
/// has a user.
void eraseUnused(mlir::RewriterBase &rewriter,
                 mlir::tensor::InsertSliceOp last);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_CONCATENATION_H
