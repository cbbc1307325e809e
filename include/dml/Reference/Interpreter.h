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

#include "dml/Reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dml::reference {

/// What to compute. Linear interpolation alone leaves an implementation freedom
/// (to contract a multiplication and an addition, to flush denormals); a
/// correct implementation's results lie between `lower` and `upper`, which are
/// equal everywhere else. docs/Reference.md derives the distance.
enum class Result { exact, lower, upper };

/// Evaluates one operation. Diagnoses operations the interpreter does not know.
llvm::FailureOr<llvm::SmallVector<Tensor>>
evaluate(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
         Result result = Result::exact);

/// Evaluates a function of one block.
llvm::FailureOr<llvm::SmallVector<Tensor>>
interpret(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs,
          Result result = Result::exact);

/// True where `op` only moves elements, whose bits then arrive unchanged.
bool isMovement(mlir::Operation *op);

} // namespace dml::reference

#endif // DML_REFERENCE_INTERPRETER_H
