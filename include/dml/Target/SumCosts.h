//===- SumCosts.h - Costs of kernels for sums of products -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which contraction kernels, sliced kernels and map kernels of
// sums are chosen, described as those of CostModel.h are. Times are in cycles
// of a multiprocessor.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_SUMCOSTS_H
#define DML_TARGET_SUMCOSTS_H

#include "dml/Target/CostModel.h"
#include "dml/Target/DeviceProfile.h"
#include <cstdint>

namespace dml::cost {

//===----------------------------------------------------------------------===//
// Kernels of all kinds
//===----------------------------------------------------------------------===//

namespace sums {
/// Products of one tensor with several matrices are computed together where a
/// product has at most so many sums for each multiprocessor of the device. Such
/// a product alone leaves multiprocessors idle, and takes as long as all of the
/// products together.
/// unit:   sums of a multiprocessor
/// device: sums of a workgroup
/// shown:  three gemm_197x768x768 take 0.050 ms in f16 on an H100 and 0.124 in
///         f32, and gemm_197x768x2304 takes 0.014 and 0.033
inline constexpr double maxStackedSums = 4096;

/// Parts of a sum at most: one thread adds them up.
/// unit:   parts
/// device: loads in flight of a thread
/// shown:  -
inline constexpr int64_t maxParts = 16;

/// The share of the time of whole sums that their parts take at most, with the
/// kernel that adds them up: times are estimates, and parts take memory.
/// unit:   share of the time
/// shown:  conv512to512_7_k3_batch1_f32
inline constexpr double shareInParts = 0.75;

/// The share of the time of a map kernel that a kernel with workgroup memory
/// takes at most: barriers, and threads that wait at them, are worth more than
/// a hundredth. unit:   share of the time shown:  conv3to64_224_k7s2_f32, whose
/// map kernel has 28 * 10^12 operations a
///         second on an H200
inline constexpr double shareInWorkgroups = 0.9;

/// The instructions of a kernel of sums take so many times as long as its
/// products would if each thread began one whenever it could: threads wait for
/// each other's loads and for the results of their own products.
/// unit:   times
/// shown:  gemm8192_f32, which has 47 of 62 * 10^12 operations a second
inline constexpr double timesOfProducts = 1.3;
} // namespace sums

//===----------------------------------------------------------------------===//
// Contraction kernels
//===----------------------------------------------------------------------===//

namespace contraction {
/// Terms that are in workgroup memory at a time, about: the barriers that they
/// take then are few beside their products, and tiles of all sizes fit in the
/// memory that devices promise (DeviceProfile::workgroupMemory). The second
/// number is tried as well, where fewer rounds wait for less.
/// unit:   terms
/// device: cycles at a barrier, beside those of products
/// shown:  gemm4096_f32, gemm_128x768x3072_f32
inline constexpr int64_t stagedTerms[] = {16, 32};

/// The least terms that are worth workgroup memory and its barriers: two
/// rounds. unit:   terms shown:  gemm_batch16, which has 64
inline constexpr int64_t minTerms = 2 * stagedTerms[0];

/// The products of at most so many terms are written out where they come from
/// workgroup memory: without a loop in between, drivers load ahead of them.
/// unit:   terms
/// device: latency of workgroup memory, beside room for code
/// shown:  gemm4096_f32, from 35 * 10^12 operations a second with 8 to 42 with
///         16 on an H200; conv128to128_28_k3_f32, from 33 with 9 to 41 with 18
inline constexpr int64_t writtenOutTerms = 18;

/// Where an iteration has more terms than a vector, a thread loads at most so
/// many neighbouring terms of an operand together.
/// unit:   terms
/// device: registers of a thread
/// shown:  conv64to64_56_k3_f32, from 22 * 10^12 operations a second with the
///         9 terms of an iteration to 30 with 3 on an H200
inline constexpr int64_t maxTermsTogether = 6;

/// A factor takes so many times as long on its way to workgroup memory, and
/// back to the threads that wait for it, as the last cache takes to bring 4
/// bytes, where a multiprocessor has several workgroups: most of them do the
/// same at the same time. unit:   times shown:  gemm_128x768x3072_f32: rounds
/// of 8 to 12 KB took 110 to 125 cycles
///         for a KB of each workgroup, whatever else they did; so did those of
///         gemm1024_f32, gemm4096_f32 and gemm_197x768x2304_f32
inline constexpr double timesOfStagedFactor = 2.66;

/// Returns the cycles of a multiprocessor in which a factor is staged.
inline double getStagedFactorCycles(const DeviceSpeed &device) {
  return timesOfStagedFactor * sizeof(float) / device.lastCacheBytesPerCycle;
}

/// A factor of rows counts so often on its way to workgroup memory if an
/// iteration has more terms than a vector: neighbouring threads load such
/// factors from different lines of the first cache. Factors of columns are
/// neighbours in memory and count once, though padding is chosen for some.
/// unit:   factors
/// device: lines that the first cache serves in a cycle
/// shown:  conv128to128_28_k3_f32: 128 rows of 64 columns took 0.30 ms on an
///         H200, 64 rows of 128 columns 0.22
inline constexpr double scatteredFactors = 1.5;

/// The share of the bytes of a subgroup's vectors that workgroup memory serves:
/// some threads load the same vector.
/// unit:   share of the bytes
/// shown:  gemm1024_f32 with 64 times 64 sums, without slices: 3 loads for 32
///         products
inline constexpr double distinctBytes = 0.75;

/// Returns the cycles in which a thread loads a vector from workgroup memory,
/// where all threads of a multiprocessor do so: 3 / 32 on the default device,
/// whose subgroups have 32 threads.
inline double getVectorCycles(const DeviceSpeed &device) {
  return distinctBytes * DeviceProfile::vectorBytes /
         device.workgroupBytesPerCycle;
}

/// A round takes so many exchanges through workgroup memory for each workgroup
/// that a multiprocessor has, beside its products.
/// unit:   exchanges (DeviceSpeed::barrierCycles)
/// shown:  gemm_128x768x3072_f32 in 384 tiles of 64 times 128 sums
inline constexpr double barriersOfRound = 3;

inline double getBarrierCycles(const DeviceSpeed &device) {
  return barriersOfRound * device.barrierCycles;
}

/// A round takes so many latencies of the last cache beside its products and
/// loads, where a multiprocessor has one workgroup: threads wait for their
/// loads and at barriers. unit:   latencies of the last cache shown:
/// gemm1024_f32 with 128 times 64 sums, 1,000 cycles on an H100
inline constexpr double waitsOfRound = 3.57;

inline double getRoundCycles(const DeviceSpeed &device) {
  return waitsOfRound * device.lastCacheCycles;
}

/// Such a round takes so many more latencies of the first cache for each load
/// of a thread: several loads are under way at a time. unit:   latencies of the
/// first cache shown:  conv64to64_56_k3_batch1_f32: rounds of 576 products and
/// 40 loads
///         took 2,450 cycles on an H100
inline constexpr double waitsOfLoad = 0.267;

inline double getLoadCycles(const DeviceSpeed &device) {
  return waitsOfLoad * device.firstCacheCycles;
}

/// Registers of a thread beside those of its sums, and of the factors that are
/// on their way to workgroup memory: addresses, and vectors that drivers load
/// ahead from workgroup memory.
/// unit:   registers of 4 bytes
/// shown:  gemm1024_f32: a multiprocessor has 3 workgroups of 32 times 64 sums
///         in 4 slices, which take 138 registers of an H100, and 4 turns of 3
///         and 1 longer than 2 of 2 with 64 times 64 sums
inline constexpr double otherRegisters = 50;
} // namespace contraction

//===----------------------------------------------------------------------===//
// Map kernels
//===----------------------------------------------------------------------===//

namespace map_sums {
/// Loads of a map kernel's thread for each term: 8 rows of 4 elements, the most
/// sums that it carries (map::maxCarried), take a load for each row and one for
/// all columns.
/// unit:   loads
/// shown:  -
inline constexpr double loadsOfTerm = 9;

/// The latencies of the first cache that a thread waits for the factors of a
/// term, and the latencies that it waits for all factors of an iteration at
/// most, however few threads there are: drivers have few loads under way at a
/// time.
/// unit:   latencies of the first cache
/// shown:  conv64to64_56_k3_batch1_f32, which took 1,830 cycles for the 9 terms
///         of an iteration on an H200; gemm_128x768x3072_f32 took 1,640 for 4
inline constexpr double waitsOfTerm = 6.67;
inline constexpr double maxWaitsOfIteration = 28.3;

inline double getTermCycles(const DeviceSpeed &device) {
  return waitsOfTerm * device.firstCacheCycles;
}
inline double getMaxIterationCycles(const DeviceSpeed &device) {
  return maxWaitsOfIteration * device.firstCacheCycles;
}
} // namespace map_sums

//===----------------------------------------------------------------------===//
// Sliced kernels
//===----------------------------------------------------------------------===//

namespace sliced {
/// A thread has so many sums at most: with the factors of the terms that it has
/// written out, they fit its registers.
/// unit:   elements
/// device: registers of a thread; GPUs have 128 or more
/// shown:  gemm_rows16_f32
inline constexpr int64_t maxSums = 64;

/// A thread has so many rows at most.
/// unit:   rows
/// device: registers of a thread
/// shown:  gemm_rows16_f32
inline constexpr int64_t maxRows = 16;

/// The most products that the code of a thread writes out, and the most
/// operations that compute the factors of these products. A factor of f16 that
/// is loaded by itself takes several operations.
/// unit:   products, and operations
/// device: the time that drivers take to compile; lavapipe takes a minute for
///         12,000 in a kernel
/// shown:  -
inline constexpr int64_t maxProducts = 512;
inline constexpr int64_t maxFactorOps = maxWrittenOutOps;

/// A thread has so many groups of neighbouring terms written out at most.
/// Drivers load no more ahead.
/// unit:   groups
/// shown:  -
inline constexpr int64_t maxTimes = 8;

/// Threads wait at a barrier for the time in which each of them loads so many
/// values from workgroup memory. Plans of the same exchange are compared by
/// their loads, so that this constant is no time.
/// unit:   loads
/// device: latency of barriers, beside the rate of workgroup memory
/// shown:  -
inline constexpr int64_t loadsOfBarrier = 16;

/// A load of a subgroup keeps the first cache busy for as long as so many lines
/// take, however little it brings. A line that the subgroup touches keeps the
/// cache busy for this share of the time of a line, however little of it is
/// loaded.
/// unit:   lines (DeviceSpeed::cacheLineBytes)
/// device: loads that a multiprocessor begins, and tags that its first cache
///         compares
/// shown:  conv512to512_7_k3_batch1_f32: 144 loads of single factors for each
///         round took 3.3 cycles each on an H100 with 4 rows, 4 columns and 16
///         slices, and 108 that touch 16 lines each took 4.3 with 8 rows, 4
///         columns and 64 slices
inline constexpr double linesOfLoad = 3.5;
inline constexpr double shareOfTouchedLine = 0.3;

/// Returns the cycles in which the first cache serves a whole line.
inline double getLineCycles(const DeviceSpeed &device) {
  return device.cacheLineBytes / device.firstCacheBytesPerCycle;
}

/// A round takes so many latencies of the first cache beside its operations and
/// loads, where a multiprocessor has one workgroup.
/// unit:   latencies of the first cache
/// shown:  gemm_rows16_f32 with 16 rows, 4 columns and 16 slices
inline constexpr double waitsOfRound = 3.33;

inline double getRoundCycles(const DeviceSpeed &device) {
  return waitsOfRound * device.firstCacheCycles;
}

/// A workgroup takes so many exchanges beside its rounds, to start and to join
/// its slices, and each sum of a thread passes through workgroup memory so many
/// times.
/// unit:   exchanges (DeviceSpeed::barrierCycles), and times
/// shown:  gemm_rows16_transposed_f32: 1024 workgroups of 32 sums for each
///         thread take 12 us longer than 512 on an H100
inline constexpr double barriersOfEnd = 7.78;
inline constexpr double passesOfSum = 12.5;

inline double getEndCycles(const DeviceSpeed &device) {
  return barriersOfEnd * device.barrierCycles;
}
/// Returns the cycles in which the threads of a workgroup join a sum of each.
inline double getJoinedSumCycles(const DeviceSpeed &device) {
  return passesOfSum * DeviceProfile::workgroupSize * sizeof(float) /
         device.workgroupBytesPerCycle;
}

/// A thread has so many registers for vectors that it loads, with half of one
/// for each sum, as drivers load some of the written-out terms ahead. It has so
/// many others beside those of its sums.
/// unit:   registers of 4 bytes
/// shown:  gemm_rows4_f32 with 16 sums, and gemm_rows16_f32 with 64, whose
///         threads have 95 and 168 registers in all on an H100
inline constexpr double registersAhead = 56;
inline constexpr double otherRegisters = 20;

/// Memory takes this share of a copy's time for as many bytes of factors, which
/// a sliced kernel only reads, where each multiprocessor has many workgroups.
/// With one workgroup it takes the second share more: fewer threads have fewer
/// loads under way.
/// unit:   share of the time
/// device: latency of memory, times its rate, for each multiprocessor
/// shown:  gemm_rows1_transposed_f16 with 16 workgroups for each multiprocessor
///         takes 19 us on an H100, gemm_rows1_f16 with one 25.6
inline constexpr double shareOfMemory = 0.75;
inline constexpr double memoryOfOne = 1.1;

/// The share of memory's time that the same factors take once more for each
/// further tile of rows: most of them come from the last cache then.
/// unit:   share of the time
/// device: the rate of memory beside that of the last cache
/// shown:  gemm_rows4_f32 with 2 rows, 4 columns and 32 slices, which took 1.06
///         times as long as with 4 rows on an H100 of low clock
inline constexpr double shareOfCache = 0.1;

/// Memory takes so many times as long where threads load fewer bytes side by
/// side than memory brings together (sectorsTogether).
/// unit:   times
/// shown:  gemm_rows4_f32: 64 slices of 32 bytes took 37 us on an H100, and 32
///         of 64 bytes took 29
inline constexpr double memoryOfPieces = 1.2;
} // namespace sliced

} // namespace dml::cost

#endif // DML_TARGET_SUMCOSTS_H
