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
  /// If no kernel of this kind computes `attention`, returns the reason.
  /// Kernels with an online softmax know the sum of a query's weights only
  /// after the last key.
  virtual std::string findProblem(const Attention &attention) const {
    return attention.isRounded ? "stands on weights that are rounded to f16"
                               : "";
  }
  /// Adds the fastest kernels for `query.attention` to `proposals`.
  virtual void proposeFastestAttention(const KernelQuery &query,
                                       Proposals &proposals) const = 0;
  /// Proposes the kernel with the tile `wanted` for `query.attention`.
  virtual std::optional<Proposal>
  proposeWantedAttention(const KernelQuery &query,
                         const Tile &wanted) const = 0;
  /// Replaces `op`, which computes `attention`, by the attention kernel with
  /// `tile`, and returns an empty text. If there is no such kernel, `op` stays,
  /// and the function returns the reason.
  virtual std::string tryBuildAttention(mlir::linalg::GenericOp op,
                                        const Attention &attention,
                                        const Tile &tile,
                                        const DeviceProfile &profile) const = 0;

private:
  bool isFor(const KernelQuery &query) const {
    return query.attention && findProblem(*query.attention).empty();
  }
  void proposeFastest(const KernelQuery &query,
                      Proposals &proposals) const final {
    if (isFor(query))
      proposeFastestAttention(query, proposals);
  }
  std::optional<Proposal> proposeWanted(const KernelQuery &query,
                                        const Tile &wanted) const final {
    return isFor(query) ? proposeWantedAttention(query, wanted) : std::nullopt;
  }
  std::string tryBuild(mlir::linalg::GenericOp op, const Tile &tile,
                       const DeviceProfile &profile) const final {
    std::optional<Attention> attention;
    if (op.hasPureBufferSemantics())
      attention = Attention::match(op);
    if (!attention)
      return "stands on no products with a softmax of products";
    if (std::string problem = findProblem(*attention); !problem.empty())
      return problem;
    return tryBuildAttention(op, *attention, tile, profile);
  }
};

/// The base of the kinds of attention kernels whose tile, with the attention
/// and the profile, determines a layout of workgroup memory. Layout::get()
/// tells whether there is a kernel with a tile.
template <typename Tile, typename Layout>
class LaidOutAttentionKind : public AttentionKindOf<Tile> {
  std::optional<KernelTile>
  parseOption(llvm::StringRef text, mlir::MLIRContext *context) const final {
    return this->parseTile(text, context);
  }
  std::optional<Proposal>
  proposeWantedAttention(const KernelQuery &query,
                         const Tile &wanted) const final {
    Layout layout;
    return Layout::get(*query.attention, wanted, query.profile, layout).empty()
               ? std::optional(Proposal::prefer(wanted))
               : std::nullopt;
  }
  std::string tryBuildAttention(mlir::linalg::GenericOp op,
                                const Attention &attention, const Tile &tile,
                                const DeviceProfile &profile) const final {
    Layout layout;
    std::string problem = Layout::get(attention, tile, profile, layout);
    if (problem.empty())
      buildAttention(op, tile, profile);
    return problem;
  }

protected:
  /// Replaces `op`, for which there is a kernel with `tile`, by this kernel.
  virtual void buildAttention(mlir::linalg::GenericOp op, const Tile &tile,
                              const DeviceProfile &profile) const = 0;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_ATTENTIONKINDOF_H
