//===- dml-opt.cpp - The optimizer driver ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/IR/BufferOps.h"
#include "dml/IR/DML.h"
#include "dml/IR/Nesting.h"
#include "dml/Import/Model.h"
#include "dml/Import/ModuleFile.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "support/CompilerCommandLine.h"
#include "support/EscapedErrors.h"
#include "support/File.h"
#include "support/ToolError.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"

using namespace dml;
using namespace dml::tools;

/// Returns the option of dml-translate that makes a module of a file of the
/// format, or "" for a file that is a module already.
static llvm::StringRef getTranslation(ModelFormat format) {
  switch (format) {
  case ModelFormat::ONNX:
    return "--import-onnx";
  case ModelFormat::DispatchModel:
    return "--import-dxdispatch";
  case ModelFormat::SerializedGraph:
    return "--import-dml-graph";
  case ModelFormat::MLIR:
    return "";
  }
  llvm_unreachable("unknown format");
}

/// Loads the plugins that the command line names, and leaves their options out
/// of `arguments`. A plugin that is loaded before the command line is parsed
/// has its passes and its own options among those of dml-opt:
///
///   dml-opt --load-pass-plugin=./count.so --count-operators --only=dml.gemm
///
/// MLIR's driver itself would load a plugin during the parsing, when options
/// can no longer be added. Returns false, with the error printed, if a plugin
/// cannot be loaded.
static bool loadPlugins(llvm::SmallVectorImpl<char *> &arguments,
                        mlir::DialectRegistry &registry) {
  auto load = [&](llvm::StringRef option, const std::string &path) {
    llvm::Error error = llvm::Error::success();
    if (option == "load-pass-plugin") {
      if (auto plugin = mlir::PassPlugin::load(path))
        plugin->registerPassRegistryCallbacks();
      else
        error = llvm::joinErrors(std::move(error), plugin.takeError());
    } else if (auto plugin = mlir::DialectPlugin::load(path)) {
      plugin->registerDialectRegistryCallbacks(registry);
    } else {
      error = llvm::joinErrors(std::move(error), plugin.takeError());
    }
    if (!error)
      return true;
    emitToolError("--" + option + ": " + llvm::toString(std::move(error)));
    return false;
  };
  for (size_t i = 1; i < arguments.size();) {
    llvm::StringRef argument = arguments[i];
    size_t dashes = argument.take_while([](char c) { return c == '-'; }).size();
    auto [name, value] = argument.drop_front(dashes).split('=');
    if (argument == "--")
      break;
    bool isPlugin =
        (dashes == 1 || dashes == 2) &&
        (name == "load-pass-plugin" || name == "load-dialect-plugin");
    // The value may be the next argument.
    size_t count = argument.contains('=') ? 1 : 2;
    if (!isPlugin || i + count > arguments.size()) {
      ++i;
      continue;
    }
    if (!load(name, count == 1 ? value.str() : std::string(arguments[i + 1])))
      return false;
    arguments.erase(arguments.begin() + i, arguments.begin() + i + count);
  }
  return true;
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
  llvm::SmallVector<char *> arguments(argv, argv + argc);
  if (!loadPlugins(arguments, registry))
    return kExitInvalid;
  argc = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  argv = arguments.data();

  static llvm::cl::opt<std::string> inputFile(llvm::cl::Positional,
                                              llvm::cl::desc("<input file>"),
                                              llvm::cl::init("-"));
  static llvm::cl::opt<std::string> outputFile(
      "o", llvm::cl::desc("Output file"), llvm::cl::value_desc("file"),
      llvm::cl::init("-"));
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
  if (llvm::StringRef translation =
          getTranslation(findModelFormat(inputFile, (*buffer)->getBuffer()));
      !translation.empty())
    return emitToolError(
        "'" + inputFile + "' is no module of MLIR; 'dml-translate " +
        translation + " " + inputFile + "' prints the module of the model");
  if (llvm::StringRef text = (*buffer)->getBuffer();
      !mlir::isBytecode(**buffer))
    if (llvm::Error nesting = checkNesting(text))
      return emitToolError("'" + inputFile +
                           "': " + llvm::toString(std::move(nesting)));
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
