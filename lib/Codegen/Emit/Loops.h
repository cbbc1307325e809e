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

/// A block that runs only where a condition holds. The builder stands in the
/// block while the object lives. The end of the object puts the builder back
/// behind the block, and the forms forget which values the block has built.
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

/// The numbers that a loop's counter takes: `first`, `first` + `step`, and so
/// on, below `end`. The distance from `first` to `end` is a multiple of `step`.
struct LoopRange {
  int64_t first, end, step = 1;
};

/// How index arithmetic treats the counter of a loop.
enum class Counter {
  /// The counter is added last, so that the sum of the other terms moves out of
  /// the loop.
  AddedLast,
  /// The counter is an atom like others.
  InOrder,
};

/// Builds a loop that carries `carried`. `body` gets the loop's counter and the
/// carried values, and returns the values for the next iteration. Operations
/// that do not depend on the iteration move out of the loop. Returns the values
/// that the last iteration returned.
llvm::SmallVector<mlir::Value>
buildLoop(mlir::ImplicitLocOpBuilder &b, IndexForms &forms, LoopRange range,
          Counter counter, mlir::ValueRange carried,
          llvm::function_ref<llvm::SmallVector<mlir::Value>(LinearForm,
                                                            mlir::ValueRange)>
              body);

/// The items that the threads of a workgroup share, in rounds of an item a
/// thread: of 300 items and 128 threads, thread 3 has the items 3, 131 and 259,
/// and thread 100 only the items 100 and 228.
struct SharedItems {
  int64_t count;
  /// The number of the thread, or of its turn, among so many.
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
  /// The thread's item of the round that begins with item `first`. Threads
  /// without an item get a number beyond the last item.
  LinearForm getItem(mlir::ImplicitLocOpBuilder &b, IndexForms &forms,
                     int64_t first) const {
    return forms.add(b, thread, first);
  }
  /// `item`, or the last item where `item` lies beyond it. Range analysis does
  /// not learn from the condition of a guard that the item lies below the
  /// number of items, so that code in the guard wants this minimum as well.
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

/// Builds the same as one loop over the rounds.
void forEachItemInLoop(mlir::ImplicitLocOpBuilder &b, IndexForms &forms,
                       const SharedItems &items,
                       llvm::function_ref<void(LinearForm)> body);

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_LOOPS_H
