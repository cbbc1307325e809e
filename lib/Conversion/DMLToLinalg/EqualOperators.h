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

/// Finds operators of a module that only differ in their operand tensors. Each
/// kind of such operators is lowered once, in a separate function, and the
/// lowered code is then copied to the place of each operator. For example, of
/// 10,000 products of 200 kinds, only 200 are lowered and cleaned up.
class EqualOperators {
public:
  explicit EqualOperators(mlir::ModuleOp module) : module(module) {}

  /// Replaces operators by calls of functions, if there are enough operators of
  /// a kind.
  void outline();
  /// Returns the functions that outline() has created.
  llvm::ArrayRef<mlir::func::FuncOp> getFunctions() const { return functions; }
  /// Replaces the calls by the bodies of the functions, and erases the
  /// functions.
  void inlineAll();

private:
  mlir::ModuleOp module;
  llvm::SmallVector<mlir::func::FuncOp> functions;
};

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_EQUALOPERATORS_H
