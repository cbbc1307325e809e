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

/// How kernels are made. dml/Target/Options.td says what each option means.
struct CodegenOptions : mlir::PassPipelineOptions<CodegenOptions> {
#define DML_CODEGEN_OPTION(TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME,            \
                           DESCRIPTION)                                        \
  Option<TYPE> MEMBER{*this, NAME, llvm::cl::desc(DESCRIPTION),                \
                      llvm::cl::init(DEFAULT)};
#include "dml/Target/Options.def"
};

/// How operators are compiled: the options above, and those of the steps before
/// code generation.
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
