//===- Staging.h - Operands in workgroup memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The threads of a workgroup load each factor of an operand once, into
// workgroup memory, from where all of them read it. Kernels differ in what an
// item is, in how many threads share the items, and in the layout of workgroup
// memory; a StagedArea states these differences as numbers.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_STAGING_H
#define DML_LIB_CODEGEN_EMIT_STAGING_H

#include "Emit/Loops.h"

namespace dml {

/// The part of workgroup memory that holds an operand. A thread loads an item
/// at a time, which is one vector or several vectors. Items form lines.
///
/// An example: a workgroup stages 16 terms of 64 rows, in vectors of 4 rows. A
/// thread loads 2 terms of 4 rows at a time. The operand has 8 lines, one for
/// each 2 terms, of 16 items each, and an item has 2 vectors. A term takes 17
/// vectors of memory, so that different terms lie in different banks: lines are
/// 34 vectors apart, items 1, and the vectors of an item 17.
struct StagedArea {
  /// Workgroup memory, as vectors.
  mlir::Value memory;
  /// Lines, items of a line, and vectors of an item.
  int64_t lines = 0, itemsOfLine = 0, vectorsOfItem = 1;
  /// The first vector of the operand in memory, and the distances from one
  /// line, one item of a line, one vector of an item and one buffer to the
  /// next.
  int64_t first = 0, ofLine = 0, ofItem = 0, ofVector = 0, ofBuffer = 0;
  /// Whether neighbouring threads have the same item of neighbouring lines, and
  /// not neighbouring items of the same line.
  bool isAcrossLines = false;
  /// Whether threads take lines in an order that stores lines at once which lie
  /// in different banks.
  bool isSpread = false;
  /// Whether the code of an item has all addresses before the first store, so
  /// that a guard or a later place can take the stores alone.
  bool storesLast = false;

  int64_t getNumItems() const { return lines * itemsOfLine; }
};

/// An item of a StagedArea, by its line and its number in the line.
struct StagedItem {
  LinearForm line, inLine;
};

/// Builds what brings operands into workgroup memory.
class Staging {
public:
  /// Builds the elements of an item's vectors, or the vectors themselves.
  using ItemFn =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(const StagedItem &)>;

  Staging(mlir::ImplicitLocOpBuilder &b, IndexForms &forms, int64_t threads)
      : b(b), forms(forms), threads(threads) {}

  /// The code of a last round that has fewer items than there are threads.
  enum class LastRound {
    /// Threads without an item neither load nor store.
    Skips,
    /// Threads without an item load the last item once more, and do not store:
    /// a branch around loads would keep the loads of several rounds from being
    /// under way together. The area has its stores last.
    LoadsLast,
  };

  /// Loads the items of `area` and stores them in buffer `buffer`. `thread` is
  /// the number of the thread's turn: it differs from the number of the thread
  /// where the threads that another operand has left without an item begin.
  void stage(const StagedArea &area, const LinearForm &thread,
             const LinearForm &buffer, LastRound lastRound, ItemFn load);

  /// Loads the thread's items of `area` without a branch, and returns their
  /// vectors, which `store` takes later. Threads without an item in the last
  /// round load the last item once more.
  llvm::SmallVector<mlir::Value> load(const StagedArea &area, ItemFn load);
  /// Stores the vectors that `load` returned in buffer `buffer`, and returns
  /// the vectors behind those of `area`.
  mlir::ValueRange store(const StagedArea &area, const LinearForm &buffer,
                         mlir::ValueRange vectors);

private:
  SharedItems getItems(const StagedArea &area, const LinearForm &thread) {
    return {area.getNumItems(), thread, threads};
  }
  StagedItem getItem(const StagedArea &area, const LinearForm &number);
  LinearForm getPlace(const StagedArea &area, const LinearForm &buffer,
                      const StagedItem &item);
  mlir::Value buildPlace(const StagedArea &area, const LinearForm &place,
                         int64_t vector) {
    return forms.materialize(b, forms.add(b, place, vector * area.ofVector));
  }

  mlir::ImplicitLocOpBuilder &b;
  IndexForms &forms;
  const int64_t threads;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_STAGING_H
