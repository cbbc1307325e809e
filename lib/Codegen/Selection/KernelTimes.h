//===- KernelTimes.h - How long kernels take --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SELECTION_KERNELTIMES_H
#define DML_LIB_CODEGEN_SELECTION_KERNELTIMES_H

#include "Analysis/Contraction.h"

namespace dml {

/// The cycles that the kernel takes which dml-select-kernels chooses for
/// `contraction`, which describes `op`, or a part of its terms.
double estimateCycles(mlir::linalg::GenericOp op,
                      const Contraction &contraction,
                      const DeviceProfile &profile);

/// What the time of a kernel depends on of an operand's factors: how they lie,
/// their positions, the bytes of one, the operations that it takes when it is
/// loaded, and whether it is chosen between an element and padding.
struct FactorTraits {
  FactorStrides strides;
  int64_t size, bytes;
  double operations;
  bool isChosen;
};

/// What the times of the kernels of a contraction depend on.
struct SumTraits {
  FactorTraits rows, columns;
  int64_t terms, batches;

  static SumTraits get(mlir::linalg::GenericOp op,
                       const Contraction &contraction);
  /// Whether neighbouring threads have different slices.
  bool isAlong() const { return columns.strides.areAlongSteps(); }
};

/// The cycles that a contraction kernel with `tile` takes.
double getTime(const SumTraits &sums, const ContractionTile &tile,
               const DeviceSpeed &device);

/// The cycles that a sliced kernel with `tile` takes.
double getTime(const SumTraits &sums, const SliceTile &tile,
               const DeviceProfile &profile);

/// The cycles that a map kernel takes.
double getMapTime(mlir::linalg::GenericOp op, const Contraction &contraction,
                  const SumTraits &traits, const DeviceSpeed &device);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_KERNELTIMES_H
