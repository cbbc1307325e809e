//===- RowReduction.h - Rows that are combined to one -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_ROWREDUCTION_H
#define DML_LIB_CODEGEN_ANALYSIS_ROWREDUCTION_H

#include "dml/IR/KernelAttr.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dml {

/// A scan combines the elements of a row before each element, or those after it
/// if the scan runs backward. It adds the element itself unless the scan is
/// exclusive: of 1, 2, 3 the sums are 1, 3, 6, and 0, 1, 3 where it is.
struct ScanOrder {
  bool isBackward, isExclusive;
};

/// Loops over a row, outermost first, that combine what they compute of its
/// elements in any order, and what takes part in that.
struct RowLoops {
  llvm::SmallVector<mlir::scf::ForOp> loops;
  /// The order of a scan, if the nest, which is then one loop, combines another
  /// part of the row for each element of the output. An iteration chooses
  /// between what it computes, `scanned`, and the number that changes nothing;
  /// that choice is the element which it combines.
  std::optional<ScanOrder> scan;
  mlir::Value scanned;
  /// What the loops begin with, and the operations that compute it.
  llvm::SmallVector<mlir::Operation *> start;
  /// What an iteration combines with each of the values that are carried, and
  /// the operations that compute it.
  llvm::SmallVector<mlir::Value> elements;
  llvm::SmallVector<mlir::Operation *> slice;
  /// The operations that combine these with what is carried. They depend on
  /// nothing else, so that they combine what two threads carry, too.
  llvm::SmallVector<mlir::Operation *> combiner;

  mlir::ValueRange getInit() { return loops.front().getInitArgs(); }
  mlir::ResultRange getResults() const { return loops.front()->getResults(); }
  /// What is carried, as the combiner knows it, and what becomes of it.
  mlir::ValueRange getCarried() { return loops.back().getRegionIterArgs(); }
  mlir::ValueRange getCombined() {
    return loops.back().getBody()->getTerminator()->getOperands();
  }
};

/// A linalg.generic on buffers or tensors whose body combines rows of elements,
/// such as the row of an element in a softmax: first to the largest of them,
/// then, with that, to a sum. The loops over a row are the same for all
/// elements of the output that lie in it; these may be one element, as in a
/// sum, or the row's own, which the loops' results are then the same number
/// for. No operator is named, so that whatever is fused with reductions of the
/// same rows is a part of their kernel.
struct RowReduction {
  /// The nests of loops, in their order. A later one may use the results of
  /// earlier ones.
  llvm::SmallVector<RowLoops, 2> nests;
  /// The sizes of a row: how often each loop of a nest runs.
  llvm::SmallVector<int64_t> sizes;
  /// The number of elements of a row, and of rows.
  int64_t rowSize = 1, numRows = 1;
  /// The dimensions of the output, of several elements, that say which row it
  /// is, and those, of the row's sizes or none, that say which element.
  llvm::SmallVector<int64_t> setDims, elementDims;
  /// The dimension of the output that tells the results of a row apart, where a
  /// row has several, such as its largest element and a sum, and the number of
  /// these results.
  std::optional<int64_t> resultDim;
  int64_t numResults = 1;
  /// The operations that make an element of the loops' results.
  llvm::SmallVector<mlir::Operation *> epilogue;
  /// Where rows are parts of the output's lines, the elements of a part, or 0:
  /// coordinate 10 of the only element dimension is then element 2 of row 2, if
  /// a part has 4 elements. The dimension is one of setDims, too.
  int64_t partSize = 0;
  /// The values of the body that are the number of the part.
  llvm::SmallVector<mlir::Value> partNumbers;

  /// Nothing if `op` is none.
  static std::optional<RowReduction> match(mlir::linalg::GenericOp op);

  /// Whether the rows are worth a row kernel: their elements are each of one
  /// row alone, and rows are no more than a workgroup should combine, or enough
  /// for all workgroups of a device.
  bool isWorthwhile() const;

  /// Whether the threads of a workgroup can hold a row.
  bool fitsWorkgroup() const;

  /// Whether there is a scan among the loops, and whether scans run backward.
  bool hasScan() const {
    return llvm::any_of(nests,
                        [](const RowLoops &nest) { return !!nest.scan; });
  }
  bool isBackward() const {
    return llvm::any_of(nests, [](const RowLoops &nest) {
      return nest.scan && nest.scan->isBackward;
    });
  }

  /// The operations that are built for an element, about.
  int64_t countOps() const;

  /// Whether a thread may have so many elements written out side by side.
  bool canWriteOut(int64_t lanes) const;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_ROWREDUCTION_H
