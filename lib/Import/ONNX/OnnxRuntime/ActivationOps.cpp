//===- ActivationOps.cpp - Activations with a bias ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime/ContribUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Imports BiasGelu and FastGelu, for which the provider uses the same
/// function.
static LogicalResult importBiasGelu(NodeImporter &node) {
  if (failed(node.wantInputs(1, 2)))
    return failure();
  FailureOr<Value> sum = getSum(node, 1);
  if (failed(sum))
    return failure();
  Value result = node.apply("activation_gelu", *sum);
  return node.set(0, node.castTo(result, node.getType(0)), node.getShape(0));
}

static LogicalResult importQuickGelu(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.widen(node.get(0));
  Value scale =
      node.getSplat(node.getTypeOf(input), node.getFloat("alpha", 1.702f),
                    toPhysical(node.getShape(0)));
  Value sigmoid =
      node.apply("activation_sigmoid",
                 node.combine("element_wise_multiply", input, scale));
  Value result = node.combine("element_wise_multiply", input, sigmoid);
  return node.set(0, node.castTo(result, node.getType(0)), node.getShape(0));
}

static LogicalResult importBiasSplitGelu(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  Shape shape = node.getShape(0);
  if (shape.empty() || shape.back() % 2 != 0)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted is an even size at the end");
  FailureOr<Value> sum = getSum(node, 1);
  if (failed(sum))
    return failure();
  int64_t axis = toPhysical(shape).size() - 1;
  shape.back() /= 2;
  Type half = node.getTensorType(toPhysical(shape), node.getTypeOf(*sum));
  FailureOr<SmallVector<Value>> parts = node.buildAll(
      "split", {{"input", *sum}}, node.integer("axis", axis), {half, half});
  if (failed(parts))
    return failure();
  Value result = node.combine("element_wise_multiply", (*parts)[0],
                              node.apply("activation_gelu", (*parts)[1]));
  return node.set(0, node.castTo(result, node.getType(0)), shape);
}

static LogicalResult importBiasAdd(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  FailureOr<Value> sum = getSum(node, {1, 2});
  if (failed(sum))
    return failure();
  return node.set(0, node.castTo(*sum, node.getType(0)), node.getShape(0));
}

void dml::onnx::addContribActivationNodes(Registry &registry) {
  addContrib(registry, "BiasGelu", "ELEMENT_WISE_ADD, ACTIVATION_GELU",
             importBiasGelu);
  addContrib(registry, "FastGelu", "ELEMENT_WISE_ADD, ACTIVATION_GELU",
             importBiasGelu);
  addContrib(registry, "QuickGelu", "ACTIVATION_SIGMOID, ELEMENT_WISE_MULTIPLY",
             importQuickGelu);
  addContrib(registry, "BiasSplitGelu",
             "ELEMENT_WISE_ADD, SPLIT, ACTIVATION_GELU, ELEMENT_WISE_MULTIPLY",
             importBiasSplitGelu);
  addContrib(registry, "BiasAdd", "ELEMENT_WISE_ADD", importBiasAdd);
}
