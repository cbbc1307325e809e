//===- SumTraits.h - Costs of kernels that compute sums ---------*- C++ -*-===//
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

/// The properties of an operand's factors on which the time of a kernel
/// depends: the strides of the factors; the number of rows or columns, where a
/// column counts once for each of its sums; the bits of a factor in memory; the
/// operations that compute a factor from loaded elements; and whether a factor
/// is a selection between an element and padding.
struct FactorTraits {
  FactorStrides strides;
  int64_t size, bits;
  double operations;
  bool isChosen;
  /// The number of sums for which a column has factors (Contraction::sums).
  int64_t sums = 1;
  /// For quantized factors: the number of factors in a word of 32 bits, which a
  /// sliced kernel unpacks at a time, and the number of loads for their scale
  /// and their zero point. Both are 0 for other factors.
  int64_t numPerWord = 0, sharedLoads = 0;
  /// The number of groups that ThreadBlock::side = 4 neighbouring positions
  /// form. The positions of a group have the same coordinates in all dimensions
  /// but the innermost one, so that their factors share an address. In rows of
  /// 28 positions, 4 neighbours are one group; in rows of 14, they may be two
  /// and two of different rows; in rows of 7, each may be the last of a row.
  int64_t groupsOfSide = 1;
  /// The average number of loads that compute a factor, without the load of the
  /// factor itself. An example are the parameters of a normalization that has
  /// been fused with the product.
  double otherLoads = 0;

  double getBytes(int64_t count) const {
    return static_cast<double>(count * bits) / 8;
  }
};

/// The properties of a contraction on which the times of its kernels depend.
struct SumTraits {
  FactorTraits rows, columns;
  int64_t terms, batches;

  static SumTraits get(const KernelQuery &query);
  /// Whether consecutive threads of a sliced kernel belong to different slices,
  /// and have different terms of the same columns. Otherwise, they have
  /// different columns.
  bool isAlong() const { return columns.strides.areAlongSteps(); }
};

/// Returns the number of bytes of one operand's factors that memory transfers
/// to compute the sums.
double getFactorBytes(const SumTraits &sums, const FactorTraits &factors);

/// Returns the cycles in which memory transfers all factors.
double getTimeOfMemory(const SumTraits &sums, const DeviceSpeed &device);

/// Returns the cycles of `groups` workgroups, each of which takes the resources
/// `ofGroup`. A multiprocessor runs as many workgroups at a time as its
/// registers and its workgroup memory allow. When these workgroups have
/// finished, the multiprocessor begins further ones. `getTime(most, average)`
/// returns the cycles of the workgroups that run at a time: `most` is their
/// largest number on any multiprocessor, and `average` the average number.
double getTimeOfGroups(
    double groups, const GroupResources &ofGroup, const DeviceSpeed &device,
    llvm::function_ref<double(double most, double average)> getTime);

/// Returns the resources of a workgroup. Each of its `threads` threads takes
/// `registers` registers, but no more than a thread can have, and the workgroup
/// takes `vectors` vectors of workgroup memory.
GroupResources getResources(int64_t threads, double registers, int64_t vectors,
                            const DeviceSpeed &device);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_SUMTRAITS_H
