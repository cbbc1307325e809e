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

/// Builds opaque zeros: numbers that are always 0, although no driver knows at
/// compile time that they are.
class OpaqueZeros {
public:
  /// Returns the opaque zero, of type `type`, in the kernel that contains
  /// `user`. `type` is i32 or a floating-point type.
  mlir::Value get(mlir::Operation *user, mlir::Type type);

  /// Whether hide() can hide a value of `type` from a driver.
  static bool canHide(mlir::Type type) {
    return type.isF32() || type.isF16() || type.isInteger(32) ||
           type.isInteger(16) || type.isIndex();
  }

  /// Returns a value that is equal to `value`, but that a driver does not know:
  /// the exclusive or of the bits of `value` and an opaque zero.
  ///
  /// A driver sees that an opaque zero is 0 or 1, since the last operation that
  /// computes the zero is a mask of one bit. An `or` would therefore not hide
  /// all values: 5 | 0 and 5 | 1 are both 5. A constant is hidden once, at the
  /// beginning of the kernel, and any other value in front of `user`.
  mlir::Value hide(mlir::Operation *user, mlir::Value value);

  /// Returns the sum of `constant`, an i32, and an opaque zero. The sum is
  /// computed once, at the beginning of the kernel.
  mlir::Value addTo(mlir::Operation *user, mlir::TypedAttr constant);

private:
  using ConstantMap =
      llvm::SmallDenseMap<std::pair<mlir::Operation *, mlir::Attribute>,
                          mlir::Value>;
  using Combination = llvm::function_ref<mlir::Value(
      mlir::ImplicitLocOpBuilder &b, mlir::Value zero, mlir::Value value)>;

  mlir::Value getOnce(ConstantMap &known, mlir::Operation *user,
                      mlir::TypedAttr constant, Combination build);
  static mlir::Value buildHidden(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value zero, mlir::Value value);

  llvm::SmallDenseMap<std::pair<mlir::Operation *, mlir::Type>, mlir::Value>
      zeros;
  ConstantMap constants, sums;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_OPAQUEZEROS_H
