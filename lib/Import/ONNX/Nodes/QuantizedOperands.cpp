//===- QuantizedOperands.cpp - Scales and zero points of nodes ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/QuantizedOperands.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Returns the scale or zero point in input `index`, or null if there is none.
/// It has a single number, or several along dimension `dim` of four dimensions.
static FailureOr<Value> getParameter(NodeImporter &node, unsigned index,
                                     size_t dim) {
  if (!node.hasInput(index))
    return Value();
  const Shape &shape = node.getShape(index);
  Shape as(4, 1);
  for (int64_t size : shape) {
    if (size == 1)
      continue;
    if (as[dim] != 1)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(shape) +
                         ", but wanted are numbers along one dimension");
    as[dim] = size;
  }
  return node.getAs(index, as);
}

LogicalResult
dml::onnx::addParameters(NodeImporter &node,
                         ArrayRef<ParameterInput> parameters,
                         SmallVectorImpl<NodeImporter::Operand> &to) {
  for (const ParameterInput &parameter : parameters) {
    FailureOr<Value> value = getParameter(node, parameter.index, parameter.dim);
    if (failed(value))
      return failure();
    to.emplace_back(parameter.name, *value);
  }
  return success();
}
