//===- AttentionOps.cpp - Attention ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/AttentionUtils.h"
#include "OnnxRuntime/ContribUtils.h"
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// The inputs of MultiHeadAttention.
enum Input : unsigned {
  Query,
  Key,
  Values,
  Bias,
  Mask,
  PositionBias,
  PastKey,
  PastValue
};
} // namespace

/// Returns the element type of the results, which is that of the
/// scale if the input is quantized.
static DataType getOutputType(NodeImporter &node) {
  DataType type = node.getType(0);
  return type == DataType::INT8 || type == DataType::UINT8 ? node.getType(3)
                                                           : type;
}

/// Adds `bias` to the terms that are added to the scores.
static void addBias(NodeImporter &node, Value bias,
                    SmallVectorImpl<NodeImporter::Operand> &operands) {
  for (NodeImporter::Operand &operand : operands)
    if (operand.name == "relative_position_bias") {
      operand.values[0] =
          node.combine("element_wise_add", operand.values[0], bias);
      return;
    }
  operands.push_back({"relative_position_bias", bias});
}

/// Returns which keys are kept, with the shape {B, 1, 1, T}. Input `index`
/// contains the end of the kept keys for each batch, and possibly, behind the
/// ends, the start of the kept keys for each batch.
static Value keepBetween(NodeImporter &node, unsigned index,
                         ArrayRef<int64_t> scores) {
  Shape line = {1, 1, 1, scores[3]}, kept = {scores[0], 1, 1, scores[3]};
  DataType type = node.getType(index);
  RankedTensorType truths = node.getTensorType(kept, DataType::UINT8);
  Value places = node.repeat(*node.build("fill_value_sequence", {},
                                         {node.scalar("value_start", type, 0),
                                          node.scalar("value_delta", type, 1)},
                                         node.getTensorType(line, type)),
                             kept);
  int64_t rows = node.getShape(index)[0] / scores[0];
  Value lists = node.getAs(index, {rows, scores[0], 1, 1});
  auto get = [&](int64_t row) {
    Value part = takePart(node, lists, {row, 0, 0, 0}, {1, scores[0], 1, 1});
    return node.repeat(node.reshape(part, {scores[0], 1, 1, 1}), kept);
  };
  Value isKept =
      node.combine("element_wise_logical_less_than", places, get(0), truths);
  if (rows == 1)
    return isKept;
  Value isBehind = node.combine("element_wise_logical_greater_than_or_equal",
                                places, get(1), truths);
  return node.combine("element_wise_logical_and", isKept, isBehind);
}

/// Adds mask_filter_value to the scores of the keys that are not `kept`, as in
/// ONNX Runtime. DirectML's mask would replace these scores, which differs if
/// no key is kept.
static void addFilter(NodeImporter &node, Value kept, ArrayRef<int64_t> scores,
                      SmallVectorImpl<NodeImporter::Operand> &operands) {
  auto shape = cast<RankedTensorType>(kept.getType()).getShape();
  DataType type = getOutputType(node);
  double filter = node.getFloat("mask_filter_value", -10000);
  Value bias = *node.build("element_wise_if",
                           {{"condition", kept},
                            {"a", node.getSplat(type, 0, shape)},
                            {"b", node.getSplat(type, filter, shape)}},
                           {}, node.getTensorType(shape, type));
  addBias(node, node.repeat(bias, scores), operands);
}

/// If there is an input `index`, adds it as the mask of `scores`, which have
/// the shape {B, heads, S, T}, after the position bias. Returns DirectML's mask
/// type, which is `list` for masks in the form of lists. All other masks are
/// added to the scores.
static FailureOr<StringRef>
addMask(NodeImporter &node, unsigned index, ArrayRef<int64_t> scores,
        StringRef list, SmallVectorImpl<NodeImporter::Operand> &operands) {
  if (!node.hasInput(index))
    return StringRef("none");
  Shape mask = node.getShape(index);
  if (node.getType(index) != DataType::INT32)
    return node.reject("its input " + Twine(index) + " is no mask of int32");
  if (mask.size() == 1) {
    if (mask[0] != scores[0] && list != "key_sequence_end_start") {
      operands.push_back({"mask", node.getAs(index, mask)});
      return list;
    }
    if (mask[0] != scores[0] && mask[0] != 2 * scores[0])
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(mask) + ", but the batch has " +
                         Twine(scores[0]));
    addFilter(node, keepBetween(node, index, scores), scores, operands);
    return StringRef("none");
  }
  // The dimensions that {B, T} and {B, S, T} lack are inserted after the first
  // one.
  Shape as = mask;
  while (!as.empty() && as.size() < 4)
    as.insert(as.begin() + 1, 1);
  if (broadcastShapes(as, scores) != Shape(scores))
    return node.reject(
        "its input " + Twine(index) + " has the shape " + describeShape(mask) +
        ", but wanted are sizes that broadcast to " + describeShape(scores));
  Value isKept =
      node.combine("element_wise_logical_greater_than", node.getAs(index, as),
                   node.getSplat(node.getType(index), 0, as),
                   node.getTensorType(as, DataType::UINT8));
  addFilter(node, isKept, scores, operands);
  return StringRef("none");
}

/// Returns the factor of the products of queries and keys, whose heads have
/// `headSize` elements.
static float getScale(NodeImporter &node, int64_t headSize) {
  float scale = node.getFloat("scale", 0);
  return scale == 0 ? 1 / std::sqrt(static_cast<float>(headSize)) : scale;
}

/// If there is an input `index`, adds it to the scores.
static LogicalResult
addPositionBias(NodeImporter &node, unsigned index, ArrayRef<int64_t> scores,
                SmallVectorImpl<NodeImporter::Operand> &operands) {
  if (!node.hasInput(index))
    return success();
  if (broadcastShapes(node.getShape(index), scores) != Shape(scores))
    return node.reject("its input " + Twine(index) + " has the shape " +
                       describeShape(node.getShape(index)) +
                       ", but wanted are sizes that broadcast to " +
                       describeShape(scores));
  operands.push_back(
      {"relative_position_bias", node.getBroadcast(index, scores)});
  return success();
}

/// Adds a bias that masks the keys behind each query: the lowest finite number
/// is added to their scores, which is below the numbers that masks add. The
/// scores have the shape {B, heads, S, T}, and the last S keys are those of the
/// queries.
static void addCausalBias(NodeImporter &node, ArrayRef<int64_t> scores,
                          SmallVectorImpl<NodeImporter::Operand> &operands) {
  int64_t queries = scores[2], keys = scores[3];
  DataType type = getOutputType(node);
  Value isSeen =
      combineRepeated(node, "element_wise_logical_less_than_or_equal",
                      getSequence(node, {1, 1, 1, keys}, 0, 1),
                      getSequence(node, {1, 1, queries, 1}, keys - queries, 1),
                      DataType::UINT8);
  Shape one(4, 1);
  Value bias = select(node, isSeen, node.getSplat(type, 0, one),
                      node.getSplat(type, getLowest(type), one));
  addBias(node, node.repeat(bias, scores), operands);
}

namespace {
/// What MULTIHEAD_ATTENTION computes: scores of the shape {B, heads, S, T}, for
/// heads of these sizes.
struct Attention {
  Shape scores;
  int64_t headSize, valueSize;
  StringRef maskType;
};
} // namespace

/// Builds MULTIHEAD_ATTENTION. Returns the output, all keys and all values, of
/// which those without `isWanted` are null.
static FailureOr<SmallVector<Value>>
attend(NodeImporter &node, const Attention &attention,
       ArrayRef<NodeImporter::Operand> operands, ArrayRef<bool> isWanted) {
  int64_t batch = attention.scores[0], heads = attention.scores[1],
          queries = attention.scores[2], keys = attention.scores[3];
  const Shape shapes[] = {{1, batch, queries, heads * attention.valueSize},
                          {batch, heads, keys, attention.headSize},
                          {batch, heads, keys, attention.valueSize}};
  SmallVector<Type> types;
  SmallVector<int32_t> segments(isWanted);
  for (auto [shape, isPresent] : llvm::zip_equal(shapes, isWanted))
    if (isPresent)
      types.push_back(node.getTensorType(shape, getOutputType(node)));
  FailureOr<SmallVector<Value>> built = node.buildAll(
      "multihead_attention", operands,
      {node.number("scale", getScale(node, attention.headSize)),
       node.number("mask_filter_value",
                   node.getFloat("mask_filter_value", -10000)),
       node.integer("head_count", heads),
       node.enumCase("mask_type", "multihead_attention_mask_type",
                     attention.maskType),
       node.attr("resultSegmentSizes",
                 node.getBuilder().getDenseI32ArrayAttr(segments))},
      types);
  if (failed(built))
    return failure();
  SmallVector<Value> results;
  unsigned next = 0;
  for (bool isPresent : isWanted)
    results.push_back(isPresent ? (*built)[next++] : Value());
  return results;
}

/// Imports com.microsoft's MultiHeadAttention. The query has 3 dimensions, or 5
/// if it is stacked with keys and values. The key has 3 dimensions, 5 if it is
/// stacked with values, and 4 if it is already split into heads.
static LogicalResult importMultiHeadAttention(NodeImporter &node) {
  if (failed(node.wantInputs(1, 8)))
    return failure();
  auto getRank = [&](unsigned index) {
    return node.hasInput(index) ? node.getShape(index).size() : 0;
  };
  auto rejectInput = [&](unsigned index, const Twine &wanted) {
    return node.reject("its input " + Twine(index) + " has the shape " +
                       describeShape(node.getShape(index)) +
                       ", but wanted are " + wanted);
  };
  if (getRank(Query) != 3 && getRank(Query) != 5)
    return rejectInput(Query, "3 or 5 dimensions");
  const Shape &query = node.getShape(Query);
  bool isStacked = query.size() == 5;
  // In a stacked query, this dimension is the number of heads, and otherwise
  // the number of elements in all heads.
  int64_t heads = node.getInt("num_heads", 0), most = query[2];
  if (heads < 1 || heads > most)
    return node.reject("its attribute num_heads is " + Twine(heads) +
                       ", but wanted is 1 to " + Twine(most) +
                       " for a query of the shape " + describeShape(query));
  int64_t batch = query[0], queries = query[1];
  int64_t headSize = isStacked ? query[4] : query[2] / heads;
  int64_t valueSize = headSize, newKeys = isStacked ? queries : 0, pastKeys = 0;

  SmallVector<NodeImporter::Operand> operands;
  operands.push_back(
      {isStacked ? "stacked_query_key_value" : "query",
       node.getAs(Query, isStacked ? query : toPhysical(query))});
  if (node.hasInput(Key)) {
    const Shape &key = node.getShape(Key);
    if (isStacked)
      return rejectInput(Key, "none: the query has the keys");
    if (key.size() == 5) {
      newKeys = key[1];
      operands.push_back({"stacked_key_value", node.getAs(Key, key)});
    } else if (key.size() == 3 && getRank(Values) == 3) {
      newKeys = key[1];
      valueSize = node.getShape(Values)[2] / heads;
      operands.push_back({"key", node.get(Key)});
      operands.push_back({"value", node.get(Values)});
    } else if (key.size() == 4 && getRank(Values) == 4) {
      // The keys and values of a cross attention are passed in the form of
      // DirectML's past.
      if (node.hasInput(PastKey))
        return rejectInput(Key, "3 dimensions where there is a past");
      pastKeys = key[2];
      valueSize = node.getShape(Values)[3];
      operands.push_back({"past_key", node.get(Key)});
      operands.push_back({"past_value", node.get(Values)});
    } else {
      return rejectInput(Key, "3 or 4 dimensions, as the value's, or 5");
    }
  }
  bool hasPast = node.hasInput(PastKey) && node.hasInput(PastValue);
  if (hasPast && isEmpty(node.getShape(PastKey)) &&
      isEmpty(node.getShape(PastValue))) {
    // A past without positions is none.
    node.ignoreInput(PastKey);
    node.ignoreInput(PastValue);
  } else if (hasPast) {
    if (getRank(PastKey) != 4 || getRank(PastValue) != 4)
      return rejectInput(PastKey, "4 dimensions, as the past value's");
    pastKeys = node.getShape(PastKey)[2];
    operands.push_back({"past_key", node.get(PastKey)});
    operands.push_back({"past_value", node.get(PastValue)});
  }
  if (node.hasInput(Bias))
    operands.push_back({"bias", node.getAs(Bias, node.getShape(Bias))});
  Shape scores = {batch, heads, queries, pastKeys + newKeys};
  if (failed(addPositionBias(node, PositionBias, scores, operands)))
    return failure();
  FailureOr<StringRef> maskType = addMask(
      node, Mask, scores, "key_query_sequence_length_start_end", operands);
  if (failed(maskType))
    return failure();

  if (node.getInt("unidirectional", 0) != 0) {
    if (newKeys != queries)
      return node.reject("it is unidirectional for " + Twine(queries) +
                         " queries and " + Twine(newKeys) +
                         " new keys, but wanted are as many");
    addCausalBias(node, scores, operands);
  }
  Attention attention{scores, headSize, valueSize, *maskType};
  const Shape shapes[] = {{batch, queries, heads * valueSize},
                          {batch, heads, scores[3], headSize},
                          {batch, heads, scores[3], valueSize}};
  FailureOr<SmallVector<Value>> results = attend(
      node, attention, operands, {true, node.hasOutput(1), node.hasOutput(2)});
  if (failed(results))
    return failure();
  for (auto [index, shape] : llvm::enumerate(shapes))
    if ((*results)[index] && failed(node.set(index, (*results)[index], shape)))
      return failure();
  return success();
}

namespace {
/// Queries, keys and values that are columns of one product: `sizes` are their
/// numbers of columns. `mask` and `past` are numbers of inputs.
struct Projection {
  int64_t heads;
  Shape sizes;
  unsigned mask, past;
  std::optional<unsigned> positionBias;
};
} // namespace

/// Reads the number of heads and the sizes of queries, keys and values.
static LogicalResult readSizes(NodeImporter &node, Projection &projection) {
  for (StringRef name : {"do_rotary", "past_present_share_buffer"})
    if (node.getInt(name, 0) != 0)
      return node.reject("its attribute " + name +
                         " is on, which the provider leaves to the CPU");
  const Shape &x = node.getShape(0), &weights = node.getShape(1);
  int64_t heads = node.getInt("num_heads", 0);
  if (x.size() != 3 || weights.size() != 2 || x[2] != weights[0] || heads < 1)
    return node.reject("its input has the shape " + describeShape(x) +
                       ", its weights " + describeShape(weights) + ", and " +
                       Twine(heads) + " heads, which do not fit");
  int64_t columns = weights[1];
  Shape sizes = node.getInts("qkv_hidden_sizes");
  if (!node.hasAttribute("qkv_hidden_sizes"))
    sizes.assign(3, columns / 3);
  int64_t sum = 0;
  for (int64_t size : sizes)
    if (size < 1 || size > columns || size % heads != 0 ||
        (sum += size) > columns)
      return node.reject("a hidden size is " + Twine(size) + ", of " +
                         Twine(columns) + " columns and " + Twine(heads) +
                         " heads, which do not fit");
  if (sizes.size() != 3 || sum != columns || sizes[0] != sizes[1])
    return node.reject("its hidden sizes do not come to " + Twine(columns) +
                       " columns of queries, keys of one size, and values");
  projection.heads = heads;
  projection.sizes = sizes;
  return success();
}

/// Adds queries, keys and values, which are the columns of `rows`.
static void addProjected(NodeImporter &node, Value rows,
                         const Projection &projection,
                         SmallVectorImpl<NodeImporter::Operand> &operands) {
  const Shape &sizes = projection.sizes, &x = node.getShape(0);
  int64_t batch = x[0], steps = x[1], heads = projection.heads;
  if (sizes[0] == sizes[2]) {
    // Moves the heads of {B, S, 3, heads, size} in front of the dimension of
    // queries, keys and values.
    Value parts =
        node.reshape(rows, {batch, steps, 3, heads, sizes[0] / heads});
    operands.push_back(
        {"stacked_query_key_value", node.transpose(parts, {0, 1, 3, 2, 4})});
    return;
  }
  static constexpr StringLiteral names[] = {"query", "key", "value"};
  int64_t offset = 0;
  for (auto [name, size] : llvm::zip_equal(names, sizes)) {
    Value part =
        takePart(node, rows, {0, 0, 0, offset}, {1, 1, batch * steps, size});
    operands.push_back({name, node.reshape(part, {1, batch, steps, size})});
    offset += size;
  }
}

/// Adds the past keys and values, which are the halves of one input, and
/// returns their number.
static FailureOr<int64_t>
addPast(NodeImporter &node, const Projection &projection,
        SmallVectorImpl<NodeImporter::Operand> &operands) {
  if (!node.hasInput(projection.past))
    return 0;
  const Shape &shape = node.getShape(projection.past), &x = node.getShape(0);
  int64_t heads = projection.heads;
  Shape half = {x[0], heads, shape.size() == 5 ? shape[3] : 1,
                projection.sizes[0] / heads};
  Shape whole = {2, half[0], half[1], half[2], half[3]};
  if (shape != whole || projection.sizes[0] != projection.sizes[2])
    return node.reject("its past has the shape " + describeShape(shape) +
                       ", but wanted is " + describeShape(whole) +
                       ", for keys and values of one size");
  if (isEmpty(shape)) {
    node.ignoreInput(projection.past);
    return 0;
  }
  Value past = node.get(projection.past);
  static constexpr StringLiteral names[] = {"past_key", "past_value"};
  for (auto [index, name] : llvm::enumerate(names)) {
    Shape part = whole;
    part[0] = 1;
    Value value =
        takePart(node, past, {static_cast<int64_t>(index), 0, 0, 0, 0}, part);
    operands.push_back({name, node.reshape(value, half)});
  }
  return half[2];
}

/// Sets the outputs to the attention of `rows`, {1, 1, B * S, columns}, and to
/// all keys and values.
static LogicalResult setProjected(NodeImporter &node, Value rows,
                                  const Projection &projection) {
  SmallVector<NodeImporter::Operand> operands;
  addProjected(node, rows, projection, operands);
  FailureOr<int64_t> past = addPast(node, projection, operands);
  if (failed(past))
    return failure();
  const Shape &x = node.getShape(0), &sizes = projection.sizes;
  int64_t batch = x[0], steps = x[1], heads = projection.heads;
  Shape scores = {batch, heads, steps, *past + steps};
  if (projection.positionBias &&
      failed(addPositionBias(node, *projection.positionBias, scores, operands)))
    return failure();
  FailureOr<StringRef> maskType = addMask(node, projection.mask, scores,
                                          "key_sequence_end_start", operands);
  if (failed(maskType))
    return failure();
  if (node.getInt("unidirectional", 0) != 0)
    addCausalBias(node, scores, operands);
  Attention attention{scores, sizes[0] / heads, sizes[2] / heads, *maskType};
  bool hasPresent = node.hasOutput(1);
  FailureOr<SmallVector<Value>> results =
      attend(node, attention, operands, {true, hasPresent, hasPresent});
  if (failed(results) ||
      failed(node.set(0, (*results)[0], {batch, steps, sizes[2]})))
    return failure();
  if (!hasPresent)
    return success();
  Shape half = {1, batch, heads, scores[3], attention.headSize}, whole = half;
  whole[0] = 2;
  SmallVector<Value> halves = {node.reshape((*results)[1], half),
                               node.reshape((*results)[2], half)};
  return node.set(1,
                  node.build("join", {{"inputs", halves}},
                             node.integer("axis", 0),
                             node.getTensorType(whole, getOutputType(node))),
                  whole);
}

/// Imports com.microsoft's Attention, which first projects its single input to
/// queries, keys and values.
static LogicalResult importAttention(NodeImporter &node) {
  enum Input : unsigned { X, Weights, Bias, Mask, Past, PositionBias };
  Projection projection{0, {}, Mask, Past, PositionBias};
  if (failed(node.wantInputs(2, 6)) || failed(readSizes(node, projection)))
    return failure();
  const Shape &x = node.getShape(X);
  Shape projected = {1, 1, x[0] * x[1], node.getShape(Weights)[1]};
  FailureOr<Value> bias = node.getBias(Bias, projected[3], projected);
  if (failed(bias))
    return failure();
  Value rows =
      *node.build("gemm",
                  {{"a", node.getAs(X, {1, 1, projected[2], x[2]})},
                   {"b", node.get(Weights)},
                   {"c", *bias}},
                  {node.enumCase("trans_a", "matrix_transform", "none"),
                   node.enumCase("trans_b", "matrix_transform", "none"),
                   node.number("alpha", 1), node.number("beta", *bias ? 1 : 0)},
                  node.getTensorType(projected, node.getType(X)));
  return setProjected(node, rows, projection);
}

/// Imports com.microsoft's QAttention, an Attention whose input and weights are
/// quantized.
static LogicalResult importQuantizedAttention(NodeImporter &node) {
  enum Input : unsigned {
    X,
    Weights,
    Bias,
    Scale,
    WeightScale,
    Mask,
    ZeroPoint,
    WeightZeroPoint,
    Past
  };
  Projection projection{0, {}, Mask, Past, {}};
  if (failed(node.wantInputs(5, 9)) || failed(readSizes(node, projection)))
    return failure();
  Shape one(4, 1);
  FailureOr<Value> scale = getElement(node, Scale, one),
                   zero = getElement(node, ZeroPoint, one);
  if (failed(scale) || failed(zero))
    return failure();
  FailureOr<Value> rows =
      getIntegerProduct(node, node.get(X), *scale, *zero, Weights, WeightScale,
                        WeightZeroPoint, Bias);
  if (failed(rows))
    return failure();
  return setProjected(node, *rows, projection);
}

void dml::onnx::addContribAttentionNodes(Registry &registry) {
  registry.add("MultiHeadAttention", "ELEMENT_WISE_IF, MULTIHEAD_ATTENTION",
               importMultiHeadAttention, "com.microsoft");
  registry.add("Attention", "GEMM, ELEMENT_WISE_IF, MULTIHEAD_ATTENTION",
               importAttention, "com.microsoft");
  addContrib(registry, "QAttention",
             "MATRIX_MULTIPLY_INTEGER_TO_FLOAT, ELEMENT_WISE_IF, "
             "MULTIHEAD_ATTENTION",
             importQuantizedAttention);
  addContrib(registry, "GroupQueryAttention",
             "MULTIHEAD_ATTENTION1; with a softcap, a sink or scores: "
             "SCATTER_ELEMENTS, GEMM, ACTIVATION_SOFTMAX1",
             importGroupQueryAttention);
}
