//===- ActivationOps.cpp - Activations ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/ElementWiseRows.h"
#include "Nodes/Families.h"
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Imports Selu, whose default constants were rounded to five digits before
/// opset 6.
static LogicalResult importSelu(NodeImporter &node) {
  static const ImportFunction
      old = makeUnary("activation_scaled_elu", {{"alpha", "alpha", 1.6732f},
                                                {"gamma", "gamma", 1.0507f}}),
      current = makeUnary("activation_scaled_elu",
                          {{"alpha", "alpha", 1.67326319217681884765625f},
                           {"gamma", "gamma", 1.05070102214813232421875f}});
  return node.getOpset() < 6 ? old(node) : current(node);
}

/// Imports ONNX's Gelu. DirectML has no operator for its approximation, which
/// is 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
static LogicalResult importGelu(NodeImporter &node) {
  StringRef approximate = node.getString("approximate", "none");
  if (approximate == "none") {
    static const ImportFunction exact = makeUnary("activation_gelu", {});
    return exact(node);
  }
  if (approximate != "tanh")
    return node.reject("its attribute approximate is '" + approximate +
                       "', but wanted is none or tanh");
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.widen(node.get(0));
  DataType type = node.getTypeOf(input);
  auto shape = cast<RankedTensorType>(input.getType()).getShape();
  auto multiply = [&](Value value, double number) {
    return node.combine("element_wise_multiply", value,
                        node.getSplat(type, number, shape));
  };
  auto add = [&](Value a, Value b) {
    return node.combine("element_wise_add", a, b);
  };
  Value cube = node.apply("element_wise_constant_pow", input,
                          node.number("exponent", 3));
  Value argument =
      multiply(add(input, multiply(cube, 0.044715)), 0.7978845608028654);
  Value factor = add(node.apply("activation_tanh", argument),
                     node.getSplat(type, 1, shape));
  return setNarrow(
      node, node.combine("element_wise_multiply", multiply(input, 0.5), factor),
      node.getShape(0));
}

/// Imports HardSwish as the product of the input and its hard sigmoid, which is
/// ONNX's definition of this function. ONNX Runtime has no kernel for
/// HardSwish, and replaces it by these two nodes.
static LogicalResult importHardSwish(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.widen(node.get(0));
  Value gate =
      node.apply("activation_hard_sigmoid", input,
                 {node.number("alpha", 1.0f / 6), node.number("beta", 0.5f)});
  return setNarrow(node, node.combine("element_wise_multiply", input, gate),
                   node.getShape(0));
}

/// Imports Mish as the product of the input and the hyperbolic tangent of its
/// softplus. ONNX Runtime replaces this function by its definition as well.
static LogicalResult importMish(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.widen(node.get(0));
  Value softplus =
      node.apply("activation_softplus", input, node.number("steepness", 1));
  return setNarrow(node,
                   node.combine("element_wise_multiply", input,
                                node.apply("activation_tanh", softplus)),
                   node.getShape(0));
}

/// Imports Relu. DirectML's operator does not support 64-bit integers, but its
/// maximum does.
static LogicalResult importRelu(NodeImporter &node) {
  static const ImportFunction ofOthers = makeUnary("activation_relu", {});
  if (failed(node.wantInputs(1, 1)) || node.getType(0) != DataType::INT64)
    return ofOthers(node);
  Value input = node.get(0);
  Value zero = node.getSplat(DataType::INT64, 0, toPhysical(node.getShape(0)));
  return node.set(0, node.combine("element_wise_max", input, zero),
                  node.getShape(0));
}

/// Computes Shrink for 64-bit integers by comparisons and sums. Its attributes
/// are first rounded towards zero, as in ONNX's function and in DirectML's
/// operator.
static LogicalResult setShrinkOf64Bits(NodeImporter &node, float lambd,
                                       float bias) {
  Shape physical = toPhysical(node.getShape(0));
  constexpr float most = 1 << 24;
  bool hasSign = !isUnsigned(node.getType(0));
  if (!(std::fabs(lambd) <= most && std::fabs(bias) <= most) ||
      (!hasSign && bias < 0))
    return node.reject("it has the lambd " + std::to_string(lambd) +
                       " and the bias " + std::to_string(bias) +
                       ", but wanted of integers of 64 bits are magnitudes up "
                       "to 2^24, and no negative ones of unsigned integers");
  auto splat = [&](float number) {
    return node.getSplat(node.getType(0), std::trunc(number), physical);
  };
  RankedTensorType truths = node.getTensorType(physical, DataType::UINT8);
  Value x = node.get(0), amount = splat(bias);
  Value result =
      choose(node,
             node.combine("element_wise_logical_greater_than", x, splat(lambd),
                          truths),
             node.combine("element_wise_subtract", x, amount), splat(0));
  if (hasSign)
    result = choose(node,
                    node.combine("element_wise_logical_less_than", x,
                                 splat(-lambd), truths),
                    node.combine("element_wise_add", x, amount), result);
  return node.set(0, result, node.getShape(0));
}

/// Imports Shrink: x + bias if x < -lambd, x - bias if x > lambd, and 0
/// otherwise. If lambd is negative, both conditions hold for some x. ONNX then
/// uses the first formula, and DirectML the second. The function is odd, so
/// that ONNX's result is minus DirectML's result for -x.
static LogicalResult importShrink(NodeImporter &node) {
  static const ImportFunction plain = makeUnary(
      "activation_shrink", {{"bias", "bias", 0}, {"threshold", "lambd", 0.5f}});
  if (failed(node.wantInputs(1, 1)))
    return failure();
  float lambd = node.getFloat("lambd", 0.5f), bias = node.getFloat("bias", 0);
  DataType type = node.getType(0);
  if (lambd < 0 && isUnsigned(type))
    return node.reject("its lambd is " + std::to_string(lambd) +
                       ", but wanted for unsigned elements is no negative "
                       "number");
  if (type == DataType::INT64 || type == DataType::UINT64)
    return setShrinkOf64Bits(node, lambd, bias);
  if (!(lambd < 0))
    return plain(node);
  Value minusOne = node.getSplat(type, -1, toPhysical(node.getShape(0)));
  auto negate = [&](Value value) {
    return node.combine("element_wise_multiply", value, minusOne);
  };
  Value shrunk =
      node.apply("activation_shrink", negate(node.get(0)),
                 {node.number("bias", bias), node.number("threshold", lambd)});
  return node.set(0, negate(shrunk), node.getShape(0));
}

static LogicalResult importPRelu(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  Shape slope = node.getShape(1);
  // Before opset 7, a list of slopes contains one slope for each channel.
  if (node.getOpset() < 7 && slope.size() == 1 && shape.size() > 1)
    slope.append(shape.size() - 2, 1);
  if (broadcastShapes(shape, slope) != shape)
    return node.reject("its slope has the shape " +
                       describeShape(node.getShape(1)) +
                       ", which does not broadcast to " + describeShape(shape));
  // Unsigned numbers are never less than 0, so that the slope has no effect.
  if (isUnsigned(node.getType(0))) {
    node.ignoreInput(1);
    return node.setView(0, 0, shape);
  }
  Shape physical = toPhysical(shape);
  Value input = node.get(0), factor = node.getBroadcast(1, physical, slope);
  // DirectML's operator does not support 64-bit integers.
  if (node.getType(0) == DataType::INT64) {
    Value isNegative =
        node.combine("element_wise_logical_less_than", input,
                     node.getSplat(DataType::INT64, 0, physical),
                     node.getTensorType(physical, DataType::UINT8));
    return node.set(0,
                    choose(node, isNegative,
                           node.combine("element_wise_multiply", input, factor),
                           input),
                    shape);
  }
  FailureOr<Value> output =
      node.build("activation_parameterized_relu",
                 {{"input", input}, {"slope", factor}}, {}, input.getType());
  return node.set(0, output, shape);
}

/// Imports Swish as the product of the input and the sigmoid of `alpha` times
/// the input. ONNX Runtime has no kernel for this function, and replaces it by
/// its definition.
static LogicalResult importSwish(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.widen(node.get(0)), gate = input;
  float alpha = node.getFloat("alpha", 1);
  if (alpha != 1)
    gate = node.combine("element_wise_multiply", input,
                        node.getSplat(node.getTypeOf(input), alpha,
                                      toPhysical(node.getShape(0))));
  Value result = node.combine("element_wise_multiply", input,
                              node.apply("activation_sigmoid", gate));
  return node.set(0, node.castTo(result, node.getType(0)), node.getShape(0));
}

void dml::onnx::addActivationNodes(Registry &registry) {
  registry.add("Relu", "ACTIVATION_RELU or ELEMENT_WISE_MAX", importRelu);
  addUnary(registry, "Sigmoid", "activation_sigmoid");
  addUnary(registry, "Tanh", "activation_tanh");
  addUnary(registry, "Softsign", "activation_softsign");
  addUnary(registry, "LeakyRelu", "activation_leaky_relu",
           {{"alpha", "alpha", 0.01f}});
  addUnary(registry, "Elu", "activation_elu", {{"alpha", "alpha", 1}});
  addUnary(registry, "Celu", "activation_celu", {{"alpha", "alpha", 1}});
  addUnary(registry, "ThresholdedRelu", "activation_thresholded_relu",
           {{"alpha", "alpha", 1}});
  addUnary(registry, "HardSigmoid", "activation_hard_sigmoid",
           {{"alpha", "alpha", 0.2f}, {"beta", "beta", 0.5f}});
  registry.add("HardSwish", "ACTIVATION_HARD_SIGMOID, ELEMENT_WISE_MULTIPLY",
               importHardSwish);
  registry.add("Selu", "ACTIVATION_SCALED_ELU", importSelu);
  addUnary(registry, "Softplus", "activation_softplus", {{"steepness", "", 1}});
  // Obsolete operators that models of opset 1 may contain.
  addUnary(registry, "ScaledTanh", "activation_scaled_tanh",
           {{"alpha", "alpha", 1}, {"beta", "beta", 1}});
  addUnary(registry, "ParametricSoftplus", "activation_parametric_softplus",
           {{"alpha", "alpha", 0}, {"beta", "beta", 0}});
  registry.add("Shrink", "ACTIVATION_SHRINK", importShrink);
  addUnary(registry, "Gelu", "activation_gelu", {}, "com.microsoft");
  registry.add("Gelu", "ACTIVATION_GELU, or ACTIVATION_TANH and others",
               importGelu);
  registry.add("Mish",
               "ACTIVATION_SOFTPLUS, ACTIVATION_TANH, ELEMENT_WISE_MULTIPLY",
               importMish);
  registry.add("PRelu", "ACTIVATION_PARAMETERIZED_RELU", importPRelu);
  registry.add("Swish", "ACTIVATION_SIGMOID, ELEMENT_WISE_MULTIPLY",
               importSwish);
}
