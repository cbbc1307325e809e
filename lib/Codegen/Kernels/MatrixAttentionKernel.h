//===- MatrixAttentionKernel.h - Attention by matrices ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_MATRIXATTENTIONKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_MATRIXATTENTIONKERNEL_H

#include "Analysis/Attention.h"
#include "dml/Target/DeviceProfile.h"

namespace dml {

/// The workgroup memory of an attention kernel with cooperative matrices, in
/// vectors of 16 bytes. A line holds the data of one query or one key. The
/// distance between lines is an odd number of vectors, so that the first
/// vectors of neighbouring lines lie in different banks.
struct MatrixAttentionLayout {
  MatrixShape shape;
  /// The number of threads in a subgroup. Each thread has one query.
  int64_t subgroupSize = 0;
  /// The number of terms of a score and the number of columns of the output,
  /// both rounded up to whole matrices. Padding terms are 0, and padding
  /// columns are not stored.
  int64_t terms = 0, columns = 0;
  /// A unit: the smallest number of iterations of the loop over terms whose
  /// terms fill whole vectors, and the number of these terms. With 3 terms in
  /// an iteration and vectors of 8, a unit has 8 iterations and 24 terms.
  int64_t stepsOfUnit = 0, unit = 0;
  /// Pitches: the distances, in vectors, between lines. A line holds the terms
  /// of a query or key, the values of a key, or the scores of a query. The
  /// memory of the scores is reused for the weights, and for the outputs while
  /// they are scaled.
  int64_t termsPitch = 0, valuesPitch = 0, scoresPitch = 0;
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
