//===- DeviceFeaturesTest.cpp - The table of features ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DeviceRequirements.h"

#include "gtest/gtest.h"

using namespace dml::runtime;

namespace {

/// A device that has `features`, a queue and nothing else.
DeviceSnapshot makeDevice(DmlFeatureFlags features) {
  DeviceSnapshot device;
  device.info.features = features;
  VkQueueFamilyProperties family{};
  family.queueFlags = VK_QUEUE_COMPUTE_BIT;
  family.queueCount = 1;
  device.queueFamilies.push_back(family);
  return device;
}

// Each feature of the table is set in the same member from which it is read, so
// that no feature is forgotten when a VkDevice is created.
TEST(DeviceFeatures, AreRequiredInTheMembersThatEnableThem) {
  for (DmlFeatureFlags bit = 1; bit & DML_FEATURE_ALL; bit <<= 1) {
    FeatureStructures structures;
    VkPhysicalDeviceFeatures2 features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &structures.vulkan11};
    structures.vulkan11.pNext = &structures.vulkan12;
    structures.vulkan12.pNext = &structures.matrices;
    DmlDeviceRequest request{};
    request.features = &features;
    auto requirements = DeviceRequirements::create(makeDevice(bit), request);
    ASSERT_TRUE(requirements);
    structures.core = features.features;
    EXPECT_EQ(getFeatures(structures), bit & ~getProperties());
    // The chain had a place for all.
    EXPECT_EQ(structures.matrices.pNext, nullptr);
    EXPECT_TRUE(structures.vulkan12.timelineSemaphore);
    EXPECT_EQ((*requirements)->device().enabledFeatures, bit);
  }
}

// Structures of single features, which exclude those of versions.
TEST(DeviceFeatures, AreAppendedWhereTheChainLacksThem) {
  VkPhysicalDevice8BitStorageFeatures storage{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES};
  storage.storagePushConstant8 = VK_TRUE;
  VkPhysicalDeviceFeatures2 features{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &storage};
  features.features.geometryShader = VK_TRUE;
  DmlDeviceRequest request{};
  request.features = &features;
  DeviceSnapshot device =
      makeDevice(DML_FEATURE_STORAGE_BUFFER_8BIT_ACCESS_BIT |
                 DML_FEATURE_SHADER_INT8_BIT | DML_FEATURE_SHADER_INT64_BIT);
  request.disabledFeatures = DML_FEATURE_SHADER_INT64_BIT;
  auto requirements = DeviceRequirements::create(device, request);
  ASSERT_TRUE(requirements);
  DmlDeviceRequirementsInfo info{};
  (*requirements)->describe(info);
  EXPECT_EQ(info.features, &features);
  EXPECT_EQ(features.pNext, &storage);
  EXPECT_TRUE(features.features.geometryShader);
  EXPECT_FALSE(features.features.shaderInt64);
  EXPECT_TRUE(storage.storagePushConstant8);
  EXPECT_TRUE(storage.storageBuffer8BitAccess);
  std::vector<VkStructureType> types;
  for (auto *at = static_cast<VkBaseOutStructure *>(storage.pNext); at;
       at = at->pNext)
    types.push_back(at->sType);
  EXPECT_EQ(
      types,
      (std::vector<VkStructureType>{
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES}));
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
