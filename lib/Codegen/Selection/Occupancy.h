//===- Occupancy.h - Workgroups of a multiprocessor -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SELECTION_OCCUPANCY_H
#define DML_LIB_CODEGEN_SELECTION_OCCUPANCY_H

#include "dml/Target/DeviceSpeed.h"

namespace dml {

/// The resources that a workgroup takes of its multiprocessor: the registers of
/// all threads, and the bytes of workgroup memory.
struct GroupResources {
  double registers, bytes;
};

/// The occupancy of a kernel: how many of its workgroups a multiprocessor runs
/// at a time. A workgroup of 256 threads with 100 registers each takes 25,600
/// of 65,536 registers, so that the registers allow two workgroups; if
/// workgroup memory allows three, the occupancy is two.
struct Occupancy {
  /// The workgroups that a multiprocessor runs in all, one after the other or
  /// side by side.
  double groups;
  /// The workgroups that run at a time.
  double resident;
  /// Whether the values of the threads do not fit the registers, so that some
  /// of them lie in memory.
  bool spills;

  /// Returns how many workgroups a multiprocessor has registers and workgroup
  /// memory for. Returns 0 where the resources do not suffice for one.
  static double getMostGroups(const GroupResources &resources,
                              const DeviceSpeed &device);
  /// Returns the occupancy of a kernel of `groups` workgroups.
  static Occupancy get(const GroupResources &resources, double groups,
                       const DeviceSpeed &device);

  /// Returns the cycles of an iteration of a workgroup's loop, a share of the
  /// cycles that the workgroups at a time take together. `together` are the
  /// cycles of the busiest unit of the multiprocessor, and `alone` the cycles
  /// of a workgroup that has the multiprocessor to itself and waits. Other
  /// workgroups fill most of the time that a workgroup waits.
  double getTimeOfIteration(double together, double alone) const;

  /// Returns the cycles of the kernel, whose workgroups take `ofGroup` cycles
  /// each if their values fit the registers.
  double getTimeOfKernel(double ofGroup) const;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_OCCUPANCY_H
