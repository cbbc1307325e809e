//===- RowReduction.h - Reductions and scans of rows ------------*- C++ -*-===//
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

/// The order of a scan, which combines the elements of a row up to each
/// element, or from each element on if the scan runs backward. An exclusive
/// scan leaves the element itself out: the sums of 1, 2, 3 are 1, 3, 6, and
/// those of an exclusive scan 0, 1, 3.
struct ScanOrder {
  bool isBackward, isExclusive;
};

/// A nest of loops over a row, outermost first, that combines numbers computed
/// from the row's elements in any order, and the operations in the nest.
struct RowLoops {
  llvm::SmallVector<mlir::scf::ForOp> loops;
  /// The order of the scan, if the nest is a scan: one loop that combines
  /// another part of the row for each element of the output. An iteration
  /// combines `select(isInPart, scanned, neutral)`, where the neutral number,
  /// such as 0 for a sum, changes nothing.
  std::optional<ScanOrder> scan;
  mlir::Value scanned;
  /// The operations that compute the initial values of the loops.
  llvm::SmallVector<mlir::Operation *> start;
  /// The element that an iteration combines with each carried value, and the
  /// operations that compute the elements.
  llvm::SmallVector<mlir::Value> elements;
  llvm::SmallVector<mlir::Operation *> slice;
  /// The operations that combine elements with carried values. They depend on
  /// elements and carried values alone, so that a kernel uses them to combine
  /// the carried values of two threads, too.
  llvm::SmallVector<mlir::Operation *> combiner;

  mlir::ValueRange getInit() { return loops.front().getInitArgs(); }
  mlir::ResultRange getResults() const { return loops.front()->getResults(); }
  /// Returns the carried values of the innermost loop, which the combiner
  /// reads, and the combined values, which it computes.
  mlir::ValueRange getCarried() { return loops.back().getRegionIterArgs(); }
  mlir::ValueRange getCombined() {
    return loops.back().getBody()->getTerminator()->getOperands();
  }
};

/// A linalg.generic on buffers or tensors whose body reduces rows of elements.
/// A softmax reduces a row to its largest element, then, with the largest
/// element, to a sum of exponentials. The loops over a row compute the same
/// results for all elements of the output that belong to the row: one element,
/// as in a sum, or as many as the row has, as in a softmax. No operator is
/// named, so that all operators that are fused with reductions of the same rows
/// are parts of one kernel.
struct RowReduction {
  /// The nests of loops, in their order. A nest may use the results of the
  /// nests before it.
  llvm::SmallVector<RowLoops, 2> nests;
  /// The sizes of a row: the number of iterations of each loop of a nest.
  llvm::SmallVector<int64_t> sizes;
  /// The number of elements in a row, and the number of rows.
  int64_t rowSize = 1, numRows = 1;
  /// The dimensions of the output whose coordinates are those of the row, and
  /// the dimensions whose coordinates are those of an element in the row.
  /// Dimensions of size 1 are in neither list.
  llvm::SmallVector<int64_t> setDims, elementDims;
  /// The dimension of the output whose coordinate is the number of a result,
  /// where a row has several results, such as its largest element and a sum,
  /// and the number of results.
  std::optional<int64_t> resultDim;
  int64_t numResults = 1;
  /// The operations that compute an element of the output from the results of
  /// the loops.
  llvm::SmallVector<mlir::Operation *> epilogue;
  /// The number of elements in a row where several rows follow each other along
  /// one dimension of the output, or 0 where that dimension has one row. With
  /// rows of 4 elements, coordinate 10 is element 2 of row 2. The dimension is
  /// in setDims and in elementDims.
  int64_t partSize = 0;
  /// The values of the body that compute the number of the row along that
  /// dimension.
  llvm::SmallVector<mlir::Value> partNumbers;

  /// Returns the reduction that `op` is, or nothing.
  static std::optional<RowReduction> match(mlir::linalg::GenericOp op);

  /// Whether a row kernel is faster than a map kernel: each element belongs to
  /// one row alone, and rows are short enough for a workgroup, or there are
  /// enough rows to occupy the device.
  bool isWorthwhile() const;

  /// Whether the threads of a workgroup can hold a row in registers.
  bool fitsWorkgroup() const;

  /// Whether one of the nests is a scan, and whether the scans run backward.
  bool hasScan() const {
    return llvm::any_of(nests,
                        [](const RowLoops &nest) { return !!nest.scan; });
  }
  bool isBackward() const {
    return llvm::any_of(nests, [](const RowLoops &nest) {
      return nest.scan && nest.scan->isBackward;
    });
  }

  /// Returns the approximate number of operations that a kernel has for an
  /// element.
  int64_t countOps() const;

  /// Whether a kernel may have the operations of `lanes` elements written out
  /// side by side.
  bool canWriteOut(int64_t lanes) const;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_ROWREDUCTION_H
