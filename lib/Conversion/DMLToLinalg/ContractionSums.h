//===- ContractionSums.h - Sums whose terms are shared out ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_CONTRACTIONSUMS_H
#define DML_LIB_CONVERSION_DMLTOLINALG_CONTRACTIONSUMS_H

#include "LoweringUtils.h"

namespace dml {

/// buildSums() for products of which each factor depends on dimensions of
/// `type` that the other does not depend on. Kernels for these share out the
/// terms of a sum among threads of a workgroup, so that fewer sums than a
/// device has threads need no partial sums yet.
mlir::Value buildContractionSums(
    mlir::OpBuilder &builder, mlir::Operation *op, mlir::RankedTensorType type,
    llvm::ArrayRef<int64_t> sizes, mlir::Type sumType,
    llvm::function_ref<TermFn(ElementBuilder &b, mlir::ValueRange indices)>
        prepare,
    llvm::function_ref<mlir::Value(ElementBuilder &b, mlir::ValueRange indices,
                                   mlir::Value sum)>
        finish);

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_CONTRACTIONSUMS_H
