//===- VerifyFeatures.h - Kernels need no feature that is missing *- C++ -*-==//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_VERIFYFEATURES_H
#define DML_LIB_CODEGEN_SPIRV_VERIFYFEATURES_H

#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace dml {

/// Checks that `profile` has all Vulkan features that the types in `kernel`
/// require. Indices have `indexBits` bits. Without this check, upstream's
/// conversion to SPIR-V would report a missing feature later or not at all. It
/// would name neither the feature nor the operator.
mlir::LogicalResult verifyFeatures(mlir::gpu::GPUFuncOp kernel,
                                   unsigned indexBits,
                                   const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_VERIFYFEATURES_H
