//===- Surveys.cpp - Which nodes of a graph can be read -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/GraphImporter.h"
#include "Reader/Shapes.h"
#include "dml/IR/Layout.h"
#include "dml/Import/Survey.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

void GraphImporter::addProblem(unsigned index, const NodeProto &node,
                               StringRef name, StringRef reason) {
  problems.add(normalizeDomain(node.domain), node.opType, name, reason);
  if (options.survey && options.survey->nodes[index].problem.empty())
    options.survey->nodes[index].problem = reason.str();
}

void GraphImporter::enterUnknown(StringRef name, std::string reason) {
  state.tensors.try_emplace(name);
  unknown[name] = std::move(reason);
}

std::string GraphImporter::describeUnknownInput(const NodeProto &node) const {
  for (StringRef name : node.inputs) {
    auto found = unknown.find(name);
    if (found != unknown.end())
      return found->second;
  }
  return "one of its inputs is not known";
}

/// Whether the model declares `value` with a type and a shape in which each
/// size is a number or has a name. A size without a name may differ from run to
/// run, as the number of boxes that NonMaxSuppression keeps.
static bool isDeclared(const ValueInfo &value) {
  return value.isTensor && value.hasShape &&
         llvm::all_of(value.dimensions, [](const Dimension &dimension) {
           return (dimension.size && *dimension.size >= 0) ||
                  !dimension.symbol.empty();
         });
}

llvm::Error GraphImporter::assume(const ValueInfo &declared,
                                  func::FuncOp function) {
  Dimensions ignored;
  llvm::Expected<Tensor> tensor = readInput(declared, ignored);
  if (!tensor) {
    enterUnknown(declared.name, llvm::toString(tensor.takeError()));
    return llvm::Error::success();
  }
  if (llvm::Error error = addArgument(declared, *tensor, function))
    return error;
  tensor->value =
      NodeImporter(state).reshape(tensor->value, toPhysical(tensor->shape));
  state.tensors[declared.name] = std::move(*tensor);
  assumed.insert(declared.name);
  return llvm::Error::success();
}

llvm::Error GraphImporter::assumeOutputs(unsigned index,
                                         func::FuncOp function) {
  if (declarations.empty()) {
    for (const ValueInfo &value : graph.values)
      declarations.try_emplace(value.name, &value);
    for (const ValueInfo &output : graph.outputs)
      declarations.try_emplace(output.name, &output);
  }
  surveyNode(index);
  const NodeProto &node = getNodes()[index].node;
  for (StringRef name : node.outputs) {
    auto found = state.tensors.find(name);
    if (name.empty() || found == state.tensors.end() || found->second.isKnown)
      continue;
    const ValueInfo *declared = declarations.lookup(name);
    if (!declared || !isDeclared(*declared))
      enterUnknown(name, ("the shape of '" + name + "', which " + node.opType +
                          " computes, is known only when the model runs")
                             .str());
    else if (llvm::Error error = assume(*declared, function))
      return error;
  }
  return llvm::Error::success();
}

void GraphImporter::surveyNode(unsigned index) {
  Survey::Node &result = options.survey->nodes[index];
  if (!isNeeded[index])
    result.problem = "nothing reads what it computes";
  result.isFolded = result.problem.empty();
  for (StringRef name : getNodes()[index].node.outputs) {
    auto found = state.tensors.find(name);
    if (!name.empty() && found != state.tensors.end() &&
        !(found->second.isKnown && found->second.constant))
      result.isFolded = false;
  }
}

void GraphImporter::surveyTensors() {
  for (const auto &[name, tensor] : state.tensors) {
    if (!tensor.isKnown)
      continue;
    Survey::Tensor &result = options.survey->tensors[name];
    result.type = tensor.type;
    result.sizes.assign(tensor.shape.begin(), tensor.shape.end());
    result.isConstant = tensor.constant.has_value();
    bool isInteger = tensor.type == DataType::INT64 ||
                     tensor.type == DataType::INT32 ||
                     tensor.type == DataType::UINT8;
    if (tensor.constant && isInteger &&
        tensor.constant->getNumElements() <= Survey::maxElements)
      llvm::append_range(result.elements, tensor.constant->getIntegers());
  }
}
