//===- ContractionOps.cpp - Convolutions, pooling and matrix products -----===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Movement.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// How windows lie on the spatial dimensions of a tensor. Tensors of one
/// spatial dimension get one of size 1 before it, since DirectML has two or
/// three.
struct Windows {
  /// The input, with that dimension.
  Shape input;
  Shape sizes, strides, dilations, start, end;
  /// How many windows there are along each spatial dimension.
  Shape counts;

  /// Whether the last window along a dimension reaches beyond the padding at
  /// its end, since the number of windows was rounded up.
  bool isBeyondPadding() const {
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      if ((counts[dim] - 1) * strides[dim] + (sizes[dim] - 1) * dilations[dim] +
              1 >
          input[dim + 2] + start[dim] + end[dim])
        return true;
    return false;
  }
  bool isDilated() const {
    return llvm::any_of(dilations, [](int64_t d) { return d != 1; });
  }
  /// `shape` without the dimension of size 1.
  static Shape without(Shape shape, bool isAdded) {
    if (isAdded)
      return {shape[0], shape[1], shape[3]};
    return shape;
  }
};
} // namespace

/// Adds the dimension of size 1 to {N, C, W}.
static Shape addDimension(Shape shape) {
  if (shape.size() == 3)
    return {shape[0], shape[1], 1, shape[2]};
  return shape;
}

/// Puts `value` before the values of an array of one spatial dimension.
static void prepend(int64_t value, ArrayRef<Shape *> arrays) {
  for (Shape *array : arrays)
    *array = {value, array->front()};
}

/// An array with a value for each spatial dimension, or `otherwise`.
static FailureOr<Shape> getSpatial(NodeImporter &node, StringRef name,
                                   size_t count, int64_t otherwise,
                                   int64_t minimum) {
  Shape values = node.getInts(name);
  if (values.empty())
    values.assign(count, otherwise);
  if (values.size() != count)
    return node.reject("its attribute " + name + " is " + describeList(values) +
                       ", but wanted are " + Twine(count) + " values");
  for (int64_t value : values)
    if (value < minimum || value > UINT32_MAX)
      return node.reject(
          "its attribute " + name + " is " + describeList(values) +
          ", but wanted are values from " + Twine(minimum) + " to 2^32 - 1");
  return values;
}

/// Fails where a node states other windows than its weights have, `sizes`.
static LogicalResult wantKernelShape(NodeImporter &node,
                                     ArrayRef<int64_t> sizes) {
  Shape stated = node.getInts("kernel_shape");
  if (stated.empty() || ArrayRef<int64_t>(stated) == sizes)
    return success();
  return node.reject("its attribute kernel_shape is " + describeShape(stated) +
                     ", but its weights have windows of " +
                     describeShape(sizes));
}

/// The windows, of the sizes `sizes`, of a node whose input has the shape
/// `shape`, {N, C} and spatial dimensions. Where `sizes` is empty, kernel_shape
/// states them.
static FailureOr<Windows> getWindows(NodeImporter &node, const Shape &shape,
                                     Shape sizes) {
  if (shape.size() < 3 || shape.size() > 5)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted are 1 to 3 spatial dimensions");
  size_t count = shape.size() - 2;
  ArrayRef<int64_t> spatial = ArrayRef(shape).drop_front(2);
  if (isEmpty(shape))
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted is one element at least");
  if (sizes.empty()) {
    if (!node.hasAttribute("kernel_shape"))
      return node.reject("it lacks the attribute kernel_shape");
    FailureOr<Shape> kernel = getSpatial(node, "kernel_shape", count, 1, 1);
    if (failed(kernel))
      return failure();
    sizes = *kernel;
  } else if (failed(wantKernelShape(node, sizes))) {
    return failure();
  }
  FailureOr<Shape> strides = getSpatial(node, "strides", count, 1, 1);
  FailureOr<Shape> dilations = getSpatial(node, "dilations", count, 1, 1);
  FailureOr<Shape> pads = getSpatial(node, "pads", 2 * count, 0, 0);
  if (failed(strides) || failed(dilations) || failed(pads))
    return failure();
  Windows windows;
  windows.sizes = sizes;
  windows.strides = *strides;
  windows.dilations = *dilations;
  windows.start = Shape(ArrayRef(*pads).take_front(count));
  windows.end = Shape(ArrayRef(*pads).drop_front(count));

  StringRef autoPad = node.getString("auto_pad", "NOTSET");
  bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (!isSame && autoPad != "VALID" && autoPad != "NOTSET" && !autoPad.empty())
    return node.reject("its attribute auto_pad is '" + autoPad +
                       "', but wanted is NOTSET, SAME_UPPER, SAME_LOWER or "
                       "VALID");
  bool roundUp = node.getInt("ceil_mode", 0) != 0;
  for (size_t dim = 0; dim < count; ++dim) {
    int64_t extent = 0;
    if (llvm::MulOverflow(windows.sizes[dim] - 1, windows.dilations[dim],
                          extent))
      return node.reject("its windows have no size of 64 bits");
    ++extent;
    if (autoPad == "VALID")
      windows.start[dim] = windows.end[dim] = 0;
    if (isSame) {
      int64_t wanted = llvm::divideCeil(spatial[dim], windows.strides[dim]);
      int64_t total = std::max<int64_t>(
          (wanted - 1) * windows.strides[dim] + extent - spatial[dim], 0);
      int64_t less = total / 2, more = total - less;
      windows.start[dim] = autoPad == "SAME_UPPER" ? less : more;
      windows.end[dim] = autoPad == "SAME_UPPER" ? more : less;
    }
    int64_t room =
        spatial[dim] + windows.start[dim] + windows.end[dim] - extent;
    if (room < 0)
      return node.reject("a window reaches over " + Twine(extent) +
                         " elements, but with its padding dimension " +
                         Twine(dim + 2) + " has " + Twine(room + extent));
    int64_t windowCount = room / windows.strides[dim] + 1;
    if (roundUp && room % windows.strides[dim] != 0) {
      // A window that begins behind the tensor and its padding at the start
      // does not count.
      if (windowCount * windows.strides[dim] <
          spatial[dim] + windows.start[dim])
        ++windowCount;
    }
    windows.counts.push_back(windowCount);
  }
  windows.input = addDimension(shape);
  if (count == 1) {
    prepend(1, {&windows.sizes, &windows.strides, &windows.dilations,
                &windows.counts});
    prepend(0, {&windows.start, &windows.end});
  }
  return windows;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// A convolution whose windows are `filter`.
struct Convolution {
  Windows windows;
  Value input, filter;
  /// The output's shape with the dimension that was added.
  Shape output;
  /// Whether it was.
  bool isWidened;
  SmallVector<NamedAttribute> attributes;

  /// Sets the output, which has that dimension.
  LogicalResult set(NodeImporter &node, Value result) const {
    return node.set(0, result, Windows::without(output, isWidened));
  }
};
} // namespace

/// The convolution of input 0 with the filter that is input `filterIndex`.
static FailureOr<Convolution> getConvolution(NodeImporter &node,
                                             unsigned filterIndex) {
  const Shape &shape = node.getShape(0), &filter = node.getShape(filterIndex);
  if (filter.size() != shape.size() || shape.size() < 3)
    return node.reject("its input has the shape " + describeShape(shape) +
                       " and its filter " + describeShape(filter) +
                       ", but wanted are as many dimensions, 3 at least");
  int64_t group = node.getInt("group", 1);
  if (isEmpty(filter) || group < 1 || group > filter[0] ||
      filter[0] % group != 0 || shape[1] != filter[1] * group)
    return node.reject("its attribute group is " + Twine(group) +
                       ", its input has the shape " + describeShape(shape) +
                       " and its filter " + describeShape(filter) +
                       ", which do not fit");
  FailureOr<Windows> windows =
      getWindows(node, shape, Shape(ArrayRef(filter).drop_front(2)));
  if (failed(windows))
    return failure();
  Convolution convolution;
  convolution.windows = *windows;
  convolution.input = node.getAs(0, windows->input);
  convolution.filter = node.getAs(filterIndex, addDimension(filter));
  convolution.output = {shape[0], filter[0]};
  convolution.output.append(windows->counts);
  if (failed(wantTensor(node, convolution.output)))
    return failure();
  convolution.isWidened = shape.size() == 3;
  convolution.attributes = {node.ints("strides", windows->strides),
                            node.ints("dilations", windows->dilations),
                            node.ints("start_padding", windows->start),
                            node.ints("end_padding", windows->end),
                            node.integer("group_count", group)};
  return convolution;
}

/// The bias that is input `index`, if it is there.
static FailureOr<Value> getBias(NodeImporter &node, unsigned index,
                                ArrayRef<int64_t> output) {
  if (!node.hasInput(index))
    return Value();
  if (countElements(node.getShape(index)) != output[1])
    return node.reject("its bias has the shape " +
                       describeShape(node.getShape(index)) +
                       ", but wanted is " + Twine(output[1]));
  Shape as(output.size(), 1);
  as[1] = output[1];
  return node.getAs(index, as);
}

static LogicalResult importConvolution(NodeImporter &node) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  FailureOr<Convolution> convolution = getConvolution(node, 1);
  if (failed(convolution))
    return failure();
  FailureOr<Value> bias = getBias(node, 2, convolution->output);
  if (failed(bias))
    return failure();
  SmallVector<NamedAttribute> attributes = convolution->attributes;
  attributes.append(
      {node.enumCase("mode", "convolution_mode", "cross_correlation"),
       node.enumCase("direction", "convolution_direction", "forward"),
       node.ints("output_padding",
                 Shape(convolution->windows.sizes.size(), 0))});
  FailureOr<Value> result = node.build(
      "convolution",
      {{"input", convolution->input},
       {"filter", convolution->filter},
       {"bias", *bias}},
      attributes, node.getTensorType(convolution->output, node.getType(0)));
  if (failed(result))
    return failure();
  return convolution->set(node, *result);
}

/// The scale or zero point that is input `index`, if it is there: one number,
/// or several along dimension `dim` of four.
static FailureOr<Value> getParameter(NodeImporter &node, unsigned index,
                                     size_t dim) {
  if (!node.hasInput(index))
    return Value();
  const Shape &shape = node.getShape(index);
  Shape as(4, 1);
  for (int64_t size : shape) {
    if (size == 1)
      continue;
    if (as[dim] != 1)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(shape) +
                         ", but wanted are numbers along one dimension");
    as[dim] = size;
  }
  return node.getAs(index, as);
}

namespace {
/// An operand of the operator that is a scale or a zero point: the node's input
/// `index`, which may have numbers along `dim`.
struct ParameterInput {
  StringRef name;
  unsigned index;
  size_t dim;
};
} // namespace

static LogicalResult addParameters(NodeImporter &node,
                                   ArrayRef<ParameterInput> parameters,
                                   SmallVectorImpl<NodeImporter::Operand> &to) {
  for (const ParameterInput &parameter : parameters) {
    FailureOr<Value> value = getParameter(node, parameter.index, parameter.dim);
    if (failed(value))
      return failure();
    to.emplace_back(parameter.name, *value);
  }
  return success();
}

static LogicalResult importIntegerConvolution(NodeImporter &node) {
  if (failed(node.wantInputs(2, 4)))
    return failure();
  FailureOr<Convolution> convolution = getConvolution(node, 1);
  if (failed(convolution))
    return failure();
  SmallVector<NodeImporter::Operand> operands = {
      {"input", convolution->input}, {"filter", convolution->filter}};
  if (failed(addParameters(
          node, {{"input_zero_point", 2, 1}, {"filter_zero_point", 3, 1}},
          operands)))
    return failure();
  FailureOr<Value> result =
      node.build("convolution_integer", operands, convolution->attributes,
                 node.getTensorType(convolution->output, DataType::INT32));
  if (failed(result))
    return failure();
  return convolution->set(node, *result);
}

static LogicalResult importQuantizedConvolution(NodeImporter &node) {
  if (failed(node.wantInputs(8, 9)))
    return failure();
  FailureOr<Convolution> convolution = getConvolution(node, 3);
  if (failed(convolution))
    return failure();
  FailureOr<Value> bias = getBias(node, 8, convolution->output);
  if (failed(bias))
    return failure();
  SmallVector<NodeImporter::Operand> operands = {
      {"input", convolution->input},
      {"filter", convolution->filter},
      {"bias", *bias}};
  if (failed(addParameters(node,
                           {{"input_scale", 1, 1},
                            {"input_zero_point", 2, 1},
                            {"filter_scale", 4, 1},
                            {"filter_zero_point", 5, 1},
                            {"output_scale", 6, 1},
                            {"output_zero_point", 7, 1}},
                           operands)))
    return failure();
  FailureOr<Value> result = node.build(
      "quantized_linear_convolution", operands, convolution->attributes,
      node.getTensorType(convolution->output, node.getType(7)));
  if (failed(result))
    return failure();
  return convolution->set(node, *result);
}

static LogicalResult importTransposedConvolution(NodeImporter &node) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  const Shape &shape = node.getShape(0), &filter = node.getShape(1);
  if (filter.size() != shape.size() || shape.size() < 3 || shape.size() > 5)
    return node.reject("its input has the shape " + describeShape(shape) +
                       " and its filter " + describeShape(filter) +
                       ", but wanted are as many dimensions, 3 to 5");
  size_t count = shape.size() - 2;
  if (failed(wantKernelShape(node, ArrayRef(filter).drop_front(2))))
    return failure();
  int64_t group = node.getInt("group", 1);
  if (isEmpty(shape) || isEmpty(filter) || group < 1 || group > filter[0] ||
      filter[0] % group != 0 || shape[1] != filter[0])
    return node.reject("its attribute group is " + Twine(group) +
                       ", its input has the shape " + describeShape(shape) +
                       " and its filter " + describeShape(filter) +
                       ", which do not fit");
  FailureOr<Shape> strides = getSpatial(node, "strides", count, 1, 1);
  FailureOr<Shape> dilations = getSpatial(node, "dilations", count, 1, 1);
  FailureOr<Shape> extra = getSpatial(node, "output_padding", count, 0, 0);
  FailureOr<Shape> pads = getSpatial(node, "pads", 2 * count, 0, 0);
  if (failed(strides) || failed(dilations) || failed(extra) || failed(pads))
    return failure();
  Shape start(pads->begin(), pads->begin() + count),
      end(pads->begin() + count, pads->end());
  StringRef autoPad = node.getString("auto_pad", "NOTSET");
  bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  Shape wanted = node.getInts("output_shape");
  // Some models state all dimensions.
  if (wanted.size() == count + 2)
    wanted.erase(wanted.begin(), wanted.begin() + 2);
  if ((!wanted.empty() && wanted.size() != count) ||
      llvm::any_of(wanted,
                   [](int64_t size) { return size < 1 || size > UINT32_MAX; }))
    return node.reject("its attribute output_shape is " + describeList(wanted) +
                       ", but wanted are " + Twine(count) +
                       " values from 1 to 2^32 - 1");
  if (!isSame && autoPad != "VALID" && autoPad != "NOTSET" && !autoPad.empty())
    return node.reject("its attribute auto_pad is '" + autoPad +
                       "', but wanted is NOTSET, SAME_UPPER, SAME_LOWER or "
                       "VALID");
  Shape output = {shape[0], filter[1] * group};
  for (size_t dim = 0; dim < count; ++dim) {
    int64_t extent = 0, steps = 0;
    constexpr int64_t most = int64_t{1} << 40;
    if (llvm::MulOverflow(filter[dim + 2] - 1, (*dilations)[dim], extent) ||
        llvm::MulOverflow(shape[dim + 2] - 1, (*strides)[dim], steps) ||
        extent > most || steps > most)
      return node.reject("its output has no size of 32 bits");
    int64_t full = steps + extent + 1 + (*extra)[dim];
    if (autoPad == "VALID")
      start[dim] = end[dim] = 0;
    if (isSame || !wanted.empty()) {
      int64_t size =
          wanted.empty() ? shape[dim + 2] * (*strides)[dim] : wanted[dim];
      // A larger output has zeros at its end.
      if (size > full) {
        (*extra)[dim] += size - full;
        full = size;
      }
      int64_t total = full - size;
      // The odd element goes to the end for SAME_UPPER alone.
      int64_t less = total / 2, more = total - less;
      start[dim] = autoPad == "SAME_UPPER" ? less : more;
      end[dim] = autoPad == "SAME_UPPER" ? more : less;
    }
    int64_t size = full - start[dim] - end[dim];
    if (size < 1)
      return node.reject("its output has the size " + Twine(size) +
                         " in dimension " + Twine(dim + 2) +
                         ", but wanted is 1 at least");
    output.push_back(size);
  }
  if (failed(wantTensor(node, output)))
    return failure();
  Shape outer = addDimension(output);
  if (count == 1) {
    prepend(1, {&*strides, &*dilations});
    prepend(0, {&start, &end, &*extra});
  }
  FailureOr<Value> bias = getBias(node, 2, outer);
  if (failed(bias))
    return failure();
  FailureOr<Value> result = node.build(
      "convolution",
      {{"input", node.getAs(0, addDimension(shape))},
       {"filter", node.getAs(1, addDimension(filter))},
       {"bias", *bias}},
      {node.enumCase("mode", "convolution_mode", "cross_correlation"),
       node.enumCase("direction", "convolution_direction", "backward"),
       node.ints("strides", *strides), node.ints("dilations", *dilations),
       node.ints("start_padding", start), node.ints("end_padding", end),
       node.ints("output_padding", *extra), node.integer("group_count", group)},
      node.getTensorType(outer, node.getType(0)));
  return node.set(0, result, output);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Windows that are as large as the spatial dimensions of `shape`.
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

/// The attributes that say how `windows` lie, with dilations or without.
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

/// `input` with the padding of `windows` as zeros, so that what lies beyond the
/// padding does not count with it.
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

/// The attribute p of LpPool, which is a float in version 1.
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
  // ONNX's indices are int64, of the same bits.
  return node.set(1, node.bitcast(results->back(), DataType::INT64), logical);
}

static LogicalResult importQuantizedPooling(NodeImporter &node, bool isGlobal) {
  // The zero point at the end may be left out.
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
  // ONNX has one scale and one zero point for a tensor.
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
  // A window that reaches beyond the padding counts as a whole here, unlike one
  // of ONNX's AveragePool: that is how ONNX Runtime computes its operator.
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

/// The shape of a tensor that is seen as one of four dimensions. Its elements
/// keep their order, which is what indices of elements count in.
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
  // The tensor whose elements the indices count: the smallest that pools to the
  // input.
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
  // ONNX's indices are int64, of the same bits.
  FailureOr<Value> result = node.build(
      "max_unpooling",
      {{"input", node.getAs(0, view)},
       {"indices", node.bitcast(node.getAs(1, view), DataType::UINT64)}},
      {}, node.getTensorType(toFourDimensions(unpooled), node.getType(0)));
  if (failed(result))
    return failure();
  if (output == unpooled)
    return node.set(0, *result, output);
  // Zeros behind the tensor fill a larger shape.
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

/// Blocks of an image, {N, C * block, L}, are added up to the image.
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

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

static NamedAttribute getTransform(NodeImporter &node, StringRef name,
                                   bool isTransposed) {
  return node.enumCase(name, "matrix_transform",
                       isTransposed ? "transpose" : "none");
}

static LogicalResult importGemm(NodeImporter &node) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  const Shape &a = node.getShape(0), &b = node.getShape(1);
  if (a.size() != 2 || b.size() != 2)
    return node.reject("its matrices have the shapes " + describeShape(a) +
                       " and " + describeShape(b) +
                       ", but wanted are two dimensions");
  bool transA = node.getInt("transA", 0) != 0,
       transB = node.getInt("transB", 0) != 0;
  Shape output = {a[transA ? 1 : 0], b[transB ? 0 : 1]};
  Value c;
  if (node.hasInput(2)) {
    bool isFixed = node.getOpset() < 7 && node.getInt("broadcast", 0) == 0 &&
                   node.getShape(2) != output;
    if (isFixed || broadcastShapes(node.getShape(2), output) != output)
      return node.reject(
          "its C has the shape " + describeShape(node.getShape(2)) +
          ", which does not broadcast to " + describeShape(output));
    c = node.getBroadcast(2, toPhysical(output));
  }
  FailureOr<Value> result =
      node.build("gemm", {{"a", node.get(0)}, {"b", node.get(1)}, {"c", c}},
                 {getTransform(node, "trans_a", transA),
                  getTransform(node, "trans_b", transB),
                  node.number("alpha", node.getFloat("alpha", 1)),
                  node.number("beta", node.getFloat("beta", 1))},
                 node.getTensorType(toPhysical(output), node.getType(0)));
  return node.set(0, result, output);
}

namespace {
/// A product of matrices.
struct Product {
  Value a, b;
  /// What the operator makes, and what the node does.
  Shape output, logical;
};
} // namespace

/// The product of the inputs 0 and `second`, each of which may be transposed.
static FailureOr<Product> getProduct(NodeImporter &node, unsigned second,
                                     bool transA = false, bool transB = false) {
  Shape a = node.getShape(0), b = node.getShape(second);
  if (a.empty() || b.empty())
    return node.reject("one of its inputs is a scalar");
  bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), 1);
  if (isColumn)
    b.push_back(1);
  auto getRows = [](const Shape &shape, bool isTransposed) {
    return isTransposed ? shape.back() : shape[shape.size() - 2];
  };
  int64_t rows = getRows(a, transA), columns = getRows(b, !transB);
  std::optional<Shape> batch =
      broadcastShapes(ArrayRef(a).drop_back(2), ArrayRef(b).drop_back(2));
  if (!batch || getRows(a, !transA) != getRows(b, transB))
    return node.reject("it multiplies " + describeShape(node.getShape(0)) +
                       " by " + describeShape(node.getShape(second)) +
                       ", which do not fit");
  auto withBatch = [&](ArrayRef<int64_t> matrix) {
    Shape shape = *batch;
    shape.append(matrix.begin(), matrix.end());
    return toPhysical(shape);
  };
  Product product;
  product.output = withBatch({rows, columns});
  product.a = node.getBroadcast(0, withBatch(ArrayRef(a).take_back(2)), a);
  product.b = node.getBroadcast(second, withBatch(ArrayRef(b).take_back(2)), b);
  // DirectML's products have two dimensions of batches; more of them count as
  // one.
  if (product.output.size() > 4) {
    int64_t count = *countElements(ArrayRef(product.output).drop_back(2));
    auto flatten = [&](Value value, const Shape &shape) {
      return node.reshape(value,
                          {1, count, shape[shape.size() - 2], shape.back()});
    };
    product.output = {1, count, rows, columns};
    product.a = flatten(product.a, a);
    product.b = flatten(product.b, b);
  }
  product.logical = *batch;
  if (!isRow)
    product.logical.push_back(rows);
  if (!isColumn)
    product.logical.push_back(columns);
  return product;
}

Value dml::onnx::multiplyAndSum(NodeImporter &node, Value a, Value b) {
  auto type = cast<RankedTensorType>(a.getType());
  ArrayRef<int64_t> left = type.getShape(),
                    right = cast<RankedTensorType>(b.getType()).getShape();
  int64_t batches = left[0] * left[1], rows = left[2], columns = right[2],
          inner = left[3];
  Shape shape = {batches, rows, columns, inner};
  if (failed(wantTensor(node, shape)))
    return node.reshape(a, left);
  Value product = node.combine(
      "element_wise_multiply",
      node.repeat(node.reshape(a, {batches, rows, 1, inner}), shape),
      node.repeat(node.reshape(b, {batches, 1, columns, inner}), shape));
  Value sum = node.apply("reduce", product,
                         {node.enumCase("function", "reduce_function", "sum"),
                          node.ints("axes", 3)},
                         type.clone({batches, rows, columns, 1}));
  return node.reshape(sum, {left[0], left[1], rows, columns});
}

/// Sets the output to `alpha` times the product of the inputs.
static LogicalResult setProduct(NodeImporter &node, bool transA, bool transB,
                                float alpha) {
  FailureOr<Product> product = getProduct(node, 1, transA, transB);
  if (failed(product))
    return failure();
  DataType type = node.getType(0);
  if (!transA && !transB && alpha == 1 && type != DataType::FLOAT32 &&
      type != DataType::FLOAT16)
    return node.set(0,
                    multiplyAndSum(node, product->a,
                                   node.transpose(product->b, {0, 1, 3, 2})),
                    product->logical);
  FailureOr<Value> result =
      node.build("gemm", {{"a", product->a}, {"b", product->b}},
                 {getTransform(node, "trans_a", transA),
                  getTransform(node, "trans_b", transB),
                  node.number("alpha", alpha), node.number("beta", 0)},
                 node.getTensorType(product->output, node.getType(0)));
  return node.set(0, result, product->logical);
}

static LogicalResult importMatMul(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  return setProduct(node, /*transA=*/false, /*transB=*/false, /*alpha=*/1);
}

/// com.microsoft's operator that also transposes and scales.
static LogicalResult importFusedMatMul(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  for (StringRef name : {"transBatchA", "transBatchB"})
    if (node.getInt(name, 0) != 0)
      return node.reject("its attribute " + name +
                         " is on, which the importer does not read");
  // One dimension has nothing to transpose.
  auto isTransposed = [&](unsigned index, StringRef name) {
    return node.getInt(name, 0) != 0 && node.getShape(index).size() > 1;
  };
  bool transA = isTransposed(0, "transA"), transB = isTransposed(1, "transB");
  return setProduct(node, transA, transB, node.getFloat("alpha", 1));
}

/// Rows and columns of tensors of four dimensions.
static constexpr size_t rowDim = 2, columnDim = 3;

/// A product of the inputs 0 and `second`, both integers, with `parameters`.
static LogicalResult importIntegerProduct(NodeImporter &node,
                                          StringRef mnemonic, unsigned second,
                                          ArrayRef<ParameterInput> parameters,
                                          DataType type) {
  FailureOr<Product> product = getProduct(node, second);
  if (failed(product))
    return failure();
  SmallVector<NodeImporter::Operand> operands = {{"a", product->a},
                                                 {"b", product->b}};
  if (failed(addParameters(node, parameters, operands)))
    return failure();
  FailureOr<Value> result = node.build(
      mnemonic, operands, {}, node.getTensorType(product->output, type));
  return node.set(0, result, product->logical);
}

static LogicalResult importMatMulInteger(NodeImporter &node) {
  if (failed(node.wantInputs(2, 4)))
    return failure();
  return importIntegerProduct(
      node, "matrix_multiply_integer", 1,
      {{"a_zero_point", 2, rowDim}, {"b_zero_point", 3, columnDim}},
      DataType::INT32);
}

static LogicalResult importQuantizedMatMul(NodeImporter &node) {
  if (failed(node.wantInputs(8, 8)))
    return failure();
  return importIntegerProduct(node, "quantized_linear_matrix_multiply", 3,
                              {{"a_scale", 1, rowDim},
                               {"a_zero_point", 2, rowDim},
                               {"b_scale", 4, columnDim},
                               {"b_zero_point", 5, columnDim},
                               {"output_scale", 6, rowDim},
                               {"output_zero_point", 7, rowDim}},
                              node.getType(7));
}

void dml::onnx::addWindowOperators(Registry &registry) {
  registry.add("Conv", "CONVOLUTION", importConvolution);
  registry.add("ConvTranspose", "CONVOLUTION", importTransposedConvolution);
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
  registry.add("Col2Im", "FOLD", importCol2Im);
  registry.add("Gemm", "GEMM", importGemm);
  registry.add("MatMul", "GEMM", importMatMul);
  registry.add("FusedMatMul", "GEMM", importFusedMatMul, "com.microsoft");
  registry.add("ConvInteger", "CONVOLUTION_INTEGER", importIntegerConvolution);
  registry.add("QLinearConv", "QUANTIZED_LINEAR_CONVOLUTION",
               importQuantizedConvolution);
  registry.add("MatMulInteger", "MATRIX_MULTIPLY_INTEGER", importMatMulInteger);
  registry.add("QLinearMatMul", "QUANTIZED_LINEAR_MATRIX_MULTIPLY",
               importQuantizedMatMul);
}
