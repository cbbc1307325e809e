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

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_ATTENTIONKERNEL_H
