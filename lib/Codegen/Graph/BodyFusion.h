//===- BodyFusion.h - Common parts of fusions -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_GRAPH_BODYFUSION_H
#define DML_LIB_CODEGEN_GRAPH_BODYFUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dml {

/// Gives `consumer`, into which `producer` is fused, the combined label and
/// location. The label lists each operator of the kernel once, in the order of
/// the data flow: dml.padding+dml.tile. The location combines the location of
/// the consumer, which diagnostics show first, and the location of the
/// producer.
void joinLabels(mlir::linalg::GenericOp producer,
                mlir::linalg::GenericOp consumer);

/// Returns the number of elements that `op` computes. An unknown size counts as
/// a very large one.
int64_t countElements(mlir::linalg::GenericOp op);

/// Moves loop-invariant operations out of the loops in the body of `op`. Inner
/// loops and reads of tensors are moved as well. They may be executed before
/// the loop, because each loop has at least one iteration and no read is out of
/// bounds.
void hoistFromLoops(mlir::linalg::GenericOp op);

} // namespace dml

#endif // DML_LIB_CODEGEN_GRAPH_BODYFUSION_H
