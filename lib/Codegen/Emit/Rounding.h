//===- Rounding.h - Values of f32 that were rounded -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_ROUNDING_H
#define DML_LIB_CODEGEN_EMIT_ROUNDING_H

#include "mlir/IR/Operation.h"

namespace dml {

/// Marks operations whose result is an f32 that f16 has as well, from the
/// fusion that rounds it to kernels that take it for an f16 again.
inline constexpr llvm::StringLiteral roundedAttrName = "rounded";

inline bool isRounded(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  return op && op->hasAttr(roundedAttrName);
}

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_ROUNDING_H
