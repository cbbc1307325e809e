//===- ThreadBlock.cpp - The sums of a thread -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/ThreadBlock.h"
#include <optional>

using namespace mlir;
using namespace dml;

/// A number of threads that hardly any device exceeds in a workgroup. Tiles of
/// more threads are rejected, so that products with the number of threads do
/// not overflow.
static constexpr int64_t maxThreads = 1024;

std::optional<ThreadBlock> ThreadBlock::get(const ContractionTile &tile) {
  if (tile.threads > maxThreads || tile.threads % tile.slices)
    return std::nullopt;
  int64_t threads = tile.threads / tile.slices;
  int64_t maxTile = maxSums * threads;
  if (tile.rows > maxTile || tile.columns > maxTile ||
      tile.rows * tile.columns > maxTile)
    return std::nullopt;
  int64_t perThread = tile.rows * tile.columns / threads;
  for (int64_t columns : {2 * side, side}) {
    ThreadBlock block{perThread / columns, columns, 0, 0};
    // A thread computes at least as many rows as columns, in whole blocks.
    if (block.rows < columns || block.rows % side)
      continue;
    block.threadRows = tile.rows / block.rows;
    block.threadColumns = tile.columns / block.columns;
    if (block.threadRows * block.rows == tile.rows &&
        block.threadColumns * block.columns == tile.columns &&
        block.threadRows * block.threadColumns == threads &&
        block.getVectors() % tile.slices == 0)
      return block;
  }
  return std::nullopt;
}
