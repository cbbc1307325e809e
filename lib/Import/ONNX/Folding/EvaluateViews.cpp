//===- EvaluateViews.cpp - Nodes that show elements in another shape ------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Folding/Evaluator.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Returns the elements of input 0 with the shape `shape`, if it has as many
/// elements.
static Evaluation view(NodeReader &node, const Shape &shape) {
  const Constant &constant = getConstant(node, 0);
  if (countElements(shape) != constant.getNumElements())
    return std::nullopt;
  return one(constant.reshape(shape));
}

static Evaluation evaluateIdentity(NodeReader &node) {
  if (!hasInputs(node, 1, 1))
    return std::nullopt;
  return view(node, node.getShape(0));
}

static Evaluation evaluateReshape(NodeReader &node) {
  bool hasInput = node.getOpset() >= 5;
  if (!hasInputs(node, hasInput ? 2 : 1, hasInput ? 2 : 1))
    return std::nullopt;
  std::optional<Shape> shape =
      hasInput ? getIntegers(node, 1) : node.getInts("shape");
  if (!shape)
    return std::nullopt;
  const Shape &from = node.getShape(0);
  bool copiesZeros = node.getInt("allowzero", 0) == 0;
  std::optional<size_t> inferred;
  int64_t known = 1;
  for (auto [dim, size] : llvm::enumerate(*shape)) {
    if (size == 0 && copiesZeros && dim < from.size())
      size = from[dim];
    if (size == -1 && !inferred)
      inferred = dim;
    else if (size < 0 || llvm::MulOverflow(known, size, known))
      return std::nullopt;
  }
  if (inferred) {
    if (known == 0)
      return std::nullopt;
    (*shape)[*inferred] = *countElements(from) / known;
  }
  return view(node, *shape);
}

static Evaluation evaluateFlatten(NodeReader &node) {
  if (!hasInputs(node, 1, 1))
    return std::nullopt;
  ArrayRef<int64_t> shape = node.getShape(0);
  auto rank = static_cast<int64_t>(shape.size());
  std::optional<int64_t> axis = node.getInt("axis", 1);
  // The axis may also lie behind the last dimension.
  if (*axis != rank)
    axis = findAxis(*axis, rank);
  if (!axis)
    return std::nullopt;
  return view(node, {*countElements(shape.take_front(*axis)),
                     *countElements(shape.drop_front(*axis))});
}

/// Returns the axes, which are an input since version 13, counted from the
/// front of `rank` dimensions. Returns nothing if one of them is out of range
/// or stands twice.
static std::optional<Shape> findAxes(NodeReader &node, int64_t rank) {
  std::optional<Shape> axes = node.getInts("axes");
  if (node.hasInput(1))
    axes = getIntegers(node, 1);
  if (!axes)
    return std::nullopt;
  for (int64_t &axis : *axes) {
    std::optional<int64_t> normal = findAxis(axis, rank);
    if (!normal)
      return std::nullopt;
    axis = *normal;
  }
  llvm::sort(*axes);
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end())
    return std::nullopt;
  return axes;
}

static Evaluation evaluateSqueeze(NodeReader &node) {
  if (!hasInputs(node, 1, 2))
    return std::nullopt;
  const Shape &from = node.getShape(0);
  std::optional<Shape> axes = findAxes(node, static_cast<int64_t>(from.size()));
  if (!axes)
    return std::nullopt;
  Shape shape;
  for (auto [dim, size] : llvm::enumerate(from)) {
    bool isListed = llvm::is_contained(*axes, static_cast<int64_t>(dim));
    if (isListed && size != 1)
      return std::nullopt;
    if (!isListed && !(axes->empty() && size == 1))
      shape.push_back(size);
  }
  return view(node, shape);
}

static Evaluation evaluateUnsqueeze(NodeReader &node) {
  if (!hasInputs(node, 1, 2))
    return std::nullopt;
  Shape shape = node.getShape(0);
  int64_t count = node.hasInput(1) ? *countElements(node.getShape(1))
                                   : node.getInts("axes").size();
  if (count > 8)
    return std::nullopt;
  auto axes = findAxes(node, static_cast<int64_t>(shape.size()) + count);
  if (!axes)
    return std::nullopt;
  for (int64_t axis : *axes)
    shape.insert(shape.begin() + axis, 1);
  return view(node, shape);
}

void dml::onnx::addViewEvaluators(Evaluators &evaluators) {
  evaluators["Identity"] = evaluateIdentity;
  evaluators["Reshape"] = evaluateReshape;
  evaluators["Flatten"] = evaluateFlatten;
  evaluators["Squeeze"] = evaluateSqueeze;
  evaluators["Unsqueeze"] = evaluateUnsqueeze;
}
