//===- FixCapacities.h - Caches that do not grow ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_FIXCAPACITIES_H
#define DML_LIB_CONVERSION_DMLTOLINALG_FIXCAPACITIES_H

#include "mlir/IR/BuiltinOps.h"

namespace dml {

/// Finds caches of fixed capacity. Attention with 4,096 past positions and one
/// new position has a present result of 4,097 positions. If the model takes
/// only the first 4,096 of them, and the length of the past is a minimum with
/// 4,095, no new position lies behind the capacity. The present results of such
/// an operator then get the type of the past, and the slices of the present
/// results are erased. The operator's own verifier does not know this form,
/// which only the lowering reads.
void fixCapacities(mlir::ModuleOp module);

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_FIXCAPACITIES_H
