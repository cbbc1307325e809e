//===- StructuralHash.h - Hashes of operations and regions ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_STRUCTURALHASH_H
#define DML_LIB_CODEGEN_ANALYSIS_STRUCTURALHASH_H

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseMap.h"

namespace dml {

/// The numbers by which values are hashed. A hash gives the next free number to
/// each value that the hashed operations define: 0 to the first, 1 to the
/// second, and so on, if the caller has given no numbers before.
using ValueNumbers = llvm::DenseMap<mlir::Value, unsigned>;

/// Returns a hash of `op` and of the operations in its regions.
/// (OperationEquivalence::computeHash ignores regions, so that operations that
/// differ only in their regions have equal hashes.) Values that `op` and its
/// regions define receive numbers and are hashed by their numbers, so that two
/// copies of an operation have equal hashes. A value without a number is hashed
/// by its identity. Locations are not hashed.
llvm::hash_code hashWithRegions(mlir::Operation *op, ValueNumbers &numbers);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_STRUCTURALHASH_H
