//===- Pipelines.h - The compiler as pass pipelines -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The compiler as pass pipelines, one for each stage, which other programs can
// add to their pass managers; and functions that run the whole compiler.
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

/// The options of code generation, which dml/Target/Options.td describes.
struct CodegenOptions : mlir::PassPipelineOptions<CodegenOptions> {
#define DML_CODEGEN_OPTION(TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME,            \
                           DESCRIPTION)                                        \
  Option<TYPE> MEMBER{*this, NAME, llvm::cl::desc(DESCRIPTION),                \
                      llvm::cl::init(DEFAULT)};
#include "dml/Target/Options.def"
};

/// The options of the compiler: those of code generation, and those of the
/// preceding steps.
struct CompilerOptions : CodegenOptions {
#define DML_OPERATOR_OPTION(TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME,           \
                            DESCRIPTION)                                       \
  Option<TYPE> MEMBER{*this, NAME, llvm::cl::desc(DESCRIPTION),                \
                      llvm::cl::init(DEFAULT)};
#include "dml/Target/Options.def"
};

/// Sets the option that dml-compile has as --NAME=VALUE. Fails, and sets
/// nothing, if there is no option of that name, or if the option is on or off
/// and the value is neither "true" nor "false".
llvm::LogicalResult setCompilerOption(CompilerOptions &options,
                                      llvm::StringRef name,
                                      llvm::StringRef value);

/// Returns what is wrong with the values of the options that choose between
/// kernels, such as a contraction-tile of '64', or "".
std::string describeWrongOption(const CompilerOptions &options);

/// Builds the pipeline that states the feature level of the options, or
/// rewrites operators for this level, if the options name a level. The verifier
/// afterwards rejects operators that the level does not support.
void buildTargetPipeline(mlir::OpPassManager &pm,
                         const CompilerOptions &options);

// Each of the following pipelines begins by stating the device profile of the
// options, if the options name one (see the pass dml-attach-device).

/// Converts dml operators on tensors to linalg on tensors.
void buildDMLToLinalgPipeline(mlir::OpPassManager &pm,
                              const CompilerOptions &options);

/// Converts linalg on tensors to gpu.launch_func on buffers, with a gpu.module
/// for each kernel. The results of functions become arguments.
void buildLinalgToGPUPipeline(mlir::OpPassManager &pm,
                              const CodegenOptions &options);

/// The two parts of buildLinalgToGPUPipeline, between which a module has a
/// function of its own for each dispatch (dml/Codegen/Tuning.h): one converts
/// linalg on tensors to dispatches, and the other one chooses their kernels and
/// makes launches of them.
void buildLinalgToDispatchesPipeline(mlir::OpPassManager &pm,
                                     const CodegenOptions &options);
void buildDispatchesToGPUPipeline(mlir::OpPassManager &pm,
                                  const CodegenOptions &options);

/// Adds a spirv.module beside each gpu.module.
void buildGPUToSPIRVPipeline(mlir::OpPassManager &pm,
                             const CodegenOptions &options);

/// Converts dml operators to the attribute `dml.executable`, through all
/// stages.
void buildDMLToExecutablePipeline(mlir::OpPassManager &pm,
                                  const CompilerOptions &options);

/// Registers dml's passes, and the following pipelines: --dml-to-linalg,
/// --dml-to-gpu, --dml-to-spirv and --dml-to-executable, which convert dml
/// operators to a stage; and --dml-linalg-to-gpu and --dml-gpu-to-spirv, which
/// convert one stage to the next. Does nothing if they are already registered
/// in the process, for instance by another copy of this library.
void registerAllPasses();

/// Registers the dml dialect, and the other dialects and interfaces that
/// compilation needs: those of its input, and those of the output of each
/// stage.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Verifies `module`, and runs `pm` on it. The results of passes are only
/// verified in builds with assertions. This verification would take a fifth of
/// the time and only find errors of the compiler itself, and SPIRV-Tools'
/// validator checks each kernel at the end.
llvm::LogicalResult runPasses(mlir::PassManager &pm, mlir::ModuleOp module);

/// A stage of compilation. Each stage's module is an input of the next stage.
enum class Stage {
  /// dml operators, or tensors that are not yet completely in linalg.
  DML,
  /// linalg on tensors. (getStage returns DML for such a module, which the
  /// passes of that stage do not change.)
  Linalg,
  /// Launches of GPU kernels on buffers.
  GPU,
  /// Launches of GPU kernels on buffers, and the kernels as SPIR-V.
  SPIRV,
};
Stage getStage(mlir::ModuleOp module);

/// Compiles `module` from its stage to the stage `to`. Returns an error if the
/// options request a change that is no longer possible at the module's stage.
/// Calls `configure` for each pass manager before it runs.
llvm::LogicalResult
compileTo(mlir::ModuleOp module, Stage to, const CompilerOptions &options,
          llvm::function_ref<llvm::LogicalResult(mlir::PassManager &)>
              configure = {});

/// Compiles `module`, which may be at any stage, to an executable (.dmlx), and
/// changes `module`. Errors are reported as diagnostics in its context.
/// Thread-safe for modules of different contexts.
///
/// If `deviceProfiles` is not empty, it replaces the profile in `options`. The
/// executable then has a variant of each function for each profile, with the
/// preferred one first. A device runs the first variant that it supports.
llvm::FailureOr<std::vector<uint8_t>>
compileToExecutable(mlir::ModuleOp module, const CompilerOptions &options,
                    llvm::ArrayRef<std::string> deviceProfiles = {},
                    llvm::function_ref<llvm::LogicalResult(mlir::PassManager &)>
                        configure = {});

/// Does the same as compileToExecutable, without copying large constants, which
/// remain in the module's context.
llvm::FailureOr<ExecutableImage>
compileToImage(mlir::ModuleOp module, const CompilerOptions &options,
               llvm::ArrayRef<std::string> deviceProfiles = {},
               llvm::function_ref<llvm::LogicalResult(mlir::PassManager &)>
                   configure = {});

} // namespace dml

#endif // DML_PIPELINES_PIPELINES_H
