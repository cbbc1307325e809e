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

/// Replaces some of a valid program's attributes, shapes, types and operands by
/// others, of which few fit. Returns the program in the generic form, which can
/// say whatever is wrong. Nothing here knows an operator.
std::string spoil(mlir::ModuleOp module, Random &random);

/// Replaces, repeats, moves or removes some of a text's words.
std::string spoilText(llvm::StringRef text, Random &random);

/// The same for bytes, and for runs of them that are numbers.
std::string spoilBytes(llvm::StringRef bytes, Random &random);

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_MUTATION_MUTATOR_H
