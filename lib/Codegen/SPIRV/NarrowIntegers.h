//===- NarrowIntegers.h - 32 bits for integers that fit ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_NARROWINTEGERS_H
#define DML_LIB_CODEGEN_SPIRV_NARROWINTEGERS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class DataFlowSolver;
class OpPassManager;
} // namespace mlir

namespace dml {

/// The width of the integers that devices compute with fastest. The indices of
/// a kernel have this width if all of them fit.
constexpr unsigned narrowBits = 32;
/// The width of the indices in a kernel whose indices may need more than 32
/// bits.
constexpr unsigned wideBits = 64;

/// Whether `op` computes the same result with 32 bits as with more bits,
/// provided that all of its integers fit into 32 bits. Returns false if
/// `solver` knows no range for an operand.
bool computesAlike(mlir::Operation *op, mlir::DataFlowSolver &solver);

/// A function that runs a pipeline of passes on the module that is narrowed.
using RunPipeline =
    llvm::function_ref<mlir::LogicalResult(mlir::OpPassManager &)>;

/// Narrows operations on wider integers and on indices to 32 bits, if the
/// numbers fit and the results do not change. Then cleans up. Upstream's
/// integer range analysis computes the ranges of the numbers, and upstream's
/// patterns change the types. The patterns alone would also change operations
/// whose results depend on the width, such as a shift by 32.
mlir::LogicalResult narrowIntegers(mlir::gpu::GPUModuleOp module,
                                   RunPipeline runPipeline);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_NARROWINTEGERS_H
