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
  /// The module of the function `main`, whose inputs are weights under their
  /// names. Null where nothing is computed from weights alone.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Of each result, the digest of its computation, and the names of the
  /// weights that it reads, in the order in which the digest counts them.
  struct Result {
    Digest computation;
    std::vector<std::string> weights;
    /// The name that the result has as a weight of the module that is left.
    std::string name;
  };
  std::vector<Result> results;
};

/// Takes the initialization out of `module`, on which the passes up to linalg
/// have run. Leaves it there where a result is of a type that no weight has.
Preparation takePreparation(mlir::ModuleOp module);

} // namespace dml::session

#endif // DML_LIB_SESSION_PREPARATION_H
