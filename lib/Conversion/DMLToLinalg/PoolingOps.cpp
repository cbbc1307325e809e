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
  /// The sizes of the tensor that the windows lie on, and of the tensor that
  /// has an element for each window.
  int64_t input, windows;
  int64_t stride, size, start, dilation;

  /// Elements from a window's first to its last, both included.
  int64_t getExtent() const {
    int64_t extent;
    // All extents that are larger than every tensor have the same effect.
    if (llvm::MulOverflow(size - 1, dilation, extent))
      return std::numeric_limits<int64_t>::max();
    return 1 + extent;
  }
  /// Whether places (buildPlace) count from the tensor's last element, and not
  /// from the window's. The places of elements inside the tensor are then less
  /// than its size, however large the window is.
  bool countsFromTensor() const { return getExtent() > input; }
  /// The places of elements inside the tensor are less than this number.
  int64_t getPlaceStep() const { return std::min(getExtent(), input); }

  /// Whether some window has elements outside of the tensor.
  bool reachesOutside() const {
    return start > 0 || getExtent() > input ||
           (windows - 1) * stride > input - getExtent();
  }
  /// Whether there is one window, of all elements.
  bool isWhole() const {
    return windows == 1 && start == 0 && dilation == 1 && size == input;
  }
  /// The largest number of elements of one window that may lie inside the
  /// tensor.
  int64_t getMaxInside() const {
    return std::min(size, llvm::divideCeilSigned(input, dilation));
  }
};
} // namespace

/// The dimensions of the pooling `op`, whose windows lie on a tensor of type
/// `tensor`; a tensor of type `windows` has an element for each of them.
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

/// The first position of a window along `dim`; negative where it lies in the
/// padding.
static Value buildWindowStart(ElementBuilder &b, Value window,
                              const PooledDim &dim) {
  return b.add(b.mul(window, dim.stride), -dim.start);
}

/// The place of an element in its window is a number that tells it from all
/// other elements of the window that lie inside the tensor. `outer` is the
/// place as far as the dimensions before `dim` determine it; this adds `dim`.
/// Planes have fewer than 2^32 elements, so that places are less than 2^32 - 1,
/// which stands for no element.
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

/// A number of points that stands for all points of a space.
constexpr int64_t allPoints = std::numeric_limits<int64_t>::max();

/// Computes the values that a point passes on to the next one from those that
/// came to it.
using PointFn = function_ref<SmallVector<Value>(
    ElementBuilder &, ValueRange point, ValueRange carried)>;

/// Calls `body` for every point of a space of the sizes `sizes`, the last
/// coordinate fastest, with the values that it returned for the point before;
/// the first point gets `inits`. Every long dimension becomes a loop, and an
/// iteration of the innermost one visits `numTogether` points. Where that is
/// allPoints, there are no loops, and all calls stand one after another. Unlike
/// buildLoops, which writes out whole dimensions or none, this keeps a loop
/// over a long dimension short. No loop is empty: upstream's conversion to
/// SPIR-V leaves the results of one undefined.
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

/// Returns how many points an iteration visits in a space of the sizes `sizes`.
/// In a small space these are all, so that neighbouring elements share what
/// they load. In a larger one it is one point, or as many as keep the
/// iterations of a thread below the number after which drivers end it
/// (DevicePlan.h). A thread computes up to eight elements, each of which visits
/// all points.
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
/// The format in which winners are stored: as places of `bits` bits. The places
/// of `windows` neighbouring windows of a row share an integer.
struct PlaceFormat {
  unsigned bits;
  int64_t windows;
};

/// Finds the winners of windows. Elements compare by their keys, integers that
/// have the order of the elements; among equal keys the first element wins.
class WinnerBuilder {
public:
  WinnerBuilder(Value input, ArrayRef<PooledDim> dims);

  /// A format in which every place differs from the integer of all ones.
  PlaceFormat getFormat() const;

  /// The place of the winner of the window at `indices`, in the low bits of an
  /// i32. A window without elements inside the tensor gets a place that no
  /// element inside has.
  Value build(ElementBuilder &b, ValueRange indices);

private:
  /// What is known of the winner among some elements of a window: its key and,
  /// behind it, its place. Packed, one value holds both.
  using Winner = SmallVector<Value>;

  Winner buildElement(ElementBuilder &b);
  Winner buildSome(ElementBuilder &b, ValueRange window, unsigned level);
  Winner buildNone(ElementBuilder &b);

  /// An f16 that has become an f32 ends in 13 zeros, which have room for a
  /// place. Of equal elements the first has the greater place, so that the
  /// greatest packed value wins.
  ///
  ///    31                           13 12                         0
  ///   +-------------------------------+----------------------------+
  ///   | key: grows with the element   | place: 8 for the first of  |
  ///   | (0 is the key of no element)  | 3 x 3 and 0 for the last   |
  ///   +-------------------------------+----------------------------+
  ///
  /// In a window of 3 x 3 without holes, 1.0 as the first element is 0xbf000000
  /// with place 8, 0xbf000008, and as the last it is 0xbf000000: the bits of
  /// the f32, 0x3f800000, and 0x7f800000, by which keys count from that of
  /// -infinity.
  static constexpr int64_t numPackedPlaces = 1 << 13;

  Value input;
  ArrayRef<PooledDim> dims;
  SmallVector<int64_t> sizes;
  uint64_t firstPlace = 0;
  /// Whether windows step over elements inside the tensor, which a window
  /// without elements must not name.
  bool hasHoles;
  bool isPacked;
  /// The coordinates of the element that code is being built for.
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

/// The element at the coordinates, alone.
WinnerBuilder::Winner WinnerBuilder::buildElement(ElementBuilder &b) {
  Value value = toF32(b, tensor::ExtractOp::create(b, input, coordinates));
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
  // Sign and magnitude become two's complement, in which both zeros are 0.
  Value negative = b.cmpi(arith::CmpIPredicate::slt, bits, getConstant(b, 0));
  Value key = b.select(negative, b.sub(getConstant(b, 1u << 31), bits), bits);
  // Keys count from that of -infinity. A NaN with a sign wraps around, so that
  // all NaNs are above all numbers; the minimum makes them equal.
  constexpr uint32_t infinity = 0x7f800000;
  key = b.add(key, getConstant(b, infinity));
  key = arith::MinUIOp::create(
      b, key, getConstant(b, 2 * infinity + (isPacked ? numPackedPlaces : 1)));
  // No element has the key 0, which every element wins against: keys move up by
  // one for it. Packed keys of windows without holes stay. There, -infinity as
  // the last element, at place 0, is 0 as well, and so is no element. Both name
  // place 0: the last element wins if it lies inside the tensor, and the window
  // names no element inside if it lies outside.
  if (hasHoles || !isPacked)
    key = b.add(key, getConstant(b, isPacked ? numPackedPlaces : 1));
  Winner winner = {key};
  if (!isPacked)
    winner.push_back(getConstant(b, 0));
  return winner;
}

/// The winner among no elements: a key that is less than that of any element.
WinnerBuilder::Winner WinnerBuilder::buildNone(ElementBuilder &b) {
  Winner none = {getConstant(b, 0)};
  if (!isPacked)
    none.push_back(getConstant(b, UINT32_MAX));
  return none;
}

/// The winner among the elements whose first coordinates are known, up to
/// those of the spatial dimension `level`. Each row finds its winner before the
/// rows are compared: windows that overlap share rows.
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
    // Packed values may be compared in any order. Their places are the visited
    // coordinates then, and a GPU that adds and takes the maximum in one
    // operation needs one for each element but the last.
    if (isPacked)
      std::swap(offset, place);
    Value p = b.add(start, offset);
    if (dim.countsFromTensor())
      place = b.sub(b.index(dim.input - 1), p);
    // A negative p is a large unsigned one.
    Value inside = b.cmpi(arith::CmpIPredicate::ult, p, b.index(dim.input));
    coordinates.push_back(b.select(inside, p, b.index(0)));
    Winner next = buildSome(b, window, level + 1);
    coordinates.pop_back();

    next.back() = b.add(next.back(), toI32(b, b.mul(place, step)));
    next.front() = b.select(inside, next.front(), buildNone(b).front());
    // The first element serves as well as none to begin with, where there are
    // no holes.
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
  // Places of two windows in a byte save memory traffic. Those of windows that
  // do not overlap are not stored at all: fusion computes them where they are
  // used.
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
  // The key stands above the place. Conversion to a format that is narrower
  // drops it; a wider format needs a mask.
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

/// Loads the place, an i32, of the winner of a window whose last coordinate is
/// `window`, and the others those of `coordinates`. A window before or behind
/// those that exist, less than `margin` of them, has some other's place.
static Value loadPlace(ElementBuilder &b, Value winners,
                       SmallVector<Value> coordinates, Value window,
                       int64_t margin, PlaceFormat format) {
  Value shift;
  if (format.windows > 1) {
    // The dividend is not negative.
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

/// The sum of the gradients of the windows that the element at `indices` won.
static Value buildGradient(ElementBuilder &b, Value winners, Value gradient,
                           ValueRange indices, ArrayRef<PooledDim> dims,
                           PlaceFormat format) {
  Type elementType =
      cast<RankedTensorType>(gradient.getType()).getElementType();
  // The windows whose extent may cover the element. With dilation some of them
  // step over it; their winners lie elsewhere.
  SmallVector<Value> first;
  SmallVector<int64_t> counts;
  for (auto [x, dim] : llvm::zip_equal(indices.drop_front(2), dims)) {
    int64_t count = llvm::divideCeil(dim.getExtent(), dim.stride);
    if (dim.windows <= count) {
      first.push_back(b.index(0));
      counts.push_back(dim.windows);
      continue;
    }
    // The first window that ends at or after the element. It may be negative,
    // the dividend not.
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
      // Where all windows cover the element, those that share a window share
      // this choice. Elsewhere those of a row or a column share it with whether
      // it is covered.
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
/// Two steps without atomics: every window finds its winner, then every element
/// gathers from the windows that cover it.
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

/// An element of a window: its position in the tensor, seen as one row of all
/// elements, and whether it lies inside the tensor (null where all do).
struct WindowElement {
  Value position, isInside;
};

static void addCondition(ElementBuilder &b, Value &condition, Value other) {
  condition = condition ? b.andi(condition, other) : other;
}

/// The number of elements, along `dim`, that a window which begins at `start`
/// has before the tensor, were it endless.
static Value buildNumBefore(ElementBuilder &b, Value start,
                            const PooledDim &dim) {
  // The dividend is not negative.
  Value before = b.maxsi(b.sub(b.index(0), start), b.index(0));
  return b.divui(b.add(before, dim.dilation - 1), dim.dilation);
}

/// The sizes of the space of points that buildWindowElement takes. They are
/// bounded by the tensor's, however large the window is.
static SmallVector<int64_t> getPointSizes(ArrayRef<PooledDim> dims) {
  return llvm::map_to_vector(
      dims, [](const PooledDim &dim) { return dim.getMaxInside(); });
}

/// Element `point` of the window at `indices`. Where a window has more elements
/// along a dimension than the tensor has room for, they are counted from the
/// first one inside. An element outside of the tensor has the position of some
/// other element.
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
      // A negative p is a large unsigned one.
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

/// The number of elements of a window, those outside of the tensor included.
static double getNumElements(ArrayRef<PooledDim> dims) {
  double count = 1;
  for (const PooledDim &dim : dims)
    count *= static_cast<double>(dim.size);
  return count;
}

/// The number, an f32, of elements inside the tensor that the window at
/// `indices` has; 1 if it has none.
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
    // of the first that lies behind it. The dividend is not negative.
    Value first = buildNumBefore(b, start, dim);
    Value rest = b.maxsi(b.sub(b.index(dim.input), start), zero);
    Value last = b.minsi(b.divui(b.add(rest, dim.dilation - 1), dim.dilation),
                         b.index(dim.size));
    count = b.mul(count, b.maxsi(b.sub(last, first), zero));
  }
  count = toI32(b, b.maxsi(count, b.index(1)));
  return {&b, toF32(b, count, /*isUnsigned=*/true)};
}

/// The number that the sum of the window at `indices` is divided by.
static Number buildDivisor(ElementBuilder &b, ValueRange indices,
                           ArrayRef<PooledDim> dims, bool includesPadding) {
  if (!includesPadding)
    return buildNumInside(b, indices, dims);
  return {&b, arith::ConstantOp::create(b, b.getF32FloatAttr(static_cast<float>(
                                               getNumElements(dims))))};
}

/// Makes the term of a sum of an element of the input.
using WindowTermFn = std::function<Value(ElementBuilder &b, Value element)>;

/// Builds a tensor of `type` with an element for each window of the tensor
/// `input`: what `finish` makes of the sum, of `sumType`, of the terms of the
/// window's elements inside. `prepare` builds what a window's terms have in
/// common. Windows of whole planes, as classifiers end with, are the sets of a
/// reduction, whose elements lie side by side.
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

/// Sums of integers are exact: differences of 8-bit numbers are below 2^8, and
/// only the largest windows need sums of 64 bits.
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

    // Scales and zero points have one element, or one for each channel.
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

/// Every element of the gradient adds up what the windows that have it bring.
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
  // The number of windows, along each dimension, that may have an element.
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
        // The last window that begins at the element or before it, and windows
        // before that. The dividend is not negative; the difference may be, and
        // is a large unsigned number then.
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

/// `x` to the power of `p`, which is positive.
static Number buildPower(Number x, uint64_t p) {
  if (p == 1)
    return x;
  Number root = buildPower(x, p / 2), square = root * root;
  return p % 2 == 1 ? square * x : square;
}

/// The root of degree `p` of `x`, which is not negative.
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
/// Finds the winners of windows: the positions of their largest elements, i32,
/// and all ones where a window has no element.
class MaximumBuilder {
public:
  /// `elementType` is that of DirectML, whose integers have signs.
  MaximumBuilder(Value input, Type elementType, Value elements,
                 ArrayRef<PooledDim> dims)
      : inputType(cast<RankedTensorType>(input.getType())),
        elementType(elementType), elements(elements), dims(dims) {}

  /// The tensor, of i32, of the winners of the windows that `output` has an
  /// element for.
  Value buildWinners(OpBuilder &builder, Operation *op,
                     RankedTensorType output) const;
  /// The element that `winner` is the position of, or the lowest value of its
  /// type if it is none.
  Value buildElement(ElementBuilder &b, Value winner) const;

private:
  /// An element that may win: its position as an index and as an i32, and
  /// whether it takes part (null where it does). Where it does not, the index
  /// is that of some other element.
  struct Candidate {
    Value index, position, takesPart;
  };
  /// Builds the candidate at a point of what the element at `indices` is chosen
  /// from.
  using CandidateFn = llvm::function_ref<Candidate(
      ElementBuilder &b, ValueRange indices, ValueRange point)>;

  /// The tensor of `type` of the winners among the candidates at all points of
  /// `sizes`. Ordered ones have ascending positions.
  Value buildWinners(OpBuilder &builder, Operation *op, RankedTensorType type,
                     ArrayRef<int64_t> sizes, CandidateFn build,
                     bool isOrdered) const;

  /// The key of the element at `position`: an integer, i32 or i64, in the order
  /// of the elements.
  Value buildKey(ElementBuilder &b, Value position) const;
  /// What is known of the best element before the first one: a key and the
  /// position that stands for none.
  SmallVector<Value> buildNone(ElementBuilder &b) const;
  SmallVector<Value> choose(ElementBuilder &b, ValueRange best,
                            Candidate candidate, bool isOrdered) const;
  Value buildIndex(ElementBuilder &b, Value winner) const;

  RankedTensorType inputType;
  /// The type of the elements, integers with their sign.
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
  // Sign and magnitude become two's complement, in which both zeros are 0. NaNs
  // are above infinity, and equal.
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

/// The position as an index; the one that stands for none becomes some other.
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

/// Chooses the better of the best element so far and a candidate. Of equal ones
/// that at the lower position is chosen, which comes first where candidates are
/// ordered.
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
  // A thread for each part finds its winner; those of the parts are candidates
  // in turn, of which there may be too many for one thread again.
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
      // All ones stay all ones.
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
/// Each place of the output looks for the last index that leads to it.
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
