//===- KnownValues.cpp - Values that a driver may compute -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRV/KnownValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dml;

bool KnownValues::contains(Value value) {
  // A value that a loop carries may depend on itself. While the function
  // examines a value, the value counts as known. The other values on which it
  // depends then decide.
  auto [entry, isNew] = known.try_emplace(value, true);
  if (!isNew)
    return entry->second;
  bool result = find(value);
  known[value] = result;
  return result;
}

bool KnownValues::find(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return !isa<BaseMemRefType>(value.getType()) &&
           (choices == Choices::Any || findCarried(value));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return choices == Choices::Any ? contains(select.getTrueValue()) ||
                                         contains(select.getFalseValue())
                                   : contains(select.getTrueValue()) &&
                                         contains(select.getFalseValue());
  if (isa<gpu::ThreadIdOp, gpu::BlockIdOp, memref::LoadOp>(op))
    return false;
  auto number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && choices == Choices::All)
    return contains(loop.getInitArgs()[number]) &&
           contains(loop.getYieldedValues()[number]);
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && loops == Loops::Kept)
    return contains(branch.thenYield().getOperand(number)) &&
           contains(branch.elseYield().getOperand(number));
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return contains(operand); });
}

/// Whether a driver may know `argument`, the induction variable of a loop or a
/// value that a loop carries.
bool KnownValues::findCarried(Value argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getParentBlock()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return loops == Loops::Unrolled;
  auto carried = cast<BlockArgument>(argument);
  return contains(loop.getTiedLoopInit(carried)->get()) &&
         (loops == Loops::Unrolled ||
          contains(loop.getTiedLoopYieldedValue(carried)->get()));
}
