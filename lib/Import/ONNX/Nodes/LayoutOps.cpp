//===- LayoutOps.cpp - Operators that move elements -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Movement.h"
#include "dml/IR/Layout.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

//===----------------------------------------------------------------------===//
// What several operators share
//===----------------------------------------------------------------------===//

LogicalResult dml::onnx::wantTensor(NodeImporter &node, const Shape &shape) {
  if (shape.size() > maxRank)
    return node.reject("its output has the shape " + describeShape(shape) +
                       ", but DirectML's tensors have at most " +
                       Twine(maxRank) + " dimensions");
  if (!countElements(shape))
    return node.reject("its output has the shape " + describeShape(shape) +
                       ", but DirectML's tensors have at most 2^32 - 1 "
                       "elements");
  return success();
}

LogicalResult dml::onnx::setEmpty(NodeImporter &node, unsigned index,
                                  DataType type, Shape shape) {
  // There are no elements that the inputs could have a bearing on.
  for (unsigned input = 0; input < node.getNumInputs(); ++input)
    node.ignoreInput(input);
  return node.set(index, Constant(type, std::move(shape), {}, nullptr));
}

NamedAttribute dml::onnx::getScalar(NodeImporter &node, StringRef name,
                                    const Constant &constant) {
  Type element =
      getElementType(constant.getType(), node.getBuilder().getContext());
  uint64_t bits = 0;
  // Models are little-endian, as are the hosts that dml runs on.
  std::memcpy(&bits, constant.getData(), getByteWidth(constant.getType()));
  llvm::APInt value(element.getIntOrFloatBitWidth(), bits, /*isSigned=*/false,
                    /*implicitTrunc=*/true);
  if (auto type = dyn_cast<FloatType>(element))
    return node.attr(
        name,
        FloatAttr::get(type, llvm::APFloat(type.getFloatSemantics(), value)));
  return node.attr(name, IntegerAttr::get(element, value));
}

FailureOr<int64_t> dml::onnx::getInteger(NodeImporter &node, unsigned index,
                                         StringRef what) {
  FailureOr<double> number = node.getNumber(index, what);
  if (failed(number))
    return failure();
  const Constant &constant = *node.getInput(index).constant;
  if (!constant.isFloat())
    return constant.getIntegers()[0];
  if (!(std::abs(*number) <= 0x1p62))
    return node.reject(what + " is " + describeNumber(*number) +
                       ", but wanted is an integer");
  return static_cast<int64_t>(*number);
}

FailureOr<Shape> dml::onnx::wantInts(NodeImporter &node, StringRef name) {
  if (!node.hasAttribute(name))
    return node.reject("it lacks the attribute " + name);
  return node.getInts(name);
}

Value dml::onnx::takePart(NodeImporter &node, Value value,
                          ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == sizes)
    return value;
  return node.apply("slice1", value,
                    {node.ints("input_window_offsets", offsets),
                     node.ints("input_window_sizes", sizes),
                     node.ints("input_window_strides", Shape(sizes.size(), 1))},
                    type.clone(sizes));
}

FailureOr<Shape> dml::onnx::getAxes(NodeImporter &node, int64_t rank) {
  Shape axes = node.getInts("axes");
  if (node.hasInput(1)) {
    FailureOr<Shape> given = node.getIntegers(1, "the axes");
    if (failed(given))
      return failure();
    axes = *given;
  }
  for (int64_t &axis : axes) {
    FailureOr<int64_t> normal = node.normalizeAxis(axis, rank);
    if (failed(normal))
      return failure();
    axis = *normal;
  }
  return axes;
}

FailureOr<Shape> dml::onnx::normalizeAxes(NodeImporter &node,
                                          ArrayRef<int64_t> axes,
                                          int64_t rank) {
  Shape result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normal = node.normalizeAxis(axis, rank);
    if (failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal))
      return node.reject("its axis " + Twine(axis) + " stands twice");
    result.push_back(*normal);
  }
  return result;
}

std::string dml::onnx::describeList(ArrayRef<int64_t> list) {
  std::string text;
  for (int64_t number : list)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string dml::onnx::describeNumber(double number) {
  if (std::floor(number) == number && std::abs(number) < 0x1p53)
    return std::to_string(static_cast<int64_t>(number));
  return llvm::formatv("{0}", number);
}

LogicalResult dml::onnx::wantIndices(NodeImporter &node, unsigned index,
                                     int64_t size) {
  const std::optional<Constant> &constant = node.getInput(index).constant;
  if (!constant || !constant->isFoldable() || constant->isFloat())
    return success();
  for (int64_t value : constant->getIntegers())
    if (value < -size || value >= size)
      return node.reject("its index " + Twine(value) + " is outside of the " +
                         Twine(size) + " elements of its axis");
  return success();
}

/// The leading 1s that `shape` has as an operand.
static int64_t getLead(ArrayRef<int64_t> shape) {
  return static_cast<int64_t>(toPhysical(shape).size() - shape.size());
}

//===----------------------------------------------------------------------===//
// Concat, Split, Slice and Pad
//===----------------------------------------------------------------------===//

static LogicalResult importConcat(NodeImporter &node) {
  unsigned count = node.getNumInputs();
  if (count == 0)
    return node.reject("it has no inputs, but wanted is one at least");
  if (failed(node.wantInputs(count, count)))
    return failure();
  Shape shape = node.getShape(0);
  // From version 4 on the axis has to be stated.
  if (node.getOpset() >= 4 && !node.hasAttribute("axis"))
    return node.reject("it lacks the attribute axis");
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
    if (node.getType(index) != node.getType(0))
      return node.reject("its input " + Twine(index) +
                         " has another element type than the first");
    shape[*axis] += next[*axis];
    next[*axis] = shape[*axis];
    if (next != shape)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", which does not fit the others");
    // Empty inputs add nothing.
    if (isEmpty(node.getShape(index)))
      node.ignoreInput(index);
    else
      inputs.push_back(node.get(index));
  }
  if (failed(wantTensor(node, shape)))
    return failure();
  if (inputs.empty())
    return setEmpty(node, 0, node.getType(0), shape);
  if (inputs.size() == 1)
    return node.set(0, inputs[0], shape);
  FailureOr<Value> output =
      node.build("join", {{"inputs", inputs}},
                 node.integer("axis", *axis + getLead(shape)),
                 node.getTensorType(toPhysical(shape), node.getType(0)));
  return node.set(0, output, shape);
}

/// The sizes of the parts that Split makes of `size`.
static FailureOr<Shape> getParts(NodeImporter &node, int64_t size) {
  Shape sizes = node.getInts("split");
  bool isStated = node.hasAttribute("split");
  if (node.hasInput(1)) {
    FailureOr<Shape> given = node.getIntegers(1, "the sizes of the parts");
    if (failed(given))
      return failure();
    sizes = *given;
    isStated = true;
  }
  auto count = std::max<int64_t>(node.getNumOutputs(), 1);
  if (node.hasAttribute("num_outputs")) {
    int64_t stated = node.getInt("num_outputs", count);
    if (isStated)
      return node.reject("it has both num_outputs and the sizes of its parts, "
                         "but wanted is one of them");
    if (stated != count)
      return node.reject("its attribute num_outputs is " + Twine(stated) +
                         ", but it has " + Twine(count) + " outputs");
  }
  if (!isStated) {
    // Equal parts; from version 18 on the last may be smaller.
    int64_t part = (size + count - 1) / count, last = size - part * (count - 1);
    if (last < 0 || (last != part && node.getOpset() < 18))
      return node.reject("it splits size " + Twine(size) + " into " +
                         Twine(count) + " parts, which cannot be equal");
    sizes.assign(count - 1, part);
    sizes.push_back(last);
  }
  int64_t sum = 0;
  for (int64_t part : sizes)
    if (part < 0 || part > size || (sum += part) > size)
      return node.reject("a part of size " + Twine(part) +
                         " does not fit the size " + Twine(size));
  if (static_cast<int64_t>(sizes.size()) != count || sum != size)
    return node.reject("it splits size " + Twine(size) + " into " +
                       Twine(sizes.size()) + " parts of " + Twine(sum) +
                       " together, but has " + Twine(count) + " outputs");
  return sizes;
}

/// Sets the outputs of a Split along `axis` whose input is a constant.
static LogicalResult splitConstant(NodeImporter &node, const Constant &constant,
                                   ArrayRef<Shape> shapes, int64_t axis) {
  int64_t begin = 0;
  for (auto [index, shape] : llvm::enumerate(shapes)) {
    auto pick = [&](ArrayRef<int64_t> at) {
      Shape from(at);
      from[axis] += begin;
      return from;
    };
    if (failed(node.set(index, pickElements(constant, shape, pick))))
      return failure();
    begin += shape[axis];
  }
  return success();
}

static LogicalResult importSplit(NodeImporter &node) {
  if (failed(node.wantInputs(1, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), shape.size());
  if (failed(axis))
    return failure();
  FailureOr<Shape> sizes = getParts(node, shape[*axis]);
  if (failed(sizes))
    return failure();
  SmallVector<Type> types;
  SmallVector<Shape> shapes;
  for (int64_t part : *sizes) {
    shapes.push_back(shape);
    shapes.back()[*axis] = part;
    if (!isEmpty(shapes.back()))
      types.push_back(
          node.getTensorType(toPhysical(shapes.back()), node.getType(0)));
  }
  if (shapes.size() == 1)
    return node.setView(0, 0, shape);
  if (const Constant *constant = node.getSizes(0))
    return splitConstant(node, *constant, shapes, *axis);
  SmallVector<Value> parts;
  if (types.size() == 1) {
    parts.push_back(node.get(0));
  } else if (!types.empty()) {
    FailureOr<SmallVector<Value>> outputs =
        node.buildAll("split", {{"input", node.get(0)}},
                      node.integer("axis", *axis + getLead(shape)), types);
    if (failed(outputs))
      return failure();
    parts = *outputs;
  }
  auto *next = parts.begin();
  for (auto [index, part] : llvm::enumerate(shapes))
    if (failed(isEmpty(part) ? setEmpty(node, index, node.getType(0), part)
                             : node.set(index, *next++, part)))
      return failure();
  return success();
}

namespace {
/// What Slice takes along a dimension: every `step`th element from `first` on,
/// `count` of them.
struct Steps {
  int64_t first = 0, step = 1, count = 0;

  /// The window that the steps stay in.
  int64_t getSpan() const { return (count - 1) * std::abs(step) + 1; }
  int64_t getBegin() const { return step > 0 ? first : first - getSpan() + 1; }
};
} // namespace

/// The steps from `start` to `end` in a dimension of `size`. Numbers that fall
/// out of its range are clamped to it.
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

/// What Slice takes along each dimension of its input.
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
    // Steps beyond 32 bits take one element at most.
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

/// The numbers of elements that Pad adds before and after the dimensions of its
/// input; those below 0 are taken away.
static FailureOr<std::pair<Shape, Shape>> getPads(NodeImporter &node) {
  bool hasInputs = node.getOpset() >= 11;
  const Shape &shape = node.getShape(0);
  // Version 1 has another name for them.
  Shape pads = node.getInts(node.getOpset() < 2 ? "paddings" : "pads"), axes;
  if (hasInputs) {
    FailureOr<Shape> given = node.getIntegers(1, "the pads");
    if (failed(given))
      return failure();
    pads = *given;
  }
  if (hasInputs && node.hasInput(3)) {
    FailureOr<Shape> list = node.getIntegers(3, "the axes");
    if (failed(list))
      return failure();
    axes = *list;
  } else {
    axes.resize(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (pads.size() != 2 * axes.size())
    return node.reject("it has " + Twine(pads.size()) +
                       " pads, but wanted are " + Twine(2 * axes.size()));
  FailureOr<Shape> dims = normalizeAxes(node, axes, shape.size());
  if (failed(dims))
    return failure();
  Shape before(shape.size(), 0), after = before;
  for (auto [index, dim] : llvm::enumerate(*dims)) {
    before[dim] = pads[index];
    after[dim] = pads[dims->size() + index];
    constexpr int64_t most = UINT32_MAX;
    if (std::min(before[dim], after[dim]) < -most ||
        std::max(before[dim], after[dim]) > most)
      return node.reject("its pads are " + Twine(before[dim]) + " and " +
                         Twine(after[dim]) +
                         " in a dimension, but wanted are numbers of at most "
                         "2^32 - 1");
  }
  return std::pair(before, after);
}

/// The value that Pad pads with, of the type of its input.
static FailureOr<Constant> getPaddingValue(NodeImporter &node) {
  DataType type = node.getType(0);
  if (node.getOpset() < 11 || !node.hasInput(2))
    return Constant::get(type, {1},
                         ArrayRef<double>(node.getFloat("value", 0)));
  if (failed(node.getNumber(2, "the padding value")))
    return failure();
  const Constant &value = *node.getInput(2).constant;
  if (value.getType() != type)
    return node.reject("its padding value has another type than its input");
  return value;
}

/// Takes away what negative pads say of `value`, whose logical shape is
/// `shape`, and sets those to 0.
static FailureOr<Value> crop(NodeImporter &node, Shape &shape, Shape &before,
                             Shape &after) {
  int64_t lead = getLead(shape);
  Shape offsets(shape.size() + lead, 0);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t size = shape[dim];
    shape[dim] +=
        std::min<int64_t>(before[dim], 0) + std::min<int64_t>(after[dim], 0);
    if (shape[dim] < 1)
      return node.reject("its pads are " + Twine(before[dim]) + " and " +
                         Twine(after[dim]) + " in a dimension of size " +
                         Twine(size) + ", of which nothing is left");
    offsets[dim + lead] = std::max<int64_t>(-before[dim], 0);
    before[dim] = std::max<int64_t>(before[dim], 0);
    after[dim] = std::max<int64_t>(after[dim], 0);
  }
  return takePart(node, node.get(0), offsets, toPhysical(shape));
}

static LogicalResult importPad(NodeImporter &node) {
  if (failed(node.getOpset() >= 11 ? node.wantInputs(2, 4)
                                   : node.wantInputs(1, 1)))
    return failure();
  FailureOr<std::pair<Shape, Shape>> pads = getPads(node);
  if (failed(pads))
    return failure();
  FailureOr<Constant> value = getPaddingValue(node);
  if (failed(value))
    return failure();
  StringRef mode = node.getString("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" &&
      mode != "wrap")
    return node.reject("its mode is '" + mode +
                       "', but wanted is constant, edge, reflect or wrap");
  Shape shape = node.getShape(0), output = shape;
  auto &[before, after] = *pads;
  bool isPadded = false, isCut = false, isFilled = false;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    output[dim] += before[dim] + after[dim];
    isFilled |= shape[dim] + std::min<int64_t>(before[dim], 0) +
                    std::min<int64_t>(after[dim], 0) ==
                0;
    isPadded |= before[dim] > 0 || after[dim] > 0;
    isCut |= before[dim] < 0 || after[dim] < 0;
  }
  if (failed(wantTensor(node, output)))
    return failure();
  if (isEmpty(output))
    return setEmpty(node, 0, node.getType(0), output);
  // Nothing but padding.
  if (isFilled && mode == "constant") {
    node.ignoreInput(0);
    return node.set(0, value->splat(output));
  }
  // What is cut off is no part of what edges and reflections repeat.
  FailureOr<Value> input = crop(node, shape, before, after);
  if (failed(input))
    return failure();
  if (isCut && !isPadded)
    return node.set(0, *input, output);
  int64_t lead = getLead(shape);
  Shape start(lead, 0), end(lead, 0);
  start.append(before);
  end.append(after);
  FailureOr<Value> result = node.build(
      "padding1", {{"input", *input}},
      {node.enumCase("mode", "padding_mode",
                     mode == "reflect" ? "reflection" : mode),
       getScalar(node, "padding_value", *value),
       node.ints("start_padding", start), node.ints("end_padding", end)},
      node.getTensorType(toPhysical(output), node.getType(0)));
  return node.set(0, result, output);
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

static LogicalResult importGather(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &data = node.getShape(0), &indices = node.getShape(1);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), data.size());
  if (failed(axis))
    return failure();
  // DirectML's tensors have one rank, r, and the indices' last dimensions stand
  // in place of the axis: leading 1s make room for them. One index has a
  // dimension of its own, which the output keeps until it is seen without it.
  Shape places = indices.empty() ? Shape{1} : indices;
  Shape output(data.begin(), data.begin() + *axis), whole = output;
  output.append(indices);
  whole.append(places);
  for (Shape *shape : {&output, &whole})
    shape->append(data.begin() + *axis + 1, data.end());
  if (failed(wantTensor(node, output)))
    return failure();
  if (isEmpty(output))
    return setEmpty(node, 0, node.getType(0), output);
  if (failed(wantIndices(node, 1, data[*axis])))
    return failure();
  size_t rank = std::max<size_t>(4, whole.size());
  auto lead = [&](const Shape &shape) {
    Shape result(rank - shape.size(), 1);
    result.append(shape.begin(), shape.end());
    return result;
  };
  FailureOr<Value> result =
      node.build("gather",
                 {{"input", node.getAs(0, lead(data))},
                  {"indices", node.getAs(1, lead(places))}},
                 {node.integer("axis", *axis + rank - data.size()),
                  node.integer("index_dimensions", places.size())},
                 node.getTensorType(lead(whole), node.getType(0)));
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
    if (isKept != 0 && static_cast<int64_t>(index) < size)
      kept.push_back(static_cast<int64_t>(index));
  if (node.getShape(1).size() != 1)
    return node.reject("its condition has the shape " +
                       describeShape(node.getShape(1)) +
                       ", but wanted is a list");
  auto count = static_cast<int64_t>(kept.size());
  if (count == 0 || isEmpty(shape)) {
    shape[*axis] = count;
    return setEmpty(node, 0, node.getType(0), shape);
  }
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
  // Indices may have fewer rows than the data, whose first ones are read then.
  Shape part = data;
  bool fits = indices.size() == data.size();
  for (int64_t dim = 0; fits && dim < static_cast<int64_t>(data.size()); ++dim)
    if (dim != *axis) {
      fits = indices[dim] <= data[dim];
      part[dim] = indices[dim];
    }
  if (!fits)
    return node.reject("its data has the shape " + describeShape(data) +
                       " and its indices " + describeShape(indices) +
                       ", but wanted are indices of the same rank, and of no "
                       "larger sizes but along axis " +
                       Twine(*axis));
  if (isEmpty(indices))
    return setEmpty(node, 0, node.getType(0), indices);
  if (failed(wantIndices(node, 1, data[*axis])))
    return failure();
  Shape none(toPhysical(data).size(), 0);
  FailureOr<Value> result = node.build(
      "gather_elements",
      {{"input", takePart(node, node.get(0), none, toPhysical(part))},
       {"indices", node.get(1)}},
      node.integer("axis", *axis + getLead(data)),
      node.getTensorType(toPhysical(indices), node.getType(0)));
  return node.set(0, result, indices);
}

//===----------------------------------------------------------------------===//
// Views and repetitions
//===----------------------------------------------------------------------===//

static LogicalResult importTranspose(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  Shape permutation = node.getInts("perm");
  if (!node.hasAttribute("perm"))
    for (size_t dim = shape.size(); dim-- > 0;)
      permutation.push_back(static_cast<int64_t>(dim));
  Shape sorted = permutation, wanted(shape.size());
  llvm::sort(sorted);
  std::iota(wanted.begin(), wanted.end(), 0);
  if (sorted != wanted)
    return node.reject("its attribute perm is " + describeList(permutation) +
                       ", but wanted is each of " + Twine(shape.size()) +
                       " dimensions once");
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
  if (isEmpty(output))
    return setEmpty(node, 0, node.getType(0), output);
  return node.set(0, node.transpose(node.get(0), physical), output);
}

static LogicalResult importExpand(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  FailureOr<Shape> sizes = node.getIntegers(1, "the sizes");
  if (failed(sizes))
    return failure();
  std::optional<Shape> shape = broadcastShapes(node.getShape(0), *sizes);
  if (!shape || llvm::any_of(*sizes, [](int64_t size) { return size < 0; }))
    return node.reject(
        "its input has the shape " + describeShape(node.getShape(0)) +
        ", which does not broadcast to " + describeShape(*sizes));
  if (failed(wantTensor(node, *shape)))
    return failure();
  if (isEmpty(*shape))
    return setEmpty(node, 0, node.getType(0), *shape);
  return node.set(0, node.getBroadcast(0, toPhysical(*shape)), *shape);
}

/// How often Tile repeats each dimension of its input. Before version 6, one
/// input says how often, and another along which dimension.
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

/// Input 0 repeated by views, one dimension after the other.
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
  // DirectML's operator has no f64.
  if (node.getType(0) == DataType::FLOAT64)
    return node.set(0, repeatByViews(node, *repeats), output);
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
