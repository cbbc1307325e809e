//===- FaultyCalls.h - Calls of the library with faults -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The base of the tests' flows, which are sequences of calls of the library in
// which one call of Vulkan or one allocation fails.
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_FAULTYCALLS_H
#define DML_UNITTESTS_FAULTYCALLS_H

#include "FaultyMemory.h"
#include "FaultyVulkan.h"
#include "dml/runtime.h"

#include "gtest/gtest.h"

#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace dml::test {

/// Waits until all late work has ended and no object is kept for it.
inline void awaitLateWork() {
  endVulkanFault();
  while (dmlGetLateWorkCount(VK_NULL_HANDLE) != 0)
    std::this_thread::yield();
}

class FaultyCalls {
public:
  /// Lets allocation `number` fail, counted from now on. If `lasting` is set,
  /// all later allocations of the call fail, too.
  void failAllocation(uint64_t number, bool lasting) {
    failingAllocation = number;
    isLasting = lasting;
  }

  struct Failure {
    DmlResult result;
    std::string message;
  };
  /// The failures of calls so far.
  std::vector<Failure> failures;

protected:
  /// Returns what `call` returns, during which the chosen allocation fails.
  template <typename Call> auto attempt(Call call) {
    if (!failingAllocation)
      return call();
    uint64_t number = *failingAllocation >= allocations
                          ? *failingAllocation - allocations
                          : FaultyMemory::kNone;
    (void)takeAllocationCount();
    auto result = [&] {
      FaultyMemory memory(number, isLasting && failures.empty());
      return call();
    }();
    allocations += takeAllocationCount();
    // The calls to come have no failing allocation.
    if (hasAllocationFailed())
      failingAllocation.reset();
    return result;
  }

  /// Calls a function of the library whose last parameter is a DmlError *. If
  /// the call fails, it must fail cleanly, and the same call must then succeed.
  /// Returns false if the flow cannot continue, since the device is lost.
  template <typename Function, typename... Args>
  bool make(Function function, Args... args) {
    DmlError error = nullptr;
    DmlResult result = attempt([&] { return function(args..., &error); });
    EXPECT_EQ(dmlGetErrorResult(error), result);
    if (result == DML_SUCCESS)
      return true;
    fail(result, dmlGetErrorMessage(error));
    dmlDestroyError(error);
    if (result == DML_ERROR_DEVICE_LOST)
      return false;
    result = function(args..., &error);
    EXPECT_EQ(result, DML_SUCCESS) << dmlGetErrorMessage(error);
    dmlDestroyError(error);
    return result == DML_SUCCESS;
  }

  /// Notes a failure, whose message must be one line of text.
  void fail(DmlResult result, const std::string &message) {
    EXPECT_NE(message, "");
    EXPECT_EQ(message.find('\n'), std::string::npos);
    failures.push_back({result, message});
  }

private:
  std::optional<uint64_t> failingAllocation;
  bool isLasting = false;
  uint64_t allocations = 0;
};

} // namespace dml::test

#endif // DML_UNITTESTS_FAULTYCALLS_H
