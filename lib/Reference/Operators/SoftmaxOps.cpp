//===- SoftmaxOps.cpp - Softmax and its relatives -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Operators/SoftmaxOps.h"
#include "Arithmetic/Sets.h"
#include "Arithmetic/Sums.h"
#include "dml/IR/SoftmaxOps.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace dml::reference {

bool isFinite(Interval x) {
  return !x.isNaN && !x.mayBeNaN && std::isfinite(x.low) &&
         std::isfinite(x.high);
}

Interval limitShare(Interval share) {
  constexpr double most = 1 + 0x1p-10;
  // According to the bounds, all exponentials might be 0. The exponential of
  // the largest number is not 0, however.
  if (share.mayBeNaN)
    share = Interval::around(
        std::isnan(share.value) ? 0 : std::clamp(share.value, 0.0, 1.0), 0,
        most, 0);
  share.low = std::max(share.low, 0.0);
  share.high = std::min(share.high, most);
  return share;
}

void computeSoftmax(const Estimate &input, ArrayRef<int64_t> axes, bool isLog,
                    Estimate &output) {
  Sets(input.value.getShape(), axes)
      .forEach([&](int64_t, ArrayRef<int64_t> places) {
        Interval most = Interval::nan();
        bool areFinite = true;
        for (int64_t place : places) {
          most = max(most, Interval::load(input, place));
          areFinite &= isFinite(Interval::load(input, place));
        }
        Sum sum;
        for (int64_t place : places)
          sum.add(exp(Interval::load(input, place) - most));
        for (int64_t place : places) {
          Interval x = Interval::load(input, place) - most;
          Interval result = isLog ? x - log(sum.get()) : exp(x) / sum.get();
          if (!isLog && areFinite)
            result = limitShare(result);
          result.store(output, place);
        }
      });
}

template <typename OpTy, bool isLog>
static LogicalResult evaluateSoftmax(OpTy op, ArrayRef<Estimate> operands,
                                     Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  computeSoftmax(operands[0], getAxes(op), isLog, *output);
  outputs.push_back(std::move(*output));
  return success();
}

template <typename OpTy>
static LogicalResult evaluateHardmax(OpTy op, ArrayRef<Estimate> operands,
                                     Evaluators::Estimates &outputs) {
  const Estimate &input = operands[0];
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  bool isCertain = true;
  Sets(input.value.getShape(), getAxes(op))
      .forEach([&](int64_t, ArrayRef<int64_t> places) {
        int64_t winner = findWinner(input.value, places, /*isMax=*/true,
                                    /*lastWins=*/false);
        output->value.setNumber(places[winner], 1);
        auto candidates = findCandidates(input, places, /*isMax=*/true, winner);
        for (int64_t candidate : candidates)
          output->upper.setNumber(places[candidate], 1);
        if (candidates.size() == 1)
          output->lower.setNumber(places[winner], 1);
        isCertain &= candidates.size() == 1;
      });
  outputs.push_back(isCertain ? Estimate(output->value) : std::move(*output));
  return success();
}

void addSoftmaxEvaluators(Evaluators &evaluators) {
  evaluators.add<ActivationHardmaxOp>(evaluateHardmax<ActivationHardmaxOp>);
  evaluators.add<ActivationHardmax1Op>(evaluateHardmax<ActivationHardmax1Op>);
  evaluators.add<ActivationLogSoftmaxOp>(
      evaluateSoftmax<ActivationLogSoftmaxOp, /*isLog=*/true>);
  evaluators.add<ActivationLogSoftmax1Op>(
      evaluateSoftmax<ActivationLogSoftmax1Op, /*isLog=*/true>);
  evaluators.add<ActivationSoftmaxOp>(
      evaluateSoftmax<ActivationSoftmaxOp, /*isLog=*/false>);
  evaluators.add<ActivationSoftmax1Op>(
      evaluateSoftmax<ActivationSoftmax1Op, /*isLog=*/false>);
}

} // namespace dml::reference
