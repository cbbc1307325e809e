/*===- external.c - Memory of another Vulkan device -----------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
\*===----------------------------------------------------------------------===*/

#include "external.h"
#include <dlfcn.h>
#include <vulkan/vulkan_core.h>

static PFN_vkGetInstanceProcAddr getProc;
static VkInstance instance;
static VkPhysicalDevice physicalDevice;
static VkDevice device;

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
  const float priority = 1;
  const char *extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
  VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = extensions;
  return CreateDevice(physicalDevice, &info, NULL, &device)
             ? "the device has no VK_KHR_external_memory_fd"
             : NULL;
}

/* The first memory type that is local to the device. */
static uint32_t findMemoryType(void) {
  LOAD(GetPhysicalDeviceMemoryProperties);
  VkPhysicalDeviceMemoryProperties memory;
  uint32_t type = 0;
  GetPhysicalDeviceMemoryProperties(physicalDevice, &memory);
  while (type + 1 < memory.memoryTypeCount &&
         !(memory.memoryTypes[type].propertyFlags &
           VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT))
    ++type;
  return type;
}

const char *exportMemory(size_t size, int *fd, void **mapped) {
  const char *problem = createInstance();
  if (!problem)
    problem = createDevice();
  if (problem)
    return problem;
  LOAD(AllocateMemory);
  LOAD(MapMemory);
  LOAD(GetMemoryFdKHR);
  VkDeviceMemory memory;
  VkExportMemoryAllocateInfo export = {
      VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &export};
  VkMemoryGetFdInfoKHR get = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  export.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  info.allocationSize = size;
  info.memoryTypeIndex = findMemoryType();
  if (AllocateMemory(device, &info, NULL, &memory))
    return "vkAllocateMemory fails";
  if (MapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, mapped))
    return "the memory cannot be mapped";
  get.memory = memory;
  get.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  return GetMemoryFdKHR(device, &get, fd) ? "vkGetMemoryFdKHR fails" : NULL;
}
