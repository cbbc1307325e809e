//===- FusionCosts.h - Costs of fusion --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which dml-fuse-producers decides which bodies are computed
// in one kernel, described as those of CostModel.h are.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_FUSIONCOSTS_H
#define DML_TARGET_FUSIONCOSTS_H

#include "dml/Target/DeviceSpeed.h"
#include <cstdint>

namespace dml::cost::fusion {

/// Operations that are computed anew to save traffic may take so many times the
/// time of that traffic. They are counted as written out, element by element;
/// the elements of a thread, which are neighbours, share most of them, and the
/// arithmetic of indices folds. The default device begins 10 operations for a
/// byte, and computes 384 anew.
/// unit:   counted cycles for a cycle of memory
/// shown:  maxpoolgrad_k2s2 has one kernel, whose elements look into one window
///         each; maxpoolgrad_k3s2 took longer in one kernel (0.69) than in two
///         (0.81)
inline constexpr double recomputedTimes = 38.4;

/// Operations in a loop count so often: its iterations share nothing.
/// unit:   operations for an operation
/// shown:  -
inline constexpr double loopFactor = 16;

/// An element of a reader may compute so much anew, whatever it saves, as
/// begins while memory moves so many bytes: a kernel that waits for memory has
/// time for the arithmetic of indices, and a kernel and its barrier are saved.
/// unit:   bytes
/// shown:  -
inline constexpr double bytesOfFreeOps = 3.2;

/// Returns how many operations an element of a reader may compute anew,
/// whatever they save: 32 on the default device.
inline double getFreeOps(const DeviceSpeed &device) {
  return bytesOfFreeOps * device.opsPerByte;
}

/// A thread waits so many times the latency of the first cache for a load of a
/// loop that stands in one kernel with other loops.
/// unit:   latencies of the first cache
/// shown:  a convolution of 2048 channels with that of its shortcut, both of
///         1x1, in ResNet-50, took 180 us in one kernel on an H100, and 17
///         alone
inline constexpr double waitsOfLoad = 1.5625;

/// Returns how many elements loops may load for one of the output where they
/// stand in a kernel with other loops. A kernel of two sums of products
/// computes each by itself, and a thread waits for each load; so many waits
/// take as long as the launch of another kernel. The default device may
/// load 64.
inline double getMaxLoadsBesideLoops(const DeviceSpeed &device) {
  return device.launchCycles / (waitsOfLoad * device.firstCacheCycles);
}

/// Operations that are computed at most of an element of long sums in the
/// kernel which adds them up: such a kernel has few threads, which wait for
/// each operation. unit:   operations for an element device: threads of a
/// multiprocessor, beside the time of a launch shown:  a GELU after 605,184
/// sums of vit_b (benchmarks/networks.py): in f32,
///         with 95 operations, 44 us on an H100, and 41 and 6 in two kernels;
///         in f16, with 182, 27 us with matrices, and 13 and 8
inline constexpr double maxOpsOfEpilogue = 128;

/// Operations of one body at most. A kernel has a body for each element of a
/// thread; one of so many operations waits for them, whatever else it saves.
/// unit:   operations
/// device: room for code: the instruction cache
/// shown:  maxpoolgrad_k3s1, whose body has 1,200
inline constexpr int64_t maxBodyOps = 1536;

/// Operations that a producer may add to a body which reads it in several
/// places, where it is written out as often.
/// unit:   operations
/// device: the time that drivers take to compile; lavapipe takes a minute for
///         12,000 in a kernel
/// shown:  -
inline constexpr int64_t maxAddedOps = 512;

} // namespace dml::cost::fusion

#endif // DML_TARGET_FUSIONCOSTS_H
