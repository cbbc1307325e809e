//===- GatherOps.cpp - Nodes that pick elements by indices ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Folding/Evaluator.h"
#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

static LogicalResult importGather(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &data = node.getShape(0), &indices = node.getShape(1);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), data.size());
  if (failed(axis))
    return failure();
  // All tensors of DirectML's operator have the same rank r, and the last
  // dimensions of the indices replace the axis. The tensors get leading
  // dimensions of size 1 for this purpose. A scalar index gets a dimension of
  // size 1, which is removed from the output by a view.
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

/// Imports Compress: gathers the slices along an axis, or the elements, that
/// the condition selects.
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
  // If the indices have fewer rows than the data, only the first rows of the
  // data are read.
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
  // ONNX allows indices of any numeric type.
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

void dml::onnx::addGatherNodes(Registry &registry) {
  registry.add("Gather", "GATHER", importGather);
  registry.add("Compress", "GATHER", importCompress);
  registry.add("GatherElements", "GATHER_ELEMENTS", importGatherElements);
  registry.add("GatherND", "GATHER_ND1", importGatherND);
  registry.add("OneHot", "ONE_HOT", importOneHot);
}
