//===- KernelKind.h - The interface of kinds of kernels ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A linalg.generic becomes a kernel of one kind, such as a matrix kernel, a row
// kernel or a map kernel. Each kind is an object that is listed in
// Selection/KernelKinds.def. docs/Architecture.md describes how to add a kind.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_KERNELKIND_H
#define DML_LIB_CODEGEN_KERNELS_KERNELKIND_H

#include "Analysis/Attention.h"
#include "Emit/ContractionBuilder.h"
#include "dml/IR/KernelAttr.h"
#include "dml/Target/DeviceProfile.h"
#include <optional>
#include <string>

namespace dml {

/// A linalg.generic for which a kernel is to be chosen, and those analyses of
/// the generic that several kinds of kernels use. A kind that needs another
/// analysis runs it itself.
class KernelQuery {
public:
  KernelQuery(mlir::linalg::GenericOp op, const DeviceProfile &profile,
              const Contraction *contraction,
              const Attention *attention = nullptr)
      : op(op), profile(profile), contraction(contraction),
        attention(attention) {}

  mlir::linalg::GenericOp op;
  const DeviceProfile &profile;
  /// The contraction that the generic computes, or null if it computes none.
  const Contraction *contraction;
  /// The attention that the generic computes, or null if it computes none.
  const Attention *attention;

  bool isOnBuffers() const {
    return mlir::linalg::GenericOp(op).hasPureBufferSemantics();
  }
  /// Returns the strides of the contraction's factors, which are computed at
  /// most once.
  const OperandStrides &getStrides() const {
    if (!strides)
      strides = OperandStrides::get(op, *contraction);
    return *strides;
  }

private:
  mutable std::optional<OperandStrides> strides;
};

/// A kernel that a kind proposes for a generic.
struct Proposal {
  /// The tile of the kernel, or nothing for a map kernel, whose tile
  /// dml-select-map-tiles chooses later.
  std::optional<KernelTile> tile;
  /// The estimated time of the kernel in cycles of a multiprocessor, or nothing
  /// if the kind has no model of its time.
  std::optional<double> cycles;
  /// Whether the kernel is chosen without a comparison of its own time. A
  /// preferred kernel loses only if the fastest of the kernels that are not
  /// preferred is of a kind that is listed earlier. For example, the kinds A, B
  /// and C are listed in this order, and the kernel of B is preferred. With 100
  /// cycles for A and 110 for C, A wins. With 100 for A and 90 for C, B wins,
  /// even if it takes 200 cycles. A proposal without cycles cannot be compared
  /// and must therefore be preferred.
  bool isPreferred = false;
  /// The factor by which chooseKernel() multiplies the cycles before it
  /// compares them with other times. With a share of 0.9, a kernel of 100
  /// cycles counts as one of 90, and a kernel of 95 cycles does not win against
  /// it. Estimates are inexact. A kind with a share below 1 loses only to
  /// kernels that are clearly faster.
  double share = 1;

  /// Returns a proposal that is chosen without a comparison of times.
  static Proposal prefer(KernelTile tile) {
    return {std::move(tile), /*cycles=*/std::nullopt, /*isPreferred=*/true};
  }
};

/// The best proposals of a search: one for the compiler, and several for a
/// tuner, which measures them. Proposals are ordered by their estimated times.
/// Proposals of equal times have the order in which they were added, and those
/// without an estimate come last.
class Proposals {
public:
  explicit Proposals(size_t most = 1) : most(most) {}

  void add(Proposal proposal);
  /// Whether the search is for a single proposal.
  bool wantsOne() const { return most == 1; }
  size_t getMost() const { return most; }
  /// Returns the best proposal, or null if there is none.
  Proposal *getBest() { return proposals.empty() ? nullptr : &proposals[0]; }
  std::optional<Proposal> takeBest() {
    return proposals.empty() ? std::nullopt
                             : std::optional(std::move(proposals[0]));
  }
  llvm::ArrayRef<Proposal> get() const { return proposals; }

private:
  size_t most;
  llvm::SmallVector<Proposal, 1> proposals;
};

/// A kind of kernel. A kind parses the options that request its kernels,
/// proposes a kernel for a generic, and builds the kernel that a `dml.kernel`
/// attribute describes.
class KernelKind {
public:
  virtual ~KernelKind() = default;

  /// Returns the name of the entry of `dml.kernel` that describes a kernel of
  /// this kind, such as "matrix_tile".
  virtual llvm::StringRef getTileName() const = 0;

  /// Replaces `op` by the launch of the kernel with `tile`, a tile of this
  /// kind, and returns an empty text. On failure, `op` stays, and the function
  /// returns the reason, in words that follow the name of the operation in a
  /// message. Matrix kernels, for example, compute contractions only, and
  /// return "has a matrix_tile that stands on no contraction" for other
  /// operations.
  virtual std::string build(mlir::linalg::GenericOp op, const KernelTile &tile,
                            const DeviceProfile &profile) const = 0;

  /// Returns the name of the option that requests kernels of this kind, such as
  /// "matrix-tile", or an empty text if there is none. Several kinds may share
  /// an option.
  virtual llvm::StringRef getOption() const { return ""; }
  /// Describes, for a message, the values of the option other than 'auto' and
  /// 'none'. If several kinds share an option, one of them describes it.
  virtual std::string describeOption() const { return ""; }
  /// Parses the value of the option as a tile of this kind. Entries of the tile
  /// that are 0 or empty are chosen later for each generic. Returns nothing if
  /// `text` does not request a kernel of this kind.
  virtual std::optional<KernelTile>
  parseOption(llvm::StringRef text, mlir::MLIRContext *context) const {
    return std::nullopt;
  }

  /// Proposes the kernel with the tile `wanted`, or this kind's fastest kernel
  /// if `wanted` is null. Returns nothing if the generic cannot have such a
  /// kernel.
  std::optional<Proposal> propose(const KernelQuery &query,
                                  const KernelTile *wanted) const;
  /// If `wanted` is null, adds this kind's fastest kernels to `proposals`.
  /// Otherwise adds the kernel with the tile `wanted`.
  virtual void proposeAll(const KernelQuery &query, const KernelTile *wanted,
                          Proposals &proposals) const = 0;

protected:
  /// Parses `text`, positive numbers separated by 'x', such as '64x32', and
  /// sets `sizes` to them. Returns false if `text` does not have exactly as
  /// many numbers as `sizes`.
  static bool parseSizes(llvm::StringRef text, llvm::ArrayRef<int64_t *> sizes);
  /// Parses `text` as the tile of this kind in a `dml.kernel` attribute.
  std::optional<KernelTile> parseTile(llvm::StringRef text,
                                      mlir::MLIRContext *context) const;
  /// Prepends the name of this kind's tile to `problem`, to form the text that
  /// build() returns: "stands on no contraction" becomes "has a matrix_tile
  /// that stands on no contraction". An empty problem stays empty.
  std::string describeProblem(llvm::StringRef problem) const;
};

/// A kind of kernel whose tiles are of type `Tile`.
template <typename Tile> class KernelKindOf : public KernelKind {
public:
  llvm::StringRef getTileName() const final { return Tile::name; }
  std::string build(mlir::linalg::GenericOp op, const KernelTile &tile,
                    const DeviceProfile &profile) const override {
    return describeProblem(tryBuild(op, std::get<Tile>(tile), profile));
  }
  void proposeAll(const KernelQuery &query, const KernelTile *wanted,
                  Proposals &proposals) const final {
    if (!wanted)
      return proposeFastest(query, proposals);
    if (auto proposal = proposeWanted(query, std::get<Tile>(*wanted)))
      proposals.add(std::move(*proposal));
  }

protected:
  /// Builds the kernel with `tile`, and returns an empty text. On failure,
  /// returns the problem without the name of the tile, such as "stands on no
  /// contraction". build() completes this to "has a matrix_tile that stands on
  /// no contraction".
  virtual std::string tryBuild(mlir::linalg::GenericOp op, const Tile &tile,
                               const DeviceProfile &profile) const = 0;
  /// Adds the fastest kernels to `proposals`.
  virtual void proposeFastest(const KernelQuery &query,
                              Proposals &proposals) const = 0;
  /// Proposes the kernel with the tile `wanted`.
  virtual std::optional<Proposal> proposeWanted(const KernelQuery &query,
                                                const Tile &wanted) const {
    return std::nullopt;
  }
};

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_KERNELKIND_H
