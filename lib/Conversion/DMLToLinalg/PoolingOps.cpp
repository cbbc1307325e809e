//===- PoolingOps.cpp - DirectML's pooling operators to linalg ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PoolingOps.h"
#include "ElementWiseRows.h"
#include "ReductionBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dml;

namespace {
/// One spatial dimension of a pooling.
struct PooledDim {
  /// The sizes of the tensor over which the windows move, and of the tensor
  /// with one element for each window.
  int64_t input, windows;
  int64_t stride, size, start, dilation;

  /// Returns the number of elements from the first to the last element of a
  /// window, inclusive.
  int64_t getExtent() const {
    int64_t extent;
    // All extents that are larger than every tensor have the same effect.
    if (llvm::MulOverflow(size - 1, dilation, extent))
      return std::numeric_limits<int64_t>::max();
    return 1 + extent;
  }
  /// Whether positions in a window (buildPlace) are counted from the tensor's
  /// last element instead of the window's last element. The positions of
  /// elements inside of the tensor are then less than the tensor's size,
  /// regardless of the size of the window.
  bool countsFromTensor() const { return getExtent() > input; }
  /// Returns a number that is greater than the positions of all elements inside
  /// of the tensor.
  int64_t getPlaceStep() const { return std::min(getExtent(), input); }

  /// Whether some window has elements outside of the tensor.
  bool reachesOutside() const {
    return start > 0 || getExtent() > input ||
           (windows - 1) * stride > input - getExtent();
  }
  /// Whether there is a single window, which contains all elements.
  bool isWhole() const {
    return windows == 1 && start == 0 && dilation == 1 && size == input;
  }
  /// Returns the largest number of elements of one window that may lie inside
  /// of the tensor.
  int64_t getMaxInside() const {
    return std::min(size, llvm::divideCeilSigned(input, dilation));
  }
};
} // namespace

/// Returns the dimensions of the pooling `op`. The windows move over a tensor
/// of type `tensor`, and a tensor of type `windows` has one element for each
/// window.
template <typename OpTy>
static SmallVector<PooledDim> getPooledDims(OpTy op, Type tensor,
                                            Type windows) {
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(tensor).getShape();
  ArrayRef<int64_t> counts = cast<RankedTensorType>(windows).getShape();
  ArrayRef<int64_t> dilations = op.getDilations();
  SmallVector<PooledDim> dims;
  for (size_t i = 0, e = sizes.size() - 2; i < e; ++i)
    dims.push_back({sizes[i + 2], counts[i + 2], op.getStrides()[i],
                    op.getWindowSize()[i], op.getStartPadding()[i],
                    dilations.empty() ? 1 : dilations[i]});
  return dims;
}

/// Builds the first coordinate of a window along `dim`, which is negative in
/// the padding.
static Value buildWindowStart(ElementBuilder &b, Value window,
                              const PooledDim &dim) {
  return b.add(b.mul(window, dim.stride), -dim.start);
}

/// Builds the place of an element in its window: a number that distinguishes
/// the element from all other elements of the window inside of the tensor.
/// `outer` is the number for the dimensions before `dim`, and the result
/// includes `dim`. Planes have fewer than 2^32 elements, so that places are
/// less than 2^32 - 1. The number 2^32 - 1 represents no element.
static Value buildPlace(ElementBuilder &b, Value outer, Value position,
                        Value windowStart, const PooledDim &dim) {
  Value last = dim.countsFromTensor() ? b.index(dim.input - 1)
                                      : b.add(windowStart, dim.getExtent() - 1);
  return b.add(b.mul(outer, dim.getPlaceStep()), b.sub(last, position));
}

static Value toI32(ElementBuilder &b, Value index) {
  return b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), index);
}

static Value getConstant(ElementBuilder &b, uint32_t value) {
  return arith::ConstantIntOp::create(b, b.getI32Type(),
                                      static_cast<int32_t>(value));
}

/// A number of points that represents all points of a space.
constexpr int64_t allPoints = std::numeric_limits<int64_t>::max();

/// Computes the values that a point passes to the next point from the values
/// that it received.
using PointFn = function_ref<SmallVector<Value>(
    ElementBuilder &, ValueRange point, ValueRange carried)>;

/// Calls `body` for each point of a space with the sizes `sizes`, in row-major
/// order. `body` receives the values that it returned for the preceding point,
/// and `inits` for the first point. Each long dimension becomes a loop, and an
/// iteration of the innermost loop visits `numTogether` points. If this is
/// allPoints, there are no loops, and the code is unrolled completely. In
/// contrast to buildLoops(), which unrolls a dimension completely or not at
/// all, this function shortens the loop over a long dimension. Empty loops are
/// not allowed, since upstream's conversion to SPIR-V leaves their results
/// undefined.
static SmallVector<Value>
visitPoints(ElementBuilder &b, ArrayRef<int64_t> sizes, int64_t numTogether,
            ValueRange inits, PointFn body, SmallVector<Value> point = {}) {
  if (point.size() == sizes.size())
    return body(b, point, inits);
  int64_t size = sizes[point.size()];
  bool isLast = point.size() + 1 == sizes.size();
  int64_t together = isLast || numTogether == allPoints ? numTogether : 1;
  auto visit = [&](ElementBuilder &b, Value coordinate,
                   ValueRange carried) -> SmallVector<Value> {
    point.push_back(coordinate);
    SmallVector<Value> results =
        visitPoints(b, sizes, numTogether, carried, body, point);
    point.pop_back();
    return results;
  };

  SmallVector<Value> carried(inits);
  int64_t numSteps = size / together;
  if (numSteps > 1) {
    auto loop = scf::ForOp::create(
        b, b.index(0), b.index(numSteps), b.index(1), carried,
        [&](OpBuilder &nested, Location loc, Value step, ValueRange before) {
          ElementBuilder inner(loc, nested);
          SmallVector<Value> values(before);
          for (int64_t i = 0; i < together; ++i)
            values =
                visit(inner, inner.add(inner.mul(step, together), i), values);
          scf::YieldOp::create(inner, values);
        });
    carried.assign(loop.result_begin(), loop.result_end());
  }
  for (int64_t i = numSteps > 1 ? numSteps * together : 0; i < size; ++i)
    carried = visit(b, b.index(i), carried);
  return carried;
}

/// Returns the number of points that an iteration visits in a space with the
/// sizes `sizes`. In a small space, an iteration visits all points, so that
/// neighbouring elements share loads. In a larger space, it visits one point,
/// or as many as are needed to keep a thread below the number of iterations
/// after which drivers terminate it. A thread computes up to eight elements,
/// each of which visits all points.
static int64_t getNumTogether(ArrayRef<int64_t> sizes) {
  constexpr int64_t manySteps = 4096, mostTogether = 64;
  int64_t count = 1;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(count, size, count))
      count = std::numeric_limits<int64_t>::max();
  if (count <= maxTermsWrittenOut)
    return allPoints;
  int64_t wanted = 1;
  while (wanted < mostTogether && count / wanted > manySteps)
    wanted *= 2;
  return wanted;
}

//===----------------------------------------------------------------------===//
// Winners
//===----------------------------------------------------------------------===//

namespace {
/// The format in which winners are stored: each place has `bits` bits, and the
/// places of `windows` neighbouring windows of a row share an integer.
struct PlaceFormat {
  unsigned bits;
  int64_t windows;
};

/// Finds the winners of windows. Elements are compared by their keys, which are
/// integers in the order of the elements. Among equal keys, the first element
/// wins.
class WinnerBuilder {
public:
  WinnerBuilder(Value input, ArrayRef<PooledDim> dims);

  /// Returns a format in which each place differs from the integer with all
  /// bits set.
  PlaceFormat getFormat() const;

  /// Builds the place of the winner of the window at `indices`, in the low bits
  /// of an i32. A window without elements inside of the tensor has a place that
  /// is not the place of an element.
  Value build(ElementBuilder &b, ValueRange indices);

private:
  /// The winner among some elements of a window: its key, followed by its
  /// place. If both are packed, there is only one value.
  using Winner = SmallVector<Value>;

  Winner buildElement(ElementBuilder &b);
  Winner buildSome(ElementBuilder &b, ValueRange window, unsigned level);
  Winner buildNone(ElementBuilder &b);

  /// The lowest 13 bits of an f16 that was converted to f32 are zeros, which
  /// leaves room for a place. Of equal elements, the first has the greatest
  /// place, so that the greatest packed value wins.
  ///
  ///    31                           13 12                         0
  ///   +-------------------------------+----------------------------+
  ///   | key: grows with the element   | place: 8 for the first of  |
  ///   | (0 is the key of no element)  | 3 x 3 and 0 for the last   |
  ///   +-------------------------------+----------------------------+
  ///
  /// In a window of 3 x 3 without holes, the packed value of 1.0 as the first
  /// element is 0xbf000008, and as the last element 0xbf000000. The key
  /// 0xbf000000 is the sum of the f32's bits, 0x3f800000, and of 0x7f800000,
  /// since keys are counted from the key of -infinity. The place of the first
  /// element is 8, and that of the last element is 0.
  static constexpr int64_t numPackedPlaces = 1 << 13;

  Value input;
  ArrayRef<PooledDim> dims;
  SmallVector<int64_t> sizes;
  uint64_t firstPlace = 0;
  /// Whether windows skip elements inside of the tensor. A window without
  /// elements must not name a skipped element.
  bool hasHoles;
  bool isPacked;
  /// The coordinates of the element for which code is being built.
  SmallVector<Value> coordinates;
};
} // namespace

WinnerBuilder::WinnerBuilder(Value input, ArrayRef<PooledDim> dims)
    : input(input), dims(dims) {
  for (const PooledDim &dim : dims) {
    sizes.push_back(dim.size);
    firstPlace = llvm::SaturatingMultiplyAdd<uint64_t>(
        firstPlace, dim.getPlaceStep(), dim.getPlaceStep() - 1);
  }
  hasHoles =
      llvm::any_of(dims, [](const PooledDim &dim) { return dim.dilation > 1; });
  isPacked =
      getElementTypeOrSelf(input).isF16() && firstPlace < numPackedPlaces;
}

/// Builds the winner for a single element, at the current coordinates.
WinnerBuilder::Winner WinnerBuilder::buildElement(ElementBuilder &b) {
  Value value = toF32(b, tensor::ExtractOp::create(b, input, coordinates));
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
  // Converts sign and magnitude to two's complement, in which both zeros are 0.
  Value negative = b.cmpi(arith::CmpIPredicate::slt, bits, getConstant(b, 0));
  Value key = b.select(negative, b.sub(getConstant(b, 1u << 31), bits), bits);
  // Keys are counted from the key of -infinity. A NaN with a sign wraps around,
  // so that all NaNs exceed all numbers. The minimum makes all NaNs equal.
  constexpr uint32_t infinity = 0x7f800000;
  key = b.add(key, getConstant(b, infinity));
  key = arith::MinUIOp::create(
      b, key, getConstant(b, 2 * infinity + (isPacked ? numPackedPlaces : 1)));
  // The key 0 represents no element, and each element must win against it. All
  // keys are therefore incremented by one step, unless the keys are packed and
  // windows have no holes. In this case, the only element with the packed value
  // 0 is -infinity at place 0, as the last element of a window. It does not
  // matter whether this element wins: both winners have the place 0, which is
  // correct if the element lies inside of the tensor, and otherwise is not the
  // place of any element inside.
  if (hasHoles || !isPacked)
    key = b.add(key, getConstant(b, isPacked ? numPackedPlaces : 1));
  Winner winner = {key};
  if (!isPacked)
    winner.push_back(getConstant(b, 0));
  return winner;
}

/// Builds the winner among no elements, with a key that is less than the key of
/// any element.
WinnerBuilder::Winner WinnerBuilder::buildNone(ElementBuilder &b) {
  Winner none = {getConstant(b, 0)};
  if (!isPacked)
    none.push_back(getConstant(b, UINT32_MAX));
  return none;
}

/// Builds the winner among the elements whose coordinates are known up to the
/// spatial dimension `level`. The winner of each row is determined before rows
/// are compared, since overlapping windows share rows.
WinnerBuilder::Winner
WinnerBuilder::buildSome(ElementBuilder &b, ValueRange window, unsigned level) {
  if (level == dims.size())
    return buildElement(b);
  const PooledDim &dim = dims[level];
  int64_t step = 1;
  for (const PooledDim &inner : dims.drop_front(level + 1))
    step *= inner.getPlaceStep();
  Value start = buildWindowStart(b, window[level], dim);
  auto visit = [&](ElementBuilder &b, ValueRange point,
                   ValueRange best) -> SmallVector<Value> {
    Value offset = b.mul(point[0], dim.dilation);
    Value place = b.sub(b.index(dim.getExtent() - 1), offset);
    // A packed winner is the greatest value in any order of comparisons.
    // Visiting the elements in the reverse order makes the place equal to the
    // loop's coordinate. A GPU that adds and takes a maximum in one operation
    // then needs only one operation for each element but the last.
    if (isPacked)
      std::swap(offset, place);
    Value p = b.add(start, offset);
    if (dim.countsFromTensor())
      place = b.sub(b.index(dim.input - 1), p);
    // As an unsigned number, a negative p is large.
    Value inside = b.cmpi(arith::CmpIPredicate::ult, p, b.index(dim.input));
    coordinates.push_back(b.select(inside, p, b.index(0)));
    Winner next = buildSome(b, window, level + 1);
    coordinates.pop_back();

    next.back() = b.add(next.back(), toI32(b, b.mul(place, step)));
    next.front() = b.select(inside, next.front(), buildNone(b).front());
    // Without holes, the first element can serve as the initial value.
    if (!hasHoles && matchPattern(best.front(), m_Constant()))
      return next;
    SmallVector<Value> result = {
        arith::MaxUIOp::create(b, next.front(), best.front())};
    if (!isPacked) {
      Value better =
          b.cmpi(arith::CmpIPredicate::ugt, next.front(), best.front());
      result.push_back(b.select(better, next.back(), best.back()));
    }
    return result;
  };
  int64_t together = getNumTogether(sizes);
  bool isLast = level + 1 == dims.size();
  return visitPoints(b, dim.size,
                     isLast || together == allPoints ? together : 1,
                     buildNone(b), visit);
}

PlaceFormat WinnerBuilder::getFormat() const {
  // Storing the places of two windows in a byte saves memory traffic. Places of
  // windows that do not overlap are not stored at all, since fusion recomputes
  // them where they are used.
  bool overlap = llvm::any_of(
      dims, [](const PooledDim &dim) { return dim.getExtent() > dim.stride; });
  if (overlap && firstPlace < 15 && dims.back().windows % 2 == 0)
    return {4, 2};
  return {firstPlace < UINT8_MAX ? 8u : firstPlace < UINT16_MAX ? 16u : 32u, 1};
}

Value WinnerBuilder::build(ElementBuilder &b, ValueRange indices) {
  coordinates.assign(indices.begin(), indices.begin() + 2);
  Winner winner = buildSome(b, indices.drop_front(2), 0);
  Value place = winner.back();
  // The key is stored above the place. The conversion to a narrower format
  // drops the key, whereas a wider format needs a mask.
  if (isPacked && (uint64_t{1} << getFormat().bits) > numPackedPlaces)
    place = b.andi(place, getConstant(b, numPackedPlaces - 1));
  if (isPacked && hasHoles) {
    Value isNone = b.cmpi(arith::CmpIPredicate::ult, winner.back(),
                          getConstant(b, numPackedPlaces));
    place = b.select(isNone, getConstant(b, UINT32_MAX), place);
  }
  return place;
}

//===----------------------------------------------------------------------===//
// Places in memory
//===----------------------------------------------------------------------===//

/// Builds the tensor of the winners of `op`, in the format of `winner`.
static Value buildWinners(OpBuilder &builder, MaxPoolingGradOp op,
                          WinnerBuilder &winner) {
  PlaceFormat format = winner.getFormat();
  auto gradient = cast<RankedTensorType>(op.getInputGradient().getType());
  SmallVector<int64_t> shape(gradient.getShape());
  shape.back() /= format.windows;
  IntegerType type = builder.getIntegerType(format.bits * format.windows);
  return buildTensor(
      builder, op, RankedTensorType::get(shape, type),
      [&](ElementBuilder &b, ValueRange indices) {
        Value places;
        SmallVector<Value> window(indices);
        for (int64_t i = 0; i < format.windows; ++i) {
          window.back() = b.add(b.mul(indices.back(), format.windows), i);
          Value place = winner.build(b, window);
          if (format.windows > 1)
            place = b.andi(place, getConstant(b, (1u << format.bits) - 1));
          if (i > 0)
            place = arith::OrIOp::create(
                b, places,
                arith::ShLIOp::create(b, place,
                                      getConstant(b, i * format.bits)));
          places = place;
        }
        return type == places.getType()
                   ? places
                   : Value(arith::TruncIOp::create(b, type, places));
      });
}

/// Loads the place, an i32, of the winner of a window. The last coordinate of
/// the window is `window`, and its other coordinates are `coordinates`. If the
/// window lies before or behind the existing windows, by less than `margin`,
/// the result is the place of another window.
static Value loadPlace(ElementBuilder &b, Value winners,
                       SmallVector<Value> coordinates, Value window,
                       int64_t margin, PlaceFormat format) {
  Value shift;
  if (format.windows > 1) {
    // The margin keeps the dividend from being negative.
    Value ahead = b.add(window, margin * format.windows);
    window = b.add(b.divui(ahead, format.windows), -margin);
    shift = toI32(b, b.mul(b.remui(ahead, format.windows), format.bits));
  }
  int64_t size = cast<RankedTensorType>(winners.getType()).getShape().back();
  coordinates.back() = b.minsi(b.maxsi(window, b.index(0)), b.index(size - 1));
  Value place = tensor::ExtractOp::create(b, winners, coordinates);
  if (place.getType() != b.getI32Type())
    place = arith::ExtUIOp::create(b, b.getI32Type(), place);
  if (shift)
    place = b.andi(arith::ShRUIOp::create(b, place, shift),
                   getConstant(b, (1u << format.bits) - 1));
  return place;
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Builds the sum of the gradients of the windows in which the element at
/// `indices` is the winner.
static Value buildGradient(ElementBuilder &b, Value winners, Value gradient,
                           ValueRange indices, ArrayRef<PooledDim> dims,
                           PlaceFormat format) {
  Type elementType =
      cast<RankedTensorType>(gradient.getType()).getElementType();
  // Visits the windows whose extent may contain the element. A dilated window
  // may skip the element; its winner is then a different element.
  SmallVector<Value> first;
  SmallVector<int64_t> counts;
  for (auto [x, dim] : llvm::zip_equal(indices.drop_front(2), dims)) {
    int64_t count = llvm::divideCeil(dim.getExtent(), dim.stride);
    if (dim.windows <= count) {
      first.push_back(b.index(0));
      counts.push_back(dim.windows);
      continue;
    }
    // The first window that ends at or behind the element. The number of this
    // window may be negative, but the dividend is not.
    Value end =
        b.add(x, dim.start + (count + 1) * dim.stride - dim.getExtent());
    first.push_back(b.add(b.divui(end, dim.stride), -count));
    counts.push_back(count);
  }

  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  auto visit = [&](ElementBuilder &b, ValueRange ivs,
                   ValueRange carried) -> SmallVector<Value> {
    SmallVector<Value> coordinates(indices.take_front(2));
    Value exists, covers, window, self = b.index(0);
    auto both = [&](Value lhs, Value rhs) {
      return lhs ? b.andi(lhs, rhs) : rhs;
    };
    for (auto [i, begin, x, dim] :
         llvm::zip_equal(ivs, first, indices.drop_front(2), dims)) {
      window = b.add(begin, i);
      Value start = buildWindowStart(b, window, dim);
      Value existsInDim =
          b.cmpi(arith::CmpIPredicate::ult, window, b.index(dim.windows));
      // The condition that the window exists becomes a part of `exists` or of
      // `covers`. If the extent is a multiple of the stride, all visited
      // windows contain the element, and elements with the same windows share
      // `exists`. Otherwise, elements of a row or a column share `covers`,
      // which is also the condition that the window contains the element.
      if (dim.getExtent() % dim.stride == 0)
        exists = both(exists, existsInDim);
      else
        covers = both(covers, existsInDim);
      covers = both(covers, b.cmpi(arith::CmpIPredicate::ult, b.sub(x, start),
                                   b.index(dim.getExtent())));
      coordinates.push_back(
          b.minsi(b.maxsi(window, b.index(0)), b.index(dim.windows - 1)));
      self = buildPlace(b, self, x, start, dim);
    }
    Value winner =
        loadPlace(b, winners, coordinates, window, counts.back(), format);
    if (exists)
      winner = b.select(exists, winner, getConstant(b, UINT32_MAX));
    Value element =
        toF32(b, tensor::ExtractOp::create(b, gradient, coordinates));
    Value sum = arith::AddFOp::create(b, carried[0], element);
    Value won = b.andi(
        covers, b.cmpi(arith::CmpIPredicate::eq, winner, toI32(b, self)));
    return {b.select(won, sum, carried[0])};
  };
  Value sum = visitPoints(b, counts, getNumTogether(counts), zero, visit)[0];
  return fromF32(b, sum, elementType);
}

namespace {
/// Lowers to two steps without atomics: each window finds its winner, and then
/// each element adds up the gradients of the windows that contain it.
struct MaxPoolingGradLowering : OpConversionPattern<MaxPoolingGradOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MaxPoolingGradOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<PooledDim> dims = getPooledDims(
        op, op.getInput().getType(), op.getInputGradient().getType());
    Value gradient = adaptor.getInputGradient();
    WinnerBuilder winner(adaptor.getInput(), dims);
    Value winners = buildWinners(rewriter, op, winner);
    return replaceWithTensor(op, *getTypeConverter(), rewriter,
                             [&](ElementBuilder &b, ValueRange indices) {
                               return buildGradient(b, winners, gradient,
                                                    indices, dims,
                                                    winner.getFormat());
                             });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// An element of a window: its position in the tensor, as a flat tensor, and
/// the condition that it lies inside of the tensor (null if it always does).
struct WindowElement {
  Value position, isInside;
};

static void addCondition(ElementBuilder &b, Value &condition, Value other) {
  condition = condition ? b.andi(condition, other) : other;
}

/// Builds the number of elements along `dim` that a window beginning at `start`
/// has before the tensor, as if the window were endless.
static Value buildNumBefore(ElementBuilder &b, Value start,
                            const PooledDim &dim) {
  // The dividend is not negative.
  Value before = b.maxsi(b.sub(b.index(0), start), b.index(0));
  return b.divui(b.add(before, dim.dilation - 1), dim.dilation);
}

/// Returns the sizes of the space of points for buildWindowElement(). They are
/// bounded by the sizes of the tensor, regardless of the size of the window.
static SmallVector<int64_t> getPointSizes(ArrayRef<PooledDim> dims) {
  return llvm::map_to_vector(
      dims, [](const PooledDim &dim) { return dim.getMaxInside(); });
}

/// Builds element `point` of the window at `indices`. If a window has more
/// elements along a dimension than can lie inside of the tensor, its elements
/// are counted from the first one inside. An element outside of the tensor has
/// the position of another element.
static WindowElement buildWindowElement(ElementBuilder &b, ValueRange indices,
                                        ValueRange point,
                                        RankedTensorType input,
                                        ArrayRef<PooledDim> dims) {
  WindowElement element;
  element.position = b.add(b.mul(indices[0], input.getDimSize(1)), indices[1]);
  for (auto [window, k, dim] :
       llvm::zip_equal(indices.drop_front(2), point, dims)) {
    Value start = buildWindowStart(b, window, dim), number = k;
    bool skipsFirst = dim.getMaxInside() < dim.size;
    if (skipsFirst)
      number = b.add(number, buildNumBefore(b, start, dim));
    Value p = b.add(start, b.mul(number, dim.dilation));
    if (dim.reachesOutside()) {
      // As an unsigned number, a negative p is large.
      Value inside = b.cmpi(arith::CmpIPredicate::ult, p, b.index(dim.input));
      if (skipsFirst)
        inside = b.andi(inside, b.cmpi(arith::CmpIPredicate::ult, number,
                                       b.index(dim.size)));
      addCondition(b, element.isInside, inside);
      p = b.select(inside, p, b.index(0));
    }
    element.position = b.add(b.mul(element.position, dim.input), p);
  }
  return element;
}

/// Returns the number of elements in a window, including elements outside of
/// the tensor.
static double getNumElements(ArrayRef<PooledDim> dims) {
  double count = 1;
  for (const PooledDim &dim : dims)
    count *= static_cast<double>(dim.size);
  return count;
}

/// Builds the number, as an f32, of elements of the window at `indices` that
/// lie inside of the tensor, or 1 if there are none.
static Number buildNumInside(ElementBuilder &b, ValueRange indices,
                             ArrayRef<PooledDim> dims) {
  Value count = b.index(1);
  for (auto [window, dim] : llvm::zip_equal(indices.drop_front(2), dims)) {
    if (!dim.reachesOutside()) {
      count = b.mul(count, dim.size);
      continue;
    }
    Value start = buildWindowStart(b, window, dim), zero = b.index(0);
    // The numbers of the first element that does not lie before the tensor, and
    // of the first element that lies behind the tensor. The dividend is not
    // negative.
    Value first = buildNumBefore(b, start, dim);
    Value rest = b.maxsi(b.sub(b.index(dim.input), start), zero);
    Value last = b.minsi(b.divui(b.add(rest, dim.dilation - 1), dim.dilation),
                         b.index(dim.size));
    count = b.mul(count, b.maxsi(b.sub(last, first), zero));
  }
  count = toI32(b, b.maxsi(count, b.index(1)));
  return {&b, toF32(b, count, /*isUnsigned=*/true)};
}

/// Builds the divisor for the sum of the window at `indices`.
static Number buildDivisor(ElementBuilder &b, ValueRange indices,
                           ArrayRef<PooledDim> dims, bool includesPadding) {
  if (!includesPadding)
    return buildNumInside(b, indices, dims);
  return {&b, arith::ConstantOp::create(b, b.getF32FloatAttr(static_cast<float>(
                                               getNumElements(dims))))};
}

/// Computes the term of a sum from an element of the input.
using WindowTermFn = std::function<Value(ElementBuilder &b, Value element)>;

/// Builds a tensor of `type` with one element for each window of the tensor
/// `input`. `finish` computes the element from the sum of the terms, of type
/// `sumType`, of the window's elements inside of the tensor. `prepare` builds
/// the values that the terms of a window have in common. Windows that cover
/// whole planes, as at the end of classifiers, are lowered to a reduction.
static Value buildWindowSums(
    OpBuilder &builder, Operation *op, RankedTensorType type, Value input,
    ArrayRef<PooledDim> dims, Type sumType,
    llvm::function_ref<WindowTermFn(ElementBuilder &b, ValueRange indices)>
        prepare,
    llvm::function_ref<Value(ElementBuilder &b, ValueRange indices, Value sum)>
        finish) {
  auto inputType = cast<RankedTensorType>(input.getType());
  if (llvm::all_of(dims, [](const PooledDim &dim) { return dim.isWhole(); })) {
    Combiner sum = {builder.getZeroAttr(sumType), /*isUnsigned=*/false,
                    [](Number lhs, Number rhs) { return lhs + rhs; }};
    ReducedAxes axes(inputType.getShape(),
                     llvm::to_vector(llvm::seq<int64_t>(2, type.getRank())));
    Value sums = buildReduction(
        builder, op, axes, sum, [&](ElementBuilder &b, ValueRange indices) {
          Value element = tensor::ExtractOp::create(b, input, indices);
          return Number{&b, prepare(b, indices)(b, element)};
        });
    return buildTensor(
        builder, op, type, [&](ElementBuilder &b, ValueRange indices) {
          return finish(b, indices, loadReduced(b, sums, indices).value);
        });
  }
  Value elements = flatten(builder, op->getLoc(), input);
  return buildSums(
      builder, op, type, getPointSizes(dims), sumType,
      [&](ElementBuilder &b, ValueRange indices) -> TermFn {
        return [&, build = prepare(b, indices),
                window = SmallVector<Value>(indices)](
                   ElementBuilder &b, ValueRange point) -> Value {
          auto [position, isInside] =
              buildWindowElement(b, window, point, inputType, dims);
          Value term =
              build(b, tensor::ExtractOp::create(b, elements, position));
          if (!isInside)
            return term;
          Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
          return b.select(isInside, term, zero);
        };
      },
      finish);
}

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

namespace {
template <typename OpTy>
struct AveragePoolingLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOutput().getType());
    SmallVector<PooledDim> dims =
        getPooledDims(op, op.getInput().getType(), type);
    rewriter.replaceOp(
        op,
        buildWindowSums(
            rewriter, op, type, adaptor.getInput(), dims, rewriter.getF32Type(),
            [](ElementBuilder &, ValueRange) -> WindowTermFn {
              return [](ElementBuilder &b, Value element) {
                return toF32(b, element);
              };
            },
            [&](ElementBuilder &b, ValueRange indices, Value sum) {
              Number average =
                  Number{&b, sum} /
                  buildDivisor(b, indices, dims, op.getIncludePadding());
              return fromF32(b, average.value, type.getElementType());
            }));
    return success();
  }
};

/// Integer sums are exact. The differences of 8-bit numbers are less than 2^8
/// in magnitude, so that only the largest windows need 64-bit sums.
struct QuantizedLinearAveragePoolingLowering
    : OpConversionPattern<QuantizedLinearAveragePoolingOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(QuantizedLinearAveragePoolingOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type inputType = getElementTypeOrSelf(op.getInput().getType()),
         outputType = getElementTypeOrSelf(op.getOutput().getType());
    auto type = getTypeConverter()->convertType<RankedTensorType>(
        op.getOutput().getType());
    SmallVector<PooledDim> dims =
        getPooledDims(op, op.getInput().getType(), type);
    double maxInside = 1;
    for (const PooledDim &dim : dims)
      maxInside *= static_cast<double>(dim.getMaxInside());
    bool isLong = maxInside * 255 > std::numeric_limits<int32_t>::max();
    Type sumType = rewriter.getIntegerType(isLong ? 64 : 32);

    // Scales and zero points have either a single element, or one for each
    // channel.
    auto prepareParameter = [&](Value tensor) {
      return tensor ? flatten(rewriter, op.getLoc(), tensor) : Value();
    };
    Value inputScale = prepareParameter(adaptor.getInputScale()),
          inputZero = prepareParameter(adaptor.getInputZeroPoint()),
          outputScale = prepareParameter(adaptor.getOutputScale()),
          outputZero = prepareParameter(adaptor.getOutputZeroPoint());
    auto load = [](ElementBuilder &b, Value parameter, ValueRange indices,
                   Type elementType) {
      auto parameterType = cast<RankedTensorType>(parameter.getType());
      Value channel =
          parameterType.getNumElements() == 1 ? b.index(0) : indices[1];
      return toNumber(b, tensor::ExtractOp::create(b, parameter, channel),
                      elementType);
    };
    Type f32 = rewriter.getF32Type();
    rewriter.replaceOp(
        op, buildWindowSums(
                rewriter, op, type, adaptor.getInput(), dims, sumType,
                [&](ElementBuilder &b, ValueRange indices) -> WindowTermFn {
                  Value zero;
                  if (inputZero)
                    zero = load(b, inputZero, indices, inputType).value;
                  return [=](ElementBuilder &b, Value element) {
                    Value term = toNumber(b, element, inputType).value;
                    if (zero)
                      term = b.sub(term, zero);
                    return isLong
                               ? b.createOrFold<arith::ExtSIOp>(sumType, term)
                               : term;
                  };
                },
                [&](ElementBuilder &b, ValueRange indices, Value sum) {
                  Number average =
                      convert(Number{&b, sum}, f32) *
                      load(b, inputScale, indices, f32) /
                      buildDivisor(b, indices, dims, op.getIncludePadding());
                  Number quotient =
                      roundEven(average / load(b, outputScale, indices, f32));
                  if (outputZero) {
                    Number zero = load(b, outputZero, indices, outputType);
                    quotient = quotient + convert(zero, f32);
                  }
                  return fromNumber(convert(quotient, outputType),
                                    type.getElementType());
                }));
    return success();
  }
};

/// Each element of the result adds up the contributions of the windows that
/// contain it.
struct AveragePoolingGradLowering : OpConversionPattern<AveragePoolingGradOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AveragePoolingGradOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};
} // namespace

LogicalResult AveragePoolingGradLowering::matchAndRewrite(
    AveragePoolingGradOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  auto type = cast<RankedTensorType>(op.getOutputGradient().getType());
  Value gradient = adaptor.getInputGradient();
  SmallVector<PooledDim> dims = getPooledDims(op, type, gradient.getType());
  // The number of windows, along each dimension, that may contain one element.
  auto counts = llvm::map_to_vector(dims, [](const PooledDim &dim) {
    return std::min(llvm::divideCeilSigned(dim.size, dim.stride), dim.windows);
  });
  auto buildShare = [&](ElementBuilder &b, ValueRange indices,
                        ValueRange point) -> Value {
    SmallVector<Value> window(indices.take_front(2));
    Value covers;
    for (auto [x, back, count, dim] :
         llvm::zip_equal(indices.drop_front(2), point, counts, dims)) {
      Value w = back;
      if (count < dim.windows) {
        // The last window that begins at or before the element, and then the
        // preceding windows. The dividend is not negative. The difference may
        // be negative, and is then a large unsigned number.
        w = b.sub(b.divui(b.add(x, dim.start), dim.stride), back);
        Value exists =
            b.cmpi(arith::CmpIPredicate::ult, w, b.index(dim.windows));
        addCondition(b, covers, exists);
        w = b.select(exists, w, b.index(0));
      }
      Value offset = b.sub(x, buildWindowStart(b, w, dim));
      addCondition(
          b, covers,
          b.cmpi(arith::CmpIPredicate::ult, offset, b.index(dim.size)));
      window.push_back(w);
    }
    Number element{&b,
                   toF32(b, tensor::ExtractOp::create(b, gradient, window))};
    Number share =
        element / buildDivisor(b, window, dims, op.getIncludePadding());
    return select({&b, covers}, share, share(0)).value;
  };
  rewriter.replaceOp(op,
                     buildSums(
                         rewriter, op, type, counts, rewriter.getF32Type(),
                         [&](ElementBuilder &, ValueRange indices) -> TermFn {
                           return [&, x = SmallVector<Value>(indices)](
                                      ElementBuilder &b, ValueRange point) {
                             return buildShare(b, x, point);
                           };
                         },
                         [&](ElementBuilder &b, ValueRange, Value sum) {
                           return fromF32(b, sum, type.getElementType());
                         }));
  return success();
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// Computes `x` to the power of `p`, which is positive.
static Number buildPower(Number x, uint64_t p) {
  if (p == 1)
    return x;
  Number root = buildPower(x, p / 2), square = root * root;
  return p % 2 == 1 ? square * x : square;
}

/// Computes the p-th root of `x`, which is not negative.
static Number buildRoot(Number x, uint64_t p) {
  if (p == 1)
    return x;
  if (p == 2)
    return sqrt(x);
  Number root = exp(log(x) / x(static_cast<double>(p)));
  return select(x.equals(x(0)), x, root);
}

namespace {
template <typename OpTy> struct LpPoolingLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOutput().getType());
    uint64_t p = op.getP();
    rewriter.replaceOp(
        op,
        buildWindowSums(
            rewriter, op, type, adaptor.getInput(),
            getPooledDims(op, op.getInput().getType(), type),
            rewriter.getF32Type(),
            [&](ElementBuilder &, ValueRange) -> WindowTermFn {
              return [p](ElementBuilder &b, Value element) {
                return buildPower(abs(Number{&b, toF32(b, element)}), p).value;
              };
            },
            [&](ElementBuilder &b, ValueRange, Value sum) {
              return fromF32(b, buildRoot(Number{&b, sum}, p).value,
                             type.getElementType());
            }));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

namespace {
/// Finds the winners of windows: the positions, as i32, of their largest
/// elements. The position has all bits set if a window has no element.
class MaximumBuilder {
public:
  /// `elementType` is DirectML's type, in which integers have signedness.
  MaximumBuilder(Value input, Type elementType, Value elements,
                 ArrayRef<PooledDim> dims)
      : inputType(cast<RankedTensorType>(input.getType())),
        elementType(elementType), elements(elements), dims(dims) {}

  /// Builds the tensor, of i32, of the winners of the windows for which
  /// `output` has elements.
  Value buildWinners(OpBuilder &builder, Operation *op,
                     RankedTensorType output) const;
  /// Builds the element at the position `winner`, or the lowest value of its
  /// type if there is no winner.
  Value buildElement(ElementBuilder &b, Value winner) const;

private:
  /// An element that may win: its position as an index and as an i32, and the
  /// condition that it is a candidate at all (null if it always is). If the
  /// condition is false, the index is that of another element.
  struct Candidate {
    Value index, position, takesPart;
  };
  /// Builds the candidate at a point of the space from which the element at
  /// `indices` is chosen.
  using CandidateFn = llvm::function_ref<Candidate(
      ElementBuilder &b, ValueRange indices, ValueRange point)>;

  /// Builds the tensor of `type` with the winners among the candidates at all
  /// points of `sizes`. `isOrdered` states that the candidates' positions are
  /// ascending.
  Value buildWinners(OpBuilder &builder, Operation *op, RankedTensorType type,
                     ArrayRef<int64_t> sizes, CandidateFn build,
                     bool isOrdered) const;

  /// Builds the key of the element at `position`: an i32 or i64 in the order of
  /// the elements.
  Value buildKey(ElementBuilder &b, Value position) const;
  /// Builds the initial values before the first element: a key, and the
  /// position that represents no element.
  SmallVector<Value> buildNone(ElementBuilder &b) const;
  SmallVector<Value> choose(ElementBuilder &b, ValueRange best,
                            Candidate candidate, bool isOrdered) const;
  Value buildIndex(ElementBuilder &b, Value winner) const;

  RankedTensorType inputType;
  /// The type of the elements, in which integers have signedness.
  Type elementType;
  Value elements;
  ArrayRef<PooledDim> dims;
};
} // namespace

Value MaximumBuilder::buildKey(ElementBuilder &b, Value position) const {
  Value element = tensor::ExtractOp::create(b, elements, position);
  if (!isa<FloatType>(elementType))
    return toNumber(b, element, elementType).value;
  Value bits =
      b.createOrFold<arith::BitcastOp>(b.getI32Type(), toF32(b, element));
  // Converts sign and magnitude to two's complement, in which both zeros are 0.
  // NaNs are equal, and greater than infinity.
  constexpr uint32_t infinity = 0x7f800000;
  Value magnitude = b.andi(bits, getConstant(b, INT32_MAX));
  Value isNaN =
      b.cmpi(arith::CmpIPredicate::ugt, magnitude, getConstant(b, infinity));
  Value negative = b.cmpi(arith::CmpIPredicate::slt, bits, getConstant(b, 0));
  Value key =
      b.select(negative, b.sub(getConstant(b, 0), magnitude), magnitude);
  return b.select(isNaN, getConstant(b, infinity + 1), key);
}

SmallVector<Value> MaximumBuilder::buildNone(ElementBuilder &b) const {
  Type keyType = elementType.getIntOrFloatBitWidth() == 64
                     ? Type(b.getI64Type())
                     : b.getI32Type();
  return {arith::ConstantOp::create(b, b.getZeroAttr(keyType)),
          getConstant(b, UINT32_MAX)};
}

/// Builds the position as an index. The position that represents no element
/// becomes a valid one.
Value MaximumBuilder::buildIndex(ElementBuilder &b, Value winner) const {
  return b.minui(b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), winner),
                 b.index(inputType.getNumElements() - 1));
}

Value MaximumBuilder::buildElement(ElementBuilder &b, Value winner) const {
  Value element = tensor::ExtractOp::create(b, elements, buildIndex(b, winner));
  Type type = element.getType();
  TypedAttr lowest;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    lowest = b.getFloatAttr(type, APFloat::getInf(floatType.getFloatSemantics(),
                                                  /*Negative=*/true));
  } else {
    unsigned width = type.getIntOrFloatBitWidth();
    lowest = b.getIntegerAttr(type, elementType.isUnsignedInteger()
                                        ? APInt::getMinValue(width)
                                        : APInt::getSignedMinValue(width));
  }
  Value exists =
      b.cmpi(arith::CmpIPredicate::ne, winner, getConstant(b, UINT32_MAX));
  return b.select(exists, element, arith::ConstantOp::create(b, lowest));
}

/// Selects the better one of the best element so far and a candidate. Among
/// equal elements, the one at the lower position is selected. If candidates are
/// ordered, this is the earlier one.
SmallVector<Value> MaximumBuilder::choose(ElementBuilder &b, ValueRange best,
                                          Candidate candidate,
                                          bool isOrdered) const {
  Value position = candidate.position, key = buildKey(b, candidate.index);
  bool isUnsigned = elementType.isUnsignedInteger();
  Value isGreater =
      b.cmpi(isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt,
             key, best[0]);
  Value isFirst =
      b.cmpi(arith::CmpIPredicate::eq, best[1], getConstant(b, UINT32_MAX));
  Value isBetter = b.createOrFold<arith::OrIOp>(isGreater, isFirst);
  if (!isOrdered) {
    Value isEqual = b.cmpi(arith::CmpIPredicate::eq, key, best[0]);
    Value isLower = b.cmpi(arith::CmpIPredicate::ult, position, best[1]);
    isBetter = b.createOrFold<arith::OrIOp>(isBetter, b.andi(isEqual, isLower));
  }
  if (candidate.takesPart)
    isBetter = b.andi(isBetter, candidate.takesPart);
  return {b.select(isBetter, key, best[0]),
          b.select(isBetter, position, best[1])};
}

Value MaximumBuilder::buildWinners(OpBuilder &builder, Operation *op,
                                   RankedTensorType type,
                                   ArrayRef<int64_t> sizes, CandidateFn build,
                                   bool isOrdered) const {
  PartialSpace space(type, sizes);
  auto buildPart = [&](ElementBuilder &b, Value part, ValueRange indices) {
    return space.buildLoops(b, part, buildNone(b),
                            [&](ElementBuilder &b, ValueRange point,
                                Value isInside,
                                ValueRange best) -> SmallVector<Value> {
                              Candidate candidate = build(b, indices, point);
                              if (isInside)
                                addCondition(b, candidate.takesPart, isInside);
                              return choose(b, best, candidate, isOrdered);
                            })[1];
  };
  // One thread for each part finds the winner of the part. These winners are
  // candidates again, of which there may still be too many for a single thread.
  int64_t numParts = space.getNumParts();
  Value winners = buildParts(builder, op, type, numParts, buildPart);
  if (numParts == 1)
    return winners;
  return buildWinners(
      builder, op, type, numParts,
      [&](ElementBuilder &b, ValueRange indices, ValueRange part) -> Candidate {
        Value winner = readPart(b, winners, part.front(), indices);
        return {buildIndex(b, winner), winner,
                b.cmpi(arith::CmpIPredicate::ne, winner,
                       getConstant(b, UINT32_MAX))};
      },
      /*isOrdered=*/false);
}

Value MaximumBuilder::buildWinners(OpBuilder &builder, Operation *op,
                                   RankedTensorType output) const {
  return buildWinners(
      builder, op, output.clone(builder.getI32Type()), getPointSizes(dims),
      [&](ElementBuilder &b, ValueRange indices,
          ValueRange point) -> Candidate {
        auto [position, isInside] =
            buildWindowElement(b, indices, point, inputType, dims);
        return {position, toI32(b, position), isInside};
      },
      /*isOrdered=*/true);
}

namespace {
template <typename OpTy> struct MaxPoolingLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<PooledDim> dims =
        getPooledDims(op, op.getInput().getType(), op.getOutput().getType());
    MaximumBuilder maximum(
        adaptor.getInput(), getElementTypeOrSelf(op.getInput().getType()),
        flatten(rewriter, op.getLoc(), adaptor.getInput()), dims);
    auto convertType = [&](Value result) {
      return this->getTypeConverter()->template convertType<RankedTensorType>(
          result.getType());
    };
    RankedTensorType type = convertType(op.getOutput());
    Value winners = maximum.buildWinners(rewriter, op, type);
    SmallVector<Value> results = {buildTensor(
        rewriter, op, type, [&](ElementBuilder &b, ValueRange indices) {
          return maximum.buildElement(
              b, tensor::ExtractOp::create(b, winners, indices));
        })};
    if (op->getNumResults() > 1) {
      RankedTensorType indicesType = convertType(op->getResult(1));
      // Sign extension preserves the number with all bits set.
      results.push_back(
          indicesType == winners.getType()
              ? winners
              : buildTensor(
                    rewriter, op, indicesType,
                    [&](ElementBuilder &b, ValueRange indices) -> Value {
                      Value winner =
                          tensor::ExtractOp::create(b, winners, indices);
                      Value isNone = b.cmpi(arith::CmpIPredicate::eq, winner,
                                            getConstant(b, UINT32_MAX));
                      Type element = indicesType.getElementType();
                      Value none = arith::ConstantOp::create(
                          b, b.getIntegerAttr(element, -1));
                      return b.select(
                          isNone, none,
                          b.createOrFold<arith::ExtUIOp>(element, winner));
                    }));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Back from windows
//===----------------------------------------------------------------------===//

namespace {
/// For each place of the output, finds the last index that leads to it.
struct MaxUnpoolingLowering : OpConversionPattern<MaxUnpoolingOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MaxUnpoolingOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOutput().getType());
    Type indexType = getElementTypeOrSelf(op.getIndices().getType());
    int64_t size = type.getNumElements();
    Value input = flatten(rewriter, op.getLoc(), adaptor.getInput()),
          indices = flatten(rewriter, op.getLoc(), adaptor.getIndices());
    int64_t count = cast<RankedTensorType>(input.getType()).getNumElements();
    Value hits = buildLastHits(
        rewriter, op, size, count,
        [&](ElementBuilder &b, ValueRange place, Value number) {
          DataIndex index =
              readIndex(b, tensor::ExtractOp::create(b, indices, number),
                        indexType, size);
          return b.andi(index.isValid, b.cmpi(arith::CmpIPredicate::eq,
                                              index.coordinate, place[0]));
        });
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange at) -> Value {
          Value place = b.index(0);
          for (auto [dim, coordinate] : llvm::enumerate(at))
            place = b.add(b.mul(place, type.getDimSize(dim)), coordinate);
          auto [exists, number] = readLastHit(b, hits, place, count);
          Value element = tensor::ExtractOp::create(b, input, number);
          Value zero =
              arith::ConstantOp::create(b, b.getZeroAttr(element.getType()));
          return b.select(exists, element, zero);
        });
  }
};
} // namespace

void dml::populatePoolingPatterns(const TypeConverter &typeConverter,
                                  RewritePatternSet &patterns) {
  patterns.add<
      AveragePoolingGradLowering, AveragePoolingLowering<AveragePooling1Op>,
      AveragePoolingLowering<AveragePoolingOp>, LpPoolingLowering<LpPooling1Op>,
      LpPoolingLowering<LpPoolingOp>, MaxPoolingGradLowering,
      MaxPoolingLowering<MaxPooling1Op>, MaxPoolingLowering<MaxPooling2Op>,
      MaxPoolingLowering<MaxPoolingOp>, MaxUnpoolingLowering,
      QuantizedLinearAveragePoolingLowering>(typeConverter,
                                             patterns.getContext());
}
