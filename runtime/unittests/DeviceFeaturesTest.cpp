//===- DeviceFeaturesTest.cpp - The table of features ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DeviceFeatures.h"

#include "gtest/gtest.h"

using namespace dml::runtime;

namespace {

// A device that has one feature is read as one that has this feature.
TEST(DeviceFeatures, AreReadFromTheMembersThatEnableThem) {
  for (DmlFeatureFlags bit = 1; bit & DML_FEATURE_ALL; bit <<= 1) {
    FeatureStructures structures;
    EXPECT_EQ(getFeatures(structures), 0u);
    setFeatures(structures, bit);
    EXPECT_EQ(getFeatures(structures), bit);
  }
}

TEST(DeviceFeatures, AreMembersOfVulkansStructures) {
  FeatureStructures structures;
  structures.core.shaderInt64 = VK_TRUE;
  structures.vulkan11.storageBuffer16BitAccess = VK_TRUE;
  structures.vulkan12.vulkanMemoryModel = VK_TRUE;
  EXPECT_EQ(getFeatures(structures),
            DmlFeatureFlags(DML_FEATURE_SHADER_INT64_BIT |
                            DML_FEATURE_STORAGE_BUFFER_16BIT_ACCESS_BIT |
                            DML_FEATURE_VULKAN_MEMORY_MODEL_BIT));
  // Kernels use no other members.
  structures.core.geometryShader = VK_TRUE;
  structures.core.shaderInt64 = VK_FALSE;
  EXPECT_FALSE(getFeatures(structures) & DML_FEATURE_SHADER_INT64_BIT);
}

TEST(DeviceFeatures, ArePropertiesWhereNothingEnablesThem) {
  EXPECT_EQ(getProperties(),
            DmlFeatureFlags(
                DML_FEATURE_SHADER_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32_BIT |
                DML_FEATURE_SUBGROUP_SHUFFLE_BIT));
}

} // namespace
