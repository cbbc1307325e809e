//===- MapCosts.h - Costs of map kernels ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which dml-select-map-tiles chooses the elements that a
// thread of a map kernel computes. CostModel.h explains the notation.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_MAPCOSTS_H
#define DML_TARGET_MAPCOSTS_H

#include "dml/Target/DeviceSpeed.h"
#include <algorithm>
#include <cstdint>

namespace dml::cost {

//===----------------------------------------------------------------------===//
// Limits of a thread
//===----------------------------------------------------------------------===//

namespace map {
/// The number of independent operations of a thread that occupy a device as
/// well as operations of different threads.
/// unit:   operations in flight
/// device: cycles from an operation to its result
/// shown:  -
inline constexpr int64_t maxIndependent = 4;

/// The largest number of sums that a thread carries through a loop. These sums,
/// and the factors that are loaded for them, fit into the registers of a
/// thread.
/// unit:   elements
/// device: registers of a thread; GPUs have 128 or more
/// shown:  conv512to512_7_k3_f32 takes 2.2 times as long with 8 sums as with 32
inline constexpr int64_t maxCarried = 32;

/// The number of registers that a sum takes with the factors and addresses that
/// are loaded for it. A thread of few registers carries fewer sums.
/// unit:   registers of 4 bytes
/// shown:  -
inline constexpr int64_t registersOfCarried = 7;

inline int64_t getMaxCarried(const DeviceSpeed &device) {
  return std::min(maxCarried, static_cast<int64_t>(device.registersOfThread) /
                                  registersOfCarried);
}

/// The largest number of elements of a thread that computes groups of
/// consecutive vectors. More elements share more of their index arithmetic, but
/// need more registers.
/// unit:   elements
/// device: registers of a thread
/// shown:  resample_linear_x1.5_ui8 reaches 0.84 of the speed of a copy with 48
///         elements, instead of 0.48 without groups
inline constexpr int64_t maxGroupedElements = 64;

/// The largest number of bytes that a thread stores in several rows.
/// unit:   bytes
/// device: registers of a thread
/// shown:  resample_linear_3d_x2_f16 takes longer with 8 rows of 16 bytes than
///         with 4, although 8 rows save a fifth of the operations;
///         maxpoolgrad_k3s1_f16 does not take longer with 8 rows of 4 bytes
inline constexpr int64_t maxRowBytes = 64;

/// The number of times that elements of the inputs are read on average, above
/// which a thread computes two rows.
/// unit:   reads of an element
/// device: cache lines that a load takes, beside memory's rate
/// shown:  resample_linear_x2_f32, which reads each element 16 times, reaches
///         0.97 of the speed of a copy with two rows
inline constexpr double minReadsOfRows = 2;

//===----------------------------------------------------------------------===//
// Gains that a tile has to show
//===----------------------------------------------------------------------===//

/// The share of the operations of the best tile so far that another tile must
/// not exceed to replace it.
/// unit:   share of operations
/// device: registers and room for code, which tiles of more elements take
namespace share {
/// The share of operations for a tile whose threads look elements up in two
/// rows.
/// shown: odd_pad_edge_ui8 reaches 0.94 of the speed of a copy, instead of 0.63
inline constexpr double bothRows = 0.875;
/// The share of operations for a tile with twice the rows, if a kernel waits
/// for operations (if the operations take at least half of the time of memory).
/// shown: maxpoolgrad_k3s1 gains by 8 rows, which save a seventh of the
///        operations; maxpoolgrad_k3s2_f16, whose elements are read less often,
///        drops from 0.82 to 0.77 of the speed of a copy by 4 rows, which save
///        a tenth
inline constexpr double tallerWhereBusy = 0.875;
/// The share of operations for a tile with twice the rows, if a kernel waits
/// for memory. Most of the second row must then need the same index arithmetic
/// as the first.
/// shown: resample_nearest_x2_f32, for which two rows save 0.6 of the
///        operations, gains 0.01 of the speed of a copy; tile2x2_f32, for which
///        they save 0.3, loses 0.01
inline constexpr double tallerWhereIdle = 0.45;
/// The share of operations for a tile with consecutive vectors, which are
/// exchanged through workgroup memory.
/// shown: resample_linear_x1.5_f16 reaches 0.96 of the speed of a copy, instead
///        of 0.59
inline constexpr double grouped = 0.75;
/// The share of operations for a tile with separate threads for the vectors
/// inside of rows. Neighbouring threads then store fewer neighbouring bytes.
/// shown: odd_resample_linear_x2_f16 reaches 0.81 of the speed of a copy,
///        instead of 0.48
inline constexpr double split = 0.75;
/// The time of operations and loads, relative to the time of memory, from which
/// on separate threads for the vectors inside of rows are tried.
/// shown: the relative time is 0.9 for pad_edge_ui8, 0.5 for pad_edge_f16, and
///        0.3 for pad_edge_f32
inline constexpr double loaded = 0.5;
/// The time of operations and loads, relative to the time of memory, from which
/// on separate threads for the vectors inside of rows compute only one step
/// each. A second step needs registers, and a kernel that waits for operations
/// and loads does not wait for the start of threads.
/// shown: odd_tile2x2_ui8, whose relative time is 0.9, takes 1.17 times as long
///        with two steps on an H100, and 1.01 times on an H200;
///        odd_tile2x2_f16, whose relative time is 0.76, gains by two steps on
///        an H200, from 0.77 to 0.86 of the speed of a copy
inline constexpr double loadedOfSteps = 0.8;
/// The share of the loads that a tile with separate threads for the vectors
/// inside of rows must not exceed, if a kernel waits for memory. Such threads
/// then load whole words instead of parts of words.
/// shown: odd_tile2x2_ui8 gains, from 0.81 to 0.87 of the speed of a copy;
///        odd_pad_edge_ui8, for which such a tile saves no loads, loses, from
///        0.94 to 0.83
inline constexpr double splitLoads = 0.7;
/// The share of operations for a kernel with a second path, relative to the
/// kernel without the path. Threads in the interior, whose indices need no
/// clamping, take the second path.
/// shown: pad_reflection_f32 drops from 1.00 to 0.99 of the speed of a copy by
///        a second path that saves less
inline constexpr double interior = 0.62;
/// The share of operations for a kernel with a second path whose body only
/// moves narrow elements. The second path then loads whole words.
/// shown: pad_reflection_f16 gains, from 0.95 to 0.97 of the speed of a copy
inline constexpr double interiorOfWords = 0.85;
/// The share of the time of a tile whose threads do not occupy the device,
/// which a tile with vectors of half the length must not exceed. Narrow vectors
/// need more loads and stores for the same bytes.
/// shown: EfficientNet-B0 and MobileNetV3 in f16 take 0.92 and 0.90 of the time
///        with narrower vectors in their depthwise convolutions, of which each
///        has the best or nearly the best of 4 lengths
inline constexpr double narrower = 0.75;
/// The least time that narrower vectors must save, as a share of the time of a
/// kernel's start (kernelCycles). A smaller gain is not worth their additional
/// loads and stores.
/// shown: -
inline constexpr double gained = 0.05;
/// The share of the time of a block of elements in loops that a larger block
/// must not exceed. More elements need more registers.
/// shown: -
inline constexpr double largerBlock = 0.95;
} // namespace share

/// The shares of subgroups, in percent, that the condition of a second path may
/// make diverge. The larger share is tried first. With the smaller share, the
/// interior omits ranges of dimensions that run across subgroups.
/// unit:   percent of the subgroups
/// device: the size of a subgroup
/// shown:  pad_edge_ui8, in which each subgroup has a border, reaches 0.79 of
///         the speed of a copy with a second path, and 0.87 without
inline constexpr int64_t interiorDivergence[] = {60, 25};

/// The share of subgroups up to which the comparison of both paths counts the
/// operations of the deciding condition with the general path only.
/// unit:   percent of the subgroups
/// device: the size of a subgroup
/// shown:  -
inline constexpr int64_t lowDivergence = 25;
} // namespace map

//===----------------------------------------------------------------------===//
// Crosswise kernels
//===----------------------------------------------------------------------===//

namespace crosswise {
/// The number of bytes of the output for each byte of a buffer from which on
/// the buffer counts as small. A small buffer stays in the caches, regardless
/// of the order in which it is read.
/// unit:   bytes of the output for a byte of the buffer
/// shown:  -
inline constexpr int64_t smallBufferShare = 16;
} // namespace crosswise

} // namespace dml::cost

#endif // DML_TARGET_MAPCOSTS_H
