//===- Pooling.cpp - DirectML's pooling operators -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "dml/IR/PoolingOps.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace dml::reference {

namespace {
/// Those elements of a window that lie inside the tensor, in one dimension:
/// `begin`, `begin + step`, ..., `count` of them.
struct Span {
  int64_t begin, count, step;
};
} // namespace

static Span getSpan(MaxPoolingGradOp op, unsigned i, int64_t window,
                    int64_t inputSize) {
  int64_t step = op.getDilations()[i];
  int64_t first = window * op.getStrides()[i] - op.getStartPadding()[i];
  int64_t begin = first < 0 ? (-first + step - 1) / step : 0;
  int64_t end = first < inputSize ? (inputSize - 1 - first) / step + 1 : 0;
  end = std::min(end, op.getWindowSize()[i]);
  return {first + begin * step, std::max<int64_t>(end - begin, 0), step};
}

static LogicalResult evaluateTensors(MaxPoolingGradOp op, const Tensor &input,
                                     const Tensor &inputGradient,
                                     Tensor &outputGradient) {
  if (input.getDataType() != DataType::FLOAT32 &&
      input.getDataType() != DataType::FLOAT16)
    return op.emitOpError("compares elements of type ")
           << op.getInput().getType().getElementType()
           << ", but the interpreter knows f32 and f16";

  unsigned numSpatial = input.getRank() - 2;
  ArrayRef<int64_t> sizes = input.getShape().drop_front(2);
  ArrayRef<int64_t> windows = inputGradient.getShape().drop_front(2);
  SmallVector<std::vector<Span>> spans(numSpatial);
  for (unsigned i = 0; i < numSpatial; ++i)
    for (int64_t window = 0; window < windows[i]; ++window)
      spans[i].push_back(getSpan(op, i, window, sizes[i]));

  int64_t planeSize = *getNumElements(sizes);
  std::vector<float> sums(planeSize);
  SmallVector<int64_t> counts(numSpatial);
  int64_t gradient = 0, planeBegin = 0;
  for (int64_t plane = 0, planes = input.getShape()[0] * input.getShape()[1];
       plane < planes; ++plane, planeBegin += planeSize) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    forEachCoordinate(windows, [&](ArrayRef<int64_t> window) {
      for (unsigned i = 0; i < numSpatial; ++i)
        counts[i] = spans[i][window[i]].count;
      int64_t winner = -1;
      double maximum = 0;
      // Row-major order meets the lowest logical index first.
      forEachCoordinate(counts, [&](ArrayRef<int64_t> k) {
        int64_t position = 0;
        for (unsigned i = 0; i < numSpatial; ++i) {
          const Span &span = spans[i][window[i]];
          position = position * sizes[i] + span.begin + k[i] * span.step;
        }
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

void addPoolingEvaluators(Evaluators &evaluators) {
  evaluators.add<MaxPoolingGradOp>(evaluate);
}

} // namespace dml::reference
