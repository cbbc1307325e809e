//===- AttentionCosts.h - Costs of attention kernels ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which dml-fuse-attention decides whether attention is
// computed by one kernel, or by several kernels that write the scores to
// memory. CostModel.h explains the notation.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_ATTENTIONCOSTS_H
#define DML_TARGET_ATTENTIONCOSTS_H

#include "dml/Target/CostModel.h"
#include <cstdint>

namespace dml::cost::attention {

/// The number of operations for each score, beside its products: an
/// exponential, updates of the query's maximum and sum, and two exchanges
/// through workgroup memory.
/// unit:   operations
/// device: units that compute functions, for each unit that adds
/// shown:  -
inline constexpr double opsPerScore = opsPerFunction + 14;

/// The time of an attention kernel without matrices, relative to the time of
/// its operations. An attention kernel also waits at barriers, and for keys and
/// values. The number is a sixth less than was measured, since separate kernels
/// need memory for all scores.
/// unit:   times
/// shown:  8 heads of 4096 queries and keys with 40 columns in f32 on an H200:
///         1177 us with blocks of 128 queries and 64 keys, 1120 with 16 keys,
///         and 1283 to 1447 with others, whose operations take 705 to 865 us;
///         three kernels take 1100. 6 heads of 1500 with 64 columns: 224 us
///         with 32 queries, whose operations take 137; three kernels take 180
inline constexpr double timesOfThreads = 1.4;

/// The share at which the estimate of an attention kernel with matrices counts
/// beside estimates of other kernels. The estimate is 1.0 to 2.6 times the time
/// of such a kernel, and 0.45 to 0.6 times that of a kernel without matrices.
/// shown:  512 queries of 32 heads with 4096 keys, of which they see those up
///         to their own, on an H200: 0.36 ms with 96 columns and 0.38 ms with
///         128 (estimates 0.60 and 0.68); without matrices 1.21 ms and 1.46 ms
///         (estimates 0.56 and 0.73)
inline constexpr double shareOfMatrices = 0.6;

/// The largest block of keys of an attention kernel with matrices whose weights
/// are rounded to f16. Threads round their scores of a block, all unrolled, in
/// two loops.
/// unit:   keys
/// device: registers of a thread, and the size of the instruction cache
/// shown:  8 heads of 4096 queries and keys with 40 columns on an H200: 272 us
///         with 128 queries and 16 keys, and 405 with 32 keys; 6 heads of 1500
///         with 64 columns: 85 us and 90
inline constexpr int64_t maxRoundedKeys = 16;

/// If separate kernels compute the scores, the weights and the products, the
/// number of times that the bytes of all scores pass through memory: scores are
/// written and read once, and so are weights.
/// unit:   times
/// shown:  -
inline constexpr double passesOfScores = 4;

/// The memory of separate kernels grows with the square of a text's length. If
/// scores have more than `mostBytesOfScores`, the time of separate kernels
/// counts `timesOfLargeScores` times.
/// unit:   bytes; times
/// shown:  -
inline constexpr double mostBytesOfScores = 128 << 20, timesOfLargeScores = 2;

/// If separate kernels compute the scores, the weights and the products of
/// attention, the number of these kernels that wait for the preceding one.
/// unit:   kernels
/// shown:  -
inline constexpr double waitingKernels = 2;

/// The number of times that a workgroup of a kernel whose keys are split over
/// workgroups waits at a barrier.
/// unit:   barriers
/// shown:  -
inline constexpr double barriersOfSplit = 10;

/// The number of times that a workgroup of an attention kernel that holds all
/// scores waits at a barrier, beside four times for each block of keys: between
/// the phases, and while the threads of a query exchange numbers.
/// unit:   barriers
/// shown:  -
inline constexpr double barriersOfResident = 6;

/// The time in which memory transfers the keys and values of split attention,
/// relative to the time of a copy of as many bytes, if each multiprocessor has
/// many workgroups. With only one workgroup, the time increases by the factor
/// 1 + `memoryOfOne`, since it has few loads in flight. With four workgroups,
/// the time is that of a copy.
/// unit:   share of the time
/// device: bytes that a multiprocessor must have in flight: the latency of
///         memory times its rate
/// shown:  32 queries, of which 4 share keys, over 4096 keys of 128 numbers, on
///         an H200: 20.2 us with 2 workgroups at a time, and 15.6 with 4
inline constexpr double shareOfMemory = 0.57;
inline constexpr double memoryOfOne = 3;

/// The cycles in which the second kernel loads and adds up a number of one
/// part.
/// unit:   cycles
/// device: the rate of workgroup memory
/// shown:  the second kernel for 32 heads of 128 numbers takes 4.3 us on an
///         H200 with 8 parts, 5.5 with 32, and 10.2 with 128
inline constexpr double cyclesOfPart = 48;

/// The largest number of queries that read the same keys for which keys are
/// split over workgroups. More queries occupy the device without a split.
/// unit:   queries
/// shown:  -
inline constexpr int64_t maxSplitQueries = 64;

/// The number of registers of a thread beside those for its scores, its outputs
/// and the factors that it loads, if the driver's compiler keeps the order of
/// the program (DeviceSpeed::computesInOrder): for addresses, and for each of
/// the thread's queries, such as its largest score and its sum.
/// unit:   registers of 4 bytes
/// shown:  blocks of 4 queries on RDNA 2: ACO counts 70 to 75 registers with 16
///         outputs of a thread, 104 to 108 with 32, 146 to 148 with 48, and 176
///         or 177 with 64; the estimates are 76, 112, 148 and 184
inline constexpr double otherRegistersInOrder = 28;
inline constexpr double registersOfQuery = 3;

} // namespace dml::cost::attention

#endif // DML_TARGET_ATTENTIONCOSTS_H
