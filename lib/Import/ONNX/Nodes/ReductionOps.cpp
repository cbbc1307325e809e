//===- ReductionOps.cpp - Nodes that combine elements of axes -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include <numeric>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Returns `shape` with the dimensions `axes` reduced to size 1 or removed.
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

/// Returns the dimensions that a reduction combines, in ascending order: its
/// axes. If no axes are given, these are all dimensions, unless an attribute
/// states that there are none.
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

/// Computes the mean of integers, which REDUCE does not support: their sum
/// divided by their number, rounded towards zero.
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

/// Returns a function of REDUCE that is equal to `function` for sets of one
/// integer. REDUCE does not support functions with roots and logarithms for
/// integers.
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
    // Without axes, each element forms a set, whose L1 norm is its magnitude.
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

void dml::onnx::addReductionNodes(Registry &registry) {
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
}
