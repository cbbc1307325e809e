//===- TrainingOps.cpp - DirectML's optimizers ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/TrainingOps.h"
#include "Arithmetic/Sums.h"
#include "Operators/Evaluators.h"
#include <cmath>

using namespace mlir;

namespace dml::reference {

/// Returns 1 - beta^step, which implementations compute with an error of some
/// units in the last place.
static Interval getLackOfPower(double beta, uint32_t step) {
  constexpr double ulps = 40;
  if (step == 0 || beta == 1)
    return Interval(0);
  if (beta == 0)
    return Interval(1);
  double lack = -std::expm1(step * std::log(beta));
  return Interval::around(static_cast<float>(lack), lack, lack, ulps);
}

static LogicalResult evaluate(AdamOptimizerOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  FailureOr<Estimate> parameters =
                          createBounds(op, op.getOutputParameters().getType()),
                      first =
                          createBounds(op, op.getOutputFirstMoment().getType()),
                      second = createBounds(
                          op, op.getOutputSecondMoment().getType());
  if (failed(parameters) || failed(first) || failed(second))
    return failure();
  if (!operands[4].isExact())
    return op.emitOpError("has a training step that is known within bounds "
                          "only");
  auto step = static_cast<uint32_t>(operands[4].value.getInteger(0));
  double beta1 = op.getBeta1().convertToDouble(),
         beta2 = op.getBeta2().convertToDouble();
  Interval one(1);
  Interval size =
      Interval(op.getLearningRate().convertToDouble()) *
      (sqrt(getLackOfPower(beta2, step)) / getLackOfPower(beta1, step));
  for (int64_t i = 0, e = parameters->value.getNumElements(); i < e; ++i) {
    Interval x = Interval::load(operands[0], i),
             m = Interval::load(operands[1], i),
             v = Interval::load(operands[2], i),
             g = Interval::load(operands[3], i);
    m = Interval(beta1) * m + (one - Interval(beta1)) * g;
    v = Interval(beta2) * v + (one - Interval(beta2)) * square(g);
    x = x - size * m / (sqrt(v) + Interval(op.getEpsilon().convertToDouble()));
    x.store(*parameters, i);
    m.store(*first, i);
    v.store(*second, i);
  }
  outputs.push_back(std::move(*parameters));
  outputs.push_back(std::move(*first));
  outputs.push_back(std::move(*second));
  return success();
}

void addTrainingEvaluators(Evaluators &evaluators) {
  evaluators.add<AdamOptimizerOp>(evaluate);
}

} // namespace dml::reference
