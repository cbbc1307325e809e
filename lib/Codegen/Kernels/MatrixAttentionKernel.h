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

/// How the workgroup memory of an attention kernel is used that multiplies
/// matrices, in vectors of 16 bytes. Lines are those of queries or keys, each
/// with a vector more than it needs, so that neighbouring lines lie in
/// different banks.
struct MatrixAttentionLayout {
  MatrixShape shape;
  /// Threads of a subgroup, which are its queries, too.
  int64_t subgroupSize = 0;
  /// The terms of scores and the columns of outputs, with some that are 0 or
  /// not stored.
  int64_t terms = 0, columns = 0;
  /// Iterations whose terms together are whole vectors, and these terms.
  int64_t stepsOfUnit = 0, unit = 0;
  /// Vectors of a line of queries or keys, of values, and of scores. The latter
  /// hold weights as well, and columns of outputs that are scaled.
  int64_t termsPitch = 0, valuesPitch = 0, scoresPitch = 0;
  /// Columns of outputs that go through memory at a time, while there are
  /// scores, and in the end.
  int64_t scaledColumns = 0, storedColumns = 0;
  /// Vectors of a stage, which begins with keys, of all scores, and in all.
  int64_t stageVectors = 0, scoreVectors = 0, vectors = 0;

  /// Why `tile` cannot be that of `attention` on devices of `profile`, or
  /// nothing, and then `layout` is set.
  static std::string get(const Attention &attention,
                         const MatrixAttentionTile &tile,
                         const DeviceProfile &profile,
                         MatrixAttentionLayout &layout);
};

/// Replaces `op` by a launch.
void buildMatrixAttentionKernel(mlir::linalg::GenericOp op,
                                const MatrixAttentionTile &tile,
                                const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_MATRIXATTENTIONKERNEL_H
