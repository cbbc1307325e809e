/*===- external.c - Memory of another Vulkan device -----------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
\*===----------------------------------------------------------------------===*/

#include "external.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

static PFN_vkGetInstanceProcAddr getProc;
static VkInstance instance;
static VkPhysicalDevice physicalDevice;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;
/* A buffer in the memory that is exported, and the semaphore. */
static VkBuffer exported;
static VkSemaphore semaphore;
static bool hasSemaphores;

#define LOAD(name)                                                             \
  PFN_vk##name name = (PFN_vk##name)getProc(instance, "vk" #name)

static const char *createInstance(void) {
  void *loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!loader)
    return "there is no Vulkan loader";
  *(void **)&getProc = dlsym(loader, "vkGetInstanceProcAddr");
  LOAD(CreateInstance);
  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  application.apiVersion = VK_API_VERSION_1_2;
  info.pApplicationInfo = &application;
  if (CreateInstance(&info, NULL, &instance))
    return "vkCreateInstance fails";
  LOAD(EnumeratePhysicalDevices);
  uint32_t count = 1;
  if (EnumeratePhysicalDevices(instance, &count, &physicalDevice) < 0 ||
      count == 0)
    return "there is no Vulkan device";
  return NULL;
}

static const char *createDevice(void) {
  LOAD(CreateDevice);
  LOAD(GetDeviceQueue);
  LOAD(CreateCommandPool);
  const float priority = 1;
  const char *extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                              VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
  VkPhysicalDeviceTimelineSemaphoreFeatures features = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
  features.timelineSemaphore = VK_TRUE;
  VkDeviceQueueCreateInfo queues = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  VkCommandPoolCreateInfo poolInfo = {
      VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  queues.queueCount = 1;
  queues.pQueuePriorities = &priority;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  info.pNext = &features;
  info.enabledExtensionCount = 2;
  info.ppEnabledExtensionNames = extensions;
  hasSemaphores = !CreateDevice(physicalDevice, &info, NULL, &device);
  info.enabledExtensionCount = 1;
  if (!hasSemaphores && CreateDevice(physicalDevice, &info, NULL, &device))
    return "the device has no VK_KHR_external_memory_fd";
  GetDeviceQueue(device, 0, 0, &queue);
  return CreateCommandPool(device, &poolInfo, NULL, &pool)
             ? "vkCreateCommandPool fails"
             : NULL;
}

/* The first memory type among `types` with the flags. */
static uint32_t findMemoryType(uint32_t types, VkMemoryPropertyFlags flags) {
  LOAD(GetPhysicalDeviceMemoryProperties);
  VkPhysicalDeviceMemoryProperties memory;
  uint32_t type = 0;
  GetPhysicalDeviceMemoryProperties(physicalDevice, &memory);
  while (type + 1 < memory.memoryTypeCount &&
         (!(types >> type & 1) ||
          (memory.memoryTypes[type].propertyFlags & flags) != flags))
    ++type;
  return type;
}

/* Creates a buffer of `size` bytes in memory of its own, which is exported or
 * coherent with the host. */
static const char *createBuffer(VkDeviceSize size, int isExported,
                                VkBuffer *buffer, VkDeviceMemory *memory) {
  LOAD(CreateBuffer);
  LOAD(GetBufferMemoryRequirements);
  LOAD(AllocateMemory);
  LOAD(BindBufferMemory);
  VkExternalMemoryBufferCreateInfo external = {
      VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  VkExportMemoryAllocateInfo export = {
      VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  VkMemoryAllocateInfo allocate = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  VkMemoryRequirements needs;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  export.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  info.pNext = isExported ? &external : NULL;
  info.size = size;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  if (CreateBuffer(device, &info, NULL, buffer))
    return "vkCreateBuffer fails";
  GetBufferMemoryRequirements(device, *buffer, &needs);
  if (isExported && needs.size != size)
    return "the device wants another size of memory";
  allocate.pNext = isExported ? &export : NULL;
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex =
      findMemoryType(needs.memoryTypeBits,
                     isExported ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
                                : VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  if (AllocateMemory(device, &allocate, NULL, memory) ||
      BindBufferMemory(device, *buffer, *memory, 0))
    return "vkAllocateMemory fails";
  return NULL;
}

const char *exportMemory(size_t size, int *fd) {
  VkDeviceMemory memory;
  const char *problem = createInstance();
  if (!problem)
    problem = createDevice();
  if (!problem)
    problem = createBuffer(size, 1, &exported, &memory);
  if (problem)
    return problem;
  LOAD(GetMemoryFdKHR);
  VkMemoryGetFdInfoKHR get = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  get.memory = memory;
  get.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  return GetMemoryFdKHR(device, &get, fd) ? "vkGetMemoryFdKHR fails" : NULL;
}

/* Copies a range of a buffer to another buffer, and waits. */
static const char *copyBuffer(VkBuffer from, VkBuffer to,
                              const VkBufferCopy *range) {
  LOAD(AllocateCommandBuffers);
  LOAD(BeginCommandBuffer);
  LOAD(CmdCopyBuffer);
  LOAD(EndCommandBuffer);
  LOAD(QueueSubmit);
  LOAD(QueueWaitIdle);
  VkCommandBufferAllocateInfo allocate = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  VkCommandBufferBeginInfo begin = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
  VkCommandBuffer commands;
  allocate.commandPool = pool;
  allocate.commandBufferCount = 1;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  if (AllocateCommandBuffers(device, &allocate, &commands) ||
      BeginCommandBuffer(commands, &begin))
    return "vkBeginCommandBuffer fails";
  CmdCopyBuffer(commands, from, to, 1, range);
  if (EndCommandBuffer(commands) ||
      QueueSubmit(queue, 1, &submit, VK_NULL_HANDLE) || QueueWaitIdle(queue))
    return "vkQueueSubmit fails";
  return NULL;
}

/* Copies through memory that the host sees. */
static const char *copyExported(void *data, size_t offset, size_t size,
                                int isWritten) {
  VkBuffer staging;
  VkDeviceMemory memory;
  void *mapped;
  const char *problem = createBuffer(size, 0, &staging, &memory);
  LOAD(MapMemory);
  LOAD(DestroyBuffer);
  LOAD(FreeMemory);
  if (!problem && MapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped))
    problem = "vkMapMemory fails";
  if (problem)
    return problem;
  VkBufferCopy range = {0, offset, size};
  if (isWritten) {
    memcpy(mapped, data, size);
    problem = copyBuffer(staging, exported, &range);
  } else {
    range.srcOffset = offset;
    range.dstOffset = 0;
    problem = copyBuffer(exported, staging, &range);
    memcpy(data, mapped, size);
  }
  DestroyBuffer(device, staging, NULL);
  FreeMemory(device, memory, NULL);
  return problem;
}

const char *writeExported(const void *data, size_t offset, size_t size) {
  return copyExported((void *)data, offset, size, 1);
}

const char *readExported(void *data, size_t offset, size_t size) {
  return copyExported(data, offset, size, 0);
}

const char *exportSemaphore(int *fd) {
  LOAD(CreateSemaphore);
  LOAD(GetSemaphoreFdKHR);
  VkExportSemaphoreCreateInfo export = {
      VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO};
  VkSemaphoreTypeCreateInfo type = {
      VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, &export};
  VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  VkSemaphoreGetFdInfoKHR get = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
  if (!hasSemaphores)
    return "the device has no VK_KHR_external_semaphore_fd";
  export.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  if (CreateSemaphore(device, &info, NULL, &semaphore))
    return "vkCreateSemaphore fails";
  get.semaphore = semaphore;
  get.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  return GetSemaphoreFdKHR(device, &get, fd) ? "vkGetSemaphoreFdKHR fails"
                                             : NULL;
}

void signalExported(uint64_t value) {
  LOAD(SignalSemaphore);
  VkSemaphoreSignalInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
  info.semaphore = semaphore;
  info.value = value;
  SignalSemaphore(device, &info);
}

uint64_t getExportedValue(void) {
  LOAD(GetSemaphoreCounterValue);
  uint64_t value = 0;
  GetSemaphoreCounterValue(device, semaphore, &value);
  return value;
}
