//===- Executables.h - The bench's own executables ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What cases are compared with runs as they do: as executables of the runtime,
// timed the same way.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLBENCH_EXECUTABLES_H
#define DML_TOOLS_DMLBENCH_EXECUTABLES_H

#include "support/Runtime.h"

namespace dml::tools {

/// The largest multiple of 16 bytes that one range of a copy may have.
uint64_t getLargestCopy(const DmlDeviceInfo &device);

/// A function that copies `bytes`, a multiple of 16, 16 bytes a thread.
Executable makeCopyExecutable(uint64_t bytes, const DmlDeviceInfo &device);

/// A function that runs one thread, which does nothing.
Executable makeEmptyExecutable();

/// What a kernel of the calibration does in one run.
struct Work {
  Executable executable;
  /// Operations, threads, bytes, loads or exchanges.
  double amount;
};

/// 32-bit operations, half of them of integers, that wait for no memory.
Work makeOperations(const DmlDeviceInfo &device);

/// Products and sums of 32-bit floats, two operations each, that wait for no
/// memory.
Work makeProducts(const DmlDeviceInfo &device);

/// Whether `makeProducts` has a kernel for matrices of `shape`.
bool hasProducts(const DmlMatrixShape &shape);
/// Multiplies cooperative matrices of `shape` and adds up their products, which
/// wait for no memory.
Work makeProducts(const DmlMatrixShape &shape, const DmlDeviceInfo &device);
/// The same in one workgroup of one subgroup, which uses one matrix unit.
Work makeProductsOfSubgroup(const DmlMatrixShape &shape,
                            const DmlDeviceInfo &device);

/// A function that runs `groups` workgroups of 1024 threads, which compute and
/// wait for no memory. One workgroup keeps a multiprocessor busy. The device
/// has to have workgroups that large (`getMostGroups`).
Work makeGroups(uint64_t groups);
/// The most workgroups that `makeGroups` may be asked for on the device: 0
/// where it has no workgroups of 1024 threads.
uint64_t getMostGroups(const DmlDeviceInfo &device);

/// Threads that copy four bytes each, which a cache has.
Work makeThreads(const DmlDeviceInfo &device);

/// Bytes that are read, again and again, of a buffer of `bytes`, a power of
/// two.
Work makeReads(uint64_t bytes, const DmlDeviceInfo &device);

/// Bytes that `groups` workgroups load from the cache that holds a buffer of
/// `bytes`, a power of two.
Work makeLoads(uint64_t bytes, uint64_t groups, const DmlDeviceInfo &device);

/// Bytes that `groups` workgroups load from workgroup memory.
Work makeSharedLoads(uint64_t groups, const DmlDeviceInfo &device);

/// Exchanges of values between the threads of one workgroup, one after the
/// other.
Work makeExchanges();

/// Loads of one thread from a buffer of `bytes`, a power of two, of which each
/// waits for the one before.
Work makeChase(uint64_t bytes);

/// Kernels that copy a few bytes, of which each waits for the one before.
Work makeSmallKernels(uint64_t count, const DmlDeviceInfo &device);

} // namespace dml::tools

#endif // DML_TOOLS_DMLBENCH_EXECUTABLES_H
