//===- GroupQueryAttention.cpp - Attention over a cache -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// GroupQueryAttention writes new keys and values into a cache behind the
// positions that are in use, and lets each query see the positions up to its
// own. The cache is the operator's past, and the written cache is its present.
// With seqlens_k = 6 and three queries, four positions are in use, and the new
// keys get the positions 4, 5 and 6.
//
// DirectML's MULTIHEAD_ATTENTION1 does the same. Only a softcap, a sink of the
// softmax and the scores as a result are out of its reach: such nodes become a
// scatter into the cache, and two products with a softmax in between.
//
// A node with the inputs q_norm_weight and k_norm_weight, as for Qwen3, divides
// each head of the queries and keys by the root of its mean square first, and
// multiplies it by the weights.
//
//===----------------------------------------------------------------------===//

#include "Nodes/AttentionUtils.h"
#include "Nodes/Rotary.h"
#include "OnnxRuntime/ContribUtils.h"
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// The position of each query, {B, 1, S, 1}, and the keys that a query sees,
/// {B, 1, S, T}.
struct Places {
  Value position, isSeen;
};

class GroupQueryAttention {
public:
  explicit GroupQueryAttention(NodeImporter &node) : node(node) {}

  LogicalResult import();

private:
  enum Input : unsigned {
    Query,
    Key,
    Values,
    PastKey,
    PastValue,
    Lengths,
    Total,
    Cosine,
    Sine,
    Positions,
    AttentionBias,
    Sink,
    KeyScale,
    ValueScale,
    QueryNorm,
    KeyNorm,
    NumInputs
  };
  enum Output : unsigned { Result, PresentKey, PresentValue, Scores };

  LogicalResult readAttributes();
  LogicalResult readHeads();
  LogicalResult readCache();
  LogicalResult verifyShape(unsigned index, const Shape &wanted);

  /// Returns queries, keys and values, each {B, S, heads, size}.
  SmallVector<Value> getParts();
  /// Returns the number of positions in use before the new ones, {1, 1, 1, B}.
  /// The number is negative where a batch has fewer new positions than queries.
  Value getStarts();
  /// Normalizes the heads of `parts` that are queries and keys, where the node
  /// has weights for that. The heads are rotated afterwards.
  LogicalResult normalize(MutableArrayRef<Value> parts);
  /// Rotates the heads of `parts` that are queries and keys.
  LogicalResult rotate(MutableArrayRef<Value> parts, Value starts);
  /// Whether there are positions in the past.
  bool hasPast() const {
    return node.hasInput(PastKey) && !isEmpty(node.getShape(PastKey));
  }
  /// Whether the cache has a fixed capacity: the present has the positions of
  /// the past, which the new positions do not exceed.
  bool isFixed() const {
    return hasPast() && present == past && queries <= past;
  }
  /// Returns the past keys or values in input `index`, {B, heads, P, size}.
  Value getPast(unsigned index);
  /// Returns `value` with `size` elements in dimension `dim`: the first ones,
  /// or all of them and zeros behind.
  Value resize(Value value, int64_t dim, int64_t size);
  Places getPlaces(Value starts);
  /// Returns what is added to the scores, or null. The scores of keys that are
  /// not seen are the lowest finite number if `isSeen` is given.
  FailureOr<Value> getBias(Value isSeen, DataType type);
  bool needsProducts() const {
    return cap != 0 || isSmooth || node.hasInput(Sink) || outputMode != 0;
  }
  LogicalResult setAttention(ArrayRef<Value> parts, Value starts);
  LogicalResult setProducts(ArrayRef<Value> parts, Value starts);
  /// Returns the weights of the keys, from their scores with the bias.
  Value getWeights(Value scores);
  LogicalResult setScores(Value scores, Value weights, Value isSeen);
  /// Sets a present output to the written cache {B, heads, T, size}.
  LogicalResult setPresent(unsigned index, Value cache);

  NodeImporter &node;
  int64_t batch = 0, queries = 0, queryHeads = 0, keyHeads = 0, size = 0;
  /// The positions of the past, of the past and the new keys, of the present,
  /// and total_sequence_length.
  int64_t past = 0, keys = 0, present = 0, total = 0;
  int64_t window = -1, outputMode = 0;
  float scale = 0, cap = 0;
  bool isPacked = false, isSmooth = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Attributes and sizes
//===----------------------------------------------------------------------===//

LogicalResult GroupQueryAttention::readAttributes() {
  scale = node.getFloat("scale", 0);
  cap = node.getFloat("softcap", 0);
  window = node.getInt("local_window_size", -1);
  isSmooth = node.getInt("smooth_softmax", 0) > 0;
  outputMode = node.hasOutput(Scores) ? node.getInt("qk_output", 0) : 0;
  node.ignoreAttributes({"qk_output"});
  if (!(cap >= 0))
    return node.reject("its attribute softcap is " + describeNumber(cap) +
                       ", but wanted is 0 or a number above it");
  if (window == 0 || window < -1)
    return node.reject("its attribute local_window_size is " + Twine(window) +
                       ", but wanted is -1 or a number of keys");
  if (node.hasOutput(Scores) && outputMode != 1 && outputMode != 2)
    return node.reject("its attribute qk_output is " + Twine(outputMode) +
                       ", but wanted is 1 or 2 for a node with the output " +
                       Twine(Scores));
  if (node.getInt("causal", 1) != 1)
    return node.reject("its attribute causal is 0, but a query sees the keys "
                       "up to its own position alone");
  for (StringRef name : {"k_quant_type", "v_quant_type"})
    if (StringRef kind = node.getString(name, "NONE"); kind != "NONE")
      return node.reject("its attribute " + name + " is " + kind +
                         ", but the importer reads caches of floats alone");
  for (unsigned index : {KeyScale, ValueScale})
    if (node.hasInput(index))
      return node.reject("its input " + Twine(index) +
                         " is the scale of a quantized cache, but the importer "
                         "reads caches of floats alone");
  node.ignoreAttributes({"kv_cache_bit_width"});
  return success();
}

LogicalResult GroupQueryAttention::verifyShape(unsigned index,
                                               const Shape &wanted) {
  if (node.getShape(index) == wanted)
    return success();
  return node.reject("its input " + Twine(index) + " has the shape " +
                     describeShape(node.getShape(index)) + ", but wanted is " +
                     describeShape(wanted));
}

LogicalResult GroupQueryAttention::readHeads() {
  const Shape &query = node.getShape(Query);
  queryHeads = node.getInt("num_heads", 0);
  keyHeads = node.getInt("kv_num_heads", 0);
  if (queryHeads < 1 || keyHeads < 1 || queryHeads > UINT16_MAX ||
      queryHeads % keyHeads != 0)
    return node.reject("it has " + Twine(queryHeads) +
                       " heads of queries and " + Twine(keyHeads) +
                       " of keys, but wanted is a multiple of the second, 1 "
                       "at least");
  isPacked = !node.hasInput(Key);
  int64_t heads = isPacked ? queryHeads + 2 * keyHeads : queryHeads;
  if (query.size() != 3 || query[2] < heads || query[2] % heads != 0)
    return node.reject("its query has the shape " + describeShape(query) +
                       ", but wanted are rows of " + Twine(heads) + " heads");
  batch = query[0];
  queries = query[1];
  size = query[2] / heads;
  if (isPacked != !node.hasInput(Values))
    return node.reject("it has one of key and value, but wanted are both, or "
                       "none where the query has them");
  Shape rows = {batch, queries, keyHeads * size};
  if (!isPacked &&
      (failed(verifyShape(Key, rows)) || failed(verifyShape(Values, rows))))
    return failure();
  if (scale == 0)
    scale = 1 / std::sqrt(static_cast<float>(size));
  return success();
}

LogicalResult GroupQueryAttention::readCache() {
  if (!node.hasInput(Total) || !node.wantElements(Total))
    return node.reject(
        "its total_sequence_length is computed when the model runs, but the "
        "size of the present keys depends on it; --dim states an input, as in "
        "--dim=total_sequence_length=64");
  FailureOr<double> stated = node.getNumber(Total, "its total_sequence_length");
  if (failed(stated))
    return failure();
  if (!(*stated >= 1 && *stated <= INT32_MAX))
    return node.reject("its total_sequence_length is " +
                       describeNumber(*stated) +
                       ", but wanted is the number of keys, 1 at least");
  total = static_cast<int64_t>(*stated);
  if (node.hasInput(PastKey) != node.hasInput(PastValue))
    return node.reject("it has one of past_key and past_value, but wanted are "
                       "both or none");
  // Without a past, a cache of zeros takes its place.
  past = std::max<int64_t>(total - queries, 1);
  if (node.hasInput(PastKey)) {
    const Shape &shape = node.getShape(PastKey);
    int64_t positions = shape.size() == 4 ? shape[2] : 1;
    Shape wanted = {batch, keyHeads, positions, size};
    if (failed(verifyShape(PastKey, wanted)) ||
        failed(verifyShape(PastValue, wanted)))
      return failure();
    if (hasPast())
      past = positions;
    for (unsigned index : {PastKey, PastValue})
      if (!hasPast())
        node.ignoreInput(index);
  }
  present = hasPast() ? std::max(past, total) : total;
  // The operator of DirectML has a place for each new key behind the past, also
  // where the new keys stand in the capacity of the past.
  keys = isFixed() && needsProducts() ? past : past + queries;
  if (node.getType(Lengths) != DataType::INT32 ||
      countElements(node.getShape(Lengths)) != batch)
    return node.reject(
        "its seqlens_k has the shape " + describeShape(node.getShape(Lengths)) +
        ", but wanted are " + Twine(batch) + " numbers of int32");
  return success();
}

//===----------------------------------------------------------------------===//
// Queries, keys and values
//===----------------------------------------------------------------------===//

SmallVector<Value> GroupQueryAttention::getParts() {
  auto shape = [&](int64_t heads) {
    return Shape{batch, queries, heads, size};
  };
  if (!isPacked)
    return {node.getAs(Query, shape(queryHeads)),
            node.getAs(Key, shape(keyHeads)),
            node.getAs(Values, shape(keyHeads))};
  DataType type = node.getType(Query);
  Type few = node.getTensorType(shape(keyHeads), type);
  return *node.buildAll(
      "split", {{"input", node.getAs(Query, shape(queryHeads + 2 * keyHeads))}},
      node.integer("axis", 2),
      {node.getTensorType(shape(queryHeads), type), few, few});
}

Value GroupQueryAttention::getStarts() {
  Shape shape = {1, 1, 1, batch};
  Value starts = node.getAs(Lengths, shape);
  auto number = [&](int64_t number) {
    return node.getSplat(DataType::INT32, static_cast<double>(number), shape);
  };
  if (queries > 1)
    starts = node.combine("element_wise_add", starts, number(1 - queries));
  // The minimum states that the new positions lie within a fixed capacity.
  // ONNX Runtime rejects other lengths.
  if (isFixed())
    starts = node.combine("element_wise_min", starts, number(past - queries));
  return starts;
}

LogicalResult GroupQueryAttention::normalize(MutableArrayRef<Value> parts) {
  if (node.hasInput(QueryNorm) != node.hasInput(KeyNorm))
    return node.reject("it has one of q_norm_weight and k_norm_weight, but "
                       "wanted are both or none");
  double epsilon = node.getFloat("qk_norm_epsilon", 1e-6f);
  if (!node.hasInput(QueryNorm))
    return success();
  if (isPacked || node.getInt("do_rotary", 0) == 0)
    return node.reject("it has q_norm_weight and k_norm_weight, but wanted for "
                       "these are a key of its own and do_rotary");
  if (!(epsilon > 0))
    return node.reject("its attribute qk_norm_epsilon is " +
                       describeNumber(epsilon) +
                       ", but wanted is a number above 0");
  for (auto [index, part] :
       {std::pair(QueryNorm, &parts[0]), std::pair(KeyNorm, &parts[1])}) {
    if (failed(verifyShape(index, {size})))
      return failure();
    if (node.getType(index) != node.getType(Query))
      return node.reject("its query and its input " + Twine(unsigned(index)) +
                         " have different types");
    FailureOr<Value> normalized = node.build(
        "mean_variance_normalization2",
        {{"input", *part}, {"scale", node.getAs(index, {1, 1, 1, size})}},
        {node.ints("axes", {3}), node.flag("use_mean", false),
         node.flag("use_variance", true), node.number("epsilon", epsilon)},
        part->getType());
    if (failed(normalized))
      return failure();
    *part = *normalized;
  }
  return success();
}

LogicalResult GroupQueryAttention::rotate(MutableArrayRef<Value> parts,
                                          Value starts) {
  bool isOn = node.getInt("do_rotary", 0) != 0;
  bool isInterleaved = node.getInt("rotary_interleaved", 0) != 0;
  if (!isOn) {
    // These inputs have no part in a result without a rotation.
    for (unsigned index : {Cosine, Sine, Positions})
      node.ignoreInput(index);
    return success();
  }
  if (!node.hasInput(Cosine) || !node.hasInput(Sine))
    return node.reject("its attribute do_rotary is on, but it has no tables");
  if (failed(verifyTables(node, Cosine, 2)))
    return failure();
  Rotation rotation{
      batch,        queries, queryHeads, size, node.getShape(Cosine)[1],
      isInterleaved};
  if (2 * rotation.pairs > size)
    return node.reject("its tables turn " + Twine(2 * rotation.pairs) +
                       " numbers, of heads of " + Twine(size));
  Value positions;
  if (node.hasInput(Positions)) {
    if (failed(verifyShape(Positions, {batch, queries})))
      return failure();
    positions = node.getAs(Positions, {1, 1, batch, queries});
  } else {
    positions =
        node.reshape(getPlaces(starts).position, {1, 1, batch, queries});
  }
  Value cosine = lookUp(node, rotation, Cosine, positions),
        sine = lookUp(node, rotation, Sine, positions);
  parts[0] = turnHeads(node, rotation, parts[0], cosine, sine);
  rotation.heads = keyHeads;
  parts[1] = turnHeads(node, rotation, parts[1], cosine, sine);
  return success();
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

Value GroupQueryAttention::getPast(unsigned index) {
  Shape shape = {batch, keyHeads, past, size};
  return hasPast() ? node.getAs(index, shape)
                   : node.getSplat(node.getType(Query), 0, shape);
}

Value GroupQueryAttention::resize(Value value, int64_t dim, int64_t size) {
  Shape shape = getShapeOf(value);
  int64_t missing = size - shape[dim];
  shape[dim] = size;
  if (missing <= 0)
    return takePart(node, value, Shape(shape.size(), 0), shape);
  Shape none(shape.size(), 0), end = none;
  end[dim] = missing;
  DataType type = node.getTypeOf(value);
  return *node.build("padding1", {{"input", value}},
                     {node.enumCase("mode", "padding_mode", "constant"),
                      node.scalar("padding_value", type, 0),
                      node.ints("start_padding", none),
                      node.ints("end_padding", end)},
                     node.getTensorType(shape, type));
}

LogicalResult GroupQueryAttention::setPresent(unsigned index, Value cache) {
  if (!node.hasOutput(index))
    return success();
  return node.set(index, resize(cache, 2, present),
                  {batch, keyHeads, present, size});
}

Places GroupQueryAttention::getPlaces(Value starts) {
  Shape shape = {batch, 1, 1, 1};
  auto number = [&](int64_t number) {
    return node.getSplat(DataType::INT32, static_cast<double>(number), shape);
  };
  // At most `past` positions are in use, and none if the number is negative.
  Value first = node.combine(
      "element_wise_min",
      node.combine("element_wise_max", node.reshape(starts, shape), number(0)),
      number(past));
  Value position = combineRepeated(node, "element_wise_add", first,
                                   getSequence(node, {1, 1, queries, 1}, 0, 1));
  Value key = getSequence(node, {1, 1, 1, keys}, 0, 1);
  Value isSeen =
      combineRepeated(node, "element_wise_logical_less_than_or_equal", key,
                      position, DataType::UINT8);
  if (window > 0) {
    Value end = combineRepeated(node, "element_wise_add", key,
                                node.getSplat(DataType::INT32,
                                              static_cast<double>(window),
                                              {1, 1, 1, 1}));
    isSeen = combineRepeated(
        node, "element_wise_logical_and", isSeen,
        combineRepeated(node, "element_wise_logical_greater_than", end,
                        position, DataType::UINT8));
  }
  return {position, isSeen};
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

FailureOr<Value> GroupQueryAttention::getBias(Value isSeen, DataType type) {
  Value bias;
  if (node.hasInput(AttentionBias)) {
    Shape wanted = {batch, queryHeads, queries, total};
    const Shape &shape = node.getShape(AttentionBias);
    if (shape.size() != 4 || shape[3] != total ||
        broadcastShapes(shape, wanted) != wanted)
      return node.reject(
          "its attention bias has the shape " + describeShape(shape) +
          ", but wanted is one that broadcasts to " + describeShape(wanted));
    bias = node.castTo(resize(node.get(AttentionBias), 3, keys), type);
  }
  if (!isSeen)
    return bias;
  Shape one(4, 1);
  return select(node, isSeen, bias ? bias : node.getSplat(type, 0, one),
                node.getSplat(type, getLowest(type), one));
}

LogicalResult GroupQueryAttention::setAttention(ArrayRef<Value> parts,
                                                Value starts) {
  DataType type = node.getType(Query);
  SmallVector<NodeImporter::Operand> operands;
  static constexpr StringLiteral names[] = {"query", "key", "value"};
  for (auto [name, part] : llvm::zip_equal(names, parts))
    operands.push_back(
        {name,
         node.reshape(part, {1, batch, queries, getShapeOf(part)[2] * size})});
  // The operator itself hides the keys behind a query.
  FailureOr<Value> bias =
      getBias(window > 0 ? getPlaces(starts).isSeen : Value(), type);
  if (failed(bias))
    return failure();
  Shape scores = {batch, queryHeads, queries, keys};
  if (*bias)
    operands.push_back({"relative_position_bias", node.repeat(*bias, scores)});
  operands.push_back({"past_key", getPast(PastKey)});
  operands.push_back({"past_value", getPast(PastValue)});
  operands.push_back({"past_sequence_lengths", node.reshape(starts, {batch})});
  Type cache = node.getTensorType({batch, keyHeads, keys, size}, type);
  FailureOr<SmallVector<Value>> results = node.buildAll(
      "multihead_attention1", operands,
      {node.number("scale", scale), node.number("mask_filter_value", -10000),
       node.integer("query_head_count", queryHeads),
       node.integer("key_value_head_count", keyHeads),
       node.enumCase("mask_type", "multihead_attention_mask_type", "none"),
       node.attr("resultSegmentSizes",
                 node.getBuilder().getDenseI32ArrayAttr({1, 1, 1}))},
      {node.getTensorType({1, batch, queries, queryHeads * size}, type), cache,
       cache});
  if (failed(results) ||
      failed(node.set(Result, (*results)[0],
                      {batch, queries, queryHeads * size})) ||
      failed(setPresent(PresentKey, (*results)[1])))
    return failure();
  return setPresent(PresentValue, (*results)[2]);
}

Value GroupQueryAttention::getWeights(Value scores) {
  if (!isSmooth && !node.hasInput(Sink))
    return node.apply("activation_softmax1", scores, node.ints("axes", 3));
  // A sink is one more score of each head, whose weight is dropped. A smooth
  // softmax has the sink 0.
  DataType type = node.getTypeOf(scores);
  Shape shape = getShapeOf(scores), column = shape, all = shape;
  column[3] = 1;
  all[3] += 1;
  Value sink = node.hasInput(Sink)
                   ? node.castTo(node.getAs(Sink, {1, queryHeads, 1, 1}), type)
                   : node.getSplat(type, 0, Shape(4, 1));
  Value joined = *node.build(
      "join", {{"inputs", ArrayRef<Value>{scores, node.repeat(sink, column)}}},
      node.integer("axis", 3), node.getTensorType(all, type));
  Value weights =
      node.apply("activation_softmax1", joined, node.ints("axes", 3));
  return takePart(node, weights, Shape(4, 0), shape);
}

LogicalResult GroupQueryAttention::setScores(Value scores, Value weights,
                                             Value isSeen) {
  if (outputMode == 0)
    return success();
  Value shown = outputMode == 1 ? scores : weights;
  shown = select(node, isSeen, shown,
                 node.getSplat(node.getTypeOf(shown), 0, Shape(4, 1)));
  return node.set(Scores,
                  node.castTo(resize(shown, 3, total), node.getType(Query)),
                  {batch, queryHeads, queries, total});
}

LogicalResult GroupQueryAttention::setProducts(ArrayRef<Value> parts,
                                               Value starts) {
  if (node.hasInput(Sink) && failed(verifyShape(Sink, {queryHeads})))
    return failure();
  Places places = getPlaces(starts);
  Shape rows = {batch, keyHeads, queries, size};
  auto write = [&](unsigned index, Value part) {
    Value cache = resize(getPast(index), 2, keys);
    return *node.build("scatter_elements",
                       {{"input", cache},
                        {"indices", node.repeat(places.position, rows)},
                        {"updates", node.transpose(part, {0, 2, 1, 3})}},
                       node.integer("axis", 2), cache.getType());
  };
  Value allKeys = write(PastKey, parts[1]),
        allValues = write(PastValue, parts[2]);
  if (failed(setPresent(PresentKey, allKeys)) ||
      failed(setPresent(PresentValue, allValues)))
    return failure();

  // The queries of a group of heads are rows of one product. Halves are
  // computed with in f32, as in ONNX Runtime.
  int64_t groupRows = queryHeads / keyHeads * queries;
  Shape shape = {batch, queryHeads, queries, keys};
  Value query = node.widen(node.reshape(node.transpose(parts[0], {0, 2, 1, 3}),
                                        {batch, keyHeads, groupRows, size}));
  Value scores = node.reshape(multiply(node, query, node.widen(allKeys),
                                       /*isTransposed=*/true, scale,
                                       {batch, keyHeads, groupRows, keys}),
                              shape);
  scores = limitScores(node, scores, cap);
  DataType type = node.getTypeOf(scores);
  FailureOr<Value> bias = getBias({}, type);
  if (failed(bias))
    return failure();
  if (*bias)
    scores =
        node.combine("element_wise_add", scores, node.repeat(*bias, shape));
  Value weights =
      getWeights(select(node, places.isSeen, scores,
                        node.getSplat(type, getLowest(type), Shape(4, 1))));
  if (failed(setScores(scores, weights, places.isSeen)))
    return failure();
  Value result =
      multiply(node, node.reshape(weights, {batch, keyHeads, groupRows, keys}),
               node.widen(allValues), /*isTransposed=*/false, 1,
               {batch, keyHeads, groupRows, size});
  result = node.transpose(
      node.reshape(result, {batch, queryHeads, queries, size}), {0, 2, 1, 3});
  return node.set(Result, node.castTo(result, node.getType(Query)),
                  {batch, queries, queryHeads * size});
}

LogicalResult GroupQueryAttention::import() {
  if (failed(node.wantInputs(1, NumInputs)) || failed(readAttributes()) ||
      failed(readHeads()) || failed(readCache()))
    return failure();
  SmallVector<Value> parts = getParts();
  Value starts = getStarts();
  if (failed(normalize(parts)) || failed(rotate(parts, starts)))
    return failure();
  return needsProducts() ? setProducts(parts, starts)
                         : setAttention(parts, starts);
}

LogicalResult dml::onnx::importGroupQueryAttention(NodeImporter &node) {
  return GroupQueryAttention(node).import();
}
