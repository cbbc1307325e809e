//===- ContractionKernel.h - Sums in workgroup memory -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_CONTRACTIONKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_CONTRACTIONKERNEL_H

#include "Analysis/Contraction.h"
#include "Emit/ThreadBlock.h"
#include "dml/Target/DeviceProfile.h"

namespace dml {

/// Returns the reason why no contraction kernel with `tile` can compute
/// `contraction` on devices of `profile`, or an empty text if there is such a
/// kernel.
std::string findTileProblem(const Contraction &contraction,
                            const ContractionTile &tile,
                            const DeviceProfile &profile);

/// Replaces `op`, which computes `contraction`, by the launch of a contraction
/// kernel with `tile`.
void buildContractionKernel(mlir::linalg::GenericOp op,
                            const Contraction &contraction,
                            const ContractionTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_CONTRACTIONKERNEL_H
