//===- MapKernel.h - Kernels that compute by coordinates --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A map kernel computes each element of its output from the element's
// coordinates. Its tile states the elements that each thread computes.
// dml-select-map-tiles chooses the tile, and dml-distribute-to-workgroups
// builds the kernel with this tile. Both passes use the functions in this file.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_MAPKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_MAPKERNEL_H

#include "Kernels/RowShape.h"
#include "dml/IR/KernelAttr.h"

namespace dml {

/// The operations that all threads of a kernel execute together.
struct KernelCost {
  /// The number of operations of the general path, which any thread can take,
  /// and the number of loads among them.
  double general = 0, loads = 0;
  /// The average number of operations, if some threads take a second path.
  double average = 0;
  /// The limits on divergence of the second paths, in percent, one for each
  /// part, as in MapTile::interior.
  llvm::SmallVector<int64_t, 2> interior;
  /// The vectors of each row for which most comparisons have the same outcome.
  /// Set only for a tile of one vector in rows of whole vectors, and only if
  /// some vectors differ from most others.
  std::optional<InsideVectors> inside;
};

/// Returns why `op` cannot become a map kernel, or an empty text if it can.
std::string findMapProblem(mlir::linalg::GenericOp op);

/// Returns why `op` cannot have the tile `tile`, or an empty text if it can.
std::string findTileProblem(mlir::linalg::GenericOp op, const MapTile &tile);

/// Returns the tile with one vector for each thread.
MapTile getPlainTile(mlir::linalg::GenericOp op);

/// Returns the number of threads that compute `op` with `tile`, without the
/// idle threads of the last workgroup.
int64_t getNumThreads(mlir::linalg::GenericOp op, const MapTile &tile);

/// Returns the dimension along which workgroups of `tile` should alternate
/// between copies of the same elements (MapTile::turns). Each element would
/// otherwise be read again only after more than `bytes` of the output. Returns
/// nothing if there is no such dimension.
std::optional<int64_t> getTurns(mlir::linalg::GenericOp op, const MapTile &tile,
                                double bytes);

/// Builds the launch that computes `op` with `tile` at the end of `block`.
/// Tries second paths with the limits on divergence `interiors`, and keeps the
/// first one that pays. If the threads would execute more than `maxGeneral`
/// operations, the code stays incomplete.
KernelCost tryMapKernel(mlir::Block &block, mlir::linalg::GenericOp op,
                        const MapTile &tile, llvm::ArrayRef<int64_t> interiors,
                        double maxGeneral);

/// Replaces `op` by the launch that computes `op` with `tile`.
void buildMapKernel(mlir::linalg::GenericOp op, const MapTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_MAPKERNEL_H
