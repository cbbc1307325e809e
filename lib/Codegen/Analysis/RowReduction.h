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

/// The order of a scan. A scan computes, for each element of a row, the
/// combination of the elements up to this element, or from this element on if
/// the scan runs backward. An exclusive scan omits the element itself: the scan
/// of the sums of 1, 2, 3 is 1, 3, 6, and the exclusive scan is 0, 1, 3.
struct ScanOrder {
  bool isBackward, isExclusive;
};

/// A nest of loops over a row that combines numbers computed from the row's
/// elements, and the operations in the nest. Unless the nest is a scan, the
/// numbers may be combined in any order, so that threads can share out the
/// elements of the row.
struct RowLoops {
  llvm::SmallVector<mlir::scf::ForOp> loops;
  /// The order of the scan, if the nest is a scan, such as a running sum. For
  /// each element of the output, a scan reduces the elements on one side of
  /// this element in the row. The nest of a scan has one loop, which visits the
  /// whole row. Each iteration combines `select(isInPart, scanned, neutral)`.
  /// This is the row's element `scanned` if the element is to be reduced.
  /// Otherwise it is a number that does not change the result, such as 0 for a
  /// sum.
  std::optional<ScanOrder> scan;
  mlir::Value scanned;
  /// The operations that compute the initial values of the loops.
  llvm::SmallVector<mlir::Operation *> start;
  /// The element of the row that an iteration of the innermost loop combines
  /// with each carried value, and the operations that compute the elements.
  llvm::SmallVector<mlir::Value> elements;
  llvm::SmallVector<mlir::Operation *> slice;
  /// The operations that combine elements with carried values. These operations
  /// depend only on elements and carried values, so that a kernel can also use
  /// them to combine the carried values of two threads.
  llvm::SmallVector<mlir::Operation *> combiner;

  mlir::ValueRange getInit() { return loops.front().getInitArgs(); }
  mlir::ResultRange getResults() const { return loops.front()->getResults(); }
  /// getCarried() returns the values that the innermost loop carries.
  /// getCombined() returns the values that the loop carries into its next
  /// iteration: each is a carried value combined with an element of the row.
  mlir::ValueRange getCarried() { return loops.back().getRegionIterArgs(); }
  mlir::ValueRange getCombined() {
    return loops.back().getBody()->getTerminator()->getOperands();
  }
};

/// A linalg.generic on buffers or tensors whose body reduces rows of elements.
/// A softmax, for example, reduces a row to its largest element. With this
/// element, it then reduces the row to a sum of exponentials. Apart from scans,
/// the loops over a row compute the same results for all elements of the output
/// that belong to the row. A sum has one element of the output for each row,
/// and a softmax as many as the row has elements.
///
/// Row reductions are recognized by their loops and not by the name of an
/// operator. One kernel can therefore compute all operators that are fused with
/// reductions of the same rows.
struct RowReduction {
  /// The nests of loops, in the order of the body. A nest may use the results
  /// of earlier nests.
  llvm::SmallVector<RowLoops, 2> nests;
  /// The sizes of a row: the number of iterations of each loop of a nest.
  llvm::SmallVector<int64_t> sizes;
  /// The number of elements in a row, and the number of rows.
  int64_t rowSize = 1, numRows = 1;
  /// The dimensions of the output whose coordinates select a row, and the
  /// dimensions whose coordinates select an element within the row. Neither
  /// list has dimensions of size 1.
  llvm::SmallVector<int64_t> setDims, elementDims;
  /// If a row has several results, such as its largest element and a sum,
  /// `resultDim` is the dimension of the output whose coordinate selects the
  /// result, and `numResults` the number of results. The dimension is neither
  /// in setDims nor in elementDims.
  std::optional<int64_t> resultDim;
  int64_t numResults = 1;
  /// The operations that compute an element of the output from the results of
  /// the loops.
  llvm::SmallVector<mlir::Operation *> epilogue;
  /// The number of elements in a row if several rows follow each other along
  /// one dimension of the output, and 0 otherwise. With rows of 4 elements,
  /// coordinate 10 is element 2 of row 2. The dimension is in both setDims and
  /// elementDims.
  int64_t partSize = 0;
  /// The quotients by `partSize` that the body computes of a dimension's
  /// coordinate, if several rows follow each other along this dimension. Each
  /// quotient is the index of the row along the dimension: with rows of 4
  /// elements, coordinate 9 lies in row 2. All elements of a row have the same
  /// number, so that it is computed once for the row.
  llvm::SmallVector<mlir::Value> partNumbers;

  /// Matches `op` as a row reduction. Returns nothing if `op` computes anything
  /// else.
  static std::optional<RowReduction> match(mlir::linalg::GenericOp op);

  /// Whether a row kernel is likely to be faster than a map kernel. The rows
  /// must not overlap so much that an element is read more than twice on
  /// average, as the windows of a pooling may. Unless the rows are scanned, the
  /// rows must also be short enough for one workgroup to reduce each, or
  /// numerous enough to occupy the device.
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

  /// Returns the approximate number of operations that a kernel executes for
  /// each element.
  int64_t countOps() const;

  /// Whether a kernel may unroll its code over `lanes` elements, which a thread
  /// then computes side by side.
  bool canWriteOut(int64_t lanes) const;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_ROWREDUCTION_H
