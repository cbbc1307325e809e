//===- Module.cpp - The modules that tools read ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Module.h"

#include "dml/Import/ONNX.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include <string>

using namespace mlir;

OwningOpRef<ModuleOp>
dml::tools::loadModule(llvm::StringRef tool, llvm::StringRef path,
                       llvm::ArrayRef<std::string> dimensions,
                       const std::shared_ptr<llvm::SourceMgr> &sources,
                       const ParserConfig &config,
                       directml::Commands *commands) {
  auto fail = [&](const llvm::Twine &message) -> OwningOpRef<ModuleOp> {
    llvm::WithColor::error(llvm::errs(), tool) << message << "\n";
    return nullptr;
  };
  // Mapped into memory where it is a file, of whatever size.
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/true);
  if (!buffer)
    return fail("cannot open input file '" + path +
                "': " + buffer.getError().message());
  // What a reader made of the file.
  auto take = [&](llvm::Expected<OwningOpRef<ModuleOp>> module) {
    if (!module)
      return fail("'" + path + "': " + llvm::toString(module.takeError()));
    return std::move(*module);
  };
  MLIRContext *context = config.getContext();
  if (!onnx::isModel(path, (*buffer)->getBuffer())) {
    if (!dimensions.empty())
      return fail("--dim is for ONNX models, but '" + path + "' is none");
    if (directml::isDispatchModel(path))
      return take(directml::importDispatchModel(**buffer, context, commands));
    if (directml::isSerializedGraph(path))
      return take(directml::importSerializedGraph(std::move(*buffer), context));
    sources->AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
    return parseSourceFile<ModuleOp>(sources, config);
  }
  onnx::ImportOptions options;
  for (const std::string &dimension : dimensions)
    if (llvm::Error error = onnx::parseDimension(dimension, options))
      return fail(llvm::toString(std::move(error)));
  return take(onnx::importModel(std::move(*buffer), context, options));
}
