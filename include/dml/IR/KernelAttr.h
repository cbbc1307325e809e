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

/// The name of the attribute of a linalg.generic that states its kernel. The
/// attribute contains the tile of the kernel: `{map_tile = {...}}`, `{row_tile
/// = array<i64: threads, vectors>}`, `{attention_tile = array<i64: queries,
/// keys, terms>}`, `{split_attention_tile = array<i64: rows, keys>}`,
/// `{matrix_attention_tile = {...}}`, `{resident_attention_tile = {...}}`,
/// `{contraction_tile = array<i64: rows, columns, terms>}`, which may have
/// further entries, `{slice_tile = array<i64: rows, columns, slices, terms,
/// times>}` or
/// `{matrix_tile = {...}}`. `"map"` states a map kernel whose tile is chosen
/// later.
inline constexpr llvm::StringLiteral kernelAttrName = "dml.kernel";

/// The name of the unit attribute of a loop whose iterations may be combined in
/// any order and grouping. The loop's initial value is neutral: combining it
/// several times does not change the result. For example, 128 threads may each
/// add up some terms of a sum, beginning with 0, and then add up their sums.
inline constexpr llvm::StringLiteral anyOrderAttrName = "dml.any_order";

/// The name of the unit attribute of an operation whose result is a weight of
/// attention: an f32 that kernels may round to f16 before they multiply it.
/// docs/Reference.md permits this if values are f16.
inline constexpr llvm::StringLiteral roundableAttrName = "dml.roundable";

/// The name of the unit attribute of a linalg.generic whose kernel has its
/// workgroups in reverse order: the first workgroup computes the elements that
/// the last workgroup would compute otherwise.
inline constexpr llvm::StringLiteral reversedAttrName = "dml.reversed";

/// The tile of a contraction kernel: a workgroup computes `rows` by `columns`
/// sums, and holds `terms` terms of each sum in workgroup memory at a time.
struct ContractionTile {
  int64_t rows, columns, terms;
  /// The number of threads in the workgroup.
  int64_t threads = 128;
  /// The number of buffers in workgroup memory for the terms. With two buffers,
  /// one is filled while the other is read.
  int64_t buffers = 1;
  /// The largest number of terms over which the products are unrolled in the
  /// body of a loop.
  int64_t writtenOut = 9;
  /// Whether the next terms are loaded before the current terms are added up,
  /// and stored afterwards.
  bool isAhead = false;
  /// The number of groups of threads that compute the same sums. The groups
  /// divide the terms in workgroup memory between them, and add up their
  /// partial sums at the end.
  int64_t slices = 1;
  /// The number of neighbouring terms that a thread loads at a time, for an
  /// operand whose terms are neighbours in memory. If the number is 0, a thread
  /// loads the terms of one iteration at a time.
  int64_t together = 0;

  static constexpr llvm::StringLiteral name = "contraction_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<ContractionTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of a sliced kernel. A thread computes partial sums of `rows` by
/// `columns` sums, and the terms of these sums are divided between the threads
/// of `slices` slices. In each round, slice 0 takes the first `terms` terms,
/// slice 1 takes the next ones, and so on. The loop of a thread is unrolled
/// over `times` rounds. If neighbouring terms are neighbours in memory,
/// consecutive threads belong to consecutive slices of the same columns. If
/// `together` is not 0, this holds for `together` threads only: with 32 slices
/// and 8 threads together, threads 0 to 7 have slices 0 to 7 of the first
/// columns, and threads 8 to 15 have slices 0 to 7 of the next columns.
struct SliceTile {
  int64_t rows, columns, slices, terms, times, together = 0;

  static constexpr llvm::StringLiteral name = "slice_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<SliceTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of a row kernel. Each row is processed by `threads` threads of a
/// workgroup, each of which processes `vectors` vectors of the row at a time.
struct RowTile {
  int64_t threads, vectors;

  static constexpr llvm::StringLiteral name = "row_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<RowTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of an attention kernel. A workgroup computes the outputs of
/// `queries` queries, iterates over the keys in blocks of `keys` keys, and
/// holds `terms` terms of a block's scores in workgroup memory at a time.
struct AttentionTile {
  int64_t queries, keys, terms;

  static constexpr llvm::StringLiteral name = "attention_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<AttentionTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of an attention kernel whose keys are split over workgroups. A
/// workgroup computes `rows` rows for a part of `keys` keys, and a second
/// kernel combines the parts. The rows are the queries of all heads that share
/// a head of keys.
struct SplitAttentionTile {
  int64_t rows, keys;

  static constexpr llvm::StringLiteral name = "split_attention_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<SplitAttentionTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of an attention kernel that multiplies cooperative matrices.
/// `shape` is their shape in the notation of device profiles. A workgroup
/// computes the outputs of `queries` queries, one for each of its threads, and
/// iterates over the keys in blocks of `keys` keys. Workgroup memory holds
/// `stages` blocks.
struct MatrixAttentionTile {
  int64_t queries, keys;
  std::string shape;
  int64_t stages = 1;

  static constexpr llvm::StringLiteral name = "matrix_attention_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<MatrixAttentionTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of an attention kernel that multiplies cooperative matrices and
/// holds the scores of all keys in workgroup memory. `shape` is the shape of
/// the matrices in the notation of device profiles. A workgroup of `subgroups`
/// subgroups computes the outputs of `queries` queries, and stages `keys` keys,
/// or their values, at a time.
struct ResidentAttentionTile {
  int64_t queries, keys;
  std::string shape;
  int64_t subgroups = 4;

  static constexpr llvm::StringLiteral name = "resident_attention_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<ResidentAttentionTile> get(mlir::DictionaryAttr kernel);
};

/// The tile of a map kernel that reads along columns and stores along rows. A
/// workgroup computes `rows` by `columns` elements. The rows are the dimensions
/// from 0 to `dim`, and the columns are the innermost dimension.
struct CrosswiseTile {
  int64_t dim, rows, columns;
};

/// The vectors of each row for which most indices need no clamping: `count`
/// vectors from vector `first` on.
struct InsideVectors {
  int64_t first, count;
};

/// The tile of a matrix kernel, such as `{workgroup = array<i64: 128, 128, 32>,
/// subgroup = array<i64: 64, 64>, shape = "16x16x16xf16xf32"}`: a workgroup
/// computes 128 rows of 128 sums, and holds 32 terms of each sum in workgroup
/// memory at a time. Each subgroup computes 64 rows of 64 sums by multiplying
/// cooperative matrices of the given shape.
struct MatrixTile {
  int64_t rows, columns, terms;
  int64_t subgroupRows, subgroupColumns;
  /// The shape of the matrices, in the notation of device profiles.
  std::string shape;
  /// The largest number of stages in workgroup memory. With two stages, one is
  /// filled while the other is multiplied. If two stages do not fit, there is
  /// one.
  int64_t stages = 2;
  /// The number of tiles of rows that consecutive workgroups compute before
  /// they go on to the next tile of columns. With panels of 4 tiles, 16
  /// workgroups read the factors of 4 tiles of rows and of 4 tiles of columns.
  /// The kernel uses the greatest divisor of the number of tiles that does not
  /// exceed this number.
  int64_t panel = 1;
  /// The number of stages whose factors are in registers, on their way from the
  /// device's memory, while the products of a stage are computed. With 2, the
  /// factors of stage 7 are loaded before stage 5 is multiplied, and stored in
  /// workgroup memory before stage 7 is. With 0, the factors of a stage are
  /// loaded before the stage in front of it is multiplied, and stored behind
  /// it, so that they are never in registers from one iteration of the loop to
  /// the next.
  int64_t ahead = 0;
  /// The number of groups of subgroups between which the terms of each sum are
  /// divided (split-K within a workgroup). The partial sums are added up at the
  /// end, in a fixed order. A workgroup with few rows has few matrices of sums,
  /// and uses slices to occupy enough subgroups. In larger tiles, slices give
  /// each subgroup more sums, so that it loads fewer factors for each sum.
  int64_t slices = 1;

  int64_t getSubgroups() const {
    return (rows / subgroupRows) * (columns / subgroupColumns) * slices;
  }
  /// The greatest number of stages ahead.
  static constexpr int64_t maxAhead = 8;
  static constexpr llvm::StringLiteral name = "matrix_tile";
  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
  static std::optional<MatrixTile> get(mlir::DictionaryAttr kernel);
};

/// A thread computes one vector at a time. An example of a tile is
/// `{vector_bytes = 16, steps = 2}`.
struct SingleVectors {
  /// The number of vectors that a thread computes, one after the other. They
  /// lie as many vectors apart as a workgroup has threads. Each vector is
  /// computed like the vector of a separate thread.
  int64_t steps = 1;
  /// Whether the elements of a vector that may cross the end of a row are
  /// looked up both in this row and in the next one (`in_both_rows`).
  bool inBothRows = false;
  /// Whether separate threads compute the vectors inside of rows (`split`).
  /// Only for rows that do not consist of whole vectors.
  bool isSplit = false;
};

/// A thread computes `vectors` consecutive vectors, which are exchanged through
/// workgroup memory before they are stored.
struct ConsecutiveVectors {
  int64_t vectors;
};

/// A thread computes one vector of each of `rows` consecutive rows.
struct VectorsOfRows {
  int64_t rows;
};

/// The elements of a body with loops share the loops. A thread computes
/// `factors` elements along each of the outer dimensions (`block`). The
/// remaining dimensions form one row, of which a thread computes a vector.
struct LoopBlock {
  llvm::SmallVector<int64_t> factors;
};

/// The elements that a thread of a map kernel computes. With `{vector_bytes =
/// 16, rows = 2}`, these are 4 floats of a row, and the 4 floats below them in
/// the next row.
struct MapTile {
  /// The number of bytes in a vector, which a thread stores at once.
  int64_t vectorBytes = 0;

  /// The positions of a thread's vectors. A tile with entries of several modes
  /// is invalid. InsideVectors states which vectors are computed by separate
  /// threads, for rows that consist of whole vectors. CrosswiseTile is the tile
  /// of a workgroup that transposes elements in workgroup memory; `vectorBytes`
  /// is then the only other entry.
  using Mode = std::variant<SingleVectors, ConsecutiveVectors, VectorsOfRows,
                            InsideVectors, LoopBlock, CrosswiseTile>;
  Mode mode = SingleVectors();

  /// A dimension along which elements repeat. Workgroups that read the same
  /// elements alternate between the copies. Only for a body without loops.
  std::optional<int64_t> turns;

  /// Limits for a second path for the threads whose indices need no clamping,
  /// if the path saves operations. A limit is the largest share of subgroups,
  /// in percent, in which some threads take the second path and others do not.
  /// A split tile has one limit for the threads of vectors inside of rows, and
  /// another for the other threads. There is no second path if the limit is
  /// missing or 0.
  llvm::SmallVector<int64_t, 2> interior;

  /// Whether the tile is chosen later, as for `dml.kernel = "map"`.
  bool isOpen() const { return vectorBytes == 0; }
  /// Whether there are two kinds of threads: for vectors inside of rows, and
  /// for other vectors.
  bool hasParts() const { return isSplit() || getInside(); }

  // These functions return the entries of the modes. For other modes, they
  // return 1, false or null.
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

/// The tile of a kernel of any kind, which is the value of the attribute
/// `dml.kernel`. The type of the tile determines the kind of the kernel;
/// `"map"` is a MapTile that is open. Each type of tile states the name of its
/// entry in the attribute, and writes and reads the attribute. Its function
/// get() returns nothing if the attribute contains another kind of tile, or an
/// entry that is unknown or invalid.
using KernelTile =
    std::variant<MapTile, RowTile, AttentionTile, SplitAttentionTile,
                 MatrixAttentionTile, ResidentAttentionTile, ContractionTile,
                 SliceTile, MatrixTile>;

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

/// Parses a value of the attribute `dml.kernel`, and returns the tile. Returns
/// nothing if `text` states no tile. There is no diagnostic, since only the
/// caller knows the source of the text.
std::optional<KernelTile> parseKernelTile(llvm::StringRef text,
                                          mlir::MLIRContext *context);

} // namespace dml

#endif // DML_IR_KERNELATTR_H
