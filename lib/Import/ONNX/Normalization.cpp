//===- Normalization.cpp - Normalizations and softmax ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// `shape` with trailing 1s up to four dimensions.
static Shape addTrailing(Shape shape) {
  while (shape.size() < 4)
    shape.push_back(1);
  return shape;
}

/// Input `index`, one number for each channel, as {1, C, 1, ...}.
static FailureOr<Value> getPerChannel(NodeImporter &node, unsigned index,
                                      ArrayRef<int64_t> input) {
  if (countElements(node.getShape(index)) != input[1])
    return node.reject("its input " + Twine(index) + " has the shape " +
                       describeShape(node.getShape(index)) +
                       ", but wanted is one number for each of " +
                       Twine(input[1]) + " channels");
  Shape as(input.size(), 1);
  as[1] = input[1];
  return node.getAs(index, as);
}

static LogicalResult importBatchNormalization(NodeImporter &node) {
  if (failed(node.wantInputs(5, 5)))
    return failure();
  if (node.getInt("training_mode", 0) != 0 ||
      (node.getOpset() < 7 && node.getInt("is_test", 0) == 0))
    return node.reject("its training mode is on, but wanted is inference");
  // Training alone updates the statistics.
  node.ignoreAttributes({"momentum"});
  if (node.getInt("spatial", 1) != 1)
    return node.reject("its attribute spatial is 0, which the importer does "
                       "not know");
  const Shape &shape = node.getShape(0);
  if (shape.size() < 2)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted is a dimension of channels");
  Shape input = addTrailing(shape);
  SmallVector<Value> perChannel;
  for (unsigned index = 1; index < 5; ++index) {
    FailureOr<Value> value = getPerChannel(node, index, input);
    if (failed(value))
      return failure();
    perChannel.push_back(*value);
  }
  // ONNX's order is scale, bias, mean, variance.
  FailureOr<Value> output =
      node.build("batch_normalization",
                 {{"input", node.getAs(0, input)},
                  {"mean", perChannel[2]},
                  {"variance", perChannel[3]},
                  {"scale", perChannel[0]},
                  {"bias", perChannel[1]}},
                 {node.flag("spatial", true),
                  node.number("epsilon", node.getFloat("epsilon", 1e-5f))},
                 node.getTensorType(input, node.getType(0)));
  return node.set(0, output, shape);
}

static LogicalResult importInstanceNormalization(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  const Shape &shape = node.getShape(0);
  if (shape.size() < 3)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted are channels and spatial dimensions");
  Shape input = addTrailing(shape);
  FailureOr<Value> scale = getPerChannel(node, 1, input),
                   bias = getPerChannel(node, 2, input);
  if (failed(scale) || failed(bias))
    return failure();
  Shape axes;
  for (size_t axis = 2; axis < input.size(); ++axis)
    axes.push_back(axis);
  FailureOr<Value> output = node.build(
      "mean_variance_normalization1",
      {{"input", node.getAs(0, input)}, {"scale", *scale}, {"bias", *bias}},
      {node.ints("axes", axes), node.flag("normalize_variance", true),
       node.number("epsilon", node.getFloat("epsilon", 1e-5f))},
      node.getTensorType(input, node.getType(0)));
  return node.set(0, output, shape);
}

/// Channels are normalized in groups, which have a scale and a bias each before
/// opset 21, and their channels from then on.
static LogicalResult importGroupNormalization(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  const Shape &shape = node.getShape(0);
  int64_t groups = node.getInt("num_groups", 0);
  if (shape.size() < 2 || groups < 1 || shape[1] % groups != 0)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted are channels in " + Twine(groups) +
                       " equal groups");
  bool isPerGroup = node.getOpset() < 21;
  int64_t members = shape[1] / groups;
  Shape view = {shape[0], groups, members,
                *countElements(ArrayRef(shape).drop_front(2))};
  Shape parameter = {1, groups, isPerGroup ? 1 : members, 1};
  SmallVector<Value> parameters;
  for (unsigned index : {1, 2}) {
    if (node.getShape(index).size() != 1 ||
        countElements(node.getShape(index)) != countElements(parameter))
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted is one number for each " +
                         (isPerGroup ? "group" : "channel"));
    parameters.push_back(node.getAs(index, parameter));
  }
  return node.set(
      0,
      node.build("mean_variance_normalization1",
                 {{"input", node.getAs(0, view)},
                  {"scale", parameters[0]},
                  {"bias", parameters[1]}},
                 {node.ints("axes", {2, 3}),
                  node.flag("normalize_variance", true),
                  node.number("epsilon", node.getFloat("epsilon", 1e-5f))},
                 node.getTensorType(view, node.getType(0))),
      shape);
}

static LogicalResult importLayerNormalization(NodeImporter &node) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), shape.size());
  if (failed(axis))
    return failure();
  Shape input = addTrailing(shape);
  Shape axes;
  for (size_t dim = *axis; dim < input.size(); ++dim)
    axes.push_back(dim);
  auto spread = [&](unsigned index) -> FailureOr<Value> {
    if (!node.hasInput(index))
      return Value();
    // Right-aligned with the shape, as it is without trailing 1s.
    if (broadcastShapes(node.getShape(index), shape) != shape)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", which does not broadcast to " +
                         describeShape(shape));
    return node.reshape(node.getBroadcast(index, toPhysical(shape)), input);
  };
  FailureOr<Value> scale = spread(1), bias = spread(2);
  if (failed(scale) || failed(bias))
    return failure();
  float epsilon = node.getFloat("epsilon", 1e-5f);
  FailureOr<Value> output = node.build(
      "mean_variance_normalization2",
      {{"input", node.getAs(0, input)},
       {"scale", *scale},
       {"bias", *bias ? *bias : node.getSplat(node.getType(0), 0, input)}},
      {node.ints("axes", axes), node.flag("use_mean", true),
       node.flag("use_variance", true), node.number("epsilon", epsilon)},
      node.getTensorType(input, node.getType(0)));
  if (failed(output) || failed(node.set(0, output, shape)))
    return failure();
  if (!node.hasOutput(1) && !node.hasOutput(2))
    return success();

  // The mean and the inverse of the deviation are computed by themselves, in
  // floats.
  Shape reduced = shape, one = input;
  for (size_t dim = *axis; dim < reduced.size(); ++dim)
    reduced[dim] = 1;
  for (int64_t dim : axes)
    one[dim] = 1;
  auto average = [&](Value value) {
    return node.apply("reduce", value,
                      {node.enumCase("function", "reduce_function", "average"),
                       node.ints("axes", axes)},
                      node.getTensorType(one, DataType::FLOAT32));
  };
  Value x = node.castTo(node.getAs(0, input), DataType::FLOAT32);
  Value mean = average(x);
  if (failed(node.set(1, mean, reduced)))
    return failure();
  Value centered =
      node.combine("element_wise_subtract", x, node.repeat(mean, input));
  Value variance =
      average(node.combine("element_wise_multiply", centered, centered));
  Value sum = node.combine("element_wise_add", variance,
                           node.getSplat(DataType::FLOAT32, epsilon, one));
  Value inverse =
      node.apply("element_wise_recip", node.apply("element_wise_sqrt", sum));
  return node.set(2, inverse, reduced);
}

static LogicalResult importMeanVariance(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  Shape axes = node.getInts("axes");
  if (!node.hasAttribute("axes"))
    axes = node.getInt("across_channels", 0) != 0 ? Shape{0, 1, 2, 3}
                                                  : Shape{0, 2, 3};
  auto lead = static_cast<int64_t>(toPhysical(shape).size() - shape.size());
  for (int64_t &axis : axes) {
    FailureOr<int64_t> normal = node.normalizeAxis(axis, shape.size());
    if (failed(normal))
      return failure();
    axis = *normal + lead;
  }
  llvm::sort(axes);
  return node.set(
      0,
      node.apply("mean_variance_normalization1", node.get(0),
                 {node.ints("axes", axes),
                  node.flag("normalize_variance",
                            node.getInt("normalize_variance", 1) != 0),
                  node.number("epsilon", 1e-5f)}),
      shape);
}

static LogicalResult importLRN(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  if (shape.size() < 2)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted is a dimension of channels");
  // Neighbours are along the channels alone.
  Shape input = addTrailing(shape);
  if (input.size() > 4)
    input = {input[0], input[1], input[2],
             *countElements(ArrayRef(input).drop_front(3))};
  FailureOr<Value> output = node.build(
      "local_response_normalization", {{"input", node.getAs(0, input)}},
      {node.flag("cross_channel", true),
       node.integer("local_size", node.getInt("size", 1)),
       node.number("alpha", node.getFloat("alpha", 0.0001f)),
       node.number("beta", node.getFloat("beta", 0.75f)),
       node.number("bias", node.getFloat("bias", 1))},
      node.getTensorType(input, node.getType(0)));
  return node.set(0, output, shape);
}

static LogicalResult importLpNormalization(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), shape.size());
  if (failed(axis))
    return failure();
  Value input = node.get(0);
  int64_t lead = toPhysical(shape).size() - shape.size();
  FailureOr<Value> output = node.build("lp_normalization", {{"input", input}},
                                       {node.integer("axis", *axis + lead),
                                        node.number("epsilon", 1e-5f),
                                        node.integer("p", node.getInt("p", 2))},
                                       input.getType());
  return node.set(0, output, shape);
}

/// Softmax, and what has the same axes.
static void addSoftmax(Registry &registry, StringRef name, StringRef mnemonic) {
  auto import = [=](NodeImporter &node) -> LogicalResult {
    if (failed(node.wantInputs(1, 1)))
      return failure();
    const Shape &shape = node.getShape(0);
    bool isOld = node.getOpset() < 13;
    auto rank = static_cast<int64_t>(shape.size());
    FailureOr<int64_t> axis =
        node.normalizeAxis(node.getInt("axis", isOld ? 1 : -1), rank);
    if (failed(axis))
      return failure();
    Value input = node.get(0);
    int64_t lead = toPhysical(shape).size() - shape.size();
    // The axes from this one on are one axis before opset 13.
    Shape axes;
    for (int64_t dim = *axis; dim < (isOld ? rank : *axis + 1); ++dim)
      axes.push_back(dim + lead);
    FailureOr<Value> output = node.build(
        mnemonic, {{"input", input}}, node.ints("axes", axes), input.getType());
    if (failed(output))
      return failure();
    return node.set(0, *output, shape);
  };
  registry.add(name, mnemonic.upper(), import);
}

void dml::onnx::addNormalizationOperators(Registry &registry) {
  registry.add("BatchNormalization", "BATCH_NORMALIZATION",
               importBatchNormalization);
  registry.add("InstanceNormalization", "MEAN_VARIANCE_NORMALIZATION1",
               importInstanceNormalization);
  registry.add("GroupNormalization", "MEAN_VARIANCE_NORMALIZATION1",
               importGroupNormalization);
  registry.add("LayerNormalization", "MEAN_VARIANCE_NORMALIZATION2",
               importLayerNormalization);
  registry.add("MeanVarianceNormalization", "MEAN_VARIANCE_NORMALIZATION1",
               importMeanVariance);
  registry.add("LRN", "LOCAL_RESPONSE_NORMALIZATION", importLRN);
  registry.add("LpNormalization", "LP_NORMALIZATION", importLpNormalization);
  addSoftmax(registry, "Softmax", "activation_softmax1");
  addSoftmax(registry, "LogSoftmax", "activation_log_softmax1");
  addSoftmax(registry, "Hardmax", "activation_hardmax1");
}
