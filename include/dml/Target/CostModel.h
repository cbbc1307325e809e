//===- CostModel.h - The unit of costs, and common costs --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// To choose between kernels that compute the same results, passes estimate the
// times of the kernels. The unit of time is the cycle of a multiprocessor
// (DeviceSpeed). An estimate depends on two kinds of numbers:
//
//  - The rates, latencies and sizes of a device are members of DeviceSpeed.
//  - Constants describe how the generated code uses the device, such as the
//    number of times that a kernel waits for a latency, or are limits that were
//    chosen by experience, such as the largest number of elements of a thread.
//    This header contains the constants that several kinds of kernels have in
//    common. The constants for one kind are in MapCosts.h, RowCosts.h,
//    SumCosts.h, MatrixCosts.h, AttentionCosts.h and FusionCosts.h, each in a
//    namespace of its own.
//
// The constants do not affect results. The comment of each constant states
//
//   unit:   what the constant counts,
//   device: the property of devices on which the best value depends, if there
//           is one,
//   shown:  the cases of benchmarks/suite.py whose times determine the value.
//           A speed is given relative to the speed of a copy of as many bytes.
//           Measurements were made on an H100 unless stated otherwise. '-'
//           means that nothing was measured for the constant alone.
//
// DeviceProfile.h contains the limits that devices promise, on which
// correctness depends.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_COSTMODEL_H
#define DML_TARGET_COSTMODEL_H

#include "dml/Target/DeviceSpeed.h"
#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace dml::cost {

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The number of operations in a kernel's IR for each operation that a device
/// executes. Drivers fold most of the arithmetic of addresses.
/// unit:   operations for an operation of the device
/// shown:  two cases on an H100, which begins 11 operations for a byte:
///         separate threads for the vectors inside of rows improve
///         odd_resample_linear_x2_f16, which has 17 operations for a byte, from
///         0.48 to 0.81 of the speed of a copy, and slow down
///         rank8_pad_edge_f32, which has 13, from 0.88 to 0.68
inline constexpr double countedOps = 1.4;

/// The number of operations for a division by a constant that is not a power of
/// two. Such a division becomes a multiplication, shifts and additions.
/// unit:   operations
/// shown:  -
inline constexpr double opsPerDivision = 4;

/// The number of operations that take as long as one function: a square root,
/// an exponential, a logarithm, or a division of floats. A function consists of
/// one or two operations in the units for functions, and of the scaling of
/// operand and result.
/// unit:   operations
/// device: units that compute functions, for each unit that adds: 16 for 128 on
///         an H100
/// shown:  -
inline constexpr double opsPerFunction = 10;

/// Returns the number of operations by which `op` counts: opsPerFunction for a
/// function, and 1 for anything else.
double getWeight(mlir::Operation *op);

/// Returns how many operations a device begins in the time in which a thread
/// loads one byte that is not a neighbour of the bytes of other threads: 1 if a
/// multiprocessor begins 128 operations in a cycle and its first cache serves
/// 128 bytes in a cycle. A subgroup that loads single bytes at distances of 16
/// bytes touches as many lines of the first cache as a subgroup that loads 16
/// bytes in each thread, so that both cost the same. (Case: pad_edge_ui8, whose
/// threads load single bytes 16 times, reached only 0.76 of a copy's rate.)
inline double getOpsPerLoadedByte(const DeviceSpeed &device) {
  return DeviceSpeed::opsPerCycle / device.firstCacheBytesPerCycle;
}

/// The number of registers that hold what a thread loads before the threads of
/// its workgroup wait for each other, and uses only afterwards, such as a scale
/// or a mean of split attention.
/// unit:   registers of 4 bytes
/// device: registers of a thread
/// shown:  -
inline constexpr int64_t maxRegistersAhead = 32;

/// The number of bytes for which a load of a vector occupies the first cache.
/// This is less than the vector has, since neighbouring threads usually load
/// the same vector, or several of them load the same factor.
/// unit:   bytes
/// shown:  gemm4096_f32, conv128to128_28_k3_f32
inline constexpr double bytesOfSharedLoad = 4;

/// Returns how many operations a device begins in the time in which a thread
/// loads a vector that neighbouring threads load as well.
inline double getOpsPerLoad(const DeviceSpeed &device) {
  return bytesOfSharedLoad * getOpsPerLoadedByte(device);
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

/// The share of the last cache (DeviceSpeed::cacheBytes) that retains bytes
/// which were read before. Written bytes displace the rest.
/// unit:   share of the cache
/// shown:  inner3_tile2x2_f32 reaches 0.97 of the speed of a copy on an H100,
///         instead of 0.85, if 25 MB lie between two reads of an element
inline constexpr double cachedShare = 0.5;

/// The size, relative to the last cache, from which on a buffer does not stay
/// in the cache until the next kernel. The next kernel then processes such a
/// buffer backward, from the end, which is still in the cache.
/// unit:   bytes for a byte of the last cache
/// shown:  softmax_few_f32 and cumulative_sum_few_f32, whose buffers have 16
///         MiB
inline constexpr double cachesOfLargeBuffer = 2;

/// The number of neighbouring sectors that memory transfers at a time: 64 bytes
/// on an H200.
/// unit:   sectors
/// shown:  gemm_rows4_f32 takes 37 us on an H100 with 64 slices that read 32
///         neighbouring bytes each, and 29 us with 32 slices that read 64
inline constexpr int64_t sectorsTogether = 2;

//===----------------------------------------------------------------------===//
// Workgroups
//===----------------------------------------------------------------------===//

/// The average number of workgroups on each multiprocessor that may be left
/// over without counting as another turn. If a profile does not state the
/// number of multiprocessors, devices may have a few more or fewer than the
/// default.
/// unit:   workgroups of a multiprocessor
/// device: multiprocessors (DeviceSpeed::multiprocessors)
/// shown:  conv128to128_28_k3_f32, which has 392 workgroups: 2.97 for each of
///         the 132 multiprocessors of an H100, and 3.06 for each of 128
inline constexpr double freeWorkgroups = 0.125;

/// The largest number of operations in an unrolled loop, if unrolling only
/// saves loop overhead.
/// unit:   operations, as counted in a body
/// device: the time that drivers take to compile; lavapipe takes a minute for
///         12,000 in a kernel
/// shown:  -
inline constexpr int64_t maxWrittenOutOps = 4096;

} // namespace dml::cost

#endif // DML_TARGET_COSTMODEL_H
