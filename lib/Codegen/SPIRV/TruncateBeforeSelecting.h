//===- TruncateBeforeSelecting.h - One truncation for all ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_TRUNCATEBEFORESELECTING_H
#define DML_LIB_CODEGEN_SPIRV_TRUNCATEBEFORESELECTING_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace dml {

/// If several elements select and truncate the same value, truncates the value
/// only once, before the selections. An example is a pooling, where all
/// elements of a window select and truncate the window's gradient:
///   truncf(select(c, x, 0)) and truncf(select(d, x, 0))
/// become select(c, y, 0) and select(d, y, 0) with y = truncf(x). The kernel
/// computes the same numbers with fewer conversions.
void truncateBeforeSelecting(mlir::gpu::GPUModuleOp module);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_TRUNCATEBEFORESELECTING_H
