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

#include "dml/Executable/Executable.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace dml {

/// How kernels are made.
struct CodegenOptions : mlir::PassPipelineOptions<CodegenOptions> {
  Option<std::string> deviceProfile{
      *this, "device-profile",
      llvm::cl::desc("Devices to generate code for: 'full' or 'minimal', then "
                     "any number of ',+feature', ',-feature' or "
                     "',name=number'; without one, what dml_device.profile "
                     "says, else 'full'"),
      llvm::cl::init("")};
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
  Option<std::string> rowTile{
      *this, "row-tile",
      llvm::cl::desc(
          "Threads of a row and the vectors that each has at a time, "
          "such as '32x4', in kernels for reductions of rows: "
          "'auto' chooses them, 'none' makes no such kernels"),
      llvm::cl::init("auto")};
  Option<std::string> attentionTile{
      *this, "attention-tile",
      llvm::cl::desc("Queries of a workgroup and keys of a block, such as "
                     "'64x32', in kernels for attention that write no scores, "
                     "or a 'dml.kernel' with a matrix_attention_tile: 'auto' "
                     "chooses them, 'none' makes no such kernels"),
      llvm::cl::init("auto")};
  Option<std::string> matrixTile{
      *this, "matrix-tile",
      llvm::cl::desc("Rows, columns and terms of a workgroup and rows and "
                     "columns of its subgroups, such as '128x128x32x64x64', in "
                     "kernels with cooperative matrices: 'auto' chooses them, "
                     "'none' makes no such kernels"),
      llvm::cl::init("auto")};
  Option<std::string> sumParts{
      *this, "sum-parts",
      llvm::cl::desc("Parts that sums of products have, each of which other "
                     "workgroups add up, such as '4': 'auto' chooses them, "
                     "'none' leaves all sums whole"),
      llvm::cl::init("auto")};
};

/// How operators are compiled.
struct CompilerOptions : CodegenOptions {
  Option<std::string> convolutionLayout{
      *this, "convolution-layout",
      llvm::cl::desc("Order of what convolutions read: 'auto' chooses it for "
                     "each, 'none' leaves all as they are, 'channels_last' "
                     "or 'channels_last_covered' is taken wherever it can be"),
      llvm::cl::init("auto")};
  Option<bool> externalWeights{
      *this, "external-weights",
      llvm::cl::desc("Leave the bytes of large constants out of the "
                     "executable: the program that runs it binds them"),
      llvm::cl::init(false)};
  Option<std::string> featureLevel{
      *this, "feature-level",
      llvm::cl::desc("Feature level that the operators must keep to, such as "
                     "5_0; without one, what dml.target says"),
      llvm::cl::init("")};
  Option<bool> legalize{
      *this, "legalize",
      llvm::cl::desc("Rewrite operators that this level does not support by "
                     "ones that it does, where values can be kept"),
      llvm::cl::init(false)};
};

/// States or reaches the feature level that the options name, if they do. What
/// the level lacks, the verifier refuses afterwards.
void buildTargetPipeline(mlir::OpPassManager &pm,
                         const CompilerOptions &options);

// Each of the following stages begins by stating the device profile that the
// options name, if they name one (see the pass dml-attach-device).

/// dml operators on tensors to linalg on tensors.
void buildDMLToLinalgPipeline(mlir::OpPassManager &pm,
                              const CompilerOptions &options);

/// linalg on tensors to gpu.launch_func on buffers, with a gpu.module for each
/// kernel. Results have become arguments.
void buildLinalgToGPUPipeline(mlir::OpPassManager &pm,
                              const CodegenOptions &options);

/// Adds a spirv.module beside each gpu.module.
void buildGPUToSPIRVPipeline(mlir::OpPassManager &pm,
                             const CodegenOptions &options);

/// The whole: dml operators to the attribute `dml.executable`.
void buildDMLToExecutablePipeline(mlir::OpPassManager &pm,
                                  const CompilerOptions &options);

/// Registers dml's passes, and the pipelines: --dml-to-linalg, --dml-to-gpu,
/// --dml-to-spirv and --dml-to-executable from dml operators to a stage, and
/// --dml-linalg-to-gpu and --dml-gpu-to-spirv from one stage to the next. Does
/// nothing where the process has them already, from another copy of this
/// library perhaps.
void registerAllPasses();

/// Registers the dml dialect, and the dialects and interfaces that compilation
/// needs beside it: those of its input, and those of every stage's output.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Verifies `module` and runs `pm` on it. What passes make is verified in
/// builds with assertions only: it would take a fifth of the time to find
/// errors of the compiler itself, and SPIRV-Tools' validator checks every
/// kernel in the end.
llvm::LogicalResult runPasses(mlir::PassManager &pm, mlir::ModuleOp module);

/// What a module is made of. Each stage's module is an input of the next.
enum class Stage {
  /// dml operators, or tensors that are not all linalg's yet.
  DML,
  /// linalg on tensors. (getStage calls it DML, whose passes leave it alone.)
  Linalg,
  /// Launches of GPU kernels on buffers.
  GPU,
  /// The same, and the kernels as SPIR-V.
  SPIRV,
};
Stage getStage(mlir::ModuleOp module);

/// Leads `module` from the stage that it has to the stage `to`. What the
/// options ask for and that stage cannot give any more is an error. Each pass
/// manager goes through `configure` first.
llvm::LogicalResult
compileTo(mlir::ModuleOp module, Stage to, const CompilerOptions &options,
          llvm::function_ref<llvm::LogicalResult(mlir::PassManager &)>
              configure = {});

/// Compiles `module`, of any stage, to an executable (.dmlx); it is changed.
/// Errors are diagnostics of its context. Thread-safe for modules of different
/// contexts.
///
/// Where there are `deviceProfiles`, they stand for the profile of `options`,
/// and
/// the executable has a variant of each function for each of them, the one to
/// be preferred first: a device runs the first that it can.
llvm::FailureOr<std::vector<uint8_t>>
compileToExecutable(mlir::ModuleOp module, const CompilerOptions &options,
                    llvm::ArrayRef<std::string> deviceProfiles = {},
                    llvm::function_ref<llvm::LogicalResult(mlir::PassManager &)>
                        configure = {});

/// The same without a copy of large constants, which stay in the module's
/// context.
llvm::FailureOr<ExecutableImage>
compileToImage(mlir::ModuleOp module, const CompilerOptions &options,
               llvm::ArrayRef<std::string> deviceProfiles = {},
               llvm::function_ref<llvm::LogicalResult(mlir::PassManager &)>
                   configure = {});

} // namespace dml

#endif // DML_PIPELINES_PIPELINES_H
