//===- BufferPool.h - Buffers between the programs of a run -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_BUFFERPOOL_H
#define DML_LIB_SESSION_BUFFERPOOL_H

#include "Support.h"
#include <map>
#include <mutex>

namespace dml::session {

/// Buffers that no run uses at the moment. A loop so takes the buffers of its
/// last iteration but one again. May be used from many threads at once.
class BufferPool {
public:
  /// Returns a buffer of at least `size` bytes. The host may read buffers of up
  /// to 64 KiB in place.
  Expected<BufferHandle> take(DmlDevice device, uint64_t size);
  /// Keeps a buffer that no work uses for later runs.
  void give(BufferHandle buffer);

private:
  /// The most bytes that are kept.
  static constexpr uint64_t mostBytes = uint64_t(1) << 28;

  std::mutex mutex;
  /// The buffers by their sizes.
  std::multimap<uint64_t, BufferHandle> idle;
  uint64_t idleBytes = 0;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_BUFFERPOOL_H
