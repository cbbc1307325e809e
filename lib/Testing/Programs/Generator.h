//===- Generator.h - Drawing programs ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_TESTING_PROGRAMS_GENERATOR_H
#define DML_LIB_TESTING_PROGRAMS_GENERATOR_H

#include "dml/IR/DML.h"
#include "dml/Reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dml::fuzz {

/// One combination of operator, mode, ranks and types that the support tables
/// distinguish.
struct Cell {
  /// The name of the operator: "dml.padding".
  llvm::StringRef op;
  /// A case of the operator's mode attribute, or "" if the operator has none.
  llvm::StringRef mode;
  /// The data type and the rank of the first tensor.
  DataType type;
  unsigned rank;
  /// The data type of each tensor of the table.
  llvm::SmallVector<DataType, 4> types;
};

/// Returns every combination that the operators' support tables permit at
/// `level`. The list is made once per level and lives as long as the program.
/// Safe to call from any thread.
llvm::ArrayRef<Cell> getCells(mlir::MLIRContext *context, FeatureLevel level);

/// Returns the registered operators that the generator cannot draw. Tests
/// expect none.
std::vector<llvm::StringRef> getMissingOperators(mlir::MLIRContext *context);

/// Draws `func.func @main` with the one operator of `cell`.
mlir::OwningOpRef<mlir::ModuleOp> drawProgram(mlir::MLIRContext *context,
                                              const Cell &cell, uint64_t seed);

/// Draws `func.func @main` of one or several operators at some feature level.
/// If `only` is not empty, the first operator is one of `only` ("dml.padding").
mlir::OwningOpRef<mlir::ModuleOp>
drawProgram(mlir::MLIRContext *context, uint64_t seed,
            llvm::ArrayRef<std::string> only = {});

/// Draws inputs that suit how `function` uses them: arbitrary bits for elements
/// that are only moved, many equal elements where maxima are searched, small
/// integers where elements are summed, so that sums are exact, and no numbers
/// whose differences overflow for linear interpolation.
llvm::FailureOr<llvm::SmallVector<reference::Tensor>>
drawInputs(mlir::func::FuncOp function, uint64_t seed);

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_PROGRAMS_GENERATOR_H
