//===- Executables.h - The bench's own executables ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The copies and calculations with which the times of cases are compared. They
// run as executables of the runtime, like the cases, and are timed in the same
// way.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLBENCH_EXECUTABLES_H
#define DML_TOOLS_DMLBENCH_EXECUTABLES_H

#include "support/Runtime.h"

namespace dml::tools {

/// The largest multiple of 16 bytes that one range of a copy may have.
uint64_t getLargestCopy(const DmlDeviceInfo &device);

/// Creates a function that copies `bytes` bytes, a multiple of 16, by threads
/// that copy 16 bytes each.
Executable makeCopyExecutable(uint64_t bytes, const DmlDeviceInfo &device);

/// Creates a function that runs one thread, which does nothing.
Executable makeEmptyExecutable();

/// A function of the calibration, with the amount of work that one run of it
/// does.
struct Work {
  Executable executable;
  /// The number of operations, threads, bytes, loads or exchanges in a run.
  double amount;
};

/// Creates a function that executes 32-bit operations, half of them on
/// integers, which do not wait for memory.
Work makeOperations(const DmlDeviceInfo &device);

/// Creates a function that multiplies and adds 32-bit floats, without waiting
/// for memory. A product and a sum count as two operations.
Work makeProducts(const DmlDeviceInfo &device);

/// Whether `makeProducts` has a kernel for matrices of `shape`.
bool hasProducts(const DmlMatrixShape &shape);
/// Creates a function that multiplies cooperative matrices of `shape` and adds
/// up their products, without waiting for memory.
Work makeProducts(const DmlMatrixShape &shape, const DmlDeviceInfo &device);
/// Creates a function that does so in one workgroup of one subgroup, which uses
/// one matrix unit.
Work makeProductsOfSubgroup(const DmlMatrixShape &shape,
                            const DmlDeviceInfo &device);

/// Creates a function that runs `groups` workgroups of 1024 threads, which
/// compute without waiting for memory. One workgroup occupies a multiprocessor.
/// The device must support workgroups of this size; see getMostGroups().
Work makeGroups(uint64_t groups);
/// Returns the largest number of workgroups for makeGroups() on the device, or
/// 0 if the device does not support workgroups of 1024 threads.
uint64_t getMostGroups(const DmlDeviceInfo &device);

/// Creates a function that starts threads, each of which copies four bytes
/// within a cache.
Work makeThreads(const DmlDeviceInfo &device);

/// Creates a function that reads a buffer of `bytes` bytes, a power of two,
/// again and again.
Work makeReads(uint64_t bytes, const DmlDeviceInfo &device);

/// Creates a function with `groups` workgroups that load bytes from the cache
/// that holds a buffer of `bytes` bytes, a power of two.
Work makeLoads(uint64_t bytes, uint64_t groups, const DmlDeviceInfo &device);

/// Creates a function with `groups` workgroups that load bytes from workgroup
/// memory.
Work makeSharedLoads(uint64_t groups, const DmlDeviceInfo &device);

/// Creates a function in which the threads of one workgroup exchange values
/// again and again.
Work makeExchanges();

/// Creates a function in which one thread loads from a buffer of `bytes` bytes,
/// a power of two. Each load waits for the load before.
Work makeChase(uint64_t bytes);

/// Creates a function of `count` kernels that copy a few bytes. Each kernel
/// waits for the kernel before.
Work makeSmallKernels(uint64_t count, const DmlDeviceInfo &device);

} // namespace dml::tools

#endif // DML_TOOLS_DMLBENCH_EXECUTABLES_H
