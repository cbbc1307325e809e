//===- PaddingOps.cpp - Pad -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Returns the numbers of elements that Pad adds before and after the
/// dimensions of its input. Negative numbers remove elements.
static FailureOr<std::pair<Shape, Shape>> getPads(NodeImporter &node) {
  bool hasInputs = node.getOpset() >= 11;
  const Shape &shape = node.getShape(0);
  // Version 1 uses a different name.
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

/// Returns the value with which Pad fills, in the type of its input.
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

/// Removes the elements that negative pads specify from `value`, whose logical
/// shape is `shape`, and sets these pads to 0.
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
  // The result consists of padding only.
  if (isFilled && mode == "constant") {
    node.ignoreInput(0);
    return node.set(0, value->splat(output));
  }
  // Removed elements are not repeated by edges and reflections.
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

void dml::onnx::addPaddingNodes(Registry &registry) {
  registry.add("Pad", "PADDING1", importPad);
}
