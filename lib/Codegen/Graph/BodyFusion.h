//===- BodyFusion.h - Bodies that take in others ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_GRAPH_BODYFUSION_H
#define DML_LIB_CODEGEN_GRAPH_BODYFUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dml {

/// Gives `consumer` the label and the location of a kernel that computes
/// `producer`, too. The label names the operators that it computes, each once,
/// in the order in which data flows through them. Its location has those of all
/// of them, the one first that messages are about.
void joinLabels(mlir::linalg::GenericOp producer,
                mlir::linalg::GenericOp consumer);

/// Moves what does not depend on their iterations out of the loops of `op`, the
/// loops over a row among it. No loop is empty, and no read out of bounds.
void hoistFromLoops(mlir::linalg::GenericOp op);

} // namespace dml

#endif // DML_LIB_CODEGEN_GRAPH_BODYFUSION_H
