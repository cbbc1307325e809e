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

/// Returns the last insertion of each chain of insertions in `function`, in the
/// order of the function. The result of a last insertion is not the destination
/// of another insertion.
llvm::SmallVector<mlir::tensor::InsertSliceOp>
getConcatenations(mlir::func::FuncOp function);

/// Returns the tensors that the chain of insertions up to `last` concatenates,
/// in their order along `axis`, and stores the axis in `axis`. Returns no
/// tensors if the slices do not cover the whole result, or if an operation
/// other than the next insertion uses the result of an earlier insertion.
llvm::SmallVector<mlir::Value> getJoined(mlir::tensor::InsertSliceOp last,
                                         int64_t &axis);

/// Erases the insertions of the chain that ends with `last`, from the last one
/// backward, up to the first insertion whose result is used.
void eraseUnused(mlir::RewriterBase &rewriter,
                 mlir::tensor::InsertSliceOp last);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_CONCATENATION_H
