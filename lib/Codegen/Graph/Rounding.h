//===- Rounding.h - Rounding to f16 in fused bodies -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A producer may round a number to f16 that its reader widens again. Fusion
// removes the memory between both conversions, and drivers may remove such a
// pair of conversions unless the f16 is stored (on an H100, driver 580.159.04
// does). A fused producer therefore rounds by integer arithmetic, which takes
// eighteen operations, or computes in f16 where the result is the same.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_GRAPH_ROUNDING_H
#define DML_LIB_CODEGEN_GRAPH_ROUNDING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace dml {

/// Returns an upper bound of the magnitude of the integer `value`, which is a
/// constant, a widened number of up to 8 bits, or a difference of two such
/// values. Returns nothing for any other value.
std::optional<int64_t> getIntegerMagnitude(mlir::Value value);

/// Whether `op` converts an f32 to f16, roundExplicitly() has not rounded the
/// f32 by integer arithmetic before, and the f16 is not just an operand of
/// arithmetic in f16. With `halves`, computeInHalves() counts as done.
bool isUnrounded(mlir::Operation *op, bool halves = false);

/// Whether `producer` rounds a number to f16, and `reader`, into which
/// `producer` is to be fused, widens numbers. With `halves`, computeInHalves()
/// counts as done.
bool needsRounding(mlir::linalg::GenericOp producer,
                   mlir::linalg::GenericOp reader, bool halves);

/// Replaces sums, differences and products in f32 that are rounded to f16 by
/// ones in f16, in the body of `op`, where f16 can represent both operands. The
/// bits are the same: the exact product of two f16 numbers fits an f32, and an
/// f32 has enough bits that a sum which is rounded to f32 first rounds to the
/// same f16. A driver may remove a conversion to f16 whose result is widened
/// again, but cannot remove arithmetic in f16.
void computeInHalves(mlir::linalg::GenericOp op);

/// The approximate number of operations by which roundExplicitly() rounds one
/// number.
inline constexpr int64_t roundingOps = 18;

/// Makes the body of `op` round each number by integer arithmetic before the
/// number is converted from f32 to f16.
void roundExplicitly(mlir::linalg::GenericOp op);

/// Replaces `extf(truncf(x))` by `x` in the body of `op` if roundExplicitly()
/// has rounded `x`, since f16 can represent such an `x` exactly.
void dropWidening(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op);

} // namespace dml

#endif // DML_LIB_CODEGEN_GRAPH_ROUNDING_H
