//===- Scan.h - What stands before each element -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_SCAN_H
#define DML_LIB_CONVERSION_DMLTOLINALG_SCAN_H

#include "Reduction.h"

namespace dml {

/// A scan along `axis` of numbers that stand in the order in which they are
/// walked.
struct Scan {
  mlir::Operation *op;
  int64_t axis;
  Combiner combiner;

  /// What `element` gives combined over all before each place, and the place
  /// itself unless `isExclusive`, for a line of sizes `shape`. `element` is
  /// called for places inside of `shape` alone.
  NumberFn build(mlir::OpBuilder &builder, llvm::ArrayRef<int64_t> shape,
                 bool isExclusive, const NumberFn &element) const;
};

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_SCAN_H
