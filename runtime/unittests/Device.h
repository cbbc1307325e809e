//===- Device.h - Tests that need a Vulkan device -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_DEVICE_H
#define DML_UNITTESTS_DEVICE_H

#include "gtest/gtest.h"

#include <cstdlib>
#include <string>

namespace dml::test {

/// Whether the environment requires a device: by DML_REQUIRE_DEVICE=1, or by
/// CI=true if DML_REQUIRE_DEVICE is not set. test/lit.cfg.py has the same rule.
inline bool isDeviceRequired() {
  if (const char *demand = std::getenv("DML_REQUIRE_DEVICE"))
    return demand == std::string("1");
  const char *ci = std::getenv("CI");
  return ci && ci == std::string("true");
}

/// Whether instances of tests have the validation layer. On Windows, tests run
/// under Wine, whose loader has no layers.
#ifdef _WIN32
constexpr bool kHasValidation = false;
#else
constexpr bool kHasValidation = true;
#endif

} // namespace dml::test

/// Ends the test if `isFound` does not hold: the test is skipped, or fails
/// where the environment demands a device.
#define DML_END_WITHOUT_DEVICE(isFound)                                        \
  if (!(isFound)) {                                                            \
    if (dml::test::isDeviceRequired())                                         \
      FAIL() << "found no Vulkan device, but this test needs one";             \
    GTEST_SKIP() << "found no Vulkan device, which this test needs";           \
  }

#endif // DML_UNITTESTS_DEVICE_H
