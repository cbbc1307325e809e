//===- AttentionFusion.h - Attention as one generic -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Fuses the generics that compute scores, the softmax of the scores, and the
// products of the softmax with values, into one generic. The fused body has
// three loops over the keys (Analysis/Attention.h), each of which computes the
// scores. A map kernel for this generic would compute each score three times
// for each element of the output. An attention kernel computes each score only
// once for each row of the output.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_GRAPH_ATTENTIONFUSION_H
#define DML_LIB_CODEGEN_GRAPH_ATTENTIONFUSION_H

#include "Analysis/Attention.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/IR/PatternMatch.h"

namespace dml {

/// Fuses two parts of attention into one generic: the generics that compute the
/// weights of a softmax, and the generic `products`, which multiplies these
/// weights by values and adds up the products.
class AttentionFusion {
public:
  AttentionFusion(mlir::linalg::GenericOp products,
                  const DeviceProfile &profile)
      : products(products), profile(profile), rewriter(products) {}
  ~AttentionFusion() {
    if (fused)
      rewriter.eraseOp(fused);
  }

  /// Builds the fused generic beside the generics that it is to replace.
  /// Returns the attention that the fused generic computes. Returns nothing if
  /// the fused generic does not compute attention.
  std::optional<Attention> build();
  /// Returns the fused generic that build() has built.
  mlir::linalg::GenericOp getFused() const { return fused; }
  /// Puts the fused generic in the place of the generics that were fused, and
  /// returns it.
  mlir::linalg::GenericOp apply();

  /// Returns the generics that were fused into the generic of the products of
  /// weights and values: those of the scores and of the softmax. apply() erases
  /// these generics.
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
  /// The generics whose bodies are fused, in the order from weights to scores.
  /// `reshapes` has a list for each of these generics: the reshapes through
  /// which the generic's result is read, with the last reshape first.
  llvm::SmallVector<mlir::linalg::GenericOp> producers;
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> reshapes;
  /// The coordinates of the element that the fused generic's body computes, one
  /// for each dimension of the output.
  llvm::SmallVector<mlir::Value> indices;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_GRAPH_ATTENTIONFUSION_H
