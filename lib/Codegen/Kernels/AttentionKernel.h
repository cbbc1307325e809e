//===- AttentionKernel.h - Softmax of products, no scores -------*- C++ -*-===//
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

/// The workgroup memory of an attention kernel, in vectors, and the part of the
/// tile that each thread computes.
struct AttentionLayout {
  /// The block of scores that a thread computes. Rows are queries, and columns
  /// are keys.
  ThreadBlock block;
  /// The number of vectors of output columns that a thread computes for each of
  /// its queries.
  int64_t columnVectors = 0;
  /// The numbers of terms and of keys whose factors are in workgroup memory at
  /// a time. `terms` is for the products of queries and keys, and `valueKeys`
  /// for the products of weights and values.
  int64_t terms = 0, valueKeys = 0;
  /// The sizes, in vectors, of the two areas of workgroup memory: the area of
  /// staged factors, and the area of weights.
  int64_t stagedVectors = 0, weightVectors = 0;

  /// Returns the number of columns of the output, rounded up to whole vectors
  /// of all threads.
  int64_t getColumns() const {
    return columnVectors * block.threadColumns * ThreadBlock::side;
  }
  int64_t getVectors() const { return stagedVectors + weightVectors; }

  /// Returns the layout, or nothing if the threads of a workgroup cannot share
  /// out the scores and outputs of `tile`.
  static std::optional<AttentionLayout> get(const Attention &attention,
                                            const AttentionTile &tile);
};

/// Returns the reason why no attention kernel with `tile` can compute
/// `attention` on devices of `profile`, or an empty text if there is such a
/// kernel.
std::string findTileProblem(const Attention &attention,
                            const AttentionTile &tile,
                            const DeviceProfile &profile);

/// Returns the tile of `queries` by `keys`. To compute scores, the tile's
/// kernel stages the terms of several iterations of the loop over terms at a
/// time: at most 16 terms, or those of one iteration if these are more. The
/// kernel stages fewer iterations if the workgroup memory of `profile` does not
/// suffice. Returns nothing if the terms of a single iteration do not fit.
std::optional<AttentionTile> getAttentionTile(const Attention &attention,
                                              int64_t queries, int64_t keys,
                                              const DeviceProfile &profile);

/// Replaces `op`, which computes `attention`, by the launch of an attention
/// kernel with `tile`.
void buildAttentionKernel(mlir::linalg::GenericOp op,
                          const Attention &attention,
                          const AttentionTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_ATTENTIONKERNEL_H
