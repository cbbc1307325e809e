//===- AttentionUtils.h - Attention as products and a softmax ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//
// What attention consists of that DirectML's MULTIHEAD_ATTENTION does not
// express: two products, with operators on the scores in between.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_NODES_ATTENTIONUTILS_H
#define DML_LIB_IMPORT_ONNX_NODES_ATTENTIONUTILS_H

#include "Graph/NodeImporter.h"

namespace dml::onnx {

inline Shape getShapeOf(mlir::Value value) {
  return Shape(llvm::cast<mlir::RankedTensorType>(value.getType()).getShape());
}

/// Returns the score of masked keys, as in ONNX Runtime: the lowest finite
/// number.
double getLowest(DataType type);

/// Returns a sequence of integers with the shape `shape`, beginning with
/// `start`, in steps of `delta`.
mlir::Value getSequence(NodeImporter &node, llvm::ArrayRef<int64_t> shape,
                        int64_t start, int64_t delta);

/// Builds the operator `mnemonic` for two four-dimensional values, which are
/// broadcast to each other. `type` is the element type of the result, if it is
/// not that of `a`.
mlir::Value combineRepeated(NodeImporter &node, llvm::StringRef mnemonic,
                            mlir::Value a, mlir::Value b,
                            std::optional<DataType> type = {});

/// Returns `kept` where `condition` holds and `otherwise` elsewhere. The three
/// have four dimensions and are broadcast to each other.
mlir::Value select(NodeImporter &node, mlir::Value condition, mlir::Value kept,
                   mlir::Value otherwise);

/// Returns the products of the matrices of `a` and of `b`, which may be
/// transposed, times `factor`.
mlir::Value multiply(NodeImporter &node, mlir::Value a, mlir::Value b,
                     bool isTransposed, float factor,
                     llvm::ArrayRef<int64_t> shape);

/// Returns `scores`, limited smoothly to `cap`: cap * tanh(score / cap). A cap
/// of 0 leaves the scores as they are.
mlir::Value limitScores(NodeImporter &node, mlir::Value scores, float cap);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_ATTENTIONUTILS_H
