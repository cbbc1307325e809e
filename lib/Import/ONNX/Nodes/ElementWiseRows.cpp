//===- ElementWiseRows.cpp - Nodes that compute each element --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/ElementWiseRows.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

ImportFunction dml::onnx::makeUnary(StringRef mnemonic,
                                    std::vector<NumberField> fields) {
  return [=](NodeImporter &node) -> LogicalResult {
    if (failed(node.wantInputs(1, 1)))
      return failure();
    SmallVector<NamedAttribute> attributes;
    for (const NumberField &field : fields)
      attributes.push_back(node.number(
          field.field, field.attribute.empty()
                           ? field.otherwise
                           : node.getFloat(field.attribute, field.otherwise)));
    Value input = node.get(0);
    FailureOr<Value> output =
        node.build(mnemonic, {{"input", input}}, attributes, input.getType());
    if (failed(output))
      return failure();
    return node.set(0, *output, node.getShape(0));
  };
}

void dml::onnx::addUnary(Registry &registry, StringRef name, StringRef mnemonic,
                         std::vector<NumberField> fields, StringRef domain) {
  registry.add(name, mnemonic.upper(), makeUnary(mnemonic, std::move(fields)),
               domain);
}

FailureOr<Operands> dml::onnx::getOperands(NodeImporter &node, bool isOld) {
  Operands operands;
  for (unsigned index = 0; index < node.getNumInputs(); ++index)
    operands.shapes.push_back(node.getShape(index));
  if (isOld && node.getOpset() < 7) {
    const Shape &a = operands.shapes[0];
    Shape &b = operands.shapes[1];
    if (node.getInt("broadcast", 0) == 0 && a != b)
      return node.reject("its inputs have the shapes " + describeShape(a) +
                         " and " + describeShape(b) +
                         ", but its attribute broadcast is 0");
    if (node.hasAttribute("axis") && b.size() <= a.size()) {
      int64_t count = a.size() - b.size();
      FailureOr<int64_t> axis =
          node.normalizeAxis(node.getInt("axis", 0), a.size());
      if (failed(axis))
        return failure();
      if (*axis > count)
        return node.reject("its second input has the shape " +
                           describeShape(b) + ", which does not fit " +
                           describeShape(a) + " from axis " + Twine(*axis) +
                           " on");
      b.append(count - *axis, 1);
    }
    if (broadcastShapes(a, b) != a)
      return node.reject("its second input has the shape " + describeShape(b) +
                         ", which does not broadcast to " + describeShape(a));
  }
  for (const Shape &shape : operands.shapes) {
    std::optional<Shape> next = broadcastShapes(operands.result, shape);
    if (!next)
      return node.reject("its inputs have the shapes " +
                         describeShape(operands.result) + " and " +
                         describeShape(shape) + ", which do not broadcast");
    operands.result = *next;
  }
  return operands;
}

FailureOr<Shape> dml::onnx::getCommonShape(NodeImporter &node) {
  FailureOr<Operands> operands = getOperands(node);
  if (failed(operands))
    return failure();
  return operands->result;
}

LogicalResult dml::onnx::setNarrow(NodeImporter &node, Value value,
                                   Shape shape) {
  return node.set(0, node.castTo(value, node.getType(0)), std::move(shape));
}

bool dml::onnx::isUnsigned(DataType type) {
  return type == DataType::UINT8 || type == DataType::UINT16 ||
         type == DataType::UINT32 || type == DataType::UINT64;
}

Value dml::onnx::choose(NodeImporter &node, Value condition, Value a, Value b) {
  return node
      .buildAll("element_wise_if",
                {{"condition", condition}, {"a", a}, {"b", b}}, {}, a.getType())
      ->front();
}
