//===- Sizes.cpp - The sizes of the inputs of ONNX models -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Import/Sizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace dml;
using namespace dml::onnx;
using llvm::StringRef;
using llvm::Twine;

/// The sizes that are known so far, by the names of their dimensions.
using KnownSizes = llvm::StringMap<int64_t>;

static bool isOpen(const SignatureDimension &dimension,
                   const KnownSizes &sizes) {
  return dimension.size < 0 && !sizes.contains(dimension.name);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// Whether the dimension `index` of `input` has no name in the model.
static bool isNameless(const SignatureTensor &input, size_t index) {
  return input.dimensions[index].name ==
         (input.name + "[" + Twine(index) + "]").str();
}

std::string dml::onnx::describeInput(const SignatureTensor &input) {
  std::string text = input.name + ": [";
  for (auto [index, dimension] : llvm::enumerate(input.dimensions)) {
    text += index == 0 ? "" : ", ";
    text += dimension.size >= 0        ? std::to_string(dimension.size)
            : isNameless(input, index) ? "?"
                                       : dimension.name;
  }
  return text + "]";
}

std::string dml::onnx::describeSizes(const SignatureTensor &input,
                                     const ImportOptions &options) {
  std::string text = "[";
  for (auto [index, dimension] : llvm::enumerate(input.dimensions)) {
    int64_t size = dimension.size >= 0
                       ? dimension.size
                       : options.dimensions.lookup(dimension.name);
    text += (index == 0 ? "" : ", ") + std::to_string(size);
  }
  return text + "]";
}

std::string dml::onnx::describeOpenSizes(llvm::ArrayRef<SignatureTensor> inputs,
                                         llvm::ArrayRef<std::string> open) {
  std::string shapes, option, dimensions;
  for (const SignatureTensor &input : inputs) {
    bool isListed = llvm::any_of(
        input.dimensions, [&](const SignatureDimension &dimension) {
          return llvm::is_contained(open, dimension.name);
        });
    if (!isListed)
      continue;
    shapes += (shapes.empty() ? "" : ", ") + describeInput(input);
    if (!option.empty())
      continue;
    option = "--input-shape=" + input.name + ":";
    for (auto [index, dimension] : llvm::enumerate(input.dimensions))
      option += (index == 0 ? "" : "x") +
                (dimension.size >= 0 ? std::to_string(dimension.size) : "SIZE");
  }
  for (const std::string &name : open)
    dimensions += " --dim='" + name + "=SIZE'";
  return "inputs have dimensions without a size: " + shapes +
         "; state them, as with " + option + ", or with" + dimensions;
}

std::string dml::onnx::describeBatches(llvm::ArrayRef<std::string> batches) {
  std::string names;
  for (const std::string &name : batches)
    names += (names.empty() ? "'" : ", '") + name + "'";
  return "the model leaves the size of a batch open, which is taken to be 1: " +
         names + " (--dim or --input-shape states another)";
}

//===----------------------------------------------------------------------===//
// Stated sizes
//===----------------------------------------------------------------------===//

/// Parses "1x3x640x640".
static bool parseShape(StringRef text, llvm::SmallVectorImpl<int64_t> &shape) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t size = 0;
    if (part.getAsInteger(10, size) || size < 0 || size > UINT32_MAX)
      return false;
    shape.push_back(size);
  }
  return true;
}

/// Adds the sizes that an --input-shape option states.
static llvm::Error addShape(StringRef text, const Signature &signature,
                            KnownSizes &sizes) {
  auto fail = [&](const Twine &message) {
    return llvm::createStringError("--input-shape=" + text + ": " + message);
  };
  // The name of an input may have a colon itself: "image:0:1x3x224x224".
  auto [name, shapeText] = text.rsplit(':');
  llvm::SmallVector<int64_t> shape;
  if (name.empty() || !parseShape(shapeText, shape))
    return fail("wanted is INPUT:SIZES with sizes from 0 to 2^32 - 1, as in "
                "x:1x3x224x224");
  auto input = llvm::find_if(signature.inputs, [name = name](const auto &each) {
    return each.name == name;
  });
  if (input == signature.inputs.end()) {
    std::string inputs;
    for (const SignatureTensor &each : signature.inputs)
      inputs += (inputs.empty() ? "" : ", ") + describeInput(each);
    return fail("the model has no input '" + name + "'; it has " + inputs);
  }
  if (shape.size() != input->dimensions.size())
    return fail("the shape has " + Twine(shape.size()) + " of the " +
                Twine(input->dimensions.size()) + " sizes of " +
                describeInput(*input));
  for (auto [index, size] : llvm::enumerate(shape)) {
    const SignatureDimension &dimension = input->dimensions[index];
    int64_t known = dimension.size;
    if (known < 0)
      known = sizes.try_emplace(dimension.name, size).first->second;
    if (known != size)
      return fail(
          "dimension " + Twine(index) + " has the size " + Twine(size) +
          " here, but " + Twine(known) +
          (dimension.size < 0 ? " by another option" : " in the model"));
  }
  return llvm::Error::success();
}

/// Adds the sizes of tensors that inputs get, where nothing else states them,
/// and the values of those that decide a branch.
static void addGiven(llvm::ArrayRef<std::string> given,
                     const Signature &signature, KnownSizes &sizes) {
  auto find = [&](StringRef name) {
    return llvm::find_if(signature.inputs,
                         [&](const auto &each) { return each.name == name; });
  };
  auto add = [&](const SignatureTensor &input, StringRef text) {
    auto [shapeText, valueText] = text.split('=');
    int64_t value = 0;
    if (input.decidesBranch && !valueText.getAsInteger(10, value))
      sizes.try_emplace(input.name, value);
    llvm::SmallVector<int64_t> shape;
    if (!parseShape(shapeText, shape) ||
        shape.size() != input.dimensions.size())
      return;
    for (auto [dimension, size] : llvm::zip(input.dimensions, shape))
      if (dimension.size < 0)
        sizes.try_emplace(dimension.name, size);
  };
  llvm::StringSet<> named;
  llvm::SmallVector<StringRef> others;
  for (StringRef each : given) {
    auto [name, shape] = each.rsplit(':');
    auto input = find(name);
    if (input == signature.inputs.end()) {
      others.push_back(shape);
      continue;
    }
    named.insert(name);
    add(*input, shape);
  }
  const auto *next = others.begin();
  for (const SignatureTensor &input : signature.inputs) {
    // An input whose value an option states gets no tensor, unless all do.
    bool isStated =
        sizes.contains(input.name) && given.size() != signature.inputs.size();
    if (named.contains(input.name) || isStated)
      continue;
    if (next == others.end())
      break;
    add(input, *next++);
  }
}

//===----------------------------------------------------------------------===//
// Other sizes
//===----------------------------------------------------------------------===//

/// Returns the open dimensions that stand for a batch.
static llvm::SmallVector<std::string> findBatches(const Signature &signature,
                                                  const KnownSizes &sizes) {
  llvm::SmallVector<std::string> named, first;
  bool hasName = false;
  for (const SignatureTensor &input : signature.inputs)
    for (auto [index, dimension] : llvm::enumerate(input.dimensions)) {
      if (dimension.size >= 0)
        continue;
      bool isNamed =
          StringRef(dimension.name).starts_with_insensitive("batch") &&
          !isNameless(input, index);
      hasName |= isNamed;
      bool isFirst = index == 0 && input.dimensions.size() > 1;
      llvm::SmallVector<std::string> &list = isNamed ? named : first;
      if ((isNamed || isFirst) && isOpen(dimension, sizes) &&
          !llvm::is_contained(list, dimension.name))
        list.push_back(dimension.name);
    }
  return hasName ? named : first;
}

/// Returns the sum that `name` is, such as "past + 1", where all of its terms
/// have sizes.
static std::optional<int64_t> evaluateSum(StringRef name,
                                          const KnownSizes &sizes) {
  llvm::SmallVector<StringRef> terms;
  name.split(terms, '+');
  int64_t sum = 0;
  for (StringRef term : terms) {
    term = term.trim();
    int64_t number = 0;
    if (auto known = sizes.find(term); known != sizes.end())
      number = known->second;
    else if (term.getAsInteger(10, number) || number < 0 || number > UINT32_MAX)
      return std::nullopt;
    sum += number;
    if (sum > UINT32_MAX)
      return std::nullopt;
  }
  return sum;
}

/// Calls `use` with the name of each dimension that has no size.
static void forEachOpen(const Signature &signature, const KnownSizes &sizes,
                        llvm::function_ref<void(const std::string &)> use) {
  for (const SignatureTensor &input : signature.inputs)
    for (const SignatureDimension &dimension : input.dimensions)
      if (isOpen(dimension, sizes))
        use(dimension.name);
}

static void addSums(const Signature &signature, KnownSizes &sizes) {
  forEachOpen(signature, sizes, [&](const std::string &name) {
    if (std::optional<int64_t> sum = evaluateSum(name, sizes))
      sizes.try_emplace(name, *sum);
  });
}

llvm::Expected<SizesOfInputs>
dml::onnx::stateSizes(const llvm::MemoryBuffer &file, const StatedSizes &stated,
                      ImportOptions &options) {
  for (const std::string &dimension : stated.dimensions)
    if (llvm::Error error = parseDimension(dimension, options))
      return error;
  KnownSizes &sizes = options.dimensions;
  ImportOptions nothing;
  auto signature = readSignature(file, nothing);
  if (!signature) {
    // The importer describes the problem, in the order in which it reads.
    if (stated.shapes.empty()) {
      llvm::consumeError(signature.takeError());
      return SizesOfInputs{};
    }
    return signature.takeError();
  }
  SizesOfInputs result;
  for (const std::string &shape : stated.shapes)
    if (llvm::Error error = addShape(shape, *signature, sizes))
      return error;
  addGiven(stated.given, *signature, sizes);
  result.batches = findBatches(*signature, sizes);
  for (const std::string &name : result.batches)
    sizes.try_emplace(name, 1);
  addSums(*signature, sizes);
  if (stated.otherwise) {
    // A sum has the size that its terms have.
    forEachOpen(*signature, sizes, [&](const std::string &name) {
      if (!StringRef(name).contains('+'))
        sizes.try_emplace(name, *stated.otherwise);
    });
    addSums(*signature, sizes);
    forEachOpen(*signature, sizes, [&](const std::string &name) {
      sizes.try_emplace(name, *stated.otherwise);
    });
  }
  forEachOpen(*signature, sizes, [&](const std::string &name) {
    if (!llvm::is_contained(result.open, name))
      result.open.push_back(name);
  });
  result.signature = std::move(*signature);
  return result;
}
