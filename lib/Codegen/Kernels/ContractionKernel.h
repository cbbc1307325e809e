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

/// Returns why `contraction` cannot have the tile `tile` on devices of
/// `profile`, or an empty text if it can.
std::string findTileProblem(const Contraction &contraction,
                            const ContractionTile &tile,
                            const DeviceProfile &profile);

/// Replaces `op`, which computes `contraction`, by a launch.
void buildContractionKernel(mlir::linalg::GenericOp op,
                            const Contraction &contraction,
                            const ContractionTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_CONTRACTIONKERNEL_H
