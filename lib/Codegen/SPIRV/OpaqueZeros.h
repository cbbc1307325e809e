//===- OpaqueZeros.h - Zeros that no driver knows to be 0 -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_OPAQUEZEROS_H
#define DML_LIB_CODEGEN_SPIRV_OPAQUEZEROS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace dml {

/// Makes opaque zeros: numbers that are always 0, but that no driver knows to
/// be 0 while it compiles a kernel.
///
/// An opaque zero is bit 0 of `s & (s >> 2)`, where s is the square of the
/// workgroup's number. The square of an even number is a multiple of 4, whose
/// bit 0 is 0; the square of an odd number is 1 more than a multiple of 8,
/// whose bit 2 is 0. For example, the square of 6 is 36, or 100100 in binary,
/// and the square of 5 is 25, or 11001. A driver that computes the ranges of
/// integers or their known bits finds that bit 0 of s may be 1, and that bit 2
/// may be 1. To know the zero, the driver would have to find that never both
/// bits are 1.
///
/// Each kernel computes a zero once for each type that needs one, where the
/// kernel begins.
class OpaqueZeros {
public:
  /// Returns the opaque zero of the kernel that has `user`, as a number of
  /// `type`, which is i32 or a floating-point type.
  mlir::Value get(mlir::Operation *user, mlir::Type type);

  /// Whether a value of `type` can be hidden.
  static bool canHide(mlir::Type type) {
    return type.isF32() || type.isInteger(32) || type.isIndex();
  }

  /// Returns a value that is equal to `value`, but that no driver knows: the
  /// bits of `value` and those of an opaque zero together. A constant is hidden
  /// once, where the kernel begins, and any other value before `user`.
  mlir::Value hide(mlir::Operation *user, mlir::Value value);

private:
  static mlir::Value buildHidden(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value zero, mlir::Value value);

  llvm::SmallDenseMap<std::pair<mlir::Operation *, mlir::Type>, mlir::Value>
      zeros;
  llvm::SmallDenseMap<std::pair<mlir::Operation *, mlir::Attribute>,
                      mlir::Value>
      constants;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_OPAQUEZEROS_H
