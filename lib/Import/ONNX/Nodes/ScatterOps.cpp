//===- ScatterOps.cpp - Operators that take elements for coordinates ------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Movement.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>
#include <map>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// `shape` with leading 1s up to `rank` dimensions.
static Shape leadTo(size_t rank, ArrayRef<int64_t> shape) {
  Shape result(rank - shape.size(), 1);
  result.append(shape.begin(), shape.end());
  return result;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Fails where input 1 is a constant of tuples of `sizes.size()` indices, one
/// of which is outside of the elements of its dimension.
static LogicalResult wantTuples(NodeImporter &node, ArrayRef<int64_t> sizes) {
  const std::optional<Constant> &constant = node.getInput(1).constant;
  if (!constant || !constant->isFoldable() || constant->isFloat())
    return success();
  for (auto [place, value] : llvm::enumerate(constant->getIntegers()))
    if (int64_t size = sizes[place % sizes.size()];
        value < -size || value >= size)
      return node.reject("its index " + Twine(value) + " is outside of the " +
                         Twine(size) + " elements of its dimension");
  return success();
}

static LogicalResult importGatherND(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &data = node.getShape(0), &indices = node.getShape(1);
  int64_t batch = node.getInt("batch_dims", 0);
  auto dataRank = static_cast<int64_t>(data.size()),
       indicesRank = static_cast<int64_t>(indices.size());
  if (dataRank == 0 || indicesRank == 0 || batch < 0 ||
      batch >= std::min(dataRank, indicesRank) || indices.back() < 1 ||
      indices.back() > dataRank - batch ||
      ArrayRef(data).take_front(batch) != ArrayRef(indices).take_front(batch))
    return node.reject("its inputs have the shapes " + describeShape(data) +
                       " and " + describeShape(indices) +
                       ", which do not fit with " + Twine(batch) +
                       " batch dimensions");
  Shape output(indices.begin(), indices.end() - 1);
  output.append(data.begin() + batch + indices.back(), data.end());
  if (failed(wantTensor(node, output)))
    return failure();
  if (isEmpty(output))
    return setEmpty(node, 0, node.getType(0), output);
  if (failed(wantTuples(node, ArrayRef(data).slice(batch, indices.back()))))
    return failure();
  size_t rank =
      std::max<size_t>({4, data.size(), indices.size(), output.size()});
  FailureOr<Value> result =
      node.build("gather_nd1",
                 {{"input", node.getAs(0, leadTo(rank, data))},
                  {"indices", node.getAs(1, leadTo(rank, indices))}},
                 {node.integer("input_dimension_count", dataRank),
                  node.integer("indices_dimension_count", indicesRank),
                  node.integer("batch_dimension_count", batch)},
                 node.getTensorType(leadTo(rank, output), node.getType(0)));
  return node.set(0, result, output);
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// The operator of dml that a scatter combines elements with; "" for one that
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

/// The indices of a scatter that combines elements. DirectML's scatters replace
/// them, so that what an element becomes has to be read before.
static FailureOr<SmallVector<int64_t>> getKnownIndices(NodeImporter &node) {
  const std::optional<Constant> &constant = node.getInput(1).constant;
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

/// The rows `rows` of `value`, {1, 1, rows, columns}.
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

/// Combines the rows `rows` of the data, of `columns` elements each, with those
/// of the updates by `mnemonic`. A row that stands several times is combined
/// with one update after the other.
static LogicalResult setCombined(NodeImporter &node, ArrayRef<int64_t> rows,
                                 int64_t columns, StringRef mnemonic) {
  // The n-th layer has what stands for the n-th time.
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

/// Scatters `updates` into `input`, whose sizes may be larger than theirs in
/// other dimensions than `axis`, too: what lies beyond them stays.
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

/// The place of each element that the indices of ScatterElements name, of all
/// elements of the data.
static SmallVector<int64_t> getPlaces(const Shape &data, const Shape &shape,
                                      ArrayRef<int64_t> indices, int64_t axis) {
  SmallVector<int64_t> places;
  for (auto [number, index] : llvm::enumerate(indices)) {
    // The element's coordinates, from the last one on.
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

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

static LogicalResult importOneHot(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  FailureOr<int64_t> depth = getInteger(node, 1, "the depth");
  if (failed(depth))
    return failure();
  Shape shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), shape.size() + 1);
  if (failed(axis))
    return failure();
  if (*depth < 1 || *depth > UINT32_MAX)
    return node.reject("its depth is " + Twine(*depth) +
                       ", but wanted is 1 to 2^32 - 1");
  if (node.getShape(2) != Shape{2})
    return node.reject("its values have the shape " +
                       describeShape(node.getShape(2)) +
                       ", but wanted are two");
  shape.insert(shape.begin() + *axis, 1);
  Shape output = shape;
  output[*axis] = *depth;
  if (failed(wantTensor(node, output)))
    return failure();
  if (isEmpty(output))
    return setEmpty(node, 0, node.getType(2), output);
  size_t rank = std::max<size_t>(4, shape.size());
  Value indices = node.getAs(0, leadTo(rank, shape));
  // ONNX has indices of any type of numbers.
  DataType type = node.getType(0);
  if (type != DataType::INT32 && type != DataType::UINT32 &&
      type != DataType::UINT64)
    indices = node.castTo(indices, DataType::INT64);
  FailureOr<Value> result =
      node.build("one_hot",
                 {{"indices", indices},
                  {"values", node.getAs(2, leadTo(rank, node.getShape(2)))}},
                 node.integer("axis", *axis + rank - shape.size()),
                 node.getTensorType(leadTo(rank, output), node.getType(2)));
  return node.set(0, result, output);
}

static LogicalResult importReverseSequence(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> time = node.normalizeAxis(node.getInt("time_axis", 0),
                                               shape.size()),
                     batch = node.normalizeAxis(node.getInt("batch_axis", 1),
                                                shape.size());
  if (failed(time) || failed(batch))
    return failure();
  // DirectML has a length for each sequence; here, those of a batch share one.
  Shape wanted = {shape[*batch]};
  if (*time == *batch || node.getShape(1) != wanted)
    return node.reject("its lengths have the shape " +
                       describeShape(node.getShape(1)) + ", but wanted is " +
                       describeShape(wanted) + ", along another axis than " +
                       "that of time");
  Shape line(shape.size(), 1), lengths = shape;
  line[*batch] = shape[*batch];
  lengths[*time] = 1;
  DataType type = node.getType(1) == DataType::INT32   ? DataType::UINT32
                  : node.getType(1) == DataType::INT64 ? DataType::UINT64
                                                       : node.getType(1);
  auto lead = static_cast<int64_t>(toPhysical(shape).size() - shape.size());
  FailureOr<Value> result = node.build(
      "reverse_subsequences",
      {{"input", node.get(0)},
       {"sequence_lengths",
        node.bitcast(node.getBroadcast(1, toPhysical(lengths), line), type)}},
      node.integer("axis", *time + lead),
      node.getTensorType(toPhysical(shape), node.getType(0)));
  return node.set(0, result, shape);
}

static LogicalResult importTrilu(NodeImporter &node) {
  if (failed(node.wantInputs(1, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  if (shape.size() < 2)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted are matrices");
  bool isUpper = node.getInt("upper", 1) != 0;
  int64_t k = 0;
  if (node.hasInput(1)) {
    FailureOr<int64_t> given = getInteger(node, 1, "the diagonal");
    if (failed(given))
      return failure();
    k = *given;
  }
  if (isEmpty(shape))
    return setEmpty(node, 0, node.getType(0), shape);
  constexpr int64_t least = std::numeric_limits<int32_t>::min(),
                    most = std::numeric_limits<int32_t>::max();
  // Diagonals beyond these are no tensor's.
  int64_t diagonal = std::clamp(k, least + 1, most - 1);
  // Matrices in a row: the operator has at most four dimensions.
  Shape physical = {1, 1, shape[shape.size() - 2], shape.back()};
  for (int64_t size : ArrayRef(shape).drop_back(2))
    physical[1] *= size;
  FailureOr<Value> result = node.build(
      "diagonal_matrix1", {{"input", node.getAs(0, physical)}},
      {node.scalar("value", node.getType(0), 0),
       node.integer("diagonal_fill_begin", isUpper ? least : diagonal + 1),
       node.integer("diagonal_fill_end", isUpper ? diagonal : most)},
      node.getTensorType(physical, node.getType(0)));
  return node.set(0, result, shape);
}

static LogicalResult importEyeLike(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  node.ignoreInput(0);
  const Shape &shape = node.getShape(0);
  if (shape.size() != 2)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted is a matrix");
  int64_t number = node.getInt("dtype", 0);
  std::optional<DataType> type =
      number == 0 ? node.getType(0) : toDataType(static_cast<int32_t>(number));
  if (!type)
    return node.reject("its dtype is " +
                       describeONNXType(static_cast<int32_t>(number)) +
                       ", which no DirectML tensor has");
  // Diagonals beyond these are no tensor's.
  int64_t offset =
      std::clamp<int64_t>(node.getInt("k", 0), INT32_MIN + 1, INT32_MAX);
  FailureOr<Value> result =
      node.build("diagonal_matrix", {},
                 {node.integer("offset", offset), node.number("value", 1)},
                 node.getTensorType(toPhysical(shape), *type));
  return node.set(0, result, shape);
}

void dml::onnx::addIndexingOperators(Registry &registry) {
  registry.add("GatherND", "GATHER_ND1", importGatherND);
  registry.add("Scatter", "SCATTER_ELEMENTS", importScatterElements);
  registry.add("ScatterElements", "SCATTER_ELEMENTS", importScatterElements);
  registry.add("ScatterND", "SCATTER_ND", importScatterND);
  registry.add("OneHot", "ONE_HOT", importOneHot);
  registry.add("ReverseSequence", "REVERSE_SUBSEQUENCES",
               importReverseSequence);
  registry.add("EyeLike", "DIAGONAL_MATRIX", importEyeLike);
  registry.add("Trilu", "DIAGONAL_MATRIX1", importTrilu);
}
