//===- Loops.cpp - Loops, guards and shared items of a kernel -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/Loops.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

GuardedBlock::GuardedBlock(ImplicitLocOpBuilder &b, IndexForms &forms,
                           Value condition)
    : builder(b), scope(forms), guard(scf::IfOp::create(b, condition)) {
  b.setInsertionPointToStart(guard.thenBlock());
}

Value dml::buildIsBelow(ImplicitLocOpBuilder &b, IndexForms &forms,
                        const LinearForm &form, int64_t bound) {
  Value value = forms.materialize(b, form);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, value,
                               arith::ConstantIndexOp::create(b, bound));
}

SmallVector<Value> dml::buildLoop(
    ImplicitLocOpBuilder &b, IndexForms &forms, LoopRange range,
    Counter counter, ValueRange carried,
    llvm::function_ref<SmallVector<Value>(LinearForm, ValueRange)> body) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value first = constant(range.first),
        end = range.bound ? range.bound : constant(range.end),
        step = constant(range.step);
  auto loop = scf::ForOp::create(b, first, end, step, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    IndexForms::Scope scope(forms);
    b.setInsertionPointToStart(loop.getBody());
    IndexRange numbers = {range.first, range.end - range.step};
    LinearForm number = counter == Counter::AddedLast
                            ? forms.getVarying(loop.getInductionVar(), numbers)
                            : forms.getOpaque(loop.getInductionVar(), numbers);
    SmallVector<Value> next = body(number, loop.getRegionIterArgs());
    // If the loop carries nothing, ForOp::create has already built its
    // terminator.
    if (!next.empty())
      scf::YieldOp::create(b, next);
  }
  moveLoopInvariantCode(loop);
  return SmallVector<Value>(loop.getResults());
}

void dml::forEachItem(ImplicitLocOpBuilder &b, IndexForms &forms,
                      const SharedItems &items,
                      llvm::function_ref<void(LinearForm)> body) {
  items.forEachRound([&](int64_t first) {
    LinearForm item = items.getItem(b, forms, first);
    if (!items.isPartial(first))
      return body(item);
    GuardedBlock guard(b, forms, buildIsBelow(b, forms, item, items.count));
    body(items.limit(b, forms, item));
  });
}

void dml::forEachItemInLoop(ImplicitLocOpBuilder &b, IndexForms &forms,
                            const SharedItems &items,
                            llvm::function_ref<void(LinearForm)> body) {
  int64_t rounds = llvm::divideCeilSigned(items.count, items.threads);
  buildLoop(
      b, forms, {0, rounds}, Counter::InOrder, {},
      [&](LinearForm round, ValueRange) -> SmallVector<Value> {
        LinearForm item =
            forms.add(b, items.thread, forms.mul(b, round, items.threads));
        if (items.count % items.threads == 0) {
          body(item);
          return {};
        }
        GuardedBlock guard(b, forms, buildIsBelow(b, forms, item, items.count));
        body(items.limit(b, forms, item));
        return {};
      });
}
