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
#include <string>

namespace dml {

/// The name of the attribute that says which kind of kernel a linalg.generic
/// becomes: `"map"`, whose threads each compute elements from their
/// coordinates, the same with the tile of a thread, `{map_tile = {...}}`,
/// `{contraction_tile = array<i64: rows, columns, terms>}`, or `{matrix_tile =
/// {...}}`.
inline constexpr llvm::StringLiteral kernelAttrName = "dml.kernel";

/// What a workgroup of a contraction kernel computes: `rows` times `columns`
/// sums, for which it has `terms` terms of each in workgroup memory at a time.
struct ContractionTile {
  int64_t rows, columns, terms;

  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
};

/// What a workgroup of a matrix kernel computes, such as `{workgroup =
/// array<i64: 128, 128, 32>, subgroup = array<i64: 64, 64>, shape =
/// "16x16x16xf16xf32"}`: 128 rows of 128 sums, for which it has 32 terms in
/// workgroup memory at a time. Each subgroup has 64 rows of 64 of the sums, and
/// multiplies cooperative matrices of the shape.
struct MatrixTile {
  int64_t rows, columns, terms;
  int64_t subgroupRows, subgroupColumns;
  /// As in device profiles.
  std::string shape;

  int64_t getSubgroups() const {
    return (rows / subgroupRows) * (columns / subgroupColumns);
  }
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
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
  /// Whether the elements of a vector that may reach from a row into the next
  /// are looked up in both rows.
  bool inBothRows = false;
  /// Whether the vectors that lie inside of rows have threads of their own.
  bool isSplit = false;

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

  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
};

/// A value of the attribute `dml.kernel`: the tile of a contraction kernel or
/// of a matrix kernel, or a map kernel, with or without its tile.
struct KernelChoice {
  std::optional<ContractionTile> tile;
  std::optional<MatrixTile> matrixTile;
  std::optional<MapTile> mapTile;

  /// Nothing if `attribute` says none of these.
  static std::optional<KernelChoice> get(mlir::Attribute attribute);
};

} // namespace dml

#endif // DML_IR_KERNELATTR_H
