//===- EqualOperators.h - Operators that are lowered together ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_EQUALOPERATORS_H
#define DML_LIB_CONVERSION_DMLTOLINALG_EQUALOPERATORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace dml {

/// Operators of a module that differ in nothing but the tensors they are given.
/// Each kind of them is lowered once, in a function of its own, and what became
/// of it is copied to where the operators stood. Of 10,000 products that are of
/// 200 kinds, 200 are lowered and cleaned up.
class EqualOperators {
public:
  explicit EqualOperators(mlir::ModuleOp module) : module(module) {}

  /// Puts calls of functions in the place of operators, where there are enough
  /// of a kind.
  void outline();
  /// The functions that outline() has made.
  llvm::ArrayRef<mlir::func::FuncOp> getFunctions() const { return functions; }
  /// Puts the bodies of the functions in the place of the calls, and erases the
  /// functions.
  void inlineAll();

private:
  mlir::ModuleOp module;
  llvm::SmallVector<mlir::func::FuncOp> functions;
};

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_EQUALOPERATORS_H
