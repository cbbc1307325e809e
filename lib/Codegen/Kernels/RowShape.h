//===- RowShape.h - How an output lies in vectors and rows ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_ROWSHAPE_H
#define DML_LIB_CODEGEN_KERNELS_ROWSHAPE_H

#include "dml/IR/KernelAttr.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dml {

/// How the elements of an output without loops lie in rows.
///
/// A row is the innermost dimension of several elements. An output of 8x6x1
/// elements has 8 rows of 6 elements in one plane; vectors of 4 elements cross
/// the ends of such rows. Where vectors cross the ends of rows and the
/// coordinates of a row repeat, the part that repeats counts as the row: a
/// tensor of 8x3 elements that was tiled twice along its columns has 16 rows of
/// 3 elements, and not 8 rows of 6.
struct RowShape {
  /// The elements of a row, and the dimension that the row is, or is a part of.
  int64_t size = 1, dim = 0;
  /// The rows of a plane: the rows in a dimension that repeats, or else those
  /// of the next outer dimension of several elements.
  int64_t perPlane = 1;
  /// The elements of a vector, and those of the output.
  int64_t vectorSize = 1, numElements = 1;

  static RowShape get(mlir::linalg::GenericOp op, int64_t vectorSize);

  int64_t getNumRows() const { return numElements / size; }
  bool hasSeveralRows() const { return size != numElements; }
  bool hasWholeVectors() const { return size % vectorSize == 0; }
  /// Returns how many vectors lie inside of each row, wherever the row begins:
  /// all vectors of a row of whole vectors, and one vector of 4 elements in a
  /// row of 9 elements.
  int64_t getInsideVectors() const;
  /// Whether the vectors inside of rows can have threads of their own.
  bool canBeSplit() const {
    return hasSeveralRows() && !hasWholeVectors() && getInsideVectors() > 0;
  }
  /// Returns the number of vectors of the output. The last vector may reach
  /// beyond the output.
  int64_t getNumVectors() const;
};

/// Returns the most bytes that a thread stores at once. In a part of another
/// buffer, no vector reaches beyond the part; where the part is not aligned to
/// words, elements are stored one by one.
int64_t getMaxVectorBytes(mlir::linalg::GenericOp op);

/// Returns the bytes that a thread stores at once where nothing else is known:
/// 16, or fewer where the elements of 16 bytes are read from more than 16 bytes
/// of a row. Neighbouring threads then read bytes that lie side by side.
int64_t getVectorBytes(mlir::linalg::GenericOp op);

/// Returns a block with one element of each of the outer dimensions whose
/// elements may share loops. The dimensions behind them make one row of whole
/// vectors, or all of the output.
llvm::SmallVector<int64_t> getUnitBlock(mlir::linalg::GenericOp op,
                                        int64_t vectorBytes);

/// Returns the number of coordinates of dimension `dim` of the output after
/// which the same elements are read again.
int64_t getPeriod(mlir::linalg::GenericOp op, int64_t dim);

/// Whether the elements of a vector can be looked up in the row where the
/// vector begins and in the next row. Where rows are not whole vectors, the
/// elements of a vector that lie in one row have all coordinates but one in
/// common. Elements have to be moved unchanged, since a body is built for each
/// of the two rows.
bool mayLookInBothRows(mlir::linalg::GenericOp op, const RowShape &rows);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_ROWSHAPE_H
