//===- AttentionKindOf.h - A kind of attention kernels ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SELECTION_ATTENTIONKINDOF_H
#define DML_LIB_CODEGEN_SELECTION_ATTENTIONKINDOF_H

#include "Analysis/Attention.h"
#include "Kernels/KernelKind.h"

namespace dml {

/// The base of the kinds of kernels that compute attention.
template <typename Tile> class AttentionKindOf : public KernelKindOf<Tile> {
public:
  llvm::StringRef getOption() const final { return "attention-tile"; }

protected:
  /// Replaces `op`, which computes `attention`, by the attention kernel with
  /// `tile`, and returns an empty text. If there is no such kernel, `op` stays,
  /// and the function returns the reason.
  virtual std::string tryBuildAttention(mlir::linalg::GenericOp op,
                                        const Attention &attention,
                                        const Tile &tile,
                                        const DeviceProfile &profile) const = 0;

private:
  std::string tryBuild(mlir::linalg::GenericOp op, const Tile &tile,
                       const DeviceProfile &profile) const final {
    std::optional<Attention> attention;
    if (op.hasPureBufferSemantics())
      attention = Attention::match(op);
    if (!attention)
      return "stands on no products with a softmax of products";
    return tryBuildAttention(op, *attention, tile, profile);
  }
};

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_ATTENTIONKINDOF_H
