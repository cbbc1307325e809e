//===- QuantizationOps.cpp - Operators on quantized tensors ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime/ContribUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

static LogicalResult importQuantizedAdd(NodeImporter &node) {
  if (failed(node.wantInputs(7, 8)))
    return failure();
  std::optional<Shape> shape =
      broadcastShapes(node.getShape(0), node.getShape(3));
  if (!shape)
    return node.reject(
        "its inputs have the shapes " + describeShape(node.getShape(0)) +
        " and " + describeShape(node.getShape(3)) + ", which do not broadcast");
  Shape physical = toPhysical(*shape), one(physical.size(), 1);
  SmallVector<NodeImporter::Operand> operands = {
      {"a", node.getBroadcast(0, physical)},
      {"b", node.getBroadcast(3, physical)}};
  static constexpr std::pair<unsigned, StringLiteral> parameters[] = {
      {1, "a_scale"},      {2, "a_zero_point"}, {4, "b_scale"},
      {5, "b_zero_point"}, {6, "output_scale"}, {7, "output_zero_point"}};
  for (auto [index, name] : parameters) {
    FailureOr<Value> value = getElement(node, index, one);
    if (failed(value))
      return failure();
    operands.emplace_back(name, *value);
  }
  return node.set(0,
                  node.build("element_wise_quantized_linear_add", operands, {},
                             node.getTensorType(physical, node.getType(0))),
                  *shape);
}

/// Returns input `index` as floats. The following two inputs are its scale and
/// its zero point.
static FailureOr<Value> dequantize(NodeImporter &node, unsigned index) {
  Shape physical = toPhysical(node.getShape(index));
  FailureOr<Value> scale = getElement(node, index + 1, physical),
                   zero = getElement(node, index + 2, physical);
  if (failed(scale) || failed(zero))
    return failure();
  return node.build(
      "element_wise_dequantize_linear",
      {{"input", node.get(index)}, {"scale", *scale}, {"zero_point", *zero}},
      {}, node.getTensorType(physical, DataType::FLOAT32));
}

/// Sets the output to the float `value`, quantized by the scale in input
/// `index` and the zero point in the following input. Input `first` is the
/// node's first tensor.
static LogicalResult setRequantized(NodeImporter &node, Value value,
                                    unsigned index, unsigned first,
                                    const Shape &shape) {
  Shape physical = toPhysical(shape);
  FailureOr<Value> scale = getElement(node, index, physical),
                   zero = getElement(node, index + 1, physical);
  if (failed(scale) || failed(zero))
    return failure();
  // Without a zero point, the output has the type of the first tensor.
  DataType type =
      node.hasInput(index + 1) ? node.getType(index + 1) : node.getType(first);
  return node.set(
      0,
      node.build("element_wise_quantize_linear",
                 {{"input", value}, {"scale", *scale}, {"zero_point", *zero}},
                 {}, node.getTensorType(physical, type)),
      shape);
}

static LogicalResult importQuantizedSigmoid(NodeImporter &node) {
  if (failed(node.wantInputs(2, 5)))
    return failure();
  if (!node.hasInput(3))
    return node.reject("it has no scale of its output");
  FailureOr<Value> value = dequantize(node, 0);
  if (failed(value))
    return failure();
  return setRequantized(node, node.apply("activation_sigmoid", *value), 3, 0,
                        node.getShape(0));
}

static LogicalResult importQuantizedConcat(NodeImporter &node) {
  unsigned count = node.getNumInputs();
  if (count < 5 || (count - 2) % 3 != 0)
    return node.reject("it has " + Twine(count) +
                       " inputs, but wanted are 2, and 3 for each tensor");
  for (unsigned index = 0; index < count; ++index)
    if (!node.hasInput(index) && (index == 0 || (index > 1 && index % 3 != 1)))
      return node.reject("its input " + Twine(index) + " is left out");
  Shape shape = node.getShape(2);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), shape.size());
  if (failed(axis))
    return failure();
  shape[*axis] = 0;
  SmallVector<Value> inputs;
  for (unsigned index = 2; index < count; index += 3) {
    Shape next = node.getShape(index);
    bool fits = next.size() == shape.size();
    if (fits) {
      shape[*axis] += next[*axis];
      next[*axis] = shape[*axis];
    }
    if (!fits || next != shape)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", which does not fit the others");
    FailureOr<Value> value = dequantize(node, index);
    if (failed(value))
      return failure();
    inputs.push_back(*value);
  }
  Value joined = inputs[0];
  Shape physical = toPhysical(shape);
  if (inputs.size() > 1)
    joined = *node.build(
        "join", {{"inputs", inputs}},
        node.integer("axis", *axis + physical.size() - shape.size()),
        node.getTensorType(physical, DataType::FLOAT32));
  return setRequantized(node, joined, 0, 2, shape);
}

void dml::onnx::addContribQuantizationNodes(Registry &registry) {
  addContrib(registry, "QLinearAdd", "ELEMENT_WISE_QUANTIZED_LINEAR_ADD",
             importQuantizedAdd);
  addContrib(registry, "QLinearSigmoid",
             "ELEMENT_WISE_DEQUANTIZE_LINEAR, ACTIVATION_SIGMOID, "
             "ELEMENT_WISE_QUANTIZE_LINEAR",
             importQuantizedSigmoid);
  addContrib(
      registry, "QLinearConcat",
      "ELEMENT_WISE_DEQUANTIZE_LINEAR, JOIN, ELEMENT_WISE_QUANTIZE_LINEAR",
      importQuantizedConcat);
}
