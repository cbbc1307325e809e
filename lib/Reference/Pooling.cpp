//===- Pooling.cpp - DirectML's pooling operators -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Sets.h"
#include "Sums.h"
#include "dml/IR/PoolingOps.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace dml::reference {

namespace {
/// Those elements of a window that lie inside the tensor, in one dimension:
/// `begin`, `begin + step`, ..., `count` of them.
struct Span {
  int64_t begin, count, step;
};
} // namespace

/// The windows of a pooling, in one dimension each.
template <typename OpTy>
static SmallVector<std::vector<Span>>
getSpans(OpTy op, ArrayRef<int64_t> dilations, ArrayRef<int64_t> sizes,
         ArrayRef<int64_t> windows) {
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

/// Calls `callback` with the positions in their plane of the elements of
/// `window` that lie inside the tensor, in row-major order.
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
  SmallVector<std::vector<Span>> spans =
      getSpans(op, op.getDilations(), sizes, windows);

  int64_t planeSize = *getNumElements(sizes);
  std::vector<float> sums(planeSize);
  int64_t gradient = 0, planeBegin = 0;
  for (int64_t plane = 0, planes = input.getShape()[0] * input.getShape()[1];
       plane < planes; ++plane, planeBegin += planeSize) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    forEachCoordinate(windows, [&](ArrayRef<int64_t> window) {
      int64_t winner = -1;
      double maximum = 0;
      // Row-major order meets the lowest logical index first.
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
  // Sums have no certain bits.
  outputs[0].isBitExact = false;
  return success();
}

/// Whether element `index` is greater than element `best`: NaN is greater than
/// any number.
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

/// The lowest value of the type of `tensor`, at `index`.
static void setLowest(Tensor &tensor, int64_t index) {
  // Integers saturate.
  tensor.setNumber(index, -std::numeric_limits<double>::infinity());
}

/// The maxima of windows, and their indices in `indices`, if that is not null.
template <typename OpTy>
static void evaluateMaxima(OpTy op, ArrayRef<int64_t> dilations,
                           const Tensor &input, Tensor &output,
                           Tensor *indices) {
  ArrayRef<int64_t> sizes = input.getShape().drop_front(2);
  ArrayRef<int64_t> windows = output.getShape().drop_front(2);
  SmallVector<std::vector<Span>> spans =
      getSpans(op, dilations, sizes, windows);
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
      // No winner is -1, all bits.
      if (indices)
        indices->setInteger(index, winner);
      ++index;
    });
}

/// Maxima grow with their elements, but their places do not.
template <typename OpTy>
static LogicalResult evaluateMaxima(OpTy op, ArrayRef<int64_t> dilations,
                                    ArrayRef<Estimate> operands,
                                    Evaluators::Estimates &outputs) {
  if (op->getNumResults() > 1 && !operands[0].isExact())
    return op.emitOpError("looks for the places of maxima in an input that is "
                          "known within bounds only");
  return Evaluators::evaluateEach(
      op, operands, outputs,
      [&](ArrayRef<Tensor> in, MutableArrayRef<Tensor> out, Evaluators::Bound) {
        evaluateMaxima(op, dilations, in[0], out[0],
                       out.size() > 1 ? &out[1] : nullptr);
        return success();
      });
}

static LogicalResult evaluate(MaxPooling2Op op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  return evaluateMaxima(op, op.getDilations(), operands, outputs);
}

/// Sums of `term` over the elements of each window, and what `finish` makes of
/// a sum and of how many elements of its window lie inside the tensor.
template <typename OpTy>
static LogicalResult
evaluateSums(OpTy op, ArrayRef<int64_t> dilations, const Estimate &input,
             Evaluators::Estimates &outputs,
             llvm::function_ref<Interval(Interval element)> term,
             llvm::function_ref<Interval(Interval sum, int64_t count)> finish) {
  FailureOr<Estimate> created = createBounds(op, op.getOutput().getType());
  if (failed(created))
    return failure();
  Estimate &output = *created;
  ArrayRef<int64_t> sizes = input.value.getShape().drop_front(2);
  ArrayRef<int64_t> windows = output.value.getShape().drop_front(2);
  SmallVector<std::vector<Span>> spans =
      getSpans(op, dilations, sizes, windows);
  int64_t planeSize = *getNumElements(sizes), index = 0,
          planes = output.value.getShape()[0] * output.value.getShape()[1];
  for (int64_t plane = 0; plane < planes; ++plane)
    forEachCoordinate(windows, [&](ArrayRef<int64_t> window) {
      Sum sum;
      int64_t count = 0;
      forEachElement(spans, sizes, window, [&](int64_t position) {
        sum.add(term(Interval::load(input, plane * planeSize + position)));
        ++count;
      });
      finish(sum.get(), count).store(output, index++);
    });
  outputs.push_back(output);
  return success();
}

/// The number of elements of a window, padding included.
template <typename OpTy> static int64_t getWindowCount(OpTy op) {
  int64_t count = 1;
  for (int64_t size : op.getWindowSize())
    count *= size;
  return count;
}

static LogicalResult evaluate(AveragePoolingOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  return evaluateSums(
      op, {}, operands[0], outputs, [](Interval element) { return element; },
      [&](Interval sum, int64_t count) {
        int64_t divisor = op.getIncludePadding() ? getWindowCount(op) : count;
        return sum / Interval(std::max<int64_t>(divisor, 1));
      });
}

void addPoolingEvaluators(Evaluators &evaluators) {
  evaluators.add<AveragePoolingOp>(evaluate);
  evaluators.add<MaxPoolingGradOp>(evaluate);
  evaluators.add<MaxPooling2Op>(evaluate);
}

} // namespace dml::reference
