//===- Occupancy.h - Workgroups of a multiprocessor -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SELECTION_OCCUPANCY_H
#define DML_LIB_CODEGEN_SELECTION_OCCUPANCY_H

#include "dml/Target/DeviceSpeed.h"

namespace dml {

/// The resources of a multiprocessor that one workgroup occupies: the registers
/// of all its threads, and its bytes of workgroup memory.
struct GroupResources {
  double registers, bytes;
};

/// Whether a thread can have `registers` registers. If the threads of a kernel
/// need more, the driver spills values to memory, or loads them later.
inline bool fitsThread(double registers, const DeviceSpeed &device) {
  return registers <= device.registersOfThread;
}

/// The occupancy of a kernel: the number of its workgroups that a
/// multiprocessor runs at a time. For example, a workgroup of 256 threads with
/// 100 registers each takes 25,600 of 65,536 registers, so that the registers
/// allow two workgroups. If workgroup memory allows three, the occupancy is
/// two.
struct Occupancy {
  /// The number of workgroups that each multiprocessor runs from the beginning
  /// to the end of the kernel.
  double groups;
  /// The number of workgroups that a multiprocessor runs at a time.
  double resident;
  /// Whether the values of the threads exceed the registers, so that some
  /// values are spilled to memory.
  bool spills;

  /// Returns the number of workgroups for which a multiprocessor has enough
  /// registers and workgroup memory. Returns 0 if the resources do not suffice
  /// for one workgroup.
  static double getMostGroups(const GroupResources &resources,
                              const DeviceSpeed &device);
  /// Returns the occupancy of a kernel with `groups` workgroups.
  static Occupancy get(const GroupResources &resources, double groups,
                       const DeviceSpeed &device);

  /// Returns the cycles of one iteration of a workgroup's loop, averaged over
  /// the `resident` workgroups that run at a time. `together` are the cycles
  /// for which the iteration occupies the busiest unit of the multiprocessor.
  /// `alone` are the cycles of the iteration, waits included, if the workgroup
  /// has the multiprocessor to itself.
  ///
  /// Several workgroups hide each other's waits, so that an iteration takes the
  /// longer of `together` and `alone` / `resident`. Some waits stay, and the
  /// measured share cost::matrix::unhiddenShare = 0.15 of `alone` is added. If
  /// three workgroups run at a time with `together` = 100 and `alone` = 250, an
  /// iteration takes max(100, 250 / 3) + 0.15 * 250 = 137.5 cycles.
  double getTimeOfIteration(double together, double alone) const;

  /// Returns the cycles of the kernel. `ofGroup` are the cycles of a workgroup
  /// whose values fit the registers. Spilled values take more time.
  double getTimeOfKernel(double ofGroup) const;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_OCCUPANCY_H
