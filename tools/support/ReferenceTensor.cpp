//===- ReferenceTensor.cpp - Functions and tensors of the reference -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/ReferenceTensor.h"
#include "dml/IR/DML.h"

using namespace mlir;
using dml::reference::Tensor;

namespace dml::tools {

FailureOr<Tensor> toReference(const HostTensor &host) {
  SmallVector<int64_t> shape(host.sizes.begin(), host.sizes.end());
  // Both enums have DirectML's values.
  std::optional<DataType> dataType = symbolizeDataType(host.dataType);
  if (!dataType)
    return failure();
  FailureOr<Tensor> tensor = Tensor::create(*dataType, shape);
  if (failed(tensor) || tensor->getNumPackedBytes() != host.data.size())
    return failure();
  tensor->unpack(
      {reinterpret_cast<const char *>(host.data.data()), host.data.size()});
  return tensor;
}

HostTensor toHost(const Tensor &tensor) {
  HostTensor host;
  host.dataType = static_cast<DmlDataType>(tensor.getDataType());
  host.sizes.assign(tensor.getShape().begin(), tensor.getShape().end());
  std::vector<char> bytes = tensor.pack();
  host.data.assign(bytes.begin(), bytes.end());
  return host;
}

func::FuncOp findFunction(ModuleOp module, StringRef name, std::string &error) {
  StringRef wanted = name.empty() ? "main" : name;
  auto functions = llvm::filter_to_vector(
      module.getOps<func::FuncOp>(),
      [](func::FuncOp function) { return !function.isDeclaration(); });
  for (func::FuncOp function : functions)
    if (function.getName() == wanted)
      return function;
  auto publicOnes = llvm::make_filter_range(
      functions, [](func::FuncOp function) { return function.isPublic(); });
  if (name.empty() && llvm::hasSingleElement(publicOnes))
    return *publicOnes.begin();
  std::string names;
  for (func::FuncOp function : functions)
    names += ((names.empty() ? "'" : ", '") + function.getName() + "'").str();
  error = ("there is no function '" + wanted + "'; the module has " +
           (names.empty() ? "none" : names))
              .str();
  return nullptr;
}

/// The name of an argument or result: `dml.name`, or its kind and number.
static std::string getName(DictionaryAttr attributes, StringRef kind,
                           unsigned index) {
  if (attributes)
    if (auto name = attributes.getAs<StringAttr>(nameAttrName))
      return name.str();
  return (kind + Twine(index)).str();
}

/// Returns the name of a type as in --input, such as "2x3xf32", or MLIR's name
/// if --input has none for the type.
static std::string describeType(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !getDataType(tensor.getElementType())) {
    os << type;
    return text;
  }
  for (int64_t size : tensor.getShape())
    os << size << "x";
  os << stringifyDataType(*getDataType(tensor.getElementType()));
  return text;
}

FunctionSignature describe(func::FuncOp function) {
  FunctionSignature signature{function.getName().str(), {}, {}};
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    signature.inputs.push_back(
        {getName(function.getArgAttrDict(index), "input", index),
         describeType(type)});
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    signature.outputs.push_back(
        {getName(function.getResultAttrDict(index), "output", index),
         describeType(type)});
  return signature;
}

std::optional<SmallVector<Tensor>>
readReferenceInputs(const std::vector<std::string> &options,
                    const FunctionSignature &function,
                    const PictureOptions &pictures, std::string &error) {
  auto hosts = readInputs(options, function, pictures, error);
  if (!hosts)
    return std::nullopt;
  SmallVector<Tensor> inputs;
  for (const HostTensor &host : *hosts) {
    FailureOr<Tensor> input = toReference(host);
    if (failed(input)) {
      error = "there is no memory for an input";
      return std::nullopt;
    }
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

} // namespace dml::tools
