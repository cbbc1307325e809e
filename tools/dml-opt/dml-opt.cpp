//===- dml-opt.cpp - The optimizer driver ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/IR/BufferOps.h"
#include "dml/IR/DML.h"
#include "dml/Import/Model.h"
#include "dml/Import/ModuleFile.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "support/CompilerCommandLine.h"
#include "support/EscapedErrors.h"
#include "support/File.h"
#include "support/Module.h"
#include "support/SizeOptions.h"
#include "support/ToolError.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace dml;
using namespace dml::tools;

/// Returns the module that a model of another format is read into, as bytecode
/// of MLIR, or null after an error was printed.
static std::unique_ptr<llvm::MemoryBuffer>
readAsBytecode(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::StringRef path,
               const onnx::StatedSizes &sizes) {
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  Console console(DML_TOOL, &context);
  auto module = loadModule(console, std::move(buffer), path, sizes,
                           mlir::ParserConfig(&context));
  if (!module)
    return nullptr;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  if (failed(mlir::writeBytecodeToFile(*module, os)))
    return nullptr;
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes),
                                                         path);
}

int main(int argc, char **argv) {
  // MLIR's driver always writes its messages to standard error, which `errors`
  // escapes. The handlers that InitLLVM adds for crashes run after this
  // handler.
  static EscapedErrors errors;
  llvm::sys::AddSignalHandler([](void *) { errors.stop(); }, nullptr);
  finishMessages = [] { errors.finish(); };
  llvm::InitLLVM init(argc, argv);
  hideLibraryOptions();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry
      .insert<dml::DMLDialect, dml::DMLBufferDialect, dml::DMLDeviceDialect>();
  mlir::registerAllPasses();
  dml::registerAllPasses();

  static llvm::cl::opt<std::string> inputFile(llvm::cl::Positional,
                                              llvm::cl::desc("<input file>"),
                                              llvm::cl::init("-"));
  static llvm::cl::opt<std::string> outputFile(
      "o", llvm::cl::desc("Output file"), llvm::cl::value_desc("file"),
      llvm::cl::init("-"));
  static SizeOptions sizeOptions(llvm::cl::getGeneralCategory());
  if (!parseCompilerCommandLine(
          argc, argv,
          mlir::registerCLIOptions("dml optimizer driver\n", registry),
          /*category=*/nullptr))
    return kExitInvalid;
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return failed(
               mlir::MlirOptMain(argc, argv, inputFile, outputFile, registry))
               ? kExitNo
               : kExitDone;

  if (lacksInput(inputFile))
    return kExitInvalid;
  std::string error;
  auto buffer = openModuleFile(inputFile, [](llvm::StringRef start) {
    return isModelText(findModelFormat(inputFile, start), start);
  });
  if (!buffer)
    return emitToolError(llvm::toString(buffer.takeError()));
  if (findModelFormat(inputFile, (*buffer)->getBuffer()) != ModelFormat::MLIR) {
    buffer = readAsBytecode(std::move(*buffer), inputFile, sizeOptions.get());
    if (!*buffer)
      return kExitInvalid;
  }
  // MLIR's driver tells nobody whether it is the input that is wrong.
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(mlir::MlirOptMain(os, std::move(*buffer), registry, config)))
    return kExitNo;
  // Messages come before the output where both go to one place.
  errors.finish();
  if (!writeOutput(outputFile, text, error))
    return emitToolError(error, kExitNotWritten);
  return kExitDone;
}
