//===- ElementMap.h - Generics that compute by coordinates ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_ELEMENTMAP_H
#define DML_LIB_CODEGEN_ANALYSIS_ELEMENTMAP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dml {

/// Whether `op` has no inputs, one output with an identity map, and parallel
/// iterators, so that its body computes each element of the output from the
/// element's coordinates. The body reads other tensors or buffers by
/// tensor.extract or memref.load. The body may also read the old value of the
/// element that it computes, as the block's argument: the pass
/// `dml-write-in-place` creates bodies that do.
inline bool mapsElements(mlir::linalg::GenericOp op) {
  return op.getNumParallelLoops() == op.getNumLoops() &&
         op.getNumDpsInits() == 1 && op.getNumDpsInputs() == 0 &&
         op.getIndexingMapsArray().front().isIdentity();
}

/// Whether the body of `op`, for which mapsElements() holds, reads the old
/// value of the element that it computes.
inline bool readsOutput(mlir::linalg::GenericOp op) {
  return !op.getRegionOutputArgs().front().use_empty();
}

/// Whether mapsElements() holds for `op`, and the body does not read the
/// output. The lowering of operators creates only such generics.
inline bool isElementMap(mlir::linalg::GenericOp op) {
  return mapsElements(op) && !readsOutput(op);
}

/// Returns the type of the buffer whose elements `op` computes. mapsElements()
/// must hold for `op`.
inline mlir::MemRefType getOutputType(mlir::linalg::GenericOp op) {
  return mlir::cast<mlir::MemRefType>(op.getOutputs().front().getType());
}

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_ELEMENTMAP_H
