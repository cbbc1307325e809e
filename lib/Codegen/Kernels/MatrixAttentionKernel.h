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

/// How an attention kernel that multiplies matrices uses its workgroup memory,
/// in vectors of 16 bytes. A line belongs to one query or to one key, and has a
/// vector more than it needs, so that neighbouring lines lie in different
/// banks.
struct MatrixAttentionLayout {
  MatrixShape shape;
  /// The threads of a subgroup, which has as many queries.
  int64_t subgroupSize = 0;
  /// The number of terms of a score and the number of columns of the output,
  /// both rounded up to whole matrices. The terms that pad a matrix are 0, and
  /// the columns that pad a matrix are not stored.
  int64_t terms = 0, columns = 0;
  /// The iterations whose terms are whole vectors together, and the number of
  /// these terms.
  int64_t stepsOfUnit = 0, unit = 0;
  /// The vectors of a line of queries or keys, of a line of values, and of a
  /// line of scores. A line of scores holds weights as well, and the columns of
  /// outputs that are scaled.
  int64_t termsPitch = 0, valuesPitch = 0, scoresPitch = 0;
  /// The columns of outputs that go through workgroup memory at a time: while
  /// there are scores in it, and in the end.
  int64_t scaledColumns = 0, storedColumns = 0;
  /// The vectors of a stage, which begins with keys, those of all scores, and
  /// those of all workgroup memory.
  int64_t stageVectors = 0, scoreVectors = 0, vectors = 0;

  /// Says why `tile` cannot be the tile of `attention` on devices of `profile`.
  /// Returns nothing if the tile can, and sets `layout`.
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
