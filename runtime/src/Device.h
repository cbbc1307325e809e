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
#include <unordered_map>
#include <vector>

namespace dml::runtime {

class Device;

/// The number of submissions of binding tables that use a buffer and are not
/// known to have finished. The buffer is destroyed when there are none.
using UseCount = std::atomic<uint32_t>;

/// An object that work of a device may use. It is destroyed by Device::retire.
class DeviceObject {
public:
  virtual ~DeviceObject() = default;

private:
  friend class Device;
  /// Waits for the work that the object has submitted, and returns whether some
  /// of the work has not finished.
  virtual bool isWorking(uint64_t timeout) noexcept { return false; }
  /// Null where the object has nothing of a device yet.
  virtual std::shared_ptr<Device> getDevice() const noexcept = 0;

  /// The next of those that wait for the end of work.
  DeviceObject *nextLate = nullptr;
};

struct Retire {
  void operator()(DeviceObject *object) const noexcept;
};
template <typename T> using Owned = std::unique_ptr<T, Retire>;

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
  /// Submits command buffers, at least one, each as a batch of its own. `fence`
  /// is signaled when all have finished. The first waits for semaphores of
  /// `info`, which may be null, and the last signals semaphores.
  Status submit(const std::vector<VkCommandBuffer> &commandBuffers,
                VkFence fence, const DmlSubmitInfo *info = nullptr);
  /// Waits for fences of submissions, of which the last was submitted last, for
  /// at most `timeout` nanoseconds. `expected` is the time in nanoseconds after
  /// which they probably are signaled, or 0 if it is unknown.
  VkResult waitFor(const VkFence *fences, uint32_t count, uint64_t timeout,
                   uint64_t expected = 0) noexcept;
  /// The Status of what waitFor returned.
  static Status checkWait(VkResult result, uint64_t timeout);
  Memory &memory() { return *buffersMemory; }
  /// What the device knows of a buffer.
  struct KnownBuffer {
    /// UINT64_MAX for a buffer of the caller.
    uint64_t size = UINT64_MAX;
    /// A number that no other buffer of the device ever has, or 0 for a buffer
    /// of the caller. A driver may give the handle of a destroyed buffer to a
    /// new one, which then has another number.
    uint64_t number = 0;
    /// Null for a buffer of the caller.
    std::shared_ptr<UseCount> uses;
  };
  /// Notes the size of a buffer that the runtime has made on the device, and
  /// numbers the buffer. Returns the count of its uses.
  std::shared_ptr<UseCount> addBuffer(VkBuffer buffer, uint64_t size);
  void removeBuffer(VkBuffer buffer) noexcept;
  KnownBuffer findBuffer(VkBuffer buffer) const;
  /// Fills the numbers of the device's memory.
  void describeMemoryUse(DmlMemoryUse &use);
  bool hasQueue() const { return queue != VK_NULL_HANDLE; }

  /// The time limit, in nanoseconds, of calls without a limit of their own.
  uint64_t waitLimit() const { return limit; }
  void setWaitLimit(uint64_t nanoseconds) { limit = nanoseconds; }

  /// How long a wait polls, in nanoseconds; otherwise it sleeps.
  void setSpinTime(uint64_t nanoseconds) { spinTime = nanoseconds; }

  /// Destroys an object. If its work exceeds the time limit, or if other work
  /// of its device has done so and has not ended, a list keeps the object and
  /// its device instead, since such work cannot be stopped and may use the
  /// object.
  static void retire(DeviceObject *object) noexcept;
  /// Destroys the kept objects of devices whose work has ended.
  static void destroyWhatHasEnded() noexcept;
  /// How many objects are kept of a device, or of all for VK_NULL_HANDLE.
  static uint32_t countLateObjects(VkDevice device) noexcept;

  class CommandsInUse;
  /// Records commands and submits them. The commands see the results of earlier
  /// submissions, and later submissions see the results of the commands.
  Expected<std::unique_ptr<CommandsInUse>>
  startCommands(const std::function<void(VkCommandBuffer)> &record);
  /// Records commands, submits them and waits for them.
  Status runCommands(const std::function<void(VkCommandBuffer)> &record);

  bool namesObjects() const {
    return instanceVk.SetDebugUtilsObjectNameEXT != nullptr;
  }
  /// Names an object for debuggers and validation messages.
  void setName(VkObjectType type, uint64_t object,
               const std::string &name) const;

  /// Makes drivers keep statistics of the pipelines that are created from now
  /// on. VK_KHR_pipeline_executable_properties must be enabled.
  void captureStatistics() { capturesStatistics = true; }
  Status createComputePipeline(VkComputePipelineCreateInfo info,
                               VkPipeline &pipeline);
  Expected<std::vector<uint8_t>> pipelineCacheData();
  Status setPipelineCacheData(const uint8_t *data, size_t size);

private:
  class Commands;

  Device() = default;
  Status initialize(const DmlAllocator *allocator);
  Status createDevice(const DmlDeviceCreateInfo &info);
  void use(const DmlVulkanDevice &info, const DeviceSnapshot &snapshot);

  std::shared_ptr<Instance> instanceOwner;
  PFN_vkGetInstanceProcAddr getInstanceProcAddr = nullptr;
  InstanceFunctions instanceVk;
  DeviceFunctions vk;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physicalDevice = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  bool ownsDevice = false;
  bool debugUtils = false;
  /// Whether drivers need not check accesses, since kernels stay within their
  /// buffers.
  bool unchecked = false;
  /// Whether the driver prevents accesses outside of the memory of buffers.
  bool robust = false;
  bool capturesStatistics = false;
  std::unique_ptr<Memory> buffersMemory;
  DeviceSnapshot properties;
  DmlFeatureFlags supported = 0;

  std::atomic<uint64_t> limit{UINT64_MAX};
  std::atomic<uint64_t> spinTime{200'000};

  /// The objects that are kept until work has ended, and the next device with
  /// such objects. The objects keep the device alive.
  std::atomic<bool> hasLateObjects{false};
  DeviceObject *lateObjects = nullptr;
  Device *nextLateDevice = nullptr;

  uint32_t queueFamilyIndex = 0;
  VkQueue queue = VK_NULL_HANDLE;
  std::mutex queueMutex;
  void (*callerLock)(void *) = nullptr;
  void (*callerUnlock)(void *) = nullptr;
  void *callerUserData = nullptr;

  mutable std::mutex buffersMutex;
  /// The sizes of the buffers that the runtime has made on the device.
  std::unordered_map<VkBuffer, KnownBuffer> buffers;
  uint64_t lastBufferNumber = 0;

  std::mutex commandsMutex;
  std::vector<std::unique_ptr<Commands>> idleCommands;

  /// Compiling shares the cache; only merging into it needs it alone.
  std::shared_mutex cacheMutex;
  VkPipelineCache cache = VK_NULL_HANDLE;
};

/// Commands that the device executes.
class Device::CommandsInUse {
public:
  explicit CommandsInUse(Device &device);
  /// Retires the commands, unless finish() has succeeded.
  ~CommandsInUse();
  /// Waits for the commands.
  Status finish();

private:
  friend class Device;
  Status acquire();

  Device &device;
  Owned<Commands> commands;
};

/// A global memory barrier.
void recordBarrier(const DeviceFunctions &vk, VkCommandBuffer commandBuffer,
                   VkPipelineStageFlags sourceStages,
                   VkAccessFlags sourceAccess,
                   VkPipelineStageFlags destinationStages,
                   VkAccessFlags destinationAccess);

} // namespace dml::runtime

#endif // DML_RUNTIME_DEVICE_H
