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
/// order of the function. In a chain, each insertion inserts into the result of
/// the insertion before.
llvm::SmallVector<mlir::tensor::InsertSliceOp>
getConcatenations(mlir::func::FuncOp function);

/// Returns the tensors that the chain of insertions up to `last` concatenates,
/// in their order along `axis`, and stores the axis in `axis`. Returns an empty
/// list if these tensors do not cover the whole result, or if an operation
/// outside of the chain uses the result of an earlier insertion.
llvm::SmallVector<mlir::Value> getJoined(mlir::tensor::InsertSliceOp last,
                                         int64_t &axis);

/// Erases `last`, the last insertion of a chain, if its result is unused. Then
/// goes backward through the chain and erases each insertion whose result has
/// become unused, up to the first insertion whose result still has a use. This
/// insertion and all insertions before it stay.
void eraseUnused(mlir::RewriterBase &rewriter,
                 mlir::tensor::InsertSliceOp last);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_CONCATENATION_H
