//===- Device.h - A VkDevice with a queue ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_DEVICE_H
#define DML_RUNTIME_DEVICE_H

#include "Instance.h"
#include "Memory.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace dml::runtime {

/// Thread-safe. Created here, or the caller's own and then never destroyed.
class Device : public std::enable_shared_from_this<Device> {
public:
  static Expected<std::shared_ptr<Device>>
  create(std::shared_ptr<Instance> instance, const DmlDeviceCreateInfo &info);
  static Expected<std::shared_ptr<Device>> adopt(const DmlVulkanDevice &info);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const DeviceFunctions &functions() const { return vk; }
  const InstanceFunctions &instanceFunctions() const { return instanceVk; }
  VkDevice handle() const { return device; }
  /// Its features are those enabled.
  const DeviceSnapshot &snapshot() const { return properties; }
  /// What the physical device could have enabled.
  DmlFeatureFlags supportedFeatures() const { return supported; }
  uint32_t queueFamily() const { return queueFamilyIndex; }
  uint32_t timestampValidBits() const {
    return properties.queueFamilies[queueFamilyIndex].timestampValidBits;
  }
  /// The Vulkan objects, and the functions that lock the queue.
  DmlVulkanDevice describe();

  void lockQueue();
  void unlockQueue();
  /// Submits one command buffer, to signal `fence`, with the semaphores of
  /// `info`, which may be null.
  Status submit(VkCommandBuffer commandBuffer, VkFence fence,
                const DmlSubmitInfo *info = nullptr);
  /// Waits for fences of submissions, of which the last was submitted last.
  VkResult waitFor(const VkFence *fences, uint32_t count,
                   uint64_t timeout) noexcept;
  /// The Status of what waitFor returned.
  static Status checkWait(VkResult result, uint64_t timeout);
  Memory &memory() { return *buffersMemory; }
  /// Fills the numbers of the device's memory.
  void describeMemoryUse(DmlMemoryUse &use);
  bool hasQueue() const { return queue != VK_NULL_HANDLE; }

  /// Nanoseconds that calls wait which have no limit of their own.
  uint64_t waitLimit() const { return limit; }
  void setWaitLimit(uint64_t nanoseconds) { limit = nanoseconds; }

  /// To be called where work is waited for in vain before what it uses would
  /// be destroyed: unless the device is lost, the work may go on for ever.
  /// Nothing of the device is destroyed from then on, and it lives until the
  /// process ends.
  void abandonAfter(VkResult wait) noexcept;
  bool isAbandoned() const { return abandoned; }

  /// Records commands, submits them and waits. What earlier submissions wrote
  /// is visible to the commands, and what they write to all that follows.
  Status runCommands(const std::function<void(VkCommandBuffer)> &record);

  bool namesObjects() const {
    return instanceVk.SetDebugUtilsObjectNameEXT != nullptr;
  }
  /// Names an object for debuggers and validation messages.
  void setName(VkObjectType type, uint64_t object,
               const std::string &name) const;

  Status createComputePipeline(VkComputePipelineCreateInfo info,
                               VkPipeline &pipeline);
  Expected<std::vector<uint8_t>> pipelineCacheData();
  Status setPipelineCacheData(const uint8_t *data, size_t size);

private:
  /// What one use of runCommands needs; kept for the next one.
  struct Commands {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
  };

  Device() = default;
  Status initialize(const DmlAllocator *allocator);
  Status createDevice(const DmlDeviceCreateInfo &info);
  class CommandsInUse;
  Status createCommands(Commands &commands);
  void destroyCommands(const Commands &commands);

  std::shared_ptr<Instance> instanceOwner;
  PFN_vkGetInstanceProcAddr getInstanceProcAddr = nullptr;
  InstanceFunctions instanceVk;
  DeviceFunctions vk;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physicalDevice = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  bool ownsDevice = false;
  bool debugUtils = false;
  /// Kernels stay within their buffers, and drivers need not check that.
  bool unchecked = false;
  /// The driver keeps kernels within the memory of their buffers.
  bool robust = false;
  std::unique_ptr<Memory> buffersMemory;
  DeviceSnapshot properties;
  DmlFeatureFlags supported = 0;

  std::atomic<uint64_t> limit{UINT64_MAX};
  std::atomic<bool> abandoned{false};
  /// The device itself, which it owns once it is abandoned.
  std::shared_ptr<Device> self;
  Device *previousAbandoned = nullptr;

  uint32_t queueFamilyIndex = 0;
  VkQueue queue = VK_NULL_HANDLE;
  std::mutex queueMutex;
  void (*callerLock)(void *) = nullptr;
  void (*callerUnlock)(void *) = nullptr;
  void *callerUserData = nullptr;

  std::mutex commandsMutex;
  std::vector<Commands> idleCommands;

  /// Compiling shares the cache; only merging into it needs it alone.
  std::shared_mutex cacheMutex;
  VkPipelineCache cache = VK_NULL_HANDLE;
};

/// A global memory barrier.
void recordBarrier(const DeviceFunctions &vk, VkCommandBuffer commandBuffer,
                   VkPipelineStageFlags sourceStages,
                   VkAccessFlags sourceAccess,
                   VkPipelineStageFlags destinationStages,
                   VkAccessFlags destinationAccess);

} // namespace dml::runtime

#endif // DML_RUNTIME_DEVICE_H
