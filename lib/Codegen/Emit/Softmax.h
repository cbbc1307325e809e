//===- Softmax.h - The operations of an online softmax ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The operations that attention kernels share. They compute with f32 numbers or
// with vectors of f32 numbers.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_SOFTMAX_H
#define DML_LIB_CODEGEN_EMIT_SOFTMAX_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dml {

/// Builds the larger of two scores. The maximum may ignore a NaN: a NaN among
/// the scores makes the sum of exponentials NaN in any case.
mlir::Value buildLarger(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs,
                        mlir::Value rhs);

/// Builds the exponential of `x`. A select preserves NaN, since some drivers
/// return a number for the exponential of NaN.
mlir::Value buildExponential(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// Builds the number that is subtracted from scores before the exponential. The
/// number is `largest`, the largest of the scores, or the lowest finite number
/// if `largest` is -infinity, since -infinity minus -infinity would be NaN.
mlir::Value buildShift(mlir::ImplicitLocOpBuilder &b, mlir::Value largest);

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_SOFTMAX_H
