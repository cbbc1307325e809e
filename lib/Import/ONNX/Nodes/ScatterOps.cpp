//===- ScatterOps.cpp - Nodes that write elements by indices --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>
#include <map>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Returns the dml operator with which a scatter combines elements, or "" if it
/// replaces them.
static FailureOr<StringRef> getReduction(NodeImporter &node) {
  StringRef reduction = node.getString("reduction", "none");
  std::optional<StringRef> mnemonic =
      llvm::StringSwitch<std::optional<StringRef>>(reduction)
          .Case("none", "")
          .Case("add", "element_wise_add")
          .Case("mul", "element_wise_multiply")
          .Case("max", "element_wise_max")
          .Case("min", "element_wise_min")
          .Default(std::nullopt);
  if (!mnemonic)
    return node.reject("its reduction is '" + reduction +
                       "', but wanted is none, add, mul, max or min");
  return *mnemonic;
}

/// Returns the indices of a scatter that combines elements. DirectML's scatters
/// only replace elements, so that the combined elements must be computed
/// beforehand.
static FailureOr<SmallVector<int64_t>> getKnownIndices(NodeImporter &node) {
  const std::optional<Constant> &constant = node.wantElements(1);
  if (!constant)
    return node.reject("its reduction is '" +
                       node.getString("reduction", "none") +
                       "' and its indices are computed when the model runs, "
                       "but DirectML's scatters replace elements");
  if (!constant->isFoldable() || constant->isFloat())
    return node.reject("its indices are no list of at most " +
                       Twine(Constant::maxFoldable) + " integers");
  return constant->getIntegers();
}

/// Returns the rows `rows` of `value`, whose shape is {1, 1, rows, columns}.
static Value takeRows(NodeImporter &node, Value value, ArrayRef<int64_t> rows) {
  auto type = cast<RankedTensorType>(value.getType());
  auto count = static_cast<int64_t>(rows.size());
  Shape shape(type.getShape()), indices = {1, 1, 1, count};
  bool isAll = count == shape[2];
  for (auto [index, row] : llvm::enumerate(rows))
    isAll &= row == static_cast<int64_t>(index);
  if (isAll)
    return value;
  shape[2] = count;
  return *node.build(
      "gather",
      {{"input", value},
       {"indices",
        node.getConstant(Constant::get(DataType::INT64, indices, rows),
                         indices)}},
      {node.integer("axis", 2), node.integer("index_dimensions", 1)},
      type.clone(shape));
}

/// Combines the rows `rows` of the data, with `columns` elements each, with the
/// rows of the updates by `mnemonic`. If a row occurs several times, it is
/// combined with one update after the other.
static LogicalResult setCombined(NodeImporter &node, ArrayRef<int64_t> rows,
                                 int64_t columns, StringRef mnemonic) {
  // Layer number n contains the rows that occur for the n-th time.
  std::map<int64_t, size_t> seen;
  SmallVector<SmallVector<int64_t>> layers;
  for (auto [place, row] : llvm::enumerate(rows)) {
    size_t layer = seen[row]++;
    if (layer == layers.size())
      layers.emplace_back();
    layers[layer].push_back(static_cast<int64_t>(place));
  }
  constexpr size_t maxLayers = 64;
  if (layers.size() > maxLayers)
    return node.reject("its indices name an element " + Twine(layers.size()) +
                       " times, but wanted is at most " + Twine(maxLayers) +
                       " times");
  const Shape &shape = node.getShape(0);
  Value data = node.getAs(0, {1, 1, *countElements(shape) / columns, columns});
  Value updates =
      node.getAs(2, {1, 1, static_cast<int64_t>(rows.size()), columns});
  for (ArrayRef<int64_t> places : layers) {
    SmallVector<int64_t> named;
    for (int64_t place : places)
      named.push_back(rows[place]);
    Value sum = node.combine(mnemonic, takeRows(node, data, named),
                             takeRows(node, updates, places));
    Shape indices = {1, 1, static_cast<int64_t>(named.size()), 1};
    FailureOr<Value> next = node.build(
        "scatter_nd",
        {{"input", data},
         {"indices", node.getConstant(Constant::get(DataType::INT64, indices,
                                                    ArrayRef<int64_t>(named)),
                                      indices)},
         {"updates", sum}},
        {node.integer("input_dimension_count", 2),
         node.integer("indices_dimension_count", 2)},
        data.getType());
    if (failed(next))
      return failure();
    data = *next;
  }
  return node.set(0, data, shape);
}

/// Scatters `updates` into `input`. The input may be larger than the updates,
/// also in dimensions other than `axis`; the additional elements do not change.
static Value scatterInto(NodeImporter &node, Value input, Value indices,
                         Value updates, int64_t axis) {
  auto type = cast<RankedTensorType>(input.getType());
  ArrayRef<int64_t> part = cast<RankedTensorType>(indices.getType()).getShape();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = type.getDimSize(dim);
    if (dim == axis || part[dim] == size)
      continue;
    Shape first(type.getShape()), rest = first, none(first.size(), 0),
                                  behind = none;
    first[dim] = behind[dim] = part[dim];
    rest[dim] = size - part[dim];
    Value scattered = scatterInto(node, takePart(node, input, none, first),
                                  indices, updates, axis);
    return *node.build(
        "join",
        {{"inputs",
          ArrayRef<Value>{scattered, takePart(node, input, behind, rest)}}},
        node.integer("axis", dim), type);
  }
  return *node.build(
      "scatter_elements",
      {{"input", input}, {"indices", indices}, {"updates", updates}},
      node.integer("axis", axis), type);
}

/// Returns the row-major positions, in the data, of the elements to which the
/// indices of ScatterElements refer.
static SmallVector<int64_t> getPlaces(const Shape &data, const Shape &shape,
                                      ArrayRef<int64_t> indices, int64_t axis) {
  SmallVector<int64_t> places;
  for (auto [number, index] : llvm::enumerate(indices)) {
    // Computes the coordinates of the element, beginning with the last one.
    auto rest = static_cast<int64_t>(number);
    int64_t place = 0, stride = 1;
    for (int64_t dim = shape.size(); dim-- > 0;) {
      int64_t at = rest % shape[dim];
      rest /= shape[dim];
      if (dim == axis)
        at = index < 0 ? index + data[dim] : index;
      place += at * stride;
      stride *= data[dim];
    }
    places.push_back(place);
  }
  return places;
}

static LogicalResult importScatterElements(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  const Shape &data = node.getShape(0), &shape = node.getShape(1);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), data.size());
  FailureOr<StringRef> mnemonic = getReduction(node);
  if (failed(axis) || failed(mnemonic))
    return failure();
  bool fits = shape.size() == data.size() && shape == node.getShape(2);
  for (int64_t dim = 0; fits && dim < static_cast<int64_t>(data.size()); ++dim)
    fits = dim == *axis || shape[dim] <= data[dim];
  if (!fits || node.getType(0) != node.getType(2))
    return node.reject(
        "its data has the shape " + describeShape(data) + ", its indices " +
        describeShape(shape) + " and its updates " +
        describeShape(node.getShape(2)) +
        ", but wanted are the same indices and updates, of the rank and the "
        "type of the data, and of no larger sizes but along axis " +
        Twine(*axis));
  if (isEmpty(shape)) {
    node.ignoreInput(1);
    node.ignoreInput(2);
    return node.setView(0, 0, data);
  }
  if (failed(wantIndices(node, 1, data[*axis])))
    return failure();
  if (!mnemonic->empty()) {
    FailureOr<SmallVector<int64_t>> indices = getKnownIndices(node);
    if (failed(indices))
      return failure();
    return setCombined(node, getPlaces(data, shape, *indices, *axis),
                       /*columns=*/1, *mnemonic);
  }
  auto lead = static_cast<int64_t>(toPhysical(data).size() - data.size());
  return node.set(
      0, scatterInto(node, node.get(0), node.get(1), node.get(2), *axis + lead),
      data);
}

static LogicalResult importScatterND(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  const Shape &data = node.getShape(0), &shape = node.getShape(1),
              &updates = node.getShape(2);
  FailureOr<StringRef> mnemonic = getReduction(node);
  if (failed(mnemonic))
    return failure();
  Shape wanted;
  bool fits = !data.empty() && !shape.empty() && shape.back() >= 1 &&
              shape.back() <= static_cast<int64_t>(data.size());
  if (fits) {
    wanted.append(shape.begin(), shape.end() - 1);
    wanted.append(data.begin() + shape.back(), data.end());
    fits = updates == wanted && node.getType(0) == node.getType(2);
  }
  if (!fits)
    return node.reject("its data has the shape " + describeShape(data) +
                       ", its indices " + describeShape(shape) +
                       " and its updates " + describeShape(updates) +
                       ", which do not fit");
  if (isEmpty(shape) || isEmpty(updates)) {
    node.ignoreInput(1);
    node.ignoreInput(2);
    return node.setView(0, 0, data);
  }
  ArrayRef<int64_t> sizes = ArrayRef(data).take_front(shape.back());
  if (failed(wantTuples(node, sizes)))
    return failure();
  if (!mnemonic->empty()) {
    FailureOr<SmallVector<int64_t>> indices = getKnownIndices(node);
    if (failed(indices))
      return failure();
    SmallVector<int64_t> rows;
    for (size_t first = 0; first < indices->size(); first += sizes.size()) {
      int64_t row = 0;
      for (auto [dim, size] : llvm::enumerate(sizes)) {
        int64_t at = (*indices)[first + dim];
        row = row * size + (at < 0 ? at + size : at);
      }
      rows.push_back(row);
    }
    return setCombined(node, rows,
                       *countElements(ArrayRef(data).drop_front(sizes.size())),
                       *mnemonic);
  }
  size_t rank =
      std::max<size_t>({4, data.size(), shape.size(), updates.size()});
  FailureOr<Value> result =
      node.build("scatter_nd",
                 {{"input", node.getAs(0, leadTo(rank, data))},
                  {"indices", node.getAs(1, leadTo(rank, shape))},
                  {"updates", node.getAs(2, leadTo(rank, updates))}},
                 {node.integer("input_dimension_count", data.size()),
                  node.integer("indices_dimension_count", shape.size())},
                 node.getTensorType(leadTo(rank, data), node.getType(0)));
  return node.set(0, result, data);
}

/// Returns the position, as i32, along `axis` to which each row of an update
/// with the shape `update` is written. There are at least four dimensions.
static FailureOr<Value> getRowPlaces(NodeImporter &node, Shape update,
                                     int64_t axis, int64_t size) {
  StringRef mode = node.getString("mode", "linear");
  bool isCircular = mode == "circular";
  if (!isCircular && mode != "linear")
    return node.reject("its mode is '" + mode +
                       "', but wanted is linear or circular");
  Shape steps(update.size(), 1), starts(update.size(), 1);
  steps[axis] = update[axis];
  const Shape &cache = node.getShape(0);
  Value places = node.buildAll("fill_value_sequence", {},
                               {node.scalar("value_start", DataType::INT32, 0),
                                node.scalar("value_delta", DataType::INT32, 1)},
                               node.getTensorType(steps, DataType::INT32))
                     ->front();
  if (!node.hasInput(2))
    return node.repeat(places, update);
  if (node.getShape(2) != Shape{cache[0]})
    return node.reject("its write_indices have the shape " +
                       describeShape(node.getShape(2)) + ", but wanted is " +
                       Twine(cache[0]));
  starts[update.size() - cache.size()] = cache[0];
  Shape both = steps;
  both[update.size() - cache.size()] = cache[0];
  Value start = node.castTo(node.getAs(2, starts), DataType::INT32);
  places = node.combine("element_wise_add", node.repeat(places, both),
                        node.repeat(start, both));
  if (isCircular)
    places = node.combine(
        "element_wise_modulus_floor", places,
        node.getSplat(DataType::INT32, static_cast<double>(size), both));
  return node.repeat(places, update);
}

/// Imports TensorScatter, which writes rows into a cache. Each batch has its
/// own start position.
static LogicalResult importTensorScatter(NodeImporter &node) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  const Shape &shape = node.getShape(0), &update = node.getShape(1);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -2), shape.size());
  if (failed(axis))
    return failure();
  Shape wanted = shape;
  if (update.size() == shape.size())
    wanted[*axis] = update[*axis];
  if (*axis == 0 || update != wanted || update[*axis] > shape[*axis])
    return node.reject("its inputs have the shapes " + describeShape(shape) +
                       " and " + describeShape(update) +
                       ", which do not fit along axis " + Twine(*axis));
  Shape physical = toPhysical(shape);
  int64_t moved = *axis + physical.size() - shape.size();
  FailureOr<Value> places =
      getRowPlaces(node, toPhysical(update), moved, shape[*axis]);
  if (failed(places))
    return failure();
  return node.set(0,
                  node.build("scatter_elements",
                             {{"input", node.get(0)},
                              {"indices", *places},
                              {"updates", node.get(1)}},
                             node.integer("axis", moved),
                             node.getTensorType(physical, node.getType(0))),
                  shape);
}

void dml::onnx::addScatterNodes(Registry &registry) {
  registry.add("Scatter", "SCATTER_ELEMENTS", importScatterElements);
  registry.add("ScatterElements", "SCATTER_ELEMENTS", importScatterElements);
  registry.add("ScatterND", "SCATTER_ND", importScatterND);
  registry.add("TensorScatter", "FILL_VALUE_SEQUENCE, SCATTER_ELEMENTS",
               importTensorScatter);
}
