//===- ContractionOps.cpp - Sums of products to linalg --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Elements are read at positions in rows of all elements: what loops compute of
// a position is then one addition to what is known outside of them.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ContractionOps.h"
#include "ElementWise.h"
#include "LoweringUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

/// Splits `size` terms, if that leaves no rest, into some that are written out
/// and a loop over them.
static SmallVector<int64_t> getTermSizes(int64_t size) {
  constexpr int64_t writtenOut = 4;
  if (size % writtenOut == 0)
    return {size / writtenOut, writtenOut};
  return {size};
}
/// The term that getTermSizes has at `coordinates`.
static Value buildTermNumber(ElementBuilder &b, ValueRange coordinates) {
  if (coordinates.size() == 1)
    return coordinates[0];
  return b.add(b.mul(coordinates[0], 4), coordinates[1]);
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// What a filter's position contributes to one of the output: the offsets of
/// the elements in their planes, and whether there are such (null if always).
struct Tap {
  Value input, filter, exists;
};

/// One spatial dimension of a convolution.
struct ConvolvedDim {
  int64_t input, output, filter;
  int64_t stride, dilation, start;
  bool isForward, isFlipped;
  /// Steps in rows of all elements.
  int64_t inputStep, filterStep;

  /// Backward, every stride-th position of a filter meets an element of the
  /// input, if dilations do not come between.
  bool skips() const { return !isForward && stride > 1 && dilation == 1; }
  /// So many taps has an element of the output.
  int64_t getNumTaps() const {
    return skips() ? llvm::divideCeilSigned(filter, stride) : filter;
  }
  Tap build(ElementBuilder &b, Value position, Value number) const;
};
} // namespace

/// Tap `number` of the output's `position`.
Tap ConvolvedDim::build(ElementBuilder &b, Value position, Value number) const {
  Value p, k = number;
  SmallVector<Value> conditions;
  // Bounds of `p`. It may be negative; a negative one is a large unsigned one.
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
    // So many strides more that the dividend is not negative.
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

static Tap combine(ElementBuilder &b, Tap lhs, Tap rhs) {
  return {b.add(lhs.input, rhs.input), b.add(lhs.filter, rhs.filter),
          !lhs.exists   ? rhs.exists
          : !rhs.exists ? lhs.exists
                        : b.andi(lhs.exists, rhs.exists)};
}

namespace {
class ConvolutionBuilder {
public:
  ConvolutionBuilder(ConvolutionOp op, Value input, Value filter);

  /// What is summed over: channels, then taps.
  SmallVector<int64_t> getSizes() const;
  /// What the terms of the element at `indices` have in common.
  TermFn prepare(ElementBuilder &b, ValueRange indices) const;

private:
  Tap buildTap(ElementBuilder &b, ValueRange position, ValueRange number) const;

  Value input, filter;
  SmallVector<ConvolvedDim> dims;
  bool isForward;
  int64_t groups, inputChannels, outputChannels;
  /// Elements of a plane.
  int64_t inputPlane = 1, filterPlane = 1;
  /// Channels that are summed over.
  SmallVector<int64_t> channelSizes;
};
} // namespace

ConvolutionBuilder::ConvolutionBuilder(ConvolutionOp op, Value input,
                                       Value filter)
    : input(input), filter(filter),
      isForward(op.getDirection() == ConvolutionDirection::forward),
      groups(op.getGroupCount()) {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  auto filterType = cast<RankedTensorType>(op.getFilter().getType());
  auto outputType = cast<RankedTensorType>(op.getOutput().getType());
  inputChannels = inputType.getDimSize(1);
  outputChannels = outputType.getDimSize(1);
  bool isFlipped = op.getMode() == ConvolutionMode::convolution;
  for (int64_t i = inputType.getRank() - 2; i-- > 0;) {
    dims.push_back({inputType.getDimSize(i + 2), outputType.getDimSize(i + 2),
                    filterType.getDimSize(i + 2), op.getStrides()[i],
                    op.getDilations()[i], op.getStartPadding()[i], isForward,
                    isFlipped, inputPlane, filterPlane});
    inputPlane *= inputType.getDimSize(i + 2);
    filterPlane *= filterType.getDimSize(i + 2);
  }
  std::reverse(dims.begin(), dims.end());
  int64_t channels = inputChannels / groups;
  channelSizes =
      llvm::all_of(
          dims, [](const ConvolvedDim &dim) { return dim.getNumTaps() == 1; })
          ? getTermSizes(channels)
          : SmallVector<int64_t>{channels};
}

SmallVector<int64_t> ConvolutionBuilder::getSizes() const {
  SmallVector<int64_t> sizes(channelSizes);
  for (const ConvolvedDim &dim : dims)
    sizes.push_back(dim.getNumTaps());
  return sizes;
}

Tap ConvolutionBuilder::buildTap(ElementBuilder &b, ValueRange position,
                                 ValueRange number) const {
  Tap tap;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Tap next = dim.build(b, position[i], number[i]);
    tap = i == 0 ? next : combine(b, tap, next);
  }
  return tap;
}

TermFn ConvolutionBuilder::prepare(ElementBuilder &b,
                                   ValueRange indices) const {
  // Channels that the terms begin with.
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

  // The taps that are written out are the same for every channel.
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
    Value product = b.createOrFold<arith::MulFOp>(
        toF32(b, tensor::ExtractOp::create(b, input, inputPosition)),
        toF32(b, tensor::ExtractOp::create(b, filter, filterPosition)));
    if (!tap.exists)
      return product;
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    return b.select(tap.exists, product, zero);
  };
}

namespace {
struct ConvolutionLowering : OpConversionPattern<ConvolutionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ConvolutionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ConvolutionBuilder convolution(op,
                                   flatten(rewriter, loc, adaptor.getInput()),
                                   flatten(rewriter, loc, adaptor.getFilter()));
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    rewriter.replaceOp(
        op,
        buildSums(
            rewriter, op, type, convolution.getSizes(), rewriter.getF32Type(),
            [&](ElementBuilder &b, ValueRange indices) {
              return convolution.prepare(b, indices);
            },
            [&](ElementBuilder &b, ValueRange indices, Value sum) {
              if (Value bias = adaptor.getBias()) {
                SmallVector<Value> coordinates(indices.size(), b.index(0));
                coordinates[1] = indices[1];
                Value element =
                    toF32(b, tensor::ExtractOp::create(b, bias, coordinates));
                sum = b.createOrFold<arith::AddFOp>(sum, element);
              }
              return fromF32(b, sum, type.getElementType());
            }));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// The matrices in the last two dimensions of a tensor.
struct Matrices {
  /// All elements, as a row.
  Value elements;
  /// Steps between rows and between columns.
  int64_t rowStep, columnStep;
  SmallVector<int64_t> batches;
  int64_t size;

  Matrices(OpBuilder &builder, Location loc, Value tensor, bool isTransposed)
      : elements(flatten(builder, loc, tensor)) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(tensor.getType()).getShape();
    rowStep = shape.back();
    columnStep = 1;
    size = shape.back() * shape[shape.size() - 2];
    batches.assign(shape.begin(), shape.end() - 2);
    if (isTransposed)
      std::swap(rowStep, columnStep);
  }

  /// Where the matrix of the element at `indices` begins.
  Value buildStart(ElementBuilder &b, ValueRange indices) const {
    Value number = b.index(0);
    for (auto [index, count] : llvm::zip(indices, batches))
      number = b.add(b.mul(number, count), index);
    return b.mul(number, size);
  }
};

struct GemmLowering : OpConversionPattern<GemmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GemmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Matrices lhs(rewriter, op.getLoc(), adaptor.getA(),
                 op.getTransA() == MatrixTransform::transpose);
    Matrices rhs(rewriter, op.getLoc(), adaptor.getB(),
                 op.getTransB() == MatrixTransform::transpose);
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    int64_t terms = lhs.size / type.getDimSize(rank - 2);
    auto prepare = [&](ElementBuilder &b, ValueRange indices) -> TermFn {
      Value row = b.add(lhs.buildStart(b, indices),
                        b.mul(indices[rank - 2], lhs.rowStep));
      Value start = rhs.buildStart(b, indices);
      Value column = b.mul(indices[rank - 1], rhs.columnStep);
      return [=](ElementBuilder &b, ValueRange coordinates) -> Value {
        Value k = buildTermNumber(b, coordinates);
        Value x = tensor::ExtractOp::create(
            b, lhs.elements, b.add(row, b.mul(k, lhs.columnStep)));
        // Neighbours of a row read the same of `lhs`, and neighbours here.
        Value y = tensor::ExtractOp::create(
            b, rhs.elements,
            b.add(b.add(start, b.mul(k, rhs.rowStep)), column));
        return b.createOrFold<arith::MulFOp>(toF32(b, x), toF32(b, y));
      };
    };
    auto finish = [&](ElementBuilder &b, ValueRange indices, Value sum) {
      Number result{&b, sum};
      double alpha = op.getAlpha().convertToFloat();
      double beta = op.getBeta().convertToFloat();
      // Multiplying by 1 changes nothing.
      if (alpha != 1)
        result = result * result(alpha);
      if (Value c = adaptor.getC()) {
        Number addend =
            result.with(toF32(b, tensor::ExtractOp::create(b, c, indices)));
        result = result + (beta == 1 ? addend : addend * result(beta));
      }
      return fromF32(b, result.value, type.getElementType());
    };
    rewriter.replaceOp(op, buildSums(rewriter, op, type, getTermSizes(terms),
                                     rewriter.getF32Type(), prepare, finish));
    return success();
  }
};
} // namespace

void dml::populateContractionPatterns(const TypeConverter &typeConverter,
                                      RewritePatternSet &patterns) {
  patterns.add<ConvolutionLowering, GemmLowering>(typeConverter,
                                                  patterns.getContext());
}
