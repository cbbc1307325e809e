//===- SortOps.cpp - Nodes that look for elements -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

static LogicalResult importTopK(NodeImporter &node) {
  bool hasInput = node.getOpset() >= 10;
  if (failed(hasInput ? node.wantInputs(2, 2) : node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), shape.size());
  if (failed(axis))
    return failure();
  // TOP_K1 sorts, which is a valid order for unsorted results as well.
  node.ignoreAttributes({"sorted"});
  bool isLargest = node.getInt("largest", 1) != 0;
  int64_t k = hasInput ? 0 : node.getInt("k", 0);
  if (hasInput) {
    FailureOr<Shape> given = node.getIntegers(1, "the number of elements");
    if (failed(given))
      return failure();
    if (given->size() != 1)
      return node.reject("the number of elements is no single one");
    k = given->front();
  }
  if (k < 0 || k > shape[*axis])
    return node.reject("it takes " + Twine(k) + " of " + Twine(shape[*axis]) +
                       " elements");
  Shape output = shape;
  output[*axis] = k;
  if (isEmpty(output))
    return failure(failed(setEmpty(node, 0, node.getType(0), output)) ||
                   failed(setEmpty(node, 1, DataType::INT64, output)));
  Shape physical = toPhysical(output);
  int64_t lead = physical.size() - shape.size();
  FailureOr<SmallVector<Value>> results =
      node.buildAll("top_k1", {{"input", node.get(0)}},
                    {node.integer("axis", *axis + lead), node.integer("k", k),
                     node.enumCase("axis_direction", "axis_direction",
                                   isLargest ? "decreasing" : "increasing")},
                    {node.getTensorType(physical, node.getType(0)),
                     node.getTensorType(physical, DataType::UINT64)});
  if (failed(results) || failed(node.set(0, results->front(), output)))
    return failure();
  return node.set(1, node.bitcast(results->back(), DataType::INT64), output);
}

/// Imports NonZero. The number of nonzero elements is only known for constants,
/// and small constants have already been evaluated.
static LogicalResult importNonZero(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  if (node.getInput(0).constant)
    return node.reject("its input has " +
                       Twine(node.getInput(0).constant->getNumElements()) +
                       " elements, but wanted are " +
                       Twine(Constant::maxFoldable) + " at most");
  return node.reject("its elements are computed when the model runs, but the "
                     "shape of its result depends on them");
}

/// Imports Unique or NonMaxSuppression. The size of the result is only known
/// for constants.
static LogicalResult importSizedByData(NodeImporter &node) {
  return node.reject("the shape of its result depends on its data, but "
                     "DirectML's sizes are static");
}

void dml::onnx::addSortNodes(Registry &registry) {
  registry.add("TopK", "TOP_K1", importTopK);
  registry.add("NonZero", "computed by the importer", importNonZero);
  registry.add("Unique", "computed by the importer", importSizedByData);
  registry.add("NonMaxSuppression", "computed by the importer",
               importSizedByData);
}
