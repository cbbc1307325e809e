//===- PoolingOps.cpp - Pooling of windows --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/Windows.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Returns windows that cover all spatial dimensions of `shape`.
static FailureOr<Windows> getGlobalWindows(NodeImporter &node,
                                           const Shape &shape) {
  if (shape.size() < 3 || shape.size() > 5)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted are 1 to 3 spatial dimensions");
  Windows windows;
  windows.input = addDimension(shape);
  windows.sizes = Shape(ArrayRef(windows.input).drop_front(2));
  size_t count = windows.sizes.size();
  windows.strides = windows.dilations = windows.counts = Shape(count, 1);
  windows.start = windows.end = Shape(count, 0);
  return windows;
}

/// Returns the attributes for the positions of `windows`, with or without
/// dilations.
static SmallVector<NamedAttribute> getWindowAttributes(NodeImporter &node,
                                                       const Windows &windows,
                                                       bool hasDilations) {
  SmallVector<NamedAttribute> attributes = {
      node.ints("strides", windows.strides),
      node.ints("window_size", windows.sizes),
      node.ints("start_padding", windows.start),
      node.ints("end_padding", windows.end)};
  if (hasDilations)
    attributes.push_back(node.ints("dilations", windows.dilations));
  return attributes;
}

static bool includesPadding(NodeImporter &node) {
  return node.getInt("count_include_pad", 0) != 0;
}

enum class Pooling { Max, Average, Lp };

/// Returns `input` with the padding of `windows` added as zeros, so that only
/// this padding counts, and not positions beyond it.
static Value padExplicitly(NodeImporter &node, Value input, Windows &windows) {
  Shape start = {0, 0}, end = {0, 0}, shape = windows.input;
  start.append(windows.start);
  end.append(windows.end);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    shape[dim] += start[dim] + end[dim];
  windows.start = windows.end = Shape(windows.sizes.size(), 0);
  auto type = cast<RankedTensorType>(input.getType());
  return node.apply("padding", input,
                    {node.enumCase("mode", "padding_mode", "constant"),
                     node.number("padding_value", 0),
                     node.ints("start_padding", start),
                     node.ints("end_padding", end)},
                    type.clone(shape));
}

/// Returns the attribute p of LpPool, which is a float in version 1.
static FailureOr<int64_t> getNormPower(NodeImporter &node) {
  if (node.getOpset() >= 2) {
    int64_t p = node.getInt("p", 2);
    if (p >= 1 && p <= UINT32_MAX)
      return p;
    return node.reject("its attribute p is " + Twine(p) +
                       ", but wanted is a number from 1 to 2^32 - 1");
  }
  float p = node.getFloat("p", 2);
  if (p >= 1 && p < 0x1p32f && std::floor(p) == p)
    return static_cast<int64_t>(p);
  return node.reject("its attribute p is " + describeNumber(p) +
                     ", but wanted is an integer from 1 to 2^32 - 1");
}

static LogicalResult importPooling(NodeImporter &node, Pooling kind,
                                   bool isGlobal) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  if (node.getInt("storage_order", 0) != 0)
    return node.reject("its storage order is " +
                       Twine(node.getInt("storage_order", 0)) +
                       ", but DirectML's is 0");
  const Shape &shape = node.getShape(0);
  FailureOr<Windows> windows =
      isGlobal ? getGlobalWindows(node, shape) : getWindows(node, shape, {});
  if (failed(windows))
    return failure();
  Shape output = {shape[0], shape[1]};
  output.append(windows->counts);
  if (failed(wantTensor(node, output)))
    return failure();
  Value input = node.getAs(0, windows->input);
  bool isIncluded =
      kind == Pooling::Average && !isGlobal && includesPadding(node);
  if (isIncluded && windows->isBeyondPadding()) {
    input = padExplicitly(node, input, *windows);
    isIncluded = false;
  }
  bool wantsIndices = kind == Pooling::Max && node.hasOutput(1);
  bool isNewer = windows->isDilated() || wantsIndices;
  SmallVector<NamedAttribute> attributes =
      getWindowAttributes(node, *windows, isNewer);
  SmallVector<Type> types = {node.getTensorType(output, node.getType(0))};
  std::string mnemonic;
  switch (kind) {
  case Pooling::Max:
    mnemonic = isNewer ? "max_pooling2" : "max_pooling";
    break;
  case Pooling::Average:
    mnemonic = isNewer ? "average_pooling1" : "average_pooling";
    attributes.push_back(node.flag("include_padding", isIncluded));
    break;
  case Pooling::Lp: {
    mnemonic = isNewer ? "lp_pooling1" : "lp_pooling";
    FailureOr<int64_t> p = getNormPower(node);
    if (failed(p))
      return failure();
    attributes.push_back(node.integer("p", *p));
    break;
  }
  }
  if (wantsIndices)
    types.push_back(node.getTensorType(output, DataType::UINT64));
  FailureOr<SmallVector<Value>> results =
      node.buildAll(mnemonic, {{"input", input}}, attributes, types);
  if (failed(results))
    return failure();
  Shape logical = Windows::without(output, shape.size() == 3);
  if (failed(node.set(0, results->front(), logical)))
    return failure();
  if (!wantsIndices)
    return success();
  // ONNX's indices are int64 with the same bits.
  return node.set(1, node.bitcast(results->back(), DataType::INT64), logical);
}

static LogicalResult importQuantizedPooling(NodeImporter &node, bool isGlobal) {
  // The zero point at the end is optional.
  if (failed(node.wantInputs(2, 5)))
    return failure();
  if (!node.hasInput(3))
    return node.reject("it has no scale of its output");
  Shape shape = node.getShape(0);
  size_t rank = shape.size();
  // The channels may be the last dimension.
  bool isLast = node.getInt("channels_last", 0) != 0 && rank > 2;
  SmallVector<int64_t> toFirst = {0, static_cast<int64_t>(rank) - 1},
                       toLast = {0};
  if (isLast) {
    for (size_t dim = 1; dim + 1 < rank; ++dim) {
      toFirst.push_back(dim);
      toLast.push_back(dim + 1);
    }
    toLast.push_back(1);
    std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  }
  FailureOr<Windows> windows =
      isGlobal ? getGlobalWindows(node, shape) : getWindows(node, shape, {});
  if (failed(windows))
    return failure();
  Value input = node.getAs(0, node.getShape(0));
  if (isLast)
    input = node.transpose(input, toFirst);
  input = node.reshape(input, windows->input);
  // ONNX has a single scale and a single zero point for each tensor.
  auto getParameter = [&](unsigned index) -> FailureOr<Value> {
    if (!node.hasInput(index))
      return Value();
    if (countElements(node.getShape(index)) != 1)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted is one element");
    return node.getAs(index, Shape(windows->input.size(), 1));
  };
  SmallVector<Value> parameters;
  for (unsigned index = 1; index < 5; ++index) {
    FailureOr<Value> parameter = getParameter(index);
    if (failed(parameter))
      return failure();
    parameters.push_back(*parameter);
  }
  Shape output = {shape[0], shape[1]};
  output.append(windows->counts);
  // As in ONNX Runtime's implementation of its operator, and in contrast to
  // ONNX's AveragePool, the divisor includes positions of a window beyond the
  // padding.
  bool isIncluded = !isGlobal && includesPadding(node);
  SmallVector<NamedAttribute> attributes =
      getWindowAttributes(node, *windows, /*hasDilations=*/true);
  attributes.push_back(node.flag("include_padding", isIncluded));
  FailureOr<Value> result =
      node.build("quantized_linear_average_pooling",
                 {{"input", input},
                  {"input_scale", parameters[0]},
                  {"input_zero_point", parameters[1]},
                  {"output_scale", parameters[2]},
                  {"output_zero_point", parameters[3]}},
                 attributes, node.getTensorType(output, node.getType(0)));
  if (failed(result))
    return failure();
  Shape logical = Windows::without(output, rank == 3);
  if (!isLast)
    return node.set(0, *result, logical);
  Value moved = node.transpose(node.reshape(*result, logical), toLast);
  std::rotate(logical.begin() + 1, logical.begin() + 2, logical.end());
  return node.set(0, moved, logical);
}

/// Returns `shape` with four dimensions. The elements keep their order, and
/// therefore their indices.
static Shape toFourDimensions(const Shape &shape) {
  if (shape.size() == 5)
    return {shape[0], shape[1], shape[2] * shape[3], shape[4]};
  return addDimension(shape);
}

static LogicalResult importMaxUnpool(NodeImporter &node) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  const Shape &shape = node.getShape(0);
  if (shape.size() < 3 || shape.size() > 5)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted are 1 to 3 spatial dimensions");
  if (node.getShape(1) != shape)
    return node.reject("its indices have the shape " +
                       describeShape(node.getShape(1)) +
                       ", but its input has " + describeShape(shape));
  size_t count = shape.size() - 2;
  FailureOr<Shape> kernel = getSpatial(node, "kernel_shape", count, 1, 1);
  FailureOr<Shape> strides = getSpatial(node, "strides", count, 1, 1);
  FailureOr<Shape> pads = getSpatial(node, "pads", 2 * count, 0, 0);
  if (failed(kernel) || failed(strides) || failed(pads))
    return failure();
  // The indices count the elements of the smallest tensor whose pooling has the
  // shape of the input.
  Shape unpooled = {shape[0], shape[1]};
  for (size_t dim = 0; dim < count; ++dim) {
    int64_t steps = 0;
    if (llvm::MulOverflow(shape[dim + 2] - 1, (*strides)[dim], steps))
      return node.reject("its output has no size of 64 bits");
    int64_t size = steps + (*kernel)[dim] - (*pads)[dim] - (*pads)[count + dim];
    if (size < 1)
      return node.reject("its output has the size " + Twine(size) +
                         " in dimension " + Twine(dim + 2) +
                         ", but wanted is 1 at least");
    unpooled.push_back(size);
  }
  Shape output = unpooled;
  if (node.hasInput(2)) {
    FailureOr<Shape> wanted = node.getIntegers(2, "the output's shape");
    if (failed(wanted))
      return failure();
    output = *wanted;
    bool fits = output.size() == unpooled.size() && output[0] == shape[0] &&
                output[1] == shape[1];
    for (size_t dim = 2; fits && dim < output.size(); ++dim)
      fits = output[dim] >= unpooled[dim];
    if (!fits)
      return node.reject("its output has the shape " + describeShape(output) +
                         ", but its indices count the elements of " +
                         describeShape(unpooled));
  }
  Shape view = toFourDimensions(shape);
  // ONNX's indices are int64 with the same bits.
  FailureOr<Value> result = node.build(
      "max_unpooling",
      {{"input", node.getAs(0, view)},
       {"indices", node.bitcast(node.getAs(1, view), DataType::UINT64)}},
      {}, node.getTensorType(toFourDimensions(unpooled), node.getType(0)));
  if (failed(result))
    return failure();
  if (output == unpooled)
    return node.set(0, *result, output);
  // If the requested shape is larger, zeros are added at the end.
  Shape from = toPhysical(unpooled), to = toPhysical(output), end;
  for (auto [before, after] : llvm::zip_equal(from, to))
    end.push_back(after - before);
  mlir::RankedTensorType type = node.getTensorType(to, node.getType(0));
  result = node.build("padding1", {{"input", node.reshape(*result, from)}},
                      {node.enumCase("mode", "padding_mode", "constant"),
                       node.attr("padding_value", node.getBuilder().getZeroAttr(
                                                      type.getElementType())),
                       node.ints("start_padding", Shape(to.size(), 0)),
                       node.ints("end_padding", end)},
                      type);
  return node.set(0, result, output);
}

void dml::onnx::addPoolingNodes(Registry &registry) {
  auto addPooling = [&](StringRef name, StringRef becomes, Pooling kind,
                        bool isGlobal) {
    registry.add(name, becomes, [=](NodeImporter &node) {
      return importPooling(node, kind, isGlobal);
    });
  };
  addPooling("MaxPool", "MAX_POOLING or MAX_POOLING2", Pooling::Max, false);
  addPooling("GlobalMaxPool", "MAX_POOLING", Pooling::Max, true);
  addPooling("AveragePool", "AVERAGE_POOLING or AVERAGE_POOLING1",
             Pooling::Average, false);
  addPooling("GlobalAveragePool", "AVERAGE_POOLING", Pooling::Average, true);
  addPooling("LpPool", "LP_POOLING or LP_POOLING1", Pooling::Lp, false);
  addPooling("GlobalLpPool", "LP_POOLING", Pooling::Lp, true);
  registry.add("MaxUnpool", "MAX_UNPOOLING", importMaxUnpool);
  for (bool isGlobal : {false, true})
    registry.add(
        isGlobal ? "QLinearGlobalAveragePool" : "QLinearAveragePool",
        "QUANTIZED_LINEAR_AVERAGE_POOLING",
        [=](NodeImporter &node) {
          return importQuantizedPooling(node, isGlobal);
        },
        "com.microsoft");
}
