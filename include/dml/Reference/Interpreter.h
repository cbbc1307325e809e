//===- Interpreter.h - What dml programs mean -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The oracle: computes functions of dml operators on the host, straight from
// the operators' descriptions. It is slow and simple on purpose, and shares
// nothing with the lowering.
//
//===----------------------------------------------------------------------===//

#ifndef DML_REFERENCE_INTERPRETER_H
#define DML_REFERENCE_INTERPRETER_H

#include "dml/Reference/Estimate.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dml::reference {

/// Evaluates one operation. Diagnoses operations that the interpreter does not
/// know, and operands that are too uncertain for an operation to have a result
/// (the index of a maximum among numbers known within bounds, for instance).
llvm::FailureOr<std::vector<Estimate>>
evaluate(mlir::Operation *op, llvm::ArrayRef<Estimate> operands);

/// Evaluates a function of one block.
llvm::FailureOr<std::vector<Estimate>> interpret(mlir::func::FuncOp function,
                                                 llvm::ArrayRef<Tensor> inputs);

/// The same without bounds: what the reference itself computes.
llvm::FailureOr<llvm::SmallVector<Tensor>>
interpretValues(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs);

/// The names of operators without an evaluator. A test wants that there are
/// none.
std::vector<llvm::StringRef> getMissingOperators(mlir::MLIRContext *context);

} // namespace dml::reference

#endif // DML_REFERENCE_INTERPRETER_H
