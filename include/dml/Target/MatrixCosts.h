//===- MatrixCosts.h - Costs of matrix kernels ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which the tiles of matrix kernels, and layouts for these
// kernels, are chosen. CostModel.h explains the notation. Times are in cycles
// of a multiprocessor.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_MATRIXCOSTS_H
#define DML_TARGET_MATRIXCOSTS_H

#include "dml/Target/DeviceSpeed.h"
#include <algorithm>
#include <cstdint>

namespace dml::cost {

namespace matrix {
/// The number of operations that stage one factor in workgroup memory,
/// including the waits of threads for each other: for a factor that moves in a
/// vector of neighbours, for a factor that is selected between an element and
/// padding, and for a factor that is loaded by itself.
/// unit:   operations for a factor
/// shown:  conv64to64_56_k3_f16, conv256to256_14_k3_f16
inline constexpr double opsPerMovedFactor = 0.5;
inline constexpr double opsPerChosenFactor = 18;
inline constexpr double opsPerSingleFactor = 20;

/// The number of subgroups for each matrix unit with which a workgroup that has
/// a multiprocessor to itself stages factors at the full rate of the lanes: the
/// lanes beside a matrix unit compute for one subgroup while another waits for
/// the result of an operation.
/// unit:   subgroups
/// device: the latency of an operation
/// shown:  on an H200, resnet50 of benchmarks/networks.py in f16 takes 0.504 ms
///         with the number 1, and 0.491 ms with 2 and with 4; resnet18 takes
///         0.204 ms with 1, 0.196 ms with 2 and 0.195 ms with 4
inline constexpr double subgroupsOfUnit = 2;

/// The number of exchanges through workgroup memory that a subgroup waits, in
/// each stage, for the matrices that it loads and multiplies. Other subgroups
/// of the same matrix unit can use this time.
/// unit:   exchanges (DeviceSpeed::barrierCycles)
/// device: the latency of matrix units, beside that of workgroup memory
/// shown:  gemm_128x768x3072_f16, which takes 12.1 us on an H100 with four
///         subgroups for 64 times 48 sums, and 11.3 with eight
inline constexpr double barriersOfSubgroup = 6.94;

inline double getSubgroupCycles(const DeviceSpeed &device) {
  return barriersOfSubgroup * device.barrierCycles;
}

/// If some matrix units have one subgroup more than others, the share of the
/// resulting idle time that adds to a stage. The rest of the idle time is
/// hidden, since the products of a stage overlap its loads.
/// unit:   share of the time
/// shown:  conv128to128_28_k3_f16, which takes 41.8 us on an H100 with six
///         subgroups of 64 times 64 sums, and 39.9 with eight of 64 times 48
inline constexpr double idleShare = 0.25;

/// At the end, slices exchange their sums. This takes the time of a start
/// (waitsOfStart) and, for each slice but the first, this multiple of the time
/// in which the sums of one slice are stored and loaded.
/// unit:   times
/// shown:  gemm1024_f16, which takes 19.8 us on an H100 with two slices of 64
///         times 128 sums, and 19.3 without; conv256to256_14_k3_f16, which
///         takes 38.5 instead of 41.8 with two slices of 128 times 96
inline constexpr double exchangeTimes = 4;

/// The share of the stage time of a workgroup that other workgroups on the same
/// multiprocessor do not hide, since workgroups sometimes wait for the same
/// units.
/// unit:   share of the time
/// shown:  gemm4096_f16 with 128 times 128 sums and stages of 32 terms
inline constexpr double unhiddenShare = 0.15;

/// The number of exchanges through workgroup memory that the threads of a
/// workgroup wait for each other at a barrier. A workgroup has more threads
/// than in other kernels.
/// unit:   exchanges (DeviceSpeed::barrierCycles)
/// shown:  gemm4096_f16 with 128 times 256 sums and stages of 16 terms, which
///         take 0.88 of the time with one barrier for each stage instead of two
inline constexpr double exchangesOfBarrier = 1.67;

inline double getBarrierCycles(const DeviceSpeed &device) {
  return exchangesOfBarrier * device.barrierCycles;
}

/// The number of latencies of the last cache that a workgroup waits in each
/// stage, beside its barriers, if the factors of the next stage are loaded one
/// stage ahead: for factors in flight, and for the first matrices of the stage.
/// unit:   latencies of the last cache
/// shown:  gemm4096_f16 with 64 terms of a stage instead of 32
inline constexpr double waitsOfStage = 1.79;

/// With `ahead` stages ahead, a load has as many times the time of a stage, so
/// that it delays each stage by that part of its wait. Six 1x1 convolutions of
/// 2048 channels of 7x7, one behind the other, take 0.143 ms on an H100 with 32
/// times 32 sums in four slices and one stage ahead, and 0.116, 0.110 and 0.104
/// ms with two, three and four.
inline double getStageCycles(const DeviceSpeed &device, int64_t ahead = 1) {
  return waitsOfStage * device.lastCacheCycles /
         static_cast<double>(std::max<int64_t>(ahead, 1));
}

/// The number of latencies of memory that a workgroup waits in total before its
/// first products and after its last products.
/// unit:   latencies of memory
/// shown:  gemm1024_f16
inline constexpr double waitsOfStart = 4.76;

inline double getStartCycles(const DeviceSpeed &device) {
  return waitsOfStart * device.memoryCycles;
}

/// The number of registers of a thread beside those for its sums and for the
/// factors in flight.
/// unit:   registers of 4 bytes
/// shown:  gemm4096_f16
inline constexpr double otherRegisters = 80;

/// The number of stages up to which a driver's compiler that keeps the order of
/// the program (DeviceSpeed::computesInOrder) writes out the code of the loop
/// over stages; and the number of copies of a matrix of factors that the
/// registers of a subgroup hold then. AMD's RDNA 3 has each factor in both
/// halves of a subgroup of 32.
/// unit:   stages, and copies
/// shown:  gpt2 of benchmarks/networks.py in f16, whose 64 by 96 sums in 3
///         stages of 128 terms need 371 registers by ACO's count: 256 for
///         matrices, 32 for sums and 56 for the factors of the next stage
inline constexpr double maxWrittenOutStages = 4;
inline constexpr double copiesOfMatrix = 2;

/// The largest number of sums in a tile whose workgroup waits for its loads
/// most of the time, if it has a multiprocessor to itself. Loads more than one
/// stage ahead and slices shorten these waits.
/// unit:   sums of a workgroup
/// shown:  on an H200, 128 times 96 sums with four stages ahead take 1.16 times
///         as long (gemm_2048x768x768_f16), and 64 times 64 sums 0.94 times
///         (1x1 convolutions of 512 channels of 28x28); 128 times 48 sums in
///         slices take 1.08 times as long (conv512to512_7_k3_f16)
inline constexpr int64_t maxWaitingSums = 64 * 64;

/// The largest share of a thread's registers with which a kernel loads factors
/// more than one stage ahead.
/// unit:   share of the registers
/// shown:  on an H200, four stages ahead with 208 of 255 registers, by this
///         model's count, take 1.06 times as long (gemm1024_f16), and with 160
///         registers 0.76 (1x1 convolutions of 2048 channels of 7x7)
inline constexpr double shareAhead = 0.75;

/// The factor by which a kernel slows down if the values of its threads do not
/// fit into registers.
/// unit:   times
/// device: the rate of the first cache beside that of registers
/// shown:  -
inline constexpr double spillTimes = 4;

/// The largest number of terms of one iteration that a stage contains. With
/// more terms, a stage would have no room for several iterations.
/// unit:   terms
/// device: workgroup memory
/// shown:  conv3to64_224_k7s2_f16
inline constexpr int64_t maxTermsTogether = 32;
} // namespace matrix

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

namespace layout {
/// The number of operations for each factor of a convolution's columns that are
/// saved if the factors are staged as vectors of channels. The first number is
/// for images whose rows consist of whole vectors of positions. The second
/// number is for other images, which need a separate address for each position
/// and filter tap.
/// unit:   operations for a factor
/// shown:  on an H100, channels last speed up conv64to64_56_k3_f16 from 59 to
///         44 to 52 us, conv128to128_28_k3_f16 from 65 to 28 us,
///         conv256to256_14_k3_f16 from 80 to 31 us, and conv512to512_7_k3_f16
///         from 175 to 48 us, which are 4 to 8, 37, 48 and 126 operations for a
///         factor
inline constexpr double opsSavedInRows = 7;
inline constexpr double opsSavedAcrossRows = 37;

/// The number of terms in a stage of a matrix kernel.
/// unit:   terms
/// shown:  -
inline constexpr double termsOfStage = 32;

/// The time that a stage saves if its factors are loaded as vectors of channels
/// instead of one by one, each from an address of its own. The time is a number
/// of latencies of the last cache.
/// unit:   latencies of a stage
/// shown:  single convolutions of f16 at batch 1 take, with the copy and
///         without, on an H200: 128 channels of 28x28 12 and 30 us, 128 of
///         56x56 with a stride of 2 12 and 32, 48 of 35x35 with windows of 5x5
///         13 and 50, 64 of 28x28 9.6 and 9.7, 16 of 28x28 8.7 and 5.7
inline constexpr double latenciesSavedAcrossRows = 2;

/// The time of a copy that reorders an image from planes to channels last,
/// relative to the time in which memory transfers as many bytes.
/// unit:   times
/// shown:  conv64to64_56_k3_f16, whose copy of 26 MB takes 17 us on an H100
inline constexpr double timesOfTurning = 2;

/// The approximate number of rows in the tile of a matrix kernel. Each tile of
/// rows stages the factors of all columns again: with 512 filters, four times.
/// unit:   rows
/// shown:  -
inline constexpr int64_t tileRows = 128;
} // namespace layout

} // namespace dml::cost

#endif // DML_TARGET_MATRIXCOSTS_H
