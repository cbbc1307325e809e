//===- OpenSizes.cpp - Models whose inputs have open sizes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OpenSizes.h"

#include "dml/IR/Origin.h"
#include "support/ErrorStream.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace dml;
using namespace dml::tools;

/// The sizes that stand for an open dimension, in the order in which they are
/// tried. Classifiers of images have 224 x 224 pixels; networks that halve an
/// image five times need multiples of 32, and those with fixed positions few
/// tokens; networks of sound need many samples.
static constexpr int64_t kSizes[] = {224, 64, 640, 16000, 1};

OwningOpRef<ModuleOp> OpenSizes::readAt(int64_t size, LoadedModel &loaded) {
  onnx::StatedSizes sizes = stated;
  sizes.otherwise = size;
  LoadOptions load = options;
  load.isQuiet = true;
  return loadModule(console, path, sizes, config, load, &loaded);
}

static bool isWhole(ModuleOp module) {
  return module && !module->hasAttr(unreadAttrName);
}

JudgedModel OpenSizes::read() {
  JudgedModel judged;
  judged.module =
      loadModule(console, path, stated, config, options, &judged.loaded);
  if (judged.module || judged.loaded.inputs.open.empty())
    return judged;
  onnx::SizesOfInputs first = judged.loaded.inputs;
  for (int64_t size : kSizes) {
    LoadedModel loaded;
    OwningOpRef<ModuleOp> module = readAt(size, loaded);
    // The first module remains if none is whole.
    if (!module || (judged.module && !isWhole(*module)))
      continue;
    judged.module = std::move(module);
    judged.loaded = std::move(loaded);
    judged.loaded.inputs.open = first.open;
    judged.size = size;
    if (isWhole(*judged.module))
      break;
  }
  if (!judged.module)
    llvm::WithColor::error(errorStream(), console.tool)
        << "'" << path
        << "': " << onnx::describeOpenSizes(first.signature.inputs, first.open)
        << "\n";
  return judged;
}

std::string OpenSizes::compare(const JudgedModel &judged,
                               explain::Report &report) {
  if (!judged.size)
    return "";
  std::string one = std::to_string(*judged.size);
  for (int64_t size : kSizes) {
    LoadedModel loaded;
    OwningOpRef<ModuleOp> module;
    if (size != *judged.size)
      module = readAt(size, loaded);
    if (!module || isWhole(*module) != isWhole(*judged.module))
      continue;
    FailureOr<explain::Report> other =
        explain::explainModule(*module, report.isONNX, report.asked);
    if (failed(other))
      continue;
    std::string place =
        "with " + std::to_string(size) + " in the place of " + one + ", ";
    report.dependsOnSizes = other->level != report.level ||
                            other->getVerdict() != report.getVerdict();
    if (!report.dependsOnSizes)
      return place + "the level and the verdict are the same";
    return place + "the level is " + getFeatureLevelNumber(other->level).str() +
           ": state the sizes with --input-shape";
  }
  return "of the sizes that were tried, the model can be read with " + one +
         " alone";
}

/// Whether a size of `input` is one that no option states.
static bool isOpen(const onnx::SizesOfInputs &inputs,
                   const SignatureTensor &input) {
  return llvm::any_of(input.dimensions, [&](const auto &dimension) {
    return dimension.size < 0 &&
           (llvm::is_contained(inputs.open, dimension.name) ||
            llvm::is_contained(inputs.batches, dimension.name));
  });
}

void dml::tools::printInputs(const JudgedModel &judged, StringRef sentence,
                             llvm::raw_ostream &os) {
  if (!judged.hasOpenSizes())
    return;
  const onnx::SizesOfInputs &inputs = judged.loaded.inputs;
  os << "judged at sizes that no option states (--input-shape does)\n";
  for (const SignatureTensor &input : inputs.signature.inputs)
    if (isOpen(inputs, input))
      os << "  " << onnx::describeInput(input) << " as "
         << onnx::describeSizes(input, judged.loaded.sizes) << "\n";
  if (!sentence.empty())
    os << "  " << sentence << "\n";
}

llvm::json::Array dml::tools::describeInputs(const JudgedModel &judged) {
  llvm::json::Array list;
  const onnx::SizesOfInputs &inputs = judged.loaded.inputs;
  for (const SignatureTensor &input : inputs.signature.inputs) {
    if (!isOpen(inputs, input))
      continue;
    llvm::json::Array shape, sizes;
    for (const SignatureDimension &dimension : input.dimensions) {
      if (dimension.size >= 0)
        shape.push_back(dimension.size);
      else
        shape.push_back(llvm::json::fixUTF8(dimension.name));
      sizes.push_back(
          dimension.size >= 0
              ? dimension.size
              : judged.loaded.sizes.dimensions.lookup(dimension.name));
    }
    list.push_back(llvm::json::Object{{"name", llvm::json::fixUTF8(input.name)},
                                      {"shape", std::move(shape)},
                                      {"judgedAt", std::move(sizes)}});
  }
  return list;
}
