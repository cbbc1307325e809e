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

/// Replaces, repeats, moves or removes some fields of an ONNX model and returns
/// its bytes. The lengths of the messages around what changes are right again,
/// so that readers get past the wire format. Bytes that are no message of
/// Protocol Buffers are spoiled as bytes.
std::string spoilModel(llvm::StringRef bytes, Random &random);

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_MUTATION_MODELMUTATOR_H
