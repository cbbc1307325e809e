//===- RowKernel.h - Rows that a workgroup holds ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_ROWKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_ROWKERNEL_H

#include "Kernels/RowLayout.h"
#include "dml/Target/DeviceProfile.h"

namespace dml {

/// Replaces `op`, which computes `reduction`, by a launch. Threads exchange
/// values by shuffles if `profile` has shuffles and states the size of a
/// subgroup, and through workgroup memory otherwise.
void buildRowKernel(mlir::linalg::GenericOp op, RowReduction &reduction,
                    const RowTile &tile, const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_ROWKERNEL_H
