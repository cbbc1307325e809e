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
#include <variant>

namespace dml {

/// The name of the attribute that states the kernel which a linalg.generic
/// becomes, by the kernel's tile: `{map_tile = {...}}`, `{row_tile = array<i64:
/// threads, vectors>}`, `{attention_tile = array<i64: queries, keys, terms>}`,
/// `{matrix_attention_tile = {...}}`, `{contraction_tile = array<i64: rows,
/// columns, terms>}`, which may have more entries, `{slice_tile = array<i64:
/// rows, columns, slices, terms, times>}` or `{matrix_tile = {...}}`. `"map"`
/// states a map kernel whose tile is yet to be chosen.
inline constexpr llvm::StringLiteral kernelAttrName = "dml.kernel";

/// The name of the unit attribute of a loop that combines its iterations in any
/// order and any grouping. The loop's initial value may be combined in as often
/// as one likes, and changes nothing. A sum is such a loop: 128 threads may
/// each add up some of the terms, from 0 on, and their sums be added in the
/// end.
inline constexpr llvm::StringLiteral anyOrderAttrName = "dml.any_order";

/// The name of the unit attribute of an operation whose result is a weight of
/// attention: an f32 that kernels may round to f16 before they multiply it, as
/// docs/Reference.md admits where values are f16.
inline constexpr llvm::StringLiteral roundableAttrName = "dml.roundable";

/// The name of the unit attribute of a linalg.generic whose kernel has its
/// workgroups in the opposite order: the first workgroup computes the elements
/// that the last one would compute.
inline constexpr llvm::StringLiteral reversedAttrName = "dml.reversed";

/// The tile of a contraction kernel: a workgroup computes `rows` times
/// `columns` sums, and has `terms` terms of each sum in workgroup memory at a
/// time.
struct ContractionTile {
  int64_t rows, columns, terms;
  /// The threads of the workgroup.
  int64_t threads = 128;
  /// The number of times that workgroup memory has room for the terms: of two
  /// buffers, one is filled while the other is read.
  int64_t buffers = 1;
  /// The most terms whose products are written out in the body of a loop.
  int64_t writtenOut = 9;
  /// Whether the next terms are loaded before the present ones are added up,
  /// and stored afterwards.
  bool isAhead = false;
  /// The number of groups of threads that have the same sums, and share out the
  /// terms that are in workgroup memory at a time. The parts of a sum meet in
  /// the end.
  int64_t slices = 1;
  /// The number of neighbouring terms that a thread loads together of an
  /// operand whose terms lie side by side in memory, or 0 where a thread loads
  /// the terms of one iteration together.
  int64_t together = 0;

  static constexpr llvm::StringLiteral name = "contraction_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<ContractionTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of a sliced kernel: a thread computes `rows` times `columns` sums,
/// whose terms `slices` threads share out. Slice 0 has the first `terms` terms,
/// slice 1 the next, and so on, over and over; a thread has the terms of so
/// many rounds, `times`, written out in its loop.
struct SliceTile {
  int64_t rows, columns, slices, terms, times;

  static constexpr llvm::StringLiteral name = "slice_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<SliceTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of a row kernel: each row has `threads` threads of a workgroup,
/// each of which has `vectors` vectors of the row at a time.
struct RowTile {
  int64_t threads, vectors;

  static constexpr llvm::StringLiteral name = "row_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<RowTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of an attention kernel: a workgroup computes the outputs of
/// `queries` queries, goes through the keys in blocks of `keys`, and has
/// `terms` terms of a block's scores in workgroup memory at a time.
struct AttentionTile {
  int64_t queries, keys, terms;

  static constexpr llvm::StringLiteral name = "attention_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<AttentionTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of an attention kernel that multiplies cooperative matrices of
/// `shape`, as device profiles write shapes: a workgroup computes the outputs
/// of `queries` queries, one for each of its threads, and goes through the keys
/// in blocks of `keys`. Workgroup memory has room for `stages` blocks.
struct MatrixAttentionTile {
  int64_t queries, keys;
  std::string shape;
  int64_t stages = 1;

  static constexpr llvm::StringLiteral name = "matrix_attention_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<MatrixAttentionTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of a map kernel that reads down columns and stores rows: a
/// workgroup computes `rows` times `columns` elements. The rows are those of
/// the dimensions up to `dim`, and the columns are the innermost dimension.
struct CrosswiseTile {
  int64_t dim, rows, columns;
};

/// The vectors of each row that nothing needs clamping for, mostly: `count` of
/// them from vector `first` on.
struct InsideVectors {
  int64_t first, count;
};

/// The tile of a matrix kernel, such as `{workgroup = array<i64: 128, 128, 32>,
/// subgroup = array<i64: 64, 64>, shape = "16x16x16xf16xf32"}`: a workgroup
/// computes 128 rows of 128 sums, and has 32 terms of each sum in workgroup
/// memory at a time. Each subgroup has 64 rows of 64 of the sums, and
/// multiplies cooperative matrices of the shape.
struct MatrixTile {
  int64_t rows, columns, terms;
  int64_t subgroupRows, subgroupColumns;
  /// The shape of the matrices, as device profiles write shapes.
  std::string shape;
  /// The most stages that workgroup memory has room for: of two stages, one is
  /// filled while the other is multiplied. There is one stage where two do not
  /// fit.
  int64_t stages = 2;
  /// The tiles of rows that consecutive workgroups have before they go on to
  /// the next tile of columns: in panels of 4, 16 workgroups read the factors
  /// of 4 tiles of rows and 4 of columns. The greatest divisor of the number of
  /// tiles that is no more than this number is taken.
  int64_t panel = 1;
  /// Whether the factors of the next stage are carried into the next iteration,
  /// which begins by storing them. Otherwise each iteration ends by storing the
  /// factors of the next one.
  bool isCarried = false;
  /// The number of subgroups that share out the terms of each sum (split-K
  /// within a workgroup). The parts of a sum are added up in the end, in a
  /// fixed order. A workgroup of few rows has few matrices of sums, and gets
  /// enough subgroups from slices. In larger tiles, slices give each subgroup
  /// more sums, for which it loads fewer factors.
  int64_t slices = 1;

  int64_t getSubgroups() const {
    return (rows / subgroupRows) * (columns / subgroupColumns) * slices;
  }
  static constexpr llvm::StringLiteral name = "matrix_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<MatrixTile> get(mlir::DictionaryAttr kernel);
};

/// A thread computes one vector at a time, such as `{vector_bytes = 16, steps =
/// 2}`.
struct SingleVectors {
  /// The vectors of a thread, which lie as many vectors apart as a workgroup
  /// has threads. Each is computed as if by a thread of its own.
  int64_t steps = 1;
  /// Whether the elements of a vector that may reach from a row into the next
  /// are looked up in both rows (`in_both_rows`).
  bool inBothRows = false;
  /// Whether the vectors that lie inside of rows have threads of their own
  /// (`split`). Rows are not whole vectors.
  bool isSplit = false;
};

/// A thread computes `vectors` consecutive vectors, which go through workgroup
/// memory.
struct ConsecutiveVectors {
  int64_t vectors;
};

/// A thread computes one vector of each of `rows` consecutive rows.
struct VectorsOfRows {
  int64_t rows;
};

/// The elements of a body with loops share the loops: a thread computes
/// `factors` elements of each of the outer dimensions (`block`). These
/// dimensions leave one row, of which a thread has a vector.
struct LoopBlock {
  llvm::SmallVector<int64_t> factors;
};

/// What a thread of a map kernel computes, such as `{vector_bytes = 16, rows =
/// 2}`: 4 floats of a row, and those below them.
struct MapTile {
  /// The bytes of a vector, which a thread stores at once.
  int64_t vectorBytes = 0;

  /// How a thread's vectors lie. Entries of several modes are no tile. A mode
  /// of InsideVectors states the vectors that have threads of their own, where
  /// rows are whole vectors. A CrosswiseTile is the tile of a workgroup that
  /// turns the elements in its memory; the tile then has no other entry than
  /// the vector's bytes.
  using Mode = std::variant<SingleVectors, ConsecutiveVectors, VectorsOfRows,
                            InsideVectors, LoopBlock, CrosswiseTile>;
  Mode mode = SingleVectors();

  /// A dimension along which elements repeat: workgroups that read the same
  /// take turns. This is for a body without loops.
  std::optional<int64_t> turns;

  /// A second path for threads that nothing needs clamping for, if that saves
  /// operations: the share of groups of threads, in percent, that have threads
  /// on both paths at most. A split tile has one for the threads of vectors
  /// inside of rows and one for the others. Without one, or where it is 0,
  /// there is no second path.
  llvm::SmallVector<int64_t, 2> interior;

  /// Whether the tile is yet to be chosen, as `dml.kernel = "map"` leaves it.
  bool isOpen() const { return vectorBytes == 0; }
  /// Whether there are threads of two kinds.
  bool hasParts() const { return isSplit() || getInside(); }

  // The entries of the modes, which are 1, false or null in other modes.
  int64_t getSteps() const { return getSingle().steps; }
  bool looksInBothRows() const { return getSingle().inBothRows; }
  bool isSplit() const { return getSingle().isSplit; }
  int64_t getVectors() const {
    const auto *own = std::get_if<ConsecutiveVectors>(&mode);
    return own ? own->vectors : 1;
  }
  int64_t getRows() const {
    const auto *own = std::get_if<VectorsOfRows>(&mode);
    return own ? own->rows : 1;
  }
  const InsideVectors *getInside() const {
    return std::get_if<InsideVectors>(&mode);
  }
  const LoopBlock *getBlock() const { return std::get_if<LoopBlock>(&mode); }
  const CrosswiseTile *getCrosswise() const {
    return std::get_if<CrosswiseTile>(&mode);
  }

  static constexpr llvm::StringLiteral name = "map_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<MapTile> get(mlir::DictionaryAttr kernel);

private:
  SingleVectors getSingle() const {
    const auto *own = std::get_if<SingleVectors>(&mode);
    return own ? *own : SingleVectors();
  }
};

/// The tile of a kernel of any kind, which a value of the attribute
/// `dml.kernel` states. The type of the tile tells the kind of the kernel;
/// `"map"` is a MapTile that is open. Each tile has the name of its entry in
/// the attribute, writes the attribute, and reads it: get() returns nothing if
/// the attribute states no tile of its kind, or has an entry that is unknown or
/// that no tile has.
using KernelTile =
    std::variant<MapTile, RowTile, AttentionTile, MatrixAttentionTile,
                 ContractionTile, SliceTile, MatrixTile>;

/// Returns the tile that `attribute`, a value of `dml.kernel`, states, or
/// nothing if the attribute states no tile.
std::optional<KernelTile> getKernelTile(mlir::Attribute attribute);

/// Returns the name of the entry of `dml.kernel` that states `tile`.
llvm::StringRef getTileName(const KernelTile &tile);

/// Returns the value of `dml.kernel` that states `tile`.
mlir::DictionaryAttr getKernelAttr(const KernelTile &tile,
                                   mlir::MLIRContext *context);

/// Returns the names of the entries of `dml.kernel` that state a tile.
llvm::SmallVector<llvm::StringRef> getTileNames();

/// Parses a value of the attribute `dml.kernel`, and returns the tile that the
/// value states. Returns nothing where `text` states no tile, without a
/// diagnostic: the caller knows where the text comes from.
std::optional<KernelTile> parseKernelTile(llvm::StringRef text,
                                          mlir::MLIRContext *context);

} // namespace dml

#endif // DML_IR_KERNELATTR_H
