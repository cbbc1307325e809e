//===- MapKernel.h - Kernels that compute by coordinates --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A map kernel computes each element of its output from the element's
// coordinates. Which elements a thread has is its tile: dml-select-map-tiles
// chooses it, and dml-distribute-to-workgroups builds the kernel that it asks
// for. Both build kernels by what is declared here.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_MAPKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_MAPKERNEL_H

#include "Kernels/RowShape.h"
#include "dml/IR/KernelAttr.h"

namespace dml {

/// What the threads of a kernel run, all together.
struct KernelCost {
  /// The operations of the path that any thread can take, and how many of these
  /// are loads.
  double general = 0, loads = 0;
  /// The operations on average, if some threads take a second path.
  double average = 0;
  /// The second path of all threads, or of each part of a split tile, as
  /// MapTile::interior has it.
  llvm::SmallVector<int64_t, 2> interior;
  /// Of a tile of one vector in rows of whole vectors, those in each row for
  /// which most comparisons come out the same; nothing if all do.
  std::optional<InsideVectors> inside;
};

/// Says why `op` cannot become a map kernel, or nothing if it can.
std::string findMapProblem(mlir::linalg::GenericOp op);

/// Says why `tile` cannot be the tile of `op`, or nothing if it can.
std::string findTileProblem(mlir::linalg::GenericOp op, const MapTile &tile);

/// The tile of one vector.
MapTile getPlainTile(mlir::linalg::GenericOp op);

/// The threads that compute `op` with `tile`, but for those of none.
int64_t getNumThreads(mlir::linalg::GenericOp op, const MapTile &tile);

/// The dimension along which workgroups of `tile` that read the same elements
/// should take turns: what they read would come again after more than `bytes`
/// of the output.
std::optional<int64_t> getTurns(mlir::linalg::GenericOp op, const MapTile &tile,
                                double bytes);

/// Builds the launch that computes `op` with `tile`, at the end of `block`. The
/// second paths are chosen: of those in `interiors`, the first one that pays.
/// A kernel whose threads run more than `maxGeneral` stays in pieces.
KernelCost tryMapKernel(mlir::Block &block, mlir::linalg::GenericOp op,
                        const MapTile &tile, llvm::ArrayRef<int64_t> interiors,
                        double maxGeneral);

/// Replaces `op` by the launch that computes it with `tile`.
void buildMapKernel(mlir::linalg::GenericOp op, const MapTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_MAPKERNEL_H
