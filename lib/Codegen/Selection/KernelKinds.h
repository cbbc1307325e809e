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

/// Returns the kind of the kernels that have tiles such as `tile`.
const KernelKind &getKernelKind(const KernelTile &tile);

/// The kernels that options ask for, such as --matrix-tile=none. Kinds whose
/// option is 'auto' propose the kernel of the least time.
class KernelWishes {
public:
  /// Reads `text`, the value of `option`. Fails, with a diagnostic on `op`, if
  /// no kind has such a kernel.
  llvm::LogicalResult add(llvm::StringRef option, llvm::StringRef text,
                          mlir::Operation *op);

  /// Returns the kernel that `kind` proposes for a generic, or nothing.
  std::optional<Proposal> propose(const KernelKind &kind,
                                  const KernelQuery &query) const;

private:
  /// The tiles that are wanted of kinds that have a wish: nothing where no
  /// kernel of the kind is wanted.
  llvm::SmallDenseMap<const KernelKind *, std::optional<KernelTile>> wishes;
};

/// Returns the tile of the kernel that a generic becomes. The least time wins,
/// if it is less than `bound`: of matrix, contraction and sliced kernels for
/// the same sums, say. A preferred proposal wins against all kinds that are
/// listed after its own. Returns nothing if a map kernel wins, whose tile is
/// chosen later, or no kernel.
std::optional<KernelTile> chooseKernel(const KernelQuery &query,
                                       const KernelWishes &wishes,
                                       double bound = HUGE_VAL);

/// Returns the cycles that the kernel takes which the kinds propose for a
/// generic. `query` may have a part of the terms of the generic's sums.
double estimateCycles(const KernelQuery &query);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_KERNELKINDS_H
