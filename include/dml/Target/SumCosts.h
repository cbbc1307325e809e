//===- SumCosts.h - What kernels of sums weigh ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// This file has the numbers by which tiles of contraction kernels and of sliced
// kernels are chosen. Each is described as those of CostModel.h are. What they
// have in common with matrix kernels is in MatrixCosts.h.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_SUMCOSTS_H
#define DML_TARGET_SUMCOSTS_H

#include <cstdint>

namespace dml::cost {

/// Products of one tensor with several matrices are computed together where a
/// product has at most so many sums for each multiprocessor of the device. Such
/// a product alone leaves multiprocessors idle, and takes as long as all of the
/// products together.
/// unit:   sums of a multiprocessor
/// device: sums of a workgroup
/// shown:  three gemm_197x768x768 take 0.050 ms in f16 on an H100 and 0.124 in
///         f32, and gemm_197x768x2304 takes 0.014 and 0.033
inline constexpr int64_t maxStackedSums = 4096;

/// A load of threads that run together keeps the first cache busy for each of
/// its lines that they touch, and brings no more than a line in a cycle.
/// unit:   bytes
/// device: a line of the first cache, 128 on GPUs of several vendors
/// shown:  conv512to512_7_k3_batch1_f32
inline constexpr double cacheLineBytes = 128;

/// A load takes so long, however little it brings. A line of the first cache
/// takes so long, however little of it is loaded.
/// unit:   cycles of a multiprocessor
/// device: loads that a multiprocessor begins, and tags that its first cache
///         compares
/// shown:  conv512to512_7_k3_batch1_f32 in sliced kernels: 144 loads of single
///         factors for each round took 3.3 cycles each on an H100 with 4 rows,
///         4 columns and 16 slices, and 108 that touch 16 lines each took 4.3
///         with 8 rows, 4 columns and 64 slices
inline constexpr double cyclesOfLoad = 3.5;
inline constexpr double cyclesOfLine = 0.3;

/// A load of a vector from workgroup memory takes so long for the threads that
/// run together, some of which load the same vector.
/// unit:   cycles of a multiprocessor
/// device: 4 for 16 bytes of each of 32 threads, less what threads have in
///         common
/// shown:  gemm1024_f32 with 64 times 64 sums, without slices: 3 loads for 32
///         products
inline constexpr double cyclesOfVector = 3;

/// A factor takes so long on its way to workgroup memory, and back to the
/// threads that wait for it, where a multiprocessor has several workgroups.
/// unit:   cycles of a multiprocessor
/// device: the rate of the last cache and of workgroup memory, where most
///         workgroups do the same at the same time
/// shown:  gemm_128x768x3072_f32: rounds of 8 to 12 KB took 110 to 125 cycles
///         for a KB of each workgroup, whatever else they did; so did those of
///         gemm1024_f32, gemm4096_f32 and gemm_197x768x2304_f32
inline constexpr double cyclesOfStagedFactor = 0.38;

/// A factor of rows counts so often on its way to workgroup memory if an
/// iteration has more terms than a vector: neighbouring threads load such
/// factors from different lines of the first cache. Factors of columns are
/// neighbours in memory and count once, though padding is chosen for some.
/// unit:   factors
/// device: lines that the first cache serves in a cycle
/// shown:  conv128to128_28_k3_f32: 128 rows of 64 columns took 0.30 ms on an
///         H200, 64 rows of 128 columns 0.22
inline constexpr double scatteredFactors = 1.5;

/// The operations of a kernel of sums take so long, where each of a workgroup's
/// threads could have one in a cycle.
/// unit:   cycles
/// device: units that add, and what keeps them waiting
/// shown:  gemm8192_f32, which has 47 of 62 * 10^12 operations a second
inline constexpr double cyclesOfProduct = 1.3;

/// The time of a round of a contraction kernel for each workgroup that a
/// multiprocessor has, beside its products.
/// unit:   cycles
/// device: latency of barriers and of workgroup memory
/// shown:  gemm_128x768x3072_f32 in 384 tiles of 64 times 128 sums
inline constexpr double cyclesOfBarriers = 270;

/// The time of a round of a contraction kernel beside its products and loads,
/// where a multiprocessor has one workgroup: threads wait for what they load,
/// and at barriers.
/// unit:   cycles
/// device: latency of the last cache, of workgroup memory and of barriers
/// shown:  gemm1024_f32 with 128 times 64 sums, 1,000 on an H100
inline constexpr double cyclesOfRound = 1000;

/// The time that such a round is longer for each load of a thread.
/// unit:   cycles
/// device: loads of a thread that are under way at a time
/// shown:  conv64to64_56_k3_batch1_f32: rounds of 576 products and 40 loads
///         took 2,450 cycles on an H100
inline constexpr double cyclesOfThreadLoad = 16;

/// Registers of a thread beside those of its sums, and of the factors that are
/// on their way to workgroup memory.
/// unit:   registers of 4 bytes
/// device: what drivers need for addresses, and load ahead from workgroup
///         memory: 48 to 54 on an H100
/// shown:  gemm1024_f32: a multiprocessor has 3 workgroups of 32 times 64 sums
///         in 4 slices, which take 138, and 4 turns of 3 and 1 longer than 2 of
///         2 with 64 times 64 sums
inline constexpr double otherRegistersOfSums = 50;

/// The time that a thread of a map kernel waits for the factors of a term, and
/// that for all those of an iteration at most, however few threads there are:
/// drivers have few loads under way at a time.
/// unit:   cycles
/// device: latency of the first caches
/// shown:  conv64to64_56_k3_batch1_f32, which took 1,830 for the 9 terms of an
///         iteration on an H200; gemm_128x768x3072_f32 took 1,640 for 4
inline constexpr double cyclesOfTerm = 400;
inline constexpr double cyclesOfStep = 1700;

/// A thread has no more registers.
/// unit:   registers of 4 bytes
/// device: 255 on GPUs of several vendors
/// shown:  -
inline constexpr double maxRegisters = 255;

/// The time of a round of a sliced kernel beside its operations and loads,
/// where a multiprocessor has one workgroup.
/// unit:   cycles
/// device: latency of the first cache
/// shown:  gemm_rows16_f32 with 16 rows, 4 columns and 16 slices
inline constexpr double cyclesOfSlicedRound = 200;

/// The time of a sliced workgroup beside its rounds, and that for each sum that
/// its threads have: parts meet in workgroup memory.
/// unit:   cycles
/// device: the start of a workgroup, barriers, and the rate of workgroup memory
/// shown:  gemm_rows16_transposed_f32: 1024 workgroups of 32 sums for each
///         thread take 12 us longer than 512 on an H100
inline constexpr double cyclesOfEnd = 700;
inline constexpr double cyclesOfJoinedSum = 50;

/// A thread of a sliced kernel has so many registers for vectors that it loads,
/// with half of one for each sum, as drivers load some of what is written out
/// ahead. It has so many others beside those of its sums.
/// unit:   registers of 4 bytes
/// device: how drivers order loads
/// shown:  gemm_rows4_f32 with 16 sums, and gemm_rows16_f32 with 64, whose
///         threads have 95 and 168 registers in all on an H100
inline constexpr double registersAhead = 56;
inline constexpr double otherRegistersOfSlices = 20;

/// The time of a kernel from which nothing else is counted.
/// unit:   cycles
/// device: the time from a launch to its first loads, and from its last stores
///         to the end
/// shown:  gemm_rows1_transposed_f16
inline constexpr double cyclesOfStart = 4500;

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
/// further tile of rows.
/// unit:   share of the time
/// device: the rate of memory beside that of the last cache
/// shown:  gemm_rows4_f32 with 2 rows, 4 columns and 32 slices, which took 1.06
///         times as long as with 4 rows on an H100 of low clock
inline constexpr double shareOfCache = 0.1;

/// Memory takes so many times as long where threads load fewer bytes side by
/// side than two times lineBytes.
/// unit:   times
/// device: bytes that memory brings together, 64 on an H100
/// shown:  gemm_rows4_f32: 64 slices of 32 bytes took 37 us on an H100, and 32
///         of 64 bytes took 29
inline constexpr double memoryOfPieces = 1.2;

} // namespace dml::cost

#endif // DML_TARGET_SUMCOSTS_H
