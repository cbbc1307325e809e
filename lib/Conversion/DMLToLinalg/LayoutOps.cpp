//===- LayoutOps.cpp - Operators that rearrange and fill to linalg --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/LayoutOps.h"
#include "ElementWiseRows.h"
#include "LoweringUtils.h"

using namespace mlir;
using namespace dml;

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Parts of a tensor
//===----------------------------------------------------------------------===//

namespace {
struct JoinLowering : OpConversionPattern<JoinOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(JoinOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildJoin(rewriter, op, adaptor.getInputs(),
                                     static_cast<int64_t>(op.getAxis())));
    return success();
  }
};

struct SplitLowering : OpConversionPattern<SplitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SplitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto axis = static_cast<size_t>(op.getAxis());
    Value input = adaptor.getInput();
    SmallVector<std::function<Value(ElementBuilder &, ValueRange)>> elements;
    int64_t start = 0;
    for (Value output : op.getOutputs()) {
      elements.push_back([=](ElementBuilder &b, ValueRange indices) -> Value {
        SmallVector<Value> coordinates(indices);
        coordinates[axis] = b.add(coordinates[axis], start);
        return tensor::ExtractOp::create(b, input, coordinates);
      });
      start += getShape(output)[axis];
    }
    return replaceWithTensors(op, *getTypeConverter(), rewriter, elements);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Blocks and channels
//===----------------------------------------------------------------------===//

/// Builds the number of the channel to which element (y, x) of a block of
/// channel `c` is moved.
static Value buildDepth(ElementBuilder &b, DepthSpaceOrder order, Value c,
                        Value y, Value x, int64_t channels, int64_t block) {
  return order == DepthSpaceOrder::depth_column_row
             ? linearize(b, {y, x, c}, {block, block, channels})
             : linearize(b, {c, y, x}, {channels, block, block});
}

static LogicalResult lowerSpaceToDepth(Operation *op, Value input,
                                       int64_t block, DepthSpaceOrder order,
                                       const TypeConverter &typeConverter,
                                       ConversionPatternRewriter &rewriter) {
  int64_t channels = getShape(input)[1];
  return replaceWithTensor(
      op, typeConverter, rewriter,
      [&](ElementBuilder &b, ValueRange indices) -> Value {
        Value c, y, x;
        if (order == DepthSpaceOrder::depth_column_row) {
          auto parts = delinearize(b, indices[1], {block, block, channels});
          y = parts[0], x = parts[1], c = parts[2];
        } else {
          auto parts = delinearize(b, indices[1], {channels, block, block});
          c = parts[0], y = parts[1], x = parts[2];
        }
        return tensor::ExtractOp::create(
            b, input,
            ValueRange{indices[0], c, b.add(b.mul(indices[2], block), y),
                       b.add(b.mul(indices[3], block), x)});
      });
}

static LogicalResult lowerDepthToSpace(Operation *op, Value input,
                                       int64_t block, DepthSpaceOrder order,
                                       const TypeConverter &typeConverter,
                                       ConversionPatternRewriter &rewriter) {
  int64_t channels = getShape(input)[1] / (block * block);
  return replaceWithTensor(
      op, typeConverter, rewriter,
      [&](ElementBuilder &b, ValueRange indices) -> Value {
        Value depth =
            buildDepth(b, order, indices[1], b.remui(indices[2], block),
                       b.remui(indices[3], block), channels, block);
        return tensor::ExtractOp::create(
            b, input,
            ValueRange{indices[0], depth, b.divui(indices[2], block),
                       b.divui(indices[3], block)});
      });
}

namespace {
template <typename OpTy> struct BlockLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto order = DepthSpaceOrder::depth_column_row;
    if constexpr (std::is_same_v<OpTy, SpaceToDepth1Op> ||
                  std::is_same_v<OpTy, DepthToSpace1Op>)
      order = op.getOrder();
    constexpr bool toDepth = std::is_same_v<OpTy, SpaceToDepthOp> ||
                             std::is_same_v<OpTy, SpaceToDepth1Op>;
    return (toDepth ? lowerSpaceToDepth : lowerDepthToSpace)(
        op, adaptor.getInput(), op.getBlockSize(), order,
        *this->getTypeConverter(), rewriter);
  }
};

//===----------------------------------------------------------------------===//
// Sequences and windows
//===----------------------------------------------------------------------===//

struct ReverseSubsequencesLowering
    : OpConversionPattern<ReverseSubsequencesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReverseSubsequencesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto axis = static_cast<size_t>(op.getAxis());
    int64_t size = getShape(op.getInput())[axis];
    Type lengthType = cast<RankedTensorType>(op.getSequenceLengths().getType())
                          .getElementType();
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          SmallVector<Value> coordinates(indices);
          Value i = coordinates[axis];
          coordinates[axis] = b.index(0);
          Value length = tensor::ExtractOp::create(
              b, adaptor.getSequenceLengths(), coordinates);
          // The largest valid length is the size itself.
          Value count = readIndex(b, length, lengthType, size + 1).coordinate;
          Value isReversed = b.cmpi(arith::CmpIPredicate::ult, i, count);
          // The mirrored position is not negative if it is used.
          Value mirrored =
              b.maxsi(b.sub(b.sub(count, b.index(1)), i), b.index(0));
          Value source = b.select(isReversed, mirrored, i);
          coordinates[axis] =
              b.createOrFold<arith::MinUIOp>(source, b.index(size - 1));
          return tensor::ExtractOp::create(b, adaptor.getInput(), coordinates);
        });
  }
};

/// One dimension of a plane.
struct PlaneDim {
  int64_t size, window, stride, dilation, padding, places;
};
} // namespace

template <typename OpTy>
static SmallVector<PlaneDim> getPlane(OpTy op, ArrayRef<int64_t> imageShape) {
  SmallVector<PlaneDim> plane;
  for (auto [size, window, stride, dilation, start, end] :
       llvm::zip_equal(imageShape.take_back(op.getWindowSizes().size()),
                       op.getWindowSizes(), op.getStrides(), op.getDilations(),
                       op.getStartPadding(), op.getEndPadding()))
    plane.push_back(
        {size, window, stride, dilation, start,
         (size + start + end - dilation * (window - 1) - 1) / stride + 1});
  return plane;
}

static SmallVector<int64_t> getWindow(ArrayRef<PlaneDim> plane) {
  return llvm::map_to_vector(plane, [](PlaneDim dim) { return dim.window; });
}
static SmallVector<int64_t> getPlaces(ArrayRef<PlaneDim> plane) {
  return llvm::map_to_vector(plane, [](PlaneDim dim) { return dim.places; });
}

static int64_t getProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

namespace {
struct UnfoldLowering : OpConversionPattern<UnfoldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(UnfoldOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> image = getShape(op.getInput());
    SmallVector<PlaneDim> plane = getPlane(op, image);
    size_t before = image.size() - plane.size() - 2;
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          ValueRange columns = indices.take_back(3);
          SmallVector<int64_t> depth = {image[before + 1]};
          llvm::append_range(depth, getWindow(plane));
          SmallVector<Value> element = delinearize(b, columns[1], depth);
          SmallVector<Value> place =
              delinearize(b, columns[2], getPlaces(plane));
          SmallVector<Value> coordinates(before, b.index(0));
          coordinates.push_back(columns[0]);
          coordinates.push_back(element.front());
          Value inside;
          for (auto [k, l, dim] :
               llvm::zip_equal(ArrayRef(element).drop_front(), place, plane)) {
            // In front of the plane, the position is negative. As an unsigned
            // number, it is then large.
            Value p = b.add(b.add(b.mul(l, dim.stride), b.mul(k, dim.dilation)),
                            -dim.padding);
            Value isInside =
                b.cmpi(arith::CmpIPredicate::ult, p, b.index(dim.size));
            inside = inside ? b.andi(inside, isInside) : isInside;
            coordinates.push_back(b.select(isInside, p, b.index(0)));
          }
          Value found =
              tensor::ExtractOp::create(b, adaptor.getInput(), coordinates);
          Value zero =
              arith::ConstantOp::create(b, b.getZeroAttr(found.getType()));
          return b.select(inside, found, zero);
        });
  }
};

struct FoldLowering : OpConversionPattern<FoldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FoldOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value input = adaptor.getInput();
    ArrayRef<int64_t> image = getShape(op.getOutput());
    SmallVector<PlaneDim> plane = getPlane(op, image);
    size_t before = image.size() - plane.size() - 2;
    size_t columnsRank = getShape(input).size();
    SmallVector<int64_t> window = getWindow(plane), places = getPlaces(plane);
    int64_t elements = getProduct(window);
    auto outputType = cast<RankedTensorType>(op.getOutput().getType());
    int64_t partials = getNumPartials(outputType.getNumElements(), elements);
    int64_t count = llvm::divideCeil(elements, partials);

    // Builds a partial sum: the sum of the elements `first`, `first` +
    // `partials`, and so on, of the windows.
    auto buildSum = [&](ElementBuilder &b, ValueRange indices, Value first) {
      Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
      return buildLoops(
                 b, {count}, zero,
                 [&](ElementBuilder &b, ValueRange step,
                     ValueRange sum) -> SmallVector<Value> {
                   Value number = b.add(b.mul(step[0], partials), first);
                   Value hit;
                   auto require = [&](Value condition) {
                     hit = hit ? b.andi(hit, condition) : condition;
                   };
                   using Predicate = arith::CmpIPredicate;
                   if (count * partials != elements) {
                     Value isElement =
                         b.cmpi(Predicate::ult, number, b.index(elements));
                     require(isElement);
                     number = b.minui(number, b.index(elements - 1));
                   }
                   SmallVector<Value> element = delinearize(b, number, window);
                   SmallVector<Value> place;
                   for (auto [p, k, dim] : llvm::zip_equal(
                            indices.take_back(plane.size()), element, plane)) {
                     // The distance from the first window to the window whose
                     // element `k` lies at `p`. Read as a signed number, the
                     // distance is negative if that window would lie before the
                     // first one.
                     Value q =
                         b.sub(b.add(p, dim.padding), b.mul(k, dim.dilation));
                     require(b.cmpi(Predicate::sge, q, b.index(0)));
                     q = b.maxsi(q, b.index(0));
                     if (dim.stride > 1)
                       require(b.cmpi(Predicate::eq, b.remui(q, dim.stride),
                                      b.index(0)));
                     Value l = b.divui(q, dim.stride);
                     require(b.cmpi(Predicate::ult, l, b.index(dim.places)));
                     place.push_back(b.minui(l, b.index(dim.places - 1)));
                   }
                   SmallVector<Value> coordinates(columnsRank - 3, b.index(0));
                   coordinates.push_back(indices[before]);
                   coordinates.push_back(
                       b.add(b.mul(indices[before + 1], elements), number));
                   coordinates.push_back(linearize(b, place, places));
                   Value found = toF32(
                       b, tensor::ExtractOp::create(b, input, coordinates));
                   return {arith::AddFOp::create(b, sum[0],
                                                 b.select(hit, found, zero))};
                 })
          .front();
    };
    if (partials == 1)
      return replaceWithTensor(
          op, *getTypeConverter(), rewriter,
          [&](ElementBuilder &b, ValueRange indices) -> Value {
            return fromF32(b, buildSum(b, indices, b.index(0)),
                           outputType.getElementType());
          });
    SmallVector<int64_t> partialShape = {partials};
    llvm::append_range(partialShape, outputType.getShape());
    Value sums =
        buildTensor(rewriter, op,
                    RankedTensorType::get(partialShape, rewriter.getF32Type()),
                    [&](ElementBuilder &b, ValueRange indices) -> Value {
                      return buildSum(b, indices.drop_front(), indices.front());
                    });
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
          Value sum = buildLoops(b, {partials}, zero,
                                 [&](ElementBuilder &b, ValueRange step,
                                     ValueRange sum) -> SmallVector<Value> {
                                   SmallVector<Value> coordinates(step);
                                   llvm::append_range(coordinates, indices);
                                   return {arith::AddFOp::create(
                                       b, sum[0],
                                       tensor::ExtractOp::create(b, sums,
                                                                 coordinates))};
                                 })
                          .front();
          return fromF32(b, sum, outputType.getElementType());
        });
  }
};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

struct ValueScale2dLowering : OpConversionPattern<ValueScale2dOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ValueScale2dOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type =
        cast<RankedTensorType>(op.getInput().getType()).getElementType();
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          auto constant = [&](float value) -> Value {
            return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
          };
          ArrayRef<float> biases = op.getBias();
          Value bias = constant(biases.back());
          for (size_t c = biases.size() - 1; c-- > 0;)
            bias = b.select(b.cmpi(arith::CmpIPredicate::eq, indices[1],
                                   b.index(static_cast<int64_t>(c))),
                            constant(biases[c]), bias);
          Value element =
              tensor::ExtractOp::create(b, adaptor.getInput(), indices);
          Number x = toNumber(b, element, type);
          Number scale = x.with(constant(op.getScale().convertToFloat()));
          return fromNumber(scale * x + x.with(bias), type);
        });
  }
};

struct FillValueConstantLowering : OpConversionPattern<FillValueConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FillValueConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getValue().getType());
    return replaceWithTensor(op, *getTypeConverter(), rewriter,
                             [&](ElementBuilder &b, ValueRange) -> Value {
                               return arith::ConstantOp::create(
                                   b, convertScalar(op.getValue(), type));
                             });
  }
};

struct FillValueSequenceLowering : OpConversionPattern<FillValueSequenceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FillValueSequenceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = op.getValueStart().getType();
    ArrayRef<int64_t> shape = getShape(op.getOutput());
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          Value number = linearize(b, indices, shape);
          if (auto start = dyn_cast<FloatAttr>(op.getValueStart())) {
            auto toFloat = [&](TypedAttr value) -> Value {
              return arith::ConstantOp::create(
                  b, b.getF32FloatAttr(static_cast<float>(
                         cast<FloatAttr>(value).getValueAsDouble())));
            };
            Value e = b.createOrFold<arith::UIToFPOp>(
                b.getF32Type(),
                b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), number));
            Value product =
                arith::MulFOp::create(b, e, toFloat(op.getValueDelta()));
            return fromF32(b, arith::AddFOp::create(b, toFloat(start), product),
                           type);
          }
          // Only the low bits of sums and products are needed.
          unsigned width = type.getIntOrFloatBitWidth();
          Type wide = b.getIntegerType(std::max(width, 32u));
          auto toInteger = [&](TypedAttr value) -> Value {
            APInt bits = cast<IntegerAttr>(value).getValue();
            return arith::ConstantOp::create(
                b, IntegerAttr::get(wide,
                                    bits.zext(wide.getIntOrFloatBitWidth())));
          };
          Value e = b.createOrFold<arith::IndexCastUIOp>(wide, number);
          Value value = b.createOrFold<arith::AddIOp>(
              toInteger(op.getValueStart()),
              b.createOrFold<arith::MulIOp>(e, toInteger(op.getValueDelta())));
          return width < 32 ? b.createOrFold<arith::TruncIOp>(
                                  b.getIntegerType(width), value)
                            : value;
        });
  }
};
} // namespace

/// Whether the element at `indices` lies on one of the diagonals from `begin`
/// to `end`, exclusive.
static Value buildIsOnDiagonal(ElementBuilder &b, ValueRange indices,
                               ArrayRef<int64_t> shape, int64_t begin,
                               int64_t end) {
  // Clamped to the rows and columns of the matrix, so that the arithmetic does
  // not overflow.
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  begin = std::clamp(begin, -rows, columns);
  end = std::clamp(end, -rows, columns);
  using Predicate = arith::CmpIPredicate;
  Value y = indices[indices.size() - 2], x = indices.back();
  // Computes x - y, shifted to begin at 0.
  Value diagonal = b.sub(b.add(x, rows), y);
  return b.andi(b.cmpi(Predicate::uge, diagonal, b.index(begin + rows)),
                b.cmpi(Predicate::ult, diagonal, b.index(end + rows)));
}

namespace {
struct DiagonalMatrixLowering : OpConversionPattern<DiagonalMatrixOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DiagonalMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type =
        cast<RankedTensorType>(op.getOutput().getType()).getElementType();
    Type lowered = getTypeConverter()->convertType(type);
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          auto offset = static_cast<int64_t>(op.getOffset());
          Value isFilled = buildIsOnDiagonal(
              b, indices, getShape(op.getOutput()), offset, offset + 1);
          Value value = arith::ConstantOp::create(
              b, convertScalar(op.getValue().convertToFloat(), type, lowered));
          Value zero = arith::ConstantOp::create(b, b.getZeroAttr(lowered));
          return b.select(isFilled, value, zero);
        });
  }
};

struct DiagonalMatrix1Lowering : OpConversionPattern<DiagonalMatrix1Op> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DiagonalMatrix1Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type lowered = getTypeConverter()->convertType(op.getValue().getType());
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          auto begin = static_cast<int64_t>(op.getDiagonalFillBegin());
          auto end = static_cast<int64_t>(op.getDiagonalFillEnd());
          Value isInside =
              buildIsOnDiagonal(b, indices, getShape(op.getOutput()),
                                std::min(begin, end), std::max(begin, end));
          Value value = arith::ConstantOp::create(
              b, convertScalar(op.getValue(), lowered));
          Value other =
              adaptor.getInput()
                  ? tensor::ExtractOp::create(b, adaptor.getInput(), indices)
                        .getResult()
                  : arith::ConstantOp::create(b, b.getZeroAttr(lowered))
                        .getResult();
          return begin > end ? b.select(isInside, other, value)
                             : b.select(isInside, value, other);
        });
  }
};
} // namespace

void dml::populateLayoutPatterns(const TypeConverter &typeConverter,
                                 RewritePatternSet &patterns) {
  patterns.add<JoinLowering, SplitLowering, BlockLowering<SpaceToDepthOp>,
               BlockLowering<SpaceToDepth1Op>, BlockLowering<DepthToSpaceOp>,
               BlockLowering<DepthToSpace1Op>, ReverseSubsequencesLowering,
               UnfoldLowering, FoldLowering, ValueScale2dLowering,
               FillValueConstantLowering, FillValueSequenceLowering,
               DiagonalMatrixLowering, DiagonalMatrix1Lowering>(
      typeConverter, patterns.getContext());
}
