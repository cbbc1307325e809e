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
      clearer(context, [this](Diagnostic &) {
        progress.clear();
        return failure();
      }) {}

OwningOpRef<ModuleOp>
dml::tools::loadModule(Console &console, llvm::StringRef path,
                       llvm::ArrayRef<std::string> dimensions,
                       const ParserConfig &config, directml::Commands *commands,
                       bool optimize, bool *isONNX, bool leavesOutUnread) {
  auto fail = [&](const llvm::Twine &message) -> OwningOpRef<ModuleOp> {
    console.progress.clear();
    llvm::WithColor::error(errorStream(), console.tool) << message << "\n";
    return nullptr;
  };
  console.progress.begin("reading " + path.str());
  auto buffer = openModuleFile(path, [&](StringRef start) {
    return isModelText(findModelFormat(path, start), start);
  });
  if (!buffer)
    return fail(llvm::toString(buffer.takeError()));
  ModelFormat format = findModelFormat(path, (*buffer)->getBuffer());
  if (isONNX)
    *isONNX = format == ModelFormat::ONNX;
  ModelOptions options;
  options.optimize = optimize;
  options.commands = commands;
  options.onnx.leavesOutUnread = leavesOutUnread;
  if (format != ModelFormat::ONNX) {
    if (!dimensions.empty())
      return fail("--dim is for ONNX models, but '" + path + "' is none");
    if (optimize)
      return fail("--ort-optimizations=all is for ONNX models, but '" + path +
                  "' is none");
  }
  for (const std::string &dimension : dimensions)
    if (llvm::Error error = onnx::parseDimension(dimension, options.onnx))
      return fail(llvm::toString(std::move(error)));
  auto module =
      readModel(std::move(*buffer), format, config, options, console.sources);
  if (!module)
    return fail("'" + path + "': " + llvm::toString(module.takeError()));
  return std::move(*module);
}
