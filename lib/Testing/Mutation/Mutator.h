//===- Mutator.h - Spoiling programs ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_TESTING_MUTATION_MUTATOR_H
#define DML_LIB_TESTING_MUTATION_MUTATOR_H

#include "Testing/Programs/Random.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace dml::fuzz {

/// Replaces some attributes, shapes, types and operands of a valid program by
/// others, which mostly do not fit. Returns the program in MLIR's generic form,
/// which can express every invalid program. The function works on any operator
/// and knows none in particular.
std::string spoil(mlir::ModuleOp module, Random &random);

/// Replaces, repeats, moves or removes some words of a text.
std::string spoilText(llvm::StringRef text, Random &random);

/// Replaces, repeats, moves or removes some bytes, and changes numbers in them.
std::string spoilBytes(llvm::StringRef bytes, Random &random);

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_MUTATION_MUTATOR_H
