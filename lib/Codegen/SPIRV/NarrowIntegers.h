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

/// The bits of the integers that devices compute fastest with. The indices of a
/// kernel have as many where all of them fit.
constexpr unsigned narrowBits = 32;
/// The bits of the indices of any other kernel.
constexpr unsigned wideBits = 64;

/// Whether `op` computes the same with 32 bits as with more, provided that all
/// of its integers fit in 32 bits. The answer is no if `solver` knows no range
/// of an operand.
bool computesAlike(mlir::Operation *op, mlir::DataFlowSolver &solver);

/// Runs a pipeline of passes on the module that is narrowed.
using RunPipeline =
    llvm::function_ref<mlir::LogicalResult(mlir::OpPassManager &)>;

/// Gives operations on wider integers and indices 32 bits, where the numbers
/// fit and the results are the same, and cleans up. Upstream's integer range
/// analysis finds the ranges of the numbers, and upstream's patterns change the
/// types. Those patterns alone would also change operations whose results
/// depend on the width, such as a shift by 32.
mlir::LogicalResult narrowIntegers(mlir::gpu::GPUModuleOp module,
                                   RunPipeline runPipeline);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_NARROWINTEGERS_H
