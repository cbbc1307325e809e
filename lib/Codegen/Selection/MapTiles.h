//===- MapTiles.h - The tiles of map kernels --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SELECTION_MAPTILES_H
#define DML_LIB_CODEGEN_SELECTION_MAPTILES_H

#include "Kernels/KernelKind.h"
#include "dml/IR/KernelAttr.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dml {

/// Returns a crosswise tile for `op` if `op` reads elements that are neighbours
/// in memory along a dimension other than the innermost one, as large as the
/// output allows. Returns nothing otherwise.
std::optional<MapTile> getCrosswiseTile(mlir::linalg::GenericOp op,
                                        const DeviceSpeed &device);

/// Returns `tile`, which is crosswise, with fewer rows and columns if its
/// workgroups are too few to occupy the device. Each thread keeps at least one
/// vector. For example, an output of 196 rows and 640 columns of f16 has 40
/// tiles of 64 by 64, or 140 tiles of 32 by 32. DenseNet-121 and MobileNetV2 in
/// f16 take 0.94 and 0.90 of the time with such small tiles on an H200.
MapTile getOccupyingCrosswiseTile(mlir::linalg::GenericOp op, MapTile tile,
                                  const DeviceSpeed &device);

/// Returns the tile of the fastest map kernel for `op`.
MapTile chooseMapTile(mlir::linalg::GenericOp op, const DeviceSpeed &device);

/// Adds the tiles that the search for the tile of a map kernel considers to
/// `proposals`.
void proposeMapTiles(mlir::linalg::GenericOp op, const DeviceSpeed &device,
                     Proposals &proposals);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_MAPTILES_H
