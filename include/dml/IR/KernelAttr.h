//===- KernelAttr.h - Which kernel computes a tensor ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_KERNELATTR_H
#define DML_IR_KERNELATTR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace dml {

/// The name of the attribute that says which kind of kernel a linalg.generic
/// becomes: `"map"`, whose threads each compute elements from their
/// coordinates, the same with the tile of a thread, `{map_tile = {...}}`, or
/// `{contraction_tile = array<i64: rows, columns, terms>}`.
inline constexpr llvm::StringLiteral kernelAttrName = "dml.kernel";

/// What a workgroup of a contraction kernel computes: `rows` times `columns`
/// sums, for which it has `terms` terms of each in workgroup memory at a time.
struct ContractionTile {
  int64_t rows, columns, terms;

  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
};

/// What a workgroup of a map kernel computes that reads down columns and stores
/// rows: a tile of `rows` times `columns` elements. The rows are those of the
/// dimensions up to `dim`, and the columns the innermost dimension.
struct CrosswiseTile {
  int64_t dim, rows, columns;
};

/// The vectors of each row that nothing needs clamping for, mostly: `count` of
/// them from vector `first` on.
struct InsideVectors {
  int64_t first, count;
};

/// What a thread of a map kernel computes, such as `{vector_bytes = 16, rows =
/// 2}`: 4 floats of a row, and those below them.
struct MapTile {
  /// The bytes of a vector, which a thread stores at once.
  int64_t vectorBytes = 0;

  // Of a body without loops.

  /// Consecutive vectors, which go through workgroup memory if there are
  /// several, or one vector of each of consecutive rows.
  int64_t vectors = 1, rows = 1;
  /// Vectors that lie as many vectors apart as a workgroup has threads. Each is
  /// computed as if by a thread of its own.
  int64_t steps = 1;
  /// Whether the elements of a vector that may reach from a row into the next
  /// are looked up in both rows.
  bool inBothRows = false;
  /// Whether the vectors that lie inside of rows have threads of their own.
  bool isSplit = false;
  /// The same where rows are whole vectors: the vectors that have threads of
  /// their own.
  std::optional<InsideVectors> inside;

  /// A dimension along which elements repeat: workgroups that read the same
  /// take turns.
  std::optional<int64_t> turns;
  /// The tile of a workgroup that turns what it reads in its memory. Of the
  /// entries above, it has the vector's bytes alone.
  std::optional<CrosswiseTile> crosswise;

  // Of a body with loops.

  /// Elements of the outer dimensions that share the loops, each dimension's
  /// number; what these dimensions leave is one row, of which a thread has a
  /// vector.
  std::optional<llvm::SmallVector<int64_t>> block;

  // Of both.

  /// A second path for threads that nothing needs clamping for, if that saves
  /// operations: the share of groups of threads, in percent, that have threads
  /// on both paths at most. A split tile has one for the threads of vectors
  /// inside of rows and one for the others. Without one, or where it is 0,
  /// there is no second path.
  llvm::SmallVector<int64_t, 2> interior;

  /// Whether there are threads of two kinds.
  bool hasParts() const { return isSplit || inside; }

  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
};

/// A value of the attribute `dml.kernel`: the tile of a contraction kernel, or
/// a map kernel, with or without its tile.
struct KernelChoice {
  std::optional<ContractionTile> tile;
  std::optional<MapTile> mapTile;

  /// Nothing if `attribute` says none of these.
  static std::optional<KernelChoice> get(mlir::Attribute attribute);
};

} // namespace dml

#endif // DML_IR_KERNELATTR_H
