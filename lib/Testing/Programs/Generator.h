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

/// One combination of what the support tables tell apart.
struct Cell {
  /// "dml.padding".
  llvm::StringRef op;
  /// A case of its mode attribute; "" for operators that have none.
  llvm::StringRef mode;
  /// The data type and the rank of the first tensor.
  DataType type;
  unsigned rank;
  /// The data type of each tensor of the table.
  llvm::SmallVector<DataType, 4> types;
};

/// Every combination that `level` supports, from the operators' own tables. The
/// list is made once for each level and lives as long as the program; any
/// thread may ask for it.
llvm::ArrayRef<Cell> getCells(mlir::MLIRContext *context, FeatureLevel level);

/// The registered operators that the generator cannot draw: none.
std::vector<llvm::StringRef> getMissingOperators(mlir::MLIRContext *context);

/// Draws `func.func @main` of this one operator.
mlir::OwningOpRef<mlir::ModuleOp> drawProgram(mlir::MLIRContext *context,
                                              const Cell &cell, uint64_t seed);

/// Draws `func.func @main` of one or several operators at some feature level.
/// The first is one of `only` ("dml.padding"), if that is not empty.
mlir::OwningOpRef<mlir::ModuleOp>
drawProgram(mlir::MLIRContext *context, uint64_t seed,
            llvm::ArrayRef<std::string> only = {});

/// Draws inputs that suit what `function` does with them: any bits where they
/// are only moved, many equal elements where maxima are looked for, small
/// integers where they are added up, so that their sums are exact. Linear
/// interpolation gets no numbers whose differences overflow.
llvm::FailureOr<llvm::SmallVector<reference::Tensor>>
drawInputs(mlir::func::FuncOp function, uint64_t seed);

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_PROGRAMS_GENERATOR_H
