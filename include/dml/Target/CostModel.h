//===- CostModel.h - What code generation weighs ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The numbers by which passes choose between kernels that compute the same. No
// result depends on one of them, only its speed. For each are given
//
//   unit:   what is counted,
//   device: the property of devices that it stands for,
//   shown:  the cases of benchmarks/suite.py that tell where it lies, mostly
//           with their ratios to a copy's rate on an H100; '-' where nothing
//           was measured for the number alone.
//
// What devices promise, and correctness rests on, is in DeviceProfile.h.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_COSTMODEL_H
#define DML_TARGET_COSTMODEL_H

#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace dml::cost {

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Operations as they are counted here, before drivers have folded addresses,
/// for each that a device runs. A kernel of more operations for a byte than
/// this times DeviceSpeed::opsPerByte waits for them, and one of fewer for
/// memory.
/// unit:   operations for an operation
/// device: none: the compilers of all drivers fold alike
/// shown:  odd_resample_linear_x2_f16, with 17 for a byte, went from 0.48 to
///         0.81 by threads of two kinds, and rank8_pad_edge_f32, with 13, from
///         0.88 to 0.68, on an H100, which runs 11
inline constexpr double countedOps = 1.4;

/// A division by a constant that is no power of two becomes a multiplication,
/// shifts and additions.
/// unit:   operations
/// device: none: the compilers of all drivers do so
/// shown:  -
inline constexpr double opsPerDivision = 4;

/// The operations that `op` counts as: 1, and more for those that have a row in
/// the table of CostModel.cpp.
/// unit:   operations that begin as often as additions
/// device: units that compute functions, for each unit that adds
/// shown:  -
double getWeight(mlir::Operation *op);

/// A load of a vector takes as long as so many operations.
/// unit:   operations
/// device: units of arithmetic for each unit that loads
/// shown:  gemm4096_f32, conv128to128_28_k3_f32
inline constexpr double opsPerLoad = 4;

/// A load takes as long as so many operations for each byte that neighbouring
/// threads' loads lie apart: a group of threads that load single bytes 16 bytes
/// apart touches as many lines of the first cache as one that loads 16 bytes
/// each.
/// unit:   operations for a byte
/// device: operations that a multiprocessor begins while its first cache serves
///         a byte: both are 128 in a cycle on GPUs of several vendors
/// shown:  pad_edge_ui8, whose threads had 16 loads of a byte each: 0.76
inline constexpr double opsPerLoadedByte = 1;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Threads that run together: where some take another path, all wait.
/// unit:   threads
/// device: the size of a subgroup; 32 or 64 on GPUs
/// shown:  -
inline constexpr int64_t threadsTogether = 32;

/// Independent operations of a thread that do as much as threads to fill a
/// device.
/// unit:   operations in flight
/// device: cycles from an operation to its result
/// shown:  -
inline constexpr int64_t maxIndependent = 4;

/// Sums that a thread carries through a loop: with what it loads for them,
/// these fit its registers.
/// unit:   elements
/// device: registers of a thread; GPUs have 128 or more
/// shown:  conv512to512_7_k3_f32 took 2.2 times as long with 8 as with 32
inline constexpr int64_t maxCarried = 32;

/// Elements of a thread that has groups of consecutive vectors. More elements
/// share more of what they compute, and take more registers.
/// unit:   elements
/// device: registers of a thread
/// shown:  resample_linear_x1.5_ui8, which has 48, from 0.48 to 0.84
inline constexpr int64_t maxGroupedElements = 64;

/// Bytes that a thread stores in several rows.
/// unit:   bytes
/// device: registers of a thread
/// shown:  resample_linear_3d_x2_f16, where 8 rows of 16 bytes took longer than
///         4, though they saved a fifth of the operations; 8 rows of 4 bytes,
///         maxpoolgrad_k3s1_f16, do not
inline constexpr int64_t maxRowBytes = 64;

/// The share of the last cache (DeviceSpeed::cacheBytes) that keeps what was
/// read before: what is written goes through the cache, too.
/// unit:   share of the cache
/// device: none: how caches replace lines is much alike
/// shown:  inner3_tile2x2_f32, from 0.85 to 0.97 on an H100, where 25 MB lie
///         between two readings
inline constexpr double cachedShare = 0.5;

/// Memory brings no fewer bytes than these, however few are wanted.
/// unit:   bytes
/// device: the sector of a cache's line, 32 on GPUs
/// shown:  transpose_f32
inline constexpr int64_t lineBytes = 32;

/// A buffer of so small a part of the output's bytes stays in the caches, in
/// whatever order it is read.
/// unit:   bytes of the output for a byte of the buffer
/// device: none: it is one that counts little
/// shown:  -
inline constexpr int64_t smallBufferShare = 16;

/// How often the elements of the inputs have to be read for a thread to have
/// two rows.
/// unit:   reads of an element
/// device: cache lines that a load takes, beside memory's rate
/// shown:  resample_linear_x2_f32, with 16, has 0.97 with two rows
inline constexpr double minReadsOfRows = 2;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Elements of a row that a thread holds between the reductions of the row and
/// what is stored.
/// unit:   elements
/// device: registers of a thread; GPUs have 128 or more
/// shown:  softmax_8192_f32
inline constexpr int64_t maxHeld = 64;

/// A row kernel stores at most so many results of a row one after the other.
/// unit:   results
/// device: none: they are few beside the row
/// shown:  softmax_few_f32, whose parts have two
inline constexpr int64_t maxResultsOfRow = 4;

/// Operations that are written out for the elements of a row which a thread has
/// at a time.
/// unit:   operations, as counted in a body
/// device: the time that drivers take to compile; lavapipe takes a minute for
///         12,000 in a kernel
/// shown:  -
inline constexpr int64_t maxWrittenOutOps = 4096;

/// Vectors of a row that a thread has, if a workgroup has threads enough: more
/// take fewer threads, which have less to exchange, and fewer have more loads
/// in flight.
/// unit:   vectors of 16 bytes
/// device: loads in flight of a thread, beside what threads take to exchange
/// shown:  softmax_f32, layer_norm_f32
inline constexpr int64_t vectorsOfRow = 8;

/// So many elements of a row are a thread's, if a workgroup has threads enough:
/// a vector of narrow ones has more of them, each of which takes a register.
/// unit:   elements
/// device: registers of a thread, beside the threads of a multiprocessor
/// shown:  softmax_f16, argmax_f16 and layer_norm_f16 have 0.90, 0.84 and 0.90
///         of an H200's copy with 4 vectors of 8 elements, and 0.87, 0.78 and
///         0.84 with 8; cumulative_sum_f32 has 0.95 with 8 vectors of 4
inline constexpr int64_t elementsOfThread = 32;

/// Threads that read the neighbouring vectors of a row, or of several rows.
/// unit:   threads
/// device: bytes of a cache line, which are 128
/// shown:  softmax_short_f32, reduce_columns_f32
inline constexpr int64_t threadsSideBySide = 8;

/// At least so many threads read the neighbouring vectors of several rows.
/// unit:   threads
/// device: bytes that memory brings together, 64 on an H200
/// shown:  cumulative_sum_columns_f32 has 0.74 of an H200's copy with 4, 0.61
///         with 2 and 0.44 with 8, which leave half of the workgroups
inline constexpr int64_t leastSideBySide = 4;

/// Workgroups that keep the memory of a device busy: a reduction that has fewer
/// rows has several partial results of each.
/// unit:   workgroups
/// device: multiprocessors, times the workgroups that each takes
/// shown:  reduce_all_f32
inline constexpr int64_t busyWorkgroups = 1024;

/// A row of no more elements is combined by one workgroup, however few rows
/// there are: partial results take another kernel.
/// unit:   elements
/// device: the time of a launch, beside that of reading so many elements
/// shown:  softmax_few_f32
inline constexpr int64_t maxRowOfFew = 8192;

/// Rows enough for a workgroup each, however long they are.
/// unit:   rows
/// device: multiprocessors
/// shown:  -
inline constexpr int64_t minRows = 256;

/// The least elements of which a partial result is made, of a row whose
/// elements are neighbours in memory, and of one whose neighbours belong to
/// other rows.
/// unit:   elements
/// device: the time of a launch
/// shown:  reduce_all_f32, reduce_columns_f32
inline constexpr int64_t minPartOfRow = 4096;
inline constexpr int64_t minPartOfColumn = 64;

/// The elements of a part that a workgroup scans, of a line whose elements are
/// neighbours in memory, and of one whose neighbours belong to other lines:
/// where lines are few, each becomes parts.
/// unit:   elements
/// device: what the threads of a workgroup hold, beside the time of a scan of
///         what the parts come to
/// shown:  cumulative_sum_one_f32, cumulative_sum_columns_few_f32
inline constexpr int64_t partOfScannedRow = 4096;
inline constexpr int64_t partOfScannedColumn = 256;

/// Lines of so many bytes side by side are enough to be scanned whole, so that
/// each element is read once.
/// unit:   bytes of an element of all lines whose elements are neighbours
/// device: multiprocessors, times the bytes side by side that each takes
/// shown:  cumulative_sum_columns_f32 has as many, and 0.74 of an H200's copy;
///         cumulative_sum_columns_f16 has half, and had 0.45
inline constexpr int64_t minBytesOfLines = 16384;

/// So few rows side by side are one row of whole vectors: a thread has several
/// elements of each.
/// unit:   rows
/// device: registers of a thread, and the time that drivers take to compile:
///         each row of a scan has exchanges of its own, and lavapipe took 20
///         seconds for 7
/// shown:  reduce_columns_three_f32, cumulative_sum_columns_three_f32
inline constexpr int64_t maxRowsTogether = 4;

/// A buffer of so many bytes does not stay in the last cache from one kernel to
/// the next: the next one begins where the last one has ended.
/// unit:   bytes
/// device: bytes of the last cache; 50 MB on an H200, and less on most
/// shown:  softmax_few_f32, cumulative_sum_few_f32
inline constexpr int64_t minBytesInOrder = int64_t(16) << 20;

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

/// What a score of an attention takes beside its products: an exponential, the
/// maximum and the sum of its query, and two passages of workgroup memory.
/// unit:   operations
/// device: units that compute functions, for each unit that adds
/// shown:  -
inline constexpr double opsPerScore = 24;

/// The share of a workgroup for each multiprocessor that is no further turn:
/// devices have a few multiprocessors more or fewer than is assumed where their
/// profile does not say how many.
/// unit:   workgroups of a multiprocessor
/// device: multiprocessors (DeviceSpeed::multiprocessors)
/// shown:  conv128to128_28_k3_f32, which has 392 workgroups: three turns of
///         132 multiprocessors, and 3.06 of 128
inline constexpr double freeWorkgroups = 0.125;

/// Terms that are in workgroup memory at a time, about: the barriers that they
/// take then are few beside their products, and tiles of all sizes fit in what
/// devices promise (DeviceProfile::workgroupMemory). The second number is tried
/// as well, where fewer rounds wait for less.
/// unit:   terms
/// device: cycles at a barrier, beside those of products
/// shown:  gemm4096_f32, gemm_128x768x3072_f32
inline constexpr int64_t stagedTerms[] = {16, 32};

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
inline constexpr int64_t maxTogether = 6;

/// A thread of a sliced kernel has so many sums at most: with the factors of
/// the terms that it has written out, they fit its registers.
/// unit:   elements
/// device: registers of a thread; GPUs have 128 or more
/// shown:  gemm_rows16_f32
inline constexpr int64_t maxSlicedSums = 64;

/// A thread of a sliced kernel has so many rows at most.
/// unit:   rows
/// device: registers of a thread
/// shown:  gemm_rows16_f32
inline constexpr int64_t maxSlicedRows = 16;

/// A thread of a sliced kernel has so many products written out at most, and so
/// many operations that compute their factors: a factor of f16 that is loaded
/// from anywhere takes several.
/// unit:   products, and operations
/// device: the time that drivers take to compile; lavapipe takes a minute for
///         12,000 in a kernel
/// shown:  -
inline constexpr int64_t maxSlicedProducts = 512;
inline constexpr int64_t maxSlicedOps = maxWrittenOutOps;

/// The threads of a sliced kernel wait at a barrier for the time in which each
/// of them loads so many values from workgroup memory.
/// unit:   loads
/// device: latency of barriers, beside the rate of workgroup memory
/// shown:  -
inline constexpr int64_t loadsOfBarrier = 16;

/// The time of a launch that has to wait for the one before it.
/// unit:   cycles
/// device: time from the end of a kernel, over its barrier, to the begin of the
///         next one; 2 to 3 us on an H100
/// shown:  the smallest steps of vit_b and resnet50 of benchmarks/networks.py
///         take 3.2 to 4.5 us on an H100
inline constexpr double cyclesOfLaunch = 6000;

/// A sum has so many parts at most: they are added up by one thread.
/// unit:   parts
/// device: loads in flight of a thread
/// shown:  -
inline constexpr int64_t maxParts = 16;

//===----------------------------------------------------------------------===//
// What a tile has to save
//===----------------------------------------------------------------------===//

/// The share of the operations of the best tile so far that another has at
/// most, to be taken for it.
/// unit:   share of operations
/// device: registers and room for code, which tiles of more elements take
namespace share {
/// Looking elements up in two rows.
/// shown: odd_pad_edge_ui8, from 0.63 to 0.94
inline constexpr double bothRows = 0.875;
/// Twice the rows, where a kernel waits for operations. (It has half of
/// opsPerByte, at least.)
/// shown: maxpoolgrad_k3s1 gains where 8 rows save a seventh;
///        maxpoolgrad_k3s2_f16, whose elements are read less often, goes from
///        0.82 to 0.77 where 4 save a tenth
inline constexpr double tallerWhereBusy = 0.875;
/// Twice the rows, where it waits for memory: the second row has to be the same
/// as the first, mostly.
/// shown: resample_nearest_x2_f32, where it saves 0.6, gains a hundredth;
///        tile2x2_f32, where it saves 0.3, loses one
inline constexpr double tallerWhereIdle = 0.45;
/// Consecutive vectors through workgroup memory.
/// shown: resample_linear_x1.5_f16, from 0.59 to 0.96
inline constexpr double grouped = 0.75;
/// Threads of two kinds, which store less side by side.
/// shown: odd_resample_linear_x2_f16, from 0.48 to 0.81
inline constexpr double split = 0.75;
/// The share of memory's time that operations and loads take from which on they
/// are worth threads of two kinds.
/// shown: pad_edge_ui8 has 0.9, pad_edge_f16 0.5, pad_edge_f32 0.3
inline constexpr double loaded = 0.5;
/// The same share, from which on threads of two kinds have one step: a second
/// one costs registers, and nothing waits for threads to start.
/// shown: odd_tile2x2_ui8, with 0.9, takes 1.17 times as long with two steps on
///        an H100, and 1.01 times on an H200; odd_tile2x2_f16, with 0.76, went
///        from 0.77 to 0.86 on an H200
inline constexpr double loadedOfSteps = 0.8;
/// The share of the loads that threads of two kinds have, besides, where a
/// kernel waits for memory: words are loaded then, and not their parts.
/// shown: odd_tile2x2_ui8, from 0.81 to 0.87; odd_pad_edge_ui8, which loads no
///        fewer, went from 0.94 to 0.83
inline constexpr double splitLoads = 0.7;
/// A second path for threads that nothing needs clamping for.
/// shown: pad_reflection_f32 goes from 1.00 to 0.99 where it saves less
inline constexpr double interior = 0.62;
/// The same where narrow elements are only moved: the second path loads them in
/// words.
/// shown: pad_reflection_f16, from 0.95 to 0.97
inline constexpr double interiorOfWords = 0.85;
/// The share of the time of a map kernel that one with workgroup memory takes
/// at most: barriers, and threads that wait at them, are worth more than a
/// hundredth.
/// shown: conv3to64_224_k7s2_f32, whose map kernel has 28 * 10^12 operations a
///        second on an H200
inline constexpr double inWorkgroups = 0.9;
/// The share of the time of whole sums that their parts take at most, with what
/// adds them up: times are estimates, and parts take memory.
/// shown:  conv512to512_7_k3_batch1_f32
inline constexpr double inParts = 0.75;
/// The share of the time of a smaller block of elements in loops: more elements
/// take more registers, so that a gain has to show.
/// shown: -
inline constexpr double largerBlock = 0.95;
} // namespace share

/// The share of groups of threads that a second path parts at most, in percent:
/// the larger is tried first. It may span dimensions that run across groups of
/// threads, which the smaller leaves out.
/// unit:   percent of the groups of threadsTogether
/// device: the size of a subgroup
/// shown:  pad_edge_ui8, whose groups have a border each, has 0.79 with a
///         second path, and 0.87 without
inline constexpr int64_t interiorDivergence[] = {60, 25};

/// Of a path that parts no more groups, what decides between the paths counts
/// with the general one alone.
/// unit:   percent of the groups of threadsTogether
/// device: the size of a subgroup
/// shown:  -
inline constexpr int64_t lowDivergence = 25;

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

/// Operations that may be computed anew to save traffic. They are counted as
/// written out, element by element; the elements of a thread, which are
/// neighbours, share most of them, and index arithmetic folds.
/// unit:   operations for a byte of traffic
/// device: operations that begin while memory moves a byte
/// shown:  maxpoolgrad_k2s2 has one kernel, whose elements look into one window
///         each; maxpoolgrad_k3s2 took longer in one kernel (0.69) than in two
///         (0.81)
inline constexpr double maxRecomputedPerByte = 384;

/// Operations in a loop count so often: its iterations share nothing.
/// unit:   operations for an operation
/// device: none: it follows from how code is generated
/// shown:  -
inline constexpr double loopFactor = 16;

/// Operations that an element of a reader may compute anew whatever they save:
/// index arithmetic, which a kernel that waits for memory has time for, to save
/// a kernel and its barrier.
/// unit:   operations for an element
/// device: operations that begin while memory moves an element
/// shown:  -
inline constexpr double maxFreeOps = 32;

/// Elements that loops load for one of the output, which may stand in a kernel
/// with other loops. A kernel of two sums of products computes each by itself,
/// and a thread waits some 100 cycles for each load; these take as long as the
/// launch of another kernel and its barrier.
/// unit:   loads
/// device: latency of the first caches, beside the time of a launch
/// shown:  a convolution of 2048 channels with that of its shortcut, both of
///         1x1, in ResNet-50, took 180 us in one kernel on an H100, and 17
///         alone
inline constexpr double maxLoadsBesideLoops = 64;

/// Operations that are computed of an element of long sums in the kernel which
/// adds them up: it has few threads, which wait for each operation.
/// unit:   operations for an element
/// device: threads of a multiprocessor, beside the time of a launch
/// shown:  a GELU after 605,184 sums of vit_b (benchmarks/networks.py): in f32,
///         with 95 operations, 44 us on an H100, and 41 and 6 in two kernels;
///         in f16, with 182, 27 us with matrices, and 13 and 8
inline constexpr double maxOpsOfEpilogue = 128;

/// Operations of one body. A kernel has a body for each element of a thread;
/// one of so many operations waits for them, whatever else it saves.
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

} // namespace dml::cost

#endif // DML_TARGET_COSTMODEL_H
