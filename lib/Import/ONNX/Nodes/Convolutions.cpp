//===- Convolutions.cpp - Convolutions ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/QuantizedOperands.h"
#include "Nodes/Windows.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// A convolution with the windows of its filter.
struct Convolution {
  Windows windows;
  Value input, filter;
  /// The shape of the output, including an additional dimension.
  Shape output;
  /// Whether there is an additional dimension.
  bool isWidened;
  /// Whether the channels are the last dimension of the node's tensors.
  bool isLast = false;
  SmallVector<NamedAttribute> attributes;

  /// Sets the output to `result`, without the additional dimension.
  LogicalResult set(NodeImporter &node, Value result) const;
};
} // namespace

LogicalResult Convolution::set(NodeImporter &node, Value result) const {
  Shape shape = Windows::without(output, isWidened);
  if (!isLast)
    return node.set(0, result, shape);
  Shape order = {0};
  for (size_t dim = 2; dim < shape.size(); ++dim)
    order.push_back(dim);
  order.push_back(1);
  result = node.transpose(node.reshape(result, shape), order);
  return node.set(0, result,
                  Shape(cast<RankedTensorType>(result.getType()).getShape()));
}

/// Returns input `index`. If `isLast` is set, the channels, which are its last
/// dimension, are moved behind the first dimension.
static Value getChannelsFirst(NodeImporter &node, unsigned index, bool isLast) {
  const Shape &shape = node.getShape(index);
  Value value = node.getAs(index, shape);
  if (!isLast || shape.size() < 3)
    return value;
  Shape order = {0, static_cast<int64_t>(shape.size()) - 1};
  for (size_t dim = 1; dim + 1 < shape.size(); ++dim)
    order.push_back(dim);
  return node.transpose(value, order);
}

/// Returns the convolution of input 0 with the filter in input `filterIndex`.
static FailureOr<Convolution>
getConvolution(NodeImporter &node, unsigned filterIndex, bool isLast = false) {
  Value input = getChannelsFirst(node, 0, isLast),
        weights = getChannelsFirst(node, filterIndex, isLast);
  Shape shape(cast<RankedTensorType>(input.getType()).getShape()),
      filter(cast<RankedTensorType>(weights.getType()).getShape());
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
  convolution.input = node.reshape(input, windows->input);
  convolution.filter = node.reshape(weights, addDimension(filter));
  convolution.isLast = isLast;
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

/// Returns the bias in input `index`, or null if there is none.
static FailureOr<Value> getFilterBias(NodeImporter &node, unsigned index,
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

/// Imports Conv, and com.microsoft's NhwcConv, whose channels are last.
static LogicalResult importConvolution(NodeImporter &node, bool isLast) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  FailureOr<Convolution> convolution = getConvolution(node, 1, isLast);
  if (failed(convolution))
    return failure();
  FailureOr<Value> bias = getFilterBias(node, 2, convolution->output);
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
  FailureOr<Value> bias = getFilterBias(node, 8, convolution->output);
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

/// Returns the pads of `count` dimensions: those of the attribute, or those in
/// input 2 if `areInput` is set.
static FailureOr<Shape> getPads(NodeImporter &node, size_t count,
                                bool areInput) {
  if (!areInput || !node.hasInput(2))
    return getSpatial(node, "pads", 2 * count, 0, 0);
  FailureOr<Shape> pads = node.getIntegers(2, "the pads");
  if (failed(pads))
    return failure();
  if (pads->size() != 2 * count || llvm::any_of(*pads, [](int64_t pad) {
        return pad < 0 || pad > UINT32_MAX;
      }))
    return node.reject("its pads are " + describeList(*pads) +
                       ", but wanted are " + Twine(2 * count) +
                       " values from 0 to 2^32 - 1");
  return pads;
}

/// Imports ConvTranspose, and com.microsoft's ConvTransposeWithDynamicPads,
/// whose pads are an input.
static LogicalResult importTransposedConvolution(NodeImporter &node,
                                                 bool arePadsInput) {
  if (failed(node.wantInputs(2, arePadsInput ? 4 : 3)))
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
  FailureOr<Shape> pads = getPads(node, count, arePadsInput);
  if (failed(strides) || failed(dilations) || failed(extra) || failed(pads))
    return failure();
  Shape start(pads->begin(), pads->begin() + count),
      end(pads->begin() + count, pads->end());
  StringRef autoPad = node.getString("auto_pad", "NOTSET");
  bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  Shape wanted = node.getInts("output_shape");
  // Some models state the sizes of all dimensions.
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
      // Only for SAME_UPPER, the odd element is added at the end.
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
  FailureOr<Value> bias = getFilterBias(node, arePadsInput ? 3 : 2, outer);
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

void dml::onnx::addConvolutionNodes(Registry &registry) {
  auto importConv = [](bool isLast) {
    return [=](NodeImporter &node) { return importConvolution(node, isLast); };
  };
  auto importTransposed = [](bool arePadsInput) {
    return [=](NodeImporter &node) {
      return importTransposedConvolution(node, arePadsInput);
    };
  };
  registry.add("Conv", "CONVOLUTION", importConv(false));
  registry.add("NhwcConv", "CONVOLUTION", importConv(true), "com.microsoft");
  registry.add("ConvTranspose", "CONVOLUTION", importTransposed(false));
  registry.add("ConvTransposeWithDynamicPads", "CONVOLUTION",
               importTransposed(true), "com.microsoft");
  registry.add("ConvInteger", "CONVOLUTION_INTEGER", importIntegerConvolution);
  registry.add("QLinearConv", "QUANTIZED_LINEAR_CONVOLUTION",
               importQuantizedConvolution);
}
