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

/// The place in an input that an element of the output at `to` comes from.
using SourceFunction = llvm::function_ref<int64_t(
    const Tensor &input, llvm::ArrayRef<int64_t> to, IndexReader &indices)>;

/// Evaluates `op`, which has one result, whose elements come from operand
/// `input`, and from where, operand `indices` says: the hull of what may come,
/// where that is known within bounds.
llvm::LogicalResult gatherEach(mlir::Operation *op,
                               llvm::ArrayRef<Estimate> operands,
                               unsigned input, unsigned indices,
                               Evaluators::Estimates &outputs,
                               SourceFunction getSource);

/// The place in an output that the element at `from` of the updates goes to,
/// or nothing.
using TargetFunction = llvm::function_ref<std::optional<int64_t>(
    const Tensor &output, llvm::ArrayRef<int64_t> from, IndexReader &indices)>;

/// Evaluates `op`, which has one result: operand 0, over which go the elements
/// of operand 2, and where, operand 1 says.
llvm::LogicalResult scatterEach(mlir::Operation *op,
                                llvm::ArrayRef<Estimate> operands,
                                Evaluators::Estimates &outputs,
                                TargetFunction getTarget);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_OPERATORS_INDEXEDMOVEMENT_H
