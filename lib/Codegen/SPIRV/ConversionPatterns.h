//===- ConversionPatterns.h - Kernels to SPIR-V by patterns -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_CONVERSIONPATTERNS_H
#define DML_LIB_CODEGEN_SPIRV_CONVERSIONPATTERNS_H

#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

namespace dml {

/// Converts `modules`, which are GPU modules for the target `targetEnv` with
/// indices of `indexBits`, to SPIR-V modules. One call for many modules builds
/// the patterns once.
mlir::LogicalResult convertToSPIRV(llvm::ArrayRef<mlir::Operation *> modules,
                                   mlir::spirv::TargetEnvAttr targetEnv,
                                   unsigned indexBits);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_CONVERSIONPATTERNS_H
