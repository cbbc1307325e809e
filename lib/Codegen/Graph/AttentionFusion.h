//===- AttentionFusion.h - Attention as one generic -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The generics that compute scores, their softmax, and the products of the
// softmax with values become one generic. Its body has three loops over the
// keys (Analysis/Attention.h), each of which computes the scores. A map kernel
// of the fused generic would thus compute each score three times for each
// element of the output; an attention kernel computes each score once for a row
// of the output.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_GRAPH_ATTENTIONFUSION_H
#define DML_LIB_CODEGEN_GRAPH_ATTENTIONFUSION_H

#include "Analysis/Attention.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/IR/PatternMatch.h"

namespace dml {

/// The fusion of a generic that adds up products with the weights of a softmax
/// with the generics that compute the weights.
class AttentionFusion {
public:
  AttentionFusion(mlir::linalg::GenericOp products,
                  const DeviceProfile &profile)
      : products(products), profile(profile), rewriter(products) {}
  ~AttentionFusion() {
    if (fused)
      rewriter.eraseOp(fused);
  }

  /// Builds the fused generic beside the others. Returns the attention that it
  /// computes, or nothing if the generics are no attention.
  std::optional<Attention> build();
  /// Returns the fused generic, which build() has built.
  mlir::linalg::GenericOp getFused() const { return fused; }
  /// Puts the fused generic in the place of the others, and returns the fused
  /// generic.
  mlir::linalg::GenericOp apply();

  /// Returns the generics that are a part of the fused generic, which apply()
  /// erases.
  llvm::ArrayRef<mlir::linalg::GenericOp> getProducers() const {
    return producers;
  }

private:
  bool isPart(mlir::linalg::GenericOp producer);
  bool readWeightsByKey();
  bool inlineReads(mlir::linalg::GenericOp producer);
  mlir::linalg::GenericOp findNext();
  bool isSupported();

  mlir::linalg::GenericOp products, fused;
  const DeviceProfile &profile;
  mlir::IRRewriter rewriter;
  /// The generics whose bodies are in the fused generic, from weights to
  /// scores, and the reshapes through which each is read, the last reshape
  /// first.
  llvm::SmallVector<mlir::linalg::GenericOp> producers;
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> reshapes;
  /// The coordinates of the fused generic's elements.
  llvm::SmallVector<mlir::Value> indices;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_GRAPH_ATTENTIONFUSION_H
