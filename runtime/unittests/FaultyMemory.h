//===- FaultyMemory.h - Allocations that fail -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Every form of `operator new`, for tests. Allocations fail on request, if they
// are made by the test's own thread or by threads of the runtime. Allocations
// of Vulkan's drivers never fail, since drivers must handle such failures
// themselves.
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_FAULTYMEMORY_H
#define DML_UNITTESTS_FAULTYMEMORY_H

#include <cstdint>

namespace dml::test {

/// While this object exists, allocations are counted, and allocation `failing`,
/// from 0 on, fails. If `lasting` is set, all later allocations fail, too.
class FaultyMemory {
public:
  explicit FaultyMemory(uint64_t failing, bool lasting = false);
  ~FaultyMemory();
  FaultyMemory(const FaultyMemory &) = delete;
  FaultyMemory &operator=(const FaultyMemory &) = delete;

  static constexpr uint64_t kNone = UINT64_MAX;
};

/// How many allocations counted since this was last called.
uint64_t takeAllocationCount();

enum class AllocationFailure { None, Throwing, Nothrow };

/// How the first allocation failed since failures were last taken.
AllocationFailure takeAllocationFailure();

/// Whether one has failed since then.
bool hasAllocationFailed();

/// Objects that were allocated while allocations counted, and are still there.
int64_t countLiveAllocations();

} // namespace dml::test

#endif // DML_UNITTESTS_FAULTYMEMORY_H
