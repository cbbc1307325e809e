//===- RowLayout.h - How rows lie in buffers and threads --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_ROWLAYOUT_H
#define DML_LIB_CODEGEN_KERNELS_ROWLAYOUT_H

#include "Analysis/RowReduction.h"
#include "Emit/TileBuilder.h"

namespace dml {

/// How the elements of rows lie in buffers, and which of them a thread has at a
/// time: those in its lanes.
struct RowLayout {
  /// Whether the elements that lie beside those of a thread are elements of the
  /// same rows, and not of other rows.
  bool isAlongRow = true;
  /// The number of lanes, whose elements are neighbours in all buffers:
  /// elements of one row, or one element of each of several rows, or several
  /// elements of each of several rows. Of rows that lie in 3 columns, a thread
  /// has 4 elements of each row, which make 3 vectors of 4: lane 7 has element
  /// 2 of row 1.
  int64_t lanes = 1;
  /// The number of rows that the lanes have elements of.
  int64_t rows = 1;
  /// The number of lanes whose elements are stored at once.
  int64_t together = 1;

  /// Returns the layout of `op`, which is on buffers.
  static RowLayout get(mlir::linalg::GenericOp op, RowReduction &reduction);

  /// Returns the number of items that the threads of a row share. An item is
  /// the part of a row that the lanes have.
  int64_t getItems(const RowReduction &reduction) const {
    return reduction.rowSize / getElements();
  }
  /// Returns the number of slots: rows, or groups of rows whose elements the
  /// lanes have together.
  int64_t getSlots(const RowReduction &reduction) const {
    return reduction.numRows / rows;
  }
  /// Returns the number of elements of each row that the lanes have.
  int64_t getElements() const { return lanes / rows; }
};

/// Binds the loops' counters of `reduction` for element `element` of row `row`
/// in lane `lane` of `builder`. Returns the coordinates of the element in the
/// output, which is of `type`.
llvm::SmallVector<LinearForm> bindPlace(mlir::ImplicitLocOpBuilder &b,
                                        IndexForms &forms, TileBuilder &builder,
                                        mlir::MemRefType type,
                                        RowReduction &reduction, size_t lane,
                                        LinearForm row, LinearForm element);

/// Returns the number of places that `count` values take in workgroup memory.
/// After every 32 values one place is left out, so that threads which each read
/// some neighbouring values, such as 8, read from different banks.
int64_t getPadded(int64_t count);

/// Returns how many vectors a thread may have at a time.
int64_t getMaxVectors(const RowReduction &reduction, const RowLayout &layout);

/// Says why `tile` cannot be the tile of rows that have `layout`, or nothing if
/// the tile can.
std::string findRowTileProblem(const RowReduction &reduction,
                               const RowLayout &layout, const RowTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_ROWLAYOUT_H
