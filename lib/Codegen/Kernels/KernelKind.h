//===- KernelKind.h - What a kind of kernel is ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A linalg.generic becomes a kernel of one kind: a matrix kernel, a row kernel,
// a map kernel and so on. Each kind is one object, which is listed in
// Selection/KernelKinds.def. docs/Architecture.md has the steps that add one.
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

/// A linalg.generic whose kernel is to be chosen, and the descriptions of the
/// generic that several kinds of kernels read. A kind that needs another
/// description makes it itself.
class KernelQuery {
public:
  KernelQuery(mlir::linalg::GenericOp op, const DeviceProfile &profile,
              const Contraction *contraction,
              const Attention *attention = nullptr)
      : op(op), profile(profile), contraction(contraction),
        attention(attention) {}

  mlir::linalg::GenericOp op;
  const DeviceProfile &profile;
  /// The sums of products that the generic computes, or null.
  const Contraction *contraction;
  /// The attention that the generic computes, or null.
  const Attention *attention;

  bool isOnBuffers() const {
    return mlir::linalg::GenericOp(op).hasPureBufferSemantics();
  }
  /// Returns the strides of the factors of the sums, which are found once.
  const OperandStrides &getStrides() const {
    if (!strides)
      strides = OperandStrides::get(op, *contraction);
    return *strides;
  }

private:
  mutable std::optional<OperandStrides> strides;
};

/// A kernel that a kind offers for a generic.
struct Proposal {
  /// The tile of the kernel. A map kernel has none yet:
  /// dml-select-map-tiles chooses its tile.
  std::optional<KernelTile> tile;
  /// The cycles of a multiprocessor that the kernel takes, or nothing if the
  /// kind has no model of its time.
  std::optional<double> cycles;
  /// Whether the kernel is taken without a comparison of times, unless a kind
  /// that is listed before has a better one. A proposal without cycles has to
  /// be one of these.
  bool isPreferred = false;
  /// The share of these cycles below which kernels of other kinds have to stay
  /// to be taken instead: 0.9 where an estimate of 95 cycles for another kernel
  /// is no reason to give up one of 100.
  double share = 1;

  /// A kernel that is taken without a comparison of times.
  static Proposal prefer(KernelTile tile) {
    return {std::move(tile), /*cycles=*/std::nullopt, /*isPreferred=*/true};
  }
};

/// A kind of kernel: reads the options that ask for its kernels, proposes a
/// kernel for a generic, and builds a kernel that `dml.kernel` states.
class KernelKind {
public:
  virtual ~KernelKind() = default;

  /// The name of the entry of `dml.kernel` that states a kernel of this kind,
  /// such as "matrix_tile".
  virtual llvm::StringRef getTileName() const = 0;

  /// Replaces `op` by the launch of the kernel that has `tile`, which is of
  /// this kind. If that cannot be, `op` stays, and the problem is returned as
  /// text that goes on after the name of the operation: "has a matrix_tile that
  /// stands on no contraction". The text is empty otherwise.
  virtual std::string build(mlir::linalg::GenericOp op, const KernelTile &tile,
                            const DeviceProfile &profile) const = 0;

  /// The name of the option that asks for kernels of this kind, such as
  /// "matrix-tile", or nothing if none does. Kinds may share an option.
  virtual llvm::StringRef getOption() const { return ""; }
  /// Returns the values that the option may have besides 'auto' and 'none', as
  /// text for a message. One of the kinds that share an option describes it.
  virtual std::string describeOption() const { return ""; }
  /// Reads the value of the option: a tile of this kind, which may leave some
  /// of its entries 0 or empty, to be set for each generic. Returns nothing if
  /// `text` asks for no kernel of this kind.
  virtual std::optional<KernelTile>
  parseOption(llvm::StringRef text, mlir::MLIRContext *context) const {
    return std::nullopt;
  }

  /// Proposes a kernel for a generic, or nothing if the generic can have none
  /// of this kind: the kernel with the tile `wanted`, or the kernel of the
  /// least time where `wanted` is null.
  virtual std::optional<Proposal> propose(const KernelQuery &query,
                                          const KernelTile *wanted) const = 0;

protected:
  /// Reads positive numbers with an 'x' between them, such as '64x32', as
  /// `sizes`. Returns false if `text` is not as many numbers.
  static bool parseSizes(llvm::StringRef text, llvm::ArrayRef<int64_t *> sizes);
  /// Parses `text` as a `dml.kernel` that states a tile of this kind.
  std::optional<KernelTile> parseTile(llvm::StringRef text,
                                      mlir::MLIRContext *context) const;
  /// Puts the name of this kind's tile in front of `problem`, so that the text
  /// can be returned by build(): "stands on no contraction" becomes "has a
  /// matrix_tile that stands on no contraction". An empty problem stays empty.
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
  std::optional<Proposal> propose(const KernelQuery &query,
                                  const KernelTile *wanted) const final {
    return wanted ? proposeWanted(query, std::get<Tile>(*wanted))
                  : proposeFastest(query);
  }

protected:
  /// Builds the kernel that has `tile`, or returns the problem of the tile: the
  /// text behind "has a matrix_tile that".
  virtual std::string tryBuild(mlir::linalg::GenericOp op, const Tile &tile,
                               const DeviceProfile &profile) const = 0;
  /// Proposes the kernel of the least time.
  virtual std::optional<Proposal>
  proposeFastest(const KernelQuery &query) const = 0;
  /// Proposes the kernel that has the tile `wanted`.
  virtual std::optional<Proposal> proposeWanted(const KernelQuery &query,
                                                const Tile &wanted) const {
    return std::nullopt;
  }
};

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_KERNELKIND_H
