//===- Loops.cpp - Loops over steps ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Operators/Evaluators.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <cstring>

using namespace mlir;

namespace dml::reference {

/// The largest number of iterations of a loop, which is that of an executable.
static constexpr __int128 maxIterations = 1 << 20;

namespace {
/// A tensor into which each iteration inserts a slice, and which no operation
/// of the body reads. The slices are inserted behind the loop, since each
/// insertion would copy the whole tensor.
struct Collected {
  tensor::InsertSliceOp insert;
  /// The operands of the insertion in all iterations.
  std::vector<std::vector<Estimate>> operands;
};

/// Evaluates a loop.
class LoopEvaluator {
public:
  LoopEvaluator(scf::ForOp loop, ArrayRef<Estimate> operands);

  LogicalResult run(std::vector<Estimate> &outputs);

private:
  FailureOr<int64_t> countIterations();
  LogicalResult runIteration(int64_t number);
  FailureOr<Estimate> insertAll(const Estimate &init, Collected &collected);

  scf::ForOp loop;
  __int128 lower, upper, step;
  /// The tensors that the loop carries.
  std::vector<Estimate> carried;
  llvm::DenseMap<Operation *, Collected> collected;
  /// The values from outside of the loop, and those of the last iteration.
  llvm::DenseMap<Value, Estimate> values;
};
} // namespace

/// Returns the operation that inserts a slice into the tensor that the loop
/// carries as number `number`, if nothing else of the body reads the tensor.
static tensor::InsertSliceOp findInsertion(scf::ForOp loop, unsigned number) {
  BlockArgument argument = loop.getRegionIterArgs()[number];
  auto insert =
      loop.getYieldedValues()[number].getDefiningOp<tensor::InsertSliceOp>();
  return insert && insert->hasOneUse() && argument.hasOneUse() &&
                 insert.getDest() == argument &&
                 insert->getBlock() == loop.getBody()
             ? insert
             : nullptr;
}

LoopEvaluator::LoopEvaluator(scf::ForOp loop, ArrayRef<Estimate> operands)
    : loop(loop), lower(operands[0].value.getInteger(0)),
      upper(operands[1].value.getInteger(0)),
      step(operands[2].value.getInteger(0)) {
  for (auto [value, estimate] : llvm::zip_equal(getUsedValues(loop), operands))
    values.try_emplace(value, estimate);
  ArrayRef<Estimate> inits =
      operands.slice(loop.getNumControlOperands(), loop.getNumResults());
  carried.assign(inits.begin(), inits.end());
  for (unsigned number = 0; number < loop.getNumResults(); ++number)
    if (tensor::InsertSliceOp insert = findInsertion(loop, number))
      collected[insert].insert = insert;
}

FailureOr<int64_t> LoopEvaluator::countIterations() {
  if (step < 1)
    return loop.emitOpError("goes by ")
           << static_cast<int64_t>(step) << ", but wanted is 1 at least";
  __int128 count = upper > lower ? (upper - lower + step - 1) / step : 0;
  if (count > maxIterations)
    return loop.emitOpError("has ") << static_cast<int64_t>(count)
                                    << " iterations, but wanted are at most "
                                    << static_cast<int64_t>(maxIterations);
  return static_cast<int64_t>(count);
}

LogicalResult LoopEvaluator::runIteration(int64_t number) {
  FailureOr<Tensor> index =
      createTensor(loop, loop.getInductionVar().getType());
  if (failed(index))
    return failure();
  index->setInteger(0, lower + number * step);
  values.insert_or_assign(loop.getInductionVar(), Estimate(*index));
  for (auto [argument, estimate] :
       llvm::zip_equal(loop.getRegionIterArgs(), carried))
    values.insert_or_assign(argument, estimate);
  auto yielded = evaluateBlock(
      *loop.getBody(), values,
      [&](Operation *op,
          ArrayRef<Estimate> operands) -> FailureOr<std::vector<Estimate>> {
        auto found = collected.find(op);
        if (found == collected.end())
          return evaluate(op, operands);
        found->second.operands.push_back(operands.vec());
        return std::vector<Estimate>{operands[1]};
      });
  if (failed(yielded))
    return failure();
  carried = std::move(*yielded);
  return success();
}

FailureOr<Estimate> LoopEvaluator::insertAll(const Estimate &init,
                                             Collected &collected) {
  auto insert = [&](Tensor Estimate::*part) -> FailureOr<Tensor> {
    const Tensor &from = init.*part;
    FailureOr<Tensor> all = Tensor::create(from.getDataType(), from.getShape());
    if (failed(all))
      return loop.emitOpError("collects more than there is memory for");
    std::memcpy(all->getData(), from.getData(), from.getNumBytes());
    for (const std::vector<Estimate> &operands : collected.operands) {
      auto tensors = llvm::map_to_vector(
          operands, [&](const Estimate &operand) { return operand.*part; });
      if (failed(insertSlice(collected.insert, tensors, *all)))
        return failure();
    }
    return all;
  };
  auto forAll = [&](auto predicate) {
    return predicate(init) &&
           llvm::all_of(collected.operands, [&](const auto &operands) {
             return llvm::all_of(operands, predicate);
           });
  };
  FailureOr<Tensor> value = insert(&Estimate::value);
  if (failed(value))
    return failure();
  if (forAll([](const Estimate &estimate) { return estimate.isExact(); }))
    return Estimate(*value, forAll([](const Estimate &estimate) {
      return estimate.isBitExact;
    }));
  FailureOr<Tensor> low = insert(&Estimate::lower),
                    high = insert(&Estimate::upper);
  if (failed(low) || failed(high))
    return failure();
  return Estimate(*value, *low, *high);
}

LogicalResult LoopEvaluator::run(std::vector<Estimate> &outputs) {
  FailureOr<int64_t> count = countIterations();
  if (failed(count))
    return failure();
  for (int64_t number = 0; number < *count; ++number)
    if (failed(runIteration(number)))
      return failure();
  for (unsigned number = 0; number < loop.getNumResults(); ++number) {
    tensor::InsertSliceOp insert = findInsertion(loop, number);
    if (!insert) {
      outputs.push_back(carried[number]);
      continue;
    }
    FailureOr<Estimate> all = insertAll(carried[number], collected[insert]);
    if (failed(all))
      return failure();
    outputs.push_back(std::move(*all));
  }
  return success();
}

static LogicalResult evaluateLoop(scf::ForOp op, ArrayRef<Estimate> operands,
                                  std::vector<Estimate> &outputs) {
  return LoopEvaluator(op, operands).run(outputs);
}

void addLoopEvaluators(Evaluators &evaluators) {
  evaluators.add<scf::ForOp>(evaluateLoop);
}

} // namespace dml::reference
