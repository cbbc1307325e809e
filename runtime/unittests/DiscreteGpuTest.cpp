//===- DiscreteGpuTest.cpp - Buffers that the host does not see -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A CPU's Vulkan has one kind of memory, which the host sees. Here it is
// dressed up as a discrete GPU: one type of memory is only the device's and the
// other only the host's, so that everything goes through staging buffers.
//
//===----------------------------------------------------------------------===//

#include "TestExecutables.h"

#include "dml/runtime.h"

#include "gtest/gtest.h"

#include <cstring>
#include <dlfcn.h>

using namespace dml::test;

namespace {

constexpr VkMemoryPropertyFlags kMapped =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/// The functions beneath those below. One instance and device at a time.
struct {
  PFN_vkGetInstanceProcAddr getInstanceProcAddr;
  PFN_vkGetDeviceProcAddr getDeviceProcAddr;
  PFN_vkGetPhysicalDeviceProperties getProperties;
  PFN_vkGetPhysicalDeviceMemoryProperties getMemoryProperties;
  PFN_vkGetBufferMemoryRequirements getRequirements;
  PFN_vkAllocateMemory allocateMemory;
  /// The one real type of memory behind both.
  uint32_t memoryType;
} real;

void VKAPI_CALL getProperties(VkPhysicalDevice device,
                              VkPhysicalDeviceProperties *properties) {
  real.getProperties(device, properties);
  properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

void VKAPI_CALL getMemoryProperties(
    VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *properties) {
  real.getMemoryProperties(device, properties);
  for (uint32_t i = 0; i < properties->memoryTypeCount; ++i)
    if ((properties->memoryTypes[i].propertyFlags & kMapped) == kMapped)
      real.memoryType = i;
  properties->memoryTypeCount = 2;
  properties->memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
  properties->memoryTypes[1] = {kMapped, 0};
}

void VKAPI_CALL getRequirements(VkDevice device, VkBuffer buffer,
                                VkMemoryRequirements *requirements) {
  real.getRequirements(device, buffer, requirements);
  requirements->memoryTypeBits = 3;
}

VkResult VKAPI_CALL allocateMemory(VkDevice device,
                                   const VkMemoryAllocateInfo *info,
                                   const VkAllocationCallbacks *callbacks,
                                   VkDeviceMemory *memory) {
  VkMemoryAllocateInfo changed = *info;
  changed.memoryTypeIndex = real.memoryType;
  return real.allocateMemory(device, &changed, callbacks, memory);
}

/// Replaces `found` where `name` is one of ours, and remembers it.
template <typename Fn>
PFN_vkVoidFunction replace(const char *name, const char *ours,
                           PFN_vkVoidFunction found, Fn replacement,
                           Fn &original) {
  if (std::strcmp(name, ours) != 0)
    return nullptr;
  original = reinterpret_cast<Fn>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(replacement);
}

PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device,
                                                const char *name) {
  PFN_vkVoidFunction found = real.getDeviceProcAddr(device, name);
  for (PFN_vkVoidFunction ours :
       {replace(name, "vkGetBufferMemoryRequirements", found, getRequirements,
                real.getRequirements),
        replace(name, "vkAllocateMemory", found, allocateMemory,
                real.allocateMemory)})
    if (ours)
      return ours;
  return found;
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance,
                                                  const char *name) {
  PFN_vkVoidFunction found = real.getInstanceProcAddr(instance, name);
  for (PFN_vkVoidFunction ours :
       {replace(name, "vkGetPhysicalDeviceProperties", found, getProperties,
                real.getProperties),
        replace(name, "vkGetPhysicalDeviceMemoryProperties", found,
                getMemoryProperties, real.getMemoryProperties),
        replace(name, "vkGetDeviceProcAddr", found, getDeviceProcAddr,
                real.getDeviceProcAddr)})
    if (ours)
      return ours;
  return found;
}

} // namespace

TEST(DiscreteGpu, GoesThroughStagingBuffers) {
  void *loader = dlopen("libvulkan.so.1", RTLD_NOW);
  if (!loader)
    GTEST_SKIP() << "no Vulkan loader";
  real.getInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      dlsym(loader, "vkGetInstanceProcAddr"));

  DmlInstanceCreateInfo instanceInfo{};
  instanceInfo.getInstanceProcAddr = getInstanceProcAddr;
  instanceInfo.enableValidation = true;
  DmlInstance instance = nullptr;
  DmlResult result = dmlCreateInstance(&instanceInfo, &instance, nullptr);
  if (result == DML_ERROR_NOT_FOUND || dmlGetDeviceCount(instance) == 0)
    GTEST_SKIP() << "no Vulkan device";
  ASSERT_EQ(result, DML_SUCCESS);
  DmlDevice device = nullptr;
  ASSERT_EQ(dmlCreateDevice(instance, nullptr, &device, nullptr), DML_SUCCESS);

  DmlBuffer buffer = nullptr;
  DmlBufferInfo info;
  // More than one staging buffer holds, and no whole number of them.
  constexpr size_t kSize = (size_t(64) << 20) + 4096 + 12;
  ASSERT_EQ(dmlCreateBuffer(device, kSize, DML_MEMORY_DEVICE, &buffer, nullptr),
            DML_SUCCESS);
  dmlGetBufferInfo(buffer, &info);
  EXPECT_EQ(info.mapped, nullptr);
  std::vector<uint32_t> values(kSize / 4), back(kSize / 4 - 2);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint32_t>(i * 2654435761u);
  ASSERT_EQ(dmlWriteBuffer(buffer, 0, values.data(), kSize, nullptr),
            DML_SUCCESS);
  ASSERT_EQ(dmlReadBuffer(buffer, 8, back.data(), kSize - 8, nullptr),
            DML_SUCCESS);
  EXPECT_TRUE(std::equal(back.begin(), back.end(), values.begin() + 2));
  dmlDestroyBuffer(buffer);

  // Constants, inputs, temporary and outputs, all out of sight.
  std::vector<uint8_t> bytes = write(*makeArithmetic());
  DmlExecutable executable = nullptr;
  DmlProgram program = nullptr;
  ASSERT_EQ(
      dmlCreateExecutable(bytes.data(), bytes.size(), &executable, nullptr),
      DML_SUCCESS);
  ASSERT_EQ(dmlCreateProgram(device, executable, &program, nullptr),
            DML_SUCCESS);
  std::vector<float> a(128, 2), b(128, 3), sum(128), reversed(128);
  DmlHostTensor inputs[] = {{a.data(), 512}, {b.data(), 512}};
  DmlHostTensor outputs[] = {{sum.data(), 512}, {reversed.data(), 512}};
  EXPECT_EQ(dmlRunFunction(program, 0, inputs, 2, outputs, 2, nullptr),
            DML_SUCCESS);
  EXPECT_EQ(reversed, std::vector<float>(128, 5));
  EXPECT_EQ(dmlRunFunction(program, 1, inputs, 1, outputs, 1, nullptr),
            DML_SUCCESS);
  EXPECT_EQ(sum[127], 129);

  dmlDestroyProgram(program);
  dmlDestroyExecutable(executable);
  dmlDestroyDevice(device);
  EXPECT_EQ(dmlGetValidationMessageCount(instance), 0u);
  dmlDestroyInstance(instance);
}
