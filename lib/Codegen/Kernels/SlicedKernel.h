//===- SlicedKernel.h - Sums that threads share out -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_SLICEDKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_SLICEDKERNEL_H

#include "Analysis/Contraction.h"

namespace dml {

/// Returns the reason why no sliced kernel with `tile` can compute
/// `contraction`, or an empty text if there is such a kernel.
std::string findTileProblem(const Contraction &contraction,
                            const SliceTile &tile);

/// Replaces `op`, which computes `contraction`, by a launch.
void buildSlicedKernel(mlir::linalg::GenericOp op,
                       const Contraction &contraction, const SliceTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_SLICEDKERNEL_H
