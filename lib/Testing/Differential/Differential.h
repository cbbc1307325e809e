//===- Differential.h - Comparing with the interpreter ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_TESTING_DIFFERENTIAL_DIFFERENTIAL_H
#define DML_LIB_TESTING_DIFFERENTIAL_DIFFERENTIAL_H

#include "dml/Reference/Estimate.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dml::fuzz {

/// The outcome of one case.
struct Outcome {
  enum Kind {
    /// The results match those of the interpreter.
    Agreed,
    /// The results do not match those of the interpreter.
    Disagreed,
    /// The device lacks a feature, and the compiler or the runtime reported
    /// that.
    Refused,
    /// The compiler or the runtime failed.
    Failed,
    /// The program is invalid, which is a mistake of the generator.
    Invalid,
    /// A spoiled program was rejected as it should be, with an error message.
    Rejected,
    /// A spoiled program was accepted, and there is no result to compare with.
    Accepted,
  };
  static constexpr unsigned numKinds = Accepted + 1;
  Kind kind;
  std::string message;
  /// If the results agree: the number of their elements, and the number of
  /// elements for which agreement is no evidence, because any value is correct.
  int64_t numElements = 0, numUnjudged = 0;

  bool isDefect() const {
    return kind == Disagreed || kind == Failed || kind == Invalid;
  }
};

/// Computes @main of a module with the implementation under test. Returns the
/// results, or sets `outcome` to Refused or Failed.
using Executor =
    llvm::function_ref<llvm::FailureOr<llvm::SmallVector<reference::Tensor>>(
        mlir::ModuleOp module, llvm::ArrayRef<reference::Tensor> inputs,
        Outcome &outcome)>;

/// Draws inputs from `valueSeed`, executes the module, interprets it and
/// compares the results. The module is not changed. For `keepsNaNs`, see
/// describeMismatch.
Outcome runCase(mlir::ModuleOp module, uint64_t valueSeed, Executor execute,
                bool keepsNaNs = true);

/// Describes the first place where `found` is outside the bounds of `wanted`,
/// or returns nothing. For bit-exact bounds, every bit has to match; otherwise
/// zeros of either sign are equal, and so are all NaNs. Without `keepsNaNs`,
/// the device does not keep NaNs, and any computed value is accepted where NaN
/// is wanted.
std::optional<std::string>
describeMismatch(llvm::ArrayRef<reference::Estimate> wanted,
                 llvm::ArrayRef<reference::Tensor> found,
                 bool keepsNaNs = true);

/// Returns the number of elements whose bounds admit any number, so that
/// describeMismatch accepts every value.
int64_t countUnjudged(llvm::ArrayRef<reference::Estimate> wanted,
                      bool keepsNaNs = true);

/// Infers the types of the operations in @main in order, and then the type of
/// @main. Fails if the result is no valid module.
llvm::LogicalResult retype(mlir::ModuleOp module);

/// Makes a module smaller while `fails` holds: fewer operators, fewer
/// dimensions, smaller sizes, simpler attributes. `fails` is only called on
/// valid modules.
mlir::OwningOpRef<mlir::ModuleOp>
shrink(mlir::ModuleOp module, llvm::function_ref<bool(mlir::ModuleOp)> fails,
       unsigned maxTries = 2000);

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_DIFFERENTIAL_DIFFERENTIAL_H
