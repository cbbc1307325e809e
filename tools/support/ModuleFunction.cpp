//===- ModuleFunction.cpp - The functions of a module ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/ModuleFunction.h"
#include "dml/IR/DML.h"

using namespace mlir;

namespace dml::tools {

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

/// Whether --input has a name for a type.
static bool isPlain(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         getDataType(tensor.getElementType());
}

/// Returns the name of a type as in --input, such as "2x3xf32", or MLIR's name
/// if --input has none for the type.
static std::string describeType(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!isPlain(type)) {
    os << type;
    return text;
  }
  auto tensor = cast<RankedTensorType>(type);
  for (int64_t size : tensor.getShape())
    os << size << "x";
  os << stringifyDataType(*getDataType(tensor.getElementType()));
  return text;
}

FunctionSignature describe(func::FuncOp function,
                           std::vector<AbsentInput> absent) {
  FunctionSignature signature{
      function.getName().str(), {}, {}, std::move(absent)};
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

bool hasPlainTypes(func::FuncOp function) {
  return llvm::all_of(function.getArgumentTypes(), isPlain) &&
         llvm::all_of(function.getResultTypes(), isPlain);
}

} // namespace dml::tools
