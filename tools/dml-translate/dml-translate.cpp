//===- dml-translate.cpp - Between dml and other formats ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Import/DirectML.h"
#include "dml/Import/Model.h"
#include "dml/Import/ModuleFile.h"
#include "dml/Import/ONNX.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "support/CompilerCommandLine.h"
#include "support/File.h"
#include "support/Module.h"
#include "support/ToolError.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace dml;
using namespace dml::tools;
namespace cl = llvm::cl;

/// The table of docs/ONNXModels.md.
static void printONNXOperators() {
  llvm::outs() << "| ONNX | becomes |\n|---|---|\n";
  for (const dml::onnx::SupportedOperator &info :
       dml::onnx::getSupportedOperators())
    llvm::outs() << "| " << info.domain << (info.domain.empty() ? "" : ".")
                 << info.name << " | " << info.becomes << " |\n";
}

/// Returns the error for a file of the format `format`, as its content tells,
/// that the translation with this description does not read, or "".
static std::string describeOtherFormat(llvm::StringRef path,
                                       llvm::StringRef translation,
                                       ModelFormat format) {
  struct Reader {
    ModelFormat format;
    llvm::StringRef option, reads;
  };
  static constexpr Reader readers[] = {
      {ModelFormat::ONNX, "--import-onnx", "an ONNX model"},
      {ModelFormat::DispatchModel, "--import-dxdispatch",
       "a JSON model of DxDispatch"},
      {ModelFormat::SerializedGraph, "--import-dml-graph",
       "a serialized graph of DirectML"},
  };
  for (const Reader &reader : readers)
    if (reader.format == format && !translation.contains(reader.reads))
      return ("'" + path + "' is " + reader.reads + ", which " + reader.option +
              " reads")
          .str();
  return "";
}

int main(int argc, char **argv) {
  // A translation wants a file, which this has none of.
  if (argc == 2 && llvm::StringRef(argv[1]) == "--onnx-operators") {
    printONNXOperators();
    checkStandardOutput();
    return kExitDone;
  }
  llvm::InitLLVM init(argc, argv);
  hideLibraryOptions();
  dml::directml::registerTranslations();
  dml::onnx::registerTranslation();
  static cl::opt<std::string> inputFile(
      cl::Positional, cl::desc("<file, or - for standard input>"),
      cl::init("-"));
  static cl::opt<std::string> outputFile(
      "o", cl::desc("File to write (default: standard output)"),
      cl::value_desc("file"), cl::init("-"));
  static cl::list<const mlir::Translation *, bool, mlir::TranslationParser>
      translation("", cl::desc("What to do:"));
  if (!parseCompilerCommandLine(
          argc, argv,
          "dml-translate: reads ONNX models, JSON models of DxDispatch and "
          "serialized graphs of DirectML (--onnx-operators alone lists what "
          "ONNX models may consist of)\n",
          /*category=*/nullptr))
    return kExitInvalid;
  if (translation.size() != 1)
    return emitToolError("one translation is wanted, but there are " +
                         llvm::Twine(translation.size()) + " (see --help)");

  if (lacksInput(inputFile))
    return kExitInvalid;
  std::string error;
  // A model may have zeros, but does not begin with thousands of them.
  auto buffer = openModuleFile(inputFile, [](llvm::StringRef start) {
    return start.find_first_not_of('\0') == llvm::StringRef::npos;
  });
  if (!buffer)
    return emitToolError(llvm::toString(buffer.takeError()));
  if (std::string message =
          describeOtherFormat(inputFile, translation.front()->getDescription(),
                              findModelFormat("", (*buffer)->getBuffer()));
      !message.empty())
    return emitToolError(message);
  mlir::MLIRContext context;
  Console console("dml-translate", &context);
  console.progress.begin("translating");
  console.sources->AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed((*translation.front())(console.sources, os, &context)))
    return kExitInvalid;
  console.progress.clear();
  if (!writeOutput(outputFile, text, error))
    return emitToolError(error, kExitNotWritten);
  return kExitDone;
}
