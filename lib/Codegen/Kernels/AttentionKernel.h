//===- AttentionKernel.h - A softmax of products, no scores -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_ATTENTIONKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_ATTENTIONKERNEL_H

#include "Analysis/Attention.h"
#include "Emit/ThreadBlock.h"
#include "dml/Target/DeviceProfile.h"

namespace dml {

/// How an attention kernel uses its workgroup memory, in vectors, and what a
/// thread has of the tile.
struct AttentionLayout {
  /// The queries (rows) and keys (columns) of a thread.
  ThreadBlock block;
  /// The vectors of output columns that a thread has for each of its queries.
  int64_t columnVectors = 0;
  /// The terms of scores that are in workgroup memory at a time, and the keys
  /// whose values are there at a time.
  int64_t terms = 0, valueKeys = 0;
  /// The vectors of workgroup memory that factors take, and those that weights
  /// take.
  int64_t stagedVectors = 0, weightVectors = 0;

  /// Returns the columns of a workgroup, which are rounded up to whole vectors
  /// of all threads.
  int64_t getColumns() const {
    return columnVectors * block.threadColumns * ThreadBlock::side;
  }
  int64_t getVectors() const { return stagedVectors + weightVectors; }

  /// Returns nothing if the threads of a workgroup cannot share `tile`.
  static std::optional<AttentionLayout> get(const Attention &attention,
                                            const AttentionTile &tile);
};

/// Says why `tile` cannot be the tile of `attention`, for devices of `profile`,
/// or nothing if the tile can.
std::string findTileProblem(const Attention &attention,
                            const AttentionTile &tile,
                            const DeviceProfile &profile);

/// Returns the tile of `queries` by `keys` with 16 terms of scores at a time,
/// or with fewer terms, as many as fit the workgroup memory of `profile`.
/// Returns nothing where no number of terms fits.
std::optional<AttentionTile> getAttentionTile(const Attention &attention,
                                              int64_t queries, int64_t keys,
                                              const DeviceProfile &profile);

/// Replaces `op`, which `attention` describes, by a launch.
void buildAttentionKernel(mlir::linalg::GenericOp op,
                          const Attention &attention,
                          const AttentionTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_ATTENTIONKERNEL_H
