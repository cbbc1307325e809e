//===- ScanBuilder.h - What stands before each element ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_SCANBUILDER_H
#define DML_LIB_CONVERSION_DMLTOLINALG_SCANBUILDER_H

#include "ReductionBuilder.h"

namespace dml {

/// A scan along `axis`. Each place of the result combines all elements before
/// this place, or behind it if the scan runs backward. The place itself is
/// included unless the scan is exclusive.
struct Scan {
  mlir::Operation *op;
  int64_t axis;
  Combiner combiner;
  bool isBackward = false, isExclusive = false;

  /// Builds the tensor with shape `shape` and the combiner's type that contains
  /// the scan of `element`.
  mlir::Value build(mlir::OpBuilder &builder, llvm::ArrayRef<int64_t> shape,
                    const NumberFn &element) const;

private:
  int64_t getPartSize(llvm::ArrayRef<int64_t> shape) const;
};

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_SCANBUILDER_H
