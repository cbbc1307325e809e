//===- Module.cpp - The modules that tools read ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Module.h"

#include "dml/IR/DML.h"
#include "dml/Import/ONNXRuntime.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "support/ErrorStream.h"
#include "support/ModuleFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
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

//===----------------------------------------------------------------------===//
// Names of values
//===----------------------------------------------------------------------===//

/// The name that a source gives the value which is defined at `range`: "rows"
/// for "%rows". It is empty where the source has a number, or a name that
/// unnamed tensors get.
static StringRef getName(SMRange range) {
  if (!range.isValid())
    return {};
  StringRef name(range.Start.getPointer(),
                 range.End.getPointer() - range.Start.getPointer());
  name.consume_front("%");
  StringRef rest = name;
  bool isTaken = (rest.consume_front("input") || rest.consume_front("output") ||
                  rest.consume_front("arg")) &&
                 llvm::all_of(rest, llvm::isDigit) && !rest.empty();
  if (isTaken || name.empty() || llvm::isDigit(name.front()))
    return {};
  return name;
}

static StringRef getName(const AsmParserState &state, OpResult result) {
  const auto *definition = state.getOpDef(result.getOwner());
  if (!definition || result.getOwner()->getNumResults() != 1 ||
      definition->resultGroups.empty())
    return {};
  return getName(definition->resultGroups.front().definition.loc);
}

/// Gives the tensors of `function` that have no name the names of its values.
static void nameTensors(const AsmParserState &state, func::FuncOp function) {
  if (function.isExternal())
    return;
  llvm::StringSet<> names;
  auto remember = [&](DictionaryAttr attributes) {
    if (!attributes)
      return false;
    auto name = attributes.getAs<StringAttr>(dml::nameAttrName);
    if (name)
      names.insert(name);
    return attributes.contains(dml::nameAttrName);
  };
  SmallVector<bool> hasArgName, hasResultName;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    hasArgName.push_back(remember(function.getArgAttrDict(i)));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    hasResultName.push_back(remember(function.getResultAttrDict(i)));

  auto claim = [&](StringRef name) -> Attribute {
    return !name.empty() && names.insert(name).second
               ? StringAttr::get(function.getContext(), name)
               : StringAttr();
  };
  const auto *entry = state.getBlockDef(&function.front());
  ValueRange results;
  if (!function.front().empty() && isa<func::ReturnOp>(function.front().back()))
    results = function.front().back().getOperands();
  dml::setTensorAttrs(
      function, dml::nameAttrName,
      [&](unsigned i) {
        return entry && i < entry->arguments.size() && !hasArgName[i]
                   ? claim(getName(entry->arguments[i].loc))
                   : Attribute();
      },
      [&](unsigned i) {
        auto result = results.size() == hasResultName.size()
                          ? dyn_cast<OpResult>(results[i])
                          : OpResult();
        return result && !hasResultName[i] ? claim(getName(state, result))
                                           : Attribute();
      });
}

/// Parses MLIR text, the names of values included.
static OwningOpRef<ModuleOp> parseText(const llvm::SourceMgr &sources,
                                       const ParserConfig &config) {
  Block block;
  AsmParserState state;
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return nullptr;
  // The functions may stand in a module within the one that MLIR puts around a
  // file.
  for (Operation &op : block)
    op.walk([&](func::FuncOp function) { nameTensors(state, function); });
  StringRef path =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  return mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, config.getContext(),
      FileLineColLoc::get(config.getContext(), path, 0, 0));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

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
    return !onnx::isModel(path, start) && !directml::isSerializedGraph(path) &&
           !isBytecode(llvm::MemoryBufferRef(start, path));
  });
  if (!buffer)
    return fail(llvm::toString(buffer.takeError()));
  // Takes what a reader made of the file.
  auto take = [&](llvm::Expected<OwningOpRef<ModuleOp>> module) {
    if (!module)
      return fail("'" + path + "': " + llvm::toString(module.takeError()));
    return std::move(*module);
  };
  MLIRContext *context = config.getContext();
  bool isModel = onnx::isModel(path, (*buffer)->getBuffer());
  if (isONNX)
    *isONNX = isModel;
  if (!isModel) {
    if (!dimensions.empty())
      return fail("--dim is for ONNX models, but '" + path + "' is none");
    if (optimize)
      return fail("--ort-optimizations=all is for ONNX models, but '" + path +
                  "' is none");
    if (directml::isDispatchModel(path))
      return take(directml::importDispatchModel(**buffer, context, commands));
    if (directml::isSerializedGraph(path))
      return take(directml::importSerializedGraph(std::move(*buffer), context));
    bool isText = !isBytecode(**buffer);
    console.sources->AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
    return isText ? parseText(*console.sources, config)
                  : parseSourceFile<ModuleOp>(console.sources, config);
  }
  onnx::ImportOptions options;
  options.leavesOutUnread = leavesOutUnread;
  for (const std::string &dimension : dimensions)
    if (llvm::Error error = onnx::parseDimension(dimension, options))
      return fail(llvm::toString(std::move(error)));
  return take(
      optimize
          ? onnx::importOptimizedModel(std::move(*buffer), context, options)
          : onnx::importModel(std::move(*buffer), context, options));
}
