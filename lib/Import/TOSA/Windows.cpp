//===- Windows.cpp - Convolutions, products and poolings ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TOSA/Expression.h"
#include "dml/IR/Layout.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dml;
using namespace dml::tosareader;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Returns a tensor whose channels are the last dimension with the channels
/// behind the batch.
static Value moveChannelsFirst(Expression &e, Value value) {
  auto rank = static_cast<int64_t>(e.getShape(value).size());
  Shape order = {0, rank - 1};
  for (int64_t dim = 1; dim + 1 < rank; ++dim)
    order.push_back(dim);
  return e.transpose(value, order);
}

/// Does the contrary.
static Value moveChannelsLast(Expression &e, Value value) {
  auto rank = static_cast<int64_t>(e.getShape(value).size());
  Shape order = {0};
  for (int64_t dim = 2; dim < rank; ++dim)
    order.push_back(dim);
  order.push_back(1);
  return e.transpose(value, order);
}

/// Returns the shape of the result with the channels behind the batch.
static Shape getChannelsFirst(Expression &e) {
  ArrayRef<int64_t> last = e.getResultShape();
  Shape shape = {last[0], last.back()};
  shape.append(last.begin() + 1, last.end() - 1);
  return shape;
}

/// Every second of `pad`, which has two numbers for each dimension.
static Shape everySecond(ArrayRef<int64_t> pad, size_t first) {
  Shape values;
  for (size_t i = first; i < pad.size(); i += 2)
    values.push_back(pad[i]);
  return values;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// A convolution whose tensors have their channels behind the batch.
struct Filtering {
  Value input, filter;
  int64_t groups = 1;
  bool isBackward = false;
  Shape strides, dilations, start, end, more;
};
} // namespace

/// Adds the operand for a zero point, operand `index` of the operation, unless
/// it is 0.
static void addZeroPoint(Expression &e, Value zeroPoint, StringRef name,
                         size_t rank,
                         SmallVectorImpl<reader::Operand> &operands) {
  if (matchPattern(zeroPoint, m_Zero()))
    return;
  operands.emplace_back(name, e.reshape(zeroPoint, Shape(rank, 1)));
}

/// Whether `type` is one of the types of DirectML's quantized operators.
static bool isByte(DataType type) {
  return type == DataType::INT8 || type == DataType::UINT8;
}

/// Builds the convolution and adds `bias`, which has one element, or one for
/// each channel. `zeroPoints` are those of the input and of the filter.
static Value finishConvolution(Expression &e, Filtering filtering, Value bias,
                               ValueRange zeroPoints) {
  Shape shape = getChannelsFirst(e);
  size_t rank = shape.size();
  Shape perChannel(rank, 1);
  perChannel[1] = shape[1];
  Shape ofBias(rank, 1);
  ofBias[1] = e.getShape(bias)[0];
  bias = e.reshape(bias, ofBias);
  DataType type = e.getResultDataType(),
           from = e.getDataTypeOf(filtering.input),
           of = e.getDataTypeOf(filtering.filter);
  SmallVector<NamedAttribute> attributes = {
      e.ints("strides", filtering.strides),
      e.ints("dilations", filtering.dilations),
      e.ints("start_padding", filtering.start),
      e.ints("end_padding", filtering.end),
      e.integer("group_count", filtering.groups)};

  if (!e.isFloat(from)) {
    if (!isByte(from) || !isByte(of) || type != DataType::INT32)
      return e.refuse(
          "its input is " + stringifyDataType(from) + ", its weight " +
          stringifyDataType(of) + " and its result " + stringifyDataType(type) +
          ", but wanted are floats, or 8-bit integers with a result "
          "of i32");
    if (filtering.isBackward)
      return e.refuse("DirectML has no transposed convolution of integers");
    SmallVector<reader::Operand> operands = {{"input", filtering.input},
                                             {"filter", filtering.filter}};
    addZeroPoint(e, zeroPoints[0], "input_zero_point", rank, operands);
    addZeroPoint(e, zeroPoints[1], "filter_zero_point", rank, operands);
    Value sums =
        e.build("convolution_integer", operands, attributes, shape, type);
    if (!matchPattern(e.getOp()->getOperand(2), m_Zero()))
      sums = e.combine("element_wise_add", sums, e.spread(bias, shape));
    return moveChannelsLast(e, sums);
  }

  if (!e.isFloat(of) || !e.isFloat(type))
    return e.refuse("its input is " + stringifyDataType(from) +
                    ", its weight " + stringifyDataType(of) +
                    " and its result " + stringifyDataType(type) +
                    ", but wanted are floats");
  // Where a transposed convolution begins with elements that nothing is added
  // to, these are padding, to which the bias is added afterwards.
  bool isPadded = false;
  Shape before(rank, 0), after(rank, 0), inner = shape;
  for (auto [dim, start] : llvm::enumerate(filtering.start))
    if (filtering.isBackward && start < 0) {
      isPadded = true;
      before[dim + 2] = -start;
      inner[dim + 2] += start;
      start = 0;
    }
  DataType computed = isPadded ? DataType::FLOAT32 : type;
  attributes[2] = e.ints("start_padding", filtering.start);
  attributes.append(
      {e.attr("mode",
              ConvolutionModeAttr::get(e.rewriter.getContext(),
                                       ConvolutionMode::cross_correlation)),
       e.attr("direction",
              ConvolutionDirectionAttr::get(
                  e.rewriter.getContext(),
                  filtering.isBackward ? ConvolutionDirection::backward
                                       : ConvolutionDirection::forward)),
       e.ints("output_padding", filtering.more)});
  SmallVector<reader::Operand> operands = {
      {"input", e.castTo(filtering.input, computed)},
      {"filter", e.castTo(filtering.filter, computed)}};
  bias = e.castTo(bias, computed);
  if (!isPadded)
    operands.emplace_back("bias", e.spread(bias, perChannel));
  Value result = e.build("convolution", operands, attributes, inner, computed);
  if (isPadded) {
    result =
        e.build("padding", {{"input", result}},
                {e.attr("mode", PaddingModeAttr::get(e.rewriter.getContext(),
                                                     PaddingMode::constant)),
                 e.ints("start_padding", before), e.ints("end_padding", after)},
                shape, computed);
    result = e.combine("element_wise_add", result, e.spread(bias, shape));
  }
  return moveChannelsLast(e, e.castTo(result, type));
}

template <typename OpTy>
static Value convertConvolution(Expression &e, OpTy op, ValueRange operands) {
  Filtering filtering;
  filtering.input = moveChannelsFirst(e, operands[0]);
  // The weight is {C, ..., F}.
  filtering.filter = moveChannelsFirst(e, operands[1]);
  filtering.strides = Shape(op.getStride());
  filtering.dilations = Shape(op.getDilation());
  filtering.start = everySecond(op.getPad(), 0);
  filtering.end = everySecond(op.getPad(), 1);
  filtering.more = Shape(filtering.start.size(), 0);
  return finishConvolution(e, filtering, operands[2], operands.drop_front(3));
}

static Value convertDepthwise(Expression &e, tosa::DepthwiseConv2DOp op,
                              ValueRange operands) {
  Filtering filtering;
  filtering.input = moveChannelsFirst(e, operands[0]);
  // The weight is {KH, KW, C, M}, and channel c has the results c * M to
  // c * M + M - 1.
  ArrayRef<int64_t> of = e.getShape(operands[1]);
  int64_t channels = of[2] * of[3];
  filtering.filter = e.view(operands[1], {channels, 1, of[0], of[1]},
                            {1, channels, of[1] * channels, channels});
  filtering.groups = of[2];
  filtering.strides = Shape(op.getStride());
  filtering.dilations = Shape(op.getDilation());
  filtering.start = everySecond(op.getPad(), 0);
  filtering.end = everySecond(op.getPad(), 1);
  filtering.more = {0, 0};
  return finishConvolution(e, filtering, operands[2], operands.drop_front(3));
}

static Value convertTransposed(Expression &e, tosa::TransposeConv2DOp op,
                               ValueRange operands) {
  Filtering filtering;
  filtering.isBackward = true;
  filtering.input = moveChannelsFirst(e, operands[0]);
  // The weight is {OC, KH, KW, IC}.
  filtering.filter = e.transpose(operands[1], {3, 0, 1, 2});
  filtering.strides = Shape(op.getStride());
  filtering.dilations = {1, 1};
  // Positive numbers of out_pad are elements that the output has more, and
  // negative ones those that are cut.
  for (int64_t pad : everySecond(op.getOutPad(), 0))
    filtering.start.push_back(-pad);
  for (int64_t pad : everySecond(op.getOutPad(), 1)) {
    filtering.end.push_back(std::max<int64_t>(-pad, 0));
    filtering.more.push_back(std::max<int64_t>(pad, 0));
  }
  return finishConvolution(e, filtering, operands[2], operands.drop_front(3));
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

static Value convertMatMul(Expression &e, ValueRange operands) {
  Value a = e.widenRank(operands[0]), b = e.widenRank(operands[1]);
  Shape shape = toPhysical(e.getResultShape());
  DataType type = e.getResultDataType();
  if (!e.isFloat(a)) {
    if (!isByte(e.getDataTypeOf(a)) || !isByte(e.getDataTypeOf(b)) ||
        type != DataType::INT32)
      return e.refuse(
          "its factors are " + stringifyDataType(e.getDataTypeOf(a)) + " and " +
          stringifyDataType(e.getDataTypeOf(b)) + " and its result is " +
          stringifyDataType(type) +
          ", but wanted are floats, or 8-bit integers with a result "
          "of i32");
    SmallVector<reader::Operand> factors = {{"a", a}, {"b", b}};
    addZeroPoint(e, operands[2], "a_zero_point", shape.size(), factors);
    addZeroPoint(e, operands[3], "b_zero_point", shape.size(), factors);
    return e.build("matrix_multiply_integer", factors, {}, shape, type);
  }
  auto transform = [&](StringRef name) {
    return e.attr(name, MatrixTransformAttr::get(e.rewriter.getContext(),
                                                 MatrixTransform::none));
  };
  // Factors of f16 are exact in f32.
  return e.build("gemm", {{"a", e.castTo(a, type)}, {"b", e.castTo(b, type)}},
                 {transform("trans_a"), transform("trans_b")}, shape, type);
}

//===----------------------------------------------------------------------===//
// Poolings
//===----------------------------------------------------------------------===//

template <typename OpTy>
static SmallVector<NamedAttribute> getWindows(Expression &e, OpTy op) {
  return {e.ints("strides", op.getStride()),
          e.ints("window_size", op.getKernel()),
          e.ints("start_padding", everySecond(op.getPad(), 0)),
          e.ints("end_padding", everySecond(op.getPad(), 1))};
}

static Value convertMaxPool(Expression &e, tosa::MaxPool2dOp op,
                            ValueRange operands) {
  if (op.getNanMode() == tosa::NanPropagationMode::IGNORE &&
      e.isFloat(operands[0]) && !e.ignoresNaNs())
    return e.refuse("its nan_mode is IGNORE, but DirectML's maxima of windows "
                    "are NaN where a window has a NaN (PROPAGATE)");
  Value x = moveChannelsFirst(e, operands[0]);
  return moveChannelsLast(e, e.build("max_pooling", {{"input", x}},
                                     getWindows(e, op), getChannelsFirst(e),
                                     e.getDataTypeOf(x)));
}

/// Returns, for each window along one dimension, how many of its elements are
/// no padding.
static Shape countInside(int64_t windows, int64_t kernel, int64_t stride,
                         int64_t start, int64_t size) {
  Shape counts;
  for (int64_t o = 0; o < windows; ++o) {
    int64_t first = o * stride - start;
    counts.push_back(std::min(first + kernel, size) -
                     std::max<int64_t>(first, 0));
  }
  return counts;
}

/// Averages quantized numbers: sums of 32 bits are multiplied by a rounded
/// reciprocal of the number of their terms, as TOSA has it.
static Value averageIntegers(Expression &e, tosa::AvgPool2dOp op,
                             ValueRange operands) {
  DataType type = e.getDataTypeOf(operands[0]);
  if (!isByte(type))
    return e.refuse("its input is " + stringifyDataType(type) +
                    ", but wanted are floats or 8-bit integers");
  auto outputZero = e.getInteger(2, "its output_zp");
  if (!outputZero)
    return {};
  Value x = moveChannelsFirst(e, operands[0]);
  Shape shape = getChannelsFirst(e), of(e.getShape(x));
  ArrayRef<int64_t> kernel = op.getKernel(), stride = op.getStride(),
                    pad = op.getPad();
  Value ones = e.splat(DataType::INT8, 1, {shape[1], 1, kernel[0], kernel[1]});
  SmallVector<reader::Operand> factors = {{"input", x}, {"filter", ones}};
  addZeroPoint(e, operands[1], "input_zero_point", 4, factors);
  Value sums = e.build("convolution_integer", factors,
                       {e.ints("strides", stride), e.ints("dilations", {1, 1}),
                        e.ints("start_padding", everySecond(pad, 0)),
                        e.ints("end_padding", everySecond(pad, 1)),
                        e.integer("group_count", shape[1])},
                       shape, DataType::INT32);
  Shape rows, columns;
  Scaling scaling;
  scaling.shape = {1, 1, shape[2], shape[3]};
  // Without padding, all windows have as many elements.
  if (llvm::all_of(pad, [](int64_t count) { return count == 0; })) {
    scaling.shape = {1, 1, 1, 1};
    rows = {kernel[0]};
    columns = {kernel[1]};
  } else if (constexpr int64_t most = 1 << 20; shape[2] * shape[3] > most) {
    return e.refuse("it has " + Twine(shape[2] * shape[3]) +
                    " windows with padding, but wanted are " + Twine(most) +
                    " at most");
  } else {
    rows = countInside(shape[2], kernel[0], stride[0], pad[0], of[2]);
    columns = countInside(shape[3], kernel[1], stride[1], pad[2], of[3]);
  }
  for (int64_t row : rows)
    for (int64_t column : columns) {
      int64_t count = std::min<int64_t>(row, INT32_MAX) *
                      std::min<int64_t>(column, INT32_MAX);
      if (row < 1 || column < 1 || row > INT32_MAX || column > INT32_MAX ||
          count > INT32_MAX)
        return e.refuse("one of its windows has " + Twine(count) +
                        " elements, but wanted are 1 to 2^31 - 1");
      // 2^bits / 2 < count <= 2^bits.
      int64_t bits = llvm::Log2_64_Ceil(count);
      scaling.multipliers.push_back((((int64_t(1) << 30) + 1) << bits) / count);
      scaling.shifts.push_back(30 + bits);
    }
  Value scaled = scaleIntegers(e, e.castTo(sums, DataType::INT64), scaling,
                               /*roundsTwice=*/false);
  return moveChannelsLast(e, finishQuantized(e, scaled, *outputZero, type));
}

static Value convertAveragePool(Expression &e, tosa::AvgPool2dOp op,
                                ValueRange operands) {
  if (!e.isFloat(operands[0]))
    return averageIntegers(e, op, operands);
  Value x = moveChannelsFirst(e, operands[0]);
  SmallVector<NamedAttribute> attributes = getWindows(e, op);
  attributes.push_back(
      e.attr("include_padding", e.rewriter.getBoolAttr(false)));
  return moveChannelsLast(e,
                          e.build("average_pooling", {{"input", x}}, attributes,
                                  getChannelsFirst(e), e.getDataTypeOf(x)));
}

void dml::tosareader::addWindowRules(Rules &rules) {
  rules.add<tosa::Conv2DOp>(convertConvolution<tosa::Conv2DOp>);
  rules.add<tosa::Conv3DOp>(convertConvolution<tosa::Conv3DOp>);
  rules.add<tosa::DepthwiseConv2DOp>(convertDepthwise);
  rules.add<tosa::TransposeConv2DOp>(convertTransposed);
  rules.add<tosa::MatMulOp>(convertMatMul);
  rules.add<tosa::MaxPool2dOp>(convertMaxPool);
  rules.add<tosa::AvgPool2dOp>(convertAveragePool);
}
