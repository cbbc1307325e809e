//===- GraphInputs.cpp - Inputs, initializers and declarations ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/GraphImporter.h"
#include "Reader/Shapes.h"
#include "dml/IR/Layout.h"
#include "dml/Import/Sizes.h"
#include "dml/Import/Survey.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Returns the name of dimension `index` of an input in --dim options.
static std::string nameDimension(const ValueInfo &input, size_t index) {
  std::string symbol = input.dimensions[index].symbol.str();
  return symbol.empty() ? (input.name + "[" + Twine(index) + "]").str()
                        : symbol;
}

llvm::Error GraphImporter::collectInitializers() {
  for (const TensorProto &tensor : graph.initializers)
    if (!initializers.try_emplace(tensor.name, &tensor).second)
      return llvm::createStringError("initializer '" + tensor.name +
                                     "' stands twice");
  // Old models also list their initializers as inputs.
  for (const ValueInfo &input : graph.inputs) {
    auto found = initializers.find(input.name);
    if (found == initializers.end())
      continue;
    const TensorProto &proto = *found->second;
    std::optional<DataType> type = toDataType(proto.dataType);
    if (!type)
      continue;
    Tensor tensor;
    tensor.type = *type;
    tensor.isBool = isBoolType(proto.dataType);
    tensor.shape.assign(proto.dims.begin(), proto.dims.end());
    tensor.isKnown = true;
    if (llvm::Error error = wantDeclared(input, tensor, "initializer"))
      return error;
  }
  return llvm::Error::success();
}

/// Whether a dimension has a size. Some exporters write -1 for an unknown size.
static bool isFixed(const Dimension &dimension) {
  return dimension.size && *dimension.size >= 0;
}

static llvm::Error failInput(const ValueInfo &input, const Twine &message) {
  return llvm::createStringError("input '" + input.name + "' " + message);
}

/// The dimensions that a model declares, with the sizes that `options` state.
static std::vector<SignatureDimension>
readDimensions(const ValueInfo &info, const ImportOptions &options) {
  std::vector<SignatureDimension> dimensions;
  for (auto [index, dimension] : llvm::enumerate(info.dimensions)) {
    if (isFixed(dimension)) {
      dimensions.push_back({*dimension.size, ""});
      continue;
    }
    std::string name = nameDimension(info, index);
    auto given = options.dimensions.find(name);
    int64_t otherwise = options.survey ? options.survey->openSize : -1;
    dimensions.push_back(
        {given == options.dimensions.end() ? otherwise : given->second, name});
  }
  return dimensions;
}

/// Returns the sizes of a tensor, with 1 for sizes that are not known.
static Shape getShape(const SignatureTensor &tensor) {
  Shape shape;
  for (const SignatureDimension &dimension : tensor.dimensions)
    shape.push_back(dimension.size < 0 ? 1 : dimension.size);
  return shape;
}

/// What a model declares of an input. Fails where no function can take it.
static llvm::Expected<SignatureTensor>
readDeclaration(const ValueInfo &input, const ImportOptions &options) {
  if (!input.isTensor)
    return failInput(input, "is no tensor, but wanted is one");
  SignatureTensor tensor;
  tensor.name = input.name.str();
  tensor.type = toDataType(input.elementType);
  tensor.isBool = isBoolType(input.elementType);
  if (!tensor.type)
    return failInput(input, "has the type " +
                                describeONNXType(input.elementType) +
                                ", which no DirectML tensor has");
  if (!input.hasShape)
    return failInput(input, "has no shape, but wanted is one");
  tensor.dimensions = readDimensions(input, options);
  Shape shape = getShape(tensor);
  // A size of 0 must be stated, as that of an empty past.
  bool isEmpty = llvm::any_of(input.dimensions, [](const Dimension &dimension) {
    return isFixed(dimension) && *dimension.size == 0;
  });
  if (static_cast<int64_t>(shape.size()) > maxRank || !countElements(shape) ||
      isEmpty)
    return failInput(input, "has the shape " + describeShape(shape) +
                                ", but wanted are at most " + Twine(maxRank) +
                                " dimensions, and 1 to 2^32 - 1 elements");
  return tensor;
}

/// Whether --dim may state the value of an input of the type `type` and the
/// shape `shape`: one integer or bool.
static bool canBeStated(const ValueInfo &input, DataType type,
                        ArrayRef<int64_t> shape) {
  bool isInteger = type == DataType::INT64 || type == DataType::INT32;
  return (isInteger || isBoolType(input.elementType)) &&
         countElements(shape) == 1;
}

static llvm::Error checkStated(const ValueInfo &input, DataType type,
                               ArrayRef<int64_t> shape, int64_t value) {
  if (!canBeStated(input, type, shape))
    return failInput(input, "is " + describeShape(shape) + " of " +
                                describeONNXType(input.elementType) +
                                ", but only one bool or one integer of 32 or "
                                "64 bits can be stated with --dim");
  if (isBoolType(input.elementType) && value > 1)
    return failInput(input, "is stated as " + Twine(value) +
                                ", but wanted is 0 or 1 for a bool");
  return llvm::Error::success();
}

llvm::Expected<Tensor> GraphImporter::readInput(const ValueInfo &input,
                                                Dimensions &dimensions) const {
  llvm::Expected<SignatureTensor> declared = readDeclaration(input, options);
  if (!declared)
    return declared.takeError();
  Tensor tensor;
  tensor.type = *declared->type;
  tensor.isBool = isBoolType(input.elementType);
  tensor.isKnown = true;
  tensor.shape = getShape(*declared);
  bool isMissing = false;
  for (const SignatureDimension &dimension : declared->dimensions) {
    isMissing |= dimension.size < 0;
    if (dimension.size < 0 &&
        !llvm::is_contained(dimensions.missing, dimension.name))
      dimensions.missing.push_back(dimension.name);
  }
  if (isMissing)
    dimensions.inputs.push_back(std::move(*declared));
  return tensor;
}

llvm::Error GraphImporter::addArgument(const ValueInfo &input, Tensor &tensor,
                                       func::FuncOp function) {
  OpBuilder &builder = state.builder;
  Shape outer = tensor.shape.empty() ? Shape{1} : tensor.shape;
  auto type = RankedTensorType::get(
      outer, getElementType(tensor.type, builder.getContext()));
  Location loc = NameLoc::get(builder.getStringAttr(input.name));
  DictionaryAttr attributes = builder.getDictionaryAttr(
      builder.getNamedAttr(nameAttrName, builder.getStringAttr(input.name)));
  if (failed(function.insertArgument(function.getNumArguments(), type,
                                     attributes, loc)))
    return failInput(input, "cannot be added");
  tensor.value = function.getArguments().back();
  return llvm::Error::success();
}

llvm::Error GraphImporter::declareInput(const ValueInfo &input,
                                        func::FuncOp function,
                                        Dimensions &dimensions) {
  llvm::Expected<Tensor> tensor = readInput(input, dimensions);
  if (!tensor && options.survey) {
    enterUnknown(input.name, llvm::toString(tensor.takeError()));
    return llvm::Error::success();
  }
  if (!tensor)
    return tensor.takeError();
  // --dim may also state the value of an input with a single integer or bool,
  // which is then not an argument.
  if (auto given = options.dimensions.find(input.name);
      given != options.dimensions.end() &&
      !dimensions.open.contains(input.name)) {
    dimensions.stated.insert(input.name);
    if (llvm::Error error =
            checkStated(input, tensor->type, tensor->shape, given->second))
      return error;
    tensor->constant =
        Constant::get(tensor->type, tensor->shape, ArrayRef(given->second));
  } else if (llvm::is_contained(tensor->shape, 0)) {
    // DirectML's tensors have one element at least, so that such an input is a
    // constant, and no argument.
    tensor->constant = Constant(tensor->type, tensor->shape, {}, nullptr);
  } else if (llvm::Error error = addArgument(input, *tensor, function)) {
    return error;
  }
  if (!state.tensors.try_emplace(input.name, std::move(*tensor)).second)
    return failInput(input, "stands twice");
  return llvm::Error::success();
}

/// Fails if `options` state a name that is neither an open dimension nor an
/// input whose value may be stated.
static llvm::Error wantKnown(const ImportOptions &options,
                             const llvm::StringSet<> &open,
                             const llvm::StringSet<> &stated) {
  for (const auto &given : options.dimensions) {
    if (open.contains(given.first()) || stated.contains(given.first()))
      continue;
    SmallVector<std::string> names;
    for (StringRef name : open.keys())
      names.push_back(("'" + name + "'").str());
    llvm::sort(names);
    return llvm::createStringError(
        "the size of '" + given.first() +
        "' is stated, but no input has that name, or a dimension without a "
        "size of that name" +
        (names.empty() ? "" : "; there are " + llvm::join(names, ", ")));
  }
  return llvm::Error::success();
}

llvm::Error GraphImporter::checkDimensions(const Dimensions &dimensions) const {
  if (!dimensions.missing.empty())
    return llvm::createStringError(
        describeOpenSizes(dimensions.inputs, dimensions.missing));
  return wantKnown(options, dimensions.open, dimensions.stated);
}

/// Fails where two inputs have one name.
static llvm::Error wantDistinct(ArrayRef<ValueInfo> inputs) {
  llvm::StringSet<> names;
  for (const ValueInfo &input : inputs)
    if (!names.insert(input.name).second)
      return llvm::createStringError("input '" + input.name +
                                     "' is declared twice");
  return llvm::Error::success();
}

llvm::Error GraphImporter::declareInputs(func::FuncOp function) {
  if (llvm::Error error = wantDistinct(graph.inputs))
    return error;
  if (llvm::Error error = collectInitializers())
    return error;
  // Old models also list their initializers as inputs.
  auto isInput = [&](const ValueInfo &input) {
    return !initializers.count(input.name);
  };
  Dimensions dimensions;
  for (const ValueInfo &input : llvm::make_filter_range(graph.inputs, isInput))
    for (auto [index, dimension] : llvm::enumerate(input.dimensions))
      if (!isFixed(dimension))
        dimensions.open.insert(nameDimension(input, index));
  for (const ValueInfo &input : llvm::make_filter_range(graph.inputs, isInput))
    if (llvm::Error error = declareInput(input, function, dimensions))
      return error;
  if (llvm::Error error = checkDimensions(dimensions))
    return error;
  // The views with leading dimensions of size 1 are created behind all
  // arguments.
  for (const ValueInfo &input : graph.inputs)
    if (auto found = state.tensors.find(input.name);
        found != state.tensors.end() && found->second.value) {
      Tensor &tensor = found->second;
      tensor.value =
          NodeImporter(state).reshape(tensor.value, toPhysical(tensor.shape));
    }
  return llvm::Error::success();
}

llvm::Error GraphImporter::loadInitializer(StringRef name) {
  auto initializer = initializers.find(name);
  if (initializer == initializers.end())
    return llvm::Error::success();
  auto constant = state.constants.read(*initializer->second);
  if (!constant)
    return constant.takeError();
  Tensor tensor;
  tensor.type = constant->getType();
  tensor.isBool = isBoolType(initializer->second->dataType);
  tensor.shape = Shape(constant->getShape());
  tensor.isKnown = true;
  state.weightNames.try_emplace(constant->getAddress(), name);
  tensor.constant = std::move(*constant);
  state.tensors[name] = std::move(tensor);
  loadedInitializers[name] = initializer->second;
  initializers.erase(initializer);
  return llvm::Error::success();
}

/// Returns the sizes that a declaration states, with "?" for missing sizes.
static std::string describeDimensions(ArrayRef<Dimension> dimensions) {
  std::string text;
  for (const Dimension &dimension : dimensions)
    text += (text.empty() ? "" : "x") +
            (isFixed(dimension) ? std::to_string(*dimension.size) : "?");
  return text.empty() ? "scalar" : text;
}

/// Whether `shape` has the rank and the sizes that a declaration states.
static bool fitsDimensions(ArrayRef<int64_t> shape,
                           ArrayRef<Dimension> dimensions) {
  return shape.size() == dimensions.size() &&
         llvm::all_of(llvm::zip_equal(shape, dimensions), [](auto pair) {
           const Dimension &dimension = std::get<1>(pair);
           return !isFixed(dimension) || *dimension.size == std::get<0>(pair);
         });
}

llvm::Error GraphImporter::wantDeclared(const ValueInfo &info,
                                        const Tensor &tensor,
                                        StringRef what) const {
  if (!info.isTensor || !tensor.isKnown)
    return llvm::Error::success();
  // A declaration may omit the type.
  bool fits =
      info.elementType == 0 || (toDataType(info.elementType) == tensor.type &&
                                isBoolType(info.elementType) == tensor.isBool);
  if (!fits)
    return llvm::createStringError(
        what + " '" + info.name + "' is declared as " +
        describeONNXType(info.elementType) + ", but its elements are " +
        (tensor.isBool ? "bool" : stringifyDataType(tensor.type)));
  if (info.hasShape && !fitsDimensions(tensor.shape, info.dimensions))
    return llvm::createStringError(
        what + " '" + info.name + "' is declared with the shape " +
        describeDimensions(info.dimensions) + ", but has the shape " +
        describeShape(tensor.shape));
  return llvm::Error::success();
}

llvm::Error GraphImporter::checkDeclarations() const {
  for (const ValueInfo &output : graph.outputs)
    if (auto found = state.tensors.find(output.name);
        found != state.tensors.end())
      if (llvm::Error error = wantDeclared(output, found->second, "output"))
        return error;
  // Optimizations may change the types of tensors without changing their names.
  if (state.isOptimized)
    return llvm::Error::success();
  for (const ValueInfo &value : graph.values)
    if (auto found = state.tensors.find(value.name);
        found != state.tensors.end())
      if (llvm::Error error = wantDeclared(value, found->second, "tensor"))
        return error;
  return llvm::Error::success();
}

llvm::Expected<Signature>
dml::onnx::readSignature(const llvm::MemoryBuffer &file,
                         const ImportOptions &options) {
  llvm::Expected<ModelProto> model = decodeModel(file.getBuffer());
  if (!model)
    return model.takeError();
  if (!model->graph)
    return llvm::createStringError(
        "the file is no ONNX model: it has no graph");
  llvm::Expected<Signature> signature = readSignature(*model, options);
  if (!signature)
    return signature;
  for (const TensorProto &tensor : model->graph->initializers) {
    constexpr size_t large = 4096;
    if (tensor.rawData && tensor.rawData->size() >= large)
      signature->weights.emplace_back(tensor.rawData->data() -
                                          file.getBufferStart(),
                                      tensor.rawData->size());
  }
  llvm::sort(signature->weights);
  return signature;
}

llvm::Expected<Signature>
dml::onnx::readSignature(const ModelProto &model,
                         const ImportOptions &options) {
  Signature signature;
  llvm::StringSet<> initializers, open, stated;
  for (const TensorProto &tensor : model.graph->initializers)
    initializers.insert(tensor.name);
  auto isInput = [&](const ValueInfo &input) {
    return !initializers.contains(input.name);
  };
  const std::vector<ValueInfo> &inputs = model.graph->inputs;
  if (llvm::Error error = wantDistinct(inputs))
    return error;
  for (const ValueInfo &input : llvm::make_filter_range(inputs, isInput))
    for (const SignatureDimension &dimension : readDimensions(input, {}))
      if (dimension.size < 0)
        open.insert(dimension.name);
  llvm::Expected<llvm::StringSet<>> conditions = findConditions(*model.graph);
  if (!conditions)
    return conditions.takeError();
  for (const ValueInfo &input : llvm::make_filter_range(inputs, isInput)) {
    llvm::Expected<SignatureTensor> tensor = readDeclaration(input, options);
    if (!tensor)
      return tensor.takeError();
    Shape shape = getShape(*tensor);
    if (auto given = options.dimensions.find(input.name);
        given != options.dimensions.end() && !open.contains(input.name)) {
      stated.insert(input.name);
      if (llvm::Error error =
              checkStated(input, *tensor->type, shape, given->second))
        return error;
      continue;
    }
    tensor->decidesBranch = conditions->contains(input.name) &&
                            !open.contains(input.name) &&
                            llvm::all_of(input.dimensions, isFixed) &&
                            canBeStated(input, *tensor->type, shape);
    signature.inputs.push_back(std::move(*tensor));
  }
  if (llvm::Error error = wantKnown(options, open, stated))
    return error;
  for (const ValueInfo &output : model.graph->outputs) {
    SignatureTensor tensor;
    tensor.name = output.name.str();
    tensor.type = toDataType(output.elementType);
    tensor.hasRank = output.hasShape;
    for (auto [index, dimension] :
         llvm::enumerate(readDimensions(output, options))) {
      // The name of a size that the graph computes is nobody's to state.
      if (output.dimensions[index].symbol.empty())
        dimension.name.clear();
      tensor.dimensions.push_back(std::move(dimension));
    }
    signature.outputs.push_back(std::move(tensor));
  }
  return signature;
}
