//===- Rounding.h - Values of f32 that were rounded -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_ROUNDING_H
#define DML_LIB_CODEGEN_EMIT_ROUNDING_H

#include "mlir/IR/Operation.h"

namespace dml {

/// The name of the attribute that marks an operation whose f32 result is a
/// number that f16 can represent, such as 0.5, since the number has been
/// rounded to f16. The fusion of a rounding sets the attribute. Kernels that
/// multiply in f16 read it, and convert the number to f16 without a second
/// rounding.
inline constexpr llvm::StringLiteral roundedAttrName = "rounded";

inline bool isRounded(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  return op && op->hasAttr(roundedAttrName);
}

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_ROUNDING_H
