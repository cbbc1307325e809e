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

/// After how many coordinates of dimension `dim` of the output the same
/// elements are read again.
int64_t getPeriod(mlir::linalg::GenericOp op, int64_t dim);

/// Whether elements of `op` can be looked up in the row where their vector
/// begins and in the next: where rows are no whole vectors, the elements that a
/// vector has in either row have all coordinates but one in common. That is for
/// elements that are only moved, since a body is built for both rows.
bool mayLookInBothRows(mlir::linalg::GenericOp op, const RowShape &rows);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_ROWSHAPE_H
