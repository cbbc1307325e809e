//===- DiscreteVulkan.cpp - A GPU with memory of its own ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DiscreteVulkan.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

using namespace dml::test;

PFN_vkGetInstanceProcAddr dml::test::openVulkanLoader() {
#ifdef _WIN32
  HMODULE library = LoadLibraryA(DML_TEST_VULKAN_LOADER);
  void *address = library ? reinterpret_cast<void *>(GetProcAddress(
                                library, "vkGetInstanceProcAddr"))
                          : nullptr;
#else
  void *library = dlopen(DML_TEST_VULKAN_LOADER, RTLD_NOW | RTLD_LOCAL);
  void *address = library ? dlsym(library, "vkGetInstanceProcAddr") : nullptr;
#endif
  if (!address) {
    std::fprintf(stderr, "cannot open %s\n", DML_TEST_VULKAN_LOADER);
    std::abort();
  }
  return reinterpret_cast<PFN_vkGetInstanceProcAddr>(address);
}

namespace {

constexpr VkMemoryPropertyFlags kMapped =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/// The functions beneath those below. One instance and device at a time.
struct {
  PFN_vkGetInstanceProcAddr getInstanceProcAddr;
  PFN_vkGetDeviceProcAddr getDeviceProcAddr;
  PFN_vkGetPhysicalDeviceProperties getProperties;
  PFN_vkGetPhysicalDeviceProperties2 getProperties2;
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

uint64_t allocationSize = 0;

void VKAPI_CALL getProperties2(VkPhysicalDevice device,
                               VkPhysicalDeviceProperties2 *properties) {
  real.getProperties2(device, properties);
  auto *next = static_cast<VkBaseOutStructure *>(properties->pNext);
  for (; allocationSize != 0 && next; next = next->pNext)
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
      reinterpret_cast<VkPhysicalDeviceVulkan11Properties *>(next)
          ->maxMemoryAllocationSize = allocationSize;
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

} // namespace

PFN_vkVoidFunction dml::test::discreteGetInstanceProcAddr(VkInstance instance,
                                                          const char *name) {
  if (!real.getInstanceProcAddr)
    real.getInstanceProcAddr = openVulkanLoader();
  PFN_vkVoidFunction found = real.getInstanceProcAddr(instance, name);
  for (PFN_vkVoidFunction ours :
       {replace(name, "vkGetPhysicalDeviceProperties", found, getProperties,
                real.getProperties),
        replace(name, "vkGetPhysicalDeviceProperties2", found, getProperties2,
                real.getProperties2),
        replace(name, "vkGetPhysicalDeviceMemoryProperties", found,
                getMemoryProperties, real.getMemoryProperties),
        replace(name, "vkGetDeviceProcAddr", found, getDeviceProcAddr,
                real.getDeviceProcAddr)})
    if (ours)
      return ours;
  return found;
}

void dml::test::setDiscreteAllocationSize(uint64_t bytes) {
  allocationSize = bytes;
}
