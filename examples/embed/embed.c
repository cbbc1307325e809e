/*===- embed.c - Run a dml executable inside an engine's own Vulkan -------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An engine has a VkDevice, a queue, buffers and command buffers already. This
 * program stands for one: it makes them itself, hands them to dml, and records
 * a function of an executable into a command buffer of its own, where it could
 * stand between draw calls.
 *
 *   dml-embed FILE.dmlx
 *
 * prints the Vulkan features that the device has and that make kernels fast,
 * runs the executable's first function, its inputs filled with 0, 1, 2, ... in
 * float (other types are filled with zeros), and prints the results' first
 * elements.
 *
\*===----------------------------------------------------------------------===*/

#include "dml/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

/* A program of its own may end where anything fails; an engine would not. */
static void checkVulkan(VkResult result, const char *call) {
  if (result < VK_SUCCESS) {
    fprintf(stderr, "dml-embed: error: %s failed with VkResult %d\n", call,
            (int)result);
    exit(1);
  }
}

static void failWithoutDevice(void) {
  fprintf(stderr, "dml-embed: error: there is no Vulkan device: no driver is "
                  "installed that has one\n");
  exit(1);
}

static void checkDml(DmlResult result, DmlError error) {
  if (result != DML_SUCCESS) {
    fprintf(stderr, "dml-embed: error: %s\n", dmlGetErrorMessage(error));
    dmlDestroyError(error);
    exit(1);
  }
}

#define VULKAN(name, ...) checkVulkan(name(__VA_ARGS__), #name)
#define DML(name, ...)                                                         \
  do {                                                                         \
    DmlError error = NULL;                                                     \
    DmlResult result = name(__VA_ARGS__, &error);                              \
    checkDml(result, error);                                                   \
  } while (0)

/*===----------------------------------------------------------------------===*\
 * The engine's side: a device, a queue, and buffers
\*===----------------------------------------------------------------------===*/

typedef struct Engine {
  VkInstance instance;
  VkPhysicalDevice physicalDevice;
  VkDevice device;
  uint32_t queueFamily;
  VkQueue queue;
  DmlVulkanDevice vulkan;
} Engine;

static void createEngine(Engine *engine) {
  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo instanceInfo = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instanceInfo.pApplicationInfo = &application;
  VkResult result = vkCreateInstance(&instanceInfo, NULL, &engine->instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    failWithoutDevice();
  checkVulkan(result, "vkCreateInstance");

  uint32_t count = 1;
  VULKAN(vkEnumeratePhysicalDevices, engine->instance, &count,
         &engine->physicalDevice);
  if (count == 0)
    failWithoutDevice();

  /* What executables may need of a VkDevice, and is there. An engine that wants
   * features of its own hands in their chain as request.features. */
  DmlDeviceRequest request = {0};
  request.getInstanceProcAddr = vkGetInstanceProcAddr;
  request.instance = engine->instance;
  request.physicalDevice = engine->physicalDevice;
  request.apiVersion = application.apiVersion;
  DmlDeviceRequirements requirements = NULL;
  DML(dmlGetDeviceRequirements, &request, &requirements);
  DmlDeviceRequirementsInfo wanted = {0};
  dmlDescribeDeviceRequirements(requirements, &wanted);

  float priority = 1.0f;
  VkDeviceQueueCreateInfo queueInfo = {
      VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queueInfo.queueFamilyIndex = wanted.queueFamilyIndex;
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;
  VkDeviceCreateInfo deviceInfo = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                   wanted.features};
  deviceInfo.enabledExtensionCount = wanted.extensionCount;
  deviceInfo.ppEnabledExtensionNames = wanted.extensions;
  deviceInfo.queueCreateInfoCount = 1;
  deviceInfo.pQueueCreateInfos = &queueInfo;
  VULKAN(vkCreateDevice, engine->physicalDevice, &deviceInfo, NULL,
         &engine->device);
  engine->queueFamily = wanted.queueFamilyIndex;
  vkGetDeviceQueue(engine->device, engine->queueFamily, 0, &engine->queue);

  /* How dml is to use the device. */
  engine->vulkan = wanted.device;
  engine->vulkan.device = engine->device;
  engine->vulkan.queue = engine->queue;
  dmlDestroyDeviceRequirements(requirements);
}

static void destroyEngine(Engine *engine) {
  vkDestroyDevice(engine->device, NULL);
  vkDestroyInstance(engine->instance, NULL);
}

/* A buffer of the engine's, in memory that the host sees. */
typedef struct EngineBuffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
  void *mapped;
} EngineBuffer;

static void createBuffer(const Engine *engine, VkDeviceSize size,
                         EngineBuffer *buffer) {
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VULKAN(vkCreateBuffer, engine->device, &info, NULL, &buffer->buffer);

  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(engine->device, buffer->buffer, &requirements);
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(engine->physicalDevice, &memory);
  const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryAllocateInfo allocation = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocation.allocationSize = requirements.size;
  /* Vulkan promises that one of the types fits. */
  while (!(requirements.memoryTypeBits >> allocation.memoryTypeIndex & 1) ||
         (memory.memoryTypes[allocation.memoryTypeIndex].propertyFlags &
          wanted) != wanted)
    ++allocation.memoryTypeIndex;
  VULKAN(vkAllocateMemory, engine->device, &allocation, NULL, &buffer->memory);
  VULKAN(vkBindBufferMemory, engine->device, buffer->buffer, buffer->memory, 0);
  VULKAN(vkMapMemory, engine->device, buffer->memory, 0, VK_WHOLE_SIZE, 0,
         &buffer->mapped);
}

static void destroyBuffer(const Engine *engine, EngineBuffer *buffer) {
  vkDestroyBuffer(engine->device, buffer->buffer, NULL);
  vkFreeMemory(engine->device, buffer->memory, NULL);
}

/*===----------------------------------------------------------------------===*\
 * dml's side
\*===----------------------------------------------------------------------===*/

/* The features that were enabled because dmlGetDeviceRequirements asked for
 * them: types of 8 and 16 bits, cooperative matrices, sizes of subgroups. */
static void printFeatures(const DmlVulkanDevice *device) {
  const char *separator = "features: ";
  for (DmlFeatureFlags bit = 1; bit & DML_FEATURE_ALL; bit <<= 1)
    if (device->enabledFeatures & bit) {
      printf("%s%s", separator, dmlGetFeatureName((DmlFeatureFlagBits)bit));
      separator = ", ";
    }
  if (device->subgroupSizeControlEnabled)
    printf("%ssubgroupSizeControl", separator);
  if (device->pipelineRobustnessEnabled)
    printf("%spipelineRobustness", separator);
  printf("\n");
}

static void printTensor(const DmlTensorInfo *tensor, const void *data) {
  printf("%s:", tensor->name);
  for (uint64_t i = 0; i < tensor->elementCount && i < 8; ++i) {
    if (tensor->dataType == DML_DATA_TYPE_FLOAT32)
      printf(" %g", ((const float *)data)[i]);
    else
      printf(" (%s)", dmlGetDataTypeName(tensor->dataType));
  }
  printf(tensor->elementCount > 8 ? " ...\n" : "\n");
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: dml-embed FILE.dmlx\n");
    return 1;
  }
  Engine engine;
  createEngine(&engine);
  printFeatures(&engine.vulkan);

  /* Once: dml takes the engine's device, and loads the executable onto it. */
  DmlDevice device = NULL;
  DML(dmlAdoptDevice, &engine.vulkan, &device);
  DmlExecutable executable = NULL;
  DML(dmlCreateExecutableFromFile, argv[1], &executable);
  DmlProgram program = NULL;
  DML(dmlCreateProgram, device, executable, &program);

  /* Once for each set of buffers: bind them to the function. */
  DmlFunctionInfo function = {0};
  DML(dmlGetFunctionInfo, executable, 0, &function);
  DmlBindingTableCreateInfo tableInfo = {0};
  DmlBindingTable table = NULL;
  DML(dmlCreateBindingTable, program, &tableInfo, &table);
  uint32_t count = function.inputCount + function.outputCount;
  EngineBuffer *buffers = (EngineBuffer *)calloc(count + 1, sizeof(*buffers));
  if (!buffers)
    return 1;
  for (uint32_t i = 0; i < count; ++i) {
    DmlTensorInfo tensor = {0};
    bool isInput = i < function.inputCount;
    if (isInput)
      DML(dmlGetInputInfo, executable, 0, i, &tensor);
    else
      DML(dmlGetOutputInfo, executable, 0, i - function.inputCount, &tensor);
    createBuffer(&engine, tensor.bufferSize, &buffers[i]);
    DmlBufferRange range = {buffers[i].buffer, 0, tensor.bufferSize};
    if (!isInput) {
      DML(dmlBindOutput, table, i - function.inputCount, &range);
      continue;
    }
    DML(dmlBindInput, table, i, &range);
    memset(buffers[i].mapped, 0, tensor.bufferSize);
    if (tensor.dataType == DML_DATA_TYPE_FLOAT32)
      for (uint64_t j = 0; j < tensor.elementCount; ++j)
        ((float *)buffers[i].mapped)[j] = (float)j;
  }

  /* Recording allocates nothing, so temporary memory is made before. */
  DML(dmlBindTemporary, table, NULL);

  /* Each frame: record the function between the engine's own commands. */
  VkCommandPoolCreateInfo poolInfo = {
      VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.queueFamilyIndex = engine.queueFamily;
  VkCommandPool pool = VK_NULL_HANDLE;
  VULKAN(vkCreateCommandPool, engine.device, &poolInfo, NULL, &pool);
  VkCommandBufferAllocateInfo allocateInfo = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocateInfo.commandPool = pool;
  allocateInfo.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocateInfo.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VULKAN(vkAllocateCommandBuffers, engine.device, &allocateInfo, &commands);
  VkCommandBufferBeginInfo beginInfo = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  beginInfo.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  VULKAN(vkBeginCommandBuffer, commands, &beginInfo);

  /* What the host wrote before the submission is visible to it. Inputs that
   * earlier commands write would need a barrier here. */
  DML(dmlRecordFunction, table, commands);

  /* Whoever reads the results waits for them: here the host. */
  VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask =
      VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(
      commands,
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
      VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
  VULKAN(vkEndCommandBuffer, commands);
  VkSubmitInfo submitInfo = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submitInfo.commandBufferCount = 1;
  submitInfo.pCommandBuffers = &commands;
  VULKAN(vkQueueSubmit, engine.queue, 1, &submitInfo, VK_NULL_HANDLE);
  VULKAN(vkQueueWaitIdle, engine.queue);

  for (uint32_t i = 0; i < function.outputCount; ++i) {
    DmlTensorInfo tensor = {0};
    DML(dmlGetOutputInfo, executable, 0, i, &tensor);
    printTensor(&tensor, buffers[function.inputCount + i].mapped);
  }

  /* dml's objects go before the VkDevice, in any order among themselves. */
  dmlDestroyBindingTable(table);
  dmlDestroyProgram(program);
  dmlDestroyExecutable(executable);
  dmlDestroyDevice(device);
  vkDestroyCommandPool(engine.device, pool, NULL);
  for (uint32_t i = 0; i < count; ++i)
    destroyBuffer(&engine, &buffers[i]);
  free(buffers);
  destroyEngine(&engine);
  return 0;
}
