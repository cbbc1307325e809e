//===- ResampleOps.cpp - DirectML's resampling operators to linalg --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ResampleOps.h"
#include "LoweringUtils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Scales and offsets as fractions
//===----------------------------------------------------------------------===//

namespace {
using llvm::DynamicAPInt;
struct Fraction {
  DynamicAPInt numerator, denominator;
};
using Int128 = __int128;
} // namespace

static DynamicAPInt getPowerOfTwo(unsigned exponent) {
  return DynamicAPInt(APInt::getOneBitSet(exponent + 2, exponent));
}

/// The fraction with the smallest denominator in [lowN / lowD, highN / highD]:
/// the continued fraction that both ends share, cut where they part (the
/// Stern-Brocot tree's first node inside).
static Fraction findSimplestFraction(const DynamicAPInt &lowN,
                                     const DynamicAPInt &lowD,
                                     const DynamicAPInt &highN,
                                     const DynamicAPInt &highD) {
  DynamicAPInt whole = lowN / lowD;
  if (whole * lowD == lowN)
    return {whole, DynamicAPInt(1)};
  if ((whole + 1) * highD <= highN)
    return {whole + 1, DynamicAPInt(1)};
  Fraction rest = findSimplestFraction(highD, highN - whole * highD, lowD,
                                       lowN - whole * lowD);
  return {whole * rest.numerator + rest.denominator, rest.numerator};
}

/// The fraction that stands for `value`: the one with the smallest denominator
/// that rounds to it.
static Fraction getFraction(float value) {
  if (value < 0) {
    Fraction fraction = getFraction(-value);
    return {-fraction.numerator, fraction.denominator};
  }
  // Floats, and the halves between them, are multiples of 2^-150. The numbers
  // that round to `value` lie halfway to its neighbours; a bound that rounds
  // away from an odd mantissa is moved inside by 2^-190, which no fraction
  // notices whose denominator is smallest.
  constexpr int unit = 190;
  auto toUnits = [](double number) {
    int exponent;
    auto mantissa =
        static_cast<int64_t>(std::ldexp(std::frexp(number, &exponent), 53));
    int shift = exponent - 53 + unit;
    return shift >= 0 ? DynamicAPInt(mantissa) * getPowerOfTwo(shift)
                      : DynamicAPInt(mantissa) / getPowerOfTwo(-shift);
  };
  DynamicAPInt one = getPowerOfTwo(unit);
  if (value == std::floor(value))
    return {toUnits(value) / one, DynamicAPInt(1)};
  double below = std::nextafter(value, 0.0f);
  double above = std::nextafter(value, 2 * value + 1);
  bool odd = llvm::bit_cast<uint32_t>(value) & 1;
  return findSimplestFraction(toUnits((below + value) / 2) + odd, one,
                              toUnits((above + value) / 2) - odd, one);
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

namespace {
/// One dimension of a resampling: `input` elements become `output` elements.
/// Output `o` lies at (o * step + offset) / divisor of the input.
struct SampledDim {
  int64_t input, output;
  DynamicAPInt step, offset, divisor;

  /// The same position, with what divides all three taken out.
  SampledDim reduce() const {
    DynamicAPInt common = gcd(gcd(step, abs(offset)), divisor);
    return {input, output, step / common, offset / common, divisor / common};
  }
};

/// Where an output coordinate lies between two input coordinates.
struct Taps {
  mlir::Value low, high;
  /// Weight of `high`, f32: a multiple of 1 / `divisor`. Null where `low` alone
  /// counts.
  mlir::Value weight;
  int64_t divisor = 1;
  /// Whether `low` alone counts for this output. Null if it never does.
  mlir::Value isLow;
};

/// A SampledDim whose arithmetic 64 bits hold.
struct SmallDim {
  int64_t input, output, step, offset, divisor;

  static std::optional<SmallDim> get(const SampledDim &dim, bool isLinear) {
    DynamicAPInt end = dim.step * (dim.output - 1) + dim.offset;
    DynamicAPInt last = dim.divisor * (dim.input - 1);
    // All outputs may show the first element, or the last one.
    if (end <= 0 || (!isLinear && end < dim.divisor))
      return SmallDim{dim.input, dim.output, 0, 0, 1};
    if (dim.offset >= last)
      return SmallDim{dim.input, dim.output, 0, dim.input - 1, 1};
    // Positions are computed up to the last element's, and one divisor more.
    const DynamicAPInt limit(INT64_MAX / 4);
    if (abs(dim.offset) > limit || dim.step > limit || dim.divisor > limit ||
        (end > limit && last > limit))
      return std::nullopt;
    return SmallDim{dim.input, dim.output, static_cast<int64_t>(dim.step),
                    static_cast<int64_t>(dim.offset),
                    static_cast<int64_t>(dim.divisor)};
  }
};
} // namespace

/// o * step + offset. Outputs after the first that reaches `limit`, which is
/// more than `offset`, read the same element: where products are large, it
/// stops there.
static Value buildPosition(ElementBuilder &b, SmallDim dim, Value o,
                           int64_t offset, Int128 limit) {
  int64_t step = dim.step;
  Int128 end = static_cast<Int128>(dim.output - 1) * step + offset;
  if (end > INT64_MAX / 2) {
    Int128 reach = (limit - offset + step - 1) / step;
    o = b.minui(o, b.index(static_cast<int64_t>(reach)));
  }
  return b.add(b.mul(o, step), offset);
}

/// floor((o * step + offset) / divisor), clamped to the input.
static Value buildCoordinate(ElementBuilder &b, SmallDim dim, Value o) {
  auto [input, output, step, offset, divisor] = dim;
  // Where the last element's coordinate begins, and where the last output lies.
  Int128 limit = static_cast<Int128>(input - 1) * divisor;
  Int128 end = static_cast<Int128>(output - 1) * step + offset;
  // All outputs may lie within the first element or in the last one: extreme
  // scales need no arithmetic.
  if (end < divisor)
    return b.index(0);
  if (offset >= limit)
    return b.index(input - 1);
  Value position = buildPosition(b, dim, o, offset, limit);
  if (offset < 0)
    position = b.maxsi(position, b.index(0));
  Value coordinate = b.divui(position, divisor);
  return end < limit + divisor ? coordinate
                               : b.minui(coordinate, b.index(input - 1));
}

/// How a position between two elements becomes one of them.
enum class Rounding { Down, Up, Nearest };

/// `dim` with positions whose floor is that of `dim` rounded.
static SampledDim getRounded(SampledDim dim, Rounding rounding) {
  if (rounding == Rounding::Up)
    dim.offset += dim.divisor - 1;
  else if (rounding == Rounding::Nearest)
    dim = {dim.input, dim.output, dim.step * 2, dim.offset * 2 + dim.divisor,
           dim.divisor * 2};
  // Steps that the divisor's factors divide pass over what the factor's
  // remainder tells.
  DynamicAPInt common = gcd(dim.step, dim.divisor);
  return {dim.input, dim.output, dim.step / common,
          floorDiv(dim.offset, common), dim.divisor / common};
}

static Taps buildLinear(ElementBuilder &b, SmallDim dim, Value o) {
  auto [input, output, step, offset, divisor] = dim;
  if (dim.input == 1)
    return {b.index(0), Value(), Value()};
  if (divisor == 1) // Always at an element's centre.
    return {buildCoordinate(b, dim, o), Value(), Value()};

  // As in buildCoordinate(), of elements' centres.
  Int128 limit = static_cast<Int128>(dim.input - 1) * divisor;
  Int128 end = static_cast<Int128>(dim.output - 1) * step + offset;
  if (end <= 0)
    return {b.index(0), Value(), Value()};
  if (offset >= limit)
    return {b.index(dim.input - 1), Value(), Value()};

  // Before the first centre, divisions are of the element after `low`: they
  // know no negative numbers. An output there, or after the last centre, lies
  // between an element and itself: what a neighbour reads serves it, too.
  Taps taps;
  taps.divisor = divisor;
  bool before = offset < 0, after = end >= limit;
  Int128 shift = before ? divisor : 0;
  Value position = buildPosition(
      b, dim, o, static_cast<int64_t>(offset + shift), limit + shift);
  if (offset + shift < 0)
    position = b.maxsi(position, b.index(0));
  Value quotient = b.divui(position, divisor);
  Value remainder = b.remui(position, divisor);
  Value last = b.index(dim.input - 1);
  taps.low =
      before ? b.maxsi(b.sub(quotient, b.index(1)), b.index(0)) : quotient;
  if (end >= limit + divisor)
    taps.low = b.minui(taps.low, last);
  taps.high = before ? quotient : b.add(quotient, 1);
  if (after)
    taps.high = b.minui(taps.high, last);

  // Without weight the high element takes no part, even if it is infinite.
  using Predicate = arith::CmpIPredicate;
  if (offset % std::gcd(step, divisor) == 0)
    taps.isLow = b.cmpi(Predicate::eq, remainder, b.index(0));
  if (before || after) {
    Value isSame = b.cmpi(Predicate::eq, taps.low, taps.high);
    taps.isLow =
        taps.isLow ? b.createOrFold<arith::OrIOp>(taps.isLow, isSame) : isSame;
  }
  // uitofp wants an integer of fixed width; divisors beyond 32 bits need 64.
  Type fixed = b.getIntegerType(divisor <= UINT32_MAX ? 32 : 64);
  Value whole = b.createOrFold<arith::IndexCastUIOp>(fixed, remainder);
  Value numerator = b.createOrFold<arith::UIToFPOp>(b.getF32Type(), whole);
  Value reciprocal = arith::ConstantOp::create(
      b, b.getF32FloatAttr(1.0f / static_cast<float>(divisor)));
  taps.weight = b.createOrFold<arith::MulFOp>(numerator, reciprocal);
  return taps;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Interpolates between the elements that `taps` lead to, the first dimension
/// first: elements of a row then share what the dimensions before the last one
/// make of their columns. `coordinates` holds those of the dimensions after.
static Value interpolate(ElementBuilder &b, Value input, ArrayRef<Taps> taps,
                         MutableArrayRef<Value> coordinates, bool isUnsigned,
                         bool isExact) {
  if (taps.empty())
    return toF32(b, tensor::ExtractOp::create(b, input, coordinates),
                 isUnsigned);
  auto sample = [&](Value coordinate) {
    coordinates[taps.size() - 1] = coordinate;
    return interpolate(b, input, taps.drop_back(), coordinates, isUnsigned,
                       isExact);
  };
  const Taps &tap = taps.back();
  Value low = sample(tap.low);
  if (!tap.weight)
    return low;
  Value high = sample(tap.high);
  Value difference = arith::SubFOp::create(b, high, low);
  if (isExact)
    return math::FmaOp::create(b, tap.weight, difference, low);
  Value part = arith::MulFOp::create(b, tap.weight, difference);
  Value mixed = arith::AddFOp::create(b, low, part);
  return tap.isLow ? b.select(tap.isLow, low, mixed) : mixed;
}

/// Whether interpolating elements of `type` rounds nowhere: 8 bits, and for
/// each dimension those of its weights, fit in the 24 of an f32. All elements
/// are finite, too.
static bool isExactInF32(Type type, ArrayRef<Taps> taps) {
  if (!type.isInteger(8))
    return false;
  unsigned bits = 8;
  for (const Taps &tap : taps) {
    if (!tap.weight)
      continue;
    if (!llvm::isPowerOf2_64(tap.divisor))
      return false;
    bits += llvm::Log2_64(tap.divisor);
  }
  return bits <= 24;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {
/// Coordinates that 64 bits cannot compute, looked up for each output instead:
/// in one tensor for all dimensions, as a kernel binds few.
class Tables {
public:
  /// Adds the coordinates of `dim`, rounded down; or, if `isLinear`, those of
  /// the lower elements and then the bits of the upper ones' weights.
  void add(const SampledDim &dim, bool isLinear) {
    DynamicAPInt position = dim.offset, last = dim.divisor * (dim.input - 1);
    SmallVector<int32_t> weights;
    for (int64_t o = 0; o < dim.output; ++o, position += dim.step) {
      DynamicAPInt clamped = std::clamp(position, DynamicAPInt(0), last);
      words.push_back(
          static_cast<int32_t>(static_cast<int64_t>(clamped / dim.divisor)));
      weights.push_back(llvm::bit_cast<int32_t>(
          getQuotient(clamped % dim.divisor, dim.divisor)));
    }
    if (isLinear)
      words.append(weights);
  }

  /// The number of words so far: where those of the next dimension begin.
  int64_t size() const { return static_cast<int64_t>(words.size()); }

  void build(OpBuilder &builder, Location loc) {
    if (words.empty())
      return;
    auto type = RankedTensorType::get(size(), builder.getI32Type());
    table = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, ArrayRef(words)));
  }

  Value getCoordinate(ElementBuilder &b, const SampledDim &dim, int64_t begin,
                      Value o) const {
    Value word = tensor::ExtractOp::create(b, table, b.add(o, begin));
    return b.minui(b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), word),
                   b.index(dim.input - 1));
  }

  Taps getTaps(ElementBuilder &b, const SampledDim &dim, int64_t begin,
               Value o) const {
    Taps taps;
    taps.low = getCoordinate(b, dim, begin, o);
    taps.high = b.minui(b.add(taps.low, 1), b.index(dim.input - 1));
    Value bits =
        tensor::ExtractOp::create(b, table, b.add(o, begin + dim.output));
    taps.weight = b.createOrFold<arith::BitcastOp>(b.getF32Type(), bits);
    // No power of two: what rounds is not taken for exact.
    taps.divisor = 3;
    taps.isLow = b.cmpi(arith::CmpIPredicate::eq, bits,
                        arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
    return taps;
  }

private:
  /// `numerator / denominator`, which is less than 1, in f32.
  static float getQuotient(DynamicAPInt numerator,
                           const DynamicAPInt &denominator) {
    if (numerator == 0)
      return 0;
    // 62 bits from the first one on are more than f32 keeps.
    int exponent = 0;
    while (numerator * 2 < denominator) {
      numerator *= 2;
      --exponent;
    }
    DynamicAPInt bits = numerator * getPowerOfTwo(62) / denominator;
    return static_cast<float>(std::ldexp(
        static_cast<double>(static_cast<int64_t>(bits)), exponent - 62));
  }

  SmallVector<int32_t> words;
  Value table;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The dimensions of an operator with these scales and offsets. At output `o`,
/// x = (o - outputOffset) / scale - inputOffset.
static SmallVector<SampledDim> getDims(Value input, Value output,
                                       ArrayRef<float> scales,
                                       ArrayRef<float> inputOffsets,
                                       ArrayRef<float> outputOffsets) {
  SmallVector<SampledDim> dims;
  for (auto [in, out, scale, inputOffset, outputOffset] :
       llvm::zip_equal(cast<RankedTensorType>(input.getType()).getShape(),
                       cast<RankedTensorType>(output.getType()).getShape(),
                       scales, inputOffsets, outputOffsets)) {
    auto [p, q] = getFraction(scale);
    auto [a, b] = getFraction(inputOffset);
    auto [c, d] = getFraction(outputOffset);
    SampledDim dim = {in, out, d * q * b, -(c * q * b) - a * d * p, d * p * b};
    dims.push_back(dim.reduce());
  }
  return dims;
}

/// Replaces `op`, which resamples `input` in `mode`.
static LogicalResult lower(Operation *op, Value input, InterpolationMode mode,
                           Rounding rounding, SmallVector<SampledDim> dims,
                           const TypeConverter &typeConverter,
                           ConversionPatternRewriter &rewriter) {
  bool isLinear = mode == InterpolationMode::linear;
  bool isUnsigned = cast<RankedTensorType>(op->getOperand(0).getType())
                        .getElementType()
                        .isUnsignedInteger();
  SmallVector<std::optional<SmallDim>> smallDims;
  SmallVector<int64_t> begins;
  Tables tables;
  for (SampledDim &dim : dims) {
    if (!isLinear)
      dim = getRounded(dim, rounding);
    smallDims.push_back(SmallDim::get(dim, isLinear));
    begins.push_back(tables.size());
    if (!smallDims.back())
      tables.add(dim, isLinear);
  }
  tables.build(rewriter, op->getLoc());
  return replaceWithTensor(
      op, typeConverter, rewriter,
      [&](ElementBuilder &b, ValueRange indices) -> Value {
        if (!isLinear) {
          SmallVector<Value> coordinates;
          for (auto [dim, smallDim, begin, o] :
               llvm::zip_equal(dims, smallDims, begins, indices))
            coordinates.push_back(smallDim
                                      ? buildCoordinate(b, *smallDim, o)
                                      : tables.getCoordinate(b, dim, begin, o));
          return tensor::ExtractOp::create(b, input, coordinates);
        }
        SmallVector<Taps> taps;
        for (auto [dim, smallDim, begin, o] :
             llvm::zip_equal(dims, smallDims, begins, indices))
          taps.push_back(smallDim ? buildLinear(b, *smallDim, o)
                                  : tables.getTaps(b, dim, begin, o));
        Type elementType =
            cast<RankedTensorType>(input.getType()).getElementType();
        SmallVector<Value> coordinates;
        // Nothing to interpolate: move the element as it is.
        if (llvm::none_of(taps, [](const Taps &tap) { return tap.weight; })) {
          for (const Taps &tap : taps)
            coordinates.push_back(tap.low);
          return tensor::ExtractOp::create(b, input, coordinates);
        }
        coordinates.resize(taps.size());
        Value value = interpolate(b, input, taps, coordinates, isUnsigned,
                                  isExactInF32(elementType, taps));
        return fromF32(b, value, elementType);
      });
}

/// Offsets with which pixel centres meet.
static LogicalResult lowerCentred(Operation *op, Value input,
                                  InterpolationMode mode,
                                  ArrayRef<float> scales,
                                  const TypeConverter &typeConverter,
                                  ConversionPatternRewriter &rewriter) {
  SmallVector<float> before(scales.size(), 0.5f), after(scales.size(), -0.5f);
  return lower(
      op, input, mode, Rounding::Nearest,
      getDims(op->getOperand(0), op->getResult(0), scales, before, after),
      typeConverter, rewriter);
}

namespace {
struct ResampleLowering : OpConversionPattern<ResampleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ResampleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return lowerCentred(op, adaptor.getInput(), op.getMode(), op.getScales(),
                        *getTypeConverter(), rewriter);
  }
};

struct Upsample2dLowering : OpConversionPattern<Upsample2dOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Upsample2dOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getInput().getType());
    SmallVector<float> ones(type.getRank(), 1.0f);
    SmallVector<SampledDim> dims =
        getDims(op.getInput(), op.getOutput(), ones,
                SmallVector<float>(ones.size(), 0.5f),
                SmallVector<float>(ones.size(), -0.5f));
    // Factors of more than 24 bits are no f32: x = (2 o + 1 - s) / 2 s.
    for (auto [dim, factor] :
         llvm::zip_equal(MutableArrayRef(dims).take_back(2), op.getScaleSize()))
      dim = SampledDim{dim.input, dim.output, DynamicAPInt(2),
                       DynamicAPInt(1 - factor), DynamicAPInt(2 * factor)}
                .reduce();
    return lower(op, adaptor.getInput(), op.getMode(), Rounding::Nearest, dims,
                 *getTypeConverter(), rewriter);
  }
};

template <typename OpTy> struct OffsetLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto rounding = Rounding::Nearest;
    if constexpr (std::is_same_v<OpTy, Resample2Op>)
      rounding = op.getRoundingDirection() == AxisDirection::increasing
                     ? Rounding::Up
                     : Rounding::Down;
    return lower(op, adaptor.getInput(), op.getMode(), rounding,
                 getDims(op.getInput(), op.getOutput(), op.getScales(),
                         op.getInputPixelOffsets(), op.getOutputPixelOffsets()),
                 *this->getTypeConverter(), rewriter);
  }
};
} // namespace

void dml::populateResamplePatterns(const TypeConverter &typeConverter,
                                   RewritePatternSet &patterns) {
  patterns.add<ResampleLowering, Upsample2dLowering,
               OffsetLowering<Resample1Op>, OffsetLowering<Resample2Op>>(
      typeConverter, patterns.getContext());
}
