//===- Attention.h - Products with a softmax of products --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_ATTENTION_H
#define DML_LIB_CODEGEN_ANALYSIS_ATTENTION_H

#include "Analysis/Contraction.h"

namespace dml {

/// A linalg.generic, on buffers or tensors, whose body adds up products of
/// values with the softmax of scores, which are sums of products themselves:
///
///   largest = the maximum of score(query, key), over all keys,
///   total   = the sum of exp(score(query, key) - largest), over all keys,
///   output  = the sum of exp(score(query, key) - largest) / total *
///             value(key, column), over all keys,
///
/// in three loops over the keys. The rows of the output are those of queries.
/// Where a query sees some of the keys alone, the others take part in none of
/// the loops.
///
/// That is what the loops say, whatever operators they were made of: a score is
/// whatever the body makes of a sum of products, with scales, masks and biases.
struct Attention {
  /// How often each of the three loops runs.
  int64_t keys = 0;
  /// The key that iterations of the second loop have, of which scores are read,
  /// and that iterations of the third have, of which values are.
  mlir::Value key, keyOfValue;

  /// The sums that scores are made of. Rows are queries, and columns are keys,
  /// which are no dimension of the output.
  Contraction scores;
  /// Such a sum, what is made of it, and the operations that make it.
  mlir::Value sum, score;
  llvm::SmallVector<mlir::Operation *> scoreSlice;
  /// Whether the query sees the key, and the operations that tell; null where
  /// all keys are seen. The first key always is.
  mlir::Value isSeen;
  llvm::SmallVector<mlir::Operation *> isSeenSlice;
  /// Whether weights may be rounded to f16 before they are multiplied.
  bool isRoundable = false;

  /// The sums of the third loop. Rows are queries, and columns are those of
  /// values: the only factor that has operations is that of the columns.
  Contraction products;

  /// Nothing if `op` is none.
  static std::optional<Attention> match(mlir::linalg::GenericOp op);
};

/// How the workgroup memory of an attention kernel is used, in vectors, and
/// what its threads have.
struct AttentionLayout {
  /// The queries and keys of a thread.
  ThreadBlock block;
  /// The vectors of columns that a thread has for each of its queries.
  int64_t columnVectors = 0;
  /// The terms of scores that are in workgroup memory at a time, and the keys
  /// whose values are.
  int64_t terms = 0, valueKeys = 0;
  /// Vectors of what is staged, and of weights.
  int64_t stagedVectors = 0, weightVectors = 0;

  /// Columns of a workgroup: those that there are, and some more.
  int64_t getColumns() const {
    return columnVectors * block.threadColumns * ThreadBlock::side;
  }
  int64_t getVectors() const { return stagedVectors + weightVectors; }

  /// Nothing if the threads of a workgroup cannot share `tile`.
  static std::optional<AttentionLayout> get(const Attention &attention,
                                            const AttentionTile &tile);
};

/// Says why `tile` cannot be the tile of `attention`, for devices of `profile`,
/// or nothing if it can.
std::string findTileProblem(const Attention &attention,
                            const AttentionTile &tile,
                            const DeviceProfile &profile);

/// `queries` by `keys`, with 16 terms of scores at a time or fewer, as many as
/// fit the workgroup memory of `profile`. Nothing where that is no tile of
/// `attention`.
std::optional<AttentionTile> getAttentionTile(const Attention &attention,
                                              int64_t queries, int64_t keys,
                                              const DeviceProfile &profile);

/// Replaces `op`, which `attention` describes, by a launch.
void buildAttentionKernel(mlir::linalg::GenericOp op,
                          const Attention &attention,
                          const AttentionTile &tile);

/// How the workgroup memory of an attention kernel is used that multiplies
/// matrices, in vectors of 16 bytes. Lines are those of queries or keys, each
/// with a vector more than it needs, so that neighbouring lines lie in
/// different banks.
struct MatrixAttentionLayout {
  MatrixShape shape;
  /// Threads of a subgroup, which are its queries, too.
  int64_t subgroupSize = 0;
  /// The terms of scores and the columns of outputs, with some that are 0 or
  /// not stored.
  int64_t terms = 0, columns = 0;
  /// Iterations whose terms together are whole vectors, and these terms.
  int64_t stepsOfUnit = 0, unit = 0;
  /// Vectors of a line of queries or keys, of values, and of scores. The latter
  /// hold weights as well, and columns of outputs that are scaled.
  int64_t termsPitch = 0, valuesPitch = 0, scoresPitch = 0;
  /// Columns of outputs that go through memory at a time, while there are
  /// scores, and in the end.
  int64_t scaledColumns = 0, storedColumns = 0;
  /// Vectors of a stage, which begins with keys, of all scores, and in all.
  int64_t stageVectors = 0, scoreVectors = 0, vectors = 0;

  /// Why `tile` cannot be that of `attention` on devices of `profile`, or
  /// nothing, and then `layout` is set.
  static std::string get(const Attention &attention,
                         const MatrixAttentionTile &tile,
                         const DeviceProfile &profile,
                         MatrixAttentionLayout &layout);
};

/// Replaces `op` by a launch.
void buildMatrixAttentionKernel(mlir::linalg::GenericOp op,
                                const MatrixAttentionTile &tile,
                                const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_ATTENTION_H
