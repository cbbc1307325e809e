//===- MapCosts.h - Costs of map kernels ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which dml-select-map-tiles chooses the elements of a map
// kernel's thread, described as those of CostModel.h are.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_MAPCOSTS_H
#define DML_TARGET_MAPCOSTS_H

#include <cstdint>

namespace dml::cost {

//===----------------------------------------------------------------------===//
// Limits of a thread
//===----------------------------------------------------------------------===//

namespace map {
/// Independent operations of a thread that fill a device as well as threads do.
/// unit:   operations in flight
/// device: cycles from an operation to its result
/// shown:  -
inline constexpr int64_t maxIndependent = 4;

/// Sums that a thread carries through a loop at most: with the factors that are
/// loaded for them, these fit its registers.
/// unit:   elements
/// device: registers of a thread; GPUs have 128 or more
/// shown:  conv512to512_7_k3_f32 took 2.2 times as long with 8 as with 32
inline constexpr int64_t maxCarried = 32;

/// Elements of a thread at most that has groups of consecutive vectors. More
/// elements share more of their arithmetic, and take more registers.
/// unit:   elements
/// device: registers of a thread
/// shown:  resample_linear_x1.5_ui8, which has 48, from 0.48 to 0.84
inline constexpr int64_t maxGroupedElements = 64;

/// Bytes at most that a thread stores in several rows.
/// unit:   bytes
/// device: registers of a thread
/// shown:  resample_linear_3d_x2_f16, where 8 rows of 16 bytes took longer than
///         4, though they saved a fifth of the operations; 8 rows of 4 bytes,
///         maxpoolgrad_k3s1_f16, do not
inline constexpr int64_t maxRowBytes = 64;

/// A thread has two rows where the elements of the inputs are read more often
/// than this.
/// unit:   reads of an element
/// device: cache lines that a load takes, beside memory's rate
/// shown:  resample_linear_x2_f32, with 16, has 0.97 with two rows
inline constexpr double minReadsOfRows = 2;

//===----------------------------------------------------------------------===//
// Gains that a tile has to show
//===----------------------------------------------------------------------===//

/// The share of the operations of the best tile so far that another tile may
/// have, to be taken for it.
/// unit:   share of operations
/// device: registers and room for code, which tiles of more elements take
namespace share {
/// Looking elements up in two rows.
/// shown: odd_pad_edge_ui8, from 0.63 to 0.94
inline constexpr double bothRows = 0.875;
/// Twice the rows, where a kernel waits for operations. (Its operations take
/// half of memory's time, at least.)
/// shown: maxpoolgrad_k3s1 gains where 8 rows save a seventh;
///        maxpoolgrad_k3s2_f16, whose elements are read less often, goes from
///        0.82 to 0.77 where 4 save a tenth
inline constexpr double tallerWhereBusy = 0.875;
/// Twice the rows, where a kernel waits for memory: the second row has to be
/// the same as the first, mostly. shown: resample_nearest_x2_f32, where it
/// saves 0.6, gains a hundredth;
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
/// kernel waits for memory: whole words are loaded then, and not their parts.
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
/// The share of the time of a smaller block of elements in loops: more elements
/// take more registers, so that a gain has to show.
/// shown: -
inline constexpr double largerBlock = 0.95;
} // namespace share

/// The share of the subgroups that a second path makes diverge at most, in
/// percent: the larger share is tried first. It may span dimensions that run
/// across subgroups, which the smaller leaves out.
/// unit:   percent of the subgroups
/// device: the size of a subgroup
/// shown:  pad_edge_ui8, whose subgroups have a border each, has 0.79 with a
///         second path, and 0.87 without
inline constexpr int64_t interiorDivergence[] = {60, 25};

/// Where a second path makes no more subgroups diverge than this, the
/// operations that decide between both paths count with the general path alone.
/// unit:   percent of the subgroups
/// device: the size of a subgroup
/// shown:  -
inline constexpr int64_t lowDivergence = 25;
} // namespace map

//===----------------------------------------------------------------------===//
// Crosswise kernels
//===----------------------------------------------------------------------===//

namespace crosswise {
/// A buffer of so small a part of the output's bytes stays in the caches, in
/// whatever order it is read.
/// unit:   bytes of the output for a byte of the buffer
/// shown:  -
inline constexpr int64_t smallBufferShare = 16;
} // namespace crosswise

} // namespace dml::cost

#endif // DML_TARGET_MAPCOSTS_H
