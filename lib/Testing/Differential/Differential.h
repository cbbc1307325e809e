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
    /// The results are those of the interpreter.
    Agreed,
    /// They are not.
    Disagreed,
    /// The device lacks something, and the compiler or the runtime said so.
    Refused,
    /// The compiler or the runtime failed.
    Failed,
    /// The program is no valid case: the generator's mistake.
    Invalid,
    /// A spoiled program was found to be one, and the error says so.
    Rejected,
    /// A spoiled program was accepted, but there is nothing to compare.
    Accepted,
  };
  static constexpr unsigned numKinds = Accepted + 1;
  Kind kind;
  std::string message;
  /// Where results agree: how many elements they have, and for how many of them
  /// that says nothing, because anything may stand there.
  int64_t numElements = 0, numUnjudged = 0;

  bool isDefect() const {
    return kind == Disagreed || kind == Failed || kind == Invalid;
  }
};

/// Computes @main of a module in the way that is to be tested. Returns the
/// results, or sets `outcome` to Refused or Failed.
using Executor =
    llvm::function_ref<llvm::FailureOr<llvm::SmallVector<reference::Tensor>>(
        mlir::ModuleOp module, llvm::ArrayRef<reference::Tensor> inputs,
        Outcome &outcome)>;

/// Draws inputs from `valueSeed`, executes, interprets and compares. The module
/// stays as it is. `keepsNaNs` is what describeMismatch takes.
Outcome runCase(mlir::ModuleOp module, uint64_t valueSeed, Executor execute,
                bool keepsNaNs = true);

/// Says where `found` leaves the bounds of `wanted`, or nothing. Where those
/// are bit-exact, every bit counts; else zeros of either sign are equal, and so
/// are NaNs. On a device that does not keep NaNs, what is computed may be
/// anything where NaN is wanted.
std::optional<std::string>
describeMismatch(llvm::ArrayRef<reference::Estimate> wanted,
                 llvm::ArrayRef<reference::Tensor> found,
                 bool keepsNaNs = true);

/// The number of elements whose bounds admit any number, so that
/// describeMismatch accepts whatever was found there.
int64_t countUnjudged(llvm::ArrayRef<reference::Estimate> wanted,
                      bool keepsNaNs = true);

/// Infers the types of @main's operations, first to last, and its own. Fails
/// where that does not give a valid module.
llvm::LogicalResult retype(mlir::ModuleOp module);

/// Makes a module smaller as long as `fails` holds for it: fewer operators,
/// fewer dimensions, smaller sizes, plainer attributes. Every module that
/// `fails` sees is valid.
mlir::OwningOpRef<mlir::ModuleOp>
shrink(mlir::ModuleOp module, llvm::function_ref<bool(mlir::ModuleOp)> fails,
       unsigned maxTries = 2000);

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_DIFFERENTIAL_DIFFERENTIAL_H
