//===- BufferPool.cpp - Buffers between the programs of a run -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "BufferPool.h"

using namespace dml::session;

/// The largest size of a buffer that the host reads in place.
static constexpr uint64_t mostHostBytes = 1 << 16;

Expected<BufferHandle> BufferPool::take(DmlDevice device, uint64_t size) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    // A buffer is used for a tensor of at least half its size, and a buffer
    // that the host reads in place for no larger one.
    auto found = idle.lower_bound(size);
    if (found != idle.end() && found->first <= 2 * size &&
        (found->first <= mostHostBytes) == (size <= mostHostBytes)) {
      BufferHandle buffer = std::move(found->second);
      idleBytes -= found->first;
      idle.erase(found);
      return buffer;
    }
  }
  return create<BufferHandle>(dmlCreateBuffer, device, size,
                              size <= mostHostBytes ? DML_MEMORY_READBACK
                                                    : DML_MEMORY_DEVICE);
}

void BufferPool::give(BufferHandle buffer) {
  DmlBufferInfo info{};
  dmlGetBufferInfo(buffer.get(), &info);
  std::lock_guard<std::mutex> lock(mutex);
  if (idleBytes + info.size > mostBytes)
    return;
  idle.emplace(info.size, std::move(buffer));
  idleBytes += info.size;
}
