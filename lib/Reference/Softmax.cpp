//===- Softmax.cpp - Softmax and its relatives ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Softmax.h"
#include "Sets.h"
#include "Sums.h"
#include "dml/IR/SoftmaxOps.h"

using namespace mlir;

namespace dml::reference {

void computeSoftmax(const Estimate &input, ArrayRef<int64_t> axes, bool isLog,
                    Estimate &output) {
  Sets(input.value.getShape(), axes)
      .forEach([&](int64_t, ArrayRef<int64_t> places) {
        Interval most = Interval::nan();
        for (int64_t place : places)
          most = max(most, Interval::load(input, place));
        Sum sum;
        for (int64_t place : places)
          sum.add(exp(Interval::load(input, place) - most));
        for (int64_t place : places) {
          Interval x = Interval::load(input, place) - most;
          Interval result = isLog ? x - log(sum.get()) : exp(x) / sum.get();
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
