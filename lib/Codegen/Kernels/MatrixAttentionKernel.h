//===- MatrixAttentionKernel.h - Attention by matrices ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_MATRIXATTENTIONKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_MATRIXATTENTIONKERNEL_H

#include "Kernels/AttentionMatrices.h"
#include "dml/IR/KernelAttr.h"

namespace dml {

/// The workgroup memory of an attention kernel with cooperative matrices, in
/// vectors of 16 bytes.
struct MatrixAttentionLayout : AttentionMatrices {
  /// The number of threads in a subgroup. Each thread has one query.
  int64_t subgroupSize = 0;
  /// The distance between the lines of scores, each of which has the scores of
  /// a query. Their memory is reused for the weights, and for the outputs while
  /// they are scaled.
  int64_t scoresPitch = 0;
  /// How many columns of the outputs are in workgroup memory at a time. While
  /// outputs are scaled (`scaledColumns`), they may use only the memory of the
  /// scores, since the stages are in use. When the outputs are stored at the
  /// end (`storedColumns`), all of workgroup memory is free.
  int64_t scaledColumns = 0, storedColumns = 0;
  /// Sizes in workgroup memory, in vectors. `stageVectors` is the size of a
  /// stage, which holds the values of one block and the keys of the next one.
  /// `scoreVectors` is the size of all scores, and `vectors` the size of the
  /// whole memory.
  int64_t stageVectors = 0, scoreVectors = 0, vectors = 0;

  /// If no kernel with `tile` can compute `attention` on devices of `profile`,
  /// returns the reason. Otherwise sets `layout` and returns an empty text.
  static std::string get(const Attention &attention,
                         const MatrixAttentionTile &tile,
                         const DeviceProfile &profile,
                         MatrixAttentionLayout &layout);
};

/// Replaces `op`, which computes attention, by the launch of an attention
/// kernel with cooperative matrices.
void buildMatrixAttentionKernel(mlir::linalg::GenericOp op,
                                const MatrixAttentionTile &tile,
                                const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_MATRIXATTENTIONKERNEL_H
