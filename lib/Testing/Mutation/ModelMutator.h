//===- ModelMutator.h - Spoiling ONNX models --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_TESTING_MUTATION_MODELMUTATOR_H
#define DML_LIB_TESTING_MUTATION_MODELMUTATOR_H

#include "Testing/Programs/Random.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dml::fuzz {

/// Replaces, repeats, moves or removes some fields of an ONNX model, and
/// returns the new bytes. The lengths of enclosing messages are updated, so
/// that readers get past the wire format. If `bytes` are no message of Protocol
/// Buffers, spoils them with spoilBytes.
std::string spoilModel(llvm::StringRef bytes, Random &random);

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_MUTATION_MODELMUTATOR_H
