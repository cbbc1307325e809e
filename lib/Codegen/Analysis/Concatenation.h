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

/// The insertions in `function`, in its order, that are the last of their
/// chains: no other one inserts into their results.
llvm::SmallVector<mlir::tensor::InsertSliceOp>
getConcatenations(mlir::func::FuncOp function);

/// The tensors that slices of the result of `last` are, in their order along
/// `axis`, if they are all of it and nothing else uses a slice.
llvm::SmallVector<mlir::Value> getJoined(mlir::tensor::InsertSliceOp last,
                                         int64_t &axis);

/// Erases `last`, and the insertions before it, as long as they have no use.
void eraseUnused(mlir::RewriterBase &rewriter,
                 mlir::tensor::InsertSliceOp last);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_CONCATENATION_H
