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

/// The division of an output into rows, for a body without loops. Vectors that
/// lie inside of a row are likely to read neighbouring elements.
///
/// A row is the innermost dimension of size greater than 1. For example, an
/// output of 8x6x1 elements has 8 rows of 6 elements. Rows may be shorter if
/// vectors would cross the ends of rows, as vectors of 4 elements do in this
/// case. If the body then reads the same elements again periodically along the
/// dimension, each period is a row. For example, a tensor of 8x3 elements that
/// was tiled twice along its columns has 16 rows of 3 elements instead of 8
/// rows of 6.
struct RowShape {
  /// The number of elements in a row, and the dimension that contains the row.
  int64_t size = 1, dim = 0;
  /// The number of consecutive rows that differ in one coordinate only. If each
  /// period of the innermost dimension is a row, this is the number of periods.
  /// Otherwise it is the size of the next outer dimension of size greater than
  /// 1.
  int64_t perPlane = 1;
  /// The number of elements in a vector, and in the whole output.
  int64_t vectorSize = 1, numElements = 1;

  static RowShape get(mlir::linalg::GenericOp op, int64_t vectorSize);

  int64_t getNumRows() const { return numElements / size; }
  bool hasSeveralRows() const { return size != numElements; }
  bool hasWholeVectors() const { return size % vectorSize == 0; }
  /// Returns the number of vectors that lie inside of each row, wherever the
  /// row begins. If rows consist of whole vectors, these are all vectors of a
  /// row. A row of 9 elements has one vector of 4 elements inside.
  int64_t getInsideVectors() const;
  /// Whether separate threads can compute the vectors that lie inside of rows.
  bool canBeSplit() const {
    return hasSeveralRows() && !hasWholeVectors() && getInsideVectors() > 0;
  }
  /// Returns the number of vectors in the output. The last vector may extend
  /// beyond the output.
  int64_t getNumVectors() const;
};

/// Returns the largest number of bytes that a thread may store at once. If the
/// output is placed in a larger buffer, the result is at most the alignment of
/// the output's bytes there, so that no vector contains other bytes. If these
/// bytes are not aligned to words, elements are stored one by one.
int64_t getMaxVectorBytes(mlir::linalg::GenericOp op);

/// Returns the number of bytes that a thread stores at once by default. The
/// number is 16, or less if the elements in 16 bytes are computed from more
/// than 16 bytes of a row. For example, if element i is the larger of the f32
/// numbers 2 i and 2 i + 1, a thread stores only 8 bytes. It then loads 16
/// bytes, and consecutive threads load consecutive vectors.
int64_t getVectorBytes(mlir::linalg::GenericOp op);

/// Returns the smallest block for a body with loops, for LoopBlock::factors:
/// one element along each outer dimension. A search may enlarge these factors.
///
/// The inner dimensions together form rows, of which a thread computes one
/// vector. There are as few inner dimensions as possible such that rows consist
/// of whole vectors. In an output of 8 x 6 x 2 f32 with vectors of 4, the
/// dimension of 2 is too short, but 6 x 2 form rows of 12. One outer dimension
/// is left, so that the block has one factor. If whole vectors are impossible,
/// all dimensions are inner, and the block has no factors.
llvm::SmallVector<int64_t> getUnitBlock(mlir::linalg::GenericOp op,
                                        int64_t vectorBytes);

/// Returns the period of the body along dimension `dim` of the output: the
/// number of coordinates after which the body reads the same elements again.
/// Returns the size of the dimension if there is no shorter period.
int64_t getPeriod(mlir::linalg::GenericOp op, int64_t dim);

/// Whether a thread can look up each element of a vector in two rows: the row
/// where the vector begins, and the next row. Three conditions must hold.
/// Vectors cross the ends of rows. A row is at least as long as a vector, so
/// that a vector does not reach a third row. The body moves elements without
/// computation, since it is built for both rows.
bool mayLookInBothRows(mlir::linalg::GenericOp op, const RowShape &rows);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_ROWSHAPE_H
