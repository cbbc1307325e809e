//===- ThreadBlock.h - The sums of a thread ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_THREADBLOCK_H
#define DML_LIB_CODEGEN_EMIT_THREADBLOCK_H

#include "dml/IR/KernelAttr.h"

namespace dml {

/// How the threads of a slice share the tile of a workgroup: each has `rows`
/// times `columns` elements, in blocks of 4 by 4 that lie `threadRows` and
/// `threadColumns` blocks apart.
struct ThreadBlock {
  int64_t rows, columns, threadRows, threadColumns;

  /// The most sums of a thread, which the thread carries through loops: with
  /// the factors that the thread loads for these sums, so many fit the
  /// registers that devices have for a thread.
  static constexpr int64_t maxSums = 128;

  /// Nothing if the threads of a workgroup cannot share `tile` so.
  static std::optional<ThreadBlock> get(const ContractionTile &tile);

  /// How many neighbouring rows or columns a thread's elements come in: the
  /// components of SPIR-V's largest vectors.
  static constexpr int64_t side = 4;

  /// The vectors of neighbouring columns that a thread's elements make.
  int64_t getVectors() const { return rows * columns / side; }
};

/// Vectors of workgroup memory that a term of `positions` rows or columns
/// takes: one more than it has, so that vectors of different terms lie in
/// different banks.
inline int64_t getStagedVectors(int64_t positions) {
  return positions / ThreadBlock::side + 1;
}

/// Vectors of workgroup memory that the terms of `tile` take.
inline int64_t getStagedVectors(const ContractionTile &tile) {
  return tile.buffers * tile.terms *
         (getStagedVectors(tile.rows) + getStagedVectors(tile.columns));
}

/// Vectors of workgroup memory by which the slices of `tile` exchange parts of
/// sums, one vector of each that a thread stores in the end.
inline int64_t getExchangedVectors(const ContractionTile &tile) {
  return tile.slices > 1 ? tile.slices * tile.threads : 0;
}

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_THREADBLOCK_H
