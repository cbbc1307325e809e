//===- SlicedKernel.h - Sums that threads share out -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_SLICEDKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_SLICEDKERNEL_H

#include "Analysis/Contraction.h"

namespace dml {

/// Returns why `contraction` cannot have the tile `tile`, or an empty text if
/// it can.
std::string findTileProblem(const Contraction &contraction,
                            const SliceTile &tile);

/// Replaces `op`, which computes `contraction`, by a launch.
void buildSlicedKernel(mlir::linalg::GenericOp op,
                       const Contraction &contraction, const SliceTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_SLICEDKERNEL_H
