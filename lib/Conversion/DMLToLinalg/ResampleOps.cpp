//===- ResampleOps.cpp - DirectML's resampling operators to linalg --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ResampleOps.h"
#include "LoweringUtils.h"
#include "dml/IR/SimplestFraction.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/Sequence.h"
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
using Int128 = __int128;
} // namespace

static DynamicAPInt getPowerOfTwo(unsigned exponent) {
  return DynamicAPInt(APInt::getOneBitSet(exponent + 2, exponent));
}

/// Returns `value` if its magnitude is less than 2^`bits`, where `bits` is at
/// most 120. Tables are computed with machine integers if the numbers fit.
static std::optional<Int128> toInt128(const DynamicAPInt &value,
                                      unsigned bits) {
  if (abs(value) >= getPowerOfTwo(bits))
    return std::nullopt;
  constexpr unsigned lowBits = 62;
  DynamicAPInt high = floorDiv(value, getPowerOfTwo(lowBits));
  DynamicAPInt low = value - high * getPowerOfTwo(lowBits);
  return static_cast<Int128>(static_cast<int64_t>(high)) *
             (static_cast<Int128>(1) << lowBits) +
         static_cast<int64_t>(low);
}

static Int128 floorDiv(Int128 lhs, Int128 rhs) {
  return lhs / rhs - (lhs % rhs < 0);
}
static Int128 ceilDiv(Int128 lhs, Int128 rhs) {
  return lhs / rhs + (lhs % rhs > 0);
}
static Int128 abs(Int128 value) { return value < 0 ? -value : value; }

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

namespace {
/// One dimension of a resampling of `input` elements to `output` elements. The
/// position of output `o` in the input is (o * step + offset) / divisor.
struct SampledDim {
  int64_t input, output;
  DynamicAPInt step, offset, divisor;

  /// Returns the same positions, with the common divisor of the three numbers
  /// cancelled.
  SampledDim reduce() const {
    DynamicAPInt common = gcd(gcd(step, abs(offset)), divisor);
    return {input, output, step / common, offset / common, divisor / common};
  }
};

/// The two input coordinates between which an output coordinate lies.
struct Taps {
  mlir::Value low, high;
  /// The weight of `high`, an f32 that is a multiple of 1 / `divisor`. Null if
  /// only `low` is used.
  mlir::Value weight;
  int64_t divisor = 1;
  /// The exact product of `weight` and `divisor`. Null if it is unknown.
  mlir::Value numerator;
  /// Whether only `low` is used for this output. Null if this is never the
  /// case.
  mlir::Value isLow;

  /// Sets `numerator` to a word, and `weight` to the resulting quotient.
  void setNumerator(ElementBuilder &b, mlir::Value word) {
    numerator = b.createOrFold<arith::UIToFPOp>(b.getF32Type(), word);
    mlir::Value reciprocal = arith::ConstantOp::create(
        b, b.getF32FloatAttr(1.0f / static_cast<float>(divisor)));
    weight = b.createOrFold<arith::MulFOp>(numerator, reciprocal);
  }

  /// Sets `weight` to the quotient for `remainder`, an index with more than 32
  /// bits, whose two words are converted to f32 separately.
  void setLongNumerator(ElementBuilder &b, mlir::Value remainder) {
    constexpr int64_t unit = int64_t(1) << 32;
    auto toFloat = [&](mlir::Value half) {
      mlir::Value word =
          b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), half);
      return b.createOrFold<arith::UIToFPOp>(b.getF32Type(), word);
    };
    auto constant = [&](double value) -> mlir::Value {
      return arith::ConstantOp::create(
          b, b.getF32FloatAttr(static_cast<float>(value)));
    };
    mlir::Value high = toFloat(b.divui(remainder, unit)),
                low = toFloat(b.remui(remainder, unit));
    mlir::Value sum =
        math::FmaOp::create(b, high, constant(static_cast<double>(unit)), low);
    weight = b.createOrFold<arith::MulFOp>(
        sum, constant(1.0 / static_cast<double>(divisor)));
    // 3 stands for any divisor that is not a power of two: the weights are
    // rounded, and readers must not consider them exact.
    divisor = 3;
  }
};

/// A SampledDim whose arithmetic fits into 64 bits, and for which the
/// numerators of weights fit into 32 bits.
struct SmallDim {
  int64_t input, output, step, offset, divisor;

  /// Returns nothing if a table must store the positions of outputs. This is
  /// necessary if the arithmetic does not fit into 64 bits. A table is also
  /// used if the numerators of weights do not fit into 32 bits, unless the
  /// table would be too long.
  static std::optional<SmallDim> get(const SampledDim &dim, bool isLinear,
                                     bool isLong) {
    DynamicAPInt end = dim.step * (dim.output - 1) + dim.offset;
    DynamicAPInt last = dim.divisor * (dim.input - 1);
    // All outputs may read the first element, or all may read the last one.
    if (end <= 0 || (!isLinear && end < dim.divisor))
      return SmallDim{dim.input, dim.output, 0, 0, 1};
    if (dim.offset >= last)
      return SmallDim{dim.input, dim.output, 0, dim.input - 1, 1};
    // There is only one element to read.
    if (isLong && dim.input == 1)
      return SmallDim{dim.input, dim.output, 0, 0, 1};
    // Every device can convert 32-bit words to f32.
    if (isLinear && !isLong && dim.divisor > UINT32_MAX)
      return std::nullopt;
    // Positions are computed up to the last element, plus one divisor.
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

/// Builds o * step + offset. All outputs after the first one that reaches
/// `limit`, which is greater than `offset`, read the same element. If products
/// would be large, the result is therefore limited.
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

/// Builds floor((o * step + offset) / divisor), clamped to the input.
static Value buildCoordinate(ElementBuilder &b, SmallDim dim, Value o) {
  auto [input, output, step, offset, divisor] = dim;
  // `limit` is the position of the last element, and `end` the position of the
  // last output.
  Int128 limit = static_cast<Int128>(input - 1) * divisor;
  Int128 end = static_cast<Int128>(output - 1) * step + offset;
  // All outputs may lie within the first element, or all may lie in the last
  // one. Extreme scales therefore need no arithmetic.
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

/// The direction in which a position between two elements is rounded.
enum class Rounding { Down, Up, Nearest };

/// Returns a dimension whose positions, rounded down, are the positions of
/// `dim`, rounded as requested.
static SampledDim getRounded(SampledDim dim, Rounding rounding) {
  if (rounding == Rounding::Up)
    dim.offset += dim.divisor - 1;
  else if (rounding == Rounding::Nearest)
    dim = {dim.input, dim.output, dim.step * 2, dim.offset * 2 + dim.divisor,
           dim.divisor * 2};
  // The common divisor of step and divisor can be cancelled, since the
  // remainder of the offset does not affect the rounded result.
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

  // `limit` and `end` have the same meaning as in buildCoordinate(), for the
  // centres of elements.
  Int128 limit = static_cast<Int128>(dim.input - 1) * divisor;
  Int128 end = static_cast<Int128>(dim.output - 1) * step + offset;
  if (end <= 0)
    return {b.index(0), Value(), Value()};
  if (offset >= limit)
    return {b.index(dim.input - 1), Value(), Value()};

  // Before the first centre, positions are negative. They are shifted by one
  // element, since the divisions are unsigned. An output before the first
  // centre or after the last one lies between an element and itself, so that it
  // can share the loads of its neighbours.
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

  // An element with weight 0 must not contribute, even if it is infinite.
  using Predicate = arith::CmpIPredicate;
  if (offset % std::gcd(step, divisor) == 0)
    taps.isLow = b.cmpi(Predicate::eq, remainder, b.index(0));
  if (before || after) {
    Value isSame = b.cmpi(Predicate::eq, taps.low, taps.high);
    taps.isLow =
        taps.isLow ? b.createOrFold<arith::OrIOp>(taps.isLow, isSame) : isSame;
  }
  if (divisor > UINT32_MAX)
    taps.setLongNumerator(b, remainder);
  else
    taps.setNumerator(
        b, b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), remainder));
  return taps;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static Value getF32(ElementBuilder &b, float value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

namespace {
/// The arithmetic of an interpolation.
enum class Arithmetic {
  /// Results are rounded.
  Rounded,
  /// All results are exact.
  Exact,
  /// All results are exact, since each dimension multiplies by its divisor.
  Multiplied
};
} // namespace

/// Interpolates between the elements that `taps` select, beginning with the
/// first dimension. Elements of a row can then share the interpolation along
/// the dimensions before the last one. `coordinates` contains the coordinates
/// in the later dimensions.
static Value interpolate(ElementBuilder &b, Value input, ArrayRef<Taps> taps,
                         MutableArrayRef<Value> coordinates, bool isUnsigned,
                         Arithmetic arithmetic) {
  if (taps.empty())
    return toF32(b, tensor::ExtractOp::create(b, input, coordinates),
                 isUnsigned);
  auto sample = [&](Value coordinate) {
    coordinates[taps.size() - 1] = coordinate;
    return interpolate(b, input, taps.drop_back(), coordinates, isUnsigned,
                       arithmetic);
  };
  const Taps &tap = taps.back();
  Value low = sample(tap.low);
  if (!tap.weight)
    return low;
  Value high = sample(tap.high);
  if (arithmetic == Arithmetic::Multiplied) {
    // Both weights are integers. They are constants if the relative positions
    // of the thread's elements are known.
    Value rest = b.createOrFold<arith::SubFOp>(
        getF32(b, static_cast<float>(tap.divisor)), tap.numerator);
    Value multiple = arith::MulFOp::create(b, low, rest);
    return math::FmaOp::create(b, tap.numerator, high, multiple);
  }
  Value difference = arith::SubFOp::create(b, high, low);
  if (arithmetic == Arithmetic::Exact)
    return math::FmaOp::create(b, tap.weight, difference, low);
  Value part = arith::MulFOp::create(b, tap.weight, difference);
  Value mixed = arith::AddFOp::create(b, low, part);
  return tap.isLow ? b.select(tap.isLow, low, mixed) : mixed;
}

/// Returns the product of all divisors, if the interpolation of elements of
/// `type` is exact after multiplication by the divisors. All elements are
/// finite. Returns nothing if the products with 8-bit numbers might be too
/// long, or if quotients might be too close to a half.
static std::optional<int64_t> getCommonDivisor(Type type, ArrayRef<Taps> taps) {
  constexpr int64_t limit = 1 << 14;
  int64_t product = 1;
  for (const Taps &tap : taps) {
    if (!tap.weight)
      continue;
    if (!tap.numerator || tap.divisor > limit / product)
      return std::nullopt;
    product *= tap.divisor;
  }
  return type.isInteger(8) ? std::optional(product) : std::nullopt;
}

/// Whether the product of a number with `reciprocal`, the rounded reciprocal of
/// `divisor`, is a half whenever the quotient is. This is the case for 36: 90
/// times the rounded value of 1 / 36 is slightly more than 2.5, and is rounded
/// to 2.5. It is not the case for 14: 21 times the rounded value of 1 / 14 is
/// not rounded to 1.5.
static bool hasAllHalves(int64_t divisor, float reciprocal) {
  // The quotients by an odd divisor are never halves. Products with negative
  // numbers mirror those with positive numbers.
  if (divisor % 2 != 0)
    return true;
  return llvm::all_of(llvm::seq<int64_t>(0, 256), [&](int64_t whole) {
    float multiple = static_cast<float>((2 * whole + 1) * (divisor / 2));
    return multiple * reciprocal == static_cast<float>(whole) + 0.5f;
  });
}

/// Computes `multiple / divisor`, an 8-bit number, which the caller will round
/// to an integer, ties to even.
static Value divideToEven(ElementBuilder &b, Value multiple, int64_t divisor) {
  auto number = static_cast<float>(divisor);
  float reciprocal = 1.0f / number;
  Value quotient =
      b.createOrFold<arith::MulFOp>(multiple, getF32(b, reciprocal));
  // Other quotients differ from halves by more than the products differ from
  // the quotients.
  if (hasAllHalves(divisor, reciprocal))
    return quotient;
  Value nearest = math::RoundEvenOp::create(b, quotient);
  Value rest = math::FmaOp::create(b, nearest, getF32(b, -number), multiple);
  Value isHalf = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ,
                                       math::AbsFOp::create(b, rest),
                                       getF32(b, number / 2));
  // The even number next to a half is the nearest even number.
  Value half = arith::MulFOp::create(b, quotient, getF32(b, 0.5f));
  Value even = arith::MulFOp::create(b, math::RoundEvenOp::create(b, half),
                                     getF32(b, 2.0f));
  return b.select(isHalf, even, nearest);
}

/// Whether the interpolation of elements of `type` is exact: the 8 bits of an
/// element and the bits of the weights in each dimension together fit into the
/// 24 bits of an f32. All elements are finite.
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

/// Returns the first 62 bits of `numerator / denominator`, which lies between
/// 1/2 and 1.
static int64_t divide62(const DynamicAPInt &numerator,
                        const DynamicAPInt &denominator) {
  return static_cast<int64_t>(numerator * getPowerOfTwo(62) / denominator);
}
static int64_t divide62(Int128 numerator, Int128 denominator) {
  constexpr int64_t one = int64_t(1) << 62;
  if (numerator == denominator)
    return one;
  if (denominator <= UINT64_MAX)
    return static_cast<int64_t>(numerator * one / denominator);
  int64_t bits = 0;
  for (int bit = 0; bit < 62; ++bit) {
    numerator *= 2;
    bool isSet = numerator >= denominator;
    bits = 2 * bits + isSet;
    if (isSet)
      numerator -= denominator;
  }
  return bits;
}

/// Returns the bits of `numerator / denominator`, which lies between 0 and 1,
/// as an f32.
template <typename Int>
static int32_t getQuotientBits(Int numerator, const Int &denominator) {
  if (numerator == Int(0))
    return 0;
  // 62 significant bits are more than an f32 can store.
  int exponent = 0;
  while (numerator * Int(2) < denominator) {
    numerator *= Int(2);
    --exponent;
  }
  double quotient = std::ldexp(
      static_cast<double>(divide62(numerator, denominator)), exponent - 62);
  return llvm::bit_cast<int32_t>(static_cast<float>(quotient));
}

/// The largest number of words in the tables of an operator. A kernel binds the
/// tables as one range, whose size is limited to the number of bytes that
/// Vulkan guarantees.
static constexpr int64_t maxTableWords =
    DeviceProfile::promisedMaxStorageBufferRange / sizeof(int32_t);

/// Rejects a table with `words` words, for dimension `dim` of `op`, if it is
/// too large. `what` names the contents of the table.
static LogicalResult verifyTable(Operation *op, StringRef what, size_t dim,
                                 Int128 words) {
  if (words <= maxTableWords)
    return success();
  return op->emitOpError("wants a table of ")
         << static_cast<int64_t>(std::min<Int128>(words, INT64_MAX))
         << " words for the " << what << " of dimension " << dim
         << ", but a table has " << maxTableWords << " at most";
}

/// Calls `visit` for each output. The arguments are the number of the output,
/// the element at or before its position, the distance from this element in
/// units of 1 / divisor, and the divisor.
template <typename Int, typename Visit>
static void visitPositions(const SampledDim &dim, const Int &step,
                           const Int &offset, const Int &divisor,
                           const Visit &visit) {
  Int position = offset, last = divisor * Int(dim.input - 1);
  for (int64_t o = 0; o < dim.output; ++o, position += step) {
    Int clamped = std::clamp(position, Int(0), last);
    Int low = clamped / divisor;
    visit(o, static_cast<int64_t>(low), clamped - low * divisor, divisor);
  }
}
template <typename Visit>
static void visitPositions(const SampledDim &dim, const Visit &visit) {
  // Outputs and elements have 32-bit numbers.
  constexpr unsigned bits = 90;
  auto step = toInt128(dim.step, bits), offset = toInt128(dim.offset, bits),
       divisor = toInt128(dim.divisor, bits);
  if (step && offset && divisor)
    visitPositions<Int128>(dim, *step, *offset, *divisor, visit);
  else
    visitPositions<DynamicAPInt>(dim, dim.step, dim.offset, dim.divisor, visit);
}

static Value buildWords(OpBuilder &builder, Location loc,
                        ArrayRef<int32_t> words) {
  auto type = RankedTensorType::get(static_cast<int64_t>(words.size()),
                                    builder.getI32Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, words));
}

/// Reads a word of a table as a coordinate in a dimension of `size` elements.
static Value readCoordinate(ElementBuilder &b, Value table, Value place,
                            int64_t size) {
  Value word = tensor::ExtractOp::create(b, table, place);
  return b.minui(b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), word),
                 b.index(size - 1));
}

/// Reads a word of a table as an f32.
static Value readNumber(ElementBuilder &b, Value table, Value place) {
  Value word = tensor::ExtractOp::create(b, table, place);
  return b.createOrFold<arith::BitcastOp>(b.getF32Type(), word);
}

namespace {
/// Tables of coordinates that cannot be computed in 64 bits. The tables of all
/// dimensions share one tensor, since a kernel can bind only a few.
class Tables {
public:
  /// Adds the coordinates of `dim`, rounded down. If `isLinear` is set, adds
  /// the coordinates of the lower elements, and then the weights of the upper
  /// elements: their numerators, or the bits of f32 weights if the divisor is
  /// large.
  void add(const SampledDim &dim, bool isLinear) {
    SmallVector<int32_t> weights;
    visitPositions(dim, [&](int64_t, int64_t low, const auto &rest,
                            const auto &divisor) {
      words.push_back(static_cast<int32_t>(low));
      if (isLinear)
        weights.push_back(hasNumerators(dim)
                              ? static_cast<int32_t>(static_cast<int64_t>(rest))
                              : getQuotientBits(rest, divisor));
    });
    words.append(weights);
  }

  /// Returns the number of words so far, which is the beginning of the next
  /// dimension's words.
  int64_t size() const { return static_cast<int64_t>(words.size()); }

  void build(OpBuilder &builder, Location loc) {
    if (!words.empty())
      table = buildWords(builder, loc, words);
  }

  Value getCoordinate(ElementBuilder &b, const SampledDim &dim, int64_t begin,
                      Value o) const {
    return readCoordinate(b, table, b.add(o, begin), dim.input);
  }

  Taps getTaps(ElementBuilder &b, const SampledDim &dim, int64_t begin,
               Value o) const {
    Taps taps;
    taps.low = getCoordinate(b, dim, begin, o);
    // All outputs lie at centres of elements.
    if (dim.divisor == 1)
      return taps;
    taps.high = b.minui(b.add(taps.low, 1), b.index(dim.input - 1));
    Value bits =
        tensor::ExtractOp::create(b, table, b.add(o, begin + dim.output));
    if (hasNumerators(dim)) {
      taps.divisor = static_cast<int64_t>(dim.divisor);
      taps.setNumerator(b, bits);
    } else {
      taps.weight = b.createOrFold<arith::BitcastOp>(b.getF32Type(), bits);
      // 3 stands for any divisor that is not a power of two: the weights are
      // rounded, and readers must not consider them exact.
      taps.divisor = 3;
    }
    taps.isLow = b.cmpi(arith::CmpIPredicate::eq, bits,
                        arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
    return taps;
  }

private:
  /// Whether f32 can represent each numerator, so that products with it round
  /// only once.
  static bool hasNumerators(const SampledDim &dim) {
    return dim.divisor <= (1 << 24);
  }

  SmallVector<int32_t> words;
  Value table;
};
} // namespace

//===----------------------------------------------------------------------===//
// Passes over one dimension
//===----------------------------------------------------------------------===//

/// Returns `shape` with the size `size` in dimension `dim`.
static SmallVector<int64_t> resize(ArrayRef<int64_t> shape, unsigned dim,
                                   int64_t size) {
  SmallVector<int64_t> result(shape);
  result[dim] = size;
  return result;
}

/// Returns `indices` with the coordinate `coordinate` in dimension `dim`.
static SmallVector<Value> moveTo(ValueRange indices, unsigned dim,
                                 Value coordinate) {
  SmallVector<Value> result(indices);
  result[dim] = coordinate;
  return result;
}

namespace {
/// The weights of a filter that extends step / divisor elements of the input to
/// either side of a position, in units of 1 / divisor.
template <typename Int> class StretchedFilter {
public:
  /// Creates the filter for output `o`, whose position is (o * step + offset) /
  /// divisor. The elements have the numbers 0 to `last`.
  StretchedFilter(const Int &step, const Int &offset, const Int &divisor,
                  int64_t last, int64_t o)
      : step(step), divisor(divisor), position(step * Int(o) + offset),
        last(last) {}

  /// Return the range of elements with a weight. The weights of positions
  /// outside of the input are added to the first or to the last element.
  int64_t getFirst() const {
    return clamp(floorDiv(position - step, divisor) + Int(1));
  }
  int64_t getLast() const {
    return clamp(ceilDiv(position + step, divisor) - Int(1));
  }
  Int getTotal() const { return sumUpTo(ceilDiv(position + step, divisor)); }
  Int getWeight(int64_t k) const {
    // Only the first and the last element include the weights of several
    // positions.
    if (k > 0 && k < last)
      return getTerm(Int(k));
    Int sum = k == last ? getTotal() : sumUpTo(Int(k));
    return k == 0 ? sum : sum - sumUpTo(Int(k - 1));
  }

private:
  int64_t clamp(const Int &k) const {
    return static_cast<int64_t>(std::clamp(k, Int(0), Int(last)));
  }

  /// Returns the weight of the integer position `at`, which lies inside of the
  /// filter.
  Int getTerm(const Int &at) const {
    return step - abs(Int(at * divisor - position));
  }

  /// Returns the sum of the weights of all integer positions up to `k`. The
  /// weights increase evenly before the filter's position, and decrease evenly
  /// behind it. With a very small scale, there may be too many weights to add
  /// up one by one.
  Int sumUpTo(const Int &k) const {
    Int centre = floorDiv(position, divisor);
    Int first = floorDiv(position - step, divisor) + Int(1),
        end = ceilDiv(position + step, divisor) - Int(1);
    auto sum = [&](const Int &from, const Int &to) {
      if (to < from)
        return Int(0);
      return (to - from + Int(1)) * (getTerm(from) + getTerm(to)) / Int(2);
    };
    return sum(first, std::min(k, centre)) +
           sum(centre + Int(1), std::min(k, end));
  }

  const Int &step, &divisor;
  Int position;
  int64_t last;
};
} // namespace

namespace {
/// A table with one row for each output: the first element, and the weights of
/// `numTaps` elements from there on. The first outputs may all read only the
/// first element, and the last outputs only the last one. Such outputs share a
/// row, so that the table has a few words for each element of the input,
/// regardless of the number of outputs.
struct AverageTable {
  int64_t firstRow = 0, numRows = 0, numTaps = 1;
  SmallVector<int32_t> words;
};
} // namespace

/// Returns the first of `count` numbers for which `holds` is true, or `count`
/// if there is none. `holds` must be true for all numbers behind the first one.
static int64_t findFirst(int64_t count,
                         llvm::function_ref<bool(int64_t)> holds) {
  int64_t low = 0;
  while (low < count) {
    int64_t middle = low + (count - low) / 2;
    if (holds(middle))
      count = middle;
    else
      low = middle + 1;
  }
  return low;
}

template <typename Int>
static FailureOr<AverageTable>
getAverages(Operation *op, unsigned dim, const SampledDim &sampled,
            const Int &step, const Int &offset, const Int &divisor) {
  AverageTable table;
  int64_t last = sampled.input - 1;
  auto getFilter = [&](int64_t o) {
    return StretchedFilter<Int>(step, offset, divisor, last, o);
  };
  // Positions never decrease.
  int64_t end = std::min(
      findFirst(sampled.output,
                [&](int64_t o) { return getFilter(o).getFirst() == last; }),
      sampled.output - 1);
  int64_t behind = findFirst(
      sampled.output, [&](int64_t o) { return getFilter(o).getLast() > 0; });
  table.firstRow = std::clamp<int64_t>(behind - 1, 0, end);
  table.numRows = end - table.firstRow + 1;
  auto verify = [&] {
    return verifyTable(op, "weights", dim,
                       static_cast<Int128>(table.numRows) *
                           (table.numTaps + 1));
  };
  if (failed(verify()))
    return failure();
  for (int64_t row = 0; row < table.numRows; ++row) {
    StretchedFilter<Int> filter = getFilter(table.firstRow + row);
    table.numTaps =
        std::max(table.numTaps, filter.getLast() - filter.getFirst() + 1);
  }
  if (failed(verify()))
    return failure();
  for (int64_t row = 0; row < table.numRows; ++row) {
    StretchedFilter<Int> filter = getFilter(table.firstRow + row);
    Int total = filter.getTotal();
    int64_t first = filter.getFirst(), end = filter.getLast();
    table.words.push_back(static_cast<int32_t>(first));
    for (int64_t k = first; k < first + table.numTaps; ++k)
      table.words.push_back(
          k > end ? 0 : getQuotientBits(filter.getWeight(k), total));
  }
  return table;
}

static FailureOr<AverageTable> getAverages(Operation *op, unsigned dim,
                                           const SampledDim &sampled) {
  // Sums of weights are products of two numbers with this number of bits.
  // Positions have 32 bits more.
  constexpr unsigned bits = 45;
  auto step = toInt128(sampled.step, bits),
       offset = toInt128(sampled.offset, bits),
       divisor = toInt128(sampled.divisor, bits);
  if (step && offset && divisor)
    return getAverages<Int128>(op, dim, sampled, *step, *offset, *divisor);
  return getAverages<DynamicAPInt>(op, dim, sampled, sampled.step,
                                   sampled.offset, sampled.divisor);
}

/// Builds the averages of elements along dimension `dim` of `input` with
/// stretched filters.
static FailureOr<Value> buildAverages(OpBuilder &builder, Operation *op,
                                      Value input, bool isUnsigned,
                                      unsigned dim, const SampledDim &sampled) {
  FailureOr<AverageTable> averages = getAverages(op, dim, sampled);
  if (failed(averages))
    return failure();
  int64_t firstRow = averages->firstRow, numRows = averages->numRows,
          numTaps = averages->numTaps;
  Value table = buildWords(builder, op->getLoc(), averages->words);

  auto type = cast<RankedTensorType>(input.getType());
  Type f32 = builder.getF32Type();
  return buildSums(
      builder, op,
      RankedTensorType::get(resize(type.getShape(), dim, sampled.output), f32),
      numTaps, f32,
      [&](ElementBuilder &b, ValueRange indices) -> TermFn {
        Value row =
            b.sub(b.maxsi(indices[dim], b.index(firstRow)), b.index(firstRow));
        Value begin = b.mul(b.minui(row, b.index(numRows - 1)), numTaps + 1);
        Value first = readCoordinate(b, table, begin, sampled.input);
        return [=, outer = SmallVector<Value>(indices)](
                   ElementBuilder &b, ValueRange tap) -> Value {
          Value weight = readNumber(b, table, b.add(b.add(begin, tap[0]), 1));
          Value k = b.minui(b.add(first, tap[0]), b.index(sampled.input - 1));
          Value element = toF32(
              b, tensor::ExtractOp::create(b, input, moveTo(outer, dim, k)),
              isUnsigned);
          Value zero = getF32(b, 0);
          Value isAbsent = b.createOrFold<arith::CmpFOp>(
              arith::CmpFPredicate::OEQ, weight, zero);
          return b.select(isAbsent, zero,
                          b.createOrFold<arith::MulFOp>(weight, element));
        };
      },
      [](ElementBuilder &, ValueRange, Value sum) { return sum; });
}

/// Builds, along dimension `dim`, the sum of the elements of `input` that a
/// resampling computed from each element of a tensor of `type`.
static FailureOr<Value> buildGradients(OpBuilder &builder, Operation *op,
                                       Value input, RankedTensorType type,
                                       unsigned dim, const SampledDim &sampled,
                                       bool isLinear) {
  // The table contains, for each output, the element that it read and the
  // weight of the next element; and for each element, the first output that
  // read it.
  int64_t outputs = sampled.output, elements = sampled.input, numReaders = 1;
  if (failed(verifyTable(op, "readers", dim,
                         (isLinear ? 2 : 1) * outputs + elements)))
    return failure();
  SmallVector<int32_t> lower, weights, words;
  SmallVector<int64_t> firstReader(elements, -1);
  visitPositions(sampled, [&](int64_t o, int64_t low, const auto &rest,
                              const auto &divisor) {
    int32_t weight = getQuotientBits(rest, divisor);
    lower.push_back(static_cast<int32_t>(low));
    weights.push_back(weight);
    // Positions never decrease, so that the readers of an element are
    // neighbours.
    for (int64_t i = low; i <= low + (isLinear && weight != 0); ++i) {
      if (firstReader[i] < 0)
        firstReader[i] = o;
      numReaders = std::max(numReaders, o - firstReader[i] + 1);
    }
  });
  words = lower;
  int64_t weightsBegin = static_cast<int64_t>(words.size());
  if (isLinear)
    llvm::append_range(words, weights);
  int64_t readersBegin = static_cast<int64_t>(words.size());
  for (int64_t first : firstReader)
    words.push_back(static_cast<int32_t>(std::max<int64_t>(first, 0)));
  Value table = buildWords(builder, op->getLoc(), words);

  return buildSums(
      builder, op, type, numReaders, builder.getF32Type(),
      [&](ElementBuilder &b, ValueRange indices) -> TermFn {
        Value i = indices[dim];
        Value first = readCoordinate(b, table, b.add(i, readersBegin), outputs);
        return [=, outer = SmallVector<Value>(indices)](
                   ElementBuilder &b, ValueRange reader) -> Value {
          using Predicate = arith::CmpIPredicate;
          Value o = b.add(first, reader[0]);
          Value isOutput = b.cmpi(Predicate::ult, o, b.index(outputs));
          o = b.minui(o, b.index(outputs - 1));
          Value low = readCoordinate(b, table, o, elements);
          Value isLow = b.cmpi(Predicate::eq, low, i);
          Value gradient = toF32(
              b, tensor::ExtractOp::create(b, input, moveTo(outer, dim, o)));
          Value zero = getF32(b, 0);
          if (!isLinear)
            return b.select(b.andi(isOutput, isLow), gradient, zero);
          Value ofHigh = readNumber(b, table, b.add(o, weightsBegin));
          Value ofLow = b.createOrFold<arith::SubFOp>(getF32(b, 1), ofHigh);
          Value isHigh = b.cmpi(Predicate::eq, b.add(low, 1), i);
          Value weight = b.select(isLow, ofLow, b.select(isHigh, ofHigh, zero));
          Value counts =
              b.andi(isOutput, b.createOrFold<arith::CmpFOp>(
                                   arith::CmpFPredicate::ONE, weight, zero));
          return b.select(
              counts, b.createOrFold<arith::MulFOp>(weight, gradient), zero);
        };
      },
      [&](ElementBuilder &b, ValueRange, Value sum) {
        return fromF32(b, sum, type.getElementType());
      });
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Returns the dimensions of an operator with the given scales and offsets. The
/// position of output `o` is (o - outputOffset) / scale - inputOffset.
static SmallVector<SampledDim> getDims(Value input, Value output,
                                       ArrayRef<float> scales,
                                       ArrayRef<float> inputOffsets,
                                       ArrayRef<float> outputOffsets) {
  SmallVector<SampledDim> dims;
  for (auto [in, out, scale, inputOffset, outputOffset] :
       llvm::zip_equal(cast<RankedTensorType>(input.getType()).getShape(),
                       cast<RankedTensorType>(output.getType()).getShape(),
                       scales, inputOffsets, outputOffsets)) {
    auto [p, q] = getSimplestFraction(scale);
    auto [a, b] = getSimplestFraction(inputOffset);
    auto [c, d] = getSimplestFraction(outputOffset);
    SampledDim dim = {in, out, d * q * b, -(c * q * b) - a * d * p, d * p * b};
    dims.push_back(dim.reduce());
  }
  return dims;
}

/// Replaces `op`, which resamples `input` in the mode `mode`.
static LogicalResult lower(Operation *op, Value input, InterpolationMode mode,
                           Rounding rounding, SmallVector<SampledDim> dims,
                           const TypeConverter &typeConverter,
                           ConversionPatternRewriter &rewriter,
                           bool isAntialiased = false) {
  bool isLinear = mode == InterpolationMode::linear;
  bool isUnsigned = cast<RankedTensorType>(op->getOperand(0).getType())
                        .getElementType()
                        .isUnsignedInteger();
  Type elementType = cast<RankedTensorType>(input.getType()).getElementType();
  // Dimensions that shrink are averaged first, in f32, and have the size of the
  // output afterwards.
  for (auto [index, dim] : llvm::enumerate(dims))
    if (isLinear && isAntialiased && dim.step > dim.divisor) {
      FailureOr<Value> averages =
          buildAverages(rewriter, op, input, isUnsigned, index, dim);
      if (failed(averages))
        return failure();
      input = *averages;
      isUnsigned = false;
      dim = {dim.output, dim.output, DynamicAPInt(1), DynamicAPInt(0),
             DynamicAPInt(1)};
    }
  SmallVector<std::optional<SmallDim>> smallDims;
  SmallVector<int64_t> begins;
  Tables tables;
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (!isLinear)
      dim = getRounded(dim, rounding);
    begins.push_back(tables.size());
    Int128 words = tables.size() + (isLinear ? 2 : 1) * dim.output;
    smallDims.push_back(SmallDim::get(dim, isLinear, words > maxTableWords));
    if (smallDims.back())
      continue;
    if (failed(verifyTable(op, "positions", index, words)))
      return failure();
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
        Type inputType =
            cast<RankedTensorType>(input.getType()).getElementType();
        SmallVector<Value> coordinates;
        // If there is nothing to interpolate, the element is moved without a
        // conversion.
        if (llvm::none_of(taps, [](const Taps &tap) { return tap.weight; })) {
          for (const Taps &tap : taps)
            coordinates.push_back(tap.low);
          Value element = tensor::ExtractOp::create(b, input, coordinates);
          return inputType == elementType ? element
                                          : fromF32(b, element, elementType);
        }
        coordinates.resize(taps.size());
        auto interpolateAll = [&](Arithmetic arithmetic) {
          return interpolate(b, input, taps, coordinates, isUnsigned,
                             arithmetic);
        };
        if (isExactInF32(inputType, taps))
          return fromF32(b, interpolateAll(Arithmetic::Exact), elementType);
        if (std::optional<int64_t> divisor = getCommonDivisor(inputType, taps))
          return fromF32(
              b,
              divideToEven(b, interpolateAll(Arithmetic::Multiplied), *divisor),
              elementType);
        return fromF32(b, interpolateAll(Arithmetic::Rounded), elementType);
      });
}

/// Lowers with the offsets that align the centres of pixels.
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
    // The positions (2 o + 1 - s) / 2 s are set from the integer factor s,
    // since an f32 scale cannot represent factors with more than 24 bits.
    for (auto [dim, factor] :
         llvm::zip_equal(MutableArrayRef(dims).take_back(2), op.getScaleSize()))
      dim = SampledDim{dim.input, dim.output, DynamicAPInt(2),
                       DynamicAPInt(1 - factor), DynamicAPInt(2 * factor)}
                .reduce();
    return lower(op, adaptor.getInput(), op.getMode(), Rounding::Nearest, dims,
                 *getTypeConverter(), rewriter);
  }
};

/// Returns the direction in which an operator rounds positions to the nearest
/// element.
template <typename OpTy> static Rounding getRounding(OpTy op) {
  if constexpr (std::is_same_v<OpTy, Resample1Op> ||
                std::is_same_v<OpTy, ResampleGradOp>)
    return Rounding::Nearest;
  else
    return op.getRoundingDirection() == AxisDirection::increasing
               ? Rounding::Up
               : Rounding::Down;
}

template <typename OpTy> struct OffsetLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool isAntialiased = false;
    if constexpr (std::is_same_v<OpTy, Resample3Op>)
      isAntialiased = op.getAntialiased();
    return lower(op, adaptor.getInput(), op.getMode(), getRounding(op),
                 getDims(op.getInput(), op.getOutput(), op.getScales(),
                         op.getInputPixelOffsets(), op.getOutputPixelOffsets()),
                 *this->getTypeConverter(), rewriter, isAntialiased);
  }
};

template <typename OpTy> struct GradientLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "result type does not convert");
    bool isLinear = op.getMode() == InterpolationMode::linear;
    SmallVector<std::pair<unsigned, SampledDim>> dims;
    for (auto [index, dim] : llvm::enumerate(getDims(
             op.getOutputGradient(), op.getInputGradient(), op.getScales(),
             op.getInputPixelOffsets(), op.getOutputPixelOffsets()))) {
      SampledDim sampled = isLinear ? dim : getRounded(dim, getRounding(op));
      // A dimension that was only copied needs no sum.
      if (sampled.input != sampled.output || sampled.offset != 0 ||
          sampled.step != sampled.divisor)
        dims.push_back({static_cast<unsigned>(index), sampled});
    }
    // Dimensions are resampled one after the other, in f32 except for the last
    // one.
    Value value = adaptor.getInputGradient();
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(value.getType()).getShape());
    for (auto &[index, dim] : dims) {
      shape[index] = dim.input;
      Type element = &dim == &dims.back().second ? type.getElementType()
                                                 : rewriter.getF32Type();
      FailureOr<Value> gradients = buildGradients(
          rewriter, op, value, RankedTensorType::get(shape, element), index,
          dim, isLinear);
      if (failed(gradients))
        return failure();
      value = *gradients;
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};
} // namespace

void dml::populateResamplePatterns(const TypeConverter &typeConverter,
                                   RewritePatternSet &patterns) {
  patterns
      .add<ResampleLowering, Upsample2dLowering, OffsetLowering<Resample1Op>,
           OffsetLowering<Resample2Op>, OffsetLowering<Resample3Op>,
           GradientLowering<ResampleGradOp>, GradientLowering<ResampleGrad1Op>>(
          typeConverter, patterns.getContext());
}
