//===- ContribUtils.cpp - What com.microsoft's operators share ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime/ContribUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

FailureOr<Value> dml::onnx::getLikeFirst(NodeImporter &node, unsigned index) {
  const Shape &shape = node.getShape(0);
  if (broadcastShapes(shape, node.getShape(index)) != shape)
    return node.reject("its input " + Twine(index) + " has the shape " +
                       describeShape(node.getShape(index)) +
                       ", which does not broadcast to " + describeShape(shape));
  return node.getBroadcast(index, toPhysical(shape));
}

FailureOr<Value> dml::onnx::getSum(NodeImporter &node,
                                   ArrayRef<unsigned> indices) {
  Value sum = node.widen(node.get(0));
  for (unsigned index : indices)
    if (node.hasInput(index)) {
      FailureOr<Value> next = getLikeFirst(node, index);
      if (failed(next))
        return failure();
      sum = node.combine("element_wise_add", sum, node.widen(*next));
    }
  return sum;
}

FailureOr<Value> dml::onnx::getElement(NodeImporter &node, unsigned index,
                                       ArrayRef<int64_t> shape) {
  if (!node.hasInput(index))
    return Value();
  if (countElements(node.getShape(index)) != 1)
    return node.reject("its input " + Twine(index) + " has the shape " +
                       describeShape(node.getShape(index)) +
                       ", but wanted is one element");
  return node.getBroadcast(index, shape, Shape(shape.size(), 1));
}
