//===- Graph.cpp - Graphs of DirectML's operators -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "Support/Builder.h"
#include "dml/IR/Ownership.h"
#include "dml/Import/DirectML.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace dml;
using namespace dml::directml;

OwningOpRef<ModuleOp> dml::directml::createModule(OpBuilder &builder,
                                                  StringRef path) {
  builder.getContext()
      ->loadDialect<DMLDialect, arith::ArithDialect, func::FuncDialect,
                    tensor::TensorDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(
      NameLoc::get(builder.getStringAttr(llvm::sys::path::filename(path))));
  builder.setInsertionPointToStart(module->getBody());
  return module;
}

void dml::directml::registerDialects(DialectRegistry &registry) {
  registry.insert<DMLDialect, arith::ArithDialect, func::FuncDialect,
                  tensor::TensorDialect>();
}

llvm::Error dml::directml::verifyModule(Operation *op) {
  std::string message;
  ScopedDiagnosticHandler handler(op->getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (message.empty())
                                      message = diagnostic.str();
                                    return success();
                                  });
  if (failed(verify(op)))
    return llvm::createStringError(message);
  return llvm::Error::success();
}

llvm::Expected<func::FuncOp> dml::directml::buildFunction(
    OpBuilder &builder, StringRef name, const Path &path, ArrayRef<Type> types,
    ArrayRef<std::string> names,
    llvm::function_ref<llvm::Expected<Results>(ValueRange)> build) {
  if (!isName(name))
    return path.fail("its name is empty, no UTF-8 or has control characters, "
                     "wanted is one that can be printed");
  llvm::StringSet<> used;
  auto nameAttribute = [&](StringRef text) -> llvm::Expected<DictionaryAttr> {
    if (!isName(text))
      return path.fail("the name of a tensor is empty, no UTF-8 or has control "
                       "characters, wanted is one that can be printed");
    if (!used.insert(text).second)
      return path.fail("the tensor '" + text +
                       "' is there twice among inputs and outputs, wanted is "
                       "one of that name");
    return builder.getDictionaryAttr(
        builder.getNamedAttr(nameAttrName, builder.getStringAttr(text)));
  };
  SmallVector<DictionaryAttr> argumentNames, resultNames;
  for (StringRef argument : names) {
    llvm::Expected<DictionaryAttr> attribute = nameAttribute(argument);
    if (!attribute)
      return attribute.takeError();
    argumentNames.push_back(*attribute);
  }
  OpBuilder::InsertionGuard guard(builder);
  Location loc = NameLoc::get(builder.getStringAttr(name));
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  llvm::Expected<Results> results = build(function.getArguments());
  if (!results)
    return results.takeError();
  for (StringRef result : results->names) {
    llvm::Expected<DictionaryAttr> attribute = nameAttribute(result);
    if (!attribute)
      return attribute.takeError();
    resultNames.push_back(*attribute);
  }
  func::ReturnOp::create(builder, loc, results->values);
  function.setFunctionType(
      builder.getFunctionType(types, TypeRange(ValueRange(results->values))));
  function.setAllArgAttrs(argumentNames);
  function.setAllResultAttrs(resultNames);
  return function;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {
/// Builds the function of a graph.
class GraphBuilder {
public:
  GraphBuilder(OpBuilder &builder, const Graph &graph)
      : builder(builder), graph(graph) {}

  llvm::Expected<func::FuncOp> run(StringRef name);

private:
  llvm::Error findReaders();
  llvm::Expected<Results> build(ValueRange arguments);
  llvm::Expected<Value> getInput(StringRef name, const TensorDesc &desc,
                                 Location loc);

  OpBuilder &builder;
  const Graph &graph;
  /// The first reader of each tensor.
  llvm::StringMap<const TensorDesc *> readers;
  /// The tensors in memory order.
  llvm::StringMap<Value> values;
};
} // namespace

llvm::Error GraphBuilder::findReaders() {
  for (const Graph::Node &node : graph.nodes) {
    size_t next = 0;
    for (const TensorField &field : node.desc.inputs)
      for (const TensorDesc &tensor : field.tensors) {
        const TensorDesc *first =
            readers.try_emplace(node.inputs[next++], &tensor).first->second;
        if (first->isOwned != tensor.isOwned)
          return tensor.path["Flags"].fail(
              "found a flag OWNED_BY_DML that differs from the one at " +
              first->path.str() + ", which reads the same tensor, wanted " +
              "equal ones");
      }
    for (const TensorField &field : node.desc.outputs)
      for (const TensorDesc &tensor : field.tensors)
        if (tensor.isOwned)
          return tensor.path["Flags"].fail(
              "found OWNED_BY_DML, wanted NONE for an output");
  }
  for (const Graph::Node &node : graph.nodes)
    for (const std::string &output : node.outputs)
      if (const TensorDesc *reader = readers.lookup(output);
          reader && reader->isOwned)
        return reader->path["Flags"].fail(
            "found OWNED_BY_DML for the output of another node, wanted NONE");
  return llvm::Error::success();
}

llvm::Expected<Value>
GraphBuilder::getInput(StringRef name, const TensorDesc &desc, Location loc) {
  llvm::Expected<RankedTensorType> type =
      getMemoryType(desc, builder.getContext());
  if (!type)
    return type.takeError();
  if (auto value = values.find(name); value != values.end())
    return reinterpret(builder, loc, value->second, *type, desc.path);
  auto constant = graph.constants.find(name);
  if (constant == graph.constants.end())
    return desc.path.fail("found the tensor '" + name +
                          "', wanted an input of the graph or an output of a "
                          "node before");
  // Files have the length of DirectML's buffers, which is a multiple of 4
  // bytes.
  ArrayRef<char> data = constant->second.data;
  uint64_t wanted = countBytes(desc.type, type->getNumElements());
  if (data.size() < wanted || data.size() > llvm::alignTo(wanted, 4))
    return constant->second.path.fail(
        "found " + Twine(data.size()) + " bytes of elements, wanted " +
        Twine(wanted) + " of the tensor at " + desc.path.str());
  data = data.take_front(wanted);
  bool isResource = data.size() > reader::maxInlineBytes;
  std::vector<char> unpacked;
  if (!isResource && type->getElementTypeBitWidth() == 4) {
    unpacked = reader::unpackFourBits(data, type->getNumElements());
    data = unpacked;
  }
  return reader::buildConstant(builder, loc, desc.type, type->getShape(), data,
                               constant->second.owner, constant->second.name,
                               isResource);
}

llvm::Expected<Results> GraphBuilder::build(ValueRange arguments) {
  for (auto [input, value] : llvm::zip_equal(graph.inputs, arguments))
    values[input.tensor] = value;
  for (const Graph::Node &node : graph.nodes) {
    Location loc = NameLoc::get(builder.getStringAttr(
        node.name.empty() ? node.desc.path.str() : node.name));
    SmallVector<Value> inputs;
    size_t next = 0;
    for (const TensorField &field : node.desc.inputs)
      for (const TensorDesc &tensor : field.tensors) {
        llvm::Expected<Value> value =
            getInput(node.inputs[next++], tensor, loc);
        if (!value)
          return value.takeError();
        inputs.push_back(*value);
      }
    llvm::Expected<SmallVector<Value>> results =
        buildOperator(builder, loc, node.desc, inputs);
    if (!results)
      return results.takeError();
    for (auto [output, value] : llvm::zip_equal(node.outputs, *results))
      values[output] = value;
  }
  Results results;
  for (const Graph::Port &output : graph.outputs) {
    auto value = values.find(output.tensor);
    if (value == values.end())
      return output.path.fail("found the tensor '" + output.tensor +
                              "', wanted an output of a node");
    results.values.push_back(value->second);
    results.names.push_back(output.name);
  }
  return results;
}

llvm::Expected<func::FuncOp> GraphBuilder::run(StringRef name) {
  if (llvm::Error error = findReaders())
    return error;
  SmallVector<Type> types;
  SmallVector<std::string> names;
  for (const Graph::Port &input : graph.inputs) {
    const TensorDesc *desc = readers.lookup(input.tensor);
    if (!desc)
      return input.path.fail(
          "found the input '" + input.name +
          "', which no node reads, wanted a node that tells its type");
    llvm::Expected<RankedTensorType> type =
        getMemoryType(*desc, builder.getContext());
    if (!type)
      return type.takeError();
    types.push_back(*type);
    names.push_back(input.name);
  }
  llvm::Expected<func::FuncOp> function =
      buildFunction(builder, name, Path("graph"), types, names,
                    [&](ValueRange arguments) { return build(arguments); });
  if (!function)
    return function;
  for (auto [index, input] : llvm::enumerate(graph.inputs))
    if (readers.lookup(input.tensor)->isOwned)
      function->setArgAttr(index, ownedAttrName, builder.getUnitAttr());
  return function;
}

llvm::Expected<func::FuncOp> dml::directml::buildFunction(OpBuilder &builder,
                                                          StringRef name,
                                                          const Graph &graph) {
  return GraphBuilder(builder, graph).run(name);
}
