//===- Interpreter.h - What dml programs mean -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The reference interpreter, which serves as the oracle of tests. It computes
// functions of dml operators on the host, directly by the operators'
// descriptions. It is simple rather than fast, and shares no code with the
// lowering.
//
//===----------------------------------------------------------------------===//

#ifndef DML_REFERENCE_INTERPRETER_H
#define DML_REFERENCE_INTERPRETER_H

#include "dml/Reference/Estimate.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dml::reference {

/// Returns the operands of `op`, and behind these the values from outside of
/// `op` that its regions read: the body of an scf.for may read any tensor.
llvm::SmallVector<mlir::Value> getUsedValues(mlir::Operation *op);

/// Evaluates one operation. `operands` are those of getUsedValues(). Fails with
/// a diagnostic if the interpreter does not support the operation, or if its
/// operands are too uncertain to determine a result (for example, the index of
/// a maximum among numbers that are known only within bounds).
llvm::FailureOr<std::vector<Estimate>>
evaluate(mlir::Operation *op, llvm::ArrayRef<Estimate> operands);

/// Evaluates a function with a single block. `begin` is called with each of its
/// operations before this is evaluated.
llvm::FailureOr<std::vector<Estimate>>
interpret(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs,
          llvm::function_ref<void(mlir::Operation *)> begin = nullptr);

/// Evaluates a function without bounds, and returns the results of the
/// reference.
llvm::FailureOr<llvm::SmallVector<Tensor>>
interpretValues(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs);

/// Returns the names of the operators without an evaluator. A test checks that
/// there are none.
std::vector<llvm::StringRef> getMissingOperators(mlir::MLIRContext *context);

} // namespace dml::reference

#endif // DML_REFERENCE_INTERPRETER_H
