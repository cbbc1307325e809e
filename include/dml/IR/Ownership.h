//===- Ownership.h - Tensors that the executable owns -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of functions and their arguments. A tensor with
// DML_TENSOR_FLAG_OWNED_BY_DML is bound once, before a graph runs, and what
// depends on such tensors alone is computed once.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_OWNERSHIP_H
#define DML_IR_OWNERSHIP_H

#include "llvm/ADT/StringRef.h"

namespace dml {

/// Name of the unit attribute of an argument that is bound once: a weight, by
/// the name that `dml.name` gives it.
inline constexpr llvm::StringLiteral ownedAttrName = "dml.owned_by_dml";

/// Name of the unit attribute of the function that computes, once weights are
/// bound, what depends on them alone.
inline constexpr llvm::StringLiteral initializationAttrName =
    "dml.initialization";

/// Name of the attribute of an argument that the initialization computes: the
/// number of its result.
inline constexpr llvm::StringLiteral persistentAttrName = "dml.persistent";

} // namespace dml

#endif // DML_IR_OWNERSHIP_H
