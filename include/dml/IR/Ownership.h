//===- Ownership.h - Tensors that the executable owns -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of functions and their arguments for tensors with
// DML_TENSOR_FLAG_OWNED_BY_DML. Such a tensor is bound only once, before a
// graph runs, and all values that depend only on such tensors are computed
// once.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_OWNERSHIP_H
#define DML_IR_OWNERSHIP_H

#include "llvm/ADT/StringRef.h"

namespace dml {

/// The name of the unit attribute of an argument that is bound only once: a
/// weight, whose name is in `dml.name`.
inline constexpr llvm::StringLiteral ownedAttrName = "dml.owned_by_dml";

/// The name of the unit attribute of the function that computes all values that
/// depend only on weights. The function runs once after the weights are bound.
inline constexpr llvm::StringLiteral initializationAttrName =
    "dml.initialization";

/// The name of the attribute of an argument that the initialization computes.
/// Its value is the number of the initialization's result.
inline constexpr llvm::StringLiteral persistentAttrName = "dml.persistent";

} // namespace dml

#endif // DML_IR_OWNERSHIP_H
