//===- LoopResults.h - The results of loops in SPIR-V -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_LOOPRESULTS_H
#define DML_LIB_CODEGEN_SPIRV_LOOPRESULTS_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace dml {

/// Lets the loops of `module` store their results where an iteration begins.
///
/// Upstream's conversion of scf.for gives each result a variable, to which the
/// loop stores at the end of each iteration, and which is loaded behind the
/// loop. A driver then carries two values from iteration to iteration: the
/// value of the loop and that of the variable, which differ before the first
/// iteration, since the variable has no initial value yet, or still has the
/// value of the preceding run of the loop. Both need a register at the
/// beginning of an iteration. In a loop within another loop, the variable needs
/// its register throughout the outer loop.
///
/// At the beginning of an iteration, and at the end of the loop, the variable
/// receives the value of the loop, so that the two never differ.
void storeResultsAtBeginning(mlir::spirv::ModuleOp module);

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_LOOPRESULTS_H
