//===- TileOps.cpp - Tile -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Returns the number of times that Tile repeats each dimension of its input.
/// Before version 6, one input is the number of times, and another input is the
/// dimension.
static FailureOr<Shape> getRepeats(NodeImporter &node) {
  if (node.getOpset() >= 6)
    return node.getIntegers(1, "the repeats");
  FailureOr<int64_t> count = getInteger(node, 1, "the number of tiles"),
                     axis = getInteger(node, 2, "the axis");
  if (failed(count) || failed(axis))
    return failure();
  axis = node.normalizeAxis(*axis, node.getShape(0).size());
  if (failed(axis))
    return failure();
  Shape repeats(node.getShape(0).size(), 1);
  repeats[*axis] = *count;
  return repeats;
}

/// Returns input 0, repeated by views, one dimension after the other.
static Value repeatByViews(NodeImporter &node, ArrayRef<int64_t> repeats) {
  Shape shape = node.getShape(0);
  Value value = node.get(0);
  for (auto [dim, count] : llvm::enumerate(repeats)) {
    if (count == 1)
      continue;
    int64_t outer = *countElements(ArrayRef(shape).take_front(dim)),
            inner = *countElements(ArrayRef(shape).drop_front(dim));
    value = node.repeat(node.reshape(value, {1, outer, 1, inner}),
                        {1, outer, count, inner});
    shape[dim] *= count;
  }
  return node.reshape(value, toPhysical(shape));
}

static LogicalResult importTile(NodeImporter &node) {
  unsigned count = node.getOpset() >= 6 ? 2 : 3;
  if (failed(node.wantInputs(count, count)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<Shape> repeats = getRepeats(node);
  if (failed(repeats))
    return failure();
  if (repeats->size() != shape.size())
    return node.reject("it has " + Twine(repeats->size()) +
                       " repeats, but wanted are " + Twine(shape.size()));
  Shape output;
  for (auto [size, repeat] : llvm::zip_equal(shape, *repeats)) {
    if (repeat < 0 || repeat > UINT32_MAX)
      return node.reject("it repeats a dimension " + Twine(repeat) +
                         " times, but wanted is 0 to 2^32 - 1");
    output.push_back(size * repeat);
  }
  if (failed(wantTensor(node, output)))
    return failure();
  if (isEmpty(output))
    return setEmpty(node, 0, node.getType(0), output);
  // DirectML's operator does not support f64.
  if (node.getType(0) == DataType::FLOAT64)
    return node.set(0, repeatByViews(node, *repeats), output);
  Shape all(getLead(shape), 1);
  all.append(repeats->begin(), repeats->end());
  FailureOr<Value> result =
      node.build("tile", {{"input", node.get(0)}}, node.ints("repeats", all),
                 node.getTensorType(toPhysical(output), node.getType(0)));
  return node.set(0, result, output);
}

void dml::onnx::addTileNodes(Registry &registry) {
  registry.add("Tile", "TILE", importTile);
}
