//===- Vulkan.cpp - Vulkan's functions of a device ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Vulkan.h"

using namespace dml;
using namespace dml::provider;

void Vulkan::check(VkResult result, const char *call) {
  if (result != VK_SUCCESS)
    throw Failure(std::string(call) + " fails with " + std::to_string(result),
                  ORT_EP_FAIL);
}

Vulkan::Vulkan(DmlDevice device) {
  dmlGetVulkanDevice(device, &info);
  PFN_vkGetInstanceProcAddr find = info.getInstanceProcAddr;
  auto findDevice = reinterpret_cast<PFN_vkGetDeviceProcAddr>(
      find(info.instance, "vkGetDeviceProcAddr"));
  auto getMemory = reinterpret_cast<PFN_vkGetPhysicalDeviceMemoryProperties>(
      find(info.instance, "vkGetPhysicalDeviceMemoryProperties"));
  getMemory(info.physicalDevice, &memory);
#define DML_LOAD(name)                                                         \
  name = reinterpret_cast<PFN_vk##name>(findDevice(info.device, "vk" #name));
  DML_PROVIDER_VULKAN(DML_LOAD)
#undef DML_LOAD
  // VK_KHR_external_semaphore_fd does not promise that a driver imports
  // timeline semaphores. SwiftShader imports binary semaphores alone, and
  // crashes at a timeline semaphore.
  VkPhysicalDeviceExternalSemaphoreInfo asked{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO};
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  asked.pNext = &type;
  asked.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExternalSemaphoreProperties found{
      VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
  auto getProperties =
      reinterpret_cast<PFN_vkGetPhysicalDeviceExternalSemaphoreProperties>(find(
          info.instance, "vkGetPhysicalDeviceExternalSemaphoreProperties"));
  if (!ImportSemaphoreFdKHR || !getProperties)
    return;
  getProperties(info.physicalDevice, &asked, &found);
  importsTimelines = found.externalSemaphoreFeatures &
                     VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
}

uint32_t Vulkan::findMemoryType(uint32_t bits) const {
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if ((bits >> i & 1) && (memory.memoryTypes[i].propertyFlags &
                            VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT))
      return i;
  throw Failure("the device has no memory of its own for a storage buffer");
}

void Vulkan::submit(VkCommandBuffer commands) const {
  VkFence fence = VK_NULL_HANDLE;
  VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  check(CreateFence(info.device, &fenceInfo, nullptr, &fence), "vkCreateFence");
  VkSubmitInfo submission{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submission.commandBufferCount = 1;
  submission.pCommandBuffers = &commands;
  info.lockQueue(info.queueUserData);
  VkResult result = QueueSubmit(info.queue, 1, &submission, fence);
  info.unlockQueue(info.queueUserData);
  if (result == VK_SUCCESS)
    result = WaitForFences(info.device, 1, &fence, VK_TRUE, UINT64_MAX);
  DestroyFence(info.device, fence, nullptr);
  check(result, "a copy on the device");
}

void Vulkan::copy(VkBuffer to, uint64_t toOffset, VkBuffer from,
                  uint64_t fromOffset, uint64_t size) const {
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.queueFamilyIndex = info.queueFamilyIndex;
  check(CreateCommandPool(info.device, &poolInfo, nullptr, &pool),
        "vkCreateCommandPool");
  auto destroy = [&](VkCommandPool *owned) {
    DestroyCommandPool(info.device, *owned, nullptr);
  };
  std::unique_ptr<VkCommandPool, decltype(destroy)> owned(&pool, destroy);
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkCommandBufferAllocateInfo allocation{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocation.commandPool = pool;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  check(AllocateCommandBuffers(info.device, &allocation, &commands),
        "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(BeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  VkBufferCopy region{fromOffset, toOffset, size};
  CmdCopyBuffer(commands, from, to, 1, &region);
  // The host and later kernels see what was copied.
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_HOST_READ_BIT;
  CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT |
                         VK_PIPELINE_STAGE_HOST_BIT,
                     0, 1, &barrier, 0, nullptr, 0, nullptr);
  check(EndCommandBuffer(commands), "vkEndCommandBuffer");
  submit(commands);
}
