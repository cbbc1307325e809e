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
/// in memory along a dimension other than the innermost one. Returns nothing
/// otherwise.
std::optional<MapTile> getCrosswiseTile(mlir::linalg::GenericOp op,
                                        const DeviceSpeed &device);

/// Returns the tile of the fastest map kernel for `op`.
MapTile chooseMapTile(mlir::linalg::GenericOp op, const DeviceSpeed &device);

/// Adds the tiles that the search for the tile of a map kernel considers to
/// `proposals`.
void proposeMapTiles(mlir::linalg::GenericOp op, const DeviceSpeed &device,
                     Proposals &proposals);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_MAPTILES_H
