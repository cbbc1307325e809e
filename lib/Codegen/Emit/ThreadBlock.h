//===- ThreadBlock.h - The sums of a thread ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_THREADBLOCK_H
#define DML_LIB_CODEGEN_EMIT_THREADBLOCK_H

#include "dml/IR/KernelAttr.h"
#include <algorithm>

namespace dml {

/// The sums of a workgroup's tile that one thread computes: `rows` times
/// `columns` sums, in blocks of 4 by 4. The blocks of a thread are interleaved
/// with the blocks of other threads: neighbouring blocks of one thread lie
/// `threadRows` blocks of rows or `threadColumns` blocks of columns apart.
struct ThreadBlock {
  int64_t rows, columns, threadRows, threadColumns;

  /// The largest number of sums that a thread computes. The thread holds its
  /// sums in registers throughout the loop over terms. Devices have enough
  /// registers for 128 sums and the factors that are loaded for them.
  static constexpr int64_t maxSums = 128;

  /// Returns the blocks of a thread of `tile`, or nothing if the threads of a
  /// workgroup cannot divide the tile into blocks of 4 by 4.
  static std::optional<ThreadBlock> get(const ContractionTile &tile);

  /// The number of rows and of columns in a block, equal to the number of
  /// components of SPIR-V's largest vectors.
  static constexpr int64_t side = 4;

  /// Returns the number of vectors of `side` neighbouring columns in the sums
  /// of a thread.
  int64_t getVectors() const { return rows * columns / side; }
};

/// Returns the number of vectors of workgroup memory that one term takes for
/// `positions` rows or columns. One vector is added as padding, which moves the
/// vectors of different terms to different banks: 64 positions fill 16 vectors
/// and take 17.
inline int64_t getStagedVectors(int64_t positions) {
  return positions / ThreadBlock::side + 1;
}

/// Returns the number of vectors of workgroup memory that the staged terms of
/// `tile` take.
inline int64_t getStagedVectors(const ContractionTile &tile) {
  return tile.buffers * tile.terms *
         (getStagedVectors(tile.rows) + getStagedVectors(tile.columns));
}

/// Returns the smallest number of vectors of workgroup memory through which the
/// slices of `tile` can exchange partial sums. In an exchange, each thread
/// writes one vector for each slice. A tile of one slice exchanges nothing.
inline int64_t getExchangedVectors(const ContractionTile &tile) {
  return tile.slices > 1 ? tile.slices * tile.threads : 0;
}

/// Returns the number of vectors of workgroup memory in a kernel with `tile`.
/// The memory holds staged factors during the loop over terms, and exchanged
/// sums after the loop.
inline int64_t getNumVectors(const ContractionTile &tile) {
  return std::max(getStagedVectors(tile), getExchangedVectors(tile));
}

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_THREADBLOCK_H
