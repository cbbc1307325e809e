//===- FusionCosts.h - Costs of fusion --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which dml-fuse-producers decides which bodies are fused into
// one kernel. CostModel.h explains the notation.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_FUSIONCOSTS_H
#define DML_TARGET_FUSIONCOSTS_H

#include "dml/Target/DeviceSpeed.h"
#include <cstdint>

namespace dml::cost::fusion {

/// The limit on recomputation: the time of the operations that a fusion
/// computes again, relative to the time of the memory traffic that it saves.
/// The operations are counted separately for each element, although the
/// neighbouring elements of a thread share most of them and the arithmetic of
/// indices is folded. On the default device, which begins 10 operations while
/// memory transfers a byte, 384 operations may be computed again for each byte
/// saved.
/// unit:   counted cycles for a cycle of memory
/// shown:  maxpoolgrad_k2s2 is one kernel, in which each element depends on one
///         window; maxpoolgrad_k3s2 reaches 0.69 of the speed of a copy as one
///         kernel, and 0.81 as two
inline constexpr double recomputedTimes = 38.4;

/// The factor by which operations in a loop count more, since iterations share
/// nothing.
/// unit:   operations for an operation
/// shown:  -
inline constexpr double loopFactor = 16;

/// The number of bytes whose transfer time an element of a reader may spend on
/// recomputation, regardless of what the fusion saves. A kernel that waits for
/// memory has time for the arithmetic of indices, and the fusion saves a kernel
/// and its barrier.
/// unit:   bytes
/// shown:  -
inline constexpr double bytesOfFreeOps = 3.2;

/// Returns how many operations an element of a reader may compute again,
/// regardless of what the fusion saves: 32 on the default device.
inline double getFreeOps(const DeviceSpeed &device) {
  return bytesOfFreeOps * device.opsPerByte;
}

/// The number of latencies of the first cache that a thread waits for a load in
/// a loop, if the kernel has several loops.
/// unit:   latencies of the first cache
/// shown:  a 1x1 convolution of 2048 channels in ResNet-50 takes 180 us on an
///         H100 in one kernel with the 1x1 convolution of its shortcut, and 17
///         us alone
inline constexpr double waitsOfLoad = 1.5625;

/// Returns the largest number of elements that a kernel's loops may load for
/// each element of the output, if several producers with loops are fused into
/// the kernel. Such a kernel computes one sum of products after the other, and
/// a thread waits for each load. The limit is the number of waits that take as
/// long as another launch: 64 on the default device.
inline double getMaxLoadsBesideLoops(const DeviceSpeed &device) {
  return device.launchCycles / (waitsOfLoad * device.firstCacheCycles);
}

/// The largest number of operations on each element of long sums that are fused
/// into the kernel of the sums. Such a kernel has few threads, which wait for
/// each operation.
/// unit:   operations for an element
/// device: threads of a multiprocessor, beside the time of a launch
/// shown:  a GELU after 605,184 sums of vit_b (benchmarks/networks.py): in f32,
///         with 95 operations, one kernel takes 44 us on an H100, and two
///         kernels take 41 and 6; in f16 with matrices, rounded by 182
///         operations, one kernel takes 27 us, and two kernels take 13 and 8
inline constexpr double maxOpsOfEpilogue = 128;

/// The cycles of an operation on an element at the end of a kernel of sums,
/// where a subgroup has few elements, so that each operation waits for the one
/// before.
/// unit:   cycles
/// device: latency of arithmetic
/// shown:  -
inline constexpr double cyclesOfLastOp = 4;

/// The largest number of operations in one body. A kernel's code contains the
/// body once for each element of a thread, and waits for large bodies
/// regardless of what a fusion saves.
/// unit:   operations
/// device: room for code: the instruction cache
/// shown:  maxpoolgrad_k3s1, whose body has 1,200 operations
inline constexpr int64_t maxBodyOps = 1536;

/// The largest number of operations by which a producer may enlarge a body that
/// reads the producer in several places. The producer is copied to each place.
/// unit:   operations
/// device: the time that drivers take to compile; lavapipe takes a minute for
///         12,000 in a kernel
/// shown:  -
inline constexpr int64_t maxAddedOps = 512;

} // namespace dml::cost::fusion

#endif // DML_TARGET_FUSIONCOSTS_H
