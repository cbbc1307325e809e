//===- Rounding.h - Rounding to f16 in fused bodies -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A producer may round a number to f16 that its reader widens again. Fusion
// removes the memory between both conversions, and drivers may remove such a
// pair of conversions unless the f16 is stored (on an H100, driver 580.159.04
// does). A fused producer therefore rounds by integer arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_GRAPH_ROUNDING_H
#define DML_LIB_CODEGEN_GRAPH_ROUNDING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace dml {

/// Whether `op` converts an f32 to f16, and roundExplicitly() has not rounded
/// the f32 by integer arithmetic before.
bool isUnrounded(mlir::Operation *op);

/// Whether `producer` rounds a number to f16, and `reader`, into which
/// `producer` is to be fused, widens numbers.
bool needsRounding(mlir::linalg::GenericOp producer,
                   mlir::linalg::GenericOp reader);

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
