//===- RowCosts.h - Costs of row kernels ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which the rows of reductions, normalizations and scans are
// divided into parts, and between threads. CostModel.h explains the notation.
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

/// The largest number of elements of a row that a thread holds in registers
/// between the reductions of the row and the stores.
/// unit:   elements
/// device: registers of a thread; GPUs have 128 or more
/// shown:  softmax_8192_f32
inline constexpr int64_t maxHeld = 64;

/// The largest number of results of a row that a row kernel stores one after
/// the other.
/// unit:   results
/// shown:  softmax_few_f32, whose parts have two
inline constexpr int64_t maxResults = 4;

/// The number of vectors of a row for each thread, if a workgroup has enough
/// threads. With fewer threads there is less to exchange, and with more threads
/// there are more loads in flight.
/// unit:   vectors of 16 bytes
/// device: loads in flight of a thread, beside the time of an exchange
/// shown:  softmax_f32, layer_norm_f32
inline constexpr int64_t vectorsOfThread = 8;

/// The number of elements of a row for each thread, if a workgroup has enough
/// threads. A vector of narrow elements has more elements, each of which needs
/// a register.
/// unit:   elements
/// device: registers of a thread, beside the threads of a multiprocessor
/// shown:  softmax_f16, argmax_f16 and layer_norm_f16 have 0.90, 0.84 and 0.90
///         of an H200's copy with 4 vectors of 8 elements, and 0.87, 0.78 and
///         0.84 with 8; cumulative_sum_f32 has 0.95 with 8 vectors of 4
inline constexpr int64_t elementsOfThread = 32;

/// The number of registers of a thread beside those that its values take in the
/// order of the program, if the driver's compiler keeps that order
/// (DeviceSpeed::computesInOrder): for addresses of buffers, and for shuffles.
/// unit:   registers of 4 bytes
/// shown:  cumulative_sum_columns_f32 and cumulative_sum_columns_f16, whose
///         threads have 32 elements of 4 and of 8 rows: the values take 97 and
///         127 registers, and ACO counts 105 and 129 on RDNA 3
inline constexpr double otherRegistersInOrder = 8;

/// Returns the number of threads that read neighbouring vectors of one row, or
/// of several rows: as many as together read a line of the first cache, which
/// are 8 by default. (Cases: softmax_short_f32, reduce_columns_f32.)
inline int64_t getThreadsSideBySide(const DeviceSpeed &device) {
  return std::max<int64_t>(static_cast<int64_t>(device.cacheLineBytes) /
                               DeviceProfile::vectorBytes,
                           1);
}

/// Returns the least number of threads that read neighbouring vectors of
/// several rows: as many as together read the bytes that memory transfers at a
/// time, which are 4 by default. (Case: cumulative_sum_columns_f32 reaches 0.74
/// of the rate of a copy on an H200 with 4 threads, 0.61 with 2, and 0.44 with
/// 8, since 8 threads leave half of the workgroups.)
inline int64_t getLeastSideBySide(const DeviceSpeed &device) {
  return std::max<int64_t>(sectorsTogether *
                               static_cast<int64_t>(device.sectorBytes) /
                               DeviceProfile::vectorBytes,
                           1);
}

/// The largest number of threads, or subgroups, whose values are combined in
/// one step, in which each thread combines all values itself. Larger numbers
/// are combined in two steps, the first of which combines groups of `ofStep`
/// values.
/// unit:   values
/// device: loads in flight of a thread, beside the time of an exchange
/// shown:  -
inline constexpr int64_t maxAtOnce = 32, ofStep = 16;

/// The number of values in workgroup memory after which one place remains
/// unused. The unused places move the values of threads that each read several
/// neighbouring values, such as 8, to different banks.
/// unit:   values of 4 bytes
/// device: banks of workgroup memory: 32 of 4 bytes on GPUs of several vendors
/// shown:  -
inline constexpr int64_t banks = 32;

/// The largest number of interleaved rows that a thread reads as one row of
/// whole vectors, with several elements of each row.
/// unit:   rows
/// device: registers of a thread, and the time that drivers take to compile:
///         each row of a scan has exchanges of its own, and lavapipe took 20
///         seconds for 7
/// shown:  reduce_columns_three_f32, cumulative_sum_columns_three_f32
inline constexpr int64_t maxRowsTogether = 4;

//===----------------------------------------------------------------------===//
// Parts of rows
//===----------------------------------------------------------------------===//

/// The number of threads that keep the memory of a device busy with parts of
/// rows, relative to the number that fills the device. More are needed since
/// the threads of a row wait for each other.
/// unit:   times
/// shown:  reduce_all_f32, in 1024 workgroups on the default device
inline constexpr int64_t busyTimes = 2;

/// Returns the number of workgroups that keep the memory of a device busy: 1024
/// on the default device. A reduction of fewer rows computes several partial
/// results for each row.
inline int64_t getBusyWorkgroups(const DeviceSpeed &device) {
  return busyTimes * device.getEnoughThreads() / DeviceProfile::workgroupSize;
}

/// Returns the number of rows from which on each row is reduced by one
/// workgroup, regardless of its length: a quarter of the workgroups that keep
/// memory busy, since partial results take a second kernel. The default device
/// needs 256 rows.
inline int64_t getEnoughRows(const DeviceSpeed &device) {
  return getBusyWorkgroups(device) / 4;
}

/// Returns the number of bytes in one element of each of neighbouring lines
/// from which on the lines are scanned whole, so that each element is read only
/// once: a quarter of the number of threads that fill the device. The default
/// device needs 16,384 bytes. (Cases: cumulative_sum_columns_f32 has as many,
/// and reaches 0.74 of the rate of a copy on an H200;
/// cumulative_sum_columns_f16 has half as many, and reached 0.45.)
inline int64_t getEnoughBytesOfLines(const DeviceSpeed &device) {
  return device.getEnoughThreads() / 4;
}

/// The length of a row up to which one workgroup reduces the row, even if there
/// are few rows. Partial results would take another kernel.
/// unit:   elements
/// device: the time of a launch, beside the time in which a workgroup reads so
///         many elements
/// shown:  softmax_few_f32
inline constexpr int64_t maxRowOfFew = 8192;

/// The least numbers of elements that are combined to one partial result: of a
/// row, whose elements are neighbours in memory, and of a column, whose
/// neighbours belong to other columns.
/// unit:   elements
/// device: the time of a launch
/// shown:  reduce_all_f32, reduce_columns_f32
inline constexpr int64_t minPartOfRow = 4096;
inline constexpr int64_t minPartOfColumn = 64;

/// The numbers of elements in the parts into which a scan divides a row and a
/// column, if there are few of them. Each part is scanned by one workgroup.
/// unit:   elements
/// device: elements that the threads of a workgroup hold, beside the time of a
///         scan of the parts' results
/// shown:  cumulative_sum_one_f32, cumulative_sum_columns_few_f32
inline constexpr int64_t partOfScannedRow = 4096;
inline constexpr int64_t partOfScannedColumn = 256;

} // namespace dml::cost::rows

#endif // DML_TARGET_ROWCOSTS_H
