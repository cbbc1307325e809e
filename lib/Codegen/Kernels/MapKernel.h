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

#include "Emit/TileBuilder.h"
#include "dml/IR/KernelAttr.h"

namespace dml {

/// How the elements of an output without loops lie in rows.
///
/// A row is the innermost dimension of several elements. An output of 8x6x1
/// elements has 8 rows of 6 in one plane; vectors of 4 elements cross the ends
/// of such rows. If the coordinates of a row repeat, as those of a tensor of 3
/// columns that was tiled twice, such vectors are the reason to take what
/// repeats for the row: 16 rows of 3.
struct RowShape {
  /// The elements of a row, and the dimension that it is, or is a part of.
  int64_t size = 1, dim = 0;
  /// Rows of a plane: the rows in a dimension that repeats, or else those of
  /// the next outer dimension of several elements.
  int64_t perPlane = 1;
  /// Elements of a vector, and of the output.
  int64_t vectorSize = 1, numElements = 1;

  static RowShape get(mlir::linalg::GenericOp op, int64_t vectorSize);

  int64_t getNumRows() const { return numElements / size; }
  bool hasSeveralRows() const { return size != numElements; }
  bool hasWholeVectors() const { return size % vectorSize == 0; }
  /// The vectors that lie inside of each row, wherever it begins: all of them
  /// in a row of whole vectors, one in a row of 9 elements and vectors of 4.
  int64_t getInsideVectors() const;
  /// Whether vectors inside of rows can have threads of their own.
  bool canBeSplit() const {
    return hasSeveralRows() && !hasWholeVectors() && getInsideVectors() > 0;
  }
  /// Vectors of the output. The last may reach beyond it.
  int64_t getNumVectors() const;
};

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

/// The most bytes that a thread stores at once: no vector reaches beyond a part
/// of another buffer. What is no whole word is stored element by element.
int64_t getMaxVectorBytes(mlir::linalg::GenericOp op);

/// The bytes that a thread stores at once where nothing else is known: 16, or
/// fewer where it reads more of a row than that. The threads of a group then
/// read what lies side by side.
int64_t getVectorBytes(mlir::linalg::GenericOp op);

/// One element of each of the outer dimensions whose elements may share loops:
/// what they leave is one row of whole vectors, or all of the output.
llvm::SmallVector<int64_t> getUnitBlock(mlir::linalg::GenericOp op,
                                        int64_t vectorBytes);

/// The tile of one vector.
MapTile getPlainTile(mlir::linalg::GenericOp op);

/// Whether elements of `op` can be looked up in the row where their vector
/// begins and in the next: where rows are no whole vectors, the elements that a
/// vector has in either row have all coordinates but one in common. That is for
/// elements that are only moved, since a body is built for both rows.
bool mayLookInBothRows(mlir::linalg::GenericOp op, const RowShape &rows);

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
