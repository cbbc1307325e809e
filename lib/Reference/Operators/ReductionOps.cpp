//===- ReductionOps.cpp - DirectML's reductions ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ReductionOps.h"
#include "Arithmetic/Sets.h"
#include "Arithmetic/Sums.h"
#include "Operators/ElementWiseRows.h"
#include <limits>

using namespace mlir;

namespace dml::reference {

/// Stores the positions of the winners. If the bounds leave the winner open,
/// the result includes all possible winners.
static LogicalResult evaluateArg(Operation *op, const Estimate &input,
                                 bool isMax, bool lastWins,
                                 Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op->getResult(0).getType());
  if (failed(output))
    return failure();
  Sets(input.value.getShape(), getAxes(op))
      .forEach([&](int64_t set, ArrayRef<int64_t> places) {
        int64_t winner = findWinner(input.value, places, isMax, lastWins);
        auto candidates = findCandidates(input, places, isMax, winner);
        output->value.setInteger(set, winner);
        output->lower.setInteger(set, candidates.front());
        output->upper.setInteger(set, candidates.back());
      });
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

static LogicalResult evaluateArgMax(ArgMaxOp op, ArrayRef<Estimate> operands,
                                    Evaluators::Estimates &outputs) {
  return evaluateArg(op, operands[0], /*isMax=*/true,
                     op.getAxisDirection() == AxisDirection::decreasing,
                     outputs);
}

static LogicalResult evaluateArgMin(ArgMinOp op, ArrayRef<Estimate> operands,
                                    Evaluators::Estimates &outputs) {
  return evaluateArg(op, operands[0], /*isMax=*/false,
                     op.getAxisDirection() == AxisDirection::decreasing,
                     outputs);
}

/// Returns the sum of `function` over `numbers`.
template <typename Function>
static Interval sum(ArrayRef<Interval> numbers, Function function) {
  Sum sum;
  for (Interval x : numbers)
    sum.add(function(x));
  return sum.get();
}

static Interval reduceFloats(ReduceFunction function,
                             ArrayRef<Interval> numbers) {
  auto self = [](Interval x) { return x; };
  switch (function) {
  case ReduceFunction::average:
    return sum(numbers, self) / Interval(static_cast<double>(numbers.size()));
  case ReduceFunction::l1:
    return sum(numbers, [](Interval x) { return abs(x); });
  case ReduceFunction::l2:
    return sqrt(sum(numbers, square));
  case ReduceFunction::log_sum:
    return log(sum(numbers, self));
  case ReduceFunction::log_sum_exp: {
    Interval most = Interval::nan();
    for (Interval x : numbers)
      most = max(most, x);
    Interval shift =
        select(abs(most) < Interval(std::numeric_limits<double>::infinity()),
               most, Interval(0));
    return shift +
           log(sum(numbers, [&](Interval x) { return exp(x - shift); }));
  }
  case ReduceFunction::max:
  case ReduceFunction::min: {
    Interval result = Interval::nan();
    for (Interval x : numbers)
      result =
          function == ReduceFunction::max ? max(result, x) : min(result, x);
    return result;
  }
  case ReduceFunction::multiply: {
    Product product;
    for (Interval x : numbers)
      product.add(x);
    return product.get();
  }
  case ReduceFunction::sum:
    return sum(numbers, self);
  case ReduceFunction::sum_square:
    return sum(numbers, square);
  case ReduceFunction::argmax:
  case ReduceFunction::argmin:
    break;
  }
  llvm_unreachable("places are no numbers of the input's type");
}

static Integer reduceIntegers(ReduceFunction function,
                              ArrayRef<Integer> numbers) {
  Integer result = numbers[0];
  auto fold = [&](auto combine) {
    for (Integer x : numbers.drop_front())
      result = combine(result, x);
  };
  IntegerSum sum(result);
  switch (function) {
  case ReduceFunction::l1:
    for (Integer x : numbers)
      sum.add(abs(x));
    return sum.get();
  case ReduceFunction::max:
    fold([](Integer a, Integer b) { return max(a, b); });
    return result;
  case ReduceFunction::min:
    fold([](Integer a, Integer b) { return min(a, b); });
    return result;
  case ReduceFunction::multiply:
    fold([](Integer a, Integer b) { return a * b; });
    return result;
  case ReduceFunction::sum:
    for (Integer x : numbers)
      sum.add(x);
    return sum.get();
  case ReduceFunction::sum_square:
    for (Integer x : numbers)
      sum.add(x * x);
    return sum.get();
  default:
    llvm_unreachable("the table has no integers for the others");
  }
}

template <typename Number, typename Reduce>
static void reduce(ReduceOp op, const Estimate &input, Estimate &output,
                   Reduce reduce) {
  SmallVector<Number> numbers;
  Sets(input.value.getShape(), getAxes(op))
      .forEach([&](int64_t set, ArrayRef<int64_t> places) {
        numbers.clear();
        for (int64_t place : places)
          numbers.push_back(Number::load(input, place));
        reduce(op.getFunction(), numbers).store(output, set);
      });
}

static LogicalResult evaluate(ReduceOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  const Estimate &input = operands[0];
  ReduceFunction function = op.getFunction();
  if (function == ReduceFunction::argmax || function == ReduceFunction::argmin)
    return evaluateArg(op, input, function == ReduceFunction::argmax,
                       /*lastWins=*/false, outputs);
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  if (hasIntegers(input))
    reduce<Integer>(op, input, *output, reduceIntegers);
  else
    reduce<Interval>(op, input, *output, reduceFloats);
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

void addReductionEvaluators(Evaluators &evaluators) {
  evaluators.add<ArgMaxOp>(evaluateArgMax);
  evaluators.add<ArgMinOp>(evaluateArgMin);
  evaluators.add<ReduceOp>(evaluate);
}

} // namespace dml::reference
