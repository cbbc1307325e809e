//===- DeviceSpeed.h - How fast a device is -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_DEVICESPEED_H
#define DML_TARGET_DEVICESPEED_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace dml {

/// How fast the parts of a device are, most of them against its memory. Kernels
/// are chosen by these numbers, and no result depends on them. `dml-bench
/// --calibrate` measures them. The defaults lie between an H100 and an H200.
struct DeviceSpeed {
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

  /// A device is filled by so many threads where nothing is known of it. They
  /// hide the latency of memory on the default number of multiprocessors.
  static constexpr int64_t enoughThreads = 1 << 16;
  /// Returns how many threads fill this device: for each multiprocessor as many
  /// as above, which makes 993 for the 2 cores of a CPU.
  int64_t getEnoughThreads() const;

  /// Sets the number that `part` of a profile's text names, such as
  /// "opsPerByte=8". Nothing if it names none of them.
  std::optional<llvm::Error> parse(llvm::StringRef part);
  /// Those that are not the defaults, each with a comma before it.
  std::string str() const;
};

} // namespace dml

#endif // DML_TARGET_DEVICESPEED_H
