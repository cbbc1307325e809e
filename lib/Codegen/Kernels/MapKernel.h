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

/// The cost of a kernel: the number of operations of all its threads, in total.
struct KernelCost {
  /// The number of operations that all threads execute if they take the general
  /// path, which any thread can take, and the number of loads among them.
  double general = 0, loads = 0;
  /// The number of operations that all threads execute if the threads whose
  /// indices need no clamping take a cheaper path. Equal to `general` if no
  /// cheaper path was built.
  double average = 0;
  /// The limit on divergence, in percent, of the cheaper path in each part of
  /// the kernel (MapTile::interior). The cheaper path is for threads whose
  /// indices need no clamping, and its condition is that some numbers lie in
  /// ranges. The limit is the share of subgroups that each of these ranges may
  /// exclude. It is 0 if the part has no cheaper path.
  llvm::SmallVector<int64_t, 2> interior;
  /// The vectors of each row that need no clamping, if other vectors of the row
  /// need clamping. Separate threads can then compute the vectors without
  /// clamping (InsideVectors), so that only the other threads clamp indices.
  /// Known only for a tile of one vector a thread, in rows of whole vectors.
  std::optional<InsideVectors> inside;
};

/// Returns the reason why `op` cannot become a map kernel, or an empty text if
/// it can.
std::string findMapProblem(mlir::linalg::GenericOp op);

/// Returns the reason why `op` cannot have the tile `tile`, or an empty text if
/// it can.
std::string findTileProblem(mlir::linalg::GenericOp op, const MapTile &tile);

/// Returns the tile with one vector for each thread.
MapTile getPlainTile(mlir::linalg::GenericOp op);

/// Whether a kernel with `tile` has threads only for those rows of the output
/// that the body of `op` may replace (NewRows).
bool launchesNewRows(mlir::linalg::GenericOp op, const MapTile &tile);

/// Returns the number of threads that compute `op` with `tile`, without the
/// idle threads of the last workgroup.
int64_t getNumThreads(mlir::linalg::GenericOp op, const MapTile &tile);

/// Returns the dimension along which the workgroups of `tile` should be
/// reordered (MapTile::turns), or nothing if there is none. Along this
/// dimension, the output repeats elements, but computes at least `bytes` bytes
/// before it reads an element again. A cache of `bytes` bytes may then have
/// lost the element. After the reordering, workgroups that read the same
/// elements follow each other.
std::optional<int64_t> getTurns(mlir::linalg::GenericOp op, const MapTile &tile,
                                double bytes);

/// Builds the launch that computes `op` with `tile` at the end of `block`, and
/// returns its cost. The general path of the code, which any thread can take,
/// is built first. A cheaper path for threads whose indices need no clamping is
/// added if it saves enough.
///
/// The condition of the cheaper path requires that certain numbers (atoms) lie
/// in ranges. Each range may exclude at most a given share of subgroups.
/// `interiors` are limits on this share, in percent, which are tried in turn
/// until a path saves enough.
///
/// `maxGeneral` limits the operations of the general path, added up over all
/// threads. If there are more, building stops, KernelCost::general is more than
/// `maxGeneral`, and the caller must discard the incomplete code.
KernelCost tryMapKernel(mlir::Block &block, mlir::linalg::GenericOp op,
                        const MapTile &tile, llvm::ArrayRef<int64_t> interiors,
                        double maxGeneral);

/// Replaces `op` by the launch that computes `op` with `tile`.
void buildMapKernel(mlir::linalg::GenericOp op, const MapTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_MAPKERNEL_H
