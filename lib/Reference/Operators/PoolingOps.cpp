//===- PoolingOps.cpp - DirectML's pooling operators ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PoolingOps.h"
#include "Arithmetic/Sets.h"
#include "Arithmetic/Sums.h"
#include "Operators/ElementWiseRows.h"
#include "Operators/Evaluators.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace dml::reference {

namespace {
/// The elements of a window that lie inside of the tensor, in one dimension:
/// `count` elements with the coordinates `begin`, `begin + step`, and so on.
struct Span {
  int64_t begin, count, step;
};
} // namespace

/// Returns the windows of a pooling, separately for each dimension.
template <typename OpTy>
static SmallVector<std::vector<Span>> getSpans(OpTy op, ArrayRef<int64_t> sizes,
                                               ArrayRef<int64_t> windows) {
  ArrayRef<int64_t> dilations = op.getDilations();
  SmallVector<std::vector<Span>> spans(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i)
    for (int64_t window = 0; window < windows[i]; ++window) {
      int64_t step = dilations.empty() ? 1 : dilations[i];
      int64_t first = window * op.getStrides()[i] - op.getStartPadding()[i];
      int64_t begin = first < 0 ? (-first + step - 1) / step : 0;
      int64_t end = first < sizes[i] ? (sizes[i] - 1 - first) / step + 1 : 0;
      end = std::min(end, op.getWindowSize()[i]);
      spans[i].push_back(
          {first + begin * step, std::max<int64_t>(end - begin, 0), step});
    }
  return spans;
}

/// Calls `callback` with the positions, within their plane, of the elements of
/// `window` that lie inside of the tensor, in row-major order.
static void forEachElement(ArrayRef<std::vector<Span>> spans,
                           ArrayRef<int64_t> sizes, ArrayRef<int64_t> window,
                           llvm::function_ref<void(int64_t)> callback) {
  SmallVector<int64_t> counts;
  for (auto [dim, index] : llvm::zip_equal(spans, window))
    counts.push_back(dim[index].count);
  forEachCoordinate(counts, [&](ArrayRef<int64_t> k) {
    int64_t position = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const Span &span = spans[i][window[i]];
      position = position * sizes[i] + span.begin + k[i] * span.step;
    }
    callback(position);
  });
}

static LogicalResult evaluateTensors(MaxPoolingGradOp op, const Tensor &input,
                                     const Tensor &inputGradient,
                                     Tensor &outputGradient) {
  if (input.getDataType() != DataType::FLOAT32 &&
      input.getDataType() != DataType::FLOAT16)
    return op.emitOpError("compares elements of type ")
           << op.getInput().getType().getElementType()
           << ", but the interpreter knows f32 and f16";

  ArrayRef<int64_t> sizes = input.getShape().drop_front(2);
  ArrayRef<int64_t> windows = inputGradient.getShape().drop_front(2);
  SmallVector<std::vector<Span>> spans = getSpans(op, sizes, windows);

  int64_t planeSize = *getNumElements(sizes);
  std::vector<float> sums(planeSize);
  ArithmeticLog::noteOrderedSum();
  int64_t gradient = 0, planeBegin = 0;
  for (int64_t plane = 0, planes = input.getShape()[0] * input.getShape()[1];
       plane < planes; ++plane, planeBegin += planeSize) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    forEachCoordinate(windows, [&](ArrayRef<int64_t> window) {
      int64_t winner = -1;
      double maximum = 0;
      // In row-major order, the lowest logical index comes first.
      forEachElement(spans, sizes, window, [&](int64_t position) {
        double value = input.getNumber(planeBegin + position);
        if (winner >= 0 && !(value > maximum) &&
            !(std::isnan(value) && !std::isnan(maximum)))
          return;
        winner = position;
        maximum = value;
      });
      if (winner >= 0)
        sums[winner] += static_cast<float>(inputGradient.getNumber(gradient));
      ++gradient;
    });
    for (int64_t i = 0; i < planeSize; ++i)
      outputGradient.setNumber(planeBegin + i, sums[i]);
  }
  return success();
}

static LogicalResult evaluate(MaxPoolingGradOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  if (!operands[0].isExact())
    return op.emitOpError("looks for maxima in an input that is known within "
                          "bounds only");
  if (failed(Evaluators::evaluateEach(
          op, operands, outputs,
          [&](ArrayRef<Tensor> in, MutableArrayRef<Tensor> out,
              Evaluators::Bound) {
            return evaluateTensors(op, in[0], in[1], out[0]);
          })))
    return failure();
  // The bits of sums are not certain.
  outputs[0].isBitExact = false;
  return success();
}

/// Whether element `index` is greater than element `best`. NaN is greater than
/// each number.
static bool isGreater(const Tensor &input, int64_t index, int64_t best) {
  switch (input.getDataType()) {
  case DataType::FLOAT16:
  case DataType::FLOAT32:
  case DataType::FLOAT64: {
    double lhs = input.getNumber(index), rhs = input.getNumber(best);
    return lhs > rhs || (std::isnan(lhs) && !std::isnan(rhs));
  }
  default:
    return input.getInteger(index) > input.getInteger(best);
  }
}

/// Stores the lowest value of the type of `tensor` at `index`.
static void setLowest(Tensor &tensor, int64_t index) {
  // Integers saturate.
  tensor.setNumber(index, -std::numeric_limits<double>::infinity());
}

/// Computes the maxima of windows, and their indices if `indices` is not null.
template <typename OpTy>
static void evaluateMaxima(OpTy op, const Tensor &input, Tensor &output,
                           Tensor *indices) {
  ArrayRef<int64_t> sizes = input.getShape().drop_front(2);
  ArrayRef<int64_t> windows = output.getShape().drop_front(2);
  SmallVector<std::vector<Span>> spans = getSpans(op, sizes, windows);
  int64_t planeSize = *getNumElements(sizes), index = 0;
  unsigned width = getByteWidth(input.getDataType());
  for (int64_t plane = 0, planes = input.getShape()[0] * input.getShape()[1];
       plane < planes; ++plane)
    forEachCoordinate(windows, [&](ArrayRef<int64_t> window) {
      int64_t winner = -1;
      forEachElement(spans, sizes, window, [&](int64_t position) {
        position += plane * planeSize;
        if (winner < 0 || isGreater(input, position, winner))
          winner = position;
      });
      if (winner < 0)
        setLowest(output, index);
      else
        std::copy_n(input.getData() + winner * width, width,
                    output.getData() + index * width);
      // The index for a window without a maximum has all bits set.
      if (indices)
        indices->setInteger(index, winner);
      ++index;
    });
}

/// Maxima are monotonic in the elements, but the positions of maxima are not.
template <typename OpTy>
static LogicalResult evaluateMaxima(OpTy op, ArrayRef<Estimate> operands,
                                    Evaluators::Estimates &outputs) {
  if (op->getNumResults() > 1 && !operands[0].isExact())
    return op.emitOpError("looks for the places of maxima in an input that is "
                          "known within bounds only");
  return Evaluators::evaluateEach(
      op, operands, outputs,
      [&](ArrayRef<Tensor> in, MutableArrayRef<Tensor> out, Evaluators::Bound) {
        evaluateMaxima(op, in[0], out[0], out.size() > 1 ? &out[1] : nullptr);
        return success();
      });
}

/// Calls `callback` for each window of `op`, in row-major order. `places` are
/// the positions in `input` of the window's elements that lie inside.
template <typename OpTy>
static void
forEachWindow(OpTy op, const Tensor &input, const Tensor &windows,
              llvm::function_ref<void(int64_t window, ArrayRef<int64_t> places)>
                  callback) {
  ArrayRef<int64_t> sizes = input.getShape().drop_front(2);
  ArrayRef<int64_t> counts = windows.getShape().drop_front(2);
  SmallVector<std::vector<Span>> spans = getSpans(op, sizes, counts);
  int64_t planeSize = *getNumElements(sizes), number = 0,
          planes = input.getShape()[0] * input.getShape()[1];
  SmallVector<int64_t> places;
  for (int64_t plane = 0; plane < planes; ++plane)
    forEachCoordinate(counts, [&](ArrayRef<int64_t> window) {
      places.clear();
      forEachElement(spans, sizes, window, [&](int64_t position) {
        places.push_back(plane * planeSize + position);
      });
      callback(number++, places);
    });
}

/// Returns the number of elements of a window, including padding.
template <typename OpTy> static int64_t getWindowCount(OpTy op) {
  int64_t count = 1;
  for (int64_t size : op.getWindowSize())
    count *= size;
  return count;
}

/// Returns the divisor for a window with `count` elements inside of the tensor.
template <typename OpTy> static Interval getDivisor(OpTy op, size_t count) {
  if (op.getIncludePadding())
    return Interval(static_cast<double>(getWindowCount(op)));
  return Interval(static_cast<double>(std::max<size_t>(count, 1)));
}

/// For each window, adds up `term` over the window's elements, and stores the
/// result of `finish`, which receives the sum and the number of elements inside
/// of the tensor.
template <typename OpTy>
static LogicalResult
evaluateSums(OpTy op, const Estimate &input, Evaluators::Estimates &outputs,
             llvm::function_ref<Interval(Interval element)> term,
             llvm::function_ref<Interval(Interval sum, size_t count)> finish) {
  FailureOr<Estimate> output = createBounds(op, op.getOutput().getType());
  if (failed(output))
    return failure();
  forEachWindow(op, input.value, output->value,
                [&](int64_t window, ArrayRef<int64_t> places) {
                  Sum sum;
                  for (int64_t place : places)
                    sum.add(term(Interval::load(input, place)));
                  finish(sum.get(), places.size()).store(*output, window);
                });
  outputs.push_back(std::move(*output));
  return success();
}

template <typename OpTy>
static LogicalResult evaluateAverages(OpTy op, ArrayRef<Estimate> operands,
                                      Evaluators::Estimates &outputs) {
  return evaluateSums(
      op, operands[0], outputs, [](Interval element) { return element; },
      [&](Interval sum, size_t count) { return sum / getDivisor(op, count); });
}

/// Computes `x` to the power of `p`. In any order of multiplication, p - 1
/// products are rounded.
static Interval raise(Interval x, int64_t p) {
  if (p == 1)
    return x;
  Interval root = raise(x, p / 2), power = root * root;
  return p % 2 == 1 ? power * x : power;
}

template <typename OpTy>
static LogicalResult evaluateNorms(OpTy op, ArrayRef<Estimate> operands,
                                   Evaluators::Estimates &outputs) {
  int64_t p = op.getP();
  return evaluateSums(
      op, operands[0], outputs,
      [&](Interval element) { return raise(abs(element), p); },
      [&](Interval sum, size_t) {
        if (p == 1)
          return sum;
        // The sum is not negative, even if its bounds are.
        sum.low = std::max(sum.low, 0.0);
        if (p == 2)
          return sqrt(sum);
        Interval root = exp(log(sum) / Interval(static_cast<double>(p)));
        return select(sum.equals(Interval(0)), Interval(0), root);
      });
}

static LogicalResult evaluateGradient(AveragePoolingGradOp op,
                                      ArrayRef<Estimate> operands,
                                      Evaluators::Estimates &outputs) {
  const Estimate &gradient = operands[0];
  FailureOr<Estimate> output =
      createBounds(op, op.getOutputGradient().getType());
  if (failed(output))
    return failure();
  std::vector<Sum> sums(output->value.getNumElements());
  forEachWindow(op, output->value, gradient.value,
                [&](int64_t window, ArrayRef<int64_t> places) {
                  Interval share = Interval::load(gradient, window) /
                                   getDivisor(op, places.size());
                  for (int64_t place : places)
                    sums[place].add(share);
                });
  for (auto [place, sum] : llvm::enumerate(sums))
    sum.get().store(*output, place);
  outputs.push_back(std::move(*output));
  return success();
}

static LogicalResult evaluateQuantized(QuantizedLinearAveragePoolingOp op,
                                       ArrayRef<Estimate> operands,
                                       Evaluators::Estimates &outputs) {
  const Estimate &input = operands[0];
  NamedOperands in(op, operands);
  FailureOr<Estimate> output = createBounds(op, op.getOutput().getType());
  if (failed(output))
    return failure();
  ArrayRef<int64_t> shape = output->value.getShape();
  int64_t planeSize = *getNumElements(shape.drop_front(2));
  forEachWindow(
      op, input.value, output->value,
      [&](int64_t window, ArrayRef<int64_t> places) {
        // Returns the index of the scale or zero point for the window's
        // channel.
        auto getChannel = [&](const Estimate &parameter) -> int64_t {
          return parameter.value.getNumElements() == 1
                     ? 0
                     : window / planeSize % shape[1];
        };
        auto load = [&](const Estimate &parameter) {
          return Interval::load(parameter, getChannel(parameter));
        };
        // Integer sums are exact, so that their bounds are integers as well.
        const Estimate *zero = in.getInputZeroPoint();
        ArithmeticLog::noteIntegerSum(32);
        int64_t value = 0, low = 0, high = 0;
        for (int64_t place : places) {
          value += input.value.getInteger(place);
          low += input.lower.getInteger(place);
          high += input.upper.getInteger(place);
        }
        auto count = static_cast<int64_t>(places.size());
        if (zero) {
          int64_t channel = getChannel(*zero);
          value -= count * zero->value.getInteger(channel);
          low -= count * zero->upper.getInteger(channel);
          high -= count * zero->lower.getInteger(channel);
        }
        // The conversion to f32 rounds sums above 2^24.
        Interval sum = Interval::around(
            static_cast<float>(value), static_cast<double>(low),
            static_cast<double>(high),
            std::max(std::abs(low), std::abs(high)) > (1 << 24) ? 1 : 0);
        Interval average =
            sum * load(*in.getInputScale()) / getDivisor(op, places.size());
        Interval result = roundEven(average / load(*in.getOutputScale()));
        if (const Estimate *outputZero = in.getOutputZeroPoint())
          result = result + load(*outputZero);
        storeQuantized(result, *output, window);
      });
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

static LogicalResult evaluateUnpooling(MaxUnpoolingOp op,
                                       ArrayRef<Tensor> operands,
                                       MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0], &indices = operands[1];
  Tensor &output = outputs[0];
  unsigned width = getByteWidth(input.getDataType());
  for (int64_t i = 0; i < input.getNumElements(); ++i) {
    __int128 place = indices.getInteger(i);
    if (place < output.getNumElements())
      std::copy_n(input.getData() + i * width, width,
                  output.getData() + static_cast<int64_t>(place) * width);
  }
  return success();
}

void addPoolingEvaluators(Evaluators &evaluators) {
  evaluators.add<AveragePooling1Op>(evaluateAverages);
  evaluators.add<AveragePoolingGradOp>(evaluateGradient);
  evaluators.add<AveragePoolingOp>(evaluateAverages);
  evaluators.add<LpPooling1Op>(evaluateNorms);
  evaluators.add<LpPoolingOp>(evaluateNorms);
  evaluators.add<MaxPooling1Op>(evaluateMaxima);
  evaluators.add<MaxPooling2Op>(evaluateMaxima);
  evaluators.add<MaxPoolingGradOp>(evaluate);
  evaluators.add<MaxPoolingOp>(evaluateMaxima);
  evaluators.addIndexedMovement<MaxUnpoolingOp>(evaluateUnpooling, {1});
  evaluators.add<QuantizedLinearAveragePoolingOp>(evaluateQuantized);
}

} // namespace dml::reference
