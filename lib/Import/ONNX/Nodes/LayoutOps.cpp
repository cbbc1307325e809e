//===- LayoutOps.cpp - Nodes that arrange elements anew -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Folding/Evaluator.h"
#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include "Nodes/Windows.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

static LogicalResult importConcat(NodeImporter &node) {
  unsigned count = node.getNumInputs();
  if (count == 0)
    return node.reject("it has no inputs, but wanted is one at least");
  if (failed(node.wantInputs(count, count)))
    return failure();
  Shape shape = node.getShape(0);
  // From version 4 on, the axis is mandatory.
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
    // Empty inputs contribute nothing.
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

/// Returns the sizes of the parts into which Split divides `size`.
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
    // The parts have equal sizes, but from version 18 on the last part may be
    // smaller.
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
  // DirectML has one length for each sequence. In ONNX, all sequences of a
  // batch element share a length.
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
  // Diagonals beyond this range do not exist in any tensor.
  int64_t diagonal = std::clamp(k, least + 1, most - 1);
  // The matrices are collapsed into one dimension, since the operator supports
  // at most four dimensions.
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
  // Diagonals beyond this range do not exist in any tensor.
  int64_t offset =
      std::clamp<int64_t>(node.getInt("k", 0), INT32_MIN + 1, INT32_MAX);
  FailureOr<Value> result =
      node.build("diagonal_matrix", {},
                 {node.integer("offset", offset), node.number("value", 1)},
                 node.getTensorType(toPhysical(shape), *type));
  return node.set(0, result, shape);
}

/// Imports Col2Im, which adds blocks with the shape {N, C * block, L} to an
/// image.
static LogicalResult importCol2Im(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  FailureOr<Shape> image = node.getIntegers(1, "the image's sizes"),
                   block = node.getIntegers(2, "the blocks' sizes");
  if (failed(image) || failed(block))
    return failure();
  const Shape &shape = node.getShape(0);
  size_t count = image->size();
  FailureOr<Shape> strides = getSpatial(node, "strides", count, 1, 1);
  FailureOr<Shape> dilations = getSpatial(node, "dilations", count, 1, 1);
  FailureOr<Shape> pads = getSpatial(node, "pads", 2 * count, 0, 0);
  if (failed(strides) || failed(dilations) || failed(pads))
    return failure();
  std::optional<int64_t> elements = countElements(*block),
                         pixels = countElements(*image);
  if (shape.size() != 3 || count == 0 || count > 6 || block->size() != count ||
      !elements || *elements == 0 || !pixels || *pixels == 0 ||
      shape[1] % *elements != 0)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", which blocks of " + describeShape(*block) +
                       " of an image of " + describeShape(*image) +
                       " do not fit");
  Shape output = {shape[0], shape[1] / *elements};
  output.append(*image);
  return node.set(
      0,
      node.apply("fold", node.getAs(0, shape),
                 {node.ints("window_sizes", *block),
                  node.ints("strides", *strides),
                  node.ints("dilations", *dilations),
                  node.ints("start_padding", ArrayRef(*pads).take_front(count)),
                  node.ints("end_padding", ArrayRef(*pads).drop_front(count))},
                 node.getTensorType(output, node.getType(0))),
      output);
}

/// Imports Range for known numbers. Small ranges have already been evaluated.
static LogicalResult importRange(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  static constexpr StringLiteral names[] = {"the start", "the limit",
                                            "the step"};
  std::string numbers[3];
  for (unsigned index = 0; index < 3; ++index) {
    if (failed(node.getNumber(index, names[index])))
      return failure();
    if (node.getType(index) != node.getType(0))
      return node.reject(names[index] + " is of the type " +
                         stringifyDataType(node.getType(index)) +
                         ", but the start is of the type " +
                         stringifyDataType(node.getType(0)));
    numbers[index] = describeElement(*node.getInput(index).constant);
  }
  std::optional<int64_t> count = countRange(node);
  if (!count)
    return node.reject("it goes from " + numbers[0] + " to " + numbers[1] +
                       " in steps of " + numbers[2] +
                       ", but wanted are at most 2^32 - 1 elements");
  Shape shape = {*count};
  return node.set(
      0,
      node.build("fill_value_sequence", {},
                 {getScalar(node, "value_start", *node.getInput(0).constant),
                  getScalar(node, "value_delta", *node.getInput(2).constant)},
                 node.getTensorType(toPhysical(shape), node.getType(0))),
      shape);
}

void dml::onnx::addLayoutNodes(Registry &registry) {
  registry.add("Concat", "JOIN", importConcat);
  registry.add("Split", "SPLIT", importSplit);
  registry.add("DepthToSpace", "DEPTH_TO_SPACE1", importDepthToSpace);
  registry.add("SpaceToDepth", "SPACE_TO_DEPTH", importSpaceToDepth);
  registry.add("ReverseSequence", "REVERSE_SUBSEQUENCES",
               importReverseSequence);
  registry.add("EyeLike", "DIAGONAL_MATRIX", importEyeLike);
  registry.add("Trilu", "DIAGONAL_MATRIX1", importTrilu);
  registry.add("Col2Im", "FOLD", importCol2Im);
  registry.add("Range", "FILL_VALUE_SEQUENCE", importRange);
}
