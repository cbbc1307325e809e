//===- Rounding.h - Rounding to f16 in fused bodies -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A producer may round a number to f16 that its reader widens again. Fusion
// removes the memory between both conversions, and the fused body keeps the
// pair of conversions. A driver may remove such a pair. The row lost-roundings
// of dml-work-around-drivers therefore hides the number in between. Some
// roundings need no pair, since arithmetic in f16 has the same result.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_GRAPH_ROUNDING_H
#define DML_LIB_CODEGEN_GRAPH_ROUNDING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dml {

/// Returns an upper bound of the magnitude of the integer `value`, which is a
/// constant, a widened number of up to 8 bits, or a difference of two such
/// values. Returns nothing for any other value.
std::optional<int64_t> getIntegerMagnitude(mlir::Value value);

/// Whether `producer` rounds a number to f16, and `reader`, into which
/// `producer` is to be fused, widens numbers of f16.
bool meetsWidening(mlir::linalg::GenericOp producer,
                   mlir::linalg::GenericOp reader);

/// Replaces sums, differences and products in f32 that are rounded to f16 by
/// ones in f16, in the body of `op`, where f16 can represent both operands. The
/// bits are the same: the exact product of two f16 numbers fits an f32, and an
/// f32 has enough bits that a sum which is rounded to f32 first rounds to the
/// same f16. A driver may remove a conversion to f16 whose result is widened
/// again, but cannot remove arithmetic in f16.
void computeInHalves(mlir::linalg::GenericOp op);

} // namespace dml

#endif // DML_LIB_CODEGEN_GRAPH_ROUNDING_H
