//===- Model.cpp - Reading a model of any format --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Import/Model.h"

#include "dml/IR/DML.h"
#include "dml/IR/Nesting.h"
#include "dml/Import/ONNXRuntime.h"
#include "dml/Import/TOSA.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

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

dml::ModelFormat dml::findModelFormat(StringRef path, StringRef content) {
  if (isBytecode(llvm::MemoryBufferRef(content, "")))
    return ModelFormat::MLIR;
  if (onnx::isModel(content))
    return ModelFormat::ONNX;
  if (directml::isDispatchModel(content))
    return ModelFormat::DispatchModel;
  if (directml::isSerializedGraph(content))
    return ModelFormat::SerializedGraph;
  return llvm::StringSwitch<ModelFormat>(llvm::sys::path::extension(path))
      .Case(".onnx", ModelFormat::ONNX)
      .Case(".json", ModelFormat::DispatchModel)
      .Case(".bin", ModelFormat::SerializedGraph)
      .Default(ModelFormat::MLIR);
}

bool dml::isModelText(ModelFormat format, StringRef content) {
  return format == ModelFormat::DispatchModel ||
         (format == ModelFormat::MLIR &&
          !isBytecode(llvm::MemoryBufferRef(content, "")));
}

llvm::Expected<OwningOpRef<ModuleOp>>
dml::readModel(std::unique_ptr<llvm::MemoryBuffer> file, ModelFormat format,
               const ParserConfig &config, const ModelOptions &options,
               const std::shared_ptr<llvm::SourceMgr> &sources) {
  MLIRContext *context = config.getContext();
  switch (format) {
  case ModelFormat::ONNX:
    return options.optimize
               ? onnx::importOptimizedModel(std::move(file), context,
                                            options.onnx)
               : onnx::importModel(std::move(file), context, options.onnx);
  case ModelFormat::DispatchModel:
    return directml::importDispatchModel(*file, context, options.commands,
                                         options.onnx.files);
  case ModelFormat::SerializedGraph:
    return directml::importSerializedGraph(std::move(file), context,
                                           options.onnx.files);
  case ModelFormat::MLIR:
    bool isText = !isBytecode(*file);
    if (isText)
      if (llvm::Error error = checkNesting(file->getBuffer()))
        return error;
    sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
    OwningOpRef<ModuleOp> module =
        isText
            ? parseText(*sources, config)
            : parseBytecode(sources, context, config.shouldVerifyAfterParse());
    if (module && tosareader::isModel(*module) &&
        failed(tosareader::convertModel(*module)))
      return nullptr;
    return std::move(module);
  }
  llvm_unreachable("unknown format");
}
