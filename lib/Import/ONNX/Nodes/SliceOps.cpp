//===- SliceOps.cpp - Slice -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Folding/Evaluator.h"
#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// The elements that Slice selects along a dimension: `count` elements, from
/// `first` on in steps of `step`.
struct Steps {
  int64_t first = 0, step = 1, count = 0;

  /// Returns the size of the window that contains all steps.
  int64_t getSpan() const { return (count - 1) * std::abs(step) + 1; }
  int64_t getBegin() const { return step > 0 ? first : first - getSpan() + 1; }
};
} // namespace

/// Returns the steps from `start` to `end` in a dimension of `size` elements.
/// Numbers out of range are clamped.
static Steps getSteps(int64_t size, int64_t start, int64_t end, int64_t step) {
  auto clamp = [&](int64_t x, int64_t low, int64_t high) {
    if (x < 0)
      x = x < -size ? low : x + size;
    return std::clamp(x, low, high);
  };
  Steps steps;
  steps.step = step;
  if (size == 0)
    return steps;
  if (step > 0) {
    steps.first = clamp(start, 0, size);
    int64_t last = clamp(end, 0, size);
    steps.count = last > steps.first ? (last - steps.first - 1) / step + 1 : 0;
  } else {
    steps.first = clamp(start, 0, size - 1);
    int64_t last = clamp(end, -1, size - 1);
    steps.count = steps.first > last ? (steps.first - last - 1) / -step + 1 : 0;
  }
  return steps;
}

/// Returns the elements that Slice selects along each dimension of its input.
static FailureOr<SmallVector<Steps>> getSteps(NodeImporter &node) {
  const Shape &shape = node.getShape(0);
  Shape lists[4] = {
      node.getInts("starts"), node.getInts("ends"), node.getInts("axes"), {}};
  static constexpr llvm::StringLiteral names[] = {"the starts", "the ends",
                                                  "the axes", "the steps"};
  bool hasAxes = node.hasAttribute("axes"), hasSteps = false;
  if (node.getOpset() >= 10) {
    for (unsigned index = 0; index < 4; ++index)
      if (node.hasInput(index + 1)) {
        FailureOr<Shape> list = node.getIntegers(index + 1, names[index]);
        if (failed(list))
          return failure();
        lists[index] = *list;
      }
    hasAxes = node.hasInput(3);
    hasSteps = node.hasInput(4);
  }
  auto &[starts, ends, axes, steps] = lists;
  if (!hasAxes) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (!hasSteps)
    steps.assign(starts.size(), 1);
  if (starts.size() != ends.size() || starts.size() != axes.size() ||
      starts.size() != steps.size())
    return node.reject("it has " + Twine(starts.size()) + " starts, " +
                       Twine(ends.size()) + " ends, " + Twine(axes.size()) +
                       " axes and " + Twine(steps.size()) + " steps");
  FailureOr<Shape> dims = normalizeAxes(node, axes, shape.size());
  if (failed(dims))
    return failure();
  SmallVector<Steps> all(shape.size());
  for (auto [steps, size] : llvm::zip_equal(all, shape))
    steps.count = size;
  for (auto [start, end, dim, step] :
       llvm::zip_equal(starts, ends, *dims, steps)) {
    // Steps that exceed 32 bits select at most one element.
    if (step == 0)
      return node.reject("a step is 0, but wanted is another number");
    step = std::clamp<int64_t>(step, -int64_t{UINT32_MAX}, UINT32_MAX);
    all[dim] = getSteps(shape[dim], start, end, step);
    if (all[dim].count <= 1)
      all[dim].step = step > 0 ? 1 : -1;
    else if (step < INT32_MIN || step > INT32_MAX)
      return node.reject("a step is " + Twine(step) +
                         ", but wanted is a number of 32 bits");
  }
  return all;
}

static LogicalResult importSlice(NodeImporter &node) {
  if (failed(node.getOpset() >= 10 ? node.wantInputs(3, 5)
                                   : node.wantInputs(1, 1)))
    return failure();
  FailureOr<SmallVector<Steps>> all = getSteps(node);
  if (failed(all))
    return failure();
  const Shape &shape = node.getShape(0);
  Shape physical = toPhysical(shape), output;
  int64_t lead = getLead(shape);
  Shape offsets(physical.size(), 0), strides(physical.size(), 1),
      sizes = physical;
  for (auto [dim, steps] : llvm::enumerate(*all)) {
    output.push_back(steps.count);
    offsets[dim + lead] = steps.getBegin();
    sizes[dim + lead] = steps.getSpan();
    strides[dim + lead] = steps.step;
  }
  if (const Constant *constant = node.getSizes(0))
    return node.set(0,
                    pickElements(*constant, output, [&](ArrayRef<int64_t> at) {
                      Shape from;
                      for (auto [steps, index] : llvm::zip_equal(*all, at))
                        from.push_back(steps.first + steps.step * index);
                      return from;
                    }));
  if (isEmpty(output))
    return setEmpty(node, 0, node.getType(0), output);
  FailureOr<Value> result =
      node.build("slice1", {{"input", node.get(0)}},
                 {node.ints("input_window_offsets", offsets),
                  node.ints("input_window_sizes", sizes),
                  node.ints("input_window_strides", strides)},
                 node.getTensorType(toPhysical(output), node.getType(0)));
  return node.set(0, result, output);
}

void dml::onnx::addSliceNodes(Registry &registry) {
  registry.add("Slice", "SLICE1", importSlice);
}
