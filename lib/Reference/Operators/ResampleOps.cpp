//===- ResampleOps.cpp - DirectML's resampling operators ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ResampleOps.h"
#include "Arithmetic/Sums.h"
#include "Operators/Evaluators.h"
#include "dml/Reference/Fraction.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace dml::reference {

using llvm::DynamicAPInt;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

namespace {
/// The direction in which a position between two elements is rounded.
enum class Rounding { Down, Up, Nearest };

/// The scale and the offsets of an operator in one dimension. The denominators
/// of all fractions are greater than 0.
struct Sampling {
  Fraction scale, inputOffset, outputOffset;

  /// Returns the position of output `o` in the input: (o - outputOffset) /
  /// scale - inputOffset.
  Fraction getPosition(int64_t o) const {
    DynamicAPInt distance =
        o * outputOffset.denominator - outputOffset.numerator;
    DynamicAPInt denominator = outputOffset.denominator * scale.numerator;
    return {distance * scale.denominator * inputOffset.denominator -
                inputOffset.numerator * denominator,
            denominator * inputOffset.denominator};
  }
};
} // namespace

/// Returns the fraction that an offset represents.
static Fraction getOffset(float value) {
  if (value == 0)
    return {DynamicAPInt(0), DynamicAPInt(1)};
  Fraction fraction = getSimplestFraction(std::fabs(value));
  if (value < 0)
    fraction.numerator = -fraction.numerator;
  return fraction;
}

static SmallVector<Sampling> getSamplings(ArrayRef<float> scales,
                                          ArrayRef<float> inputOffsets,
                                          ArrayRef<float> outputOffsets) {
  SmallVector<Sampling> samplings;
  for (auto [scale, inputOffset, outputOffset] :
       llvm::zip_equal(scales, inputOffsets, outputOffsets))
    samplings.push_back({getSimplestFraction(scale), getOffset(inputOffset),
                         getOffset(outputOffset)});
  return samplings;
}

//===----------------------------------------------------------------------===//
// Nearest neighbour
//===----------------------------------------------------------------------===//

/// Returns the input element, of `size` elements, for output `coordinate`.
static int64_t getNearest(const Sampling &sampling, Rounding rounding,
                          int64_t coordinate, int64_t size) {
  auto [numerator, denominator] = sampling.getPosition(coordinate);
  DynamicAPInt index =
      rounding == Rounding::Up ? ceilDiv(numerator, denominator)
      : rounding == Rounding::Down
          ? floorDiv(numerator, denominator)
          : floorDiv(2 * numerator + denominator, 2 * denominator);
  if (index < 0)
    return 0;
  return static_cast<int64_t>(std::min(index, DynamicAPInt(size - 1)));
}

static void evaluateNearest(ArrayRef<Sampling> samplings, Rounding rounding,
                            const Tensor &input, Tensor &output) {
  gather(input, output, [&](unsigned dim, int64_t coordinate) {
    return getNearest(samplings[dim], rounding, coordinate,
                      input.getShape()[dim]);
  });
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

namespace {
/// The two elements between which an output coordinate lies, in one dimension.
struct Taps {
  int64_t lower, upper;
  /// The weight of the upper element.
  float weight;
};

/// An intermediate result.
struct Sample {
  float value;
  /// The largest error of `value` in a correct implementation.
  double error;
  /// Whether `value` is NaN because of an input element that is NaN, and not
  /// because of infinities, which may be bounds of finite numbers.
  bool fromNaN = false;
};
} // namespace

static Taps getTaps(const Sampling &sampling, int64_t coordinate,
                    int64_t size) {
  auto [numerator, denominator] = sampling.getPosition(coordinate);
  int64_t last = size - 1;
  if (numerator <= 0)
    return {0, 0, 0.0f};
  DynamicAPInt lower = numerator / denominator;
  if (lower >= last)
    return {last, last, 0.0f};
  auto index = static_cast<int64_t>(lower);
  return {index, index + 1, roundToFloat(numerator % denominator, denominator)};
}

/// Performs one interpolation, and computes its error bound
/// (docs/Reference.md).
static Sample interpolate(Sample a, Sample b, float weight) {
  // An element with weight 0 does not contribute: neither its infinities nor
  // its NaNs are propagated, and zeros keep their signs.
  if (weight == 0)
    return a;
  float difference = b.value - a.value;
  float product = weight * difference;
  float value = a.value + product;
  if (!std::isfinite(value))
    return {value, 0.0, a.fromNaN || b.fromNaN};
  const double unit = use(Arithmetic::Interpolation).absolute;
  double inherited = a.error + weight * (b.error - a.error);
  double ofProduct = std::fabs(static_cast<double>(product)),
         ofValue = std::fabs(static_cast<double>(value));
  // The error consists of the roundings of this computation and of the other
  // implementation, of the error of the weight, which may be 2 ULP, of
  // second-order terms, and of denormals flushed to zero.
  double rounding = 2 * (2 * ofProduct + ofValue) * unit;
  double ofWeight = 4 * ofProduct * unit;
  return {value, (inherited + rounding + ofWeight) * (1 + 0x1p-20) +
                     4 * smallestNormal};
}

/// Interpolates along dimension `dim` of samples with shape `shape`, and
/// changes `shape` to the shape of the result.
static std::vector<Sample>
interpolateAlong(unsigned dim, int64_t size, const Sampling &sampling,
                 SmallVectorImpl<int64_t> &shape,
                 const std::vector<Sample> &samples) {
  std::vector<Taps> taps;
  for (int64_t coordinate = 0; coordinate < size; ++coordinate)
    taps.push_back(getTaps(sampling, coordinate, shape[dim]));

  int64_t inner = *getNumElements(ArrayRef(shape).drop_front(dim + 1));
  int64_t outer = *getNumElements(ArrayRef(shape).take_front(dim));
  std::vector<Sample> result;
  result.reserve(outer * size * inner);
  for (int64_t i = 0; i < outer; ++i) {
    const Sample *slab = &samples[i * shape[dim] * inner];
    for (const Taps &tap : taps)
      for (int64_t j = 0; j < inner; ++j)
        result.push_back(interpolate(slab[tap.lower * inner + j],
                                     slab[tap.upper * inner + j], tap.weight));
  }
  shape[dim] = size;
  return result;
}

/// `isExact` states that the input is not a bound.
static void evaluateLinear(ArrayRef<Sampling> samplings,
                           Evaluators::Bound bound, bool isExact,
                           const Tensor &input, Tensor &output) {
  using Bound = Evaluators::Bound;
  // A device may replace denormals of f16 by zeros in conversions, which causes
  // a larger error than f32 arithmetic.
  const double flushedBelow =
      input.getDataType() == DataType::FLOAT16 ? 0x1p-14 : 0.0;
  std::vector<Sample> samples(input.getNumElements());
  for (auto [index, sample] : llvm::enumerate(samples)) {
    double number = input.getNumber(index), magnitude = std::fabs(number);
    sample = {static_cast<float>(number),
              magnitude < flushedBelow ? magnitude : 0.0, std::isnan(number)};
  }
  SmallVector<int64_t> shape(input.getShape());
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    samples = interpolateAlong(dim, output.getShape()[dim], samplings[dim],
                               shape, samples);
  // Rounding to the element type is monotonic, so that it preserves bounds.
  for (auto [index, sample] : llvm::enumerate(samples)) {
    double number = sample.value;
    if (bound == Bound::Lower && !isExact && std::isnan(number) &&
        !sample.fromNaN)
      number = -std::numeric_limits<double>::infinity();
    if (bound == Bound::Lower)
      number -= sample.error;
    else if (bound == Bound::Upper && sample.error != 0) // -0 + 0 is +0.
      number += sample.error;
    if (bound != Bound::Value && std::fabs(number) < flushedBelow &&
        (number > 0) == (bound == Bound::Lower))
      number = 0;
    output.setNumber(index, number);
  }
}

/// Sets an element of `upper` to NaN, so that the element may be anything, if
/// it interpolates between elements of `input` that may be finite or infinite.
/// For example, two neighbours in [-infinity, -3e38] may have -3e38 between
/// them, or NaN, which is the difference of infinities.
static LogicalResult admitNaNs(ArrayRef<Sampling> samplings,
                               const Estimate &input, Tensor &upper) {
  FailureOr<Tensor> endless =
      Tensor::create(DataType::FLOAT32, input.value.getShape());
  FailureOr<Tensor> reached =
      Tensor::create(DataType::FLOAT32, upper.getShape());
  if (failed(endless) || failed(reached))
    return failure();
  for (int64_t index = 0; index < endless->getNumElements(); ++index) {
    double low = input.lower.getNumber(index),
           high = input.upper.getNumber(index);
    bool mayBeInfinite = low != high && (std::isinf(low) || std::isinf(high));
    endless->setNumber(
        index, mayBeInfinite ? std::numeric_limits<double>::infinity() : 0);
  }
  evaluateLinear(samplings, Evaluators::Bound::Value, /*isExact=*/true,
                 *endless, *reached);
  for (int64_t index = 0; index < upper.getNumElements(); ++index)
    if (!std::isfinite(reached->getNumber(index)))
      upper.setNumber(index, std::numeric_limits<double>::quiet_NaN());
  return success();
}

/// Returns a number d such that the weights of a dimension are multiples of 1 /
/// d.
static DynamicAPInt getDivisor(const Sampling &sampling) {
  Fraction first = sampling.getPosition(0), second = sampling.getPosition(1);
  return first.denominator /
         gcd(gcd(abs(second.numerator - first.numerator), abs(first.numerator)),
             first.denominator);
}

/// Returns the common divisor of the weights in all dimensions, if 8-bit
/// elements are interpolated without intermediate rounding. Returns nothing
/// otherwise.
static std::optional<int64_t> getCommonDivisor(ArrayRef<Sampling> samplings,
                                               DataType type) {
  if (type != DataType::INT8 && type != DataType::UINT8)
    return std::nullopt;
  DynamicAPInt product(1);
  for (const Sampling &sampling : samplings) {
    product *= getDivisor(sampling);
    if (product > (1 << 14))
      return std::nullopt;
  }
  return static_cast<int64_t>(product);
}

/// Interpolates integers, and rounds only the result, ties to even.
static void evaluateWholes(ArrayRef<Sampling> samplings, int64_t divisor,
                           const Tensor &input, Tensor &output) {
  std::vector<int64_t> wholes(input.getNumElements());
  for (auto [index, whole] : llvm::enumerate(wholes))
    whole = static_cast<int64_t>(input.getNumber(index));
  SmallVector<int64_t> shape(input.getShape());
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    int64_t size = output.getShape()[dim], last = shape[dim] - 1;
    int64_t inner = *getNumElements(ArrayRef(shape).drop_front(dim + 1));
    int64_t outer = *getNumElements(ArrayRef(shape).take_front(dim));
    DynamicAPInt ofDim = getDivisor(samplings[dim]);
    std::vector<int64_t> result(outer * size * inner);
    for (int64_t o = 0; o < size; ++o) {
      // Positions beyond the centres of the outermost elements take the nearest
      // element.
      Fraction position = samplings[dim].getPosition(o);
      DynamicAPInt lower = floorDiv(position.numerator, position.denominator);
      int64_t low = lower < 0      ? 0
                    : lower > last ? last
                                   : static_cast<int64_t>(lower);
      int64_t high = lower < 0 ? 0 : std::min(low + 1, last);
      auto weight = static_cast<int64_t>(
          (position.numerator - lower * position.denominator) * ofDim /
          position.denominator);
      for (int64_t i = 0; i < outer; ++i)
        for (int64_t j = 0; j < inner; ++j) {
          int64_t a = wholes[(i * shape[dim] + low) * inner + j],
                  b = wholes[(i * shape[dim] + high) * inner + j];
          result[(i * size + o) * inner + j] =
              a * static_cast<int64_t>(ofDim) + weight * (b - a);
        }
    }
    shape[dim] = size;
    wholes = std::move(result);
  }
  for (auto [index, whole] : llvm::enumerate(wholes)) {
    int64_t quotient = llvm::divideFloorSigned(whole, divisor);
    int64_t rest = whole - quotient * divisor;
    if (2 * rest > divisor || (2 * rest == divisor && quotient % 2 != 0))
      ++quotient;
    output.setNumber(index, static_cast<double>(quotient));
  }
}

//===----------------------------------------------------------------------===//
// Sums along dimensions
//===----------------------------------------------------------------------===//

namespace {
/// The numbers of a tensor during a computation, in row-major order.
struct Numbers {
  SmallVector<int64_t> shape;
  std::vector<Interval> values;

  explicit Numbers(const Estimate &tensor) : shape(tensor.value.getShape()) {
    for (int64_t i = 0; i < tensor.value.getNumElements(); ++i)
      values.push_back(Interval::load(tensor, i));
  }

  /// Replaces each line along dimension `dim` by a line of `size` numbers,
  /// which `function` writes.
  void
  mapLines(unsigned dim, int64_t size,
           llvm::function_ref<void(llvm::function_ref<Interval(int64_t)> line,
                                   llvm::function_ref<void(int64_t, Interval)>)>
               function) {
    int64_t inner = *getNumElements(ArrayRef(shape).drop_front(dim + 1));
    int64_t outer = *getNumElements(ArrayRef(shape).take_front(dim));
    std::vector<Interval> result(outer * size * inner, Interval(0));
    for (int64_t i = 0; i < outer; ++i)
      for (int64_t j = 0; j < inner; ++j)
        function(
            [&](int64_t at) {
              return values[(i * shape[dim] + at) * inner + j];
            },
            [&](int64_t at, Interval number) {
              result[(i * size + at) * inner + j] = number;
            });
    values = std::move(result);
    shape[dim] = size;
  }

  LogicalResult store(Operation *op, Evaluators::Estimates &outputs) const {
    FailureOr<Estimate> output = createBounds(op, op->getResult(0).getType());
    if (failed(output))
      return failure();
    for (auto [index, value] : llvm::enumerate(values))
      value.store(*output, static_cast<int64_t>(index));
    outputs.push_back(std::move(*output));
    return success();
  }
};
} // namespace

/// The number of an element, and its weight.
using Weight = std::pair<int64_t, float>;

/// Returns the elements, of `size`, that an output averages with a stretched
/// filter.
static SmallVector<Weight> getStretchedWeights(const Sampling &sampling,
                                               int64_t coordinate,
                                               int64_t size) {
  // Element k has the weight 1 - |k - x| / f. All weights are multiplied by f
  // and by the denominators of f and x.
  auto [numerator, denominator] = sampling.getPosition(coordinate);
  const auto &[p, q] = sampling.scale;
  DynamicAPInt x = numerator * p, unit = denominator * p, f = q * denominator;
  auto getWeight = [&](const DynamicAPInt &k) { return f - abs(k * unit - x); };
  DynamicAPInt first = floorDiv(x - f, unit) + 1,
               last = ceilDiv(x + f, unit) - 1;
  // Returns the sum of the weights of the elements `from` to `to`, which all
  // lie on one side of x.
  auto addUp = [&](const DynamicAPInt &from, const DynamicAPInt &to) {
    return from > to ? DynamicAPInt(0)
                     : (getWeight(from) + getWeight(to)) * (to - from + 1) / 2;
  };
  auto addUpAll = [&](const DynamicAPInt &from, const DynamicAPInt &to) {
    DynamicAPInt below = floorDiv(x, unit);
    return addUp(from, std::min(to, below)) +
           addUp(std::max(from, below + 1), to);
  };
  DynamicAPInt total = addUpAll(first, last), end(size - 1);
  SmallVector<Weight> weights;
  auto add = [&](const DynamicAPInt &index, const DynamicAPInt &weight) {
    if (float part = roundToFloat(weight, total); part != 0)
      weights.push_back({static_cast<int64_t>(index), part});
  };
  if (size == 1 || last <= 0)
    return {{0, 1.0f}};
  if (first >= end)
    return {{size - 1, 1.0f}};
  if (first <= 0)
    add(DynamicAPInt(0), addUpAll(first, DynamicAPInt(0)));
  for (DynamicAPInt k = std::max(first, DynamicAPInt(1));
       k <= std::min(last, end - 1); ++k)
    add(k, getWeight(k));
  if (last >= end)
    add(end, addUpAll(end, last));
  return weights;
}

/// Interpolates linearly, and averages along each dimension that shrinks.
static LogicalResult evaluateAntialiased(Operation *op,
                                         ArrayRef<Sampling> samplings,
                                         const Estimate &input,
                                         Evaluators::Estimates &outputs) {
  auto sizes = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  Numbers numbers(input);
  auto shrinks = [&](unsigned dim) {
    return samplings[dim].scale.numerator < samplings[dim].scale.denominator;
  };
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    if (!shrinks(dim))
      continue;
    std::vector<SmallVector<Weight>> weights;
    for (int64_t o = 0; o < sizes[dim]; ++o)
      weights.push_back(
          getStretchedWeights(samplings[dim], o, numbers.shape[dim]));
    numbers.mapLines(dim, sizes[dim], [&](auto line, auto write) {
      for (auto [o, ofOutput] : llvm::enumerate(weights)) {
        Sum sum;
        for (auto [k, weight] : ofOutput)
          sum.add(Interval(weight) * line(k));
        write(static_cast<int64_t>(o), sum.get());
      }
    });
  }
  for (unsigned dim = sizes.size(); dim-- > 0;) {
    if (shrinks(dim))
      continue;
    int64_t size = numbers.shape[dim];
    numbers.mapLines(dim, sizes[dim], [&](auto line, auto write) {
      for (int64_t o = 0; o < sizes[dim]; ++o) {
        Taps taps = getTaps(samplings[dim], o, size);
        Interval low = line(taps.lower);
        // The error of the weight may be 2 ULP.
        Interval weight =
            Interval::around(taps.weight, taps.weight, taps.weight, 2);
        write(o,
              taps.weight == 0 ? low : low + weight * (line(taps.upper) - low));
      }
    });
  }
  return numbers.store(op, outputs);
}

/// Computes the gradient of a resampling's input: each element adds up the
/// gradients of the outputs to which it contributed, with the same weights.
template <typename OpTy>
static LogicalResult evaluateGradient(OpTy op, ArrayRef<Estimate> operands,
                                      Evaluators::Estimates &outputs) {
  auto rounding = Rounding::Nearest;
  if constexpr (std::is_same_v<OpTy, ResampleGrad1Op>)
    rounding = op.getRoundingDirection() == AxisDirection::increasing
                   ? Rounding::Up
                   : Rounding::Down;
  auto sizes = op.getOutputGradient().getType();
  Numbers numbers(operands[0]);
  for (auto it :
       llvm::enumerate(getSamplings(op.getScales(), op.getInputPixelOffsets(),
                                    op.getOutputPixelOffsets()))) {
    size_t dim = it.index();
    const Sampling &sampling = it.value();
    int64_t size = cast<RankedTensorType>(sizes).getDimSize(dim);
    numbers.mapLines(dim, size, [&](auto line, auto write) {
      std::vector<Sum> sums(size);
      for (int64_t o = 0; o < numbers.shape[dim]; ++o) {
        if (op.getMode() == InterpolationMode::nearest_neighbor) {
          sums[getNearest(sampling, rounding, o, size)].add(line(o));
          continue;
        }
        Taps taps = getTaps(sampling, o, size);
        auto add = [&](int64_t element, Interval weight) {
          if (weight.low != 0 || weight.high != 0)
            sums[element].add(weight * line(o));
        };
        add(taps.lower, Interval(1) - Interval(taps.weight));
        add(taps.upper, Interval(taps.weight));
      }
      for (auto [i, sum] : llvm::enumerate(sums))
        write(static_cast<int64_t>(i), sum.get());
    });
  }
  return numbers.store(op, outputs);
}

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

/// Evaluates `op`, which resamples in the mode `mode`.
static LogicalResult evaluate(Operation *op, InterpolationMode mode,
                              Rounding rounding, ArrayRef<Sampling> samplings,
                              ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  bool isLinear = mode == InterpolationMode::linear;
  switch (operands[0].value.getDataType()) {
  case DataType::FLOAT32:
  case DataType::FLOAT16:
  case DataType::INT8:
  case DataType::UINT8:
    break;
  default:
    if (isLinear)
      return op->emitOpError("interpolates elements of type ")
             << cast<RankedTensorType>(op->getOperand(0).getType())
                    .getElementType()
             << ", but the interpreter knows f32, f16, i8 and ui8";
  }
  std::optional<int64_t> divisor;
  if (isLinear)
    divisor = getCommonDivisor(samplings, operands[0].value.getDataType());
  // Interpolation with weights between 0 and 1 is monotonic in each element.
  return Evaluators::evaluateEach(
      op, operands, outputs,
      [&](ArrayRef<Tensor> in, MutableArrayRef<Tensor> out,
          Evaluators::Bound bound) {
        if (divisor)
          evaluateWholes(samplings, *divisor, in[0], out[0]);
        else if (isLinear)
          evaluateLinear(samplings, bound, operands[0].isExact(), in[0],
                         out[0]);
        else
          evaluateNearest(samplings, rounding, in[0], out[0]);
        if (isLinear && !divisor && bound == Evaluators::Bound::Upper &&
            !operands[0].isExact())
          return admitNaNs(samplings, operands[0], out[0]);
        return success();
      },
      /*isCertain=*/!isLinear || divisor);
}

static LogicalResult evaluateResample(ResampleOp op,
                                      ArrayRef<Estimate> operands,
                                      Evaluators::Estimates &outputs) {
  size_t rank = op.getScales().size();
  return evaluate(op, op.getMode(), Rounding::Nearest,
                  getSamplings(op.getScales(), SmallVector<float>(rank, 0.5f),
                               SmallVector<float>(rank, -0.5f)),
                  operands, outputs);
}

template <typename OpTy>
static LogicalResult evaluateOffset(OpTy op, ArrayRef<Estimate> operands,
                                    Evaluators::Estimates &outputs) {
  auto rounding = Rounding::Nearest;
  if constexpr (!std::is_same_v<OpTy, Resample1Op>)
    rounding = op.getRoundingDirection() == AxisDirection::increasing
                   ? Rounding::Up
                   : Rounding::Down;
  SmallVector<Sampling> samplings = getSamplings(
      op.getScales(), op.getInputPixelOffsets(), op.getOutputPixelOffsets());
  if constexpr (std::is_same_v<OpTy, Resample3Op>)
    if (op.getAntialiased() && op.getMode() == InterpolationMode::linear)
      return evaluateAntialiased(op, samplings, operands[0], outputs);
  return evaluate(op, op.getMode(), rounding, samplings, operands, outputs);
}

static LogicalResult evaluateUpsample(Upsample2dOp op,
                                      ArrayRef<Estimate> operands,
                                      Evaluators::Estimates &outputs) {
  Fraction one = {DynamicAPInt(1), DynamicAPInt(1)};
  Fraction half = {DynamicAPInt(1), DynamicAPInt(2)};
  Fraction minusHalf = {DynamicAPInt(-1), DynamicAPInt(2)};
  SmallVector<Sampling> samplings(
      cast<RankedTensorType>(op.getInput().getType()).getRank() - 2,
      Sampling{one, half, minusHalf});
  for (int64_t factor : op.getScaleSize())
    samplings.push_back(
        {{DynamicAPInt(factor), DynamicAPInt(1)}, half, minusHalf});
  return evaluate(op, op.getMode(), Rounding::Nearest, samplings, operands,
                  outputs);
}

void addResampleEvaluators(Evaluators &evaluators) {
  evaluators.add<ResampleOp>(evaluateResample);
  evaluators.add<Resample1Op>(evaluateOffset<Resample1Op>);
  evaluators.add<Resample2Op>(evaluateOffset<Resample2Op>);
  evaluators.add<Resample3Op>(evaluateOffset<Resample3Op>);
  evaluators.add<ResampleGradOp>(evaluateGradient<ResampleGradOp>);
  evaluators.add<ResampleGrad1Op>(evaluateGradient<ResampleGrad1Op>);
  evaluators.add<Upsample2dOp>(evaluateUpsample);
}

} // namespace dml::reference
