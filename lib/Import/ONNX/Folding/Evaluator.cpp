//===- Evaluator.cpp - Nodes whose inputs are known -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Folding/Evaluator.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

//===----------------------------------------------------------------------===//
// What a node states
//===----------------------------------------------------------------------===//

bool dml::onnx::hasInputs(const NodeReader &node, unsigned minimum,
                          unsigned maximum) {
  if (node.getNumInputs() > maximum)
    return false;
  for (unsigned index = 0; index < minimum; ++index)
    if (!node.hasInput(index))
      return false;
  return true;
}

const Constant &dml::onnx::getConstant(const NodeReader &node, unsigned index) {
  return *node.getInput(index).constant;
}

std::optional<Shape> dml::onnx::getIntegers(const NodeReader &node,
                                            unsigned index) {
  const Constant &constant = getConstant(node, index);
  if (constant.getType() != DataType::INT64 &&
      constant.getType() != DataType::INT32)
    return std::nullopt;
  return Shape(constant.getIntegers());
}

std::optional<int64_t> dml::onnx::findAxis(int64_t axis, int64_t rank) {
  int64_t normal = axis < 0 ? axis + rank : axis;
  if (normal < 0 || normal >= rank)
    return std::nullopt;
  return normal;
}

bool dml::onnx::isFoldable(ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = countElements(shape);
  return count && *count <= Constant::maxFoldable;
}

//===----------------------------------------------------------------------===//
// Elements by their places
//===----------------------------------------------------------------------===//

void dml::onnx::forEach(ArrayRef<int64_t> shape,
                        llvm::function_ref<void(ArrayRef<int64_t>)> function) {
  int64_t count = *countElements(shape);
  Shape coordinates(shape.size(), 0);
  for (int64_t index = 0; index < count; ++index) {
    function(coordinates);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++coordinates[dim] < shape[dim])
        break;
      coordinates[dim] = 0;
    }
  }
}

int64_t dml::onnx::getIndex(ArrayRef<int64_t> shape,
                            ArrayRef<int64_t> coordinates) {
  int64_t index = 0;
  size_t offset = coordinates.size() - shape.size();
  for (size_t dim = 0; dim < shape.size(); ++dim)
    index =
        index * shape[dim] + (shape[dim] == 1 ? 0 : coordinates[offset + dim]);
  return index;
}

SmallVector<int64_t> dml::onnx::broadcastIndices(ArrayRef<int64_t> from,
                                                 ArrayRef<int64_t> to) {
  SmallVector<int64_t> indices;
  forEach(to, [&](ArrayRef<int64_t> coordinates) {
    indices.push_back(getIndex(from, coordinates));
  });
  return indices;
}

Constant dml::onnx::pickIndices(const Constant &constant, Shape shape,
                                ArrayRef<int64_t> indices) {
  if (constant.isSplat() && !indices.empty())
    return constant.splat(std::move(shape));
  Constant elements = constant.unpack();
  unsigned width = getByteWidth(constant.getType());
  auto bytes = std::make_shared<std::vector<char>>(indices.size() * width);
  for (auto [place, index] : llvm::enumerate(indices))
    std::memcpy(bytes->data() + place * width,
                elements.getData() + index * width, width);
  return Constant(constant.getType(), std::move(shape), *bytes, bytes);
}

Constant
dml::onnx::pickElements(const Constant &constant, Shape shape,
                        llvm::function_ref<Shape(ArrayRef<int64_t>)> pick) {
  SmallVector<int64_t> indices;
  forEach(shape, [&](ArrayRef<int64_t> coordinates) {
    indices.push_back(getIndex(constant.getShape(), pick(coordinates)));
  });
  return pickIndices(constant, std::move(shape), indices);
}

Rows::Rows(ArrayRef<int64_t> shape, int64_t axis)
    : outer(*countElements(shape.take_front(axis))), size(shape[axis]),
      inner(*countElements(shape.drop_front(axis + 1))) {}

//===----------------------------------------------------------------------===//
// All operators
//===----------------------------------------------------------------------===//

std::optional<SmallVector<Constant>> dml::onnx::foldNode(NodeReader &node) {
  static const Evaluators evaluators = [] {
    Evaluators evaluators;
    addDetectionEvaluators(evaluators);
    addElementWiseEvaluators(evaluators);
    addMovementEvaluators(evaluators);
    addReductionEvaluators(evaluators);
    addViewEvaluators(evaluators);
    return evaluators;
  }();
  if (!node.getNode().domain.empty() && node.getNode().domain != "ai.onnx")
    return std::nullopt;
  auto evaluate = evaluators.find(node.getNode().opType);
  if (evaluate == evaluators.end())
    return std::nullopt;
  Evaluation results = evaluate->second(node);
  if (results && results->size() < node.getNumOutputs())
    return std::nullopt;
  return results;
}
