//===- SumTraits.h - What kernels of sums take time for ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SELECTION_SUMTRAITS_H
#define DML_LIB_CODEGEN_SELECTION_SUMTRAITS_H

#include "Kernels/KernelKind.h"
#include "Selection/Occupancy.h"
#include "dml/Target/DeviceProfile.h"

namespace dml {

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

  static SumTraits get(const KernelQuery &query);
  /// Whether neighbouring threads have different slices.
  bool isAlong() const { return columns.strides.areAlongSteps(); }
};

/// Returns the bytes that memory brings of the factors of an operand.
double getFactorBytes(const SumTraits &sums, const FactorTraits &factors);

/// Returns the cycles that memory takes for all factors.
double getTimeOfMemory(const SumTraits &sums, const DeviceSpeed &device);

/// Returns the cycles of `groups` workgroups, each of which takes the resources
/// `ofGroup`. The workgroups that a multiprocessor has at a time take `getTime`
/// of their number, and of their number on average; the other workgroups wait
/// until these have finished.
double getTimeOfGroups(
    double groups, const GroupResources &ofGroup, const DeviceSpeed &device,
    llvm::function_ref<double(double most, double average)> getTime);

/// Returns the resources of a workgroup of `threads` threads that take
/// `registers` each, as many as a thread has at most, and of `vectors` vectors
/// of workgroup memory.
GroupResources getResources(int64_t threads, double registers, int64_t vectors,
                            const DeviceSpeed &device);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_SUMTRAITS_H
