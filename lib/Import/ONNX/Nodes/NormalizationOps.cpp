//===- NormalizationOps.cpp - Normalizations ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include <cfloat>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Returns `shape` with trailing dimensions of size 1, up to four dimensions.
static Shape addTrailing(Shape shape) {
  while (shape.size() < 4)
    shape.push_back(1);
  return shape;
}

/// Returns input `index`, which has one number for each channel, with the shape
/// {1, C, 1, ...}.
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

/// Sets the output to a running mean or variance: `momentum` times input
/// `index`, plus (1 - `momentum`) times `current`.
static LogicalResult setRunning(NodeImporter &node, unsigned output,
                                unsigned index, Value current) {
  if (!node.hasOutput(output))
    return success();
  auto type = cast<RankedTensorType>(current.getType());
  double momentum = node.getFloat("momentum", 0.9f);
  auto multiply = [&](Value value, double factor) {
    return node.combine("element_wise_multiply", value,
                        node.getSplat(*getDataType(type.getElementType()),
                                      factor, type.getShape()));
  };
  Value before = node.castTo(node.getAs(index, type.getShape()),
                             *getDataType(type.getElementType()));
  Value sum = node.combine("element_wise_add", multiply(before, momentum),
                           multiply(current, 1 - momentum));
  return node.set(output, node.castTo(sum, node.getType(index)),
                  node.getShape(index));
}

/// Imports BatchNormalization with the mean and variance of the batch.
static LogicalResult setTraining(NodeImporter &node, Value input, Value scale,
                                 Value bias) {
  FailureOr<SmallVector<Value>> results =
      node.buildAll("batch_normalization_training",
                    {{"input", input}, {"scale", scale}, {"bias", bias}},
                    {node.number("epsilon", node.getFloat("epsilon", 1e-5f))},
                    {input.getType(), scale.getType(), scale.getType()});
  if (failed(results) ||
      failed(node.set(0, node.castTo(results->front(), node.getType(0)),
                      node.getShape(0))))
    return failure();
  return failure(failed(setRunning(node, 1, 3, (*results)[1])) ||
                 failed(setRunning(node, 2, 4, (*results)[2])));
}

/// Whether BatchNormalization computes the mean and the variance itself. Before
/// version 14, ONNX expresses this in different ways.
static FailureOr<bool> isTraining(NodeImporter &node) {
  if (node.getOpset() >= 14)
    return node.getInt("training_mode", 0) != 0;
  bool hasOutputs = false;
  for (unsigned index = 1; index < node.getNumOutputs(); ++index)
    hasOutputs |= node.hasOutput(index);
  if (hasOutputs || (node.getOpset() < 7 && node.getInt("is_test", 0) == 0))
    return node.reject("its training mode is on, which the importer builds "
                       "from version 14 of the operator set on");
  return false;
}

/// Returns input `index` with the shape {1, C, 1, ...} if it has one number for
/// each channel. Otherwise, it has one number for each element of a sample.
static FailureOr<Value> getChannelParameter(NodeImporter &node, unsigned index,
                                            ArrayRef<int64_t> input) {
  if (node.getInt("spatial", 1) != 0)
    return getPerChannel(node, index, input);
  const Shape &shape = node.getShape(0);
  if (ArrayRef(node.getShape(index)) != ArrayRef(shape).drop_front())
    return node.reject("its input " + Twine(index) + " has the shape " +
                       describeShape(node.getShape(index)) +
                       ", but wanted is that of a sample, since its attribute "
                       "spatial is 0");
  Shape as(input);
  as[0] = 1;
  return node.getAs(index, as);
}

static LogicalResult importBatchNormalization(NodeImporter &node) {
  if (failed(node.wantInputs(5, 5)))
    return failure();
  // Inference does not use this attribute.
  node.ignoreAttributes({"momentum"});
  FailureOr<bool> training = isTraining(node);
  if (failed(training))
    return failure();
  const Shape &shape = node.getShape(0);
  if (shape.size() < 2)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted is a dimension of channels");
  Shape input = addTrailing(shape);
  // The provider converts the scale and the bias to the type of the input. It
  // does not accept a mean and a variance of another type; the importer then
  // uses f32 to preserve more digits.
  DataType type =
      node.getType(3) == node.getType(0) ? node.getType(0) : DataType::FLOAT32;
  SmallVector<Value> parameters;
  for (unsigned index = 1; index < 5; ++index) {
    FailureOr<Value> value = getChannelParameter(node, index, input);
    if (failed(value))
      return failure();
    parameters.push_back(node.castTo(*value, type));
  }
  Value data = node.castTo(node.getAs(0, input), type);
  if (*training)
    return setTraining(node, data, parameters[0], parameters[1]);
  // ONNX's order is scale, bias, mean, variance.
  FailureOr<Value> output =
      node.build("batch_normalization",
                 {{"input", data},
                  {"mean", parameters[2]},
                  {"variance", parameters[3]},
                  {"scale", parameters[0]},
                  {"bias", parameters[1]}},
                 {node.flag("spatial", node.getInt("spatial", 1) != 0),
                  node.number("epsilon", node.getFloat("epsilon", 1e-5f))},
                 data.getType());
  if (failed(output))
    return failure();
  return node.set(0, node.castTo(*output, node.getType(0)), shape);
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

/// Imports GroupNormalization. Before opset 21, each group has a scale and a
/// bias. From opset 21 on, each channel has.
static LogicalResult importGroupNormalization(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  // DirectML computes in f32, whose range includes those of the other float
  // types.
  node.ignoreAttributes({"stash_type"});
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
  // DirectML computes in f32, whose range includes those of the other float
  // types.
  node.ignoreAttributes({"stash_type"});
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
    // The shape must be right-aligned with the shape of the input.
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

  // The mean and the inverse standard deviation are computed separately, in
  // f32.
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
  // The default axes are those of images. If the input has fewer dimensions,
  // only the existing ones are used.
  if (!node.hasAttribute("axes"))
    for (int64_t axis = 0; axis < std::min<int64_t>(shape.size(), 4); ++axis)
      if (axis != 1 || node.getInt("across_channels", 0) != 0)
        axes.push_back(axis);
  auto lead = static_cast<int64_t>(toPhysical(shape).size() - shape.size());
  for (int64_t &axis : axes) {
    FailureOr<int64_t> normal = node.normalizeAxis(axis, shape.size());
    if (failed(normal))
      return failure();
    axis = *normal + lead;
  }
  llvm::sort(axes);
  // ONNX adds 1e-9 to the standard deviation. The square of this number, added
  // to the variance, also prevents a division by 0, and does not affect other
  // standard deviations of representable elements. The provider's 1e-5 affects
  // those below 1.
  constexpr float epsilon = 1e-18f;
  return node.set(
      0,
      node.apply("mean_variance_normalization1", node.get(0),
                 {node.ints("axes", axes),
                  node.flag("normalize_variance",
                            node.getInt("normalize_variance", 1) != 0),
                  node.number("epsilon", epsilon)}),
      shape);
}

static LogicalResult importLRN(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  if (shape.size() < 2)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted is a dimension of channels");
  // The neighbours lie along the channels only.
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
  // ONNX has no epsilon, but returns zeros if the norm is 0. The provider's
  // 1e-5 would affect small norms. Only zeros are less than the smallest normal
  // number.
  FailureOr<Value> output = node.build("lp_normalization", {{"input", input}},
                                       {node.integer("axis", *axis + lead),
                                        node.number("epsilon", FLT_MIN),
                                        node.integer("p", node.getInt("p", 2))},
                                       input.getType());
  return node.set(0, output, shape);
}

/// Imports RMSNormalization: divides by the root mean square over the
/// dimensions from `axis` on.
static LogicalResult importRMSNormalization(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), shape.size());
  if (failed(axis))
    return failure();
  // DirectML computes in f32, whose range includes those of f16 and bfloat16.
  int64_t stash = node.getInt("stash_type", 1);
  if (stash != 1 && stash != 10 && stash != 16)
    return node.reject("its attribute stash_type is " +
                       describeONNXType(static_cast<int32_t>(stash)) +
                       ", but DirectML's normalization is computed in float");
  if (broadcastShapes(node.getShape(1), shape) != shape)
    return node.reject("its scale has the shape " +
                       describeShape(node.getShape(1)) +
                       ", which does not broadcast to " + describeShape(shape));
  Shape physical = toPhysical(shape), axes;
  for (size_t dim = *axis + physical.size() - shape.size();
       dim < physical.size(); ++dim)
    axes.push_back(dim);
  Value input = node.get(0), scale = node.getBroadcast(1, physical);
  // The output has the type of the scale. If the input has a different type,
  // both are widened.
  if (node.getType(0) != node.getType(1)) {
    input = node.widen(input);
    scale = node.widen(scale);
  }
  FailureOr<Value> output = node.build(
      "mean_variance_normalization2", {{"input", input}, {"scale", scale}},
      {node.ints("axes", axes), node.flag("use_mean", false),
       node.flag("use_variance", true),
       node.number("epsilon", node.getFloat("epsilon", 1e-5f))},
      input.getType());
  if (failed(output))
    return failure();
  return node.set(0, node.castTo(*output, node.getType(1)), shape);
}

void dml::onnx::addNormalizationNodes(Registry &registry) {
  registry.add("BatchNormalization",
               "BATCH_NORMALIZATION or BATCH_NORMALIZATION_TRAINING",
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
  registry.add("RMSNormalization", "MEAN_VARIANCE_NORMALIZATION2",
               importRMSNormalization);
}
