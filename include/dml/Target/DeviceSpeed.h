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

/// The rates, latencies and sizes of a device by which kernels are chosen. No
/// result depends on one of these numbers. A device profile sets each by
/// ",name=number", such as ",opsPerByte=8", and `dml-bench --calibrate`
/// measures most of them (docs/Benchmarks.md).
///
/// The unit of time of all models is the cycle of a multiprocessor: the time in
/// which a multiprocessor begins 128 operations of threads. A device with 132
/// multiprocessors that begins 33 * 10^12 operations in a second, for example,
/// has cycles of 132 * 128 / (33 * 10^12) s = 0.51 ns. Vulkan tells no clock,
/// and a cycle so defined needs none.
///
/// The defaults lie between an H100 and an H200.
struct DeviceSpeed {
  /// Operations of threads that a multiprocessor begins in a cycle. This number
  /// defines the cycle. GPUs of several vendors begin as many in a cycle of
  /// their clock.
  static constexpr double opsPerCycle = 128;

  //===--------------------------------------------------------------------===//
  // The whole device
  //===--------------------------------------------------------------------===//

  /// 32-bit operations, half of them of integers, that a device begins while
  /// its memory moves a byte. An H100 begins 33 * 10^12 in a second and moves
  /// 3 * 10^12 bytes: 11.
  double opsPerByte = 10;
  /// Bytes that memory moves while a device starts a thread. An H200 starts
  /// 164 * 10^9 threads in a second and moves 4.2 * 10^12 bytes: 26. Threads
  /// that move fewer bytes leave the memory waiting.
  double bytesPerThread = 26;
  /// Bytes of the last cache.
  double cacheBytes = 8 << 20;
  /// Multiprocessors, which each run workgroups of their own: 132 of an H100 or
  /// H200; the desktop GPUs of several vendors have 40 to 128. For example, 133
  /// long workgroups take twice as long as 132 on an H100.
  double multiprocessors = 132;

  //===--------------------------------------------------------------------===//
  // Rates of a multiprocessor
  //===--------------------------------------------------------------------===//

  /// Bytes that a multiprocessor loads from its first cache in a cycle: a line
  /// on GPUs of several vendors.
  double firstCacheBytesPerCycle = 128;
  /// Bytes that a multiprocessor loads from the last cache in a cycle, where
  /// all multiprocessors load: 24 to 32 on an H100. (Case: gemm4096_f16 with
  /// tiles of 128 times 256 instead of 128 times 128.)
  double lastCacheBytesPerCycle = 28;
  /// Bytes that a multiprocessor loads from its workgroup memory, or stores
  /// there, in a cycle: 32 banks of 4 bytes. (Case: gemm4096_f16.)
  double workgroupBytesPerCycle = 128;
  /// Products that a multiprocessor adds up in a cycle by cooperative matrices,
  /// times the bytes of a factor: 1024 products of f16, whose factors have 2
  /// bytes. Factors of half as many bytes have twice the rate. (Case:
  /// gemm4096_f16.)
  double matrixBytesPerCycle = 2048;
  /// Matrix units of a multiprocessor, which share matrixBytesPerCycle. A
  /// subgroup uses one of them at a time. (Case: gemm1024_f16.)
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
  /// The time of a kernel that does next to nothing: the start of its threads,
  /// their first loads, and the end of their last stores. (Case:
  /// gemm_rows1_transposed_f16.)
  double kernelCycles = 4500;
  /// The time that one more kernel takes which does next to nothing and waits,
  /// over a barrier, for the kernel before it: 2 to 3 us on an H100. (Case: the
  /// smallest steps of vit_b and resnet50 of benchmarks/networks.py take 3.2 to
  /// 4.5 us on an H100.)
  double launchCycles = 6000;

  //===--------------------------------------------------------------------===//
  // Sizes
  //===--------------------------------------------------------------------===//

  /// Registers of 4 bytes of a multiprocessor: 65,536 on GPUs of several
  /// vendors. (Case: gemm4096_f16.)
  double registers = 65536;
  /// Registers of 4 bytes that a thread has at most: 255 on GPUs of several
  /// vendors.
  double registersOfThread = 255;
  /// Bytes of workgroup memory that the workgroups of a multiprocessor have
  /// together. Drivers leave the rest of the memory to the first cache. On an
  /// H200, three workgroups of 14,976 bytes run at a time, and two of 20 KiB
  /// instead of one of 40 KiB take 0.57 of the time. (Cases: yolov8_head of
  /// benchmarks/networks.py; gemm4096_f16 with 128 times 128 sums and stages of
  /// 32 terms, one stage and two.)
  double workgroupMemory = 44 << 10;
  /// Bytes of a line of the first cache: 128 on GPUs of several vendors. (Case:
  /// conv512to512_7_k3_batch1_f32.)
  double cacheLineBytes = 128;
  /// Bytes that memory brings at least, however few are wanted: a sector of a
  /// cache's line. Two neighbouring sectors come together. (Case:
  /// transpose_f32.)
  double sectorBytes = 32;

  /// A device is filled by so many threads where nothing is known of it. They
  /// hide the latency of memory on the default number of multiprocessors.
  static constexpr int64_t enoughThreads = 1 << 16;
  /// Returns how many threads fill this device: for each multiprocessor as many
  /// as above, which makes 993 for the 2 cores of a CPU.
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
  /// "opsPerByte=8". Nothing if it names none of them.
  std::optional<llvm::Error> parse(llvm::StringRef part);
  /// Those that are not the defaults, each with a comma before it.
  std::string str() const;
};

} // namespace dml

#endif // DML_TARGET_DEVICESPEED_H
