//===- RegionOps.cpp - DirectML's pooling of regions to linalg ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The regions are data. Positions are computed in f32 and clamped to the image
// before elements are read. Numbers of samples that depend on the regions have
// an upper bound that is known at compile time.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RegionOps.h"
#include "ElementWiseRows.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>
#include <tuple>

using namespace mlir;
using namespace dml;

static Number getNumber(ElementBuilder &b, double value) {
  return {&b, arith::ConstantOp::create(
                  b, b.getF32FloatAttr(static_cast<float>(value)))};
}

/// Converts an index, which is not negative, to an f32.
static Number toNumber(ElementBuilder &b, Value index) {
  Value word = b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), index);
  return {&b, b.createOrFold<arith::UIToFPOp>(b.getF32Type(), word)};
}

/// Converts `number`, an integer from `low` to `high`, to an index. The bounds
/// are stated since range analysis does not understand conversions of floats.
static Value toIndex(Number number, int64_t low, int64_t high) {
  ElementBuilder &b = *number.b;
  Value word = b.createOrFold<arith::FPToSIOp>(b.getI32Type(), number.value);
  Value index = b.createOrFold<arith::IndexCastOp>(b.getIndexType(), word);
  return b.minsi(b.maxsi(index, b.index(low)), b.index(high));
}

/// Builds loops over `counts`, which are at least 1 and at most `limits`. The
/// loops carry values, at first `init`.
static SmallVector<Value>
buildCounted(ElementBuilder &b, ArrayRef<Value> counts,
             ArrayRef<int64_t> limits, ValueRange init,
             llvm::function_ref<SmallVector<Value>(ElementBuilder &, ValueRange,
                                                   ValueRange)>
                 body) {
  SmallVector<int64_t> sizes;
  for (Value count : counts)
    if (std::optional<int64_t> size = getConstantIntValue(count))
      sizes.push_back(*size);
  if (sizes.size() == counts.size())
    return buildLoops(b, sizes, init, body);
  SmallVector<Value> lower(counts.size(), b.index(0)), upper,
      steps(counts.size(), b.index(1));
  for (auto [count, limit] : llvm::zip_equal(counts, limits))
    upper.push_back(b.minui(count, b.index(limit)));
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), lower, upper, steps, init,
      [&](OpBuilder &nested, Location loc, ValueRange induction,
          ValueRange carried) -> scf::ValueVector {
        ElementBuilder inner(loc, nested);
        SmallVector<Value> next = body(inner, induction, carried);
        return scf::ValueVector(next.begin(), next.end());
      });
  return SmallVector<Value>(nest.results);
}

/// Reads the element at `indices` of `tensor`. Additional leading coordinates
/// are 0.
static Value readAligned(ElementBuilder &b, Value tensor, ValueRange indices) {
  auto rank =
      static_cast<size_t>(cast<RankedTensorType>(tensor.getType()).getRank());
  SmallVector<Value> coordinates(rank - indices.size(), b.index(0));
  llvm::append_range(coordinates, indices);
  return tensor::ExtractOp::create(b, tensor, coordinates);
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

namespace {
/// The attributes of the operators that sample regions.
struct Sampling {
  bool isMax, isLinear;
  /// The scales of rows and of columns.
  float scales[2];
  float inputOffset = 0.5f, outputOffset = -0.5f;
  int64_t minSamples, maxSamples;
  bool alignsCorners = false;

  template <typename OpTy>
  explicit Sampling(OpTy op)
      : isMax(op.getReductionFunction() == ReduceFunction::max),
        isLinear(op.getInterpolationMode() == InterpolationMode::linear),
        scales{op.getSpatialScaleY().convertToFloat(),
               op.getSpatialScaleX().convertToFloat()},
        minSamples(op.getMinimumSamplesPerOutput()),
        maxSamples(op.getMaximumSamplesPerOutput()) {
    if constexpr (!std::is_same_v<OpTy, RoiAlignOp>) {
      inputOffset = op.getInputPixelOffset().convertToFloat();
      outputOffset = op.getOutputPixelOffset().convertToFloat();
      alignsCorners = op.getAlignRegionsToCorners();
    }
  }
};

/// The position of a sample on one axis.
struct Place {
  Value isInside;
  /// The elements to read. The second one is null if only the first one is
  /// used.
  Value low, high;
  /// The weight of the second element.
  Value weight;
  /// The position between the elements, an integer for nearest-neighbour
  /// sampling.
  Value position;
  /// The relative distance of the sample along the region, approximately from 0
  /// to 1.
  Value along;
};

/// The extent of a region on one axis, and the samples on this axis.
class RegionAxis {
public:
  /// Axis 0 runs over rows, and axis 1 over columns. The image has `size`
  /// elements along the axis, and the result `outputs`.
  RegionAxis(ElementBuilder &b, const Sampling &sampling, Value roi,
             Value region, unsigned axis, int64_t size, int64_t outputs)
      : sampling(sampling), size(size), outputs(outputs),
        start(getNumber(b, 0)), extent(getNumber(b, 0)), step(getNumber(b, 0)),
        steps(getNumber(b, 0)) {
    auto readCorner = [&](int64_t corner) {
      Value element =
          readAligned(b, roi, {region, b.index(corner + (axis == 0 ? 1 : 0))});
      return Number{&b, toF32(b, element)} *
             getNumber(b, sampling.scales[axis]);
    };
    start = readCorner(0);
    extent = readCorner(2) - start;

    // No region needs more samples than twice the size of the image. The limit
    // also makes the conversion to an integer safe.
    int64_t most = std::min<int64_t>(2 * size, 1 << 24);
    auto clampCount = [&](int64_t count) {
      return std::max<int64_t>(
          std::min(std::max(count, sampling.minSamples), sampling.maxSamples),
          1);
    };
    limit = clampCount(llvm::divideCeilSigned(most, outputs));
    if (int64_t least = clampCount(1); least == limit) {
      count = b.index(limit);
    } else {
      Number length = min(abs(extent), getNumber(b, static_cast<double>(most)));
      count = toIndex(ceil(length), 0, most);
      count = b.divui(b.add(count, outputs - 1), outputs);
      count = b.minsi(b.maxsi(count, b.index(least)), b.index(limit));
    }
    Value whole = b.mul(count, outputs);
    if (sampling.alignsCorners)
      whole = b.maxsi(b.sub(whole, b.index(1)), b.index(1));
    steps = toNumber(b, whole);
    step = extent / steps;
  }

  Place getPlace(ElementBuilder &b, Value output, Value sample) const {
    auto in = [&](Number number) { return Number{&b, number.value}; };
    Value index = b.add(b.mul(output, count), sample);
    Number offset = toNumber(b, index) - getNumber(b, sampling.outputOffset);
    Number position = offset * in(step) + in(start);
    Number along = offset / in(steps);
    if (sampling.alignsCorners && outputs == 1) {
      Condition isSingle{&b,
                         b.cmpi(arith::CmpIPredicate::eq, count, b.index(1))};
      Number half = getNumber(b, 0.5);
      position = select(isSingle, in(start) + in(extent)*half, position);
      along = select(isSingle, half, along);
    }
    position = position - getNumber(b, sampling.inputOffset);

    Place place;
    place.along = along.value;
    place.isInside = (position >= getNumber(b, -1) &&
                      position <= getNumber(b, static_cast<double>(size)))
                         .value;
    // The minimum and the maximum of NaN and a number are the number.
    Number clamped = min(max(position, getNumber(b, 0)),
                         getNumber(b, static_cast<double>(size - 1)));
    if (!sampling.isLinear) {
      Number nearest = ceil(clamped - getNumber(b, 0.5));
      place.position = nearest.value;
      place.low = toIndex(nearest, 0, size - 1);
      return place;
    }
    place.position = clamped.value;
    Number whole = floor(clamped);
    place.low = toIndex(whole, 0, size - 1);
    if (size > 1) {
      place.high = b.minui(b.add(place.low, 1), b.index(size - 1));
      place.weight = (clamped - whole).value;
    }
    return place;
  }

  /// The number of samples of an output, an index from 1 to `limit`.
  Value count;
  int64_t limit;

private:
  const Sampling &sampling;
  int64_t size, outputs;
  Number start, extent, step, steps;
};
} // namespace

/// Computes a + weight * (b - a), or `a` if the weight of `b` is 0.
static Value mix(ElementBuilder &b, Value low, Value high, Value weight) {
  Value difference = b.createOrFold<arith::SubFOp>(high, low);
  Value mixed = b.createOrFold<arith::AddFOp>(
      low, b.createOrFold<arith::MulFOp>(weight, difference));
  Value isLow = b.createOrFold<arith::CmpFOp>(arith::CmpFPredicate::OEQ, weight,
                                              getNumber(b, 0).value);
  return b.select(isLow, low, mixed);
}

namespace {
/// The elements around a sample. If only one element along an axis is used,
/// both elements along this axis are equal.
struct Corners {
  Value topLeft, topRight, bottomLeft, bottomRight;

  Corners(const Place &row, const Place &column,
          llvm::function_ref<Value(Value y, Value x)> read) {
    auto readRow = [&](Value y) {
      Value left = read(y, column.low);
      return std::pair(left, column.high ? read(y, column.high) : left);
    };
    std::tie(topLeft, topRight) = readRow(row.low);
    std::tie(bottomLeft, bottomRight) =
        row.high ? readRow(row.high) : std::pair(topLeft, topRight);
  }

  Value interpolate(ElementBuilder &b, const Place &row,
                    const Place &column) const {
    auto mixRow = [&](Value left, Value right) {
      return column.high ? mix(b, left, right, column.weight) : left;
    };
    Value top = mixRow(topLeft, topRight);
    return row.high ? mix(b, top, mixRow(bottomLeft, bottomRight), row.weight)
                    : top;
  }
};

template <typename OpTy> struct AlignLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    auto outputType = cast<RankedTensorType>(op.getType());
    Type indexType =
        cast<RankedTensorType>(op.getBatchIndices().getType()).getElementType();
    Sampling sampling(op);
    float outside = op.getOutOfBoundsInputValue().convertToFloat();
    return replaceWithTensor(
        op, *this->getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          Value image =
              readIndex(b,
                        readAligned(b, adaptor.getBatchIndices(), indices[0]),
                        indexType, inputType.getDimSize(0))
                  .coordinate;
          auto getAxis = [&](unsigned axis) {
            return RegionAxis(b, sampling, adaptor.getRoi(), indices[0], axis,
                              inputType.getDimSize(2 + axis),
                              outputType.getDimSize(2 + axis));
          };
          RegionAxis rows = getAxis(0), columns = getAxis(1);
          Number init = getNumber(
              b, sampling.isMax ? std::numeric_limits<double>::quiet_NaN() : 0);
          Value total = buildCounted(
              b, {rows.count, columns.count}, {rows.limit, columns.limit},
              init.value,
              [&](ElementBuilder &b, ValueRange sample,
                  ValueRange carried) -> SmallVector<Value> {
                Place row = rows.getPlace(b, indices[2], sample[0]);
                Place column = columns.getPlace(b, indices[3], sample[1]);
                auto read = [&](Value y, Value x) {
                  return toF32(b, tensor::ExtractOp::create(
                                      b, adaptor.getInput(),
                                      ValueRange{image, indices[1], y, x}));
                };
                Value value =
                    Corners(row, column, read).interpolate(b, row, column);
                value = b.select(b.andi(row.isInside, column.isInside), value,
                                 getNumber(b, outside).value);
                Number found{&b, carried[0]}, next{&b, value};
                return {
                    (sampling.isMax ? max(found, next) : found + next).value};
              })[0];
          if (!sampling.isMax)
            total = (Number{&b, total} /
                     toNumber(b, b.mul(rows.count, columns.count)))
                        .value;
          return fromF32(b, total,
                         cast<RankedTensorType>(adaptor.getInput().getType())
                             .getElementType());
        });
  }
};

//===----------------------------------------------------------------------===//
// Bins
//===----------------------------------------------------------------------===//

struct RoiPoolingLowering : OpConversionPattern<RoiPoolingOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RoiPoolingOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    float scale = op.getSpatialScale().convertToFloat();
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          auto readRegion = [&](int64_t place) {
            Value element =
                readAligned(b, adaptor.getRoi(), {indices[0], b.index(place)});
            Number number{&b, toF32(b, element)};
            return select(number.equals(number), number, getNumber(b, 0));
          };
          int64_t images = inputType.getDimSize(0);
          Number image = min(max(readRegion(0), getNumber(b, 0)),
                             getNumber(b, static_cast<double>(images - 1)));
          Bin rows(b, readRegion(2), readRegion(4), scale, indices[2],
                   op.getPooledSize()[0], inputType.getDimSize(2));
          Bin columns(b, readRegion(1), readRegion(3), scale, indices[3],
                      op.getPooledSize()[1], inputType.getDimSize(3));
          Value at = toIndex(floor(image), 0, images - 1);
          Value most = buildCounted(
              b, {rows.count, columns.count}, {rows.size, columns.size},
              getNumber(b, std::numeric_limits<double>::quiet_NaN()).value,
              [&](ElementBuilder &b, ValueRange place,
                  ValueRange carried) -> SmallVector<Value> {
                Value y = b.minui(b.add(rows.start, place[0]),
                                  b.index(rows.size - 1));
                Value x = b.minui(b.add(columns.start, place[1]),
                                  b.index(columns.size - 1));
                Value element = toF32(b, tensor::ExtractOp::create(
                                             b, adaptor.getInput(),
                                             ValueRange{at, indices[1], y, x}));
                return {max(Number{&b, carried[0]}, Number{&b, element}).value};
              })[0];
          most = b.select(b.andi(rows.hasElements, columns.hasElements), most,
                          getNumber(b, 0).value);
          return fromF32(b, most,
                         cast<RankedTensorType>(adaptor.getInput().getType())
                             .getElementType());
        });
  }

private:
  /// The part of a bin that lies in the image, on one axis of `size` elements.
  struct Bin {
    Bin(ElementBuilder &b, Number corner1, Number corner2, float scale,
        Value bin, int64_t bins, int64_t size)
        : size(size) {
      constexpr int64_t limit = 1 << 22;
      auto round = [&](Number corner) {
        Number number = corner * getNumber(b, scale);
        number = select(number.equals(number), number, getNumber(b, 0));
        number = min(max(number, getNumber(b, -limit)), getNumber(b, limit));
        // Rounds to nearest, ties away from zero.
        Number magnitude = abs(number), whole = floor(magnitude);
        whole = select(magnitude - whole >= getNumber(b, 0.5),
                       whole + getNumber(b, 1), whole);
        return toIndex(select(number < getNumber(b, 0), -whole, whole), -limit,
                       limit);
      };
      Value first = round(corner1);
      Value length =
          b.maxsi(b.add(b.sub(round(corner2), first), 1), b.index(1));
      Value begin = b.divui(b.mul(bin, length), bins);
      Value end = b.divui(b.add(b.mul(b.add(bin, 1), length), bins - 1), bins);
      auto clamp = [&](Value place) {
        return b.minsi(b.maxsi(b.add(first, place), b.index(0)), b.index(size));
      };
      start = clamp(begin);
      Value found = b.sub(clamp(end), start);
      hasElements = b.cmpi(arith::CmpIPredicate::sgt, found, b.index(0));
      // Loops must not be empty.
      count = b.minsi(b.maxsi(found, b.index(1)), b.index(size));
    }

    int64_t size;
    Value start, count, hasElements;
  };
};
} // namespace

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Computes the weight of element `i` for a sample at `position`. A negative
/// position represents no sample.
static Number getWeight(ElementBuilder &b, Number position, Value i) {
  Number whole = floor(position), fraction = position - whole;
  Number element = toNumber(b, i), one = getNumber(b, 1);
  return select(
      whole.equals(element), one - fraction,
      select((whole + one).equals(element), fraction, getNumber(b, 0)));
}

/// Computes weight * gradient, or 0 if the weight is 0.
static Number weigh(Number weight, Number gradient) {
  Number zero = getNumber(*weight.b, 0);
  return select(weight.equals(zero), zero, weight * gradient);
}

namespace {
struct AlignGradLowering : OpConversionPattern<RoiAlignGradOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RoiAlignGradOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> results;
    for (Value result : op->getResults()) {
      auto type =
          getTypeConverter()->convertType<RankedTensorType>(result.getType());
      if (!type)
        return rewriter.notifyMatchFailure(op, "result type does not convert");
      Builder builder(op, adaptor, rewriter);
      results.push_back(
          result != op.getOutputGradient() ? builder.buildRegionGradient(type)
          : builder.sampling.isMax ? builder.buildGradientOfLargest(type)
                                   : builder.buildGradientOfAverage(type));
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  struct Builder {
    Builder(RoiAlignGradOp op, OpAdaptor adaptor,
            ConversionPatternRewriter &rewriter)
        : op(op), rewriter(rewriter), sampling(op), input(adaptor.getInput()),
          gradient(adaptor.getInputGradient()), roi(adaptor.getRoi()),
          batchIndices(adaptor.getBatchIndices()),
          indexType(cast<RankedTensorType>(op.getBatchIndices().getType())
                        .getElementType()),
          shape(cast<RankedTensorType>(op.getInputGradient().getType())
                    .getShape()),
          image(cast<RankedTensorType>(
                    (op.getInput() ? op.getInput() : op.getOutputGradient())
                        .getType())
                    .getShape()),
          f32(rewriter.getF32Type()) {}

    Value readImage(ElementBuilder &b, Value region) const {
      return readIndex(b, readAligned(b, batchIndices, region), indexType,
                       image[0])
          .coordinate;
    }
    RegionAxis getAxis(ElementBuilder &b, Value corners, Value region,
                       unsigned axis) const {
      return RegionAxis(b, sampling, corners, region, axis, image[2 + axis],
                        shape[2 + axis]);
    }
    Number read(ElementBuilder &b, Value tensor, ValueRange indices) const {
      return {&b, toF32(b, tensor::ExtractOp::create(b, tensor, indices))};
    }
    Value getIsImage(ElementBuilder &b, Value region, Value batch) const {
      return b.cmpi(arith::CmpIPredicate::eq, readImage(b, region), batch);
    }

    /// Builds a tensor with the shape {R, outputs, elements}: the weight of
    /// each element in the average of an output, along one axis. The weights of
    /// both axes are multiplied.
    Value buildAxisWeights(unsigned axis) const {
      return buildTensor(
          rewriter, op,
          RankedTensorType::get({shape[0], shape[2 + axis], image[2 + axis]},
                                f32),
          [&](ElementBuilder &b, ValueRange indices) {
            RegionAxis samples = getAxis(b, roi, indices[0], axis);
            Value total = buildCounted(
                b, samples.count, samples.limit, getNumber(b, 0).value,
                [&](ElementBuilder &b, ValueRange sample,
                    ValueRange carried) -> SmallVector<Value> {
                  Place place = samples.getPlace(b, indices[1], sample[0]);
                  Number weight =
                      getWeight(b, {&b, place.position}, indices[2]);
                  weight =
                      select({&b, place.isInside}, weight, getNumber(b, 0));
                  return {(Number{&b, carried[0]} + weight).value};
                })[0];
            return (Number{&b, total} / toNumber(b, samples.count)).value;
          });
    }

    Value buildGradientOfAverage(RankedTensorType type) const {
      Value rows = buildAxisWeights(0), columns = buildAxisWeights(1);
      // Builds a tensor with the shape {R, C, output rows, columns}, which is
      // summed first along columns and then along rows.
      Value wide = buildSums(
          rewriter, op,
          RankedTensorType::get({shape[0], shape[1], shape[2], image[3]}, f32),
          shape[3], f32,
          [&](ElementBuilder &, ValueRange indices) -> TermFn {
            return [this, columns, at = SmallVector<Value>(indices)](
                       ElementBuilder &b, ValueRange x) {
              return weigh(read(b, columns, {at[0], x[0], at[3]}),
                           read(b, gradient, {at[0], at[1], at[2], x[0]}))
                  .value;
            };
          },
          [](ElementBuilder &, ValueRange, Value sum) { return sum; });
      return buildSums(
          rewriter, op, type, {shape[0], shape[2]}, f32,
          [&](ElementBuilder &, ValueRange indices) -> TermFn {
            return [this, rows, wide, at = SmallVector<Value>(indices)](
                       ElementBuilder &b, ValueRange point) {
              Number term =
                  weigh(read(b, rows, {point[0], point[1], at[2]}),
                        read(b, wide, {point[0], at[1], point[1], at[3]}));
              return b.select(getIsImage(b, point[0], at[0]), term.value,
                              getNumber(b, 0).value);
            };
          },
          [&](ElementBuilder &b, ValueRange, Value sum) {
            return fromF32(b, sum, type.getElementType());
          });
    }

    /// Finds the largest sample of an output, and returns the payload that
    /// `getPayload` computes for it. Returns the payload `none` if no sample is
    /// inside.
    SmallVector<Value> findLargest(
        ElementBuilder &b, const RegionAxis &rows, const RegionAxis &columns,
        Value i, Value j, ArrayRef<Value> none,
        llvm::function_ref<Value(ElementBuilder &, Value y, Value x)> readPixel,
        llvm::function_ref<SmallVector<Value>(ElementBuilder &, const Place &,
                                              const Place &, const Corners &)>
            getPayload) const {
      SmallVector<Value> init = {
          getNumber(b, std::numeric_limits<double>::quiet_NaN()).value,
          getNumber(b, 0).value};
      llvm::append_range(init, none);
      SmallVector<Value> found = buildCounted(
          b, {rows.count, columns.count}, {rows.limit, columns.limit}, init,
          [&](ElementBuilder &b, ValueRange sample,
              ValueRange carried) -> SmallVector<Value> {
            Place row = rows.getPlace(b, i, sample[0]);
            Place column = columns.getPlace(b, j, sample[1]);
            Corners corners(row, column, [&](Value y, Value x) {
              return readPixel(b, y, x);
            });
            Number value{&b, corners.interpolate(b, row, column)};
            Number best{&b, carried[0]}, isFound{&b, carried[1]};
            Condition isInside{&b, b.andi(row.isInside, column.isInside)};
            // A sample wins if it is the first one, if it is larger, or if it
            // is the first number after NaN.
            Condition wins =
                isInside && (isFound.equals(getNumber(b, 0)) || value > best ||
                             (!best.equals(best) && value.equals(value)));
            SmallVector<Value> next = {
                select(wins, value, best).value,
                select(wins, getNumber(b, 1), isFound).value};
            for (auto [ofSample, ofBest] :
                 llvm::zip_equal(getPayload(b, row, column, corners),
                                 carried.drop_front(2)))
              next.push_back(b.select(wins.value, ofSample, ofBest));
            return next;
          });
      return llvm::to_vector(ArrayRef(found).drop_front(2));
    }

    Value buildGradientOfLargest(RankedTensorType type) const {
      // A tensor with the shape {2, R, C, outputs}: the rows and the columns of
      // the largest samples, which are negative if there are none.
      Value places = buildTensor(
          rewriter, op,
          RankedTensorType::get({2, shape[0], shape[1], shape[2], shape[3]},
                                f32),
          [&](ElementBuilder &b, ValueRange indices) {
            Value region = indices[1], batch = readImage(b, region);
            Value none = getNumber(b, -2).value;
            SmallVector<Value> found = findLargest(
                b, getAxis(b, roi, region, 0), getAxis(b, roi, region, 1),
                indices[3], indices[4], {none, none},
                [&](ElementBuilder &b, Value y, Value x) {
                  return read(b, input, {batch, indices[2], y, x}).value;
                },
                [](ElementBuilder &, const Place &row, const Place &column,
                   const Corners &) -> SmallVector<Value> {
                  return {row.position, column.position};
                });
            return b.select(
                b.cmpi(arith::CmpIPredicate::eq, indices[0], b.index(0)),
                found[0], found[1]);
          });
      return buildSums(
          rewriter, op, type, {shape[0], shape[2], shape[3]}, f32,
          [&](ElementBuilder &, ValueRange indices) -> TermFn {
            return [this, places, at = SmallVector<Value>(indices)](
                       ElementBuilder &b, ValueRange point) {
              auto getAxisWeight = [&](int64_t axis) {
                return getWeight(
                    b,
                    read(b, places,
                         {b.index(axis), point[0], at[1], point[1], point[2]}),
                    at[2 + axis]);
              };
              Number term = weigh(
                  getAxisWeight(0) * getAxisWeight(1),
                  read(b, gradient, {point[0], at[1], point[1], point[2]}));
              return b.select(getIsImage(b, point[0], at[0]), term.value,
                              getNumber(b, 0).value);
            };
          },
          [&](ElementBuilder &b, ValueRange, Value sum) {
            return fromF32(b, sum, type.getElementType());
          });
    }

    Value buildRegionGradient(RankedTensorType type) const {
      if (!sampling.isLinear)
        return buildTensor(
            rewriter, op, type, [&](ElementBuilder &b, ValueRange) {
              return fromF32(b, getNumber(b, 0).value, type.getElementType());
            });
      // A tensor with the shape {R, 5}: the corners and the number of the
      // image. A kernel can thereby bind four tensors in total.
      Value regions = buildTensor(
          rewriter, op, RankedTensorType::get({shape[0], 5}, f32),
          [&](ElementBuilder &b, ValueRange indices) {
            Value corner = toF32(
                b, readAligned(b, roi,
                               {indices[0], b.minui(indices[1], b.index(3))}));
            return b.select(
                b.cmpi(arith::CmpIPredicate::eq, indices[1], b.index(4)),
                toNumber(b, readImage(b, indices[0])).value, corner);
          });
      return buildSums(
          rewriter, op, type, {shape[1], shape[2], shape[3]}, f32,
          [&](ElementBuilder &b, ValueRange indices) -> TermFn {
            Value region = indices.drop_back().back(), corner = indices.back();
            Value isRow = b.cmpi(arith::CmpIPredicate::eq, b.remui(corner, 2),
                                 b.index(1));
            Value isSecond =
                b.cmpi(arith::CmpIPredicate::uge, corner, b.index(2));
            Value batch = toIndex(read(b, regions, {region, b.index(4)}), 0,
                                  image[0] - 1);
            return [=](ElementBuilder &b, ValueRange point) {
              return buildRegionTerm(b, regions, region, batch, isRow, isSecond,
                                     point);
            };
          },
          [&](ElementBuilder &b, ValueRange indices, Value sum) {
            Value isRow = b.cmpi(arith::CmpIPredicate::eq,
                                 b.remui(indices.back(), 2), b.index(1));
            Value scale =
                b.select(isRow, getNumber(b, sampling.scales[0]).value,
                         getNumber(b, sampling.scales[1]).value);
            return fromF32(b, (Number{&b, sum} * Number{&b, scale}).value,
                           type.getElementType());
          });
    }

    /// Builds the contribution of output `point` of a channel to the gradient
    /// of a corner.
    Value buildRegionTerm(ElementBuilder &b, Value regions, Value region,
                          Value batch, Value isRow, Value isSecond,
                          ValueRange point) const {
      RegionAxis rows = getAxis(b, regions, region, 0),
                 columns = getAxis(b, regions, region, 1);
      auto readPixel = [&](ElementBuilder &b, Value y, Value x) {
        return read(b, input, {batch, point[0], y, x}).value;
      };
      // Computes the difference along the corner's axis, times the derivative
      // of the sample's position with respect to the corner.
      auto getSlope = [&](ElementBuilder &b, const Place &row,
                          const Place &column, const Corners &corners) {
        auto getDifference = [&](const Place &along, const Place &across,
                                 Value low, Value high, Value nextLow,
                                 Value nextHigh) {
          Number zero = getNumber(b, 0);
          if (!along.high)
            return zero;
          Value first = b.createOrFold<arith::SubFOp>(high, low);
          Value difference =
              across.high
                  ? mix(b, first,
                        b.createOrFold<arith::SubFOp>(nextHigh, nextLow),
                        across.weight)
                  : first;
          return select(Number{&b, along.weight}.equals(zero), zero,
                        Number{&b, difference});
        };
        const Corners &c = corners;
        Number ofColumns = getDifference(column, row, c.topLeft, c.topRight,
                                         c.bottomLeft, c.bottomRight);
        Number ofRows = getDifference(row, column, c.topLeft, c.bottomLeft,
                                      c.topRight, c.bottomRight);
        Condition byRow{&b, isRow}, bySecond{&b, isSecond};
        Number along =
            select(byRow, Number{&b, row.along}, Number{&b, column.along});
        Number part = select(bySecond, along, getNumber(b, 1) - along);
        return select(byRow, ofRows, ofColumns) * part;
      };
      Value slope;
      if (sampling.isMax) {
        slope = findLargest(b, rows, columns, point[1], point[2],
                            getNumber(b, 0).value, readPixel,
                            [&](ElementBuilder &b, const Place &row,
                                const Place &column,
                                const Corners &corners) -> SmallVector<Value> {
                              return {getSlope(b, row, column, corners).value};
                            })[0];
      } else {
        slope = buildCounted(
            b, {rows.count, columns.count}, {rows.limit, columns.limit},
            getNumber(b, 0).value,
            [&](ElementBuilder &b, ValueRange sample,
                ValueRange carried) -> SmallVector<Value> {
              Place row = rows.getPlace(b, point[1], sample[0]);
              Place column = columns.getPlace(b, point[2], sample[1]);
              Corners corners(row, column, [&](Value y, Value x) {
                return readPixel(b, y, x);
              });
              Condition isInside{&b, b.andi(row.isInside, column.isInside)};
              Number next = select(isInside, getSlope(b, row, column, corners),
                                   getNumber(b, 0));
              return {(Number{&b, carried[0]} + next).value};
            })[0];
        slope =
            (Number{&b, slope} / toNumber(b, b.mul(rows.count, columns.count)))
                .value;
      }
      return weigh({&b, slope},
                   read(b, gradient, {region, point[0], point[1], point[2]}))
          .value;
    }

    RoiAlignGradOp op;
    ConversionPatternRewriter &rewriter;
    Sampling sampling;
    Value input, gradient, roi, batchIndices;
    Type indexType;
    ArrayRef<int64_t> shape, image;
    Type f32;
  };
};
} // namespace

void dml::populateRegionPatterns(const TypeConverter &typeConverter,
                                 RewritePatternSet &patterns) {
  patterns.add<AlignLowering<RoiAlignOp>, AlignLowering<RoiAlign1Op>,
               RoiPoolingLowering, AlignGradLowering>(typeConverter,
                                                      patterns.getContext());
}
