//===- SlicedKernel.h - Sums that threads share out -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_SLICEDKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_SLICEDKERNEL_H

#include "Analysis/Contraction.h"
#include "dml/Target/DeviceProfile.h"

namespace dml {

/// Returns the reason why no sliced kernel with `tile` can compute
/// `contraction`, or an empty text if there is such a kernel.
std::string findTileProblem(const Contraction &contraction,
                            const SliceTile &tile);

/// Whether the kernel with `tile` stages the factors of its row. The threads of
/// a workgroup then load and widen the factors of a round together, and
/// exchange these factors through workgroup memory. `numPerWord` is the number
/// of factors of the columns in a word, or 0 if the columns are not quantized
/// numbers.
bool isRowStaged(const Contraction &contraction, const SliceTile &tile,
                 int64_t numPerWord, const DeviceProfile &profile);

/// Replaces `op`, which computes `contraction`, by a launch.
void buildSlicedKernel(mlir::linalg::GenericOp op,
                       const Contraction &contraction, const SliceTile &tile,
                       const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_SLICEDKERNEL_H
