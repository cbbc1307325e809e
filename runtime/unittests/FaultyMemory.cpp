//===- FaultyMemory.cpp - Allocations that fail ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FaultyMemory.h"

#include "FaultyVulkan.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

using namespace dml::test;

namespace {

std::atomic<bool> isActive{false}, isLasting{false};
std::atomic<AllocationFailure> failure{AllocationFailure::None};
std::atomic<uint64_t> failingCall{FaultyMemory::kNone}, calls{0};
std::atomic<int64_t> live{0};
thread_local bool isTestThread = false;

/// Stands at the end of what lies before each object.
struct Header {
  void *block;
  bool counts;
};

/// Allocates memory; returns null where there is none.
void *allocate(size_t size, size_t alignment,
               AllocationFailure kind = AllocationFailure::Nothrow) noexcept {
  bool counts =
      isActive && !isInsideVulkan() && (isTestThread || hasCalledVulkan());
  if (counts) {
    uint64_t call = calls++;
    if (isLasting ? call >= failingCall : call == failingCall) {
      auto none = AllocationFailure::None;
      failure.compare_exchange_strong(none, kind);
      return nullptr;
    }
  }
  alignment = std::max(alignment, alignof(std::max_align_t));
  if (size > SIZE_MAX / 2)
    return nullptr;
  auto *block =
      static_cast<char *>(std::malloc(size + sizeof(Header) + alignment));
  if (!block)
    return nullptr;
  auto address = reinterpret_cast<uintptr_t>(block + sizeof(Header));
  char *object =
      block + sizeof(Header) + (alignment - address % alignment) % alignment;
  *(reinterpret_cast<Header *>(object) - 1) = {block, counts};
  if (counts)
    ++live;
  return object;
}

void *allocateOrThrow(size_t size, size_t alignment) {
  void *object = allocate(size, alignment, AllocationFailure::Throwing);
  if (!object)
    throw std::bad_alloc();
  return object;
}

void deallocate(void *object) noexcept {
  if (!object)
    return;
  Header *header = static_cast<Header *>(object) - 1;
  if (header->counts)
    --live;
  std::free(header->block);
}

} // namespace

FaultyMemory::FaultyMemory(uint64_t failing, bool lasting) {
  isTestThread = true;
  isLasting = lasting;
  calls = 0;
  failingCall = failing;
  isActive = true;
}

FaultyMemory::~FaultyMemory() { isActive = false; }

uint64_t dml::test::takeAllocationCount() { return calls.exchange(0); }

AllocationFailure dml::test::takeAllocationFailure() {
  return failure.exchange(AllocationFailure::None);
}

bool dml::test::hasAllocationFailed() {
  return failure != AllocationFailure::None;
}

int64_t dml::test::countLiveAllocations() { return live; }

void *operator new(size_t size) { return allocateOrThrow(size, 1); }
void *operator new[](size_t size) { return allocateOrThrow(size, 1); }
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return allocate(size, 1);
}
void *operator new[](size_t size, const std::nothrow_t &) noexcept {
  return allocate(size, 1);
}
void *operator new(size_t size, std::align_val_t alignment) {
  return allocateOrThrow(size, static_cast<size_t>(alignment));
}
void *operator new[](size_t size, std::align_val_t alignment) {
  return allocateOrThrow(size, static_cast<size_t>(alignment));
}
void *operator new(size_t size, std::align_val_t alignment,
                   const std::nothrow_t &) noexcept {
  return allocate(size, static_cast<size_t>(alignment));
}
void *operator new[](size_t size, std::align_val_t alignment,
                     const std::nothrow_t &) noexcept {
  return allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void *object) noexcept { deallocate(object); }
void operator delete[](void *object) noexcept { deallocate(object); }
void operator delete(void *object, size_t) noexcept { deallocate(object); }
void operator delete[](void *object, size_t) noexcept { deallocate(object); }
void operator delete(void *object, std::align_val_t) noexcept {
  deallocate(object);
}
void operator delete[](void *object, std::align_val_t) noexcept {
  deallocate(object);
}
void operator delete(void *object, size_t, std::align_val_t) noexcept {
  deallocate(object);
}
void operator delete[](void *object, size_t, std::align_val_t) noexcept {
  deallocate(object);
}
void operator delete(void *object, const std::nothrow_t &) noexcept {
  deallocate(object);
}
void operator delete[](void *object, const std::nothrow_t &) noexcept {
  deallocate(object);
}
