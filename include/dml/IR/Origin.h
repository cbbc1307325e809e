//===- Origin.h - Where operators come from ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes with which importers describe the origin of the operators that
// they build. The attributes are for tools that assess a model by its
// operators, and do not affect results.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_ORIGIN_H
#define DML_IR_ORIGIN_H

#include "llvm/ADT/StringRef.h"

namespace dml {

/// The name of the string attribute that states why ONNX Runtime's DirectML
/// provider does not accept the node from which an operator was built. On
/// Windows, such an operator is not executed by DirectML.
inline constexpr llvm::StringLiteral notTakenAttrName = "dml.not_taken";

/// The name of the string attribute that lists the operators which a rewrite
/// has fused into one operator, as ONNX Runtime's optimizations do.
inline constexpr llvm::StringLiteral fusedAttrName = "dml.fused";

/// The name of the attribute of a module that was read with ONNX Runtime's
/// optimizations. The attribute is a dictionary. `fused` contains the
/// optimizations that fused operators, and how often each did. `open` contains
/// the optimizations that could fuse further operators of this model, each with
/// the newest feature level that the created operators could need, such as
/// "6_2", or "" if the level is unknown.
inline constexpr llvm::StringLiteral optimizedAttrName = "dml.optimized";

/// The name of the attribute of a module that lacks some nodes of the model
/// from which it was read. The attribute is a list of strings that state the
/// missing nodes and the reason, one string for each kind of node: "Loop: 1
/// node, 'again': it has graphs of its own".
inline constexpr llvm::StringLiteral unreadAttrName = "dml.unread";

/// The name of the attribute of a module whose model has Loops or Scans, which
/// ONNX Runtime runs on the CPU, apart from the operators of their bodies. The
/// attribute is a list of strings like that of `dml.unread`.
inline constexpr llvm::StringLiteral onHostAttrName = "dml.on_host";

} // namespace dml

#endif // DML_IR_ORIGIN_H
