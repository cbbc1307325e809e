//===- ReductionOps.cpp - Operators that combine elements of axes ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Movement.h"
#include <numeric>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// The shape of `shape` with the dimensions `axes` of size 1, or without them.
static Shape reduceShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes,
                         bool keep) {
  Shape result;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(dim)))
      result.push_back(size);
    else if (keep)
      result.push_back(1);
  }
  return result;
}

/// The dimensions that a reduction combines, sorted: its axes, or all where it
/// names none and does not say that these are none.
static FailureOr<Shape> getReducedAxes(NodeImporter &node) {
  int64_t rank = node.getShape(0).size();
  FailureOr<Shape> axes = getAxes(node, rank);
  if (failed(axes))
    return failure();
  bool isNone = node.getInt("noop_with_empty_axes", 0) != 0;
  if (axes->empty() && !isNone) {
    axes->resize(rank);
    std::iota(axes->begin(), axes->end(), 0);
  }
  llvm::sort(*axes);
  return axes;
}

/// The mean of integers, which REDUCE does not have: their sum by their number,
/// rounded towards zero.
static Value averageIntegers(NodeImporter &node, Value input,
                             ArrayRef<int64_t> axes, RankedTensorType type) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= cast<RankedTensorType>(input.getType()).getDimSize(axis);
  Value sum = node.apply("reduce", input,
                         {node.enumCase("function", "reduce_function", "sum"),
                          node.ints("axes", axes)},
                         type);
  return node.combine("element_wise_divide", sum,
                      node.getSplat(node.getType(0), static_cast<double>(count),
                                    type.getShape()));
}

/// The function of REDUCE that does the same as `function` with sets of one
/// integer, which REDUCE has not for integers where it computes roots and
/// logarithms.
static StringRef getFunctionOfOne(StringRef function) {
  return function == "l2" ? "l1" : function == "log_sum_exp" ? "sum" : function;
}

static void addReduce(Registry &registry, StringRef name, StringRef function) {
  auto import = [=](NodeImporter &node) -> LogicalResult {
    if (failed(node.wantInputs(1, 2)))
      return failure();
    const Shape &shape = node.getShape(0);
    FailureOr<Shape> axes = getReducedAxes(node);
    if (failed(axes))
      return failure();
    Shape physical = toPhysical(shape), moved;
    auto lead = static_cast<int64_t>(physical.size() - shape.size());
    for (int64_t axis : *axes)
      moved.push_back(axis + lead);
    RankedTensorType type =
        node.getTensorType(reduceShape(physical, moved, true), node.getType(0));
    bool isInteger = !isa<FloatType>(type.getElementType());
    bool isOne = type.getShape() == ArrayRef<int64_t>(physical);
    // With no axes, each element is a set of its own, of which L1 is the
    // magnitude.
    Value output =
        function == "average" && isInteger
            ? averageIntegers(node, node.get(0), moved, type)
            : node.apply(
                  "reduce", node.get(0),
                  {node.enumCase("function", "reduce_function",
                                 isInteger && isOne ? getFunctionOfOne(function)
                                                    : function),
                   node.ints("axes", moved)},
                  type);
    return node.set(0, output,
                    reduceShape(shape, *axes, node.getInt("keepdims", 1) != 0));
  };
  registry.add(name, "REDUCE", import);
}

static void addArgument(Registry &registry, StringRef name,
                        StringRef mnemonic) {
  auto import = [=](NodeImporter &node) -> LogicalResult {
    if (failed(node.wantInputs(1, 1)))
      return failure();
    const Shape &shape = node.getShape(0);
    // A scalar has one element along any axis.
    FailureOr<int64_t> axis = node.normalizeAxis(
        node.getInt("axis", 0), std::max<size_t>(shape.size(), 1));
    if (failed(axis))
      return failure();
    Shape physical = toPhysical(shape);
    int64_t moved = *axis + physical.size() - std::max<size_t>(shape.size(), 1);
    FailureOr<Value> output = node.build(
        mnemonic, {{"input", node.get(0)}},
        {node.ints("axes", moved),
         node.enumCase("axis_direction", "axis_direction",
                       node.getInt("select_last_index", 0) ? "decreasing"
                                                           : "increasing")},
        node.getTensorType(reduceShape(physical, moved, true),
                           DataType::INT64));
    if (failed(output))
      return failure();
    return node.set(0, *output,
                    reduceShape(shape, *axis, node.getInt("keepdims", 1) != 0));
  };
  registry.add(name, mnemonic.upper(), import);
}

static LogicalResult importCumSum(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<double> given = node.getNumber(1, "the axis");
  if (failed(given))
    return failure();
  FailureOr<int64_t> axis =
      node.normalizeAxis(static_cast<int64_t>(*given), shape.size());
  if (failed(axis))
    return failure();
  Value input = node.get(0);
  int64_t lead = toPhysical(shape).size() - shape.size();
  FailureOr<Value> output = node.build(
      "cumulative_summation", {{"input", input}},
      {node.integer("axis", *axis + lead),
       node.enumCase("axis_direction", "axis_direction",
                     node.getInt("reverse", 0) ? "decreasing" : "increasing"),
       node.flag("has_exclusive_sum", node.getInt("exclusive", 0) != 0)},
      input.getType());
  return node.set(0, output, shape);
}

static LogicalResult importTopK(NodeImporter &node) {
  bool hasInput = node.getOpset() >= 10;
  if (failed(hasInput ? node.wantInputs(2, 2) : node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), shape.size());
  if (failed(axis))
    return failure();
  // TOP_K1 sorts, which is one of the orders that may be without this.
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

void dml::onnx::addReductionOperators(Registry &registry) {
  addReduce(registry, "ReduceSum", "sum");
  addReduce(registry, "ReduceMean", "average");
  addReduce(registry, "ReduceProd", "multiply");
  addReduce(registry, "ReduceLogSum", "log_sum");
  addReduce(registry, "ReduceLogSumExp", "log_sum_exp");
  addReduce(registry, "ReduceSumSquare", "sum_square");
  addReduce(registry, "ReduceL1", "l1");
  addReduce(registry, "ReduceL2", "l2");
  addReduce(registry, "ReduceMax", "max");
  addReduce(registry, "ReduceMin", "min");
  addArgument(registry, "ArgMax", "argmax");
  addArgument(registry, "ArgMin", "argmin");
  registry.add("CumSum", "CUMULATIVE_SUMMATION", importCumSum);
  registry.add("TopK", "TOP_K1", importTopK);
}
