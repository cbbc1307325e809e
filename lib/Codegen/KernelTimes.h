//===- KernelTimes.h - How long kernels take --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELTIMES_H
#define DML_LIB_CODEGEN_KERNELTIMES_H

#include "Contraction.h"

namespace dml {

/// The cycles that the kernel takes which dml-select-kernels chooses for
/// `contraction`, which describes `op`, or a part of its terms.
double estimateCycles(mlir::linalg::GenericOp op,
                      const Contraction &contraction,
                      const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELTIMES_H
