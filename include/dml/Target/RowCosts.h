//===- RowCosts.h - Costs of row kernels ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which reductions, normalizations and scans are cut into
// parts and shared out to threads, described as those of CostModel.h are.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_ROWCOSTS_H
#define DML_TARGET_ROWCOSTS_H

#include "dml/Target/CostModel.h"
#include "dml/Target/DeviceProfile.h"
#include <cstdint>

namespace dml::cost::rows {

//===----------------------------------------------------------------------===//
// Threads of a row
//===----------------------------------------------------------------------===//

/// Elements of a row that a thread holds at most between the reductions of the
/// row and its stores.
/// unit:   elements
/// device: registers of a thread; GPUs have 128 or more
/// shown:  softmax_8192_f32
inline constexpr int64_t maxHeld = 64;

/// Results of a row that a row kernel stores at most one after the other.
/// unit:   results
/// shown:  softmax_few_f32, whose parts have two
inline constexpr int64_t maxResults = 4;

/// Vectors of a row that a thread has, if a workgroup has threads enough: fewer
/// threads have less to exchange, and more threads have more loads in flight.
/// unit:   vectors of 16 bytes
/// device: loads in flight of a thread, beside the time of an exchange
/// shown:  softmax_f32, layer_norm_f32
inline constexpr int64_t vectorsOfThread = 8;

/// Elements of a row that a thread has, if a workgroup has threads enough: a
/// vector of narrow elements has more of them, each of which takes a register.
/// unit:   elements
/// device: registers of a thread, beside the threads of a multiprocessor
/// shown:  softmax_f16, argmax_f16 and layer_norm_f16 have 0.90, 0.84 and 0.90
///         of an H200's copy with 4 vectors of 8 elements, and 0.87, 0.78 and
///         0.84 with 8; cumulative_sum_f32 has 0.95 with 8 vectors of 4
inline constexpr int64_t elementsOfThread = 32;

/// Returns how many threads read neighbouring vectors of a row, or of several
/// rows: as many as read a line of the first cache, which are 8. (Cases:
/// softmax_short_f32, reduce_columns_f32.)
inline int64_t getThreadsSideBySide(const DeviceSpeed &device) {
  return std::max<int64_t>(static_cast<int64_t>(device.cacheLineBytes) /
                               DeviceProfile::vectorBytes,
                           1);
}

/// Returns how many threads read neighbouring vectors of several rows at least:
/// as many as read the bytes that memory brings together, which are 4. (Case:
/// cumulative_sum_columns_f32 has 0.74 of an H200's copy with 4 threads, 0.61
/// with 2 and 0.44 with 8, which leave half of the workgroups.)
inline int64_t getLeastSideBySide(const DeviceSpeed &device) {
  return std::max<int64_t>(sectorsTogether *
                               static_cast<int64_t>(device.sectorBytes) /
                               DeviceProfile::vectorBytes,
                           1);
}

/// The values of so many threads, or subgroups, are combined by each thread
/// that wants the result. The values of more are combined in two steps, of
/// which the first combines so many. unit:   values device: loads in flight of
/// a thread, beside the time of an exchange shown:  -
inline constexpr int64_t maxAtOnce = 32, ofStep = 16;

/// After so many values in workgroup memory one is left out, so that threads
/// which each read neighbouring values, 8 for example, read from different
/// banks. unit:   values of 4 bytes device: banks of workgroup memory: 32 of 4
/// bytes on GPUs of several vendors shown:  -
inline constexpr int64_t banks = 32;

/// So few rows side by side are one row of whole vectors: a thread has several
/// elements of each.
/// unit:   rows
/// device: registers of a thread, and the time that drivers take to compile:
///         each row of a scan has exchanges of its own, and lavapipe took 20
///         seconds for 7
/// shown:  reduce_columns_three_f32, cumulative_sum_columns_three_f32
inline constexpr int64_t maxRowsTogether = 4;

//===----------------------------------------------------------------------===//
// Parts of rows
//===----------------------------------------------------------------------===//

/// Threads that keep the memory of a device busy with the parts of rows, in the
/// threads that fill the device: a row's threads wait for each other.
/// unit:   times
/// shown:  reduce_all_f32, in 1024 workgroups on the default device
inline constexpr int64_t busyTimes = 2;

/// Returns the workgroups that keep the memory of a device busy: a reduction of
/// fewer rows has several partial results of each. The default device has 1024.
inline int64_t getBusyWorkgroups(const DeviceSpeed &device) {
  return busyTimes * device.getEnoughThreads() / DeviceProfile::workgroupSize;
}

/// Returns how many rows are enough for a workgroup each, however long they
/// are: a quarter of the workgroups that keep memory busy, since partial
/// results take a second kernel. The default device has 256.
inline int64_t getEnoughRows(const DeviceSpeed &device) {
  return getBusyWorkgroups(device) / 4;
}

/// Returns how many bytes side by side, one element of each of neighbouring
/// lines, are enough for the lines to be scanned whole, so that each element is
/// read once: a byte for each fourth of the threads that fill the device. The
/// default device wants 16,384. (Cases: cumulative_sum_columns_f32 has as many,
/// and 0.74 of an H200's copy; cumulative_sum_columns_f16 has half, and had
/// 0.45.)
inline int64_t getEnoughBytesOfLines(const DeviceSpeed &device) {
  return device.getEnoughThreads() / 4;
}

/// A row of no more elements is combined by one workgroup, however few rows
/// there are: partial results take another kernel.
/// unit:   elements
/// device: the time of a launch, beside the time in which a workgroup reads so
///         many elements
/// shown:  softmax_few_f32
inline constexpr int64_t maxRowOfFew = 8192;

/// The least elements of which a partial result is made, of a row whose
/// elements are neighbours in memory, and of a column, whose neighbours belong
/// to other columns. unit:   elements device: the time of a launch shown:
/// reduce_all_f32, reduce_columns_f32
inline constexpr int64_t minPartOfRow = 4096;
inline constexpr int64_t minPartOfColumn = 64;

/// The elements of a part that a workgroup scans, of a row and of a column:
/// where these are few, each becomes parts.
/// unit:   elements
/// device: elements that the threads of a workgroup hold, beside the time of a
///         scan of the parts' results
/// shown:  cumulative_sum_one_f32, cumulative_sum_columns_few_f32
inline constexpr int64_t partOfScannedRow = 4096;
inline constexpr int64_t partOfScannedColumn = 256;

} // namespace dml::cost::rows

#endif // DML_TARGET_ROWCOSTS_H
