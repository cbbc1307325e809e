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

#include "Nodes/NodeUtils.h"

namespace dml::onnx {

/// Returns the score of masked keys, as in ONNX Runtime: the lowest finite
/// number.
double getLowest(DataType type);

/// Returns a sequence of integers with the shape `shape`, beginning with
/// `start`, in steps of `delta`.
mlir::Value getSequence(NodeImporter &node, llvm::ArrayRef<int64_t> shape,
                        int64_t start, int64_t delta);

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
