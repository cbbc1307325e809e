//===- Module.cpp - The modules that tools read ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Module.h"

#include "dml/Import/Model.h"
#include "dml/Import/ModuleFile.h"
#include "support/ErrorStream.h"
#include "support/Escape.h"
#include "llvm/ADT/StringSet.h"
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
  errorStream() << dml::tools::indentLines(diagnostic.str()) << "\n";
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
        << dml::tools::indentLines(message.str()) << "\n";
  return nullptr;
}

/// The name of the elements of `tensor`: "f32", or "bool".
static std::string describeElements(const dml::SignatureTensor &tensor) {
  if (tensor.isBool)
    return "bool";
  return tensor.type ? dml::stringifyDataType(*tensor.type).str()
                     : "a type that the model does not declare";
}

/// Describes what a model declares of itself, with the options that state what
/// it leaves open.
static std::string describeDeclaration(const dml::onnx::SizesOfInputs &inputs) {
  std::string text = "a model that leaves open what a program needs: --dim, "
                     "--input-shape or --input states it\n";
  auto add = [&](StringRef kind, const dml::SignatureTensor &tensor) {
    text += ("  " + kind + " %").str();
    text += dml::tools::escapeName(tensor.hasRank
                                       ? dml::onnx::describeInput(tensor)
                                       : tensor.name + ": of an unknown shape");
    text += " " + describeElements(tensor);
    if (tensor.decidesBranch)
      text += ", the value of which decides a branch";
    text += "\n";
  };
  for (const dml::SignatureTensor &tensor : inputs.signature.inputs)
    add("input", tensor);
  for (const dml::SignatureTensor &tensor : inputs.signature.outputs)
    add("output", tensor);
  return text;
}

/// The inputs of which the importer makes constants.
static std::vector<dml::tools::AbsentInput>
findAbsentInputs(const dml::onnx::SizesOfInputs &inputs,
                 const llvm::StringMap<int64_t> &sizes) {
  std::vector<dml::tools::AbsentInput> absent;
  llvm::StringSet<> names;
  for (const dml::SignatureTensor &input : inputs.signature.inputs)
    for (const dml::SignatureDimension &dimension : input.dimensions)
      names.insert(dimension.name);
  for (auto [position, input] : llvm::enumerate(inputs.signature.inputs)) {
    std::string type;
    bool isEmpty = false;
    for (const dml::SignatureDimension &dimension : input.dimensions) {
      int64_t size =
          dimension.size >= 0 ? dimension.size : sizes.lookup(dimension.name);
      isEmpty |= size == 0;
      type += std::to_string(size) + "x";
    }
    type += dml::stringifyDataType(*input.type);
    // A name that a dimension has is not the input's.
    auto stated = sizes.find(input.name);
    bool isStated = stated != sizes.end() && !names.contains(input.name);
    if (!isStated && !isEmpty)
      continue;
    absent.push_back({{input.name, type}, static_cast<uint32_t>(position), {}});
    if (isStated)
      absent.back().value = stated->second;
  }
  return absent;
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
    const onnx::SizesOfInputs &found = model.inputs;
    bool isUndecided =
        llvm::any_of(found.signature.inputs, [&](const auto &input) {
          return input.decidesBranch &&
                 !model.sizes.dimensions.contains(input.name);
        });
    if (load.declaration && (!found.open.empty() || isUndecided)) {
      *load.declaration = describeDeclaration(found);
      return nullptr;
    }
    if (load.absent)
      *load.absent = findAbsentInputs(found, model.sizes.dimensions);
    if (!model.inputs.open.empty())
      return loaded
                 ? nullptr
                 : fail(describePath(path) + ": " +
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
      return fail(option + " for ONNX models, but " + describePath(path) +
                  " is none");
  }
  ModelOptions options;
  options.optimize = load.optimize;
  options.commands = load.commands;
  options.onnx.dimensions = model.sizes.dimensions;
  options.onnx.leavesOutUnread = load.leavesOutUnread;
  auto module =
      readModel(std::move(buffer), format, config, options, console.sources);
  if (!module)
    return fail(describePath(path) + ": " + llvm::toString(module.takeError()));
  return std::move(*module);
}
