//===- EvaluateMovement.cpp - Elements in other places --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Evaluators for operators that copy elements of any type.
//
//===----------------------------------------------------------------------===//

#include "Folding/Evaluator.h"
#include "Reader/Shapes.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

using Indices = SmallVector<int64_t>;

/// An upper bound on the size of any dimension.
static constexpr int64_t maxSize = UINT32_MAX;

/// Returns the elements of `constants`, which have the same type, one constant
/// after the other.
static Constant join(ArrayRef<const Constant *> constants) {
  DataType type = constants[0]->getType();
  unsigned width = getByteWidth(type);
  auto bytes = std::make_shared<std::vector<char>>();
  for (const Constant *constant : constants) {
    int64_t count = constant->getNumElements();
    int64_t repeats = constant->isSplat() ? count : std::min<int64_t>(count, 1);
    int64_t size = (constant->isSplat() ? 1 : count) * width;
    Constant elements = constant->unpack();
    for (int64_t repeat = 0; repeat < repeats; ++repeat)
      bytes->insert(bytes->end(), elements.getData(),
                    elements.getData() + size);
  }
  Shape shape = {static_cast<int64_t>(bytes->size() / width)};
  return Constant(type, std::move(shape), *bytes, bytes);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static Evaluation evaluateTranspose(NodeReader &node) {
  if (!hasInputs(node, 1, 1))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  auto rank = static_cast<int64_t>(data.getShape().size());
  Shape permutation = node.getInts("perm");
  if (permutation.empty())
    for (int64_t dim = rank; dim-- > 0;)
      permutation.push_back(dim);
  Shape sorted = permutation, shape;
  llvm::sort(sorted);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (sorted.size() != static_cast<size_t>(rank) || sorted[dim] != dim)
      return std::nullopt;
  for (int64_t dim : permutation)
    shape.push_back(data.getShape()[dim]);
  return one(pickElements(data, shape, [&](ArrayRef<int64_t> coordinates) {
    Shape from(rank);
    for (auto [dim, at] : llvm::zip_equal(permutation, coordinates))
      from[dim] = at;
    return from;
  }));
}

static Evaluation evaluateExpand(NodeReader &node) {
  if (!hasInputs(node, 2, 2))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  std::optional<Shape> sizes = getIntegers(node, 1);
  std::optional<Shape> shape;
  if (sizes)
    shape = broadcastShapes(data.getShape(), *sizes);
  if (!shape || !countElements(*shape))
    return std::nullopt;
  if (data.isSplat() && *countElements(*shape) != 0)
    return one(data.splat(std::move(*shape)));
  if (!isFoldable(*shape))
    return std::nullopt;
  return one(
      pickIndices(data, *shape, broadcastIndices(data.getShape(), *shape)));
}

static Evaluation evaluateTile(NodeReader &node) {
  // In the first operator set, the operator repeats a single axis.
  if (node.getOpset() < 6 || !hasInputs(node, 2, 2))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  std::optional<Shape> repeats = getIntegers(node, 1);
  if (!repeats || repeats->size() != data.getShape().size())
    return std::nullopt;
  Shape shape;
  for (auto [size, repeat] : llvm::zip_equal(data.getShape(), *repeats)) {
    int64_t product;
    if (repeat < 0 || llvm::MulOverflow(size, repeat, product))
      return std::nullopt;
    shape.push_back(product);
  }
  if (!isFoldable(shape))
    return std::nullopt;
  return one(pickElements(data, shape, [&](ArrayRef<int64_t> coordinates) {
    Shape from(coordinates);
    for (auto [at, size] : llvm::zip_equal(from, data.getShape()))
      at %= size;
    return from;
  }));
}

static Evaluation evaluateWhere(NodeReader &node) {
  if (!hasInputs(node, 3, 3))
    return std::nullopt;
  const Constant &condition = getConstant(node, 0), &a = getConstant(node, 1),
                 &b = getConstant(node, 2);
  if (condition.getType() != DataType::UINT8 || a.getType() != b.getType())
    return std::nullopt;
  std::optional<Shape> shape = broadcastShapes(a.getShape(), b.getShape());
  if (shape)
    shape = broadcastShapes(*shape, condition.getShape());
  if (!shape || !isFoldable(*shape))
    return std::nullopt;
  std::vector<uint8_t> truths = getElements<uint8_t>(condition);
  Indices indices;
  for (auto [truth, ofA, ofB] :
       llvm::zip_equal(broadcastIndices(condition.getShape(), *shape),
                       broadcastIndices(a.getShape(), *shape),
                       broadcastIndices(b.getShape(), *shape)))
    indices.push_back(truths[truth] ? ofA : a.getNumElements() + ofB);
  return one(pickIndices(join({&a, &b}), *shape, indices));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static Evaluation evaluateConcat(NodeReader &node) {
  if (!hasInputs(node, 1, std::numeric_limits<unsigned>::max()))
    return std::nullopt;
  const Constant &first = getConstant(node, 0);
  if (node.getOpset() >= 4 && !node.hasAttribute("axis"))
    return std::nullopt;
  std::optional<int64_t> axis =
      findAxis(node.getInt("axis", node.getOpset() < 4 ? 1 : 0),
               first.getShape().size());
  if (!axis)
    return std::nullopt;
  Shape shape(first.getShape());
  SmallVector<const Constant *> parts;
  int64_t size = 0;
  for (unsigned index = 0; index < node.getNumInputs(); ++index) {
    if (!node.hasInput(index))
      return std::nullopt;
    const Constant &part = getConstant(node, index);
    if (part.getType() != first.getType() ||
        part.getShape().size() != shape.size())
      return std::nullopt;
    size += shape[*axis] = part.getShape()[*axis];
    if (ArrayRef<int64_t>(shape) != part.getShape())
      return std::nullopt;
    parts.push_back(&part);
  }
  shape[*axis] = size;
  if (!isFoldable(shape))
    return std::nullopt;
  if (*countElements(shape) == 0)
    return one(pickIndices(first, shape, {}));
  Constant all = join(parts);
  Rows rows(shape, *axis);
  Indices indices;
  for (int64_t outer = 0; outer < rows.outer; ++outer) {
    int64_t begin = 0;
    for (const Constant *part : parts) {
      int64_t length = part->getShape()[*axis] * rows.inner;
      for (int64_t index = 0; index < length; ++index)
        indices.push_back(begin + outer * length + index);
      begin += part->getNumElements();
    }
  }
  return one(pickIndices(all, shape, indices));
}

/// Returns the sizes of the parts of a Split. These are given, or else equal,
/// except that from version 18 on the last part may be smaller.
static std::optional<Shape> getParts(NodeReader &node, int64_t size) {
  Shape parts;
  bool isStated = node.getOpset() < 13 && node.hasAttribute("split");
  if (isStated)
    parts = node.getInts("split");
  if (node.hasInput(1)) {
    std::optional<Shape> given = getIntegers(node, 1);
    if (!given || isStated)
      return std::nullopt;
    parts = *given;
    isStated = true;
  }
  int64_t count = node.getNumOutputs();
  if (node.getOpset() >= 18 && node.hasAttribute("num_outputs") &&
      (isStated || node.getInt("num_outputs", count) != count))
    return std::nullopt;
  if (!isStated) {
    int64_t part = (size + count - 1) / count, last = size - part * (count - 1);
    if (last < 0 || (last != part && node.getOpset() < 18))
      return std::nullopt;
    parts.assign(count - 1, part);
    parts.push_back(last);
  }
  int64_t sum = 0;
  for (int64_t part : parts)
    if (part < 0 || part > size || (sum += part) > size)
      return std::nullopt;
  if (sum != size || static_cast<int64_t>(parts.size()) != count)
    return std::nullopt;
  return parts;
}

static Evaluation evaluateSplit(NodeReader &node) {
  if (!hasInputs(node, 1, 2))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  Shape shape(data.getShape());
  std::optional<int64_t> axis = findAxis(node.getInt("axis", 0), shape.size());
  if (!axis)
    return std::nullopt;
  std::optional<Shape> parts = getParts(node, shape[*axis]);
  if (!parts)
    return std::nullopt;
  SmallVector<Constant> results;
  int64_t begin = 0;
  for (int64_t part : *parts) {
    shape[*axis] = part;
    results.push_back(
        pickElements(data, shape, [&](ArrayRef<int64_t> coordinates) {
          Shape from(coordinates);
          from[*axis] += begin;
          return from;
        }));
    begin += part;
  }
  return results;
}

namespace {
/// The slices that a Slice takes along each dimension.
struct Slices {
  SmallVector<int64_t> starts, ends, axes, steps;
};
} // namespace

static std::optional<Slices> getSlices(NodeReader &node, int64_t rank) {
  Slices slices;
  if (node.getOpset() < 10) {
    slices.starts = node.getInts("starts");
    slices.ends = node.getInts("ends");
    slices.axes = node.getInts("axes");
  } else {
    SmallVector<int64_t> *lists[] = {&slices.starts, &slices.ends, &slices.axes,
                                     &slices.steps};
    for (auto [index, list] : llvm::enumerate(lists)) {
      if (!node.hasInput(index + 1))
        continue;
      std::optional<Shape> given = getIntegers(node, index + 1);
      if (!given)
        return std::nullopt;
      *list = *given;
    }
  }
  size_t count = slices.starts.size();
  if (slices.axes.empty()) {
    slices.axes.resize(count);
    std::iota(slices.axes.begin(), slices.axes.end(), 0);
  }
  if (slices.steps.empty())
    slices.steps.assign(count, 1);
  if (slices.ends.size() != count || slices.axes.size() != count ||
      slices.steps.size() != count)
    return std::nullopt;
  llvm::SmallBitVector seen(rank);
  for (int64_t &axis : slices.axes) {
    std::optional<int64_t> dim = findAxis(axis, rank);
    if (!dim || seen.test(*dim))
      return std::nullopt;
    seen.set(*dim);
    axis = *dim;
  }
  return slices;
}

static Evaluation evaluateSlice(NodeReader &node) {
  bool hasLists = node.getOpset() >= 10;
  if (!hasInputs(node, hasLists ? 3 : 1, hasLists ? 5 : 1))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  Shape shape(data.getShape());
  std::optional<Slices> slices = getSlices(node, shape.size());
  if (!slices)
    return std::nullopt;
  Shape firsts(shape.size(), 0), steps(shape.size(), 1);
  for (auto [start, end, axis, step] : llvm::zip_equal(
           slices->starts, slices->ends, slices->axes, slices->steps)) {
    int64_t size = shape[axis];
    if (step == 0)
      return std::nullopt;
    // A step larger than all sizes selects only the first element.
    steps[axis] = std::clamp<int64_t>(step, -maxSize, maxSize);
    auto clamp = [&](int64_t x, int64_t low, int64_t high) {
      return std::clamp(x < 0 ? std::max(x, -size - 1) + size : x, low, high);
    };
    int64_t count;
    if (step > 0) {
      firsts[axis] = clamp(start, 0, size);
      count = clamp(end, 0, size) - firsts[axis];
    } else {
      firsts[axis] = clamp(start, -1, size - 1);
      count = firsts[axis] - clamp(end, -1, size - 1);
    }
    int64_t stride = std::abs(steps[axis]);
    shape[axis] = std::max<int64_t>(0, (count + stride - 1) / stride);
  }
  return one(pickElements(data, shape, [&](ArrayRef<int64_t> coordinates) {
    Shape from;
    for (auto [first, step, at] : llvm::zip_equal(firsts, steps, coordinates))
      from.push_back(first + step * at);
    return from;
  }));
}

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

namespace {
/// The number of elements that a Pad adds before and after each dimension, or
/// removes.
struct Pads {
  Shape before, after;
};
} // namespace

static std::optional<Pads> getPads(NodeReader &node, int64_t rank) {
  Shape list, axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (node.getOpset() < 11) {
    list = node.getInts(node.getOpset() < 2 ? "paddings" : "pads");
  } else {
    std::optional<Shape> given = getIntegers(node, 1);
    if (!given)
      return std::nullopt;
    list = *given;
    if (node.getOpset() >= 18 && node.hasInput(3)) {
      std::optional<Shape> chosen = getIntegers(node, 3);
      if (!chosen)
        return std::nullopt;
      axes = *chosen;
    }
  }
  if (list.size() != 2 * axes.size())
    return std::nullopt;
  Pads pads{Shape(rank, 0), Shape(rank, 0)};
  for (auto [index, axis] : llvm::enumerate(axes)) {
    std::optional<int64_t> dim = findAxis(axis, rank);
    if (!dim)
      return std::nullopt;
    pads.before[*dim] = list[index];
    pads.after[*dim] = list[index + axes.size()];
    for (int64_t pad : {pads.before[*dim], pads.after[*dim]})
      if (pad < -maxSize || pad > maxSize)
        return std::nullopt;
  }
  return pads;
}

/// Returns the element with which a Pad fills, in the type of its input.
static std::optional<Constant> getPadValue(NodeReader &node) {
  const Constant &data = getConstant(node, 0);
  if (node.getOpset() < 11)
    return data.isFloat() ? std::optional(Constant::get(
                                data.getType(), {},
                                ArrayRef<double>(node.getFloat("value", 0))))
                          : std::nullopt;
  if (!node.hasInput(2))
    return Constant::get(data.getType(), {}, ArrayRef<int64_t>(0));
  const Constant &value = getConstant(node, 2);
  if (value.getType() != data.getType() || value.getNumElements() != 1)
    return std::nullopt;
  return value.reshape({});
}

/// Returns the coordinate in the input for coordinate `at` of a Pad, both
/// counted from the first element of the input. Returns nothing for the
/// constant.
static std::optional<int64_t> findSource(StringRef mode, int64_t at,
                                         int64_t size) {
  if (at >= 0 && at < size)
    return at;
  if (mode == "edge")
    return std::clamp<int64_t>(at, 0, size - 1);
  if (mode == "wrap")
    return (at % size + size) % size;
  if (mode != "reflect")
    return std::nullopt;
  if (size == 1)
    return 0;
  int64_t period = 2 * (size - 1), rest = (at % period + period) % period;
  return rest < size ? rest : period - rest;
}

static Evaluation evaluatePad(NodeReader &node) {
  if (!hasInputs(node, node.getOpset() < 11 ? 1 : 2,
                 node.getOpset() < 11 ? 1 : 4))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  StringRef mode = node.getString("mode", "constant");
  ArrayRef<int64_t> from = data.getShape();
  std::optional<Pads> pads = getPads(node, from.size());
  std::optional<Constant> value = getPadValue(node);
  bool isConstant = mode == "constant";
  if (!pads || !value ||
      !(isConstant || mode == "edge" || mode == "reflect" ||
        (mode == "wrap" && node.getOpset() >= 19)))
    return std::nullopt;
  Shape shape;
  for (size_t dim = 0; dim < from.size(); ++dim) {
    int64_t before = pads->before[dim], after = pads->after[dim];
    shape.push_back(from[dim] + before + after);
    // ONNX does not specify these cases: an element of an empty dimension, a
    // reflection beyond the other end, and a dimension that is cropped at one
    // end and extended by copies at the other.
    if (!isConstant &&
        (from[dim] == 0 || before < 0 || after < 0 ||
         (mode == "reflect" && std::max(before, after) >= from[dim])))
      return std::nullopt;
  }
  if (!isFoldable(shape))
    return std::nullopt;
  Indices indices;
  forEach(shape, [&](ArrayRef<int64_t> coordinates) {
    Shape source;
    for (auto [dim, at] : llvm::enumerate(coordinates))
      if (std::optional<int64_t> found =
              findSource(mode, at - pads->before[dim], from[dim]))
        source.push_back(*found);
    indices.push_back(source.size() == from.size() ? getIndex(from, source)
                                                   : data.getNumElements());
  });
  return one(pickIndices(join({&data, &*value}), shape, indices));
}

static Evaluation evaluateTrilu(NodeReader &node) {
  if (!hasInputs(node, 1, 2))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  ArrayRef<int64_t> shape = data.getShape();
  bool isUpper = node.getInt("upper", 1) != 0;
  int64_t diagonal = 0;
  if (node.hasInput(1)) {
    std::optional<Shape> given = getIntegers(node, 1);
    if (!given || given->size() != 1)
      return std::nullopt;
    diagonal = std::clamp<int64_t>(given->front(), -maxSize, maxSize);
  }
  if (shape.size() < 2)
    return std::nullopt;
  Constant zero = Constant::get(data.getType(), {}, ArrayRef<int64_t>(0));
  Indices indices;
  forEach(shape, [&](ArrayRef<int64_t> coordinates) {
    int64_t offset = coordinates.back() - coordinates[shape.size() - 2];
    bool isKept = isUpper ? offset >= diagonal : offset <= diagonal;
    indices.push_back(isKept ? getIndex(shape, coordinates)
                             : data.getNumElements());
  });
  return one(pickIndices(join({&data, &zero}), Shape(shape), indices));
}

static Evaluation evaluateEyeLike(NodeReader &node) {
  if (!hasInputs(node, 1, 1))
    return std::nullopt;
  const Constant &like = getConstant(node, 0);
  int64_t diagonal =
      std::clamp<int64_t>(node.getInt("k", 0), -maxSize, maxSize);
  std::optional<DataType> type = like.getType();
  if (node.hasAttribute("dtype"))
    type = toDataType(static_cast<int32_t>(node.getInt("dtype", 0)));
  if (!type || like.getShape().size() != 2)
    return std::nullopt;
  SmallVector<int64_t> elements;
  forEach(like.getShape(), [&](ArrayRef<int64_t> at) {
    elements.push_back(at[1] - at[0] == diagonal);
  });
  return one(Constant::get(*type, Shape(like.getShape()),
                           ArrayRef<int64_t>(elements)));
}

//===----------------------------------------------------------------------===//
// Blocks and sequences
//===----------------------------------------------------------------------===//

static Evaluation evaluateDepthToSpace(NodeReader &node) {
  if (!hasInputs(node, 1, 1))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  Shape shape(data.getShape());
  int64_t block = node.getInt("blocksize", 0);
  StringRef mode =
      node.getOpset() >= 11 ? node.getString("mode", "DCR") : "DCR";
  if (shape.size() != 4 || block < 1 || block > UINT16_MAX ||
      shape[1] % (block * block) != 0 || (mode != "DCR" && mode != "CRD"))
    return std::nullopt;
  int64_t depth = shape[1] / (block * block);
  shape = {shape[0], depth, shape[2] * block, shape[3] * block};
  return one(pickElements(data, shape, [&](ArrayRef<int64_t> at) {
    int64_t inBlock = at[2] % block * block + at[3] % block;
    return Shape{at[0],
                 mode == "DCR" ? inBlock * depth + at[1]
                               : at[1] * block * block + inBlock,
                 at[2] / block, at[3] / block};
  }));
}

static Evaluation evaluateSpaceToDepth(NodeReader &node) {
  if (!hasInputs(node, 1, 1))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  Shape shape(data.getShape());
  int64_t block = node.getInt("blocksize", 0);
  if (shape.size() != 4 || block < 1 || block > UINT16_MAX ||
      shape[2] % block != 0 || shape[3] % block != 0)
    return std::nullopt;
  int64_t depth = shape[1];
  shape = {shape[0], depth * block * block, shape[2] / block, shape[3] / block};
  return one(pickElements(data, shape, [&](ArrayRef<int64_t> at) {
    int64_t inBlock = at[1] / depth;
    return Shape{at[0], at[1] % depth, at[2] * block + inBlock / block,
                 at[3] * block + inBlock % block};
  }));
}

static Evaluation evaluateReverseSequence(NodeReader &node) {
  if (!hasInputs(node, 2, 2))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  ArrayRef<int64_t> shape = data.getShape();
  std::optional<Shape> lengths = getIntegers(node, 1);
  int64_t batch = node.getInt("batch_axis", 1),
          time = node.getInt("time_axis", 0);
  if (!lengths || shape.size() < 2 || batch + time != 1 || batch * time != 0 ||
      getConstant(node, 1).getShape().size() != 1 ||
      static_cast<int64_t>(lengths->size()) != shape[batch] ||
      llvm::any_of(*lengths, [&](int64_t length) {
        return length < 0 || length > shape[time];
      }))
    return std::nullopt;
  return one(pickElements(data, Shape(shape), [&](ArrayRef<int64_t> at) {
    Shape from(at);
    if (int64_t length = (*lengths)[at[batch]]; at[time] < length)
      from[time] = length - 1 - at[time];
    return from;
  }));
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// Returns `index` counted from the front of `size` elements. Rejects the node
/// if there is no such element.
static std::optional<int64_t> findElement(NodeReader &node, int64_t index,
                                          int64_t size) {
  int64_t normal = index < 0 ? index + size : index;
  if (normal >= 0 && normal < size)
    return normal;
  (void)node.reject("index " + Twine(index) + " is outside of the " +
                    Twine(size) + " elements of its axis");
  return std::nullopt;
}

static Evaluation evaluateGather(NodeReader &node) {
  if (!hasInputs(node, 2, 2))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  std::optional<Shape> at = getIntegers(node, 1);
  ArrayRef<int64_t> from = data.getShape(),
                    of = getConstant(node, 1).getShape();
  std::optional<int64_t> axis = findAxis(node.getInt("axis", 0), from.size());
  if (!axis || !at)
    return std::nullopt;
  Shape shape(from.take_front(*axis));
  shape.append(of.begin(), of.end());
  shape.append(from.begin() + *axis + 1, from.end());
  if (!isFoldable(shape))
    return std::nullopt;
  if (*countElements(shape) == 0)
    return one(pickIndices(data, shape, {}));
  for (int64_t &index : *at) {
    std::optional<int64_t> found = findElement(node, index, from[*axis]);
    if (!found)
      return std::nullopt;
    index = *found;
  }
  Rows rows(from, *axis);
  Indices indices;
  for (int64_t outer = 0; outer < rows.outer; ++outer)
    for (int64_t index : *at)
      for (int64_t inner = 0; inner < rows.inner; ++inner)
        indices.push_back((outer * rows.size + index) * rows.inner + inner);
  return one(pickIndices(data, shape, indices));
}

/// Returns the elements that GatherElements reads, or that ScatterElements
/// writes, in a tensor of the shape `from`. The indices have the shape `of`.
static std::optional<Indices> findElements(NodeReader &node,
                                           ArrayRef<int64_t> from,
                                           ArrayRef<int64_t> of,
                                           ArrayRef<int64_t> at) {
  std::optional<int64_t> axis = findAxis(node.getInt("axis", 0), from.size());
  if (!axis || of.size() != from.size())
    return std::nullopt;
  for (size_t dim = 0; dim < of.size(); ++dim)
    if (static_cast<int64_t>(dim) != *axis && of[dim] > from[dim])
      return std::nullopt;
  Indices indices;
  const int64_t *next = at.begin();
  bool fits = true;
  forEach(of, [&](ArrayRef<int64_t> coordinates) {
    std::optional<int64_t> found;
    if (fits)
      found = findElement(node, *next++, from[*axis]);
    fits &= found.has_value();
    if (!fits)
      return;
    // Only the coordinate along the axis is replaced. The other coordinates are
    // in range, since the indices are not larger than the data in the other
    // dimensions.
    Shape source(coordinates);
    source[*axis] = *found;
    indices.push_back(getIndex(from, source));
  });
  if (!fits)
    return std::nullopt;
  return indices;
}

static Evaluation evaluateGatherElements(NodeReader &node) {
  if (!hasInputs(node, 2, 2))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  std::optional<Shape> at = getIntegers(node, 1);
  if (!at)
    return std::nullopt;
  ArrayRef<int64_t> of = getConstant(node, 1).getShape();
  std::optional<Indices> indices = findElements(node, data.getShape(), of, *at);
  if (!indices)
    return std::nullopt;
  return one(pickIndices(data, Shape(of), *indices));
}

namespace {
/// The slices of a tensor that GatherND and ScatterND address.
struct SliceList {
  /// The first element of each slice, in the order of the indices.
  Indices begins;
  /// The shape of a slice, and its number of elements.
  ArrayRef<int64_t> sizes;
  int64_t length = 0;
};
} // namespace

static std::optional<SliceList> findSlices(NodeReader &node,
                                           ArrayRef<int64_t> from,
                                           const Constant &indices,
                                           int64_t batchDims) {
  std::optional<Shape> at = getIntegers(node, 1);
  ArrayRef<int64_t> of = indices.getShape();
  if (!at || of.empty() || batchDims < 0 ||
      batchDims >= static_cast<int64_t>(of.size()) ||
      of.take_front(batchDims) != from.take_front(batchDims))
    return std::nullopt;
  int64_t depth = of.back();
  if (depth < 1 || batchDims + depth > static_cast<int64_t>(from.size()))
    return std::nullopt;
  SliceList slices;
  slices.sizes = from.drop_front(batchDims + depth);
  slices.length = *countElements(slices.sizes);
  int64_t batches = *countElements(of.take_front(batchDims));
  int64_t count = at->size() / depth;
  for (int64_t tuple = 0; tuple < count; ++tuple) {
    int64_t begin = tuple / (count / std::max<int64_t>(batches, 1));
    for (int64_t dim = 0; dim < depth; ++dim) {
      int64_t size = from[batchDims + dim];
      std::optional<int64_t> found =
          findElement(node, (*at)[tuple * depth + dim], size);
      if (!found)
        return std::nullopt;
      begin = begin * size + *found;
    }
    slices.begins.push_back(begin * slices.length);
  }
  return slices;
}

static Evaluation evaluateGatherND(NodeReader &node) {
  if (!hasInputs(node, 2, 2))
    return std::nullopt;
  const Constant &data = getConstant(node, 0), &indices = getConstant(node, 1);
  int64_t batchDims = node.getOpset() >= 12 ? node.getInt("batch_dims", 0) : 0;
  if (batchDims > static_cast<int64_t>(data.getShape().size()))
    return std::nullopt;
  std::optional<SliceList> slices =
      findSlices(node, data.getShape(), indices, batchDims);
  if (!slices)
    return std::nullopt;
  Shape shape(indices.getShape().drop_back());
  shape.append(slices->sizes.begin(), slices->sizes.end());
  if (!isFoldable(shape))
    return std::nullopt;
  Indices picked;
  for (int64_t begin : slices->begins)
    for (int64_t element = 0; element < slices->length; ++element)
      picked.push_back(begin + element);
  return one(pickIndices(data, shape, picked));
}

/// Returns `data` with `updates` written to the elements `targets`, in order.
static Evaluation scatter(NodeReader &node, const Constant &data,
                          const Constant &updates, ArrayRef<int64_t> targets) {
  StringRef reduction =
      node.getOpset() >= 16 ? node.getString("reduction", "none") : "none";
  if (updates.getType() != data.getType())
    return std::nullopt;
  if (reduction == "none") {
    Indices indices(data.getNumElements());
    std::iota(indices.begin(), indices.end(), 0);
    for (auto [number, target] : llvm::enumerate(targets))
      indices[target] = data.getNumElements() + number;
    return one(
        pickIndices(join({&data, &updates}), Shape(data.getShape()), indices));
  }
  // Bools are stored as bytes, but a sum of bools is not a sum of bytes.
  bool isSum = reduction == "add" || reduction == "mul";
  if ((isSum && node.isBool(0)) ||
      !(isSum ||
        (node.getOpset() >= 18 && (reduction == "max" || reduction == "min"))))
    return std::nullopt;
  return computeWith(data.getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    std::vector<T> elements = getElements<T>(data),
                   values = getElements<T>(updates);
    for (auto [target, value] : llvm::zip_equal(targets, values)) {
      T &element = elements[target];
      element = reduction == "add"   ? addWrapping(element, value)
                : reduction == "mul" ? multiplyWrapping(element, value)
                : reduction == "max" ? getGreater(element, value)
                                     : getLesser(element, value);
    }
    return one(makeConstant(data.getType(), Shape(data.getShape()), elements));
  });
}

static Evaluation evaluateScatterElements(NodeReader &node) {
  if (!hasInputs(node, 3, 3))
    return std::nullopt;
  const Constant &data = getConstant(node, 0), &updates = getConstant(node, 2);
  std::optional<Shape> at = getIntegers(node, 1);
  if (!at || updates.getShape() != getConstant(node, 1).getShape())
    return std::nullopt;
  std::optional<Indices> targets =
      findElements(node, data.getShape(), updates.getShape(), *at);
  if (!targets)
    return std::nullopt;
  return scatter(node, data, updates, *targets);
}

static Evaluation evaluateScatterND(NodeReader &node) {
  if (!hasInputs(node, 3, 3))
    return std::nullopt;
  const Constant &data = getConstant(node, 0), &indices = getConstant(node, 1),
                 &updates = getConstant(node, 2);
  std::optional<SliceList> slices =
      findSlices(node, data.getShape(), indices, 0);
  if (!slices)
    return std::nullopt;
  Shape shape(indices.getShape().drop_back());
  shape.append(slices->sizes.begin(), slices->sizes.end());
  if (updates.getShape() != ArrayRef<int64_t>(shape))
    return std::nullopt;
  Indices targets;
  for (int64_t begin : slices->begins)
    for (int64_t element = 0; element < slices->length; ++element)
      targets.push_back(begin + element);
  return scatter(node, data, updates, targets);
}

/// Returns the indices of a OneHot, which may be numbers of any type.
static std::optional<Shape> getWholeNumbers(const Constant &constant) {
  return computeWith(
      constant.getType(), [&](auto zero) -> std::optional<Shape> {
        Shape numbers;
        for (auto element : getElements<decltype(zero)>(constant)) {
          if constexpr (std::is_floating_point_v<decltype(zero)>) {
            auto number = truncateTo<int64_t>(static_cast<double>(element));
            // A number that is not an integer does not match any position.
            if (static_cast<double>(number) != static_cast<double>(element))
              number = std::numeric_limits<int64_t>::max();
            numbers.push_back(number);
          } else {
            numbers.push_back(static_cast<int64_t>(element));
          }
        }
        return numbers;
      });
}

static Evaluation evaluateOneHot(NodeReader &node) {
  if (!hasInputs(node, 3, 3))
    return std::nullopt;
  const Constant &indices = getConstant(node, 0),
                 &values = getConstant(node, 2);
  std::optional<Shape> at = getWholeNumbers(indices),
                       depths = getWholeNumbers(getConstant(node, 1));
  ArrayRef<int64_t> of = indices.getShape();
  std::optional<int64_t> axis =
      findAxis(node.getInt("axis", -1), of.size() + 1);
  if (!at || !depths || depths->size() != 1 || !axis ||
      values.getNumElements() != 2)
    return std::nullopt;
  int64_t depth = depths->front();
  Shape shape(of);
  shape.insert(shape.begin() + *axis, depth);
  if (depth < 1 || !isFoldable(shape))
    return std::nullopt;
  Indices picked;
  forEach(shape, [&](ArrayRef<int64_t> coordinates) {
    Shape source(coordinates);
    source.erase(source.begin() + *axis);
    int64_t hot = (*at)[getIndex(of, source)];
    picked.push_back((hot < 0 ? hot + depth : hot) == coordinates[*axis]);
  });
  return one(pickIndices(join({&values}), shape, picked));
}

static Evaluation evaluateCompress(NodeReader &node) {
  if (!hasInputs(node, 2, 2))
    return std::nullopt;
  const Constant &data = getConstant(node, 0),
                 &condition = getConstant(node, 1);
  if (condition.getType() != DataType::UINT8 ||
      condition.getShape().size() != 1)
    return std::nullopt;
  Shape shape(data.getShape());
  std::optional<int64_t> axis = 0;
  if (node.hasAttribute("axis"))
    axis = findAxis(node.getInt("axis", 0), shape.size());
  else
    shape = {data.getNumElements()};
  if (!axis || shape.empty())
    return std::nullopt;
  Rows rows(shape, *axis);
  std::vector<uint8_t> truths = getElements<uint8_t>(condition);
  if (static_cast<int64_t>(truths.size()) > rows.size)
    return std::nullopt;
  shape[*axis] = llvm::count_if(truths, [](uint8_t truth) { return truth; });
  if (*countElements(shape) == 0)
    return one(pickIndices(data, shape, {}));
  Indices indices;
  for (int64_t outer = 0; outer < rows.outer; ++outer)
    for (auto [position, truth] : llvm::enumerate(truths))
      for (int64_t inner = 0; truth && inner < rows.inner; ++inner)
        indices.push_back((outer * rows.size + position) * rows.inner + inner);
  return one(pickIndices(data, shape, indices));
}

static Evaluation evaluateNonZero(NodeReader &node) {
  if (!hasInputs(node, 1, 1))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  // ONNX Runtime returns a scalar as a list.
  Shape shape(data.getShape());
  if (shape.empty())
    shape.push_back(1);
  auto rank = static_cast<int64_t>(shape.size());
  return computeWith(data.getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    std::vector<T> elements = getElements<T>(data);
    SmallVector<std::vector<int64_t>> lists(rank);
    size_t place = 0;
    forEach(shape, [&](ArrayRef<int64_t> coordinates) {
      if (elements[place++] != 0)
        for (auto [list, at] : llvm::zip_equal(lists, coordinates))
          list.push_back(at);
    });
    auto count = static_cast<int64_t>(lists.front().size());
    std::vector<int64_t> all;
    for (const std::vector<int64_t> &list : lists)
      all.insert(all.end(), list.begin(), list.end());
    return one(makeConstant(DataType::INT64, {rank, count}, all));
  });
}

void dml::onnx::addMovementEvaluators(Evaluators &evaluators) {
  evaluators["Transpose"] = evaluateTranspose;
  evaluators["Expand"] = evaluateExpand;
  evaluators["Tile"] = evaluateTile;
  evaluators["Where"] = evaluateWhere;
  evaluators["Concat"] = evaluateConcat;
  evaluators["Split"] = evaluateSplit;
  evaluators["Slice"] = evaluateSlice;
  evaluators["Pad"] = evaluatePad;
  evaluators["Trilu"] = evaluateTrilu;
  evaluators["EyeLike"] = evaluateEyeLike;
  evaluators["DepthToSpace"] = evaluateDepthToSpace;
  evaluators["SpaceToDepth"] = evaluateSpaceToDepth;
  evaluators["ReverseSequence"] = evaluateReverseSequence;
  evaluators["Gather"] = evaluateGather;
  evaluators["GatherElements"] = evaluateGatherElements;
  evaluators["GatherND"] = evaluateGatherND;
  evaluators["Scatter"] = evaluateScatterElements;
  evaluators["ScatterElements"] = evaluateScatterElements;
  evaluators["ScatterND"] = evaluateScatterND;
  evaluators["OneHot"] = evaluateOneHot;
  evaluators["Compress"] = evaluateCompress;
  evaluators["NonZero"] = evaluateNonZero;
}
