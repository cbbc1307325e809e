//===- Operators.h - The operators' evaluators ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// One function an operation. `output` has the result's shape and type and holds
// zeros; the operation is verified, and the operands fit its types.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_OPERATORS_H
#define DML_LIB_REFERENCE_OPERATORS_H

#include "dml/IR/DML.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dml::reference {

// Padding.cpp
llvm::LogicalResult evaluate(PaddingOp op, const Tensor &input, Tensor &output);

// Pooling.cpp
llvm::LogicalResult evaluate(MaxPoolingGradOp op, const Tensor &input,
                             const Tensor &inputGradient,
                             Tensor &outputGradient);

// Resample.cpp
llvm::LogicalResult evaluate(ResampleOp op, Result result, const Tensor &input,
                             Tensor &output);

// Tile.cpp
llvm::LogicalResult evaluate(TileOp op, const Tensor &input, Tensor &output);

// Upstream.cpp: MLIR's own operations that programs of dml operators use.
llvm::LogicalResult evaluate(mlir::arith::ConstantOp op, Tensor &output);
llvm::LogicalResult evaluate(mlir::tensor::ConcatOp op,
                             llvm::ArrayRef<Tensor> inputs, Tensor &output);
llvm::LogicalResult evaluate(mlir::tensor::ExtractSliceOp op,
                             const Tensor &source, Tensor &output);
llvm::LogicalResult evaluate(mlir::tensor::InsertSliceOp op,
                             const Tensor &source, const Tensor &destination,
                             Tensor &output);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_OPERATORS_H
