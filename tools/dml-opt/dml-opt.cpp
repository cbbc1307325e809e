//===- dml-opt.cpp - The optimizer driver ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/IR/BufferOps.h"
#include "dml/IR/DML.h"
#include "dml/IR/Nesting.h"
#include "dml/IR/Suggestions.h"
#include "dml/Import/Model.h"
#include "dml/Import/ModuleFile.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Target/DeviceProfile.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
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

/// Whether bytecode can be read, which MLIR's driver then does without dml's
/// checks.
static bool checkBytecode(const llvm::MemoryBuffer &buffer,
                          const mlir::DialectRegistry &registry) {
  mlir::MLIRContext context(registry);
  context.allowUnregisteredDialects();
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &each) {
    if (message.empty())
      message = each.str();
    return mlir::success();
  });
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(buffer.getMemBufferRef(),
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  if (parseBytecode(sources, &context, /*verifies=*/false))
    return true;
  emitToolError("'" + buffer.getBufferIdentifier() + "': " + message);
  return false;
}

/// Returns the names of a pass's options. MLIR tells them in the text of --help
/// alone: "    --level=<string>  - The level".
static llvm::SmallVector<std::string>
getOptions(const mlir::PassRegistryEntry &pass) {
  // The description of a pass begins behind its name. A width that is less than
  // that of the name would overflow, and MLIR would print 2^32 spaces.
  size_t width = std::max(pass.getOptionWidth(),
                          pass.getPassArgument().size() + size_t(8));
  std::string help = captureOutput(
      [&] { pass.printHelpStr(/*indent=*/0, /*descIndent=*/width); });
  llvm::SmallVector<std::string> names;
  // The first line is about the pass itself.
  for (llvm::StringRef line : llvm::drop_begin(llvm::split(help, '\n')))
    if (line = line.ltrim(); line.consume_front("--"))
      names.push_back(
          line.take_until([](char c) { return c == '=' || c == ' '; }).str());
  return names;
}

/// Returns the end of the group that begins with the brace at `begin`.
static size_t findEnd(llvm::StringRef text, size_t begin) {
  unsigned depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    depth += text[i] == '{';
    if (text[i] == '}' && --depth == 0)
      return i;
  }
  return text.size();
}

/// Returns an error for the value of a pass's option that names a device
/// profile or a feature level, or "". Such an option has the same name in all
/// of dml's passes.
static std::string checkValue(llvm::StringRef pass, llvm::StringRef option,
                              llvm::StringRef value) {
  if (!pass.starts_with("dml-"))
    return "";
  if (option == "device-profile") {
    // Braces keep what has spaces together.
    if (value.consume_front("{"))
      value.consume_back("}");
    llvm::Expected<DeviceProfile> profile = DeviceProfile::parse(value);
    return profile ? "" : llvm::toString(profile.takeError());
  }
  if (option == "feature-level" && !value.empty() && !parseFeatureLevel(value))
    return describeUnknownFeatureLevel(value);
  return "";
}

/// Returns an error for the first of `options`, "level=5_0 all", that the pass
/// does not have or whose value is wrong, or "".
static std::string checkOptions(llvm::StringRef pass, llvm::StringRef options) {
  const mlir::PassRegistryEntry *entry = mlir::PassInfo::lookup(pass);
  if (!entry)
    entry = mlir::PassPipelineInfo::lookup(pass);
  if (!entry)
    return "";
  llvm::SmallVector<std::string> known = getOptions(*entry);
  for (size_t begin = 0; begin < options.size();) {
    size_t end = begin;
    while (end < options.size() && options[end] != ' ')
      end = options[end] == '{' ? findEnd(options, end) + 1 : end + 1;
    auto [name, value] = options.slice(begin, end).split('=');
    begin = end + 1;
    if (llvm::is_contained(known, name)) {
      if (std::string error = checkValue(pass, name, value); !error.empty())
        return ("option " + name + " of --" + pass + ": " + error).str();
      continue;
    }
    if (name.empty())
      continue;
    std::string text = ("'" + pass + "' has no option '" + name + "'").str();
    llvm::SmallVector<llvm::StringRef> names(known.begin(), known.end());
    if (std::string nearest = suggestNearest(name, names); !nearest.empty())
      return text + nearest;
    return text + "; it has " +
           (known.empty() ? "none" : llvm::join(known, ", "));
  }
  return "";
}

/// Returns an error for the pipeline of passes `text`, as --pass-pipeline has
/// it, or "". MLIR's own error is about a place of no file, and names no pass
/// that is meant.
static std::string checkPipeline(llvm::StringRef text) {
  std::string message;
  llvm::raw_string_ostream os(message);
  if (succeeded(mlir::parsePassPipeline(text, os)))
    return "";
  // The lines below the first show the place, and the passes around it.
  llvm::StringRef line = llvm::StringRef(message).split('\n').first;
  line.consume_front("MLIR Textual PassPipeline Parser:");
  if (size_t place = line.find("error: "); place != llvm::StringRef::npos)
    line = line.drop_front(place + llvm::StringRef("error: ").size());
  std::string error = "--pass-pipeline: " + line.str();
  llvm::StringRef pass = line;
  if (!pass.consume_front("'") || !line.contains("does not refer to"))
    return error;
  llvm::SmallVector<llvm::StringRef> names;
  for (const auto &option : llvm::cl::getRegisteredOptions())
    if (mlir::PassInfo::lookup(option.first) ||
        mlir::PassPipelineInfo::lookup(option.first))
      names.push_back(option.first);
  return error + suggestNearest(pass.split('\'').first, names);
}

/// Returns an error for the first option of a pass on the command line, as
/// "--pass=option=1" or within --pass-pipeline, that the pass does not have,
/// for a pipeline that cannot be made, or "". MLIR's own error names neither
/// the pass nor its options.
static std::string checkPassOptions(llvm::ArrayRef<char *> arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    auto [name, value] = argument.ltrim('-').split('=');
    // The value may be the next argument.
    if (argument.starts_with("-") && name == "pass-pipeline" &&
        !argument.contains('=') && i + 1 < arguments.size())
      value = arguments[++i];
    std::string error;
    if (name != "pass-pipeline") {
      // Braces around the options are optional.
      if (value.consume_front("{"))
        value.consume_back("}");
      error = checkOptions(name, value);
    }
    for (size_t brace = value.find('{');
         name == "pass-pipeline" && error.empty() &&
         brace != llvm::StringRef::npos;
         brace = value.find('{', findEnd(value, brace))) {
      llvm::StringRef pass = value.take_front(brace);
      pass = pass.drop_front(pass.find_last_of("(,") + 1).trim();
      error = checkOptions(pass, value.slice(brace + 1, findEnd(value, brace)));
    }
    if (name == "pass-pipeline" && error.empty())
      error = checkPipeline(value);
    if (!error.empty())
      return error;
  }
  return "";
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
  dml::suggestOperations(registry);
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
  static SizeOptions sizeOptions(llvm::cl::getGeneralCategory());
  if (!parseCompilerCommandLine(
          argc, argv,
          mlir::registerCLIOptions("dml optimizer driver\n", registry),
          /*category=*/nullptr))
    return kExitInvalid;
  if (std::string message = checkPassOptions({argv, size_t(argc)});
      !message.empty())
    return emitToolError(message);
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
  } else if (!mlir::isBytecode(**buffer)) {
    if (llvm::Error nesting = checkNesting((*buffer)->getBuffer()))
      return emitToolError("'" + inputFile +
                           "': " + llvm::toString(std::move(nesting)));
  } else if (!checkBytecode(**buffer, registry)) {
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
