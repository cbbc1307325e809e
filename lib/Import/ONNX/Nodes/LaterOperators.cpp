//===- LaterOperators.cpp - Operators that came with version 23 and later -===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Attention and RotaryEmbedding stand in DotProductAttention.cpp and
// Embedding.cpp.
//
//===----------------------------------------------------------------------===//

#include "Graph/Importer.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Normalization by the root of the mean of squares, of the dimensions from
/// `axis` on.
static LogicalResult importRMSNormalization(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), shape.size());
  if (failed(axis))
    return failure();
  // DirectML computes in f32, which has room for f16 and bfloat16.
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
  // The output has the type of the scale. Where the input has another one, both
  // are widened.
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

/// The input times the sigmoid of `alpha` times it: ONNX Runtime has no kernel
/// for this function, and puts its nodes in its place.
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

/// The place along `axis` of four or more dimensions that each row of an update
/// of the shape `update` goes to, i32.
static FailureOr<Value> getPlaces(NodeImporter &node, Shape update,
                                  int64_t axis, int64_t size) {
  StringRef mode = node.getString("mode", "linear");
  bool isCircular = mode == "circular";
  if (!isCircular && mode != "linear")
    return node.reject("its mode is '" + mode +
                       "', but wanted is linear or circular");
  Shape steps(update.size(), 1), starts(update.size(), 1);
  steps[axis] = update[axis];
  const Shape &cache = node.getShape(0);
  Value places = node.buildAll("fill_value_sequence", {},
                               {node.scalar("value_start", DataType::INT32, 0),
                                node.scalar("value_delta", DataType::INT32, 1)},
                               node.getTensorType(steps, DataType::INT32))
                     ->front();
  if (!node.hasInput(2))
    return node.repeat(places, update);
  if (node.getShape(2) != Shape{cache[0]})
    return node.reject("its write_indices have the shape " +
                       describeShape(node.getShape(2)) + ", but wanted is " +
                       Twine(cache[0]));
  starts[update.size() - cache.size()] = cache[0];
  Shape both = steps;
  both[update.size() - cache.size()] = cache[0];
  Value start = node.castTo(node.getAs(2, starts), DataType::INT32);
  places = node.combine("element_wise_add", node.repeat(places, both),
                        node.repeat(start, both));
  if (isCircular)
    places = node.combine(
        "element_wise_modulus_floor", places,
        node.getSplat(DataType::INT32, static_cast<double>(size), both));
  return node.repeat(places, update);
}

/// Writes rows into a cache, from one place on for each of a batch.
static LogicalResult importTensorScatter(NodeImporter &node) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  const Shape &shape = node.getShape(0), &update = node.getShape(1);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -2), shape.size());
  if (failed(axis))
    return failure();
  Shape wanted = shape;
  if (update.size() == shape.size())
    wanted[*axis] = update[*axis];
  if (*axis == 0 || update != wanted || update[*axis] > shape[*axis])
    return node.reject("its inputs have the shapes " + describeShape(shape) +
                       " and " + describeShape(update) +
                       ", which do not fit along axis " + Twine(*axis));
  Shape physical = toPhysical(shape);
  int64_t moved = *axis + physical.size() - shape.size();
  FailureOr<Value> places =
      getPlaces(node, toPhysical(update), moved, shape[*axis]);
  if (failed(places))
    return failure();
  return node.set(0,
                  node.build("scatter_elements",
                             {{"input", node.get(0)},
                              {"indices", *places},
                              {"updates", node.get(1)}},
                             node.integer("axis", moved),
                             node.getTensorType(physical, node.getType(0))),
                  shape);
}

static LogicalResult importCumProd(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<Shape> given = node.getIntegers(1, "the axes");
  if (failed(given))
    return failure();
  if (given->size() != 1)
    return node.reject("its axis has the shape " +
                       describeShape(node.getShape(1)) +
                       ", but wanted is one number");
  FailureOr<int64_t> axis = node.normalizeAxis(given->front(), shape.size());
  if (failed(axis))
    return failure();
  Value input = node.get(0);
  int64_t lead = toPhysical(shape).size() - shape.size();
  return node.set(
      0,
      node.apply("cumulative_product", input,
                 {node.integer("axis", *axis + lead),
                  node.enumCase("axis_direction", "axis_direction",
                                node.getInt("reverse", 0) != 0 ? "decreasing"
                                                               : "increasing"),
                  node.flag("has_exclusive_product",
                            node.getInt("exclusive", 0) != 0)}),
      shape);
}

static LogicalResult importBitCast(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  auto to = static_cast<int32_t>(node.getInt("to", 0));
  std::optional<DataType> type = toDataType(to);
  if (!type)
    return node.reject("it shows bits as " + describeONNXType(to) +
                       ", which no DirectML tensor has");
  auto getBits = [](DataType type) {
    return isFourBits(type) ? 4 : 8 * getByteWidth(type);
  };
  if (getBits(*type) != getBits(node.getType(0)))
    return node.reject("it shows elements of " +
                       Twine(getBits(node.getType(0))) + " bits as those of " +
                       Twine(getBits(*type)) + ", but wanted are as many");
  if (*type == node.getType(0))
    return node.setView(0, 0, node.getShape(0));
  return node.set(0, node.bitcast(node.get(0), *type), node.getShape(0));
}

void dml::onnx::addLaterOperators(Registry &registry) {
  registry.add("RMSNormalization", "MEAN_VARIANCE_NORMALIZATION2",
               importRMSNormalization);
  registry.add("Swish", "ACTIVATION_SIGMOID, ELEMENT_WISE_MULTIPLY",
               importSwish);
  registry.add("TensorScatter", "FILL_VALUE_SEQUENCE, SCATTER_ELEMENTS",
               importTensorScatter);
  registry.add("CumProd", "CUMULATIVE_PRODUCT", importCumProd);
  registry.add("BitCast", "a view", importBitCast);
}
