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

/// The layout of rows in buffers, and the elements that a thread processes at a
/// time. The thread has a number of lanes, and one element in each lane.
struct RowLayout {
  /// Whether consecutive threads process neighbouring elements of the same
  /// rows, instead of elements of different rows.
  bool isAlongRow = true;
  /// The number of lanes. The elements of the lanes are neighbours in all
  /// buffers. They belong to one row or to several rows. For example, if 3 rows
  /// are interleaved in memory, a thread takes 4 elements of each row, which
  /// fill 3 vectors of 4: lane 7 has element 2 of row 1.
  int64_t lanes = 1;
  /// The number of rows to which the elements of the lanes belong.
  int64_t rows = 1;
  /// The number of lanes whose elements are stored at once.
  int64_t together = 1;

  /// Returns the layout of `op`, a generic on buffers.
  static RowLayout get(mlir::linalg::GenericOp op, RowReduction &reduction);

  /// Returns the number of items in a row, which are distributed to threads. An
  /// item consists of the row's elements that a thread holds in its lanes at a
  /// time.
  int64_t getItems(const RowReduction &reduction) const {
    return reduction.rowSize / getElements();
  }
  /// Returns the number of slots. A slot is a row, or the group of rows whose
  /// elements the lanes of one thread hold together.
  int64_t getSlots(const RowReduction &reduction) const {
    return reduction.numRows / rows;
  }
  /// Returns the number of elements of each row in the lanes of a thread.
  int64_t getElements() const { return lanes / rows; }
};

/// Sets the induction variables of the loops of `reduction` to element
/// `element` of row `row`, in lane `lane` of `builder`. Returns the coordinates
/// of the element in the output, which has the type `type`.
llvm::SmallVector<LinearForm> bindPlace(mlir::ImplicitLocOpBuilder &b,
                                        IndexForms &forms, TileBuilder &builder,
                                        mlir::MemRefType type,
                                        RowReduction &reduction, size_t lane,
                                        LinearForm row, LinearForm element);

/// Returns the number of elements of workgroup memory that `count` values take.
/// After every 32 values, one element is unused padding, which avoids bank
/// conflicts. If each thread reads 8 neighbouring values, one after the other,
/// threads 0, 4 and 8 read the elements 0, 33 and 66 at the same time, which
/// lie in different banks.
int64_t getPadded(int64_t count);

/// Returns the largest number of vectors that a thread may hold at a time.
int64_t getMaxVectors(const RowReduction &reduction, const RowLayout &layout);

/// Returns the reason why no row kernel with `tile` can process rows with
/// `layout`, or an empty text if there is such a kernel.
std::string findRowTileProblem(const RowReduction &reduction,
                               const RowLayout &layout, const RowTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_ROWLAYOUT_H
