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

/// How the elements of rows lie in buffers.
struct RowLayout {
  /// Whether the neighbours of what a thread has together are of the same rows,
  /// and not of other rows.
  bool isAlongRow = true;
  /// Elements that are neighbours in all buffers and that a thread has
  /// together, in lanes: elements of one row, or one of each of several rows,
  /// or several of each. Of 3 columns a thread has 4 elements each, which are 3
  /// vectors of 4: lane 7 has element 2 of row 1.
  int64_t lanes = 1;
  /// The rows that the lanes are of.
  int64_t rows = 1;
  /// The lanes that are stored at once.
  int64_t together = 1;

  /// `op` is on buffers.
  static RowLayout get(mlir::linalg::GenericOp op, RowReduction &reduction);

  /// What the threads of a row share: vectors of it, or its elements where a
  /// vector has elements of several rows.
  int64_t getItems(const RowReduction &reduction) const {
    return reduction.rowSize / getElements();
  }
  /// Rows, or vectors of them.
  int64_t getSlots(const RowReduction &reduction) const {
    return reduction.numRows / rows;
  }
  /// The elements of a row that the lanes have.
  int64_t getElements() const { return lanes / rows; }
};

/// Binds the loops' counters of `reduction` for element `element` of row `row`
/// in lane `lane` of `builder`, and returns the coordinates of that element in
/// the output, which is of `type`.
llvm::SmallVector<LinearForm> bindPlace(mlir::ImplicitLocOpBuilder &b,
                                        IndexForms &forms, TileBuilder &builder,
                                        mlir::MemRefType type,
                                        RowReduction &reduction, size_t lane,
                                        LinearForm row, LinearForm element);

/// Returns the places in workgroup memory of `count` values: after every 32
/// values one place is left out, so that threads which each read neighbouring
/// values, 8 for example, read from different banks.
int64_t getPadded(int64_t count);

/// Returns how many vectors a thread may have at a time.
int64_t getMaxVectors(const RowReduction &reduction, const RowLayout &layout);

/// Says why `tile` cannot be the tile of rows that lie so, or nothing if it
/// can.
std::string findRowTileProblem(const RowReduction &reduction,
                               const RowLayout &layout, const RowTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_ROWLAYOUT_H
