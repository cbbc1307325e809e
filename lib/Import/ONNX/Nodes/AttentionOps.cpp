//===- AttentionOps.cpp - Attention of ONNX's own operator set ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX has the operator Attention since version 23. DirectML's
// MULTIHEAD_ATTENTION does not support softcap, heads that several queries
// share, or scores as a result. Attention is therefore imported as two products
// with a softmax in between.
//
//===----------------------------------------------------------------------===//

#include "Nodes/AttentionUtils.h"
#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
enum Input : unsigned { Query, Key, Values, Mask, PastKey, PastValue, Lengths };

/// The sizes in one node.
struct Sizes {
  int64_t batch, queryHeads, keyHeads, queries, newKeys, headSize, valueSize;
  int64_t pastKeys = 0;
  /// Whether the heads are a dimension of the inputs and of the output.
  bool hasHeads;

  int64_t getKeys() const { return pastKeys + newKeys; }
  Shape getScores() const { return {batch, queryHeads, queries, getKeys()}; }
  /// Returns the shape of queries as rows. Groups of consecutive query heads
  /// share the same keys, and the queries of a group become rows of one
  /// product.
  Shape getRows(int64_t columns) const {
    return {batch, keyHeads, queryHeads / keyHeads * queries, columns};
  }
};

/// A bias for the scores, and the rows of the bias that mask all keys. Both
/// have four dimensions, each of which is that of the scores or 1.
struct Bias {
  Value value;
  /// Null if each row leaves a key visible.
  Value isEmpty;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static LogicalResult rejectShape(NodeImporter &node, unsigned index,
                                 const Twine &wanted) {
  return node.reject("its input " + Twine(index) + " has the shape " +
                     describeShape(node.getShape(index)) + ", but wanted is " +
                     wanted);
}

/// Reads the sizes. The heads are a dimension of the inputs, or attributes
/// state their number.
static FailureOr<Sizes> getHeads(NodeImporter &node) {
  const Shape &query = node.getShape(Query), &key = node.getShape(Key),
              &value = node.getShape(Values);
  for (unsigned index : {Query, Key, Values})
    if ((query.size() != 3 && query.size() != 4) ||
        node.getShape(index).size() != query.size())
      return rejectShape(node, index, "3 or 4 dimensions, as many of each");
  Sizes sizes;
  sizes.hasHeads = query.size() == 4;
  sizes.batch = query[0];
  sizes.queries = query[query.size() - 2];
  sizes.newKeys = key[key.size() - 2];
  int64_t queryHeads = node.getInt("q_num_heads", 0),
          keyHeads = node.getInt("kv_num_heads", 0);
  sizes.queryHeads = sizes.hasHeads ? query[1] : queryHeads;
  sizes.keyHeads = sizes.hasHeads ? key[1] : keyHeads;
  if (sizes.queryHeads < 1 || sizes.keyHeads < 1 ||
      sizes.queryHeads % sizes.keyHeads != 0)
    return node.reject("it has " + Twine(sizes.queryHeads) +
                       " heads of queries and " + Twine(sizes.keyHeads) +
                       " of keys, but wanted is a multiple of the second, 1 "
                       "at least");
  for (auto [name, stated, found] :
       {std::tuple("q_num_heads", queryHeads, sizes.queryHeads),
        std::tuple("kv_num_heads", keyHeads, sizes.keyHeads)})
    if (node.hasAttribute(name) && stated != found)
      return node.reject(Twine("its attribute ") + name + " is " +
                         Twine(stated) + ", but its inputs have " +
                         Twine(found) + " heads");
  int64_t perQuery = sizes.hasHeads ? 1 : sizes.queryHeads,
          perKey = sizes.hasHeads ? 1 : sizes.keyHeads;
  if (query.back() % perQuery != 0 || key.back() % perKey != 0 ||
      value.back() % perKey != 0)
    return node.reject("its inputs have rows of " + Twine(query.back()) + ", " +
                       Twine(key.back()) + " and " + Twine(value.back()) +
                       " elements, but wanted are multiples of the heads");
  sizes.headSize = query.back() / perQuery;
  sizes.valueSize = value.back() / perKey;
  return sizes;
}

static FailureOr<Sizes> getSizes(NodeImporter &node) {
  FailureOr<Sizes> sizes = getHeads(node);
  if (failed(sizes))
    return failure();
  bool hasHeads = sizes->hasHeads;
  auto want = [&](unsigned index, int64_t size) -> LogicalResult {
    Shape wanted =
        hasHeads ? Shape{sizes->batch, sizes->keyHeads, sizes->newKeys, size}
                 : Shape{sizes->batch, sizes->newKeys, sizes->keyHeads * size};
    return node.getShape(index) == wanted
               ? success()
               : rejectShape(node, index, describeShape(wanted));
  };
  if (failed(want(Key, sizes->headSize)) ||
      failed(want(Values, sizes->valueSize)))
    return failure();
  if (node.hasInput(PastKey) != node.hasInput(PastValue))
    return node.reject("it has one of past_key and past_value, but wanted are "
                       "both or none");
  if (!node.hasInput(PastKey))
    return sizes;
  if (node.hasInput(Lengths))
    return node.reject("it has past_key and nonpad_kv_seqlen, but wanted is "
                       "one of both at most");
  const Shape &past = node.getShape(PastKey);
  if (past.size() == 4)
    sizes->pastKeys = past[2];
  for (auto [index, size] : {std::pair(PastKey, sizes->headSize),
                             std::pair(PastValue, sizes->valueSize)}) {
    Shape wanted = {sizes->batch, sizes->keyHeads, sizes->pastKeys, size};
    if (node.getShape(index) != wanted)
      return rejectShape(node, index, describeShape(wanted));
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Returns input attn_mask with four dimensions. If its last dimension has
/// fewer elements than there are keys, it is padded with `value`.
static FailureOr<Value> getMask(NodeImporter &node, const Sizes &sizes,
                                double value) {
  Shape mask = node.getShape(Mask), scores = sizes.getScores();
  Shape whole = mask;
  // A dimension of size 1 is broadcast, and any other dimension that is too
  // small is padded.
  if (!mask.empty() && mask.back() > 1 && mask.back() < scores[3])
    whole.back() = scores[3];
  if (mask.size() > 4 || broadcastShapes(whole, scores) != scores)
    return rejectShape(node, Mask,
                       "one that broadcasts to " + describeShape(scores));
  Value result = node.get(Mask);
  if (whole == mask)
    return result;
  return node.build(
      "padding1", {{"input", result}},
      {node.enumCase("mode", "padding_mode", "constant"),
       node.scalar("padding_value", node.getType(Mask), value),
       node.ints("start_padding", {0, 0, 0, 0}),
       node.ints("end_padding", {0, 0, 0, whole.back() - mask.back()})},
      node.getTensorType(toPhysical(whole), node.getType(Mask)));
}

/// Returns which keys are visible to a query because of their positions. With
/// is_causal, these are the keys up to the query's own position, which is
/// counted behind the past, or from the end of the keys that nonpad_kv_seqlen
/// counts. Returns null if all keys are visible.
static FailureOr<Value> getVisible(NodeImporter &node, const Sizes &sizes) {
  bool isCausal = node.getInt("is_causal", 0) != 0;
  if (!isCausal && !node.hasInput(Lengths))
    return Value();
  Value place = getSequence(node, {1, 1, 1, sizes.getKeys()}, 0, 1);
  // Key t is visible to query s of S if t + S - 1 - s is less than the end.
  if (isCausal)
    place = combineRepeated(
        node, "element_wise_add", place,
        getSequence(node, {1, 1, sizes.queries, 1}, sizes.queries - 1, -1));
  Value end;
  if (node.hasInput(Lengths)) {
    if (node.getShape(Lengths) != Shape{sizes.batch})
      return rejectShape(node, Lengths, Twine(sizes.batch));
    end = node.castTo(node.getAs(Lengths, {sizes.batch, 1, 1, 1}),
                      DataType::INT32);
  } else {
    end = node.getSplat(DataType::INT32,
                        static_cast<double>(sizes.pastKeys + sizes.queries),
                        {1, 1, 1, 1});
  }
  return combineRepeated(node, "element_wise_logical_less_than", place, end,
                         DataType::UINT8);
}

static FailureOr<Bias> getBias(NodeImporter &node, const Sizes &sizes) {
  DataType type = node.getType(Query);
  double lowest = getLowest(type);
  FailureOr<Value> visible = getVisible(node, sizes);
  if (failed(visible))
    return failure();
  Value added;
  if (node.hasInput(Mask)) {
    // A bool mask is represented as ui8.
    bool isBool = node.getType(Mask) == DataType::UINT8;
    if (!isBool && node.getType(Mask) != DataType::FLOAT32 &&
        node.getType(Mask) != DataType::FLOAT16)
      return node.reject("its attn_mask has integers, but wanted are bool or "
                         "floats");
    FailureOr<Value> mask = getMask(node, sizes, isBool ? 0 : -INFINITY);
    if (failed(mask))
      return failure();
    if (!isBool)
      added = node.castTo(*mask, type);
    else if (*visible)
      visible =
          combineRepeated(node, "element_wise_logical_and", *visible, *mask);
    else
      visible = *mask;
  }
  if (*visible) {
    Shape shape = getShapeOf(*visible);
    if (added)
      shape = *broadcastShapes(shape, getShapeOf(added));
    added = *node.build("element_wise_if",
                        {{"condition", node.repeat(*visible, shape)},
                         {"a", added ? node.repeat(added, shape)
                                     : node.getSplat(type, 0, shape)},
                         {"b", node.getSplat(type, lowest, shape)}},
                        {}, node.getTensorType(shape, type));
  }
  Bias bias{added, {}};
  // Without a mask and without lengths, at least the first key is visible to
  // each query.
  if (!node.hasInput(Mask) && !node.hasInput(Lengths))
    return bias;
  Shape one = getShapeOf(added);
  one.back() = 1;
  Value most = node.apply("reduce", added,
                          {node.enumCase("function", "reduce_function", "max"),
                           node.ints("axes", 3)},
                          node.getTensorType(one, type));
  bias.isEmpty = node.combine("element_wise_logical_less_than_or_equal", most,
                              node.getSplat(type, lowest, one),
                              node.getTensorType(one, DataType::UINT8));
  return bias;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Returns input `index` with the shape {B, heads, rows, size}.
static Value splitHeads(NodeImporter &node, unsigned index, bool hasHeads,
                        int64_t heads) {
  const Shape &shape = node.getShape(index);
  if (hasHeads)
    return node.get(index);
  Value value =
      node.getAs(index, {shape[0], shape[1], heads, shape[2] / heads});
  return node.transpose(value, {0, 2, 1, 3});
}

/// Returns all keys or all values: those of the past, if there is a past,
/// followed by the new ones. Sets output `output` to the result.
static FailureOr<Value> joinPast(NodeImporter &node, const Sizes &sizes,
                                 unsigned index, unsigned past,
                                 unsigned output) {
  Value value = splitHeads(node, index, sizes.hasHeads, sizes.keyHeads);
  Shape shape = getShapeOf(value);
  if (node.hasInput(past) && sizes.pastKeys == 0) {
    // A past without positions is none.
    node.ignoreInput(past);
  } else if (node.hasInput(past)) {
    shape[2] = sizes.getKeys();
    SmallVector<Value> parts = {node.get(past), value};
    FailureOr<Value> joined =
        node.build("join", {{"inputs", parts}}, node.integer("axis", 2),
                   node.getTensorType(shape, node.getType(index)));
    if (failed(joined))
      return failure();
    value = *joined;
  }
  if (failed(node.set(output, value, shape)))
    return failure();
  return node.castTo(value, node.getType(Query));
}

namespace {
/// The attributes that affect the scores.
struct Scoring {
  float scale, cap;
  int64_t outputMode;
};
} // namespace

static FailureOr<Scoring> getScoring(NodeImporter &node, const Sizes &sizes) {
  Scoring scoring;
  scoring.scale =
      node.getFloat("scale", 1 / std::sqrt(static_cast<float>(sizes.headSize)));
  scoring.cap = node.getFloat("softcap", 0);
  scoring.outputMode = node.getInt("qk_matmul_output_mode", 0);
  if (!(scoring.scale > 0))
    return node.reject("its attribute scale is " +
                       std::to_string(scoring.scale) +
                       ", but wanted is a number above 0");
  if (!(scoring.cap >= 0))
    return node.reject("its attribute softcap is " +
                       std::to_string(scoring.cap) +
                       ", but wanted is 0 or a number above it");
  if (scoring.outputMode < 0 || scoring.outputMode > 3)
    return node.reject("its attribute qk_matmul_output_mode is " +
                       Twine(scoring.outputMode) + ", but wanted is 0 to 3");
  // DirectML computes the softmax in f32, whose range includes those of f16 and
  // bfloat16.
  int64_t precision = node.getInt("softmax_precision", 1);
  constexpr int64_t f32 = 1, f16 = 10, bf16 = 16;
  if (precision != f32 && precision != f16 && precision != bf16)
    return node.reject("its attribute softmax_precision is " +
                       describeONNXType(static_cast<int32_t>(precision)) +
                       ", but DirectML's softmax is computed in float");
  return scoring;
}

/// Returns the weights of the keys, with the shape {B, heads, queries, keys}.
/// Output 3 is set to the weights, or to the scores after an earlier step.
static FailureOr<Value> getShares(NodeImporter &node, const Sizes &sizes,
                                  const Scoring &scoring, const Bias &bias,
                                  Value scores) {
  Shape shape = sizes.getScores();
  auto show = [&](int64_t mode, Value value) {
    return scoring.outputMode == mode ? node.set(3, value, shape) : success();
  };
  Value limited = limitScores(node, scores, scoring.cap);
  Value masked = limited;
  if (bias.value)
    masked = node.combine("element_wise_add", limited,
                          node.repeat(bias.value, shape));
  Value shares =
      node.apply("activation_softmax1", masked, node.ints("axes", 3));
  if (bias.isEmpty)
    shares = *node.build("element_wise_if",
                         {{"condition", node.repeat(bias.isEmpty, shape)},
                          {"a", node.getSplat(node.getType(Query), 0, shape)},
                          {"b", shares}},
                         {}, shares.getType());
  if (failed(show(0, scores)) || failed(show(1, limited)) ||
      failed(show(2, masked)) || failed(show(3, shares)))
    return failure();
  return shares;
}

static LogicalResult importAttention(NodeImporter &node) {
  if (failed(node.wantInputs(3, node.getOpset() < 24 ? 6 : 7)))
    return failure();
  FailureOr<Sizes> sizes = getSizes(node);
  if (failed(sizes))
    return failure();
  FailureOr<Scoring> scoring = getScoring(node, *sizes);
  if (failed(scoring))
    return failure();
  FailureOr<Bias> bias = getBias(node, *sizes);
  if (failed(bias))
    return failure();
  FailureOr<Value> keys = joinPast(node, *sizes, Key, PastKey, 1),
                   values = joinPast(node, *sizes, Values, PastValue, 2);
  if (failed(keys) || failed(values))
    return failure();
  Value queries = splitHeads(node, Query, sizes->hasHeads, sizes->queryHeads);
  Value scores = multiply(
      node, node.reshape(queries, sizes->getRows(sizes->headSize)), *keys,
      /*isTransposed=*/true, scoring->scale, sizes->getRows(sizes->getKeys()));
  FailureOr<Value> shares = getShares(node, *sizes, *scoring, *bias,
                                      node.reshape(scores, sizes->getScores()));
  if (failed(shares))
    return failure();
  Value result = multiply(
      node, node.reshape(*shares, sizes->getRows(sizes->getKeys())), *values,
      /*isTransposed=*/false, 1, sizes->getRows(sizes->valueSize));
  Shape output = {sizes->batch, sizes->queryHeads, sizes->queries,
                  sizes->valueSize};
  result = node.reshape(result, output);
  if (sizes->hasHeads)
    return node.set(0, result, output);
  return node.set(
      0, node.transpose(result, {0, 2, 1, 3}),
      {sizes->batch, sizes->queries, sizes->queryHeads * sizes->valueSize});
}

void dml::onnx::addAttentionNodes(Registry &registry) {
  registry.add("Attention", "GEMM, ELEMENT_WISE_ADD, ACTIVATION_SOFTMAX1",
               importAttention);
}
