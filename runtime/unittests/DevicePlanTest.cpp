//===- DevicePlanTest.cpp - Decisions about devices, without one ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DevicePlan.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace dml::runtime;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

DeviceSnapshot makeDevice(const char *name, VkPhysicalDeviceType type,
                          uint32_t apiVersion = VK_API_VERSION_1_3) {
  DeviceSnapshot device;
  std::strcpy(device.info.name, name);
  device.info.type = type;
  device.info.apiVersion = apiVersion;
  device.info.uuid[0] = 0xab;
  device.info.uuid[15] = static_cast<uint8_t>(name[0]);
  device.queueFamilies.push_back({VK_QUEUE_COMPUTE_BIT, 1, 64, {1, 1, 1}});
  DmlDeviceLimits &limits = device.info.limits;
  limits.maxStorageBufferRange = 1 << 27;
  limits.maxPerStageDescriptorStorageBuffers = 8;
  limits.maxComputeWorkGroupInvocations = 128;
  limits.maxComputeSharedMemorySize = 16384;
  for (int i = 0; i < 3; ++i) {
    limits.maxComputeWorkGroupSize[i] = 128;
    limits.maxComputeWorkGroupCount[i] = 65535;
  }
  return device;
}

const VkPhysicalDeviceType kCpu = VK_PHYSICAL_DEVICE_TYPE_CPU;
const VkPhysicalDeviceType kGpu = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;

void expectSelected(const Expected<uint32_t> &found, uint32_t index) {
  ASSERT_TRUE(found) << found.status().message();
  EXPECT_EQ(*found, index);
}

void expectError(const Expected<uint32_t> &found, DmlResult result,
                 const std::string &message) {
  ASSERT_FALSE(found);
  EXPECT_EQ(found.status().result(), result);
  EXPECT_THAT(found.status().message(), HasSubstr(message));
}

} // namespace

TEST(FindMissing, CountsLoopsWhereTheDriverEndsThem) {
  DeviceSnapshot device = makeDevice("llvmpipe", kCpu);
  Requirements requirements;
  requirements.maxLoopIterations = 65536;
  EXPECT_THAT(findMissing(device.info, requirements), IsEmpty());
  device.info.limits.maxLoopIterations = 65535;
  EXPECT_THAT(
      findMissing(device.info, requirements),
      ElementsAre("maxLoopIterations of 65536 is needed, but it has 65535"));
  requirements.maxLoopIterations = 65535;
  EXPECT_THAT(findMissing(device.info, requirements), IsEmpty());
}

TEST(FindMissing, CountsTheSubgroupsOfAWorkgroup) {
  DeviceSnapshot device = makeDevice("GPU", kGpu);
  device.info.limits.minSubgroupSize = 8;
  device.info.limits.maxSubgroupSize = 32;
  device.info.limits.maxComputeWorkgroupSubgroups = 16;
  Requirements requirements;
  requirements.subgroupSize = 8;
  requirements.maxComputeWorkgroupSubgroups = 16;
  EXPECT_THAT(findMissing(device.info, requirements), IsEmpty());
  requirements.maxComputeWorkgroupSubgroups = 17;
  EXPECT_THAT(findMissing(device.info, requirements),
              ElementsAre("maxComputeWorkgroupSubgroups of 17 is needed, but "
                          "it has 16"));
  // A device whose subgroups have one size has no such limit.
  device.info.limits.minSubgroupSize = 8;
  device.info.limits.maxSubgroupSize = 8;
  device.info.limits.maxComputeWorkgroupSubgroups = 0;
  EXPECT_THAT(findMissing(device.info, requirements), IsEmpty());
}

namespace {

Variant makeVariant(DmlFeatureFlags features, uint32_t storageBuffers = 4,
                    uint32_t sharedMemory = 0) {
  Variant variant{};
  variant.requirements.features = features;
  variant.requirements.maxPerStageDescriptorStorageBuffers = storageBuffers;
  variant.requirements.maxComputeSharedMemorySize = sharedMemory;
  return variant;
}

Executable makeExecutable(std::vector<std::vector<Variant>> functions) {
  Executable executable{};
  for (std::vector<Variant> &variants : functions) {
    Function function{};
    function.name = concat("f", executable.functions.size());
    function.variants = std::move(variants);
    executable.functions.push_back(std::move(function));
  }
  return executable;
}

constexpr DmlFeatureFlags kInt8 = DML_FEATURE_SHADER_INT8_BIT;
constexpr DmlFeatureFlags kFloat16 = DML_FEATURE_SHADER_FLOAT16_BIT;
constexpr DmlFeatureFlags kInt64 = DML_FEATURE_SHADER_INT64_BIT;

} // namespace

TEST(ChooseVariants, TakesTheFirstThatFits) {
  DeviceSnapshot device = makeDevice("GPU", kGpu);
  // Ordered by what is to be preferred, of which limits are a part.
  Executable executable = makeExecutable(
      {{makeVariant(kInt8 | kFloat16), makeVariant(kFloat16, 16),
        makeVariant(kFloat16, 4, 32768), makeVariant(kFloat16), makeVariant(0)},
       {makeVariant(kInt8), makeVariant(0)},
       {makeVariant(0)}});
  auto choose = [&](DmlFeatureFlags features) {
    device.info.features = features;
    auto chosen = chooseVariants(device.info, executable);
    EXPECT_TRUE(chosen) << chosen.status().message();
    return chosen ? *chosen : std::vector<uint32_t>();
  };
  EXPECT_THAT(choose(0), ElementsAre(4, 1, 0));
  EXPECT_THAT(choose(kInt8), ElementsAre(4, 0, 0));
  EXPECT_THAT(choose(kFloat16), ElementsAre(3, 1, 0));
  EXPECT_THAT(choose(kInt8 | kFloat16 | kInt64), ElementsAre(0, 0, 0));
  device.info.limits.maxComputeSharedMemorySize = 32768;
  EXPECT_THAT(choose(kFloat16), ElementsAre(2, 1, 0));
  device.info.limits.maxPerStageDescriptorStorageBuffers = 16;
  EXPECT_THAT(choose(kFloat16), ElementsAre(1, 1, 0));
}

TEST(ChooseVariants, TakesAVariantWhereTheOwnStepsDoNotFit) {
  DeviceSnapshot device = makeDevice("GPU", kGpu);
  device.info.features = kFloat16;
  auto chosen = chooseVariants(
      device.info,
      makeExecutable({{makeVariant(kFloat16), makeVariant(kInt64)}}));
  ASSERT_TRUE(chosen) << chosen.status().message();
  EXPECT_THAT(*chosen, ElementsAre(0));
}

TEST(ChooseVariants, NamesWhatTheNearestLacks) {
  DeviceSnapshot device = makeDevice("GPU", kGpu);
  auto expectMessage = [&](const Executable &executable,
                           const std::string &message) {
    auto chosen = chooseVariants(device.info, executable, kInt64);
    ASSERT_FALSE(chosen);
    EXPECT_EQ(chosen.status().result(), DML_ERROR_UNSUPPORTED);
    EXPECT_EQ(chosen.status().message(), message);
  };
  expectMessage(
      makeExecutable({{makeVariant(kInt8 | kFloat16), makeVariant(kFloat16),
                       makeVariant(kInt8 | kInt64)}}),
      "device 'GPU' cannot run the executable: of the 3 variants of function "
      "'f0' it comes nearest to variant 1: feature shaderFloat16 is needed, "
      "but "
      "it has none");
  // The last of two variants that lack as much is the nearest.
  expectMessage(makeExecutable({{makeVariant(kInt8), makeVariant(kInt64)}}),
                "device 'GPU' cannot run the executable: of the 2 variants of "
                "function 'f0' it comes nearest to variant 1: feature "
                "shaderInt64 is needed, but the VkDevice was created without "
                "it");
  // Functions with only one variant have the same requirements, which the
  // message names once. It does not name functions that can be run.
  expectMessage(
      makeExecutable({{makeVariant(kInt8)},
                      {makeVariant(kInt8)},
                      {makeVariant(kInt64), makeVariant(0)},
                      {makeVariant(kFloat16), makeVariant(kInt8 | kFloat16)}}),
      "device 'GPU' cannot run the executable: feature shaderInt8 is needed, "
      "but "
      "it has none; of the 2 variants of function 'f3' it comes nearest to "
      "variant 0: feature shaderFloat16 is needed, but it has none");
}

TEST(SelectDevice, PrefersAGpuToTheCpu) {
  std::vector<DeviceSnapshot> devices = {makeDevice("llvmpipe", kCpu),
                                         makeDevice("Radeon", kGpu)};
  expectSelected(selectDevice(devices, ""), 1);
  devices.pop_back();
  expectSelected(selectDevice(devices, ""), 0);
}

TEST(SelectDevice, PassesOverAGpuThatIsTooOld) {
  expectSelected(selectDevice({makeDevice("Old", kGpu, VK_API_VERSION_1_1),
                               makeDevice("llvmpipe", kCpu)},
                              ""),
                 1);
}

TEST(SelectDevice, TakesAnIndexAUuidOrAPartOfAName) {
  std::vector<DeviceSnapshot> devices = {makeDevice("llvmpipe", kCpu),
                                         makeDevice("Radeon", kGpu)};
  expectSelected(selectDevice(devices, "0"), 0);
  expectSelected(selectDevice(devices, "radEON"), 1);
  expectSelected(selectDevice(devices, "AB000000-0000-0000-0000-00000000006c"),
                 0);
  expectSelected(selectDevice(devices, "ab000000000000000000000000000052"), 1);
}

TEST(SelectDevice, TellsNotFoundFromUnsupported) {
  std::vector<DeviceSnapshot> devices = {
      makeDevice("Old", kGpu, VK_API_VERSION_1_1)};
  expectError(selectDevice({}, ""), DML_ERROR_NOT_FOUND, "no Vulkan device");
  expectError(selectDevice(devices, "1"), DML_ERROR_NOT_FOUND, "0: Old");
  expectError(selectDevice(devices, "99999999999"), DML_ERROR_NOT_FOUND,
              "'99999999999'");
  expectError(selectDevice(devices, "Voodoo"), DML_ERROR_NOT_FOUND,
              "no device is called 'Voodoo'; the devices are 0: Old");
  expectError(selectDevice(devices, "old"), DML_ERROR_UNSUPPORTED,
              "device 'Old' cannot be used: it has Vulkan 1.1, but 1.2 is "
              "needed");
  expectError(selectDevice(devices, ""), DML_ERROR_UNSUPPORTED, "'Old'");
  devices[0].queueFamilies[0].queueFlags = VK_QUEUE_TRANSFER_BIT;
  expectError(selectDevice(devices, "0"), DML_ERROR_UNSUPPORTED,
              "but 1.2 is needed; it has no queue family with "
              "VK_QUEUE_COMPUTE_BIT");
}

TEST(FindMissing, NamesEverything) {
  DeviceSnapshot device = makeDevice("GPU", kGpu, VK_API_VERSION_1_2);
  device.info.features = DML_FEATURE_SHADER_INT8_BIT;
  Requirements needs;
  needs.apiVersion = VK_API_VERSION_1_2;
  needs.features = DML_FEATURE_SHADER_INT8_BIT;
  needs.maxComputeWorkGroupCount = {65535, 65535, 65535};
  EXPECT_THAT(findMissing(device.info, needs), IsEmpty());

  needs.apiVersion = VK_API_VERSION_1_3;
  needs.features |=
      DML_FEATURE_SHADER_INT64_BIT | DML_FEATURE_STORAGE_BUFFER_8BIT_ACCESS_BIT;
  needs.maxStorageBufferRange = (1 << 27) + 1;
  needs.maxPerStageDescriptorStorageBuffers = 9;
  needs.maxComputeWorkGroupInvocations = 129;
  needs.maxComputeWorkGroupSize = {1, 129, 1};
  needs.maxComputeWorkGroupCount = {1, 1, 65536};
  needs.maxComputeSharedMemorySize = 16385;
  EXPECT_THAT(
      findMissing(device.info, needs, DML_FEATURE_SHADER_INT64_BIT),
      ElementsAre(
          "Vulkan 1.3 is needed, but it has 1.2",
          "feature shaderInt64 is needed, but the VkDevice was created without "
          "it",
          "feature storageBuffer8BitAccess is needed, but it has none",
          "maxStorageBufferRange of 134217729 is needed, but it has 134217728",
          "maxPerStageDescriptorStorageBuffers of 9 is needed, but it has 8",
          "maxComputeWorkGroupInvocations of 129 is needed, but it has 128",
          "maxComputeWorkGroupSize[1] of 129 is needed, but it has 128",
          "maxComputeWorkGroupCount[2] of 65536 is needed, but it has 65535",
          "maxComputeSharedMemorySize of 16385 is needed, but it has 16384"));
  Variant variant{};
  variant.requirements = needs;
  Status status =
      chooseVariants(device.info, makeExecutable({{variant}})).status();
  EXPECT_EQ(status.result(), DML_ERROR_UNSUPPORTED);
  EXPECT_THAT(status.message(),
              HasSubstr("device 'GPU' cannot run the executable: Vulkan 1.3"));
}

TEST(FindMissing, IgnoresPatchVersions) {
  DeviceSnapshot device = makeDevice("GPU", kGpu, VK_API_VERSION_1_2);
  Requirements needs;
  needs.apiVersion = VK_MAKE_API_VERSION(0, 1, 2, 190);
  EXPECT_THAT(findMissing(device.info, needs), IsEmpty());
}

TEST(ChooseQueueFamily, WantsComputeAndRatherTimestamps) {
  auto family = [](VkQueueFlags flags, uint32_t count, uint32_t bits) {
    return VkQueueFamilyProperties{flags, count, bits, {1, 1, 1}};
  };
  EXPECT_EQ(chooseQueueFamily({}), std::nullopt);
  EXPECT_EQ(chooseQueueFamily({family(VK_QUEUE_GRAPHICS_BIT, 1, 64),
                               family(VK_QUEUE_COMPUTE_BIT, 0, 64)}),
            std::nullopt);
  EXPECT_EQ(chooseQueueFamily({family(VK_QUEUE_COMPUTE_BIT, 1, 0),
                               family(VK_QUEUE_COMPUTE_BIT, 1, 36)}),
            1u);
  EXPECT_EQ(chooseQueueFamily({family(VK_QUEUE_TRANSFER_BIT, 1, 64),
                               family(VK_QUEUE_COMPUTE_BIT, 1, 0)}),
            1u);
}

TEST(ChooseMemoryType, FitsTheDeviceAndTheUse) {
  constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags kMapped =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  auto setTypes = [](DeviceSnapshot &device,
                     std::vector<VkMemoryPropertyFlags> types) {
    device.memory.memoryTypeCount = static_cast<uint32_t>(types.size());
    for (size_t i = 0; i < types.size(); ++i)
      device.memory.memoryTypes[i].propertyFlags = types[i];
  };
  constexpr uint32_t kAll = ~0u;

  // A discrete GPU with a mapped window into its memory.
  DeviceSnapshot gpu = makeDevice("GPU", kGpu);
  setTypes(gpu, {kMapped, kMapped | kCached, kLocal | kMapped,
                 kLocal | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, kLocal});
  EXPECT_EQ(chooseMemoryType(gpu, DML_MEMORY_DEVICE, kAll), 4u);
  EXPECT_EQ(chooseMemoryType(gpu, DML_MEMORY_DEVICE, 0b01111), 2u);
  EXPECT_EQ(chooseMemoryType(gpu, DML_MEMORY_UPLOAD, kAll), 0u);
  EXPECT_EQ(chooseMemoryType(gpu, DML_MEMORY_READBACK, kAll), 1u);
  EXPECT_EQ(chooseMemoryType(gpu, DML_MEMORY_READBACK, 0b00101), 0u);
  EXPECT_EQ(chooseMemoryType(gpu, DML_MEMORY_UPLOAD, 0b10000), std::nullopt);

  // A CPU has one kind of memory.
  DeviceSnapshot cpu = makeDevice("CPU", kCpu);
  setTypes(cpu, {kLocal, kLocal | kMapped | kCached});
  for (DmlMemory use :
       {DML_MEMORY_DEVICE, DML_MEMORY_UPLOAD, DML_MEMORY_READBACK})
    EXPECT_EQ(chooseMemoryType(cpu, use, kAll), 1u);
}

TEST(ChooseCuts, LeavesRangesWhole) {
  // One buffer where it is enough, and what lies in no range goes anywhere.
  EXPECT_THAT(chooseCuts(1024, {{0, 1024}}, 1024), ElementsAre(0));
  EXPECT_THAT(chooseCuts(2048, {}, 4096), ElementsAre(0));
  EXPECT_THAT(chooseCuts(2048, {{256, 512}, {1024, 2048}}, 1024),
              ElementsAre(0, 1024));
  // As late as possible, at the beginning of a range or behind one.
  EXPECT_THAT(chooseCuts(1536, {{0, 512}, {512, 1024}, {1024, 1536}}, 1024),
              ElementsAre(0, 1024));
  EXPECT_THAT(chooseCuts(1536, {{0, 500}, {1024, 1536}}, 1024),
              ElementsAre(0, 1024));
  // A range that is larger, and ranges that overlap, stay in one buffer.
  EXPECT_THAT(chooseCuts(4096, {{0, 256}, {256, 3840}, {3840, 4096}}, 1024),
              ElementsAre(0, 256, 3840));
  EXPECT_THAT(
      chooseCuts(2048, {{0, 768}, {512, 1280}, {1280, 2048}, {0, 256}}, 1024),
      ElementsAre(0, 1280));
}
