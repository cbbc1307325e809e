//===- ScanBuilder.h - What stands before each element ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_SCANBUILDER_H
#define DML_LIB_CONVERSION_DMLTOLINALG_SCANBUILDER_H

#include "ReductionBuilder.h"

namespace dml {

/// A scan along `axis`: what stands before each place, or behind it where the
/// scan runs backward, and the place itself unless the scan is exclusive,
/// combined.
struct Scan {
  mlir::Operation *op;
  int64_t axis;
  Combiner combiner;
  bool isBackward = false, isExclusive = false;

  /// Builds the tensor of sizes `shape` and the combiner's type that has at
  /// each place what `element` gives for those that count there.
  mlir::Value build(mlir::OpBuilder &builder, llvm::ArrayRef<int64_t> shape,
                    const NumberFn &element) const;

private:
  int64_t getPartSize(llvm::ArrayRef<int64_t> shape) const;
};

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_SCANBUILDER_H
