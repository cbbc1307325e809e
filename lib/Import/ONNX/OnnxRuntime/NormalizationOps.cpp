//===- NormalizationOps.cpp - Normalizations of sums and of groups --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime/ContribUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Normalizes over the dimensions from `axis` on. `scaleIndex` and `biasIndex`
/// are the numbers of the inputs with the scale and the optional bias.
/// `epsilon` is the default number that is added to the variance.
static FailureOr<Value> normalizeFrom(NodeImporter &node, Value input,
                                      int64_t axis, unsigned scaleIndex,
                                      std::optional<unsigned> biasIndex,
                                      bool useMean, float epsilon) {
  const Shape &shape = node.getShape(0);
  int64_t rank = toPhysical(shape).size(), lead = rank - shape.size();
  Shape axes;
  for (int64_t dim = axis + lead; dim < rank; ++dim)
    axes.push_back(dim);
  FailureOr<Value> scale = getLikeFirst(node, scaleIndex);
  if (failed(scale))
    return failure();
  FailureOr<Value> bias = Value();
  if (biasIndex && node.hasInput(*biasIndex))
    bias = getLikeFirst(node, *biasIndex);
  if (failed(bias))
    return failure();
  DataType type = node.getTypeOf(input);
  if (*bias)
    bias = node.castTo(*bias, type);
  FailureOr<Value> output = node.build(
      "mean_variance_normalization2",
      {{"input", input}, {"scale", node.castTo(*scale, type)}, {"bias", *bias}},
      {node.ints("axes", axes), node.flag("use_mean", useMean),
       node.flag("use_variance", true),
       node.number("epsilon", node.getFloat("epsilon", epsilon))},
      input.getType());
  if (failed(output))
    return failure();
  return node.castTo(*output, node.getType(0));
}

/// Imports the normalization of a sum. The inputs are the input, the skipped
/// tensor, the scale, the bias if `useMean` is set, and an optional bias of the
/// sum.
static LogicalResult importSkipNormalization(NodeImporter &node, bool useMean) {
  if (failed(node.wantInputs(3, useMean ? 5 : 4)))
    return failure();
  if (node.hasOutput(1) || node.hasOutput(2))
    return node.reject("its mean or deviation is read, which the provider "
                       "leaves to the CPU");
  const Shape &shape = node.getShape(0);
  if (shape.empty())
    return node.reject("its input is a scalar");
  FailureOr<Value> sum = getSum(node, {1, useMean ? 4u : 3u});
  if (failed(sum))
    return failure();
  FailureOr<Value> output = normalizeFrom(
      node, *sum, static_cast<int64_t>(shape.size()) - 1, 2,
      useMean ? std::optional<unsigned>(3) : std::nullopt, useMean,
      /*epsilon=*/1e-12f);
  if (failed(output) || failed(node.set(0, *output, shape)))
    return failure();
  if (!node.hasOutput(3))
    return success();
  return node.set(3, node.castTo(*sum, node.getType(0)), shape);
}

/// Imports a normalization without a mean over the dimensions from `axis` on.
/// The operator belongs to ONNX's own domain, although ONNX does not specify
/// it.
static LogicalResult importSimplifiedNormalization(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  // DirectML computes in f32, whose range includes those of the other float
  // types.
  node.ignoreAttributes({"stash_type"});
  if (node.hasOutput(1))
    return node.reject("its deviation is read, which the provider leaves to "
                       "the CPU");
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), shape.size());
  if (failed(axis))
    return failure();
  if (node.getType(1) != node.getType(0))
    return node.reject("its input and its scale have different types");
  return node.set(
      0, normalizeFrom(node, node.get(0), *axis, 1, std::nullopt, false, 1e-5f),
      shape);
}

namespace {
/// Imports an EmbedLayerNormalization, which adds up rows of the tables of
/// words, positions and segments, and normalizes the sums.
class EmbedNormalization {
public:
  explicit EmbedNormalization(NodeImporter &node) : node(node) {}

  LogicalResult import();

private:
  enum Input : unsigned {
    Words,
    Segments,
    WordTable,
    PositionTable,
    SegmentTable,
    Gamma,
    Beta,
    Mask,
    Positions
  };
  /// Reads the sizes. Fails if the shapes of the inputs do not match.
  LogicalResult readSizes();
  /// Returns the rows of the table in input `index` at `indices`, whose first
  /// size is `count`, broadcast to all rows.
  Value look(unsigned index, Value indices, int64_t count);
  FailureOr<Value> getPositionRows();
  FailureOr<Value> getSum();
  FailureOr<Value> normalize(Value sum);
  /// Sets output 1 to the number of mask elements that are 1. These elements
  /// come first.
  LogicalResult setMaskCounts();

  NodeImporter &node;
  int64_t batch = 0, steps = 0, hidden = 0;
  Shape rows;
  DataType type = DataType::FLOAT32;
};
} // namespace

LogicalResult EmbedNormalization::readSizes() {
  for (unsigned index : {WordTable, PositionTable, Gamma, Beta})
    if (!node.hasInput(index))
      return node.reject("its input " + Twine(index) + " is left out");
  const Shape &words = node.getShape(Words), &table = node.getShape(WordTable);
  if (words.size() != 2 || table.size() != 2)
    return node.reject("its words have the shape " + describeShape(words) +
                       " and their table " + describeShape(table) +
                       ", but wanted are matrices");
  batch = words[0];
  steps = words[1];
  hidden = table[1];
  rows = {1, batch, steps, hidden};
  type = node.getType(WordTable);
  for (unsigned index : {PositionTable, SegmentTable})
    if (node.hasInput(index) &&
        (node.getShape(index).size() != 2 || node.getShape(index)[1] != hidden))
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted are rows of " + Twine(hidden));
  return success();
}

Value EmbedNormalization::look(unsigned index, Value indices, int64_t count) {
  return node.repeat(
      *node.build(
          "gather", {{"input", node.get(index)}, {"indices", indices}},
          {node.integer("axis", 2), node.integer("index_dimensions", 2)},
          node.getTensorType({1, count, steps, hidden}, type)),
      rows);
}

FailureOr<Value> EmbedNormalization::getPositionRows() {
  if (node.hasInput(Positions)) {
    const Shape &positions = node.getShape(Positions);
    if (positions.size() != 2 || positions[1] != steps ||
        (positions[0] != 1 && positions[0] != batch))
      return node.reject("its positions have the shape " +
                         describeShape(positions) + ", but wanted is " +
                         describeShape(node.getShape(Words)));
    return look(PositionTable, node.get(Positions), positions[0]);
  }
  // Uses the first rows of the table, one for each step.
  if (node.getShape(PositionTable)[0] < steps)
    return node.reject("its table of positions has " +
                       Twine(node.getShape(PositionTable)[0]) +
                       " rows, but there are " + Twine(steps) + " steps");
  Shape part = {1, 1, steps, hidden};
  Value first = node.apply("slice1", node.get(PositionTable),
                           {node.ints("input_window_offsets", {0, 0, 0, 0}),
                            node.ints("input_window_sizes", part),
                            node.ints("input_window_strides", {1, 1, 1, 1})},
                           node.getTensorType(part, type));
  return node.repeat(first, rows);
}

FailureOr<Value> EmbedNormalization::getSum() {
  Value sum = look(WordTable, node.get(Words), batch);
  FailureOr<Value> positions = getPositionRows();
  if (failed(positions))
    return failure();
  sum = node.combine("element_wise_add", sum, *positions);
  if (!node.hasInput(Segments) || !node.hasInput(SegmentTable))
    return sum;
  if (node.getShape(Segments) != node.getShape(Words))
    return node.reject("its segments have the shape " +
                       describeShape(node.getShape(Segments)) +
                       ", but wanted is " +
                       describeShape(node.getShape(Words)));
  return node.combine("element_wise_add", sum,
                      look(SegmentTable, node.get(Segments), batch));
}

FailureOr<Value> EmbedNormalization::normalize(Value sum) {
  SmallVector<Value> parameters;
  for (unsigned index : {Gamma, Beta}) {
    if (node.getShape(index) != Shape{hidden})
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted is " + Twine(hidden));
    parameters.push_back(node.getBroadcast(index, rows));
  }
  return node.build(
      "mean_variance_normalization1",
      {{"input", sum}, {"scale", parameters[0]}, {"bias", parameters[1]}},
      {node.ints("axes", 3), node.flag("normalize_variance", true),
       node.number("epsilon", node.getFloat("epsilon", 1e-12f))},
      node.getTensorType(rows, type));
}

LogicalResult EmbedNormalization::setMaskCounts() {
  if (!node.hasInput(Mask))
    return node.set(1, Constant::get(DataType::INT32, {1}, ArrayRef<int64_t>(0))
                           .splat({batch}));
  const Shape &words = node.getShape(Words);
  if (node.getShape(Mask) != words)
    return node.reject("its mask has the shape " +
                       describeShape(node.getShape(Mask)) + ", but wanted is " +
                       describeShape(words));
  Shape places = {1, 1, batch, steps};
  Value ones = node.combine("element_wise_logical_equals", node.get(Mask),
                            node.getSplat(node.getType(Mask), 1, places),
                            node.getTensorType(places, DataType::UINT8));
  Value count =
      node.apply("reduce", node.castTo(ones, DataType::INT32),
                 {node.enumCase("function", "reduce_function", "sum"),
                  node.ints("axes", 3)},
                 node.getTensorType({1, 1, batch, 1}, DataType::INT32));
  return node.set(1, count, {batch});
}

LogicalResult EmbedNormalization::import() {
  if (failed(node.wantInputs(1, 9)) || failed(readSizes()))
    return failure();
  FailureOr<Value> sum = getSum();
  if (failed(sum))
    return failure();
  FailureOr<Value> normal = normalize(*sum);
  Shape output = {batch, steps, hidden};
  if (failed(node.set(0, normal, output)) || failed(node.set(2, *sum, output)))
    return failure();
  return setMaskCounts();
}

/// Imports GroupNorm, in which the channels are the last dimension.
static LogicalResult importGroupNorm(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  const Shape &shape = node.getShape(0);
  int64_t groups = node.getInt("groups", 0);
  bool isLast = node.getInt("channels_last", 1) != 0;
  int64_t channels = shape.size() == 4 ? shape[isLast ? 3 : 1] : 0;
  if (channels == 0 || groups < 1 || channels % groups != 0)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted are images of channels in " +
                       Twine(groups) + " equal groups");
  DataType type = node.getType(0);
  Value input = node.get(0);
  if (isLast)
    input = node.transpose(input, {0, 3, 1, 2});
  Shape moved(cast<RankedTensorType>(input.getType()).getShape());
  Shape view = {shape[0], groups, channels / groups, moved[2] * moved[3]};
  SmallVector<Value> parameters;
  for (unsigned index : {1, 2}) {
    if (node.getShape(index) != Shape{channels})
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted is one number for each channel");
    parameters.push_back(node.getAs(index, {1, groups, channels / groups, 1}));
    parameters.back() = node.castTo(parameters.back(), type);
  }
  Value result = *node.build(
      "mean_variance_normalization1",
      {{"input", node.reshape(input, view)},
       {"scale", parameters[0]},
       {"bias", parameters[1]}},
      {node.ints("axes", {2, 3}), node.flag("normalize_variance", true),
       node.number("epsilon", node.getFloat("epsilon", 1e-5f))},
      node.getTensorType(view, type));
  if (node.getInt("activation", 0) != 0)
    result = node.combine("element_wise_multiply", result,
                          node.apply("activation_sigmoid", result));
  result = node.reshape(result, moved);
  if (isLast)
    result = node.transpose(result, {0, 2, 3, 1});
  return node.set(0, result, shape);
}

void dml::onnx::addContribNormalizationNodes(Registry &registry) {
  for (bool useMean : {false, true})
    addContrib(registry,
               useMean ? "SkipLayerNormalization"
                       : "SkipSimplifiedLayerNormalization",
               "ELEMENT_WISE_ADD, MEAN_VARIANCE_NORMALIZATION2",
               [=](NodeImporter &node) {
                 return importSkipNormalization(node, useMean);
               });
  registry.add("SimplifiedLayerNormalization", "MEAN_VARIANCE_NORMALIZATION2",
               importSimplifiedNormalization);
  addContrib(
      registry, "EmbedLayerNormalization",
      "GATHER, ELEMENT_WISE_ADD, MEAN_VARIANCE_NORMALIZATION1",
      [](NodeImporter &node) { return EmbedNormalization(node).import(); });
  addContrib(registry, "GroupNorm",
             "MEAN_VARIANCE_NORMALIZATION1, ACTIVATION_SIGMOID, "
             "ELEMENT_WISE_MULTIPLY",
             importGroupNorm);
}
