//===- Loops.h - Loops, guards and shared items of a kernel -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_LOOPS_H
#define DML_LIB_CODEGEN_EMIT_LOOPS_H

#include "Emit/IndexForms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dml {

/// A block that runs only where a condition holds. While the object exists, the
/// builder inserts operations in the block. When the object is destroyed, the
/// builder returns to the place behind the block, and the forms forget the
/// values that were built in the block.
class GuardedBlock {
public:
  GuardedBlock(mlir::ImplicitLocOpBuilder &b, IndexForms &forms,
               mlir::Value condition);

  mlir::scf::IfOp getIf() const { return guard; }

private:
  mlir::OpBuilder::InsertionGuard builder;
  IndexForms::Scope scope;
  mlir::scf::IfOp guard;
};

/// Builds whether `form` is at least 0 and below `bound`.
mlir::Value buildIsBelow(mlir::ImplicitLocOpBuilder &b, IndexForms &forms,
                         const LinearForm &form, int64_t bound);

/// The values of a loop's induction variable (counter): `first`, `first` +
/// `step`, and so on, below `end`. `end` - `first` is a multiple of `step`. A
/// `bound` that is not null takes the place of `end` in the loop: an index that
/// the kernel computes, and that is at most `end`.
struct LoopRange {
  int64_t first, end, step = 1;
  mlir::Value bound = {};
};

/// How index arithmetic treats the induction variable (counter) of a loop when
/// it builds sums.
enum class Counter {
  /// The counter is added after all other terms of a sum. The sum of the other
  /// terms is then loop-invariant, and moves out of the loop.
  AddedLast,
  /// The counter is added in the same order as other variables.
  InOrder,
};

/// Builds a loop that carries values from iteration to iteration, with the
/// initial values `carried`. `body` receives the induction variable and the
/// carried values, and returns the carried values for the next iteration.
/// Loop-invariant operations move out of the loop. Returns the values after the
/// last iteration.
llvm::SmallVector<mlir::Value>
buildLoop(mlir::ImplicitLocOpBuilder &b, IndexForms &forms, LoopRange range,
          Counter counter, mlir::ValueRange carried,
          llvm::function_ref<llvm::SmallVector<mlir::Value>(LinearForm,
                                                            mlir::ValueRange)>
              body);

/// Distributes items to the threads of a workgroup. In each round, every thread
/// takes one item: of 300 items and 128 threads, thread 3 takes the items 3,
/// 131 and 259, and thread 100 only the items 100 and 228.
struct SharedItems {
  int64_t count;
  /// The number, below `threads`, by which a thread chooses its items. This is
  /// usually the thread's own index.
  LinearForm thread;
  int64_t threads;

  /// Whether the round that begins with item `first` has fewer items than there
  /// are threads.
  bool isPartial(int64_t first) const { return first + threads > count; }
  /// Calls `build` with the first item of each round.
  void forEachRound(llvm::function_ref<void(int64_t)> build) const {
    for (int64_t first = 0; first < count; first += threads)
      build(first);
  }
  /// Returns the thread's item in the round that begins with item `first`. If
  /// the thread has no item in this round, returns a number beyond the last
  /// item.
  LinearForm getItem(mlir::ImplicitLocOpBuilder &b, IndexForms &forms,
                     int64_t first) const {
    return forms.add(b, thread, first);
  }
  /// Returns the lesser of `item` and the last item. Code inside of a guard
  /// also needs this minimum: range analysis does not learn from the guard's
  /// condition that the item lies below the number of items.
  LinearForm limit(mlir::ImplicitLocOpBuilder &b, IndexForms &forms,
                   const LinearForm &item) const {
    return forms.min(b, item, count - 1);
  }
};

/// Builds `body` for each of the thread's items. Only the last round is
/// guarded, if it has fewer items than there are threads.
void forEachItem(mlir::ImplicitLocOpBuilder &b, IndexForms &forms,
                 const SharedItems &items,
                 llvm::function_ref<void(LinearForm)> body);

/// Builds `body` for each of the thread's items, like forEachItem(), but in a
/// loop over the rounds.
void forEachItemInLoop(mlir::ImplicitLocOpBuilder &b, IndexForms &forms,
                       const SharedItems &items,
                       llvm::function_ref<void(LinearForm)> body);

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_LOOPS_H
