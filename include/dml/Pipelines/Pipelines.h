//===- Pipelines.h - The compiler as pass pipelines -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The stages of compilation, each the continuation of the one before, for
// PassManagers of others to embed; and the whole as one function.
//
//===----------------------------------------------------------------------===//

#ifndef DML_PIPELINES_PIPELINES_H
#define DML_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include <vector>

namespace dml {

struct CompilerOptions : mlir::PassPipelineOptions<CompilerOptions> {
  Option<std::string> deviceProfile{
      *this, "device-profile",
      llvm::cl::desc("Devices to generate code for: 'full' or 'minimal', then "
                     "any number of ',+feature', ',-feature' or "
                     "',maxStorageBuffers=number'"),
      llvm::cl::init("full")};
  Option<bool> fuse{
      *this, "fuse",
      llvm::cl::desc("Compute tensors where they are read, if that saves time; "
                     "otherwise each operator has kernels of its own"),
      llvm::cl::init(true)};
  Option<std::string> contractionTile{
      *this, "contraction-tile",
      llvm::cl::desc("Rows and columns of sums that a workgroup computes, such "
                     "as '64x64', in kernels for sums of products: 'auto' "
                     "chooses them, 'none' makes no such kernels"),
      llvm::cl::init("auto")};
};

/// dml operators on tensors to linalg on tensors.
void buildDMLToLinalgPipeline(mlir::OpPassManager &pm,
                              const CompilerOptions &options);

/// linalg on tensors to gpu.launch_func on buffers, with a gpu.module for each
/// kernel. Results have become arguments.
void buildLinalgToGPUPipeline(mlir::OpPassManager &pm,
                              const CompilerOptions &options);

/// Adds a spirv.module beside each gpu.module.
void buildGPUToSPIRVPipeline(mlir::OpPassManager &pm,
                             const CompilerOptions &options);

/// The whole: dml operators to the attribute `dml.executable`.
void buildDMLToExecutablePipeline(mlir::OpPassManager &pm,
                                  const CompilerOptions &options);

/// Registers --dml-to-linalg, --dml-to-gpu, --dml-to-spirv and
/// --dml-to-executable, each from dml operators to its stage.
void registerPipelines();

/// Registers the dialects and interfaces that compilation needs beside the dml
/// dialect.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Verifies `module` and runs `pm` on it. What passes make is verified in
/// builds with assertions only: it would take a fifth of the time to find
/// errors of the compiler itself, and SPIRV-Tools' validator checks every
/// kernel in the end.
llvm::LogicalResult runPasses(mlir::PassManager &pm, mlir::ModuleOp module);

/// Compiles `module`, which is changed, to an executable (.dmlx). Errors are
/// diagnostics of its context. Thread-safe for modules of different contexts.
llvm::FailureOr<std::vector<uint8_t>>
compileToExecutable(mlir::ModuleOp module, const CompilerOptions &options);

} // namespace dml

#endif // DML_PIPELINES_PIPELINES_H
