//===- Contrib.cpp - Operators of the domain com.microsoft ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Those that ONNX Runtime's optimizers put in place of several of ONNX's.
//
//===----------------------------------------------------------------------===//

#include "Nodes/Movement.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

static constexpr StringLiteral domain = "com.microsoft";

/// Input `index`, repeated to the shape of input 0.
static FailureOr<Value> getLikeFirst(NodeImporter &node, unsigned index) {
  const Shape &shape = node.getShape(0);
  if (broadcastShapes(shape, node.getShape(index)) != shape)
    return node.reject("its input " + Twine(index) + " has the shape " +
                       describeShape(node.getShape(index)) +
                       ", which does not broadcast to " + describeShape(shape));
  return node.getBroadcast(index, toPhysical(shape));
}

/// The sum of input 0 and those of `indices` that are there, widened.
static FailureOr<Value> getSum(NodeImporter &node, ArrayRef<unsigned> indices) {
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

//===----------------------------------------------------------------------===//
// Activations with a bias
//===----------------------------------------------------------------------===//

/// BiasGelu, and FastGelu: the provider takes the same function for both.
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

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// A normalization of the dimensions from `axis` on. `scaleIndex` and
/// `biasIndex` are the inputs scale and bias, of which the bias may be absent.
/// `epsilon` is what is added to the variance where the node states nothing.
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

/// A sum of two or three tensors that is normalized: its inputs are the input,
/// what was skipped, scale, bias where there is a mean, and a bias of the sum.
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

/// Normalization without a mean, of the dimensions from `axis` on. The
/// operator is in ONNX's own domain, though ONNX does not describe it.
static LogicalResult importSimplifiedNormalization(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  // DirectML computes in f32, which has room for the other types of floats.
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

/// Rows of words, positions and segments, added up and normalized.
static LogicalResult importEmbedNormalization(NodeImporter &node) {
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
  if (failed(node.wantInputs(1, 9)))
    return failure();
  for (unsigned index : {WordTable, PositionTable, Gamma, Beta})
    if (!node.hasInput(index))
      return node.reject("its input " + Twine(index) + " is left out");
  const Shape &words = node.getShape(Words), &table = node.getShape(WordTable);
  if (words.size() != 2 || table.size() != 2)
    return node.reject("its words have the shape " + describeShape(words) +
                       " and their table " + describeShape(table) +
                       ", but wanted are matrices");
  int64_t batch = words[0], steps = words[1], hidden = table[1];
  Shape rows = {1, batch, steps, hidden};
  DataType type = node.getType(WordTable);
  auto look = [&](unsigned index, Value indices, int64_t count) {
    return node.repeat(
        *node.build(
            "gather", {{"input", node.get(index)}, {"indices", indices}},
            {node.integer("axis", 2), node.integer("index_dimensions", 2)},
            node.getTensorType({1, count, steps, hidden}, type)),
        rows);
  };
  for (unsigned index : {PositionTable, SegmentTable})
    if (node.hasInput(index) &&
        (node.getShape(index).size() != 2 || node.getShape(index)[1] != hidden))
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted are rows of " + Twine(hidden));
  Shape places = {1, 1, batch, steps};
  Value sum = look(WordTable, node.get(Words), batch);
  if (node.hasInput(Positions)) {
    const Shape &positions = node.getShape(Positions);
    if (positions.size() != 2 || positions[1] != steps ||
        (positions[0] != 1 && positions[0] != batch))
      return node.reject("its positions have the shape " +
                         describeShape(positions) + ", but wanted is " +
                         describeShape(words));
    sum = node.combine("element_wise_add", sum,
                       look(PositionTable, node.get(Positions), positions[0]));
  } else {
    // The first rows, one for each step.
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
    sum = node.combine("element_wise_add", sum, node.repeat(first, rows));
  }
  if (node.hasInput(Segments) && node.hasInput(SegmentTable)) {
    if (node.getShape(Segments) != words)
      return node.reject("its segments have the shape " +
                         describeShape(node.getShape(Segments)) +
                         ", but wanted is " + describeShape(words));
    sum = node.combine("element_wise_add", sum,
                       look(SegmentTable, node.get(Segments), batch));
  }
  SmallVector<Value> parameters;
  for (unsigned index : {Gamma, Beta}) {
    if (node.getShape(index) != Shape{hidden})
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted is " + Twine(hidden));
    parameters.push_back(node.getBroadcast(index, rows));
  }
  Shape output = {batch, steps, hidden};
  FailureOr<Value> normal = node.build(
      "mean_variance_normalization1",
      {{"input", sum}, {"scale", parameters[0]}, {"bias", parameters[1]}},
      {node.ints("axes", 3), node.flag("normalize_variance", true),
       node.number("epsilon", node.getFloat("epsilon", 1e-12f))},
      node.getTensorType(rows, type));
  if (failed(node.set(0, normal, output)) || failed(node.set(2, sum, output)))
    return failure();
  // How many elements of the mask are 1, which are the first ones.
  if (!node.hasInput(Mask))
    return node.set(1, Constant::get(DataType::INT32, {1}, ArrayRef<int64_t>(0))
                           .splat({batch}));
  if (node.getShape(Mask) != words)
    return node.reject("its mask has the shape " +
                       describeShape(node.getShape(Mask)) + ", but wanted is " +
                       describeShape(words));
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

/// Normalization of channels in groups, with the channels at the end.
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

//===----------------------------------------------------------------------===//
// Quantized operators
//===----------------------------------------------------------------------===//

/// The one element that is input `index`, or none.
static FailureOr<Value> getElement(NodeImporter &node, unsigned index,
                                   ArrayRef<int64_t> shape) {
  if (!node.hasInput(index))
    return Value();
  if (countElements(node.getShape(index)) != 1)
    return node.reject("its input " + Twine(index) + " has the shape " +
                       describeShape(node.getShape(index)) +
                       ", but wanted is one element");
  return node.getBroadcast(index, shape, Shape(shape.size(), 1));
}

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

/// Input `index` as floats, with the scale and zero point behind it.
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

/// Sets the output to floats, quantized by the scale that is input `index` and
/// the zero point behind it. Input `first` is the node's first tensor.
static LogicalResult setQuantized(NodeImporter &node, Value value,
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
  return setQuantized(node, node.apply("activation_sigmoid", *value), 3, 0,
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
  return setQuantized(node, joined, 0, 2, shape);
}

/// The product of `a`, {B..., M, K}, and input `second`, of which input
/// `zeroB`, and `scaleB` tell the zero point and the scale, with the bias that
/// is input `bias`.
static LogicalResult setIntegerProduct(NodeImporter &node, Value a,
                                       Value scaleA, Value zeroA,
                                       unsigned second, unsigned scaleB,
                                       unsigned zeroB, unsigned bias) {
  const Shape &shape = node.getShape(0), &other = node.getShape(second);
  if (shape.size() < 2 || other.size() != 2 || shape.back() != other[0])
    return node.reject("it multiplies " + describeShape(shape) + " by " +
                       describeShape(other) +
                       ", but wanted are matrices by one matrix");
  int64_t rows = *countElements(ArrayRef(shape).drop_back()),
          columns = other[1];
  auto perColumn = [&](unsigned index) -> FailureOr<Value> {
    if (!node.hasInput(index))
      return Value();
    int64_t count = countElements(node.getShape(index)).value_or(0);
    if (count != 1 && count != columns)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted is one number, or one for each of " +
                         Twine(columns) + " columns");
    return node.getAs(index, {1, 1, 1, count});
  };
  FailureOr<Value> scale = perColumn(scaleB), zero = perColumn(zeroB);
  if (failed(scale) || failed(zero))
    return failure();
  Shape physical = {1, 1, rows, columns};
  FailureOr<Value> added = node.getBias(bias, columns, physical);
  if (failed(added))
    return failure();
  Shape output = shape;
  output.back() = columns;
  return node.set(
      0,
      node.build("matrix_multiply_integer_to_float",
                 {{"a", node.reshape(a, {1, 1, rows, shape.back()})},
                  {"a_scale", scaleA},
                  {"a_zero_point", zeroA},
                  {"b", node.get(second)},
                  {"b_scale", *scale},
                  {"b_zero_point", *zero},
                  {"bias", *added}},
                 {}, node.getTensorType(physical, node.getType(scaleB))),
      output);
}

static LogicalResult importIntegerToFloat(NodeImporter &node) {
  if (failed(node.wantInputs(4, 7)))
    return failure();
  Shape one(4, 1);
  FailureOr<Value> scale = getElement(node, 2, one),
                   zero = getElement(node, 4, one);
  if (failed(scale) || failed(zero))
    return failure();
  return setIntegerProduct(node, node.get(0), *scale, *zero, 1, 3, 5, 6);
}

static LogicalResult importDynamicProduct(NodeImporter &node) {
  if (failed(node.wantInputs(3, 5)))
    return failure();
  Shape physical = toPhysical(node.getShape(0)), one(4, 1);
  FailureOr<SmallVector<Value>> quantized =
      node.buildAll("dynamic_quantize_linear", {{"input", node.get(0)}}, {},
                    {node.getTensorType(physical, DataType::UINT8),
                     node.getTensorType(one, DataType::FLOAT32),
                     node.getTensorType(one, DataType::UINT8)});
  if (failed(quantized))
    return failure();
  return setIntegerProduct(node, (*quantized)[0], (*quantized)[1],
                           (*quantized)[2], 1, 2, 3, 4);
}

namespace {
/// Weights of four or eight bits: `rows` of `columns` elements in blocks of
/// `block`, of which the last of a row may have too many.
struct PackedWeights {
  int64_t bits, block, rows, columns;

  int64_t getBlocks() const { return (columns - 1) / block + 1; }
  DataType getType() const {
    return bits == 4 ? DataType::UINT4 : DataType::UINT8;
  }
};
} // namespace

/// Reads the attributes of a MatMulNBits.
static FailureOr<PackedWeights> getPackedWeights(NodeImporter &node) {
  PackedWeights weights{node.getInt("bits", 4), node.getInt("block_size", 0),
                        node.getInt("N", 0), node.getInt("K", 0)};
  // How exact the product is, at least.
  node.ignoreAttributes({"accuracy_level"});
  const Shape &shape = node.getShape(0), &packed = node.getShape(1);
  auto [bits, block, n, k] = weights;
  if (bits != 4 && bits != 8)
    return node.reject("its weights have " + Twine(bits) +
                       " bits, but wanted are 4 or 8");
  if (block < 2 || block > UINT16_MAX || block % 2 != 0 || k < 1 || n < 1 ||
      k > UINT32_MAX || n > UINT32_MAX || shape.empty() || isEmpty(shape) ||
      shape.back() != k ||
      packed != Shape{n, weights.getBlocks(), block * bits / 8} ||
      node.getType(1) != DataType::UINT8)
    return node.reject("it multiplies " + describeShape(shape) + " by " +
                       describeShape(packed) + " bytes, which are not " +
                       Twine(n) + " rows of " + Twine(k) +
                       " elements in blocks of " + Twine(block));
  if (node.hasInput(4))
    return node.reject("it has indices of groups, which DirectML's blocks have "
                       "not");
  return weights;
}

/// Bytes of input `index`, as `rows` of elements of the shape `as`.
static FailureOr<Value> unpack(NodeImporter &node, unsigned index,
                               const PackedWeights &weights, const Shape &as,
                               int64_t rows) {
  if (weights.bits == 8 && node.getType(index) == DataType::UINT8 &&
      countElements(node.getShape(index)) == countElements(as))
    return node.getAs(index, as);
  const std::optional<Constant> &constant = node.getInput(index).constant;
  if (!constant)
    return node.reject("its weights are computed when the model runs, but the "
                       "importer unpacks them");
  int64_t bytes = (*countElements(as) / rows + 1) / 2 * rows;
  if (weights.bits == 8 || node.getType(index) != DataType::UINT8 ||
      countElements(node.getShape(index)) != bytes)
    return node.reject("its input " + Twine(index) + " has the shape " +
                       describeShape(node.getShape(index)) +
                       ", but wanted are " + Twine(bytes) + " bytes");
  std::vector<char> data(bytes);
  if (constant->isSplat())
    std::fill(data.begin(), data.end(), *constant->getData());
  else
    std::copy_n(constant->getData(), bytes, data.begin());
  return node.getConstant(Constant::unpack(weights.getType(), as, rows, data),
                          as);
}

/// The weights as floats, {1, 1, N, K}.
static FailureOr<Value> dequantizeWeights(NodeImporter &node,
                                          const PackedWeights &weights) {
  auto [bits, block, n, k] = weights;
  Shape all = {1, 1, n, weights.getBlocks() * block},
        blocks = {1, 1, n, weights.getBlocks()};
  if (failed(wantTensor(node, all)))
    return failure();
  FailureOr<Value> b = unpack(node, 1, weights, all, 1);
  if (failed(b))
    return failure();
  if (countElements(node.getShape(2)) != countElements(blocks))
    return node.reject(
        "its scales have the shape " + describeShape(node.getShape(2)) +
        ", but wanted is one for each block, " + describeShape(blocks));
  // Zero points are in the middle where there are none.
  FailureOr<Value> zero =
      node.hasInput(3)
          ? unpack(node, 3, weights, blocks, n)
          : FailureOr<Value>(node.getSplat(weights.getType(),
                                           static_cast<double>(1 << (bits - 1)),
                                           blocks));
  if (failed(zero))
    return failure();
  FailureOr<Value> real = node.build(
      "dequantize",
      {{"input", *b},
       {"quantizations", ArrayRef<Value>{node.getAs(2, blocks), *zero}}},
      {node.enumCase("quantization_type", "quantization_type",
                     "scale_zero_point")},
      node.getTensorType(all, node.getType(2)));
  if (failed(real))
    return failure();
  // What fills the last block of a row is no part of the row.
  return takePart(node, *real, Shape(4, 0), {1, 1, n, k});
}

/// A product with weights of four or eight bits, {N, blocks, bytes of a block},
/// which have a scale and a zero point for each block of a row.
static LogicalResult importMatMulNBits(NodeImporter &node) {
  if (failed(node.wantInputs(3, 6)))
    return failure();
  FailureOr<PackedWeights> weights = getPackedWeights(node);
  if (failed(weights))
    return failure();
  FailureOr<Value> b = dequantizeWeights(node, *weights);
  if (failed(b))
    return failure();
  const Shape &shape = node.getShape(0);
  int64_t rows = *countElements(ArrayRef(shape).drop_back());
  Shape output = shape, physical = {1, 1, rows, weights->rows};
  output.back() = weights->rows;
  FailureOr<Value> bias = node.getBias(5, weights->rows, physical);
  if (failed(wantTensor(node, output)) || failed(bias))
    return failure();
  return node.set(
      0,
      node.build("gemm",
                 {{"a", node.getAs(0, {1, 1, rows, weights->columns})},
                  {"b", *b},
                  {"c", *bias}},
                 {node.enumCase("trans_a", "matrix_transform", "none"),
                  node.enumCase("trans_b", "matrix_transform", "transpose"),
                  node.number("alpha", 1), node.number("beta", *bias ? 1 : 0)},
                 node.getTensorType(physical, node.getType(0))),
      output);
}

void dml::onnx::addContribOperators(Registry &registry) {
  auto add = [&](StringRef name, StringRef becomes, ImportFunction import) {
    registry.add(name, becomes, std::move(import), domain);
  };
  add("BiasGelu", "ELEMENT_WISE_ADD, ACTIVATION_GELU", importBiasGelu);
  add("FastGelu", "ELEMENT_WISE_ADD, ACTIVATION_GELU", importBiasGelu);
  add("QuickGelu", "ACTIVATION_SIGMOID, ELEMENT_WISE_MULTIPLY",
      importQuickGelu);
  add("BiasSplitGelu",
      "ELEMENT_WISE_ADD, SPLIT, ACTIVATION_GELU, ELEMENT_WISE_MULTIPLY",
      importBiasSplitGelu);
  add("BiasAdd", "ELEMENT_WISE_ADD", importBiasAdd);
  for (bool useMean : {false, true})
    add(useMean ? "SkipLayerNormalization" : "SkipSimplifiedLayerNormalization",
        "ELEMENT_WISE_ADD, MEAN_VARIANCE_NORMALIZATION2",
        [=](NodeImporter &node) {
          return importSkipNormalization(node, useMean);
        });
  registry.add("SimplifiedLayerNormalization", "MEAN_VARIANCE_NORMALIZATION2",
               importSimplifiedNormalization);
  add("EmbedLayerNormalization",
      "GATHER, ELEMENT_WISE_ADD, MEAN_VARIANCE_NORMALIZATION1",
      importEmbedNormalization);
  add("GroupNorm",
      "MEAN_VARIANCE_NORMALIZATION1, ACTIVATION_SIGMOID, "
      "ELEMENT_WISE_MULTIPLY",
      importGroupNorm);
  add("MatMulNBits", "DEQUANTIZE, GEMM", importMatMulNBits);
  add("QLinearAdd", "ELEMENT_WISE_QUANTIZED_LINEAR_ADD", importQuantizedAdd);
  add("QLinearSigmoid",
      "ELEMENT_WISE_DEQUANTIZE_LINEAR, ACTIVATION_SIGMOID, "
      "ELEMENT_WISE_QUANTIZE_LINEAR",
      importQuantizedSigmoid);
  add("QLinearConcat",
      "ELEMENT_WISE_DEQUANTIZE_LINEAR, JOIN, ELEMENT_WISE_QUANTIZE_LINEAR",
      importQuantizedConcat);
  add("MatMulIntegerToFloat", "MATRIX_MULTIPLY_INTEGER_TO_FLOAT",
      importIntegerToFloat);
  add("DynamicQuantizeMatMul",
      "DYNAMIC_QUANTIZE_LINEAR, MATRIX_MULTIPLY_INTEGER_TO_FLOAT",
      importDynamicProduct);
}
