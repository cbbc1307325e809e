//===- FormatTest.cpp - The compiler's and the format's names -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "gtest/gtest.h"

using namespace dml;

// Device profiles name features as executables do: in Vulkan's way.
TEST(Format, NamesFeaturesAlike) {
  EXPECT_EQ(getDeviceFeatures().size(),
            static_cast<size_t>(executable::Feature::MAX) + 1);
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    EXPECT_EQ(info.vulkanName.str(),
              executable::EnumNameFeature(getFormatFeature(info.feature)));
}
