//===- ResidentAttentionKernel.h - Attention of few keys --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_RESIDENTATTENTIONKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_RESIDENTATTENTIONKERNEL_H

#include "Kernels/AttentionMatrices.h"
#include "dml/IR/KernelAttr.h"

namespace dml {

/// The workgroup memory of an attention kernel that holds the scores of all
/// keys, in vectors of 16 bytes.
struct ResidentAttentionLayout : AttentionMatrices {
  /// The number of threads of the workgroup, and the number of threads that
  /// compute the softmax of a query together.
  int64_t threads = 0, threadsOfQuery = 0;
  /// The number of keys, rounded up to whole blocks. Scores of keys that do not
  /// exist are -infinity, and their weights are 0.
  int64_t keys = 0;
  /// The number of vectors that hold 8 scores: 1 if scores are f16, and 2 if
  /// they are f32.
  int64_t vectorsOfScores = 1;
  /// The distances between lines: of the scores of a query, which its weights
  /// in f16 replace; and of the sums of products of a query, in f32.
  int64_t scoresPitch = 0, sumsPitch = 0;
  /// The places of the areas of workgroup memory: the staged keys or values,
  /// behind them the sums of products, and then the scores. The queries lie
  /// behind the scores.
  int64_t firstSum = 0, firstScore = 0, firstQuery = 0;
  /// The size of the whole memory.
  int64_t vectors = 0;

  /// If no kernel with `tile` can compute `attention` on devices of `profile`,
  /// returns the reason. Otherwise sets `layout` and returns an empty text.
  static std::string get(const Attention &attention,
                         const ResidentAttentionTile &tile,
                         const DeviceProfile &profile,
                         ResidentAttentionLayout &layout);
};

/// Replaces `op`, which computes attention, by the launch of an attention
/// kernel that holds the scores of all keys in workgroup memory.
void buildResidentAttentionKernel(mlir::linalg::GenericOp op,
                                  const ResidentAttentionTile &tile,
                                  const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_RESIDENTATTENTIONKERNEL_H
