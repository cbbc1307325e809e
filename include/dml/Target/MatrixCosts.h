//===- MatrixCosts.h - Costs of matrix kernels ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which tiles of matrix kernels are chosen, and layouts for
// them, described as those of CostModel.h are. Times are in cycles of a
// multiprocessor.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_MATRIXCOSTS_H
#define DML_TARGET_MATRIXCOSTS_H

#include "dml/Target/DeviceSpeed.h"
#include <cstdint>

namespace dml::cost {

namespace matrix {
/// A factor takes so many operations of threads on its way into workgroup
/// memory, and the waits of threads for each other count as operations, too.
/// The first number is for a factor that moves in a vector of neighbours, the
/// second for one that may be padding, and the third for one that is loaded by
/// itself. unit:   operations for a factor shown:  conv64to64_56_k3_f16,
/// conv256to256_14_k3_f16
inline constexpr double opsPerMovedFactor = 0.5;
inline constexpr double opsPerChosenFactor = 18;
inline constexpr double opsPerSingleFactor = 20;

/// A subgroup waits so many exchanges through workgroup memory in each stage
/// for the matrices that it loads and multiplies, unless others of the same
/// matrix unit have something to do meanwhile. unit:   exchanges
/// (DeviceSpeed::barrierCycles) device: the latency of matrix units, beside
/// that of workgroup memory shown:  gemm_128x768x3072_f16, which takes 12.1 us
/// on an H100 with four
///         subgroups for 64 times 48 sums, and 11.3 with eight
inline constexpr double barriersOfSubgroup = 6.94;

inline double getSubgroupCycles(const DeviceSpeed &device) {
  return barriersOfSubgroup * device.barrierCycles;
}

/// Some matrix units may have one subgroup more than others. This share of the
/// time that the others then have nothing to do adds to a stage: the products
/// of a stage overlap its loads.
/// unit:   share of the time
/// shown:  conv128to128_28_k3_f16, which takes 41.8 us on an H100 with six
///         subgroups of 64 times 64 sums, and 39.9 with eight of 64 times 48
inline constexpr double idleShare = 0.25;

/// Slices exchange their sums in the end. Beside the time of a start
/// (waitsOfStart) once more, each slice but the first takes so many times as
/// long for the exchange as it takes to store the sums of one slice and to load
/// them.
/// unit:   times
/// shown:  gemm1024_f16, which takes 19.8 us on an H100 with two slices of 64
///         times 128 sums, and 19.3 without; conv256to256_14_k3_f16, which
///         takes 38.5 instead of 41.8 with two slices of 128 times 96
inline constexpr double exchangeTimes = 4;

/// Other workgroups on the same multiprocessor do not hide this share of the
/// time that a workgroup alone takes for a stage: workgroups wait for the same
/// units now and then.
/// unit:   share of the time
/// shown:  gemm4096_f16 with 128 times 128 sums and stages of 32 terms
inline constexpr double unhiddenShare = 0.15;

/// The threads of a workgroup, which are more than those of other kernels, wait
/// so many exchanges through workgroup memory for each other at a barrier.
/// unit:   exchanges (DeviceSpeed::barrierCycles)
/// shown:  gemm4096_f16 with 128 times 256 sums and stages of 16 terms, which
///         take 0.88 of the time with one barrier for each stage instead of two
inline constexpr double exchangesOfBarrier = 1.67;

inline double getBarrierCycles(const DeviceSpeed &device) {
  return exchangesOfBarrier * device.barrierCycles;
}

/// A workgroup waits so many latencies of the last cache in each stage, beside
/// its barriers: for factors that are still on their way, and for the first
/// matrices of the stage.
/// unit:   latencies of the last cache
/// shown:  gemm4096_f16 with 64 terms of a stage instead of 32
inline constexpr double waitsOfStage = 1.79;

inline double getStageCycles(const DeviceSpeed &device) {
  return waitsOfStage * device.lastCacheCycles;
}

/// A workgroup waits so many latencies of memory in all, before its first
/// products and after its last ones.
/// unit:   latencies of memory
/// shown:  gemm1024_f16
inline constexpr double waitsOfStart = 4.76;

inline double getStartCycles(const DeviceSpeed &device) {
  return waitsOfStart * device.memoryCycles;
}

/// A thread takes so many registers beside those of its sums and of the factors
/// that are on their way.
/// unit:   registers of 4 bytes
/// shown:  gemm4096_f16
inline constexpr double otherRegisters = 80;

/// A kernel takes so many times as long if its threads have more values than
/// their registers hold.
/// unit:   times
/// device: the rate of the first cache beside that of registers
/// shown:  -
inline constexpr double spillTimes = 4;

/// The workgroups of a multiprocessor together have so many times the workgroup
/// memory that one of them may have. Drivers leave the rest to the first cache.
/// unit:   times
/// device: the driver's division of memory between workgroups and the first
///         cache
/// shown:  gemm4096_f16 with 128 times 128 sums and stages of 32 terms: 0.57 of
///         the time on an H200 with one stage, 20 KiB, instead of two, 40 KiB
inline constexpr double workgroupMemories = 0.9;

/// A stage has at most so many terms of an iteration next to each other: more
/// would leave no room for several iterations.
/// unit:   terms
/// device: workgroup memory
/// shown:  conv3to64_224_k7s2_f16
inline constexpr int64_t maxTermsTogether = 32;
} // namespace matrix

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

namespace layout {
/// So many operations of a factor on its way into workgroup memory are saved
/// where the factors of a convolution's columns are staged as vectors of
/// channels: the first number is for rows of an image that are whole vectors of
/// positions, the second for others, whose positions have an address of their
/// own for each tap.
/// unit:   operations for a factor
/// shown:  conv64to64_56_k3_f16 (4 to 8), conv128to128_28_k3_f16 (37),
///         conv256to256_14_k3_f16 (48), conv512to512_7_k3_f16 (126): the
///         kernels take 59, 65, 80 and 175 us on an H100, and 44 to 52, 28, 31
///         and 48 with channels last
inline constexpr double opsSavedInRows = 7;
inline constexpr double opsSavedAcrossRows = 37;

/// A copy that turns an image's planes into channels takes so many times as
/// long as memory takes to move as many bytes. unit:   times shown:
/// conv64to64_56_k3_f16, whose copy of 26 MB takes 17 us on an H100
inline constexpr double timesOfTurning = 2;

/// Rows of a matrix kernel's tile, at most, about. Each tile of rows stages the
/// factors of its columns: those of 512 filters are staged four times.
/// unit:   rows
/// shown:  -
inline constexpr int64_t tileRows = 128;
} // namespace layout

} // namespace dml::cost

#endif // DML_TARGET_MATRIXCOSTS_H
