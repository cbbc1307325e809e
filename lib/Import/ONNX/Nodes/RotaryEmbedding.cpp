//===- RotaryEmbedding.cpp - Rotary embeddings ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include "Nodes/Rotary.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Whether the heads are a dimension of the input, before the steps.
static bool hasHeads(NodeImporter &node) {
  return node.getShape(0).size() == 4;
}

/// Returns the sizes for an input with tables of `pairs` numbers for each
/// position.
static FailureOr<Rotation> getRotation(NodeImporter &node, int64_t pairs) {
  const Shape &x = node.getShape(0);
  int64_t heads = node.getInt("num_heads", 0),
          turned = node.getInt("rotary_embedding_dim", 0);
  if (x.size() != 3 && x.size() != 4)
    return node.reject("its input has the shape " + describeShape(x) +
                       ", but wanted are 3 or 4 dimensions");
  Rotation rotation;
  rotation.isInterleaved = node.getInt("interleaved", 0) != 0;
  rotation.pairs = pairs;
  rotation.batch = x[0];
  rotation.steps = hasHeads(node) ? x[2] : x[1];
  // The heads are a dimension, or an attribute states their number. Otherwise,
  // a head has as many elements as the tables rotate.
  bool isONNX = node.getNode().domain.empty();
  int64_t &size = rotation.size;
  size = hasHeads(node)           ? x[3]
         : turned == 0 && !isONNX ? 2 * pairs
         : heads > 0              ? x[2] / heads
                                  : 0;
  rotation.heads = hasHeads(node) ? x[1] : size > 0 ? x[2] / size : 0;
  if (turned == 0)
    turned = isONNX ? size : 2 * pairs;
  if (rotation.heads < 1 || turned != 2 * pairs || turned > size ||
      (!hasHeads(node) && rotation.heads * size != x[2]))
    return node.reject("its tables turn " + Twine(2 * pairs) +
                       " numbers, of heads of " + Twine(size) +
                       " in an input of the shape " + describeShape(x) +
                       ", which do not fit");
  return rotation;
}

/// Returns the rotated pairs, with the shape {B, S, heads, 2 * pairs}. The
/// cosines and sines have the shape {B or 1, S, 1, pairs}.
static Value turnPairs(NodeImporter &node, const Rotation &rotation,
                       Value input, Value cosine, Value sine) {
  input = node.widen(input);
  DataType type = node.getTypeOf(input);
  Shape half = {rotation.batch, rotation.steps, rotation.heads, rotation.pairs};
  cosine = node.widen(node.repeat(cosine, half));
  sine = node.widen(node.repeat(sine, half));
  // The two elements of a pair are neighbours, or are half a head apart.
  Shape part = half, whole = half;
  whole[3] *= 2;
  Shape flat = whole;
  if (rotation.isInterleaved) {
    part.push_back(1);
    whole = half;
    whole.push_back(2);
  }
  int64_t axis = rotation.isInterleaved ? 4 : 3;
  Type partType = node.getTensorType(part, type);
  SmallVector<Value> both =
      *node.buildAll("split", {{"input", node.reshape(input, whole)}},
                     node.integer("axis", axis), {partType, partType});
  Value a = node.reshape(both[0], half), b = node.reshape(both[1], half);
  auto product = [&](Value x, Value y) {
    return node.combine("element_wise_multiply", x, y);
  };
  Value first = node.combine("element_wise_subtract", product(a, cosine),
                             product(b, sine)),
        second = node.combine("element_wise_add", product(b, cosine),
                              product(a, sine));
  Value result =
      *node.build("join",
                  {{"inputs", ArrayRef<Value>{node.reshape(first, part),
                                              node.reshape(second, part)}}},
                  node.integer("axis", axis), node.getTensorType(whole, type));
  return node.castTo(node.reshape(result, flat), node.getType(0));
}

Value dml::onnx::turnHeads(NodeImporter &node, const Rotation &rotation,
                           Value input, Value cosine, Value sine) {
  int64_t turned = 2 * rotation.pairs;
  if (turned == rotation.size)
    return turnPairs(node, rotation, input, cosine, sine);
  auto type = cast<RankedTensorType>(input.getType());
  Shape first(type.getShape()), second = first;
  first[3] = turned;
  second[3] = rotation.size - turned;
  SmallVector<Value> parts =
      *node.buildAll("split", {{"input", input}}, node.integer("axis", 3),
                     {type.clone(first), type.clone(second)});
  parts[0] = turnPairs(node, rotation, parts[0], cosine, sine);
  return *node.build("join", {{"inputs", parts}}, node.integer("axis", 3),
                     type);
}

/// Sets the output to the rotated input.
static LogicalResult setRotated(NodeImporter &node, const Rotation &rotation,
                                Value cosine, Value sine) {
  const Shape &x = node.getShape(0);
  Shape all = {rotation.batch, rotation.steps, rotation.heads, rotation.size};
  Value input = node.getAs(0, hasHeads(node) ? x : all);
  if (hasHeads(node))
    input = node.transpose(input, {0, 2, 1, 3});
  Value result = turnHeads(node, rotation, input, cosine, sine);
  if (hasHeads(node))
    result = node.transpose(result, {0, 2, 1, 3});
  return node.set(0, result, x);
}

Value dml::onnx::lookUp(NodeImporter &node, const Rotation &rotation,
                        unsigned index, Value positions) {
  int64_t batch = cast<RankedTensorType>(positions.getType()).getDimSize(2);
  Value rows = *node.build(
      "gather", {{"input", node.get(index)}, {"indices", positions}},
      {node.integer("axis", 2), node.integer("index_dimensions", 2)},
      node.getTensorType({1, batch, rotation.steps, rotation.pairs},
                         node.getType(index)));
  return node.reshape(rows, {batch, rotation.steps, 1, rotation.pairs});
}

/// Returns the positions, with the shape {1, 1, B or 1, S}. Input `index`
/// contains all of them, or only the first one, from which the others are
/// counted.
static FailureOr<Value> getPositions(NodeImporter &node,
                                     const Rotation &rotation, unsigned index) {
  int64_t batch = rotation.batch, steps = rotation.steps;
  std::optional<int64_t> count = countElements(node.getShape(index));
  bool isFirst = count == 1 && batch * steps != 1;
  if (!isFirst && count != batch * steps)
    return node.reject("its positions have the shape " +
                       describeShape(node.getShape(index)) +
                       ", but wanted are " + Twine(batch) + " times " +
                       Twine(steps) + ", or one");
  Shape places = {1, 1, isFirst ? 1 : batch, steps};
  if (!isFirst)
    return node.getAs(index, places);
  if (steps > Constant::maxFoldable)
    return node.reject("it has " + Twine(steps) + " positions, but wanted " +
                       "are at most " + Twine(Constant::maxFoldable));
  SmallVector<int64_t> offsets;
  for (int64_t step = 0; step < steps; ++step)
    offsets.push_back(step);
  Value steady = node.getConstant(
      Constant::get(node.getType(index), places, ArrayRef<int64_t>(offsets)),
      places);
  return node.combine("element_wise_add",
                      node.getBroadcast(index, places, Shape{1, 1, 1, 1}),
                      steady);
}

LogicalResult dml::onnx::verifyTables(NodeImporter &node, unsigned cosine,
                                      size_t rank) {
  const Shape &table = node.getShape(cosine);
  if (table.size() == rank && node.getShape(cosine + 1) == table &&
      table.back() <= INT32_MAX)
    return success();
  return node.reject("its tables have the shapes " + describeShape(table) +
                     " and " + describeShape(node.getShape(cosine + 1)) +
                     ", but wanted are " + Twine(rank) +
                     " dimensions, the same of both");
}

/// Imports com.microsoft's operator, whose inputs are the input, positions, and
/// tables indexed by position.
static LogicalResult importContribRotaryEmbedding(NodeImporter &node) {
  if (failed(node.wantInputs(4, 4)))
    return failure();
  // No provider of ONNX Runtime multiplies by scale. The other attribute lifts
  // a limit on the number of steps, which does not exist here.
  node.ignoreAttributes({"scale", "is_packed_batching"});
  if (failed(verifyTables(node, 2, 2)))
    return failure();
  FailureOr<Rotation> rotation = getRotation(node, node.getShape(2)[1]);
  if (failed(rotation))
    return failure();
  FailureOr<Value> positions = getPositions(node, *rotation, 1);
  if (failed(positions))
    return failure();
  return setRotated(node, *rotation, lookUp(node, *rotation, 2, *positions),
                    lookUp(node, *rotation, 3, *positions));
}

/// Imports ONNX's operator, whose inputs are the input and tables. If there are
/// positions, the tables are indexed by position. Otherwise, they have a row
/// for each step of a batch.
static LogicalResult importRotaryEmbedding(NodeImporter &node) {
  if (failed(node.wantInputs(3, 4)))
    return failure();
  bool hasPositions = node.hasInput(3);
  if (failed(verifyTables(node, 1, hasPositions ? 2 : 3)))
    return failure();
  const Shape &table = node.getShape(1);
  FailureOr<Rotation> rotation = getRotation(node, table.back());
  if (failed(rotation))
    return failure();
  int64_t batch = rotation->batch, steps = rotation->steps;
  if (hasPositions) {
    if (node.getShape(3) != Shape{batch, steps})
      return node.reject("its positions have the shape " +
                         describeShape(node.getShape(3)) + ", but wanted is " +
                         describeShape({batch, steps}));
    Value positions = node.getAs(3, {1, 1, batch, steps});
    return setRotated(node, *rotation, lookUp(node, *rotation, 1, positions),
                      lookUp(node, *rotation, 2, positions));
  }
  if (table[0] != batch || table[1] != steps)
    return node.reject("its tables have the shape " + describeShape(table) +
                       ", but wanted are rows for " + Twine(batch) + " times " +
                       Twine(steps) + " steps");
  Shape rows = {batch, steps, 1, rotation->pairs};
  return setRotated(node, *rotation, node.getAs(1, rows), node.getAs(2, rows));
}

void dml::onnx::addRotaryEmbeddingNodes(Registry &registry) {
  constexpr StringLiteral becomes =
      "SPLIT, ELEMENT_WISE_MULTIPLY, ELEMENT_WISE_ADD, "
      "ELEMENT_WISE_SUBTRACT, JOIN";
  registry.add("RotaryEmbedding", ("GATHER, " + becomes).str(),
               importContribRotaryEmbedding, "com.microsoft");
  registry.add("RotaryEmbedding", ("GATHER, " + becomes).str(),
               importRotaryEmbedding);
}
