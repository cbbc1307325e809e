//===- Indexing.cpp - Operators that take elements for coordinates --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include <limits>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// `shape` with leading 1s up to `rank` dimensions.
static Shape leadTo(size_t rank, ArrayRef<int64_t> shape) {
  Shape result(rank - shape.size(), 1);
  result.append(shape.begin(), shape.end());
  return result;
}

/// Scatters overwrite elements; DirectML has none that adds or multiplies.
static LogicalResult verifyReduction(NodeImporter &node) {
  StringRef reduction = node.getString("reduction", "none");
  if (reduction == "none")
    return success();
  return node.reject("its reduction is '" + reduction +
                     "', but DirectML's scatters have none");
}

static LogicalResult importGatherND(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &data = node.getShape(0), &indices = node.getShape(1);
  int64_t batch = node.getInt("batch_dims", 0);
  auto dataRank = static_cast<int64_t>(data.size()),
       indicesRank = static_cast<int64_t>(indices.size());
  if (dataRank == 0 || indicesRank == 0 || batch < 0 ||
      batch >= std::min(dataRank, indicesRank) ||
      indices.back() > dataRank - batch)
    return node.reject("its inputs have the shapes " + describeShape(data) +
                       " and " + describeShape(indices) +
                       ", which do not fit with " + Twine(batch) +
                       " batch dimensions");
  Shape output(indices.begin(), indices.end() - 1);
  output.append(data.begin() + batch + indices.back(), data.end());
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

static LogicalResult importScatterElements(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)) || failed(verifyReduction(node)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), shape.size());
  if (failed(axis))
    return failure();
  if (*countElements(node.getShape(1)) == 0)
    return node.setView(0, 0, shape);
  auto lead = static_cast<int64_t>(toPhysical(shape).size() - shape.size());
  FailureOr<Value> result =
      node.build("scatter_elements",
                 {{"input", node.get(0)},
                  {"indices", node.get(1)},
                  {"updates", node.get(2)}},
                 node.integer("axis", *axis + lead),
                 node.getTensorType(toPhysical(shape), node.getType(0)));
  return node.set(0, result, shape);
}

static LogicalResult importScatterND(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)) || failed(verifyReduction(node)))
    return failure();
  const Shape &data = node.getShape(0), &indices = node.getShape(1),
              &updates = node.getShape(2);
  if (data.empty() || indices.empty())
    return node.reject("its inputs have the shapes " + describeShape(data) +
                       " and " + describeShape(indices) +
                       ", but wanted is one dimension at least");
  if (*countElements(indices) == 0)
    return node.setView(0, 0, data);
  size_t rank =
      std::max<size_t>({4, data.size(), indices.size(), updates.size()});
  FailureOr<Value> result =
      node.build("scatter_nd",
                 {{"input", node.getAs(0, leadTo(rank, data))},
                  {"indices", node.getAs(1, leadTo(rank, indices))},
                  {"updates", node.getAs(2, leadTo(rank, updates))}},
                 {node.integer("input_dimension_count", data.size()),
                  node.integer("indices_dimension_count", indices.size())},
                 node.getTensorType(leadTo(rank, data), node.getType(0)));
  return node.set(0, result, data);
}

static LogicalResult importOneHot(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  FailureOr<double> depth = node.getNumber(1, "the depth");
  if (failed(depth))
    return failure();
  Shape shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), shape.size() + 1);
  if (failed(axis))
    return failure();
  if (!(*depth >= 1 && *depth <= UINT32_MAX))
    return node.reject("its depth is " + std::to_string(*depth) +
                       ", but wanted is 1 to 2^32 - 1");
  shape.insert(shape.begin() + *axis, 1);
  Shape output = shape;
  output[*axis] = static_cast<int64_t>(*depth);
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
  double k = 0;
  if (node.hasInput(1)) {
    FailureOr<double> given = node.getNumber(1, "the diagonal");
    if (failed(given))
      return failure();
    k = *given;
  }
  constexpr double least = std::numeric_limits<int32_t>::min(),
                   most = std::numeric_limits<int32_t>::max();
  // Diagonals beyond these are no tensor's.
  auto diagonal = static_cast<int64_t>(std::clamp(k, least + 1, most - 1));
  bool isUpper = node.getInt("upper", 1) != 0;
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
