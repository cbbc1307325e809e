//===- SumCosts.h - Costs of kernels for sums of products -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which contraction kernels, sliced kernels and map kernels
// for sums are chosen. CostModel.h explains the notation. Times are in cycles
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
/// The number of sums for each multiprocessor up to which products of one
/// tensor with several matrices are computed by one kernel. A product with so
/// few sums leaves multiprocessors idle, and takes as long as all of the
/// products together.
/// unit:   sums of a multiprocessor
/// device: sums of a workgroup
/// shown:  in f16 on an H100, three gemm_197x768x768 take 0.050 ms, and
///         gemm_197x768x2304, which computes as much in one kernel, takes 0.014
///         ms; in f32, 0.124 ms and 0.033 ms
inline constexpr double maxStackedSums = 4096;

/// The largest number of partial sums of a sum. One thread adds them up.
/// unit:   parts
/// device: loads in flight of a thread
/// shown:  -
inline constexpr int64_t maxParts = 16;

/// What sums in parts must save. `share` is the greatest time of a kernel for
/// partial sums and of the kernel that adds them up, relative to the time of
/// whole sums. The margin is wide since times are estimates and partial sums
/// need memory. `launches` is the time for which the second kernel waits,
/// relative to a launch (DeviceSpeed::launchCycles, which was measured with
/// timestamps between the kernels).
struct Margin {
  double share, launches;
};

/// The margins for sums of few rows or columns, of convolutions with padding,
/// and of other products.
/// unit:   share of the time; launches
/// shown:  few rows: -. Convolutions with padding, on an H200: Stable
///         Diffusion's block in f32 takes 0.89 of the time with a share of 0.8
///         instead of 0.75, which splits convolutions of 320 channels; with
///         0.85, resnet50 in f16 takes 1.02 times as long. Products, on an
///         H200: bert_base, vit_b and whisper_encoder in f16 take 0.94, 0.94
///         and 0.97 of the time with whole sums, and bert_base in f32 0.94
inline constexpr Margin marginOfFewRows = {0.75, 1}, marginOfPadded = {0.8, 1},
                        marginOfProducts = {0.85, 0.75};

/// The largest number of rows or columns that are few. The products of a
/// decoder's step, for example, have one row.
/// unit:   rows
/// shown:  -
inline constexpr int64_t mostFewRows = 32;

/// The time of a kernel with workgroup memory, relative to the time of a map
/// kernel, which it must not exceed to be chosen. Barriers, and the threads
/// that wait at them, must pay off by more than a hundredth.
/// unit:   share of the time
/// shown:  conv3to64_224_k7s2_f32, whose map kernel has 28 * 10^12 operations a
///         second on an H200
inline constexpr double shareInWorkgroups = 0.9;

/// The number of operations of a thread that unpack a quantized factor from a
/// word, subtract its zero point and multiply it by its scale: in f16, a shift,
/// four masks and four disjunctions that the device computes with the masks,
/// four differences and four products for the eight factors of a word, and a
/// conversion of each.
/// unit:   operations
/// shown:  -
inline constexpr double opsOfQuantizedFactor = 3;

/// The number of operations of a thread for each scale and for each zero point
/// of a run of quantized factors: their addresses, and the extraction of a zero
/// point from its word.
/// unit:   operations
/// shown:  -
inline constexpr double opsOfScale = 5;

/// The time of a kernel's instructions, relative to the time in which its
/// products would begin without any waits. Threads wait for each other's loads
/// and for the results of their own products.
/// unit:   times
/// shown:  gemm8192_f32, which has 47 of 62 * 10^12 operations a second
inline constexpr double timesOfProducts = 1.3;
} // namespace sums

//===----------------------------------------------------------------------===//
// Contraction kernels
//===----------------------------------------------------------------------===//

namespace contraction {
/// The approximate numbers of terms that are in workgroup memory at a time. So
/// many terms make the barriers cheap relative to the products, and tiles of
/// all sizes fit into the memory that devices promise
/// (DeviceProfile::workgroupMemory). The search tries all of these numbers:
/// with more terms, there are fewer rounds, and therefore fewer waits.
/// unit:   terms
/// device: cycles at a barrier, beside those of products
/// shown:  gemm4096_f32, gemm_128x768x3072_f32
inline constexpr int64_t stagedTerms[] = {16, 32, 48};

/// The largest number of vectors of workgroup memory that a tile may take: the
/// number that every device promises for a workgroup. With more of them, a
/// multiprocessor runs fewer workgroups at a time than its registers allow.
/// unit:   vectors of 16 bytes
/// device: the driver's division of memory between workgroups and the first
///         cache
/// shown:  gemm_2048x768x768_f32 with 64 times 64 sums in 2 slices, which takes
///         66 us on an H200 with 816 vectors, 24 terms, and 93 with 1088, 32
///         terms, where both kernels have registers for 3 workgroups
inline constexpr int64_t maxVectors =
    DeviceProfile::workgroupMemory / DeviceProfile::vectorBytes;

/// The least number of terms for which workgroup memory and its barriers are
/// worthwhile: two rounds.
/// unit:   terms
/// shown:  gemm_batch16, which has 64
inline constexpr int64_t minTerms = 2 * stagedTerms[0];

/// The largest number of terms over which the products of factors from
/// workgroup memory are unrolled. Without a loop in between, drivers load
/// factors ahead of the products.
/// unit:   terms
/// device: latency of workgroup memory, beside room for code
/// shown:  gemm4096_f32, from 35 * 10^12 operations a second with 8 to 42 with
///         16 on an H200; conv128to128_28_k3_f32, from 33 with 9 to 41 with 18
inline constexpr int64_t writtenOutTerms = 18;

/// The factor by which the products of a thread take longer if its slice has
/// more terms than are unrolled: the loop over the terms keeps drivers from
/// loading factors ahead of the products.
/// unit:   times
/// device: latency of workgroup memory
/// shown:  gemm4096_f32 with 64 times 128 sums, which takes 4.06 ms on an H200
///         with 32 terms and 3.12 with 16
inline constexpr double timesOfLoop = 1.3;

/// The largest number of neighbouring terms of an operand that a thread loads
/// at a time, if an iteration has more terms than a vector.
/// unit:   terms
/// device: registers of a thread
/// shown:  conv64to64_56_k3_f32, from 22 * 10^12 operations a second with the
///         9 terms of an iteration to 30 with 3 on an H200
inline constexpr int64_t maxTermsTogether = 6;

/// The time of staging a factor and loading it again, relative to the time in
/// which the last cache transfers 4 bytes, if a multiprocessor has several
/// workgroups. Most of the workgroups do the same at the same time.
/// unit:   times
/// shown:  gemm_128x768x3072_f32: rounds of 8 to 12 KB took 110 to 125 cycles
///         for a KB of each workgroup, whatever else they did; so did those of
///         gemm1024_f32, gemm4096_f32 and gemm_197x768x2304_f32
inline constexpr double timesOfStagedFactor = 2.66;

/// Returns the cycles of a multiprocessor in which one factor is staged.
inline double getStagedFactorCycles(const DeviceSpeed &device) {
  return timesOfStagedFactor * sizeof(float) / device.lastCacheBytesPerCycle;
}

/// The factor by which staging a factor of rows costs more, if an iteration has
/// more terms than a vector. Neighbouring threads then load factors from
/// different lines of the first cache. Factors of columns are neighbours in
/// memory and cost no more, even if some are replaced by padding.
/// unit:   factors
/// device: lines that the first cache serves in a cycle
/// shown:  conv128to128_28_k3_f32: 128 rows of 64 columns took 0.30 ms on an
///         H200, 64 rows of 128 columns 0.22
inline constexpr double scatteredFactors = 1.5;

/// The share of the bytes of a subgroup's vectors that workgroup memory
/// actually transfers. Threads that load the same vector share a transfer.
/// unit:   share of the bytes
/// shown:  gemm1024_f32 with 64 times 64 sums, without slices: 3 loads for 32
///         products
inline constexpr double distinctBytes = 0.75;

/// Returns the cycles in which a thread loads a vector from workgroup memory
/// while all threads of the multiprocessor do the same: 3 / 32 on the default
/// device, whose subgroups have 32 threads.
inline double getVectorCycles(const DeviceSpeed &device) {
  return distinctBytes * DeviceProfile::vectorBytes /
         device.workgroupBytesPerCycle;
}

/// The number of exchanges through workgroup memory that a round takes for each
/// workgroup of a multiprocessor, beside its products.
/// unit:   exchanges (DeviceSpeed::barrierCycles)
/// shown:  gemm_128x768x3072_f32 in 384 tiles of 64 times 128 sums
inline constexpr double barriersOfRound = 3;

inline double getBarrierCycles(const DeviceSpeed &device) {
  return barriersOfRound * device.barrierCycles;
}

/// The number of latencies of the last cache that a round takes, beside its
/// products and loads, if a multiprocessor has only one workgroup: threads wait
/// for their loads and at barriers.
/// unit:   latencies of the last cache
/// shown:  gemm1024_f32 with 128 times 64 sums, 1,000 cycles on an H100
inline constexpr double waitsOfRound = 3.57;

/// The same number where tiles are compared with each other: a tile that other
/// workgroups of the multiprocessor help to hide its waits is worth more than
/// the model's time of it says.
/// unit:   latencies of the last cache
/// shown:  bert_base of benchmarks/networks.py in f32, which takes 2.01 ms on
/// an
///         H200 with the tiles of 3.57 waits, 1.67 with those of 5.4, and 1.56
///         with those of 7.1 and 10.7
inline constexpr double waitsOfComparedRound = 7.1;

inline double getRoundCycles(const DeviceSpeed &device,
                             double waits = waitsOfRound) {
  return waits * device.lastCacheCycles;
}

/// The number of latencies of the first cache that a round of the only
/// workgroup on a multiprocessor takes for each load of a thread, in addition
/// to waitsOfRound. The number is less than 1, since several loads are in
/// flight at a time.
/// unit:   latencies of the first cache
/// shown:  conv64to64_56_k3_batch1_f32: rounds of 576 products and 40 loads
///         took 2,450 cycles on an H100
inline constexpr double waitsOfLoad = 0.267;

inline double getLoadCycles(const DeviceSpeed &device) {
  return waitsOfLoad * device.firstCacheCycles;
}

/// The number of registers of a thread beside those for its sums and for the
/// factors that are being staged: for addresses, and for vectors that drivers
/// load ahead from workgroup memory.
/// unit:   registers of 4 bytes
/// shown:  gemm1024_f32: a multiprocessor has 3 workgroups of 32 times 64 sums
///         in 4 slices, which take 138 registers of an H100, and 4 turns of 3
///         and 1 longer than 2 of 2 with 64 times 64 sums
inline constexpr double otherRegisters = 50;

/// The same number if the driver's compiler keeps the order of the program
/// (DeviceSpeed::computesInOrder) and loads nothing ahead.
/// unit:   registers of 4 bytes
/// shown:  resnet50 of benchmarks/networks.py, whose kernels with 64 by 64 sums
///         and stages of 18 terms need 98 to 104 registers by ACO's count, and
///         130 for images of 7 by 7, whose neighbouring positions have
///         addresses of their own
inline constexpr double otherRegistersInOrder = 28;
} // namespace contraction

//===----------------------------------------------------------------------===//
// Map kernels
//===----------------------------------------------------------------------===//

namespace map_sums {
/// The number of loads for each term in a thread of a map kernel that computes
/// 8 rows of 4 elements, the most sums that a thread carries (map::maxCarried):
/// one load for each row, and one for all columns.
/// unit:   loads
/// shown:  -
inline constexpr double loadsOfTerm = 9;

/// The number of latencies of the first cache that a thread waits for the
/// factors of a term, and the largest number that it waits for all factors of
/// an iteration, even if there are few threads. Drivers keep few loads in
/// flight at a time.
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
/// The largest number of sums of a thread. The sums, and the factors of the
/// terms over which the code is unrolled, fit into the registers of a thread.
/// unit:   elements
/// device: registers of a thread; GPUs have 128 or more
/// shown:  gemm_rows16_f32
inline constexpr int64_t maxSums = 64;

/// The largest number of rows of a thread.
/// unit:   rows
/// device: registers of a thread
/// shown:  gemm_rows16_f32
inline constexpr int64_t maxRows = 16;

/// The largest number of products over which the code of a thread is unrolled,
/// and the largest number of operations that compute the factors of these
/// products. An f16 factor that is loaded by itself takes several operations.
/// unit:   products, and operations
/// device: the time that drivers take to compile; lavapipe takes a minute for
///         12,000 in a kernel
/// shown:  -
inline constexpr int64_t maxProducts = 512;
inline constexpr int64_t maxFactorOps = maxWrittenOutOps;

/// The largest number of groups of neighbouring terms over which the code of a
/// thread is unrolled. Drivers do not load more groups ahead.
/// unit:   groups
/// shown:  -
inline constexpr int64_t maxTimes = 8;

/// The cost of a barrier as a number of loads from workgroup memory in each
/// thread. The number only serves to compare plans for the same exchange.
/// unit:   loads
/// device: latency of barriers, beside the rate of workgroup memory
/// shown:  -
inline constexpr int64_t loadsOfBarrier = 16;

/// The time in which a load of a subgroup occupies the first cache, as a number
/// of lines: at least `linesOfLoad`, even if the load transfers few bytes, and
/// at least `shareOfTouchedLine` for each line that the subgroup touches, even
/// if it loads little of the line.
/// unit:   lines (DeviceSpeed::cacheLineBytes)
/// device: loads that a multiprocessor begins, and tags that its first cache
///         compares
/// shown:  conv512to512_7_k3_batch1_f32: 144 loads of single factors for each
///         round took 3.3 cycles each on an H100 with 4 rows, 4 columns and 16
///         slices, and 108 that touch 16 lines each took 4.3 with 8 rows, 4
///         columns and 64 slices
inline constexpr double linesOfLoad = 3.5;
inline constexpr double shareOfTouchedLine = 0.3;

/// The time in which a load of 16 bytes in each thread occupies the first cache
/// beside quantized columns, relative to the time of as many whole lines.
/// unit:   times
/// device: bytes that the first cache returns in a cycle
/// shown:  a row of 4096 f32 numbers times 4-bit numbers, 4096 x 14336, on an
///         H200: with 4 threads together, 4 columns take 13.8 us, and 2 columns
///         20, which load as many factors of the row for half the products
inline constexpr double timesOfWideLoad = 2.5;

/// Returns the cycles in which the first cache serves a whole line.
inline double getLineCycles(const DeviceSpeed &device) {
  return device.cacheLineBytes / device.firstCacheBytesPerCycle;
}

/// The number of latencies of the first cache that a round takes, beside its
/// operations and loads, if a multiprocessor has only one workgroup.
/// unit:   latencies of the first cache
/// shown:  gemm_rows16_f32 with 16 rows, 4 columns and 16 slices
inline constexpr double waitsOfRound = 3.33;

/// The number of exchanges that a workgroup takes, beside its rounds, to start
/// and to combine its slices; and the number of times that each sum of a thread
/// passes through workgroup memory.
/// unit:   exchanges (DeviceSpeed::barrierCycles), and times
/// shown:  gemm_rows16_transposed_f32: 1024 workgroups of 32 sums for each
///         thread take 12 us longer than 512 on an H100
inline constexpr double barriersOfEnd = 7.78;
inline constexpr double passesOfSum = 12.5;

/// Returns the cycles in which the threads of a workgroup combine one sum each.
inline double getJoinedSumCycles(const DeviceSpeed &device) {
  return passesOfSum * DeviceProfile::workgroupSize * sizeof(float) /
         device.workgroupBytesPerCycle;
}

/// The same as cost::sums::timesOfProducts, `waitsOfRound` and `barriersOfEnd`
/// for kernels that stage their row. A round has two barriers.
/// unit:   times, latencies of the first cache, and exchanges
/// shown:  tiles of nine products on an H200, with 3072 to 14336 terms and 3072
///         to 128256 columns of 4 bits: the chosen tiles take 1.8 % longer than
///         the best on average, but 19 % for 4096 x 14336, which was not among
///         them. The product of 3072 x 3072 takes 6.6 us with 32 slices of 2
///         columns, and 9.2 with 16 slices of 4 columns. The product of 4096 x
///         128256 takes 94 us with 32 slices of 4 columns, and 98 with 16
///         slices of 2 columns
inline constexpr double timesOfStaged = 0.675;
inline constexpr double waitsOfStagedRound = 10.8;
inline constexpr double barriersOfStagedEnd = 6;

/// The number of operations that each factor of a staged row costs a thread.
/// The factors are widened once, when the threads of a workgroup stage them, so
/// that the number is the same for f16 and f32.
/// unit:   operations
/// shown:  a row of f32 times 14336 x 4096 numbers of 4 bits on an H200, which
///         takes 23.3 us with 64 slices of one column and 12.4 with 32 slices
///         of 4 columns. The first kernel loads the row 2,048 times, and was
///         estimated to take less time when a factor of f32 counted as 0.25
inline constexpr double opsOfStagedFactor = 1.125;

/// The number of registers by which a thread that stages its row needs more
/// than cost::sliced::registersOfWord counts, and the largest number of
/// products of a round in the thread's code.
/// unit:   registers of 4 bytes, and products
/// device: the instruction cache, which limits the products
/// shown:  kernels of a row times 3072 x 9216 numbers of 4 bits with 1, 2, 4
///         and 8 columns of 32 terms have 43, 64, 84 and 140 registers on an
///         H200, and take 11.2, 10.8, 10.7 and 13.0 us
inline constexpr double registersOfStaged = 16;
inline constexpr int64_t maxStagedProducts = 128;

/// The number of registers of a thread for vectors that drivers load ahead, to
/// which half a register for each sum is added; and the number of registers
/// beside those for loaded factors and sums.
/// unit:   registers of 4 bytes
/// shown:  gemm_rows4_f32 with 16 sums, and gemm_rows16_f32 with 64, whose
///         threads have 95 and 168 registers in all on an H100
inline constexpr double registersAhead = 56;
inline constexpr double otherRegisters = 20;

/// The number of registers for each word of 4-bit factors that is loaded ahead,
/// and for each scale and zero point: the number itself, and its share of
/// addresses.
/// unit:   registers of 4 bytes
/// shown:  a row times 3072 x 3072 numbers on an H200: 34, 44, 72 and 142
///         registers with 1, 2, 4 and 8 columns of 4 words, 80 with 8 columns
///         of one word, and 135 with 4 columns of 8 words
inline constexpr double registersOfWord = 2.3;

/// The number of registers for the address and the condition of a selection
/// between an element and padding, if the driver's compiler keeps the order of
/// the program (DeviceSpeed::computesInOrder). On AMD's GPUs a condition takes
/// two scalar registers, of which a subgroup has about 100.
/// unit:   registers of 4 bytes
/// shown:  -
inline constexpr double registersOfChoice = 0.5;

/// The largest number of conditions of padding that a thread keeps from one
/// iteration to the next, if the driver's compiler keeps the order of the
/// program. More of them do not fit into scalar registers.
/// unit:   conditions
/// device: scalar registers of a subgroup; AMD's have 104
/// shown:  filters of 3 by 3 on images of 7 by 7 and 11 by 11: ACO counts 46
///         scalar registers with 18 conditions of a thread, 75 to 80 with 36,
///         and 156 to 232 with 72
inline constexpr double maxConditions = 48;

/// The time in which memory transfers the factors of a sliced kernel, relative
/// to the time of a copy of as many bytes, if each multiprocessor has many
/// workgroups. A sliced kernel only reads. With only one workgroup, the time
/// increases by the factor 1 + `memoryOfOne`, since fewer threads have fewer
/// loads in flight.
/// unit:   share of the time
/// device: bytes that a multiprocessor must have in flight: the latency of
///         memory times its rate
/// shown:  gemm_rows1_transposed_f16 with 16 workgroups for each multiprocessor
///         takes 19 us on an H100, gemm_rows1_f16 with one 25.6
inline constexpr double shareOfMemory = 0.75;
inline constexpr double memoryOfOne = 1.1;

/// The same as `memoryOfOne` for one row times columns of 4-bit numbers, if the
/// row is not staged. Threads load words of the next terms only after they have
/// unpacked the ones before, so that a workgroup has few loads in flight.
/// unit:   share of the time
/// device: bytes that a multiprocessor must have in flight: the latency of
///         memory times its rate
/// shown:  a row of f16 times 4096 x 4096 numbers between other steps of a
///         decoder on an H200: 256 workgroups take 13.0 us, and 1024 with half
///         of the columns and twice the slices 8.4. Of the tiles that were
///         measured for ten products of Phi-3-mini and Llama-3-8B, the chosen
///         ones take 1.4 % longer than the best on average, and 21 % with 1.1
inline constexpr double memoryOfOneRead = 7;

/// The share of memory's time that each further tile of rows takes to load the
/// same factors of columns again. Most of these factors come from the last
/// cache.
/// unit:   share of the time
/// device: the rate of memory beside that of the last cache
/// shown:  gemm_rows4_f32 with 2 rows, 4 columns and 32 slices, which took 1.06
///         times as long as with 4 rows on an H100 of low clock
inline constexpr double shareOfCache = 0.1;

/// The factor by which memory is slower if threads load fewer neighbouring
/// bytes than memory transfers at a time (sectorsTogether).
/// unit:   times
/// shown:  gemm_rows4_f32 takes 37 us on an H100 with 64 slices that read 32
///         neighbouring bytes each, and 29 us with 32 slices that read 64
inline constexpr double memoryOfPieces = 1.2;
} // namespace sliced

} // namespace dml::cost

#endif // DML_TARGET_SUMCOSTS_H
