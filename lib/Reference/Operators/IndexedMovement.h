//===- IndexedMovement.h - Movement of elements by indices ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_OPERATORS_INDEXEDMOVEMENT_H
#define DML_LIB_REFERENCE_OPERATORS_INDEXEDMOVEMENT_H

#include "Arithmetic/Indices.h"
#include "Operators/Evaluators.h"

namespace dml::reference {

/// Returns the position in the input from which the output's element at `to`
/// comes.
using SourceFunction = llvm::function_ref<int64_t(
    const Tensor &input, llvm::ArrayRef<int64_t> to, IndexReader &indices)>;

/// Evaluates `op`, whose single result takes its elements from operand `input`
/// at the places that operand `indices` determines. If an index is known only
/// within bounds, the result is the hull of all possible elements.
llvm::LogicalResult gatherEach(mlir::Operation *op,
                               llvm::ArrayRef<Estimate> operands,
                               unsigned input, unsigned indices,
                               Evaluators::Estimates &outputs,
                               SourceFunction getSource);

/// Returns the position in the output to which the update's element at `from`
/// goes, or nothing.
using TargetFunction = llvm::function_ref<std::optional<int64_t>(
    const Tensor &output, llvm::ArrayRef<int64_t> from, IndexReader &indices)>;

/// Evaluates `op`, whose single result is operand 0, overwritten by the
/// elements of operand 2 at the places that operand 1 determines.
llvm::LogicalResult scatterEach(mlir::Operation *op,
                                llvm::ArrayRef<Estimate> operands,
                                Evaluators::Estimates &outputs,
                                TargetFunction getTarget);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_OPERATORS_INDEXEDMOVEMENT_H
