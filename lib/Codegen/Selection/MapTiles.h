//===- MapTiles.h - What a thread of a map kernel computes ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SELECTION_MAPTILES_H
#define DML_LIB_CODEGEN_SELECTION_MAPTILES_H

#include "dml/IR/KernelAttr.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dml {

/// Returns the crosswise tile of `op`, if the elements that `op` reads lie side
/// by side along a dimension that is not the innermost one.
std::optional<MapTile> getCrosswiseTile(mlir::linalg::GenericOp op,
                                        const DeviceSpeed &device);

/// Returns the tile with which a map kernel that computes `op` takes the least
/// time.
MapTile chooseMapTile(mlir::linalg::GenericOp op, const DeviceSpeed &device);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_MAPTILES_H
