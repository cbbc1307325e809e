//===- NarrowIntegers.h - 32 bits for integers that fit ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_NARROWINTEGERS_H
#define DML_LIB_CODEGEN_SPIRV_NARROWINTEGERS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir {
class DataFlowSolver;
} // namespace mlir

namespace dml {

/// The bits that devices compute fastest with, and that indices have where all
/// of them fit.
constexpr unsigned narrowBits = 32;

/// Whether `op` computes the same with 32 bits as with more, provided that all
/// of its integers fit in them. Where `solver` knows nothing of an integer, the
/// answer is no.
bool computesAlike(mlir::Operation *op, mlir::DataFlowSolver &solver);

/// Gives operations on wider integers and indices 32 bits, where the numbers
/// fit and the results are the same. Ranges of numbers are known to upstream's
/// analysis, and its patterns change the types, but they would change
/// operations that depend on the width, too.
mlir::LogicalResult narrowIntegers(mlir::gpu::GPUModuleOp module);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_NARROWINTEGERS_H
