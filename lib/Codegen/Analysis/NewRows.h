//===- NewRows.h - Which elements a body replaces ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_NEWROWS_H
#define DML_LIB_CODEGEN_ANALYSIS_NEWROWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dml {

/// The rows of an output that a body may replace, if the body selects between a
/// new element and the output's old element. An example is a cache of attention
/// that is updated in place: an output of 8 heads with 4,096 positions of 128
/// elements. The body replaces only elements whose coordinate in dimension
/// `dim` = 1 is `first` or one of the `count` - 1 next numbers. A kernel then
/// has threads for `count` positions of each head instead of 4,096.
struct NewRows {
  int64_t dim = 0, count = 0;
  /// The coordinate of the first row that the body may replace, and the
  /// operations of the body that compute this coordinate. These operations use
  /// only coordinates of dimensions before `dim`.
  mlir::Value first;
  llvm::SmallVector<mlir::Operation *> slice;

  /// Finds the rows that the body of `op` replaces. The body must select, by a
  /// condition, between a new element and the output's old element. If the
  /// condition requires that a coordinate lies in a range, the body replaces
  /// only the rows in this range. If there are several such ranges, the range
  /// with the fewest elements is returned. The elements of a row must fill
  /// whole vectors of `together` elements. Returns nothing if there is no such
  /// range.
  static std::optional<NewRows> find(mlir::linalg::GenericOp op,
                                     int64_t together);

  /// Returns the number of elements of `type` that have the same coordinates in
  /// the dimensions up to `dim`: the product of the sizes of the later
  /// dimensions.
  int64_t getInner(mlir::MemRefType type) const;
  /// Returns the number of elements of `type` that the body may replace:
  /// `count` rows for each row of the other dimensions.
  int64_t getNumElements(mlir::MemRefType type) const;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_NEWROWS_H
