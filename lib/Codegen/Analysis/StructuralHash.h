//===- StructuralHash.h - A hash of operations with their regions -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_STRUCTURALHASH_H
#define DML_LIB_CODEGEN_ANALYSIS_STRUCTURALHASH_H

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseMap.h"

namespace dml {

/// Numbers of values, in the order in which they turn up.
using ValueNumbers = llvm::DenseMap<mlir::Value, unsigned>;

/// A hash of `op` and of all that is in it: OperationEquivalence's leaves
/// regions out, and operations that differ in these alone all meet in one
/// bucket. A value counts as its number, or as itself where it has none.
/// The values that `op` defines get numbers. Locations do not count.
llvm::hash_code hashWithRegions(mlir::Operation *op, ValueNumbers &numbers);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_STRUCTURALHASH_H
