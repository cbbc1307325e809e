//===- ScanOps.cpp - DirectML's scans -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ScanOps.h"
#include "Arithmetic/Sets.h"
#include "Arithmetic/Sums.h"
#include "Operators/ElementWiseRows.h"

using namespace mlir;

namespace dml::reference {

/// Traverses each line, and stores the result of an accumulator after, or
/// before, each element. `start` creates an accumulator of numbers of type
/// `Number`.
template <typename Number, typename Start>
static void scan(const Estimate &input, Estimate &output, int64_t axis,
                 bool isReversed, bool isExclusive, Start start) {
  Sets(input.value.getShape(), axis)
      .forEach([&](int64_t, ArrayRef<int64_t> places) {
        SmallVector<int64_t> line(places);
        if (isReversed)
          std::reverse(line.begin(), line.end());
        auto total = start(Number::load(input, line.front()));
        for (int64_t place : line) {
          if (isExclusive)
            total.get().store(output, place);
          total.add(Number::load(input, place));
          if (!isExclusive)
            total.get().store(output, place);
        }
      });
}

template <typename Floats, typename Integers, typename OpTy>
static LogicalResult evaluate(OpTy op, bool isExclusive,
                              ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  const Estimate &input = operands[0];
  auto axis = static_cast<int64_t>(op.getAxis());
  bool isReversed = op.getAxisDirection() == AxisDirection::decreasing;
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  if (hasIntegers(input))
    scan<Integer>(input, *output, axis, isReversed, isExclusive,
                  [](Integer first) { return Integers(first); });
  else
    scan<Interval>(input, *output, axis, isReversed, isExclusive,
                   [](Interval) { return Floats(); });
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

static LogicalResult evaluateSummation(CumulativeSummationOp op,
                                       ArrayRef<Estimate> operands,
                                       Evaluators::Estimates &outputs) {
  return evaluate<Sum, IntegerSum>(op, op.getHasExclusiveSum(), operands,
                                   outputs);
}

static LogicalResult evaluateProduct(CumulativeProductOp op,
                                     ArrayRef<Estimate> operands,
                                     Evaluators::Estimates &outputs) {
  return evaluate<Product, IntegerProduct>(op, op.getHasExclusiveProduct(),
                                           operands, outputs);
}

void addScanEvaluators(Evaluators &evaluators) {
  evaluators.add<CumulativeProductOp>(evaluateProduct);
  evaluators.add<CumulativeSummationOp>(evaluateSummation);
}

} // namespace dml::reference
