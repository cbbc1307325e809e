//===- Attention.cpp - Attention ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
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

/// com.microsoft's operator. Its query alone has 3 dimensions, or with keys and
/// values 5; its keys have 3, with values 5, and 4 where they are split into
/// heads already.
static LogicalResult importAttention(NodeImporter &node) {
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
  if (node.getInt("unidirectional", 0) != 0)
    return node.reject("it is unidirectional, which DirectML's is not");
  int64_t heads = node.getInt("num_heads", 0);
  if (heads < 1)
    return node.reject("its attribute num_heads is " + Twine(heads) +
                       ", but wanted is 1 or more");
  if (getRank(Query) != 3 && getRank(Query) != 5)
    return rejectInput(Query, "3 or 5 dimensions");
  const Shape &query = node.getShape(Query);
  bool isStacked = query.size() == 5;
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
      // A cross attention's keys and values, as DirectML's past has them.
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
  if (node.hasInput(PastKey) && node.hasInput(PastValue)) {
    if (getRank(PastKey) != 4 || getRank(PastValue) != 4)
      return rejectInput(PastKey, "4 dimensions, as the past value's");
    pastKeys = node.getShape(PastKey)[2];
    operands.push_back({"past_key", node.get(PastKey)});
    operands.push_back({"past_value", node.get(PastValue)});
  }
  if (node.hasInput(Bias))
    operands.push_back({"bias", node.getAs(Bias, node.getShape(Bias))});
  Shape scores = {batch, heads, queries, pastKeys + newKeys};
  if (node.hasInput(PositionBias)) {
    if (broadcastShapes(node.getShape(PositionBias), scores) != scores)
      return rejectInput(PositionBias,
                         "sizes that broadcast to " + describeShape(scores));
    operands.push_back(
        {"relative_position_bias", node.getBroadcast(PositionBias, scores)});
  }

  StringRef maskType = "none";
  if (node.hasInput(Mask)) {
    Shape mask = node.getShape(Mask);
    Value value;
    if (mask.size() == 1 && mask[0] == batch) {
      maskType = "key_sequence_length";
      value = node.getAs(Mask, {1, batch});
    } else if (mask.size() == 1) {
      maskType = "key_query_sequence_length_start_end";
      value = node.getAs(Mask, mask);
    } else {
      maskType = "boolean";
      // Of {B, T} and {B, S, T}, the dimensions that are missing stand behind
      // the first.
      Shape as = mask;
      while (as.size() < 4)
        as.insert(as.begin() + 1, 1);
      if (broadcastShapes(as, scores) != scores)
        return rejectInput(Mask,
                           "sizes that broadcast to " + describeShape(scores));
      value = node.getBroadcast(Mask, scores, as);
    }
    operands.push_back({"mask", value});
  }

  float scale = node.getFloat("scale", 0);
  if (scale == 0)
    scale = 1 / std::sqrt(static_cast<float>(headSize));
  const Shape shapes[] = {{batch, queries, heads * valueSize},
                          {batch, heads, scores[3], headSize},
                          {batch, heads, scores[3], valueSize}};
  SmallVector<Type> types;
  SmallVector<unsigned> outputs;
  SmallVector<int32_t> segments;
  for (unsigned index = 0; index < 3; ++index) {
    // DirectML's output is there whoever reads it.
    segments.push_back(index == 0 || node.hasOutput(index));
    if (!segments.back())
      continue;
    outputs.push_back(index);
    types.push_back(
        node.getTensorType(toPhysical(shapes[index]), node.getType(0)));
  }
  FailureOr<SmallVector<Value>> results = node.buildAll(
      "multihead_attention", operands,
      {node.number("scale", scale),
       node.number("mask_filter_value",
                   node.getFloat("mask_filter_value", -10000)),
       node.integer("head_count", heads),
       node.enumCase("mask_type", "multihead_attention_mask_type", maskType),
       node.attr("resultSegmentSizes",
                 node.getBuilder().getDenseI32ArrayAttr(segments))},
      types);
  if (failed(results))
    return failure();
  for (auto [index, result] : llvm::zip_equal(outputs, *results))
    if (failed(node.set(index, result, shapes[index])))
      return failure();
  return success();
}

void dml::onnx::addAttentionOperators(Registry &registry) {
  registry.add("MultiHeadAttention", "MULTIHEAD_ATTENTION", importAttention,
               "com.microsoft");
}
