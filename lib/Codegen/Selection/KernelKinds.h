//===- KernelKinds.h - The kinds of kernels, and their contest --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SELECTION_KERNELKINDS_H
#define DML_LIB_CODEGEN_SELECTION_KERNELKINDS_H

#include "Kernels/KernelKind.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>

namespace dml {

#define DML_KERNEL_KIND(name) const KernelKind &get##name##Kind();
#include "Selection/KernelKinds.def"

/// Returns all kinds of kernels, in the order of preference.
llvm::ArrayRef<const KernelKind *> getKernelKinds();

/// Returns the kind of kernel to which `tile` belongs.
const KernelKind &getKernelKind(const KernelTile &tile);

/// The kernels that the options of a pass request, such as --matrix-tile=none.
/// A kind whose option is 'auto' proposes its fastest kernel.
class KernelWishes {
public:
  /// Adds a request for the kinds of kernels with the option `option`. `text`
  /// is the value of the option. Fails, with a diagnostic on `op`, if none of
  /// these kinds can parse the value.
  llvm::LogicalResult add(llvm::StringRef option, llvm::StringRef text,
                          mlir::Operation *op);

  /// Returns the kernel that `kind` proposes for a generic, or nothing if the
  /// kind has no kernel or no wanted kernel for it.
  std::optional<Proposal> propose(const KernelKind &kind,
                                  const KernelQuery &query) const;
  /// Adds the kernels that `kind` proposes for a generic to `proposals`.
  void proposeAll(const KernelKind &kind, const KernelQuery &query,
                  Proposals &proposals) const;
  /// Whether the options request nothing of `kind`, so that its kernels are
  /// chosen freely.
  bool isFree(const KernelKind &kind) const { return !wishes.contains(&kind); }

private:
  /// The requested tiles of the kinds whose option is not 'auto'. An empty
  /// entry forbids kernels of the kind.
  llvm::SmallDenseMap<const KernelKind *, std::optional<KernelTile>> wishes;
};

/// Returns the tile of the kernel that computes a generic. Kinds propose
/// kernels for the generic: matrix, contraction and sliced kernels, for
/// example, compete for the same sums. The proposal with the least estimated
/// time wins. A preferred proposal, whose time is not compared, may win instead
/// (Proposal::isPreferred). A proposal's time must be less than `bound`, the
/// time of the kernels that the generic would replace: for attention, three
/// kernels for scores, weights and outputs. Returns nothing if a map kernel
/// wins, whose tile is chosen later, or if there is no kernel.
std::optional<KernelTile> chooseKernel(const KernelQuery &query,
                                       const KernelWishes &wishes,
                                       double bound = HUGE_VAL);

/// Returns the estimated cycles of the preferred kernel for a generic, or of
/// the fastest kernel if none is preferred. Kernels whose kinds have no model
/// of their time do not count. The contraction in `query` may have fewer terms
/// than the generic, as in split-K.
double estimateCycles(const KernelQuery &query);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_KERNELKINDS_H
