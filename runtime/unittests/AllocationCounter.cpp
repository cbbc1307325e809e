//===- AllocationCounter.cpp - What operator new hands out ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "AllocationCounter.h"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

using namespace dml::test;

thread_local Allocations dml::test::allocations;

#ifdef _WIN32
static size_t malloc_usable_size(void *memory) { return _msize(memory); }
#endif

static void *allocate(size_t size) noexcept {
  void *memory = std::malloc(size ? size : 1);
  if (memory) {
    allocations.live += malloc_usable_size(memory);
    allocations.peak = std::max(allocations.peak, allocations.live);
    ++allocations.count;
  }
  return memory;
}

static void *allocateOrThrow(size_t size) {
  if (void *memory = allocate(size))
    return memory;
  throw std::bad_alloc();
}

static void release(void *memory) noexcept {
  // The number of this thread wraps around when the thread frees memory that
  // another thread has allocated.
  if (memory)
    allocations.live -= malloc_usable_size(memory);
  std::free(memory);
}

void *operator new(size_t size) { return allocateOrThrow(size); }
void *operator new[](size_t size) { return allocateOrThrow(size); }
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return allocate(size);
}
void *operator new[](size_t size, const std::nothrow_t &) noexcept {
  return allocate(size);
}
void operator delete(void *memory) noexcept { release(memory); }
void operator delete[](void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }
void operator delete[](void *memory, size_t) noexcept { release(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept {
  release(memory);
}
void operator delete[](void *memory, const std::nothrow_t &) noexcept {
  release(memory);
}
