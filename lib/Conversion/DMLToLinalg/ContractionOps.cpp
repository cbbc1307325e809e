//===- ContractionOps.cpp - Sums of products to linalg --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Elements are read from flattened tensors at computed positions. A loop then
// only adds one number to a position that is computed in front of the loop.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ContractionOps.h"
#include "Convolutions.h"
#include "ElementWiseRows.h"
#include "LoweringUtils.h"
#include "dml/IR/LayoutAttr.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

/// Divides `size` terms into a loop and an unrolled part, if the size of the
/// unrolled part divides `size`.
static SmallVector<int64_t> getTermSizes(int64_t size) {
  constexpr int64_t writtenOut = 4;
  if (size % writtenOut == 0)
    return {size / writtenOut, writtenOut};
  return {size};
}
/// Builds the number of the term with these `coordinates` in the sizes that
/// getTermSizes() returned.
static Value buildTermNumber(ElementBuilder &b, ValueRange coordinates) {
  if (coordinates.size() == 1)
    return coordinates[0];
  return b.add(b.mul(coordinates[0], 4), coordinates[1]);
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

namespace {
/// A scale or a zero point: a single number, or one number for each coordinate
/// of a dimension. Its tensor is null if it is absent.
struct Parameter {
  Parameter() = default;
  /// `original` is the tensor before its type was converted.
  Parameter(Value tensor, Value original) : tensor(tensor) {
    if (tensor)
      elementType = cast<RankedTensorType>(original.getType()).getElementType();
  }

  /// Loads the number for `coordinate`.
  Number load(ElementBuilder &b, Value coordinate) const {
    SmallVector<Value> position;
    for (int64_t size : cast<RankedTensorType>(tensor.getType()).getShape())
      position.push_back(size == 1 ? b.index(0) : coordinate);
    return toNumber(b, tensor::ExtractOp::create(b, tensor, position),
                    elementType);
  }

  Value tensor;
  Type elementType;
};

/// A factor of the products: the elements of a tensor, minus a zero point.
class Factor {
public:
  Factor(OpBuilder &builder, Location loc, Value tensor, Value original,
         Parameter zeroPoint = {})
      : elements(flatten(builder, loc, tensor)),
        elementType(
            cast<RankedTensorType>(original.getType()).getElementType()),
        zeroPoint(zeroPoint) {}

  /// Loads the zero point of the elements with `coordinate`. Returns null if
  /// there is no zero point.
  Value loadZeroPoint(ElementBuilder &b, Value coordinate) const {
    return zeroPoint.tensor ? zeroPoint.load(b, coordinate).value : Value();
  }
  /// Loads the element at `position`, minus `zero`, as a number of `sumType`.
  Number load(ElementBuilder &b, Value position, Value zero,
              Type sumType) const {
    Number x = toNumber(b, tensor::ExtractOp::create(b, elements, position),
                        elementType);
    if (zero)
      x = x - x.with(zero);
    // Differences of narrow integers may be negative.
    if (!x.isFloat() && elementType.getIntOrFloatBitWidth() < 32)
      x.isUnsigned = false;
    return convert(x, sumType);
  }

  /// Returns the type in which products with elements of `other` are added up:
  /// i32 if both factors have 8 bits, and f32 otherwise.
  Type getSumType(const Factor &other) const {
    MLIRContext *context = elementType.getContext();
    if (elementType.isInteger(8) && other.elementType.isInteger(8))
      return IntegerType::get(context, 32);
    return Float32Type::get(context);
  }

private:
  /// All elements as a flat tensor.
  Value elements;
  Type elementType;
  Parameter zeroPoint;
};

/// Converts sums of integers to quantized numbers.
struct Quantization {
  Parameter lhsScale, rhsScale, outputScale, outputZeroPoint;
  Type elementType;

  /// Builds the quantized element for `sum`. `lhs`, `rhs` and `output` are the
  /// coordinates of the parameters of the two factors and of the output.
  Value build(ElementBuilder &b, Value sum, Value lhs, Value rhs, Value output,
              Type convertedType) const {
    Number number = convert({&b, sum}, b.getF32Type());
    Number scale = lhsScale.load(b, lhs) * rhsScale.load(b, rhs) /
                   outputScale.load(b, output);
    Number rounded = roundEven(number * scale);
    if (outputZeroPoint.tensor)
      rounded =
          rounded + convert(outputZeroPoint.load(b, output), b.getF32Type());
    return fromNumber(convert(rounded, elementType), convertedType);
  }
};

/// Computes the element at `indices` of the output from its sum.
using FinishFn =
    std::function<Value(ElementBuilder &b, ValueRange indices, Value sum)>;
} // namespace

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// A pair of a position in the input and a position in the filter, whose
/// product contributes to a position of the output. The positions are offsets
/// in their planes. `exists` is null if the pair always exists.
struct Tap {
  Value input, filter, exists;
};

/// One spatial dimension of a convolution.
struct ConvolvedDim {
  int64_t input, output, filter;
  int64_t stride, dilation, start;
  bool isForward, isFlipped;
  /// The distances, in elements, between neighbouring positions of the input
  /// and of the filter.
  int64_t inputStep, filterStep;

  /// In the backward direction, only every stride-th position of the filter
  /// corresponds to an element of the input, unless the filter is dilated.
  bool skips() const { return !isForward && stride > 1 && dilation == 1; }
  /// Returns the number of taps for an element of the output.
  int64_t getNumTaps() const {
    return skips() ? llvm::divideCeilSigned(filter, stride) : filter;
  }
  /// Whether the windows of a backward convolution tile the output: they
  /// neither overlap nor leave gaps. Position p of the output then has a single
  /// tap, with position p / stride of the input and p % stride of the filter.
  bool isTiled() const {
    return !isForward && dilation == 1 && filter == stride && start == 0 &&
           output == input * stride;
  }
  Tap build(ElementBuilder &b, Value position, Value number) const;
  /// Builds the tap for position `inWindow` of window `window`, if windows tile
  /// the output.
  Tap buildInWindow(ElementBuilder &b, Value window, Value inWindow) const;
};
} // namespace

/// Builds tap `number` for position `position` of the output.
Tap ConvolvedDim::build(ElementBuilder &b, Value position, Value number) const {
  Value p, k = number;
  SmallVector<Value> conditions;
  // The bounds of `p`, which may be negative. As an unsigned number, a negative
  // number is large.
  int64_t first = 0, last = 0;
  APInt constant;
  int64_t least = 0, most = getNumTaps() - 1;
  if (matchPattern(number, m_ConstantInt(&constant)))
    least = most = constant.getSExtValue();
  if (isForward) {
    p = b.add(b.add(b.mul(position, stride), b.mul(number, dilation)), -start);
    first = least * dilation - start;
    last = (output - 1) * stride + most * dilation - start;
  } else if (stride == 1) {
    p = b.sub(b.add(position, start), b.mul(number, dilation));
    first = start - most * dilation;
    last = output - 1 + start - least * dilation;
  } else if (skips()) {
    Value ahead = b.add(position, start);
    k = b.add(b.remui(ahead, stride), b.mul(number, stride));
    p = b.sub(b.divui(ahead, stride), number);
    if (filter % stride != 0)
      conditions.push_back(
          b.cmpi(arith::CmpIPredicate::ult, k, b.index(filter)));
    k = b.minui(k, b.index(filter - 1));
    first = start / stride - most;
    last = (output - 1 + start) / stride - least;
  } else {
    // A multiple of the stride is added to keep the dividend from being
    // negative.
    int64_t ahead = llvm::divideCeilSigned((filter - 1) * dilation, stride);
    Value dividend =
        b.sub(b.add(position, start + ahead * stride), b.mul(number, dilation));
    conditions.push_back(b.cmpi(arith::CmpIPredicate::eq,
                                b.remui(dividend, stride), b.index(0)));
    p = b.add(b.divui(dividend, stride), -ahead);
    first = -1;
    last = input;
  }
  if (first < 0 || last >= input) {
    Value inside = b.cmpi(arith::CmpIPredicate::ult, p, b.index(input));
    conditions.push_back(inside);
    p = b.select(inside, p, b.index(0));
  }
  if (isFlipped)
    k = b.sub(b.index(filter - 1), k);
  Value exists;
  for (Value condition : conditions)
    exists = exists ? b.andi(exists, condition) : condition;
  return {b.mul(p, inputStep), b.mul(k, filterStep), exists};
}

Tap ConvolvedDim::buildInWindow(ElementBuilder &b, Value window,
                                Value inWindow) const {
  Value k = isFlipped ? b.sub(b.index(filter - 1), inWindow) : inWindow;
  return {b.mul(window, inputStep), b.mul(k, filterStep), Value()};
}

static Tap combine(ElementBuilder &b, Tap lhs, Tap rhs) {
  return {b.add(lhs.input, rhs.input), b.add(lhs.filter, rhs.filter),
          !lhs.exists   ? rhs.exists
          : !rhs.exists ? lhs.exists
                        : b.andi(lhs.exists, rhs.exists)};
}

namespace {
class ConvolutionBuilder {
public:
  ConvolutionBuilder(const ConvolutionShape &shape, Factor input, Factor filter,
                     std::optional<ChannelsLast> layout);

  /// Returns the sizes over which a sum runs: channels, and then taps.
  SmallVector<int64_t> getSizes() const;
  Type getSumType() const { return input.getSumType(filter); }
  /// Whether contraction kernels can compute the convolution. They cannot if
  /// there are several groups, since the input's channel then depends on the
  /// output's channel, as the filter does. In the backward direction, each tap
  /// only exists for some positions, so that they cannot either, unless windows
  /// tile the output.
  bool isContraction() const { return isTiled() || (isForward && groups == 1); }
  /// Whether windows tile the output, and are more than single positions.
  bool isTiled() const { return areInWindows; }
  /// Returns the shape of the output with two dimensions for each spatial one,
  /// the windows and the positions in a window, if windows tile the output. The
  /// input then depends on the windows alone, and the filter on the output's
  /// channel and the positions in a window: rows and columns of a product. An
  /// output of 1x128x64x64 with windows of 2x2 has the shape 1x128x32x2x32x2.
  SmallVector<int64_t> getShapeOfWindows(ArrayRef<int64_t> output) const;
  /// Builds the values that the terms of the element at `indices` have in
  /// common.
  TermFn prepare(ElementBuilder &b, ValueRange indices) const;

private:
  Tap buildTap(ElementBuilder &b, ValueRange position, ValueRange number) const;
  /// Builds the product of the elements at these positions. The element of the
  /// input exists if `exists` is true.
  Value buildProduct(ElementBuilder &b, Value inputPosition, Value inputZero,
                     Value filterPosition, Value filterZero,
                     Value exists) const;
  /// Does the same as prepare() if the filter has the order of terms that
  /// belongs to channels last.
  TermFn prepareOrdered(ElementBuilder &b, ValueRange indices) const;

  Factor input, filter;
  std::optional<ChannelsLast> layout;
  SmallVector<ConvolvedDim> dims;
  bool isForward;
  /// Whether positions of the output are given as windows and positions in a
  /// window, two for each spatial dimension (getShapeOfWindows()).
  bool areInWindows = false;
  int64_t groups, inputChannels, outputChannels;
  /// The numbers of elements in a plane of the input and of the filter.
  int64_t inputPlane = 1, filterPlane = 1;
  /// The sizes of the channels over which a sum runs.
  SmallVector<int64_t> channelSizes;
};
} // namespace

ConvolutionBuilder::ConvolutionBuilder(const ConvolutionShape &shape,
                                       Factor input, Factor filter,
                                       std::optional<ChannelsLast> layout)
    : input(input), filter(filter), layout(layout), isForward(shape.isForward),
      groups(shape.groups) {
  inputChannels = shape.getChannels();
  outputChannels = shape.output.getDimSize(1);
  for (int64_t i = shape.getNumDims(); i-- > 0;) {
    ConvolvedDim dim{shape.input.getDimSize(i + 2),
                     shape.output.getDimSize(i + 2),
                     shape.filter.getDimSize(i + 2),
                     shape.strides[i],
                     shape.dilations[i],
                     shape.startPadding[i],
                     isForward,
                     shape.isFlipped,
                     inputPlane,
                     filterPlane};
    if (layout && layout->movesInput) {
      ChannelsLast::Dim moved = layout->getDim(shape, i);
      dim.input = moved.size;
      dim.stride = moved.stride;
      // The layout already contains the padding at its beginning.
      dim.start -= moved.start;
      dim.inputStep *= inputChannels;
    }
    dims.push_back(dim);
    inputPlane *= dim.input;
    filterPlane *= dim.filter;
  }
  std::reverse(dims.begin(), dims.end());
  areInWindows =
      groups == 1 && filterPlane > 1 &&
      llvm::all_of(dims, [](const ConvolvedDim &dim) { return dim.isTiled(); });
  int64_t channels = inputChannels / groups;
  channelSizes =
      llvm::all_of(
          dims, [](const ConvolvedDim &dim) { return dim.getNumTaps() == 1; })
          ? getTermSizes(channels)
          : SmallVector<int64_t>{channels};
}

SmallVector<int64_t> ConvolutionBuilder::getSizes() const {
  if (layout)
    return {inputChannels * filterPlane / layout->together, layout->together};
  SmallVector<int64_t> sizes(channelSizes);
  for (const ConvolvedDim &dim : dims)
    sizes.push_back(dim.getNumTaps());
  return sizes;
}

SmallVector<int64_t>
ConvolutionBuilder::getShapeOfWindows(ArrayRef<int64_t> output) const {
  SmallVector<int64_t> shape(output.take_front(2));
  for (const ConvolvedDim &dim : dims)
    shape.append({dim.input, dim.stride});
  return shape;
}

Tap ConvolutionBuilder::buildTap(ElementBuilder &b, ValueRange position,
                                 ValueRange number) const {
  Tap tap;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Tap next = areInWindows
                   ? dim.buildInWindow(b, position[2 * i], position[2 * i + 1])
                   : dim.build(b, position[i], number[i]);
    tap = i == 0 ? next : combine(b, tap, next);
  }
  return tap;
}

Value ConvolutionBuilder::buildProduct(ElementBuilder &b, Value inputPosition,
                                       Value inputZero, Value filterPosition,
                                       Value filterZero, Value exists) const {
  Type type = getSumType();
  Number x = input.load(b, inputPosition, inputZero, type);
  // In the forward direction, a tap that does not exist lies in the padding,
  // whose zeros are factors like other elements. Elements of the output that
  // use the same tap then share the selection between the input and zero.
  if (exists && isForward) {
    x = x.with(b.select(exists, x.value, x(0).value));
    exists = Value();
  }
  Number product = x * filter.load(b, filterPosition, filterZero, type);
  return exists ? b.select(exists, product.value, product(0).value)
                : product.value;
}

TermFn ConvolutionBuilder::prepareOrdered(ElementBuilder &b,
                                          ValueRange indices) const {
  Value m = indices[1];
  Value inputBase = b.mul(indices[0], inputChannels * inputPlane),
        filterBase = b.mul(m, inputChannels * filterPlane);
  Value inputZero = input.loadZeroPoint(b, b.index(0)),
        filterZero = filter.loadZeroPoint(b, m);
  SmallVector<Value> position(indices.drop_front(2));
  return [=](ElementBuilder &b, ValueRange coordinates) -> Value {
    // Each row of the filter consists of blocks of channels, and each block
    // contains all taps.
    int64_t together = layout->together,
            iterationsOfBlock = layout->block / together;
    Value inBlock = b.remui(coordinates[0], iterationsOfBlock),
          rest = b.divui(coordinates[0], iterationsOfBlock);
    SmallVector<Value> numbers(dims.size());
    for (size_t dim = dims.size(); dim-- > 0;) {
      int64_t taps = dims[dim].filter;
      numbers[dim] = taps == 1 ? b.index(0) : b.remui(rest, taps);
      rest = b.divui(rest, taps);
    }
    Tap tap = buildTap(b, position, numbers);
    Value channel = b.add(b.mul(rest, layout->block), b.mul(inBlock, together));
    channel = b.add(channel, coordinates[1]);
    return buildProduct(
        b,
        b.add(b.add(inputBase, tap.input),
              b.mul(channel, layout->movesInput ? 1 : inputPlane)),
        inputZero,
        b.add(b.add(filterBase, b.mul(coordinates[0], together)),
              coordinates[1]),
        filterZero, tap.exists);
  };
}

TermFn ConvolutionBuilder::prepare(ElementBuilder &b,
                                   ValueRange indices) const {
  if (layout)
    return prepareOrdered(b, indices);
  // The first channel of the terms.
  Value m = indices[1], inputChannel, filterPlaneNumber;
  int64_t filterChannelStep;
  if (isForward) {
    int64_t perGroup = inputChannels / groups;
    Value group =
        groups == 1 ? b.index(0) : b.divui(m, outputChannels / groups);
    inputChannel = b.mul(group, perGroup);
    filterPlaneNumber = b.mul(m, perGroup);
    filterChannelStep = filterPlane;
  } else {
    int64_t perGroup = outputChannels / groups;
    Value group = groups == 1 ? b.index(0) : b.divui(m, perGroup);
    inputChannel = b.mul(group, inputChannels / groups);
    filterPlaneNumber = groups == 1 ? m
                                    : b.add(b.mul(inputChannel, perGroup),
                                            b.remui(m, perGroup));
    filterChannelStep = perGroup * filterPlane;
  }
  Value inputBase =
      b.mul(b.add(b.mul(indices[0], inputChannels), inputChannel), inputPlane);
  Value filterBase = b.mul(filterPlaneNumber, filterPlane);

  // Unrolled taps are the same for each channel.
  SmallVector<Value> position(indices.drop_front(2));
  SmallVector<Tap> taps;
  SmallVector<int64_t> tapSizes;
  for (const ConvolvedDim &dim : dims)
    tapSizes.push_back(dim.getNumTaps());
  if (getNumWrittenOut(tapSizes) == tapSizes.size())
    for (int64_t i = 0, e = llvm::product_of(tapSizes); i < e; ++i) {
      SmallVector<Value> number(tapSizes.size());
      int64_t rest = i;
      for (size_t dim = tapSizes.size(); dim-- > 0; rest /= tapSizes[dim])
        number[dim] = b.index(rest % tapSizes[dim]);
      taps.push_back(buildTap(b, position, number));
    }

  // The zero points of the filter depend on the output's channel.
  Value inputZero = input.loadZeroPoint(b, b.index(0)),
        filterZero = filter.loadZeroPoint(b, m);
  return [=](ElementBuilder &b, ValueRange coordinates) -> Value {
    ValueRange numbers = coordinates.drop_front(channelSizes.size());
    std::optional<int64_t> known = 0;
    for (auto [number, size] : llvm::zip_equal(numbers, tapSizes)) {
      APInt constant;
      known = known && matchPattern(number, m_ConstantInt(&constant))
                  ? std::optional(*known * size + constant.getSExtValue())
                  : std::nullopt;
    }
    Tap tap =
        known && !taps.empty() ? taps[*known] : buildTap(b, position, numbers);
    Value channel =
        buildTermNumber(b, coordinates.take_front(channelSizes.size()));
    Value inputPosition =
        b.add(b.add(inputBase, b.mul(channel, inputPlane)), tap.input);
    Value filterPosition =
        b.add(b.add(filterBase, b.mul(channel, filterChannelStep)), tap.filter);
    return buildProduct(b, inputPosition, inputZero, filterPosition, filterZero,
                        tap.exists);
  };
}

static FinishFn getFinish(ConvolutionOp op, ConvolutionOp::Adaptor adaptor,
                          Type convertedType) {
  return [=](ElementBuilder &b, ValueRange indices, Value sum) mutable {
    Number result{&b, sum};
    if (Value bias = adaptor.getBias()) {
      int64_t rank = cast<RankedTensorType>(bias.getType()).getRank();
      SmallVector<Value> coordinates(rank, b.index(0));
      coordinates[1] = indices[1];
      result = result + result.with(toF32(b, tensor::ExtractOp::create(
                                                 b, bias, coordinates)));
    }
    result = applyActivation(result, op.getFusedActivationAttr());
    return fromF32(b, result.value, convertedType);
  };
}

static FinishFn getFinish(ConvolutionIntegerOp, ConvolutionIntegerOp::Adaptor,
                          Type) {
  return [](ElementBuilder &, ValueRange, Value sum) { return sum; };
}

static FinishFn getFinish(QuantizedLinearConvolutionOp op,
                          QuantizedLinearConvolutionOp::Adaptor adaptor,
                          Type convertedType) {
  Quantization quantization{
      {adaptor.getInputScale(), op.getInputScale()},
      {adaptor.getFilterScale(), op.getFilterScale()},
      {adaptor.getOutputScale(), op.getOutputScale()},
      {adaptor.getOutputZeroPoint(), op.getOutputZeroPoint()},
      cast<RankedTensorType>(op.getType()).getElementType()};
  Parameter bias(adaptor.getBias(), op.getBias());
  return [=](ElementBuilder &b, ValueRange indices, Value sum) {
    Value channel = indices[1];
    if (bias.tensor)
      sum = b.add(sum, bias.load(b, channel).value);
    return quantization.build(b, sum, b.index(0), channel, b.index(0),
                              convertedType);
  };
}

/// Returns the zero points of the factors. Floats have none.
template <typename OpTy>
static std::pair<Parameter, Parameter>
getConvolutionZeroPoints(OpTy op, typename OpTy::Adaptor adaptor) {
  if constexpr (std::is_same_v<OpTy, ConvolutionOp>)
    return {};
  else
    return {{adaptor.getInputZeroPoint(), op.getInputZeroPoint()},
            {adaptor.getFilterZeroPoint(), op.getFilterZeroPoint()}};
}

namespace {
template <typename OpTy>
struct ConvolutionLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto [inputZero, filterZero] = getConvolutionZeroPoints(op, adaptor);
    ConvolutionShape shape = *ConvolutionShape::get(op);
    Value input = adaptor.getInput(), filter = adaptor.getFilter();
    std::optional<ChannelsLast> layout = ChannelsLast::get(op, shape);
    if (layout) {
      input = layout->moveInput(rewriter, op, shape, input, inputZero.tensor);
      filter = layout->orderFilter(rewriter, op, shape, filter);
    } else if (op->hasAttr(layoutAttrName)) {
      return op.emitOpError("cannot have channels last: that is for the "
                            "forward direction and one group");
    }
    ConvolutionBuilder convolution(
        shape, Factor(rewriter, loc, input, op.getInput(), inputZero),
        Factor(rewriter, loc, filter, op.getFilter(), filterZero), layout);
    auto type =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    RankedTensorType computed = type;
    if (convolution.isTiled())
      computed = type.clone(convolution.getShapeOfWindows(type.getShape()));
    Value output = buildSums(
        rewriter, op, computed, convolution.getSizes(),
        convolution.getSumType(),
        [&](ElementBuilder &b, ValueRange indices) {
          return convolution.prepare(b, indices);
        },
        getFinish(op, adaptor, type.getElementType()),
        convolution.isContraction() ? sharersOfSum : 1);
    if (computed != type) {
      SmallVector<ReassociationIndices> groups = {{0}, {1}};
      for (int64_t dim = 2; dim < computed.getRank(); dim += 2)
        groups.push_back({dim, dim + 1});
      output =
          tensor::CollapseShapeOp::create(rewriter, loc, type, output, groups);
    }
    rewriter.replaceOp(op, output);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

namespace {
/// The matrices in the last two dimensions of a tensor.
struct Matrices {
  Factor factor;
  /// The distances between neighbouring rows and between neighbouring columns.
  int64_t rowStep, columnStep;
  SmallVector<int64_t> batches;
  int64_t size;

  Matrices(Factor factor, Value tensor, bool isTransposed) : factor(factor) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(tensor.getType()).getShape();
    rowStep = shape.back();
    columnStep = 1;
    size = shape.back() * shape[shape.size() - 2];
    batches.assign(shape.begin(), shape.end() - 2);
    if (isTransposed)
      std::swap(rowStep, columnStep);
  }

  /// Builds the beginning of the matrix for the element at `indices`.
  Value buildStart(ElementBuilder &b, ValueRange indices) const {
    Value number = b.index(0);
    for (auto [index, count] : llvm::zip(indices, batches))
      number = b.add(b.mul(number, count), index);
    return b.mul(number, size);
  }
};
} // namespace

static FinishFn getFinish(GemmOp op, GemmOp::Adaptor adaptor,
                          Type convertedType) {
  return [=](ElementBuilder &b, ValueRange indices, Value sum) mutable {
    Number result{&b, sum};
    double alpha = op.getAlpha().convertToFloat();
    double beta = op.getBeta().convertToFloat();
    // Multiplication by 1 has no effect.
    if (alpha != 1)
      result = result * result(alpha);
    if (Value c = adaptor.getC()) {
      Number addend =
          result.with(toF32(b, tensor::ExtractOp::create(b, c, indices)));
      result = result + (beta == 1 ? addend : addend * result(beta));
    }
    result = applyActivation(result, op.getFusedActivationAttr());
    return fromF32(b, result.value, convertedType);
  };
}

static FinishFn getFinish(MatrixMultiplyIntegerOp,
                          MatrixMultiplyIntegerOp::Adaptor, Type) {
  return [](ElementBuilder &, ValueRange, Value sum) { return sum; };
}

static FinishFn getFinish(QuantizedLinearMatrixMultiplyOp op,
                          QuantizedLinearMatrixMultiplyOp::Adaptor adaptor,
                          Type convertedType) {
  Quantization quantization{
      {adaptor.getAScale(), op.getAScale()},
      {adaptor.getBScale(), op.getBScale()},
      {adaptor.getOutputScale(), op.getOutputScale()},
      {adaptor.getOutputZeroPoint(), op.getOutputZeroPoint()},
      cast<RankedTensorType>(op.getType()).getElementType()};
  return [=](ElementBuilder &b, ValueRange indices, Value sum) {
    Value row = indices.drop_back().back(), column = indices.back();
    return quantization.build(b, sum, row, column, row, convertedType);
  };
}

static FinishFn getFinish(MatrixMultiplyIntegerToFloatOp op,
                          MatrixMultiplyIntegerToFloatOp::Adaptor adaptor,
                          Type convertedType) {
  Parameter aScale(adaptor.getAScale(), op.getAScale()),
      bScale(adaptor.getBScale(), op.getBScale());
  Value bias = adaptor.getBias();
  return [=](ElementBuilder &b, ValueRange indices, Value sum) {
    Number scale = aScale.load(b, indices.drop_back().back()) *
                   bScale.load(b, indices.back());
    Number result = convert({&b, sum}, b.getF32Type()) * scale;
    if (bias)
      result =
          result +
          result.with(toF32(b, tensor::ExtractOp::create(b, bias, indices)));
    return fromF32(b, result.value, convertedType);
  };
}

template <typename OpTy>
static std::pair<Parameter, Parameter>
getMatrixZeroPoints(OpTy op, typename OpTy::Adaptor adaptor) {
  if constexpr (std::is_same_v<OpTy, GemmOp>)
    return {};
  else
    return {{adaptor.getAZeroPoint(), op.getAZeroPoint()},
            {adaptor.getBZeroPoint(), op.getBZeroPoint()}};
}
/// Products of integers have no transposed matrices.
template <typename OpTy> static std::pair<bool, bool> areTransposed(OpTy op) {
  if constexpr (std::is_same_v<OpTy, GemmOp>)
    return {op.getTransA() == MatrixTransform::transpose,
            op.getTransB() == MatrixTransform::transpose};
  return {false, false};
}

namespace {
template <typename OpTy> struct ProductLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto [aZero, bZero] = getMatrixZeroPoints(op, adaptor);
    auto [transA, transB] = areTransposed(op);
    Matrices lhs(Factor(rewriter, loc, adaptor.getA(), op.getA(), aZero),
                 adaptor.getA(), transA);
    Matrices rhs(Factor(rewriter, loc, adaptor.getB(), op.getB(), bZero),
                 adaptor.getB(), transB);
    auto type =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    int64_t rank = type.getRank();
    int64_t terms = lhs.size / type.getDimSize(rank - 2);
    Type sumType = lhs.factor.getSumType(rhs.factor);
    auto prepare = [&](ElementBuilder &b, ValueRange indices) -> TermFn {
      Value row = b.add(lhs.buildStart(b, indices),
                        b.mul(indices[rank - 2], lhs.rowStep));
      Value start = rhs.buildStart(b, indices);
      Value column = b.mul(indices[rank - 1], rhs.columnStep);
      Value lhsZero = lhs.factor.loadZeroPoint(b, indices[rank - 2]),
            rhsZero = rhs.factor.loadZeroPoint(b, indices[rank - 1]);
      return [=](ElementBuilder &b, ValueRange coordinates) -> Value {
        Value k = buildTermNumber(b, coordinates);
        Number x = lhs.factor.load(b, b.add(row, b.mul(k, lhs.columnStep)),
                                   lhsZero, sumType);
        // Neighbours in a row of the output read the same element of `lhs`, and
        // neighbouring elements of `rhs`.
        Number y = rhs.factor.load(
            b, b.add(b.add(start, b.mul(k, rhs.rowStep)), column), rhsZero,
            sumType);
        return (x * y).value;
      };
    };
    rewriter.replaceOp(
        op,
        buildSums(rewriter, op, type, getTermSizes(terms), sumType, prepare,
                  getFinish(op, adaptor, type.getElementType()), sharersOfSum));
    return success();
  }
};
} // namespace

namespace {
/// Lowers a fused softmax of sums as a separate operator, since a softmax needs
/// whole rows of sums.
struct FusedSoftmaxLowering : OpConversionPattern<GemmOp> {
  explicit FusedSoftmaxLowering(const TypeConverter &typeConverter,
                                MLIRContext *context)
      : OpConversionPattern(typeConverter, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(GemmOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> values = op.decompose(rewriter);
    if (failed(values))
      return failure();
    rewriter.replaceOp(op, *values);
    return success();
  }
};
} // namespace

void dml::populateContractionPatterns(const TypeConverter &typeConverter,
                                      RewritePatternSet &patterns) {
  patterns.add<ConvolutionLowering<ConvolutionOp>,
               ConvolutionLowering<ConvolutionIntegerOp>,
               ConvolutionLowering<QuantizedLinearConvolutionOp>,
               FusedSoftmaxLowering, ProductLowering<GemmOp>,
               ProductLowering<MatrixMultiplyIntegerOp>,
               ProductLowering<QuantizedLinearMatrixMultiplyOp>,
               ProductLowering<MatrixMultiplyIntegerToFloatOp>>(
      typeConverter, patterns.getContext());
}
