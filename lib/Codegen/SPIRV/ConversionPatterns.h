//===- ConversionPatterns.h - Kernels to SPIR-V by patterns -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_CONVERSIONPATTERNS_H
#define DML_LIB_CODEGEN_SPIRV_CONVERSIONPATTERNS_H

#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

namespace dml {

/// Converts the GPU modules `modules` to SPIR-V modules for the target
/// `targetEnv`. Indices get `indexBits` bits. A single call for many modules
/// builds the patterns only once.
mlir::LogicalResult convertToSPIRV(llvm::ArrayRef<mlir::Operation *> modules,
                                   mlir::spirv::TargetEnvAttr targetEnv,
                                   unsigned indexBits);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_CONVERSIONPATTERNS_H
