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

/// Says why `tile` cannot be the tile of `contraction`, for devices of
/// `profile`, or nothing if it can.
std::string findTileProblem(const Contraction &contraction,
                            const ContractionTile &tile,
                            const DeviceProfile &profile);

/// Replaces `op`, which `contraction` describes, by a launch.
void buildContractionKernel(mlir::linalg::GenericOp op,
                            const Contraction &contraction,
                            const ContractionTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_CONTRACTIONKERNEL_H
