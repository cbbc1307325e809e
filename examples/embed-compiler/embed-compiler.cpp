//===- embed-compiler.cpp - dml's compiler inside another program ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What an engine or a converter does that compiles operators itself, without
// dml-compile:
//
//   dml-embed-compiler IN.mlir OUT.dmlx
//
// prints the module as linalg, made by a pass manager of this program's own,
// and writes its executable, made by the one call that does the whole.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "dml/Pipelines/Pipelines.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

/// A pass manager of one's own takes any stage, between passes of one's own.
static llvm::LogicalResult printLinalg(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  mlir::PassManager pm(module.getContext());
  dml::buildDMLToLinalgPipeline(pm, dml::CompilerOptions());
  if (failed(pm.run(*copy)))
    return llvm::failure();
  llvm::outs() << *copy << "\n";
  return llvm::success();
}

/// The whole. `module` is changed on the way.
static llvm::LogicalResult writeExecutable(mlir::ModuleOp module,
                                           llvm::StringRef path) {
  dml::CompilerOptions options;
  options.deviceProfile = "full";
  llvm::FailureOr<std::vector<uint8_t>> bytes =
      dml::compileToExecutable(module, options);
  if (failed(bytes))
    return llvm::failure();

  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error) {
    file.write(reinterpret_cast<const char *>(bytes->data()), bytes->size());
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (!error)
    return llvm::success();
  llvm::errs() << "dml-embed-compiler: error: cannot write '" << path
               << "': " << error.message() << "\n";
  return llvm::failure();
}

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: dml-embed-compiler IN.mlir OUT.dmlx\n";
    return 1;
  }
  mlir::DialectRegistry registry;
  registry.insert<dml::DMLDialect>();
  dml::registerCompilerDialects(registry);
  // Errors, those of feature levels included, are diagnostics of the context;
  // without a handler of the caller's they go to stderr.
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module || failed(printLinalg(*module)) ||
      failed(writeExecutable(*module, argv[2])))
    return 1;
  return 0;
}
