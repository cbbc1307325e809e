//===- CrosswiseKernel.h - Kernels that read down columns -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A map kernel that reads its input along another dimension of the output than
// the innermost one, as a transpose does. A group of threads that computed
// neighbours of a row would read elements that lie far apart, of which memory
// brings whole lines. In a crosswise kernel the threads of a workgroup compute
// vectors down the columns of a tile instead, so that they read what lies side
// by side, and the workgroup turns the tile in its memory before it stores
// rows.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_CROSSWISEKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_CROSSWISEKERNEL_H

#include "dml/IR/KernelAttr.h"
#include "dml/Target/DeviceSpeed.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dml {

/// The crosswise tile of `op`, if what it reads lies side by side along a
/// dimension that is not the innermost one.
std::optional<MapTile> getCrosswiseTile(mlir::linalg::GenericOp op,
                                        const DeviceSpeed &device);

/// Says why `tile`, which is crosswise, cannot be the tile of `op`, or nothing
/// if it can.
std::string findCrosswiseProblem(mlir::linalg::GenericOp op,
                                 const MapTile &tile);

/// Replaces `op` by the launch that computes it with `tile`.
void buildCrosswiseKernel(mlir::linalg::GenericOp op, const MapTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_CROSSWISEKERNEL_H
