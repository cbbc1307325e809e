//===- LoadsAhead.h - Loads that begin before threads wait ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_LOADSAHEAD_H
#define DML_LIB_CODEGEN_EMIT_LOADSAHEAD_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dml {

/// Moves loads from buffers, from the operation `first` of a block on, to the
/// front of `place`, which is `first` or stands before it in the same block.
/// Memory serves the moved loads while the threads compute, or wait for each
/// other. Drivers do not move loads across barriers, so that a load behind a
/// barrier would begin only when the threads have met there.
///
/// A load stays if its address depends on memory, or if the moved loads hold
/// more than cost::maxRegistersAhead registers with it.
///
/// The function must not be called if the kernel writes to one of the loaded
/// buffers before the load.
void moveLoadsAhead(mlir::Operation *first, mlir::Operation *place);

/// Software pipelining: lets each iteration of `loop` load the numbers of the
/// next iteration from buffers. A barrier stands behind the loads. Drivers do
/// not move the loads to the end of the iteration if the later operations need
/// numbers of workgroup memory, which the iteration loads behind the barrier.
/// The number of iterations is a constant and at least 2.
void loadIterationAhead(mlir::scf::ForOp loop);

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_LOADSAHEAD_H
