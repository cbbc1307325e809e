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

/// Refuses kernels with integer arithmetic that SPIR-V leaves undefined for
/// certain: shifts by the width or more, divisions by 0, and the lowest number
/// divided by -1. A device may compute any number for these. The indices of
/// `module` have `indexBits`. An amount or a divisor that is computed is
/// refused if its range has no number with a defined result.
mlir::LogicalResult verifyArithmetic(mlir::gpu::GPUModuleOp module,
                                     unsigned indexBits);
/// Does the same for a SPIR-V module, but looks at constant amounts and
/// divisors alone. The conversion to SPIR-V makes some of these constants.
mlir::LogicalResult verifyArithmetic(mlir::spirv::ModuleOp module);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_VERIFYARITHMETIC_H
