//===- Module.cpp - The modules that tools read ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Module.h"

#include "dml/Import/Model.h"
#include "dml/Import/ModuleFile.h"
#include "support/ErrorStream.h"
#include "llvm/Support/WithColor.h"
#include <string>

using namespace mlir;

dml::tools::Console::Console(StringRef tool, MLIRContext *context)
    : tool(tool), progress(this->tool),
      handler(*sources, context, errorStream()),
      clearer(context, [this](Diagnostic &diagnostic) {
        progress.clear();
        return printWithoutPlace(diagnostic);
      }) {}

LogicalResult dml::tools::Console::printWithoutPlace(Diagnostic &diagnostic) {
  if (!isa<UnknownLoc>(diagnostic.getLocation()) ||
      !diagnostic.getNotes().empty())
    return failure();
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    llvm::WithColor::error(errorStream(), tool);
    break;
  case DiagnosticSeverity::Warning:
    llvm::WithColor::warning(errorStream(), tool);
    break;
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark:
    llvm::WithColor::note(errorStream(), tool);
    break;
  }
  errorStream() << diagnostic.str() << "\n";
  return success();
}

/// Prints the reason for which a file cannot be loaded, unless the caller wants
/// no messages. Returns null.
static OwningOpRef<ModuleOp> reportFailure(dml::tools::Console &console,
                                           const dml::tools::LoadOptions &load,
                                           const llvm::Twine &message) {
  console.progress.clear();
  if (!load.isQuiet)
    llvm::WithColor::error(dml::tools::errorStream(), console.tool)
        << message << "\n";
  return nullptr;
}

OwningOpRef<ModuleOp> dml::tools::loadModule(
    Console &console, llvm::StringRef path, const onnx::StatedSizes &sizes,
    const ParserConfig &config, const LoadOptions &load, LoadedModel *loaded) {
  auto fail = [&](const llvm::Twine &message) {
    return reportFailure(console, load, message);
  };
  console.progress.begin("reading " + path.str());
  auto buffer = openModuleFile(path, [&](StringRef start) {
    return isModelText(findModelFormat(path, start), start);
  });
  if (!buffer)
    return fail(llvm::toString(buffer.takeError()));
  return loadModule(console, std::move(*buffer), path, sizes, config, load,
                    loaded);
}

OwningOpRef<ModuleOp> dml::tools::loadModule(
    Console &console, std::unique_ptr<llvm::MemoryBuffer> buffer,
    llvm::StringRef path, const onnx::StatedSizes &sizes,
    const ParserConfig &config, const LoadOptions &load, LoadedModel *loaded) {
  auto fail = [&](const llvm::Twine &message) {
    return reportFailure(console, load, message);
  };
  ModelFormat format = findModelFormat(path, buffer->getBuffer());
  LoadedModel own;
  LoadedModel &model = loaded ? *loaded : own;
  model.isONNX = format == ModelFormat::ONNX;
  if (model.isONNX) {
    auto inputs = onnx::stateSizes(*buffer, sizes, model.sizes);
    if (!inputs)
      return fail(llvm::toString(inputs.takeError()));
    model.inputs = std::move(*inputs);
    if (!model.inputs.open.empty())
      return loaded
                 ? nullptr
                 : fail("'" + path + "': " +
                        onnx::describeOpenSizes(model.inputs.signature.inputs,
                                                model.inputs.open));
    if (!loaded && !model.inputs.batches.empty()) {
      console.progress.clear();
      llvm::WithColor::note(errorStream(), console.tool)
          << onnx::describeBatches(model.inputs.batches) << "\n";
    }
  } else {
    StringRef option = !sizes.dimensions.empty() ? "--dim is"
                       : !sizes.shapes.empty()   ? "--input-shape is"
                       : load.optimize           ? "--ort-optimizations=all is"
                                                 : "";
    if (!option.empty())
      return fail(option + " for ONNX models, but '" + path + "' is none");
  }
  ModelOptions options;
  options.optimize = load.optimize;
  options.commands = load.commands;
  options.onnx.dimensions = model.sizes.dimensions;
  options.onnx.leavesOutUnread = load.leavesOutUnread;
  auto module =
      readModel(std::move(buffer), format, config, options, console.sources);
  if (!module)
    return fail("'" + path + "': " + llvm::toString(module.takeError()));
  return std::move(*module);
}
