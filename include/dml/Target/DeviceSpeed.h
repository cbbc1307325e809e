//===- DeviceSpeed.h - How fast a device is -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_DEVICESPEED_H
#define DML_TARGET_DEVICESPEED_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace dml {

/// The rates, latencies and sizes of a device, from which the times of kernels
/// are estimated in order to choose kernels. The results of kernels do not
/// depend on these numbers. A device profile sets a number by ",name=number",
/// such as ",opsPerByte=8". `dml-bench --calibrate` measures most of the
/// numbers (docs/Benchmarks.md).
///
/// The unit of time in all estimates is the cycle of a multiprocessor: the time
/// in which a multiprocessor begins 128 operations of threads. For example, a
/// device with 132 multiprocessors that begins 33 * 10^12 operations in a
/// second has cycles of 132 * 128 / (33 * 10^12) s = 0.51 ns. Vulkan does not
/// report the clock of a device, which this definition does not need.
///
/// The defaults lie between an H100 and an H200.
struct DeviceSpeed {
  /// The number of operations of threads that a multiprocessor begins in a
  /// cycle. The number defines the cycle. GPUs of several vendors begin as many
  /// operations in a cycle of their clock.
  static constexpr double opsPerCycle = 128;

  //===--------------------------------------------------------------------===//
  // The whole device
  //===--------------------------------------------------------------------===//

  /// The number of 32-bit operations, half of them on integers, that the device
  /// begins while its memory transfers one byte. An H100 begins 33 * 10^12
  /// operations in a second and transfers 3 * 10^12 bytes: 11 operations for a
  /// byte.
  double opsPerByte = 10;
  /// The number of bytes that memory transfers while the device starts one
  /// thread. An H200 starts 164 * 10^9 threads in a second and transfers 4.2 *
  /// 10^12 bytes: 26 bytes. If threads transfer fewer bytes each, memory waits
  /// for threads.
  double bytesPerThread = 26;
  /// Bytes of the last cache.
  double cacheBytes = 8 << 20;
  /// The number of multiprocessors: an H100 or H200 has 132, and desktop GPUs
  /// of several vendors have 40 to 128. Each multiprocessor runs workgroups of
  /// its own, so that, on an H100, 133 long workgroups take twice as long as
  /// 132.
  double multiprocessors = 132;

  //===--------------------------------------------------------------------===//
  // Rates of a multiprocessor
  //===--------------------------------------------------------------------===//

  /// The number of bytes that a multiprocessor loads from its first cache in a
  /// cycle: one line on GPUs of several vendors.
  double firstCacheBytesPerCycle = 128;
  /// The number of bytes that a multiprocessor loads from the last cache in a
  /// cycle while all multiprocessors do so: 24 to 32 on an H100. (Case:
  /// gemm4096_f16 with tiles of 128 by 256 instead of 128 by 128.)
  double lastCacheBytesPerCycle = 28;
  /// The number of bytes that a multiprocessor loads from its workgroup memory,
  /// or stores there, in a cycle: 32 banks have 4 bytes each. (Case:
  /// gemm4096_f16.)
  double workgroupBytesPerCycle = 128;
  /// The number of products that a multiprocessor adds up in a cycle by
  /// cooperative matrices, times the bytes of a factor: for 1024 products of
  /// f16, which has 2 bytes, 2048. Factors of half as many bytes have twice the
  /// rate. (Case: gemm4096_f16.)
  double matrixBytesPerCycle = 2048;
  /// The number of matrix units of a multiprocessor. The units share
  /// matrixBytesPerCycle, and a subgroup uses one unit at a time. (Case:
  /// gemm1024_f16.)
  double matrixUnits = 4;

  //===--------------------------------------------------------------------===//
  // Latencies, in cycles
  //===--------------------------------------------------------------------===//

  /// The time in which a workgroup exchanges values: each thread stores one in
  /// workgroup memory, waits at a barrier, and loads one.
  double barrierCycles = 90;
  /// The time in which a thread loads a value from the first cache.
  double firstCacheCycles = 60;
  /// The time in which a thread loads a value from the last cache.
  double lastCacheCycles = 280;
  /// The time in which a thread loads a value from memory.
  double memoryCycles = 630;
  /// The time of a kernel with hardly any work: the start of its threads, their
  /// first loads, and the end of their last stores. (Case:
  /// gemm_rows1_transposed_f16.)
  double kernelCycles = 4500;
  /// The additional time of a second kernel with hardly any work that waits, at
  /// a barrier, for the first kernel, with timestamps in between: 3 us on an
  /// H200. Without timestamps, a copy of 4 KiB that waits takes 1.8 us there.
  /// The small kernels of networks have more work than such a copy: with 3500
  /// instead of 6000 cycles, an LSTM in f16 takes 1.6 times as long.
  /// (Case: the smallest steps of vit_b and resnet50 of benchmarks/networks.py
  /// take 3.2 to 4.5 us on an H100.)
  double launchCycles = 6000;

  //===--------------------------------------------------------------------===//
  // Sizes
  //===--------------------------------------------------------------------===//

  /// The number of registers of 4 bytes in a multiprocessor: 65,536 on GPUs of
  /// several vendors. (Case: gemm4096_f16.)
  double registers = 65536;
  /// The largest number of registers of 4 bytes that a thread can have: 255 on
  /// GPUs of several vendors.
  double registersOfThread = 255;
  /// Whether the driver's compiler keeps loads and conversions in the order of
  /// the program: 1 if it does, as Mesa's ACO does, and 0 if it moves them to
  /// their uses where registers run short, as NVIDIA's does. A thread whose
  /// program loads and converts 288 factors before it multiplies the first two
  /// needs a register for each with 1, and far fewer with 0. (Case: the product
  /// of a row of 5,632 numbers and a matrix of f16 in llama of
  /// benchmarks/networks.py, for which ACO needs 289 registers.)
  double computesInOrder = 0;
  /// Whether the driver runs the threads of a workgroup in turn: 1 if it does,
  /// as drivers for CPUs do, and 0 if subgroups share a multiprocessor. A
  /// barrier stores and loads the values of all threads that run in turn, and
  /// none of them computes while another one waits for memory. (Case: a row
  /// times 2048 x 2048 numbers of 4 bits takes 1.4 ms on lavapipe if each
  /// thread loads the row, and 2.1 if the workgroup stages it.)
  double runsInTurn = 0;
  /// The number of bytes of workgroup memory for all workgroups that a
  /// multiprocessor runs at a time. Drivers leave the rest of the memory to the
  /// first cache. On an H200, three workgroups of 14,976 bytes run at a time,
  /// and two workgroups of 20 KiB instead of one of 40 KiB take 0.57 of the
  /// time. (Cases: yolov8_head of benchmarks/networks.py; gemm4096_f16 with 128
  /// by 128 sums and stages of 32 terms, with one stage and with two.)
  double workgroupMemory = 44 << 10;
  /// The number of bytes in a line of the first cache: 128 on GPUs of several
  /// vendors. (Case: conv512to512_7_k3_batch1_f32.)
  double cacheLineBytes = 128;
  /// The smallest number of bytes that memory transfers at a time: a sector,
  /// which is a part of a cache's line. Two neighbouring sectors are
  /// transferred together. (Case: transpose_f32.)
  double sectorBytes = 32;

  /// The number of threads that occupy a device of which nothing is known:
  /// enough to hide the latency of memory on the default number of
  /// multiprocessors.
  static constexpr int64_t enoughThreads = 1 << 16;
  /// Returns the number of threads that occupy this device: for each
  /// multiprocessor as many as `enoughThreads` has for each of the default
  /// number, which is 993 for the 2 cores of a CPU.
  int64_t getEnoughThreads() const;

  /// Returns how many operations of threads the device begins in a cycle.
  double getOpsPerCycle() const { return multiprocessors * opsPerCycle; }
  /// Returns the cycles in which memory moves a byte.
  double getCyclesPerByte() const { return opsPerByte / getOpsPerCycle(); }

  /// A number of a device: its name in a profile, and the least value that it
  /// may have.
  struct Number {
    llvm::StringLiteral name;
    double DeviceSpeed::*value;
    double least;
  };
  /// Returns all numbers, in the order of a profile's text.
  static llvm::ArrayRef<Number> getNumbers();

  /// Sets the number that `part` of a profile's text names, such as
  /// "opsPerByte=8". Returns nothing if `part` names no number, and an error if
  /// its value is invalid.
  std::optional<llvm::Error> parse(llvm::StringRef part);
  /// Returns the numbers that differ from the defaults as entries of a
  /// profile's text, each with a comma before it.
  std::string str() const;
};

} // namespace dml

#endif // DML_TARGET_DEVICESPEED_H
