//===- CostModel.h - The unit of costs, and common costs --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Passes choose between kernels that compute the same by estimates of their
// time. The unit of time is the cycle of a multiprocessor (DeviceSpeed). An
// estimate has two kinds of numbers:
//
//  - A rate, a latency or a size of a device is a member of DeviceSpeed.
//  - A constant says how the generated code uses the device, such as the number
//    of times that a kernel waits for a latency, or is a limit of taste, such
//    as the most elements of a thread. This header has the constants that
//    several kinds of kernels share. MapCosts.h, RowCosts.h, SumCosts.h,
//    MatrixCosts.h, AttentionCosts.h and FusionCosts.h have those of one kind
//    each, in a namespace of its own.
//
// No result depends on one of these constants. For each are given
//
//   unit:   the thing that is counted,
//   device: the property of devices that moves the best value, where there is
//           one,
//   shown:  the cases of benchmarks/suite.py that tell where the value lies,
//           mostly with the ratio of a copy's time to theirs on an H100; '-'
//           where nothing was measured for the constant alone.
//
// DeviceProfile.h has the limits that devices promise, on which correctness
// rests.
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

/// So many operations in a kernel's IR become one of the device, since drivers
/// fold the arithmetic of addresses.
/// unit:   operations for an operation of the device
/// shown:  odd_resample_linear_x2_f16, with 17 operations for a byte, went from
///         0.48 to 0.81 by threads of two kinds, and rank8_pad_edge_f32, with
///         13, from 0.88 to 0.68, on an H100, which begins 11
inline constexpr double countedOps = 1.4;

/// A division by a constant that is no power of two becomes a multiplication,
/// shifts and additions.
/// unit:   operations
/// shown:  -
inline constexpr double opsPerDivision = 4;

/// Operations that begin in the time of a function: a square root, an
/// exponential, a logarithm, or a division of floats. A function is one or two
/// operations of the units for functions, and the scaling of operand and
/// result. unit:   operations device: units that compute functions, for each
/// unit that adds: 16 for 128 on
///         an H100
/// shown:  -
inline constexpr double opsPerFunction = 10;

/// Returns the operations that `op` counts as: opsPerFunction for a function,
/// and 1 for all others.
double getWeight(mlir::Operation *op);

/// Returns how many operations a device begins while a thread loads a byte that
/// lies apart from the bytes of its neighbours: 1 where a multiprocessor begins
/// 128 operations in a cycle and its first cache serves 128 bytes. A subgroup
/// that loads single bytes 16 bytes apart touches as many lines of the first
/// cache as one whose threads load 16 bytes each, and counts so. (Case:
/// pad_edge_ui8, whose threads had 16 loads of a byte each: 0.76.)
inline double getOpsPerLoadedByte(const DeviceSpeed &device) {
  return DeviceSpeed::opsPerCycle / device.firstCacheBytesPerCycle;
}

/// A load of a vector keeps the first cache busy for so many bytes:
/// neighbouring threads mostly load the same vector, or one factor for several
/// of them. unit:   bytes shown:  gemm4096_f32, conv128to128_28_k3_f32
inline constexpr double bytesOfSharedLoad = 4;

/// Returns how many operations a device begins while a thread loads a vector
/// that neighbouring threads share.
inline double getOpsPerLoad(const DeviceSpeed &device) {
  return bytesOfSharedLoad * getOpsPerLoadedByte(device);
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

/// The share of the last cache (DeviceSpeed::cacheBytes) that keeps bytes which
/// were read before: written bytes go through the cache, too.
/// unit:   share of the cache
/// shown:  inner3_tile2x2_f32, from 0.85 to 0.97 on an H100, where 25 MB lie
///         between two readings
inline constexpr double cachedShare = 0.5;

/// A buffer of so many times the bytes of the last cache does not stay there
/// from one kernel to the next. The next kernel then begins where the last one
/// has ended.
/// unit:   bytes for a byte of the last cache
/// shown:  softmax_few_f32, cumulative_sum_few_f32, with 16 MiB
inline constexpr double cachesOfLargeBuffer = 2;

/// Neighbouring sectors that memory brings together: 64 bytes on an H200.
/// unit:   sectors
/// shown:  gemm_rows4_f32: 64 slices of 32 bytes took 37 us on an H100, and 32
///         of 64 bytes took 29
inline constexpr int64_t sectorsTogether = 2;

//===----------------------------------------------------------------------===//
// Workgroups
//===----------------------------------------------------------------------===//

/// The share of a workgroup for each multiprocessor that makes no further turn:
/// devices have a few multiprocessors more or fewer than is assumed where their
/// profile does not say how many.
/// unit:   workgroups of a multiprocessor
/// device: multiprocessors (DeviceSpeed::multiprocessors)
/// shown:  conv128to128_28_k3_f32, which has 392 workgroups: three turns of
///         132 multiprocessors, and 3.06 of 128
inline constexpr double freeWorkgroups = 0.125;

/// Operations that are written out in a kernel at most, where more of them
/// would only save iterations of a loop. unit:   operations, as counted in a
/// body device: the time that drivers take to compile; lavapipe takes a minute
/// for
///         12,000 in a kernel
/// shown:  -
inline constexpr int64_t maxWrittenOutOps = 4096;

} // namespace dml::cost

#endif // DML_TARGET_COSTMODEL_H
