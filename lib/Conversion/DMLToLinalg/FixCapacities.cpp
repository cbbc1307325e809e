//===- FixCapacities.cpp - Caches that do not grow ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FixCapacities.h"
#include "dml/IR/AttentionOps.h"
#include "dml/IR/ElementWiseOps.h"
#include "dml/IR/SliceOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dml;

/// Returns the largest number that an element of `tensor` can be, if `tensor`
/// is a constant or a minimum with a constant.
static std::optional<APInt> getUpperBound(Value tensor) {
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  DenseIntElementsAttr numbers;
  if (matchPattern(tensor, m_Constant(&numbers)))
    return *llvm::max_element(
        numbers.getValues<APInt>(),
        [](const APInt &lhs, const APInt &rhs) { return lhs.slt(rhs); });
  auto least = tensor.getDefiningOp<ElementWiseMinOp>();
  if (!least)
    return std::nullopt;
  std::optional<APInt> bound = getUpperBound(least.getB());
  return bound ? bound : getUpperBound(least.getA());
}

/// If `tensor`, or the tensor that it reshapes, is a minimum with `limit`,
/// returns the other operand of the minimum in the shape of `tensor`. Returns
/// `tensor` otherwise.
static Value dropLimit(Value tensor, int64_t limit) {
  Operation *by = tensor.getDefiningOp();
  SplatElementsAttr bound;
  if (auto least = dyn_cast_if_present<ElementWiseMinOp>(by))
    return matchPattern(least.getB(), m_Constant(&bound)) &&
                   bound.getSplatValue<APInt>() == limit
               ? Value(least.getA())
               : tensor;
  if (!isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(by))
    return tensor;
  Value source = dropLimit(by->getOperand(0), limit);
  if (source == by->getOperand(0))
    return tensor;
  Operation *reshape = OpBuilder(by).clone(*by);
  reshape->setOperand(0, source);
  return reshape->getResult(0);
}

/// Whether all users of `present` take its first positions, as many as `past`
/// has.
static bool takesCapacity(Value present, Value past) {
  return llvm::all_of(present.getUsers(), [&](Operation *user) {
    auto slice = dyn_cast<Slice1Op>(user);
    return slice && slice.getOutput().getType() == past.getType() &&
           llvm::all_of(slice.getInputWindowOffsets(),
                        [](int64_t offset) { return offset == 0; }) &&
           llvm::all_of(slice.getInputWindowStrides(),
                        [](int64_t stride) { return stride == 1; });
  });
}

/// Returns the number of positions of `tensor`, a past or a present.
static int64_t getPositions(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape().take_back(2)[0];
}

/// Whether `op` has a cache of fixed capacity.
static bool hasFixedCapacity(MultiheadAttention1Op op) {
  Value lengths = op.getPastSequenceLengths();
  if (!lengths || op.getBias() || !op.getOutputPresentKey() ||
      !op.getOutputPresentValue() ||
      !getElementTypeOrSelf(lengths).isInteger(32))
    return false;
  int64_t capacity = getPositions(op.getPastKey()),
          added = getPositions(op.getOutputPresentKey()) - capacity;
  std::optional<APInt> most = getUpperBound(lengths);
  return added > 0 && most && most->getSExtValue() <= capacity - added &&
         takesCapacity(op.getOutputPresentKey(), op.getPastKey()) &&
         takesCapacity(op.getOutputPresentValue(), op.getPastValue());
}

/// Gives `present` the type of `past`, in the place of its slices.
static void fixCapacity(Value present, Value past) {
  present.setType(past.getType());
  for (Operation *slice : llvm::make_early_inc_range(present.getUsers())) {
    slice->replaceAllUsesWith(ValueRange(present));
    slice->erase();
  }
}

void dml::fixCapacities(ModuleOp module) {
  SmallVector<MultiheadAttention1Op> operators;
  module.walk([&](MultiheadAttention1Op op) {
    if (hasFixedCapacity(op))
      operators.push_back(op);
  });
  for (MultiheadAttention1Op op : operators) {
    // The lowering limits lengths to the capacity without the new positions.
    int64_t limit = 2 * getPositions(op.getPastKey()) -
                    getPositions(op.getOutputPresentKey());
    op.getPastSequenceLengthsMutable().assign(
        dropLimit(op.getPastSequenceLengths(), limit));
    fixCapacity(op.getOutputPresentKey(), op.getPastKey());
    fixCapacity(op.getOutputPresentValue(), op.getPastValue());
  }
}
