//===- VerifyArithmetic.h - No undefined shifts or divisions ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_VERIFYARITHMETIC_H
#define DML_LIB_CODEGEN_SPIRV_VERIFYARITHMETIC_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace dml {

/// Rejects kernels with integer arithmetic that is certainly undefined in
/// SPIR-V: shifts by the width or more, divisions by 0, and the lowest number
/// divided by -1. A device may compute any result for such operations. The
/// indices of `module` have `indexBits` bits. If the amount of a shift or a
/// divisor is computed, the operation is rejected if no number in the operand's
/// range has a defined result.
mlir::LogicalResult verifyArithmetic(mlir::gpu::GPUModuleOp module,
                                     unsigned indexBits);
/// Rejects SPIR-V modules that shift or divide by a constant with which the
/// result is undefined. The conversion to SPIR-V creates some of these
/// constants.
mlir::LogicalResult verifyArithmetic(mlir::spirv::ModuleOp module);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_VERIFYARITHMETIC_H
