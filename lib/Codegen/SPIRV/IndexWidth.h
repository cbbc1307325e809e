//===- IndexWidth.h - The bits of a kernel's indices ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_INDEXWIDTH_H
#define DML_LIB_CODEGEN_SPIRV_INDEXWIDTH_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace dml {

/// Returns 32 if integer range analysis proves that 32-bit indices do not
/// change the results of the kernels in `module`, and 64 otherwise. For
/// example, a kernel that adds indices below 1,000 has 32-bit indices, and a
/// kernel that divides an index that may be 2^40 has 64-bit indices.
mlir::FailureOr<unsigned> computeIndexBits(mlir::gpu::GPUModuleOp module);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_INDEXWIDTH_H
