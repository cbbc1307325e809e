//===- Constants.cpp - Nodes whose results are known ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//
// Exporters write the arithmetic of sizes as nodes. If the sizes are known, the
// results of these nodes are known, and so are the shapes that depend on them,
// such as the shape of a Reshape.
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

static LogicalResult importShape(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  node.ignoreInput(0);
  const Shape &shape = node.getShape(0);
  auto rank = static_cast<int64_t>(shape.size());
  auto clamp = [&](int64_t x) {
    return std::clamp<int64_t>(x < 0 ? x + rank : x, 0, rank);
  };
  int64_t start = clamp(node.getInt("start", 0));
  int64_t end = std::max(clamp(node.getInt("end", rank)), start);
  ArrayRef<int64_t> sizes = ArrayRef(shape).slice(start, end - start);
  return node.set(0, Constant::get(DataType::INT64, {end - start}, sizes));
}

static LogicalResult importSize(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  node.ignoreInput(0);
  int64_t count = *countElements(node.getShape(0));
  return node.set(0, Constant::get(DataType::INT64, {}, ArrayRef(count)));
}

static LogicalResult importConstant(NodeImporter &node) {
  if (const AttributeProto *value = node.getAttribute("value");
      value && value->t) {
    llvm::Expected<Constant> constant = node.readTensor(*value->t);
    if (!constant)
      return node.reject(llvm::toString(constant.takeError()));
    return node.set(0, std::move(*constant));
  }
  if (node.hasAttribute("value_int")) {
    int64_t value = node.getInt("value_int", 0);
    return node.set(0, Constant::get(DataType::INT64, {}, ArrayRef(value)));
  }
  if (node.hasAttribute("value_float")) {
    double value = node.getFloat("value_float", 0);
    return node.set(0, Constant::get(DataType::FLOAT32, {}, ArrayRef(value)));
  }
  if (node.hasAttribute("value_ints")) {
    Shape values = node.getInts("value_ints");
    return node.set(0, Constant::get(DataType::INT64,
                                     {static_cast<int64_t>(values.size())},
                                     ArrayRef<int64_t>(values)));
  }
  if (const AttributeProto *values = node.getAttribute("value_floats")) {
    SmallVector<double> numbers(values->floats.begin(), values->floats.end());
    return node.set(0, Constant::get(DataType::FLOAT32,
                                     {static_cast<int64_t>(numbers.size())},
                                     ArrayRef(numbers)));
  }
  return node.reject("its value is no dense tensor of numbers");
}

static LogicalResult importConstantOfShape(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  FailureOr<Shape> shape = node.getIntegers(0, "the sizes");
  if (failed(shape))
    return failure();
  if (!countElements(*shape))
    return node.reject("its shape is " + describeShape(*shape) +
                       ", but wanted are at most 2^32 - 1 elements");
  double zero = 0;
  Constant value = Constant::get(DataType::FLOAT32, {1}, ArrayRef(zero));
  if (const AttributeProto *attribute = node.getAttribute("value")) {
    if (!attribute->t)
      return node.reject("its attribute value is no tensor");
    llvm::Expected<Constant> given = node.readTensor(*attribute->t);
    if (!given)
      return node.reject(llvm::toString(given.takeError()));
    if (given->getNumElements() != 1)
      return node.reject("its value has the shape " +
                         describeShape(given->getShape()) +
                         ", but wanted is one number");
    value = std::move(*given);
  }
  if (*countElements(*shape) == 0)
    return node.set(0, Constant(value.getType(), *shape, {}, nullptr));
  return node.set(0, value.splat(*shape));
}

void dml::onnx::addConstantNodes(Registry &registry) {
  registry.add("Shape", "computed by the importer", importShape);
  registry.add("Size", "computed by the importer", importSize);
  registry.add("Constant", "a constant", importConstant);
  registry.add("ConstantOfShape", "a constant", importConstantOfShape);
}
