//===- Staging.h - Operands in workgroup memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Staging of operands: each factor is loaded only once by a thread of the
// workgroup and stored in workgroup memory, from which all threads of the
// workgroup load it. An item is the data that a thread loads at a time. Kernels
// differ in the size of an item, in the number of threads between which the
// items are divided, and in the layout of workgroup memory. A StagedArea
// describes these differences by numbers.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_STAGING_H
#define DML_LIB_CODEGEN_EMIT_STAGING_H

#include "Emit/Loops.h"

namespace dml {

/// The part of workgroup memory that holds an operand. A thread loads one item
/// at a time, which consists of one or more vectors. The items are arranged in
/// lines.
///
/// An example: a workgroup stages 16 terms of 64 rows, in vectors of 4 rows. A
/// thread loads 2 terms of 4 rows at a time, so that an item has 2 vectors. The
/// operand has 8 lines, one for each 2 terms, and a line has 16 items. A term
/// takes 17 vectors of memory, so that different terms lie in different banks.
/// Neighbouring lines are thus 34 vectors apart, neighbouring items of a line 1
/// vector, and the two vectors of an item 17 vectors.
struct StagedArea {
  /// The workgroup memory, a buffer of vectors.
  mlir::Value memory;
  /// The number of lines, the number of items in a line, and the number of
  /// vectors in an item.
  int64_t lines = 0, itemsOfLine = 0, vectorsOfItem = 1;
  /// The position of the operand's first vector in `memory`, and four
  /// distances, in vectors: between neighbouring lines, between neighbouring
  /// items of a line, between neighbouring vectors of an item, and between the
  /// buffers of a kernel with several stages.
  int64_t first = 0, ofLine = 0, ofItem = 0, ofVector = 0, ofBuffer = 0;
  /// Whether consecutive threads load the first items of consecutive lines,
  /// instead of consecutive items of one line. Of the two orders, kernels
  /// choose the one in which consecutive threads load neighbouring bytes of the
  /// operand's buffer.
  bool isAcrossLines = false;
  /// Whether threads take the lines in an order that avoids bank conflicts: the
  /// lines that are stored at the same time then lie in different banks.
  bool isSpread = false;
  /// Whether the code for an item computes all addresses before the first
  /// store, so that the stores can be guarded or moved without the address
  /// computations.
  bool storesLast = false;

  int64_t getNumItems() const { return lines * itemsOfLine; }
};

/// An item, identified by its line and its number within the line.
struct StagedItem {
  LinearForm line, inLine;
};

/// Builds the code that copies operands to workgroup memory.
class Staging {
public:
  /// Builds the elements of an item, or the vectors of these elements.
  using ItemFn =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(const StagedItem &)>;

  Staging(mlir::ImplicitLocOpBuilder &b, IndexForms &forms, int64_t threads)
      : b(b), forms(forms), threads(threads) {}

  /// The code for the last round if fewer items are left than there are
  /// threads.
  enum class LastRound {
    /// Threads without an item neither load nor store.
    Skips,
    /// Threads without an item load the last item again, but do not store it.
    /// Only the stores are in a branch: a branch around the loads would prevent
    /// the loads of several rounds from being in flight at the same time. The
    /// caller must set StagedArea::storesLast, so that addresses are computed
    /// in front of the branch. Later code may then use the addresses too.
    LoadsLast,
  };

  /// Loads the items of `area` and stores them in buffer `buffer`. `thread` is
  /// the number by which a thread chooses its items, usually its own number. If
  /// an operand leaves threads without an item in the last round, `thread` is
  /// shifted so that these threads take the first items of the next operand.
  void stage(const StagedArea &area, const LinearForm &thread,
             const LinearForm &buffer, LastRound lastRound, ItemFn load);

  /// Loads the thread's items of `area` without a branch, and returns the
  /// vectors of these items for a later call of `store`. Threads without an
  /// item in the last round load the last item again.
  llvm::SmallVector<mlir::Value> load(const StagedArea &area, ItemFn load);
  /// Stores the vectors of `area` in buffer `buffer`. They are the first of
  /// `vectors`, as `load` has returned them. Returns the remaining vectors.
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
