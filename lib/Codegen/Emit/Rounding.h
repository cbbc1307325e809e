//===- Rounding.h - Values of f32 that were rounded -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_ROUNDING_H
#define DML_LIB_CODEGEN_EMIT_ROUNDING_H

#include "mlir/IR/Operation.h"

namespace dml {

/// Marks operations whose f32 result can be represented in f16. The fusion of a
/// rounding to f16 sets the mark; kernels that compute with f16 read it.
inline constexpr llvm::StringLiteral roundedAttrName = "rounded";

inline bool isRounded(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  return op && op->hasAttr(roundedAttrName);
}

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_ROUNDING_H
