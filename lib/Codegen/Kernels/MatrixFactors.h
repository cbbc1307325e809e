//===- MatrixFactors.h - Factors of cooperative matrices --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that multiply cooperative matrices stage factors in the narrow type
// that a tensor has, while the products in a body have widened factors. The
// functions here find the narrow number that a factor was widened from, and
// pack such numbers as vectors of workgroup memory.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_MATRIXFACTORS_H
#define DML_LIB_CODEGEN_KERNELS_MATRIXFACTORS_H

#include "Analysis/Contraction.h"
#include "Emit/TileBuilder.h"
#include "dml/Target/DeviceProfile.h"

namespace dml {

/// A factor that is a narrow number, from which the zero point of its operand
/// may have been subtracted, or 0.
struct NarrowFactor {
  /// The narrow number, and the condition under which the factor is that number
  /// and not 0. The condition is null if the factor is always that number.
  mlir::Value element, condition;
  /// The narrow number that is subtracted once it is widened, or null.
  mlir::Value zeroPoint;
  /// Whether an integer was widened as an unsigned one.
  bool isUnsigned = false;

  /// Reads `factor` as one whose narrow number is of the element type `name`,
  /// an f16 ("f16") or an 8-bit integer ("i8"), or fails.
  static std::optional<NarrowFactor> get(mlir::Value factor,
                                         llvm::StringRef name);
};

/// What is subtracted from all narrow numbers of an operand. Cooperative
/// matrices have bytes of one kind, signed ones: an unsigned byte x is staged
/// as x - 128, which is x with its highest bit flipped, and its zero point z
/// counts as z - 128.
struct ZeroPoint {
  /// The narrow number, or null.
  mlir::Value value;
  bool isUnsigned = false;

  bool isZero() const { return !value && !isUnsigned; }
};

/// Whether matrices of `shape` add up what `contraction` does: its factors are
/// narrow numbers of their type, and its sums of that of their sums.
bool canMultiply(const Contraction &contraction, const MatrixShape &shape);

/// The zero point of `operand`, whose factors are 8-bit integers.
ZeroPoint getZeroPoint(const ContractionOperand &operand);

/// The element type that has this name in a MatrixShape.
mlir::Type getMatrixElement(mlir::MLIRContext *context, llvm::StringRef name);

/// Moves conversions from f16 to f32 behind selects in the body of `op`: a
/// select between two f32 whose values f16 has becomes a select between two
/// f16, whose result is widened. A kernel that stages f16 can then take the
/// selected number from its buffer as it is.
void widenLast(mlir::linalg::GenericOp op);

/// The operations of `slice` that `values` depend on, in the order of `slice`.
/// Values may be null.
llvm::SmallVector<mlir::Operation *>
getSliceOf(llvm::ArrayRef<mlir::Operation *> slice,
           llvm::ArrayRef<mlir::Value> values);

/// Names a factor among those that a TileBuilder has built. `element` is the
/// number of the element that the body was built for, and `term` is the number
/// of the factor among the terms of an iteration.
struct BuiltFactor {
  int64_t element, term;
};

/// Returns a vector of 16 bytes of the narrow numbers of `factors`, which
/// `builder` has built for `operand`. `type` names the type of these numbers. A
/// factor is 0 where the condition of its element in `counts` or that of its
/// term in `conditions` does not hold; null conditions hold always, and an
/// empty `conditions` has null ones.
mlir::Value packFactors(TileBuilder &builder, const ContractionOperand &operand,
                        llvm::StringRef type,
                        llvm::ArrayRef<BuiltFactor> factors,
                        llvm::ArrayRef<mlir::Value> counts,
                        llvm::ArrayRef<mlir::Value> conditions = {});

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_MATRIXFACTORS_H
