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

/// The part of a workgroup's tile that one thread of a slice has: `rows` times
/// `columns` elements, in blocks of 4 by 4 elements. Neighbouring blocks of a
/// thread lie `threadRows` and `threadColumns` blocks apart, with the blocks of
/// the other threads between them.
struct ThreadBlock {
  int64_t rows, columns, threadRows, threadColumns;

  /// The most sums of a thread. The thread carries its sums through loops; with
  /// the factors that are loaded for them, 128 sums fit the registers that
  /// devices have for a thread.
  static constexpr int64_t maxSums = 128;

  /// Returns nothing if the threads of a workgroup cannot share `tile` in such
  /// blocks.
  static std::optional<ThreadBlock> get(const ContractionTile &tile);

  /// The rows, and the columns, of a block: as many as SPIR-V's largest vectors
  /// have components.
  static constexpr int64_t side = 4;

  /// Returns the number of vectors of neighbouring columns that the elements of
  /// a thread make.
  int64_t getVectors() const { return rows * columns / side; }
};

/// Returns the vectors of workgroup memory that one term takes for `positions`
/// rows or columns: one vector more than the positions fill, so that the
/// vectors of different terms lie in different banks. 64 positions take 17
/// vectors.
inline int64_t getStagedVectors(int64_t positions) {
  return positions / ThreadBlock::side + 1;
}

/// Returns the vectors of workgroup memory that the terms of `tile` take.
inline int64_t getStagedVectors(const ContractionTile &tile) {
  return tile.buffers * tile.terms *
         (getStagedVectors(tile.rows) + getStagedVectors(tile.columns));
}

/// Returns the least number of vectors of workgroup memory through which the
/// slices of `tile` can exchange their partial sums: each thread writes one
/// vector for every slice. A tile of one slice exchanges nothing.
inline int64_t getExchangedVectors(const ContractionTile &tile) {
  return tile.slices > 1 ? tile.slices * tile.threads : 0;
}

/// Returns the vectors of workgroup memory that a kernel with `tile` has, which
/// holds first the staged factors and then the exchanged sums.
inline int64_t getNumVectors(const ContractionTile &tile) {
  return std::max(getStagedVectors(tile), getExchangedVectors(tile));
}

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_THREADBLOCK_H
