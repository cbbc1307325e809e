//===- MatrixFactors.h - Factors of cooperative matrices --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Kernels with cooperative matrices stage factors in the narrow type of the
// tensor, such as f16, whereas bodies multiply factors that were widened to f32
// or i32. The functions in this file find the narrow number from which a factor
// was widened, and pack narrow numbers into vectors for workgroup memory.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_MATRIXFACTORS_H
#define DML_LIB_CODEGEN_KERNELS_MATRIXFACTORS_H

#include "Analysis/Contraction.h"
#include "Emit/TileBuilder.h"
#include "dml/Target/DeviceProfile.h"

namespace dml {

/// A factor that is 0 or a narrow number, possibly minus the zero point of its
/// operand.
struct NarrowFactor {
  /// The narrow number, and the condition under which the factor is this
  /// number. If the condition is false, the factor is 0. The condition is null
  /// if the factor is always the number.
  mlir::Value element, condition;
  /// The narrow zero point that is subtracted after widening, or null.
  mlir::Value zeroPoint;
  /// Whether the narrow integer is unsigned.
  bool isUnsigned = false;

  /// Matches `factor` as a narrow number of the element type `name`: "f16", or
  /// "i8" for an 8-bit integer. Returns nothing if `factor` is no such number.
  static std::optional<NarrowFactor> get(mlir::Value factor,
                                         llvm::StringRef name);
};

/// The number that is subtracted from all narrow numbers of an operand.
/// Cooperative matrices multiply signed bytes only. An unsigned byte x is
/// therefore staged as x - 128, by flipping its highest bit, and its zero point
/// z becomes z - 128.
struct ZeroPoint {
  /// The narrow zero point, or null for 0.
  mlir::Value value;
  bool isUnsigned = false;

  bool isZero() const { return !value && !isUnsigned; }
};

/// Whether cooperative matrices of `shape` can compute `contraction`: the
/// factors must be narrow numbers of the shape's factor type, and the sums must
/// have the shape's sum type.
bool canMultiply(const Contraction &contraction, const MatrixShape &shape);

/// Returns the zero point that all factors of `operand`, which are 8-bit
/// integers, have in common.
ZeroPoint getZeroPoint(const ContractionOperand &operand);

/// Returns the type that MatrixShape names `name`: "f16", "f32", "i8" or "i32".
mlir::Type getMatrixElement(mlir::MLIRContext *context, llvm::StringRef name);

/// Moves conversions from f16 to f32 behind selects in the body of `op`. A
/// select between two widened f16 numbers becomes a select between the f16
/// numbers, followed by a conversion. A kernel that stages f16 can then load
/// the selected number without a conversion.
void widenLast(mlir::linalg::GenericOp op);

/// Returns a 16-byte vector of `factors`, which `builder` has built for
/// `operand`, as numbers of the type named `type`: 8 of "f16" or 16 of "i8".
///
/// Some factors must not change the sum: those beyond the last iteration of the
/// loop over terms, and those of padding. They become 0, or the zero point that
/// stands for 0. `counts` has, for each element of the builder, the condition
/// that the iteration exists. `conditions` has, for each term of an iteration,
/// the condition that the term is no padding. A null condition always holds. If
/// `conditions` is empty, no term is padding.
mlir::Value packFactors(TileBuilder &builder, const ContractionOperand &operand,
                        llvm::StringRef type,
                        llvm::ArrayRef<BuiltFactor> factors,
                        llvm::ArrayRef<mlir::Value> counts,
                        llvm::ArrayRef<mlir::Value> conditions = {});

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_MATRIXFACTORS_H
