//===- VerifyArithmetic.h - No kernel computes the undefined ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_VERIFYARITHMETIC_H
#define DML_LIB_CODEGEN_SPIRV_VERIFYARITHMETIC_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace dml {

/// Refuses kernels with integer arithmetic that SPIR-V leaves undefined for
/// certain: shifts by the width or more, divisions by 0, and the lowest number
/// divided by -1. A device would give any number for these. Of a GPU module,
/// whose indices have `indexBits`, amounts and divisors that are computed are
/// judged by their ranges.
mlir::LogicalResult verifyArithmetic(mlir::gpu::GPUModuleOp module,
                                     unsigned indexBits);
/// Of a SPIR-V module, amounts and divisors that are constants are judged, some
/// of which the conversion to SPIR-V makes.
mlir::LogicalResult verifyArithmetic(mlir::spirv::ModuleOp module);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_VERIFYARITHMETIC_H
