//===- ResampleOps.cpp - DirectML's resampling operators to linalg --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ResampleOps.h"
#include "LoweringUtils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Scales as fractions
//===----------------------------------------------------------------------===//

namespace {
struct Fraction {
  int64_t numerator, denominator;
};
using Int128 = __int128;
using UInt128 = unsigned __int128;
} // namespace

/// The fraction with the smallest denominator in [lowN / lowD, highN / highD]:
/// the continued fraction that both ends share, cut where they part (the
/// Stern-Brocot tree's first node inside).
static void findSimplestFraction(UInt128 lowN, UInt128 lowD, UInt128 highN,
                                 UInt128 highD, UInt128 &numerator,
                                 UInt128 &denominator) {
  UInt128 whole = lowN / lowD;
  if (whole * lowD == lowN) {
    numerator = whole;
    denominator = 1;
  } else if ((whole + 1) * highD <= highN) {
    numerator = whole + 1;
    denominator = 1;
  } else {
    UInt128 n, d;
    findSimplestFraction(highD, highN - whole * highD, lowD,
                         lowN - whole * lowD, n, d);
    numerator = whole * n + d;
    denominator = n;
  }
}

/// The fraction that stands for a scale: the one with the smallest denominator
/// that rounds to `scale`.
static Fraction getScaleFraction(float scale) {
  // Beyond these bounds every coordinate that 32 bits can express clamps to the
  // first or to the last element, whatever the scale is.
  constexpr float maxScale = 0x1p40f;
  scale = std::min(std::max(scale, 1 / maxScale), maxScale);
  if (scale == std::floor(scale))
    return {static_cast<int64_t>(scale), 1};

  // The numbers that round to `scale` lie halfway to its neighbours. In units
  // of 2^-67 all these bounds are integers; a bound that rounds away from an
  // odd mantissa is moved inside by one unit, which no small fraction notices.
  constexpr int unit = 67;
  auto toUnits = [](double value) {
    int exponent;
    auto mantissa =
        static_cast<uint64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    int shift = exponent - 53 + unit;
    return shift >= 0 ? static_cast<UInt128>(mantissa) << shift
                      : static_cast<UInt128>(mantissa >> -shift);
  };
  double below = std::nextafter(scale, 0.0f);
  double above = std::nextafter(scale, 2 * maxScale);
  int exponent;
  bool odd =
      static_cast<uint64_t>(std::ldexp(std::frexp(scale, &exponent), 24)) & 1;
  UInt128 low = toUnits((below + scale) / 2) + odd;
  UInt128 high = toUnits((above + scale) / 2) - odd;
  UInt128 one = static_cast<UInt128>(1) << unit;
  UInt128 numerator, denominator;
  findSimplestFraction(low, one, high, one, numerator, denominator);
  return {static_cast<int64_t>(numerator), static_cast<int64_t>(denominator)};
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

namespace {
/// One dimension of a resampling: `input` elements become `output` elements.
struct SampledDim {
  int64_t input, output;
  Fraction scale;
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
} // namespace

/// o * step + offset. Outputs after the first that reaches `limit`, which is
/// more than `offset`, read the same element: where products are large, it
/// stops there.
static Value buildPosition(ElementBuilder &b, SampledDim dim, Value o,
                           int64_t step, int64_t offset, Int128 limit) {
  Int128 end = static_cast<Int128>(dim.output - 1) * step + offset;
  if (end > INT64_MAX / 2) {
    Int128 reach = (limit - offset + step - 1) / step;
    o = b.minui(o, b.index(static_cast<int64_t>(reach)));
  }
  return b.add(b.mul(o, step), offset);
}

/// floor((o * step + offset) / divisor), at most dim.input - 1: the form that
/// both interpolation modes take once the scale is a fraction.
static Value buildCoordinate(ElementBuilder &b, SampledDim dim, Value o,
                             int64_t step, int64_t offset, int64_t divisor) {
  // Where the last element's coordinate begins, and where the last output lies.
  Int128 limit = static_cast<Int128>(dim.input - 1) * divisor;
  Int128 end = static_cast<Int128>(dim.output - 1) * step + offset;
  // All outputs may lie within the first element or in the last one: extreme
  // scales need no arithmetic.
  if (end < divisor)
    return b.index(0);
  if (offset >= limit)
    return b.index(dim.input - 1);
  Value position = buildPosition(b, dim, o, step, offset, limit);
  Value coordinate = b.divui(position, divisor);
  return end < limit + divisor ? coordinate
                               : b.minui(coordinate, b.index(dim.input - 1));
}

/// nearest_neighbor: floor(x + 0.5) = floor((2o + 1) q / 2p) for the scale p/q.
static Value buildNearest(ElementBuilder &b, SampledDim dim, Value o) {
  auto [p, q] = dim.scale;
  if (q == 1) // (2o + 1) / 2p and o / p have the same floor.
    return buildCoordinate(b, dim, o, 1, 0, p);
  if (q % 2 == 0)
    return buildCoordinate(b, dim, o, q, q / 2, p);
  return buildCoordinate(b, dim, o, 2 * q, q, 2 * p);
}

/// linear: x = ((2o + 1) q - p) / 2p for the scale p/q.
static Taps buildLinear(ElementBuilder &b, SampledDim dim, Value o) {
  auto [p, q] = dim.scale;
  int64_t step = 2 * q, offset = q - p, divisor = 2 * p;
  if (offset % 2 == 0) {
    step = q;
    offset /= 2;
    divisor = p;
  }
  if (dim.input == 1)
    return {b.index(0), Value(), Value()};
  if (divisor == 1) // Always at an element's centre.
    return {buildCoordinate(b, dim, o, step, offset, 1), Value(), Value()};

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
      b, dim, o, step, static_cast<int64_t>(offset + shift), limit + shift);
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

namespace {
struct ResampleLowering : OpConversionPattern<ResampleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ResampleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    auto outputType = cast<RankedTensorType>(op.getOutput().getType());
    SmallVector<SampledDim> dims;
    for (auto [input, output, scale] : llvm::zip_equal(
             inputType.getShape(), outputType.getShape(), op.getScales()))
      dims.push_back({input, output, getScaleFraction(scale)});

    Value input = adaptor.getInput();
    bool isUnsigned = inputType.getElementType().isUnsignedInteger();
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          if (op.getMode() == InterpolationMode::nearest_neighbor) {
            SmallVector<Value> coordinates;
            for (auto [dim, o] : llvm::zip_equal(dims, indices))
              coordinates.push_back(buildNearest(b, dim, o));
            return tensor::ExtractOp::create(b, input, coordinates);
          }
          SmallVector<Taps> taps;
          for (auto [dim, o] : llvm::zip_equal(dims, indices))
            taps.push_back(buildLinear(b, dim, o));
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
};
} // namespace

void dml::populateResamplePatterns(const TypeConverter &typeConverter,
                                   RewritePatternSet &patterns) {
  patterns.add<ResampleLowering>(typeConverter, patterns.getContext());
}
