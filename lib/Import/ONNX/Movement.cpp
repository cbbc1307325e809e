//===- Movement.cpp - Operators that move elements ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// The leading 1s that `shape` has as an operand.
static int64_t getLead(ArrayRef<int64_t> shape) {
  return static_cast<int64_t>(toPhysical(shape).size() - shape.size());
}

static LogicalResult importConcat(NodeImporter &node) {
  unsigned count = node.getNumInputs();
  if (count == 0 || failed(node.wantInputs(count, count)))
    return node.reject("it has no inputs");
  Shape shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 1), shape.size());
  if (failed(axis))
    return failure();
  shape[*axis] = 0;
  SmallVector<Value> inputs;
  for (unsigned index = 0; index < count; ++index) {
    Shape next = node.getShape(index);
    if (next.size() != shape.size())
      return node.reject("its inputs have " + Twine(shape.size()) + " and " +
                         Twine(next.size()) + " dimensions");
    shape[*axis] += next[*axis];
    next[*axis] = shape[*axis];
    if (next != shape)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", which does not fit the others");
    // Empty inputs add nothing.
    if (*countElements(node.getShape(index)) != 0)
      inputs.push_back(node.get(index));
  }
  if (inputs.empty())
    return node.reject("all of its inputs are empty");
  if (inputs.size() == 1)
    return node.set(0, inputs[0], shape);
  FailureOr<Value> output =
      node.build("join", {{"inputs", inputs}},
                 node.integer("axis", *axis + getLead(shape)),
                 node.getTensorType(toPhysical(shape), node.getType(0)));
  return node.set(0, output, shape);
}

static LogicalResult importSplit(NodeImporter &node) {
  if (failed(node.wantInputs(1, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), shape.size());
  if (failed(axis))
    return failure();
  Shape sizes = node.getInts("split");
  if (node.hasInput(1)) {
    FailureOr<Shape> given = node.getIntegers(1, "the sizes of the parts");
    if (failed(given))
      return failure();
    sizes = *given;
  }
  unsigned count = node.getNumOutputs();
  if (int64_t stated = node.getInt("num_outputs", count); stated != count)
    return node.reject("its attribute num_outputs is " + Twine(stated) +
                       ", but it has " + Twine(count) + " outputs");
  int64_t size = shape[*axis];
  if (sizes.empty()) {
    // Equal parts; the last may be smaller.
    int64_t part = (size + count - 1) / count;
    for (unsigned index = 0; index < count; ++index)
      sizes.push_back(std::min(part, size - std::min(size, part * index)));
  }
  int64_t sum = 0;
  for (int64_t part : sizes)
    if (part < 1 || part > size || (sum += part) > size)
      return node.reject("a part of size " + Twine(part) +
                         " does not fit the size " + Twine(size));
  if (sizes.size() != count || sum != size)
    return node.reject("it splits size " + Twine(size) + " into " +
                       Twine(sizes.size()) + " parts of " + Twine(sum) +
                       " together, but has " + Twine(count) + " outputs");
  SmallVector<Type> types;
  SmallVector<Shape> shapes;
  for (int64_t part : sizes) {
    shapes.push_back(shape);
    shapes.back()[*axis] = part;
    types.push_back(
        node.getTensorType(toPhysical(shapes.back()), node.getType(0)));
  }
  if (count == 1)
    return node.setView(0, 0, shape);
  if (const Constant *constant = node.getSizes(0)) {
    int64_t begin = 0;
    for (unsigned index = 0; index < count; ++index) {
      auto pick = [&](ArrayRef<int64_t> at) {
        Shape from(at);
        from[*axis] += begin;
        return from;
      };
      if (failed(node.set(index, pickElements(*constant, shapes[index], pick))))
        return failure();
      begin += sizes[index];
    }
    return success();
  }
  FailureOr<SmallVector<Value>> outputs =
      node.buildAll("split", {{"input", node.get(0)}},
                    node.integer("axis", *axis + getLead(shape)), types);
  if (failed(outputs))
    return failure();
  for (unsigned index = 0; index < count; ++index)
    if (failed(node.set(index, (*outputs)[index], shapes[index])))
      return failure();
  return success();
}

static LogicalResult importSlice(NodeImporter &node) {
  bool hasInputs = node.getOpset() >= 10;
  if (failed(hasInputs ? node.wantInputs(3, 5) : node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  Shape lists[4] = {
      node.getInts("starts"), node.getInts("ends"), node.getInts("axes"), {}};
  static constexpr llvm::StringLiteral names[] = {"the starts", "the ends",
                                                  "the axes", "the steps"};
  if (hasInputs)
    for (unsigned index = 0; index < 4; ++index)
      if (node.hasInput(index + 1)) {
        FailureOr<Shape> list = node.getIntegers(index + 1, names[index]);
        if (failed(list))
          return failure();
        lists[index] = *list;
      }
  auto &[starts, ends, axes, steps] = lists;
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (steps.empty())
    steps.assign(starts.size(), 1);
  if (starts.size() != ends.size() || starts.size() != axes.size() ||
      starts.size() != steps.size())
    return node.reject("it has " + Twine(starts.size()) + " starts, " +
                       Twine(ends.size()) + " ends, " + Twine(axes.size()) +
                       " axes and " + Twine(steps.size()) + " steps");
  Shape physical = toPhysical(shape);
  int64_t lead = getLead(shape);
  Shape offsets(physical.size(), 0), strides(physical.size(), 1);
  Shape sizes = physical, output = shape;
  Shape firsts(shape.size(), 0), strideOf(shape.size(), 1);
  for (auto [start, end, axis, step] :
       llvm::zip_equal(starts, ends, axes, steps)) {
    FailureOr<int64_t> dim = node.normalizeAxis(axis, shape.size());
    if (failed(dim))
      return failure();
    int64_t size = shape[*dim];
    if (step == 0 || step < INT32_MIN || step > INT32_MAX)
      return node.reject("a step is " + Twine(step) +
                         ", but wanted is a number of 32 bits that is not 0");
    // Sizes that fall out of a range are clamped to it.
    auto clamp = [&](int64_t x, int64_t low, int64_t high) {
      if (x < 0)
        x = x < -size ? low : x + size;
      return std::clamp(x, low, high);
    };
    int64_t first, count;
    if (step > 0) {
      first = clamp(start, 0, size);
      int64_t last = clamp(end, 0, size);
      count = last > first ? (last - first - 1) / step + 1 : 0;
    } else {
      first = clamp(start, 0, size - 1);
      int64_t last = clamp(end, -1, size - 1);
      count = first > last ? (first - last - 1) / -step + 1 : 0;
    }
    output[*dim] = count;
    firsts[*dim] = first;
    strideOf[*dim] = step;
    // The window that the steps stay in, from its first element on.
    int64_t span = (count - 1) * std::abs(step) + 1;
    offsets[*dim + lead] = step > 0 ? first : first - span + 1;
    sizes[*dim + lead] = span;
    strides[*dim + lead] = step;
  }
  if (const Constant *constant = node.getSizes(0))
    return node.set(0,
                    pickElements(*constant, output, [&](ArrayRef<int64_t> at) {
                      Shape from;
                      for (auto [first, step, index] :
                           llvm::zip_equal(firsts, strideOf, at))
                        from.push_back(first + step * index);
                      return from;
                    }));
  if (llvm::is_contained(output, 0))
    return node.reject("it takes no elements, but DirectML's tensors have "
                       "one at least");
  FailureOr<Value> result =
      node.build("slice1", {{"input", node.get(0)}},
                 {node.ints("input_window_offsets", offsets),
                  node.ints("input_window_sizes", sizes),
                  node.ints("input_window_strides", strides)},
                 node.getTensorType(toPhysical(output), node.getType(0)));
  return node.set(0, result, output);
}

static LogicalResult importPad(NodeImporter &node) {
  bool hasInputs = node.getOpset() >= 11;
  if (failed(hasInputs ? node.wantInputs(2, 4) : node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  // Opset 1 has another name for them.
  Shape pads = node.getInts(node.getOpset() < 2 ? "paddings" : "pads"), axes;
  double value = node.getFloat("value", 0);
  if (hasInputs) {
    FailureOr<Shape> given = node.getIntegers(1, "the pads");
    if (failed(given))
      return failure();
    pads = *given;
    if (node.hasInput(2)) {
      FailureOr<double> number = node.getNumber(2, "the padding value");
      if (failed(number))
        return failure();
      value = *number;
    }
    if (node.hasInput(3)) {
      FailureOr<Shape> list = node.getIntegers(3, "the axes");
      if (failed(list))
        return failure();
      axes = *list;
    }
  }
  if (axes.empty()) {
    axes.resize(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (pads.size() != 2 * axes.size())
    return node.reject("it has " + Twine(pads.size()) +
                       " pads, but wanted are " + Twine(2 * axes.size()));
  Shape physical = toPhysical(shape), output = shape;
  int64_t lead = getLead(shape);
  Shape start(physical.size(), 0), end(physical.size(), 0);
  for (auto [index, axis] : llvm::enumerate(axes)) {
    FailureOr<int64_t> dim = node.normalizeAxis(axis, shape.size());
    if (failed(dim))
      return failure();
    int64_t before = pads[index], after = pads[axes.size() + index];
    if (before < 0 || after < 0 || before > UINT32_MAX || after > UINT32_MAX)
      return node.reject("its pads are " + Twine(before) + " and " +
                         Twine(after) +
                         " in a dimension, but DirectML's are from 0 to "
                         "2^32 - 1");
    start[*dim + lead] = before;
    end[*dim + lead] = after;
    output[*dim] += before + after;
  }
  StringRef mode = node.getString("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" &&
      mode != "wrap")
    return node.reject("its mode is '" + mode +
                       "', but wanted is constant, edge, reflect or wrap");
  FailureOr<Value> result = node.build(
      "padding1", {{"input", node.get(0)}},
      {node.enumCase("mode", "padding_mode",
                     mode == "reflect" ? "reflection" : mode),
       node.scalar("padding_value", node.getType(0), value),
       node.ints("start_padding", start), node.ints("end_padding", end)},
      node.getTensorType(toPhysical(output), node.getType(0)));
  return node.set(0, result, output);
}

static LogicalResult importGather(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &data = node.getShape(0), &indices = node.getShape(1);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), data.size());
  if (failed(axis))
    return failure();
  Shape output(data.begin(), data.begin() + *axis);
  output.append(indices.begin(), indices.end());
  output.append(data.begin() + *axis + 1, data.end());
  // DirectML's tensors have one rank, r, and the indices' last dimensions stand
  // in place of the axis: leading 1s make room for them.
  size_t rank = std::max<size_t>(
      {4, data.size() + std::max<size_t>(indices.size(), 1) - 1, indices.size(),
       output.size()});
  auto lead = [&](const Shape &shape) {
    Shape result(rank - shape.size(), 1);
    result.append(shape.begin(), shape.end());
    return result;
  };
  size_t indexRank = std::max<size_t>(indices.size(), 1);
  Shape physicalOutput = lead(output);
  FailureOr<Value> result =
      node.build("gather",
                 {{"input", node.getAs(0, lead(data))},
                  {"indices", node.getAs(1, lead(indices))}},
                 {node.integer("axis", *axis + rank - data.size()),
                  node.integer("index_dimensions", indexRank)},
                 node.getTensorType(physicalOutput, node.getType(0)));
  return node.set(0, result, output);
}

/// Gathers those slices along an axis, or else elements, that a condition
/// names.
static LogicalResult importCompress(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  FailureOr<Shape> condition =
      node.getIntegers(1, "the elements of its condition");
  if (failed(condition))
    return failure();
  Shape shape = node.getShape(0);
  if (!node.hasAttribute("axis"))
    shape = {*countElements(shape)};
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), shape.size());
  if (failed(axis))
    return failure();
  int64_t size = shape[*axis];
  SmallVector<int64_t> kept;
  for (auto [index, isKept] : llvm::enumerate(*condition))
    if (isKept != 0)
      kept.push_back(static_cast<int64_t>(index));
  if (static_cast<int64_t>(condition->size()) > size || kept.empty())
    return node.reject("its condition keeps " + Twine(kept.size()) + " of " +
                       Twine(condition->size()) + " elements, but wanted is " +
                       "one at least, of " + Twine(size) + " at most");
  auto count = static_cast<int64_t>(kept.size());
  Shape view = {1, *countElements(ArrayRef(shape).take_front(*axis)), size,
                *countElements(ArrayRef(shape).drop_front(*axis + 1))};
  Shape picked = {1, view[1], count, view[3]}, indices = {1, 1, 1, count};
  FailureOr<Value> result = node.build(
      "gather",
      {{"input", node.getAs(0, view)},
       {"indices", node.getConstant(Constant::get(DataType::INT64, indices,
                                                  ArrayRef<int64_t>(kept)),
                                    indices)}},
      {node.integer("axis", 2), node.integer("index_dimensions", 1)},
      node.getTensorType(picked, node.getType(0)));
  shape[*axis] = count;
  return node.set(0, result, shape);
}

static LogicalResult importGatherElements(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &data = node.getShape(0), &indices = node.getShape(1);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), data.size());
  if (failed(axis))
    return failure();
  FailureOr<Value> result = node.build(
      "gather_elements", {{"input", node.get(0)}, {"indices", node.get(1)}},
      node.integer("axis", *axis + getLead(data)),
      node.getTensorType(toPhysical(indices), node.getType(0)));
  return node.set(0, result, indices);
}

static LogicalResult importTranspose(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  Shape permutation = node.getInts("perm");
  if (permutation.empty())
    for (size_t dim = shape.size(); dim-- > 0;)
      permutation.push_back(static_cast<int64_t>(dim));
  Shape sorted = permutation;
  llvm::sort(sorted);
  for (auto [dim, value] : llvm::enumerate(sorted))
    if (value != static_cast<int64_t>(dim) || sorted.size() != shape.size())
      return node.reject("its attribute perm does not list each of " +
                         Twine(shape.size()) + " dimensions once");
  if (sorted.size() != shape.size())
    return node.reject("its attribute perm does not list each of " +
                       Twine(shape.size()) + " dimensions once");
  int64_t lead = getLead(shape);
  Shape physical(lead);
  std::iota(physical.begin(), physical.end(), 0);
  Shape output;
  for (int64_t dim : permutation) {
    physical.push_back(dim + lead);
    output.push_back(shape[dim]);
  }
  if (const Constant *constant = node.getSizes(0))
    return node.set(0,
                    pickElements(*constant, output, [&](ArrayRef<int64_t> at) {
                      Shape from(at.size());
                      for (auto [dim, index] : llvm::zip_equal(permutation, at))
                        from[dim] = index;
                      return from;
                    }));
  return node.set(0, node.transpose(node.get(0), physical), output);
}

static LogicalResult importExpand(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  FailureOr<Shape> sizes = node.getIntegers(1, "the sizes");
  if (failed(sizes))
    return failure();
  std::optional<Shape> shape = broadcastShapes(node.getShape(0), *sizes);
  if (!shape || !countElements(*shape) || *countElements(*shape) == 0)
    return node.reject(
        "its input has the shape " + describeShape(node.getShape(0)) +
        ", which does not broadcast to " + describeShape(*sizes));
  return node.set(0, node.getBroadcast(0, toPhysical(*shape)), *shape);
}

static LogicalResult importTile(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<Shape> repeats = node.getIntegers(1, "the repeats");
  if (failed(repeats))
    return failure();
  if (repeats->size() != shape.size())
    return node.reject("it has " + Twine(repeats->size()) +
                       " repeats, but wanted are " + Twine(shape.size()));
  Shape output;
  for (auto [size, repeat] : llvm::zip_equal(shape, *repeats)) {
    if (repeat < 1 || repeat > UINT32_MAX)
      return node.reject("it repeats a dimension " + Twine(repeat) +
                         " times, but wanted is 1 to 2^32 - 1");
    output.push_back(size * repeat);
  }
  Shape all(getLead(shape), 1);
  all.append(repeats->begin(), repeats->end());
  FailureOr<Value> result =
      node.build("tile", {{"input", node.get(0)}}, node.ints("repeats", all),
                 node.getTensorType(toPhysical(output), node.getType(0)));
  return node.set(0, result, output);
}

static LogicalResult importDepthToSpace(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  int64_t block = node.getInt("blocksize", 0);
  if (shape.size() != 4 || block < 1 || block > UINT16_MAX ||
      shape[1] % (block * block) != 0)
    return node.reject("its input has the shape " + describeShape(shape) +
                       " and its blocks the size " + Twine(block) +
                       ", which do not fit");
  StringRef mode = node.getString("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    return node.reject("its mode is '" + mode + "', but wanted is DCR or CRD");
  Shape output = {shape[0], shape[1] / (block * block), shape[2] * block,
                  shape[3] * block};
  FailureOr<Value> result = node.build(
      "depth_to_space1", {{"input", node.get(0)}},
      {node.integer("block_size", block),
       node.enumCase("order", "depth_space_order",
                     mode == "DCR" ? "depth_column_row" : "column_row_depth")},
      node.getTensorType(output, node.getType(0)));
  return node.set(0, result, output);
}

static LogicalResult importSpaceToDepth(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  int64_t block = node.getInt("blocksize", 0);
  if (shape.size() != 4 || block < 1 || block > UINT16_MAX ||
      shape[2] % block != 0 || shape[3] % block != 0)
    return node.reject("its input has the shape " + describeShape(shape) +
                       " and its blocks the size " + Twine(block) +
                       ", which do not fit");
  Shape output = {shape[0], shape[1] * block * block, shape[2] / block,
                  shape[3] / block};
  FailureOr<Value> result =
      node.build("space_to_depth", {{"input", node.get(0)}},
                 node.integer("block_size", block),
                 node.getTensorType(output, node.getType(0)));
  return node.set(0, result, output);
}

void dml::onnx::addMovementOperators(Registry &registry) {
  registry.add("Concat", "JOIN", importConcat);
  registry.add("Split", "SPLIT", importSplit);
  registry.add("Slice", "SLICE1", importSlice);
  registry.add("Pad", "PADDING1", importPad);
  registry.add("Gather", "GATHER", importGather);
  registry.add("Compress", "GATHER", importCompress);
  registry.add("GatherElements", "GATHER_ELEMENTS", importGatherElements);
  registry.add("Transpose", "a view", importTranspose);
  registry.add("Expand", "a view", importExpand);
  registry.add("Tile", "TILE", importTile);
  registry.add("DepthToSpace", "DEPTH_TO_SPACE1", importDepthToSpace);
  registry.add("SpaceToDepth", "SPACE_TO_DEPTH", importSpaceToDepth);
}
