//===- NodeUtils.cpp - What import functions share ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/NodeUtils.h"
#include "dml/IR/Layout.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

LogicalResult dml::onnx::wantTensor(NodeImporter &node, const Shape &shape) {
  if (shape.size() > maxRank)
    return node.reject("its output has the shape " + describeShape(shape) +
                       ", but DirectML's tensors have at most " +
                       Twine(maxRank) + " dimensions");
  if (!countElements(shape))
    return node.reject("its output has the shape " + describeShape(shape) +
                       ", but DirectML's tensors have at most 2^32 - 1 "
                       "elements");
  return success();
}

LogicalResult dml::onnx::setEmpty(NodeImporter &node, unsigned index,
                                  DataType type, Shape shape) {
  // A result without elements does not depend on the inputs.
  for (unsigned input = 0; input < node.getNumInputs(); ++input)
    node.ignoreInput(input);
  return node.set(index, Constant(type, std::move(shape), {}, nullptr));
}

NamedAttribute dml::onnx::getScalar(NodeImporter &node, StringRef name,
                                    const Constant &constant) {
  Type element =
      getElementType(constant.getType(), node.getBuilder().getContext());
  uint64_t bits = 0;
  // Models are little-endian, as are all hosts on which dml runs.
  std::memcpy(&bits, constant.getData(), getByteWidth(constant.getType()));
  llvm::APInt value(element.getIntOrFloatBitWidth(), bits, /*isSigned=*/false,
                    /*implicitTrunc=*/true);
  if (auto type = dyn_cast<FloatType>(element))
    return node.attr(
        name,
        FloatAttr::get(type, llvm::APFloat(type.getFloatSemantics(), value)));
  return node.attr(name, IntegerAttr::get(element, value));
}

FailureOr<int64_t> dml::onnx::getInteger(NodeImporter &node, unsigned index,
                                         StringRef what) {
  FailureOr<double> number = node.getNumber(index, what);
  if (failed(number))
    return failure();
  const Constant &constant = *node.getInput(index).constant;
  if (!constant.isFloat())
    return constant.getIntegers()[0];
  if (!(std::abs(*number) <= 0x1p62))
    return node.reject(what + " is " + describeNumber(*number) +
                       ", but wanted is an integer");
  return static_cast<int64_t>(*number);
}

FailureOr<Shape> dml::onnx::wantInts(NodeImporter &node, StringRef name) {
  if (!node.hasAttribute(name))
    return node.reject("it lacks the attribute " + name);
  return node.getInts(name);
}

Value dml::onnx::takePart(NodeImporter &node, Value value,
                          ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == sizes)
    return value;
  return node.apply("slice1", value,
                    {node.ints("input_window_offsets", offsets),
                     node.ints("input_window_sizes", sizes),
                     node.ints("input_window_strides", Shape(sizes.size(), 1))},
                    type.clone(sizes));
}

Value dml::onnx::multiplyAndSum(NodeImporter &node, Value a, Value b) {
  auto type = cast<RankedTensorType>(a.getType());
  ArrayRef<int64_t> left = type.getShape(),
                    right = cast<RankedTensorType>(b.getType()).getShape();
  int64_t batches = left[0] * left[1], rows = left[2], columns = right[2],
          inner = left[3];
  Shape shape = {batches, rows, columns, inner};
  if (failed(wantTensor(node, shape)))
    return node.reshape(a, left);
  Value product = node.combine(
      "element_wise_multiply",
      node.repeat(node.reshape(a, {batches, rows, 1, inner}), shape),
      node.repeat(node.reshape(b, {batches, 1, columns, inner}), shape));
  Value sum = node.apply("reduce", product,
                         {node.enumCase("function", "reduce_function", "sum"),
                          node.ints("axes", 3)},
                         type.clone({batches, rows, columns, 1}));
  return node.reshape(sum, {left[0], left[1], rows, columns});
}

FailureOr<Shape> dml::onnx::getAxes(NodeImporter &node, int64_t rank) {
  Shape axes = node.getInts("axes");
  if (node.hasInput(1)) {
    FailureOr<Shape> given = node.getIntegers(1, "the axes");
    if (failed(given))
      return failure();
    axes = *given;
  }
  for (int64_t &axis : axes) {
    FailureOr<int64_t> normal = node.normalizeAxis(axis, rank);
    if (failed(normal))
      return failure();
    axis = *normal;
  }
  return axes;
}

FailureOr<Shape> dml::onnx::normalizeAxes(NodeImporter &node,
                                          ArrayRef<int64_t> axes,
                                          int64_t rank) {
  Shape result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normal = node.normalizeAxis(axis, rank);
    if (failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal))
      return node.reject("its axis " + Twine(axis) + " stands twice");
    result.push_back(*normal);
  }
  return result;
}

LogicalResult dml::onnx::wantIndices(NodeImporter &node, unsigned index,
                                     int64_t size) {
  const std::optional<Constant> &constant = node.getInput(index).constant;
  if (!constant || !constant->isFoldable() || constant->isFloat())
    return success();
  for (int64_t value : constant->getIntegers())
    if (value < -size || value >= size)
      return node.reject("its index " + Twine(value) + " is outside of the " +
                         Twine(size) + " elements of its axis");
  return success();
}

std::string dml::onnx::describeList(ArrayRef<int64_t> list) {
  std::string text;
  for (int64_t number : list)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string dml::onnx::describeNumber(double number) {
  if (std::floor(number) == number && std::abs(number) < 0x1p53)
    return std::to_string(static_cast<int64_t>(number));
  return llvm::formatv("{0}", number);
}

std::string dml::onnx::describeElement(const Constant &constant) {
  if (constant.isFloat())
    return describeNumber(constant.getFloats()[0]);
  if (constant.getType() == DataType::UINT64)
    return std::to_string(static_cast<uint64_t>(constant.getIntegers()[0]));
  return std::to_string(constant.getIntegers()[0]);
}

int64_t dml::onnx::getLead(ArrayRef<int64_t> shape) {
  return static_cast<int64_t>(toPhysical(shape).size() - shape.size());
}

Shape dml::onnx::leadTo(size_t rank, ArrayRef<int64_t> shape) {
  Shape result(rank - shape.size(), 1);
  result.append(shape.begin(), shape.end());
  return result;
}

LogicalResult dml::onnx::wantTuples(NodeImporter &node,
                                    ArrayRef<int64_t> sizes) {
  const std::optional<Constant> &constant = node.getInput(1).constant;
  if (!constant || !constant->isFoldable() || constant->isFloat())
    return success();
  for (auto [place, value] : llvm::enumerate(constant->getIntegers()))
    if (int64_t size = sizes[place % sizes.size()];
        value < -size || value >= size)
      return node.reject("its index " + Twine(value) + " is outside of the " +
                         Twine(size) + " elements of its dimension");
  return success();
}

Value dml::onnx::combineRepeated(NodeImporter &node, StringRef mnemonic,
                                 Value a, Value b,
                                 std::optional<DataType> type) {
  Shape shape = *broadcastShapes(getShapeOf(a), getShapeOf(b));
  return node.combine(mnemonic, node.repeat(a, shape), node.repeat(b, shape),
                      type ? node.getTensorType(shape, *type) : Type());
}

Value dml::onnx::select(NodeImporter &node, Value condition, Value kept,
                        Value otherwise) {
  Shape shape = *broadcastShapes(
      *broadcastShapes(getShapeOf(condition), getShapeOf(kept)),
      getShapeOf(otherwise));
  return node
      .buildAll("element_wise_if",
                {{"condition", node.repeat(condition, shape)},
                 {"a", node.repeat(kept, shape)},
                 {"b", node.repeat(otherwise, shape)}},
                {}, node.getTensorType(shape, node.getTypeOf(kept)))
      ->front();
}
