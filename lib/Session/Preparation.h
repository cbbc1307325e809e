//===- Preparation.h - What is computed from weights once -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The pass dml-hoist-initialization leaves a function that computes, from
// weights alone, tensors that the model's function reads: weights in the order
// that a kernel reads, say. A session makes a program of its own of that
// function, the preparation, and weights of its results. So programs for
// different sizes share the results where the computations are equal: a product
// of 1x768 and one of 8x768 with the same matrix read the same packed matrix.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_PREPARATION_H
#define DML_LIB_SESSION_PREPARATION_H

#include "Digest.h"
#include "Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dml::session {

struct Preparation {
  /// The module with the function `main`, whose inputs are weights with their
  /// names. Null if no value is computed from weights alone.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// For each result, the digest of its computation, and the names of the
  /// weights that the computation reads, in the order in which its inputs are
  /// numbered.
  struct Result {
    Digest computation;
    std::vector<std::string> weights;
    /// The name of the weight by which the remaining module reads the result.
    std::string name;
  };
  std::vector<Result> results;
};

/// Removes the initialization from `module`, to which the passes up to linalg
/// have been applied, and returns it as a preparation. If a result has a type
/// that a weight cannot have, the initialization stays in the module.
Preparation takePreparation(mlir::ModuleOp module);

} // namespace dml::session

#endif // DML_LIB_SESSION_PREPARATION_H
