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

/// The numbers of values, in the order in which a hash meets the values.
using ValueNumbers = llvm::DenseMap<mlir::Value, unsigned>;

/// Returns a hash of `op` and of the operations in its regions.
/// (OperationEquivalence::computeHash leaves regions out, so that operations
/// which differ in their regions alone have one hash.) A value that has a
/// number is hashed by the number, and another value by its identity. The
/// function numbers the values that `op` and its regions define. Locations are
/// not hashed.
llvm::hash_code hashWithRegions(mlir::Operation *op, ValueNumbers &numbers);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_STRUCTURALHASH_H
