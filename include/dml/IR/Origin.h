//===- Origin.h - What a reader says of the operators that it built -*- C++
//-*-//
//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of operators that a reader of another format built, for those who
// judge a model by its operators. They change nothing that is computed.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_ORIGIN_H
#define DML_IR_ORIGIN_H

#include "llvm/ADT/StringRef.h"

namespace dml {

/// The name of an attribute that says, as a string, why ONNX Runtime's DirectML
/// provider does not take the node that an operator was made of. DirectML is
/// not asked for such an operator on Windows.
inline constexpr llvm::StringLiteral notTakenAttrName = "dml.not_taken";

/// The name of an attribute that says, as a string, which operators a rewrite
/// has made one operator of, as ONNX Runtime's own optimizations do.
inline constexpr llvm::StringLiteral fusedAttrName = "dml.fused";

/// The name of the attribute of a module that was read with ONNX Runtime's
/// optimizations. It is a dictionary of the optimizations that fused operators,
/// with how often each did, under `fused`, and of those that could change this
/// model's operators further, under `open`, each with the newest feature level
/// that what it makes could need, as in "6_2", or "" where nobody knows.
inline constexpr llvm::StringLiteral optimizedAttrName = "dml.optimized";

/// The name of the attribute of a module that lacks nodes of the model that it
/// was read from. It is a list of strings that say which and why, one for each
/// kind of node: "Loop: 1 node, 'again': it has graphs of its own".
inline constexpr llvm::StringLiteral unreadAttrName = "dml.unread";

} // namespace dml

#endif // DML_IR_ORIGIN_H
