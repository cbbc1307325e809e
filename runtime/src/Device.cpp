//===- Device.cpp - A VkDevice with a queue -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "DataType.h"
#include "DeviceFeatures.h"
#include "DeviceRequirements.h"

#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

using namespace dml::runtime;

Expected<std::shared_ptr<Device>>
Device::create(std::shared_ptr<Instance> instance,
               const DmlDeviceCreateInfo &info) {
  std::shared_ptr<Device> device(new Device);
  device->instanceOwner = std::move(instance);
  DML_TRY(device->createDevice(info));
  DML_TRY(device->initialize(info.allocator));
  return device;
}

Status Device::createDevice(const DmlDeviceCreateInfo &info) {
  Expected<uint32_t> index = selectDevice(instanceOwner->devices(),
                                          info.selector ? info.selector : "");
  if (!index)
    return index.status();
  getInstanceProcAddr = instanceOwner->getProcAddr();
  instanceVk = instanceOwner->functions();
  DmlDeviceRequest request{};
  request.getInstanceProcAddr = getInstanceProcAddr;
  request.instance = instanceOwner->handle();
  request.physicalDevice = instanceOwner->physicalDevice(*index);
  request.apiVersion = kNewestApiVersion;
  request.debugUtilsEnabled = instanceOwner->hasDebugUtils();
  request.disabledFeatures = info.disabledFeatures;
  request.robustBufferAccess = info.robustBufferAccess;
  const DeviceSnapshot &snapshot = instanceOwner->devices()[*index];
  Expected<std::unique_ptr<DeviceRequirements>> requirements =
      DeviceRequirements::create(snapshot, request);
  if (!requirements)
    return requirements.status();
  DmlDeviceRequirementsInfo wanted{};
  (*requirements)->describe(wanted);

  // What takes memory is done before there is a device to destroy.
  use(wanted.device, snapshot);

  float priority = 1.0f;
  VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queueInfo.queueFamilyIndex = wanted.queueFamilyIndex;
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;
  VkDeviceCreateInfo createInfo{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                wanted.features};
  createInfo.queueCreateInfoCount = 1;
  createInfo.pQueueCreateInfos = &queueInfo;
  createInfo.enabledExtensionCount = wanted.extensionCount;
  createInfo.ppEnabledExtensionNames = wanted.extensions;
  DML_TRY(checkVk(instanceVk.CreateDevice(request.physicalDevice, &createInfo,
                                          nullptr, &device),
                  "vkCreateDevice for '", snapshot.info.name, "'"));
  ownsDevice = true;
  return Status();
}

/// The part of the Vulkan device that created and adopted devices share.
void Device::use(const DmlVulkanDevice &info, const DeviceSnapshot &snapshot) {
  instance = info.instance;
  physicalDevice = info.physicalDevice;
  debugUtils = info.debugUtilsEnabled;
  unchecked = info.pipelineRobustnessEnabled;
  robust = info.robustBufferAccessEnabled;
  queueFamilyIndex = info.queueFamilyIndex;
  properties = snapshot;
  supported = properties.info.features;
  // Properties are there without being enabled, unless they are disabled.
  properties.info.features = info.enabledFeatures;
  properties.subgroupSizeControl &= info.subgroupSizeControlEnabled;
  DmlDeviceLimits &limits = properties.info.limits;
  if (!properties.subgroupSizeControl) {
    limits.minSubgroupSize = limits.maxSubgroupSize = limits.subgroupSize;
    limits.maxComputeWorkgroupSubgroups = 0;
  }
  if (!(properties.info.features & DML_FEATURE_COOPERATIVE_MATRIX_BIT))
    limits.matrixShapeCount = 0;
  if (timestampValidBits() == 0)
    limits.timestampPeriod = 0;
}

Expected<std::shared_ptr<Device>> Device::adopt(const DmlVulkanDevice &info) {
  auto invalid = [](const auto &...ts) {
    return makeError(DML_ERROR_INVALID_ARGUMENT, ts...);
  };
  if (!info.instance || !info.physicalDevice || !info.device)
    return invalid("adopting a device needs its instance, physicalDevice and "
                   "device, but one is VK_NULL_HANDLE");
  DML_TRY(checkApiVersion(info.apiVersion));
  if (!info.lockQueue != !info.unlockQueue)
    return invalid("lockQueue and unlockQueue: both or neither must be set");

  std::shared_ptr<Device> device(new Device);
  Expected<GlobalFunctions> global =
      loadGlobalFunctions(info.getInstanceProcAddr);
  if (!global)
    return global.status();
  device->getInstanceProcAddr = global->GetInstanceProcAddr;
  DML_TRY(loadInstanceFunctions(global->GetInstanceProcAddr, info.instance,
                                info.debugUtilsEnabled, device->instanceVk));
  Expected<DeviceSnapshot> snapshot =
      takeSnapshot(device->instanceVk, info.physicalDevice,
                   std::min(info.apiVersion, kNewestApiVersion));
  if (!snapshot)
    return snapshot.status();
  DML_TRY(checkUsable(*snapshot));
  DmlFeatureFlags supported = snapshot->info.features;
  if (DmlFeatureFlags unknown = info.enabledFeatures & ~supported)
    return invalid("enabledFeatures has 0x", std::hex, unknown, " (",
                   describeFeatures(unknown), "), which device '",
                   snapshot->info.name, "' does not support");
  if (info.queueFamilyIndex >= snapshot->queueFamilies.size())
    return invalid("queueFamilyIndex is ", info.queueFamilyIndex,
                   ", but the device has ", snapshot->queueFamilies.size(),
                   " queue families");
  if (!(snapshot->queueFamilies[info.queueFamilyIndex].queueFlags &
        VK_QUEUE_COMPUTE_BIT))
    return invalid("queue family ", info.queueFamilyIndex,
                   " has no VK_QUEUE_COMPUTE_BIT");
  DmlVulkanDevice used = info;
  used.enabledFeatures |= supported & getProperties();
  device->use(used, *snapshot);
  device->queue = info.queue;
  device->callerLock = info.lockQueue;
  device->callerUnlock = info.unlockQueue;
  device->callerUserData = info.queueUserData;
  device->device = info.device;
  DML_TRY(device->initialize(info.allocator));
  return device;
}

/// The part that created and adopted devices share.
Status Device::initialize(const DmlAllocator *allocator) {
  DML_TRY(loadDeviceFunctions(instanceVk.GetDeviceProcAddr, device, vk));
  if (ownsDevice)
    vk.GetDeviceQueue(device, queueFamilyIndex, 0, &queue);
  // Robust access may end anywhere in the memory object of a buffer.
  buffersMemory =
      std::make_unique<Memory>(*this, allocator, /*sharesBlocks=*/!robust);
  VkPipelineCacheCreateInfo cacheInfo{
      VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  return checkVk(vk.CreatePipelineCache(device, &cacheInfo, nullptr, &cache),
                 "vkCreatePipelineCache");
}

Device::~Device() {
  idleCommands.clear();
  buffersMemory.reset();
  if (cache)
    vk.DestroyPipelineCache(device, cache, nullptr);
  if (ownsDevice && vk.DestroyDevice)
    vk.DestroyDevice(device, nullptr);
}

//===----------------------------------------------------------------------===//
// Late work
//===----------------------------------------------------------------------===//

namespace {

/// The list of devices with objects that are kept for late work. The list needs
/// no memory of its own, and exists until the process ends.
std::mutex lateMutex;
std::atomic<Device *> lateDevices{nullptr};

} // namespace

void Retire::operator()(DeviceObject *object) const noexcept {
  Device::retire(object);
}

void Device::retire(DeviceObject *object) noexcept {
  std::shared_ptr<Device> device = object->getDevice();
  if (device) {
    bool isWorking = object->isWorking(device->waitLimit());
    if (isWorking || device->hasLateObjects) {
      std::lock_guard<std::mutex> lock(lateMutex);
      if (isWorking || device->hasLateObjects) {
        if (!device->hasLateObjects) {
          device->hasLateObjects = true;
          device->nextLateDevice = lateDevices;
          lateDevices = device.get();
        }
        object->nextLate = device->lateObjects;
        device->lateObjects = object;
        return;
      }
    }
  }
  delete object;
}

void Device::destroyWhatHasEnded() noexcept {
  if (!lateDevices)
    return;
  DeviceObject *ended = nullptr;
  {
    std::lock_guard<std::mutex> lock(lateMutex);
    Device *device = lateDevices;
    Device *remaining = nullptr;
    while (device) {
      Device *next = device->nextLateDevice;
      // A buffer may stand before the binding table that uses it, and that
      // notices the end of its work when it is asked: all are asked twice.
      bool isWorking = false;
      for (int round = 0; round < 2; ++round) {
        isWorking = false;
        for (auto *at = device->lateObjects; at; at = at->nextLate)
          isWorking |= at->isWorking(0);
      }
      if (isWorking) {
        device->nextLateDevice = remaining;
        remaining = device;
      } else {
        while (DeviceObject *object = device->lateObjects) {
          device->lateObjects = object->nextLate;
          object->nextLate = ended;
          ended = object;
        }
        device->hasLateObjects = false;
      }
      device = next;
    }
    lateDevices = remaining;
  }
  // The last object of a device may destroy the device.
  while (ended)
    delete std::exchange(ended, ended->nextLate);
}

uint32_t Device::countLateObjects(VkDevice handle) noexcept {
  uint32_t count = 0;
  std::lock_guard<std::mutex> lock(lateMutex);
  for (Device *at = lateDevices; at; at = at->nextLateDevice)
    if (!handle || at->device == handle)
      for (auto *object = at->lateObjects; object; object = object->nextLate)
        ++count;
  return count;
}

DmlVulkanDevice Device::describe() {
  DmlVulkanDevice info{};
  info.getInstanceProcAddr = getInstanceProcAddr;
  info.instance = instance;
  info.physicalDevice = physicalDevice;
  info.device = device;
  info.apiVersion = properties.info.apiVersion;
  info.enabledFeatures = properties.info.features;
  info.debugUtilsEnabled = debugUtils;
  info.pipelineRobustnessEnabled = unchecked;
  info.robustBufferAccessEnabled = robust;
  info.subgroupSizeControlEnabled = properties.subgroupSizeControl;
  info.queueFamilyIndex = queueFamilyIndex;
  info.queue = queue;
  info.lockQueue = [](void *data) { static_cast<Device *>(data)->lockQueue(); };
  info.unlockQueue = [](void *data) {
    static_cast<Device *>(data)->unlockQueue();
  };
  info.queueUserData = this;
  return info;
}

void Device::describeMemoryUse(DmlMemoryUse &use) {
  buffersMemory->describe(use);
  if (!properties.memoryBudget)
    return;
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 memory{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget};
  instanceVk.GetPhysicalDeviceMemoryProperties2(physicalDevice, &memory);
  const VkPhysicalDeviceMemoryProperties &heaps = memory.memoryProperties;
  for (uint32_t i = 0; i < heaps.memoryHeapCount; ++i)
    if (heaps.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) {
      use.heapUsage += budget.heapUsage[i];
      use.heapBudget += budget.heapBudget[i];
    }
}

void Device::lockQueue() {
  queueMutex.lock();
  if (callerLock)
    callerLock(callerUserData);
}

void Device::unlockQueue() {
  if (callerUnlock)
    callerUnlock(callerUserData);
  queueMutex.unlock();
}

namespace {

/// The semaphores of a submission as Vulkan takes them.
struct Semaphores {
  std::vector<VkSemaphore> handles;
  std::vector<uint64_t> values;

  Status add(const char *what, const DmlSemaphoreValue *semaphores,
             uint32_t count) {
    if (count != 0 && !semaphores)
      return makeError(DML_ERROR_INVALID_ARGUMENT, what,
                       "Semaphores is NULL, "
                       "but ",
                       what, "SemaphoreCount is ", count);
    for (uint32_t i = 0; i < count; ++i) {
      if (!semaphores[i].semaphore)
        return makeError(DML_ERROR_INVALID_ARGUMENT, "semaphore ", i, " of ",
                         what, "Semaphores is VK_NULL_HANDLE");
      handles.push_back(semaphores[i].semaphore);
      values.push_back(semaphores[i].value);
    }
    return Status();
  }
  uint32_t count() const { return static_cast<uint32_t>(handles.size()); }
};

} // namespace

Status Device::submit(const std::vector<VkCommandBuffer> &commandBuffers,
                      VkFence fence, const DmlSubmitInfo *semaphores) {
  if (!queue)
    return makeError(DML_ERROR_INVALID_ARGUMENT,
                     "the device was adopted without a queue: nothing can be "
                     "submitted");
  std::vector<VkSubmitInfo> infos(commandBuffers.size(),
                                  {VK_STRUCTURE_TYPE_SUBMIT_INFO});
  for (size_t i = 0; i < infos.size(); ++i) {
    infos[i].commandBufferCount = 1;
    infos[i].pCommandBuffers = &commandBuffers[i];
  }
  Semaphores waits, signals;
  VkTimelineSemaphoreSubmitInfo waitValues{
      VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO},
      signalValues = waitValues;
  std::vector<VkPipelineStageFlags> stages;
  if (semaphores) {
    DML_TRY(waits.add("wait", semaphores->waitSemaphores,
                      semaphores->waitSemaphoreCount));
    DML_TRY(signals.add("signal", semaphores->signalSemaphores,
                        semaphores->signalSemaphoreCount));
    stages.assign(waits.count(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    VkSubmitInfo &first = infos.front(), &last = infos.back();
    first.waitSemaphoreCount = waits.count();
    first.pWaitSemaphores = waits.handles.data();
    first.pWaitDstStageMask = stages.data();
    last.signalSemaphoreCount = signals.count();
    last.pSignalSemaphores = signals.handles.data();
    waitValues.waitSemaphoreValueCount = waits.count();
    waitValues.pWaitSemaphoreValues = waits.values.data();
    // One batch takes the values of both.
    VkTimelineSemaphoreSubmitInfo &ofLast =
        infos.size() == 1 ? waitValues : signalValues;
    ofLast.signalSemaphoreValueCount = signals.count();
    ofLast.pSignalSemaphoreValues = signals.values.data();
    if (waits.count() != 0)
      first.pNext = &waitValues;
    if (signals.count() != 0)
      last.pNext = &ofLast;
  }
  lockQueue();
  VkResult result = vk.QueueSubmit(queue, static_cast<uint32_t>(infos.size()),
                                   infos.data(), fence);
  unlockQueue();
  return checkVk(result, "vkQueueSubmit");
}

VkResult Device::waitFor(const VkFence *fences, uint32_t count,
                         uint64_t timeout, uint64_t expected) noexcept {
  // A driver may let a waiting thread sleep, and waking it takes longer than a
  // small operator runs: the host learned that operators had finished after 6
  // microseconds on an H100 only after 50 to 140 microseconds. The thread
  // therefore polls around the time at which the work is expected to end. Of
  // work that is expected to take 3 ms, the thread sleeps for 2.9 ms and polls
  // for 0.2 ms. It sleeps in short parts, after each of which it asks for the
  // fence, so that an expectation which is too long costs little.
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds partOfSleep(250'000);
  VkFence last = fences[count - 1];
  uint64_t spinTime = this->spinTime;
  VkResult result = VK_NOT_READY;
  if (expected > spinTime && spinTime != 0) {
    uint64_t asleep = std::min(timeout, expected - spinTime / 2);
    auto wake = Clock::now() + std::chrono::nanoseconds(asleep);
    for (auto now = Clock::now(); result == VK_NOT_READY && now < wake;
         now = Clock::now()) {
      std::this_thread::sleep_for(
          std::min<std::chrono::nanoseconds>(wake - now, partOfSleep));
      result = vk.GetFenceStatus(device, last);
    }
    if (timeout != UINT64_MAX)
      timeout -= asleep;
  }
  uint64_t polling = std::min(timeout, spinTime);
  auto end = Clock::now() + std::chrono::nanoseconds(polling);
  // Submissions to a queue end in order, but each fence is to be asked itself.
  if (result == VK_NOT_READY && spinTime != 0)
    result = vk.GetFenceStatus(device, last);
  while (result == VK_NOT_READY && Clock::now() < end) {
    std::this_thread::yield();
    result = vk.GetFenceStatus(device, last);
  }
  if (result == VK_NOT_READY || (result == VK_SUCCESS && count > 1))
    result =
        vk.WaitForFences(device, count, fences, VK_TRUE,
                         timeout == UINT64_MAX ? timeout : timeout - polling);
  return result;
}

Status Device::checkWait(VkResult result, uint64_t timeout) {
  if (result == VK_TIMEOUT)
    return makeError(DML_ERROR_TIMEOUT, "the work has not finished within ",
                     timeout, " ns");
  return checkVk(result, "waiting for the work (vkWaitForFences)");
}

/// What one use of runCommands needs; kept for the next one.
class Device::Commands : public DeviceObject {
public:
  explicit Commands(Device &device) : device(device) {}
  ~Commands() override {
    const DeviceFunctions &vk = device.vk;
    if (fence)
      vk.DestroyFence(device.device, fence, nullptr);
    if (pool)
      vk.DestroyCommandPool(device.device, pool, nullptr);
  }

  Status create() {
    const DeviceFunctions &vk = device.vk;
    VkCommandPoolCreateInfo poolInfo{
        VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT |
                     VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    poolInfo.queueFamilyIndex = device.queueFamilyIndex;
    DML_TRY(
        checkVk(vk.CreateCommandPool(device.device, &poolInfo, nullptr, &pool),
                "vkCreateCommandPool"));
    VkCommandBufferAllocateInfo bufferInfo{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    bufferInfo.commandPool = pool;
    bufferInfo.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    bufferInfo.commandBufferCount = 1;
    DML_TRY(
        checkVk(vk.AllocateCommandBuffers(device.device, &bufferInfo, &buffer),
                "vkAllocateCommandBuffers"));
    device.setName(VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)buffer,
                   "copies of dml's runtime");
    VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    return checkVk(vk.CreateFence(device.device, &fenceInfo, nullptr, &fence),
                   "vkCreateFence");
  }

  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  /// Set while work runs, which keeps the device.
  std::shared_ptr<Device> user;
  bool hasTimedOut = false;

private:
  /// A wait that has failed, for example since there was no memory, may succeed
  /// now. A wait that has reached its time limit is not repeated.
  bool isWorking(uint64_t timeout) noexcept override {
    VkResult result = device.waitFor(&fence, 1, hasTimedOut ? 0 : timeout);
    return result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST;
  }
  std::shared_ptr<Device> getDevice() const noexcept override { return user; }

  Device &device;
};

Device::CommandsInUse::CommandsInUse(Device &device) : device(device) {}
Device::CommandsInUse::~CommandsInUse() = default;

Status Device::CommandsInUse::acquire() {
  std::lock_guard<std::mutex> lock(device.commandsMutex);
  if (device.idleCommands.empty()) {
    commands.reset(new Commands(device));
    return commands->create();
  }
  commands.reset(device.idleCommands.back().release());
  device.idleCommands.pop_back();
  return Status();
}

Expected<std::unique_ptr<Device::CommandsInUse>>
Device::startCommands(const std::function<void(VkCommandBuffer)> &record) {
  auto inUse = std::make_unique<CommandsInUse>(*this);
  DML_TRY(inUse->acquire());
  Owned<Commands> &commands = inUse->commands;
  VkCommandBufferBeginInfo beginInfo{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  beginInfo.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  DML_TRY(checkVk(vk.BeginCommandBuffer(commands->buffer, &beginInfo),
                  "vkBeginCommandBuffer"));
  constexpr VkAccessFlags kAnyAccess =
      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  recordBarrier(vk, commands->buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                kAnyAccess);
  record(commands->buffer);
  recordBarrier(vk, commands->buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                VK_ACCESS_MEMORY_WRITE_BIT,
                VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                kAnyAccess | VK_ACCESS_HOST_READ_BIT);
  DML_TRY(checkVk(vk.EndCommandBuffer(commands->buffer), "vkEndCommandBuffer"));
  std::shared_ptr<Device> self = shared_from_this();
  DML_TRY(submit({commands->buffer}, commands->fence));
  commands->user = std::move(self);
  return inUse;
}

Status Device::CommandsInUse::finish() {
  uint64_t timeout = device.waitLimit();
  VkResult waited = device.waitFor(&commands->fence, 1, timeout);
  commands->hasTimedOut = waited == VK_TIMEOUT;
  DML_TRY(checkWait(waited, timeout));
  commands->user.reset();
  DML_TRY(checkVk(device.vk.ResetFences(device.device, 1, &commands->fence),
                  "vkResetFences"));
  std::lock_guard<std::mutex> lock(device.commandsMutex);
  device.idleCommands.reserve(device.idleCommands.size() + 1);
  device.idleCommands.emplace_back(commands.release());
  return Status();
}

Status Device::runCommands(const std::function<void(VkCommandBuffer)> &record) {
  Expected<std::unique_ptr<CommandsInUse>> commands = startCommands(record);
  if (!commands)
    return commands.status();
  return (*commands)->finish();
}

std::shared_ptr<UseCount> Device::addBuffer(VkBuffer buffer, uint64_t size) {
  auto uses = std::make_shared<UseCount>(0);
  std::lock_guard<std::mutex> lock(buffersMutex);
  buffers[buffer] = {size, ++lastBufferNumber, uses};
  return uses;
}

void Device::removeBuffer(VkBuffer buffer) noexcept {
  std::lock_guard<std::mutex> lock(buffersMutex);
  buffers.erase(buffer);
}

Device::KnownBuffer Device::findBuffer(VkBuffer buffer) const {
  std::lock_guard<std::mutex> lock(buffersMutex);
  auto found = buffers.find(buffer);
  return found == buffers.end() ? KnownBuffer() : found->second;
}

void Device::setName(VkObjectType type, uint64_t object,
                     const std::string &name) const {
  if (!instanceVk.SetDebugUtilsObjectNameEXT)
    return;
  VkDebugUtilsObjectNameInfoEXT info{
      VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
  info.objectType = type;
  info.objectHandle = object;
  info.pObjectName = name.c_str();
  instanceVk.SetDebugUtilsObjectNameEXT(device, &info);
}

//===----------------------------------------------------------------------===//
// The pipeline cache
//===----------------------------------------------------------------------===//

namespace {

/// The header in front of Vulkan's data. A driver checks that the data belong
/// to its device, but trusts their contents. The checksum prevents damaged data
/// from reaching a driver.
struct CacheHeader {
  char magic[4];
  uint32_t version;
  uint64_t size;
  uint64_t checksum;
};

constexpr char kCacheMagic[4] = {'D', 'M', 'L', 'P'};
constexpr uint32_t kCacheVersion = 1;

/// FNV-1a, enough against accidents.
uint64_t computeChecksum(const uint8_t *data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ data[i]) * 0x100000001b3u;
  return hash;
}

} // namespace

Status Device::createComputePipeline(VkComputePipelineCreateInfo info,
                                     VkPipeline &pipeline) {
  // An NVIDIA driver (580.159.04) checks each access even without
  // robustBufferAccess, unless it is told not to.
  VkPipelineRobustnessCreateInfoEXT robustness{
      VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT};
  robustness.storageBuffers =
      VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT;
  if (unchecked) {
    robustness.pNext = info.pNext;
    info.pNext = &robustness;
  }
  if (capturesStatistics)
    info.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  std::shared_lock<std::shared_mutex> lock(cacheMutex);
  return checkVk(
      vk.CreateComputePipelines(device, cache, 1, &info, nullptr, &pipeline),
      "vkCreateComputePipelines");
}

Expected<std::vector<uint8_t>> Device::pipelineCacheData() {
  std::vector<uint8_t> bytes;
  size_t size = 0;
  // The cache may grow between asking for its size and for its data.
  auto read = [&] {
    std::shared_lock<std::shared_mutex> lock(cacheMutex);
    VkResult result = vk.GetPipelineCacheData(device, cache, &size, nullptr);
    if (result != VK_SUCCESS)
      return result;
    bytes.resize(sizeof(CacheHeader) + size);
    return vk.GetPipelineCacheData(device, cache, &size,
                                   bytes.data() + sizeof(CacheHeader));
  };
  DML_TRY(retryIncomplete(read, "vkGetPipelineCacheData"));
  bytes.resize(sizeof(CacheHeader) + size);
  CacheHeader header{{},
                     kCacheVersion,
                     size,
                     computeChecksum(bytes.data() + sizeof(CacheHeader), size)};
  std::memcpy(header.magic, kCacheMagic, sizeof(kCacheMagic));
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

Status Device::setPipelineCacheData(const uint8_t *data, size_t size) {
  auto invalid = [](const auto &...ts) {
    return makeError(DML_ERROR_INVALID_ARGUMENT, "pipeline cache data ", ts...);
  };
  CacheHeader header;
  if (size < sizeof(header))
    return invalid("have ", size, " bytes, but at least ", sizeof(header),
                   " are needed");
  std::memcpy(&header, data, sizeof(header));
  data += sizeof(header);
  size -= sizeof(header);
  if (std::memcmp(header.magic, kCacheMagic, sizeof(kCacheMagic)) != 0 ||
      header.version != kCacheVersion)
    return invalid("are not of this version of the runtime");
  if (header.size != size)
    return invalid("hold ", size, " bytes, but should hold ", header.size);
  if (header.checksum != computeChecksum(data, size))
    return invalid("are damaged: their checksum differs");

  VkPhysicalDeviceProperties core;
  instanceVk.GetPhysicalDeviceProperties(physicalDevice, &core);
  VkPipelineCacheHeaderVersionOne vulkanHeader;
  if (size < sizeof(vulkanHeader))
    return invalid("hold ", size, " bytes, fewer than Vulkan's header");
  std::memcpy(&vulkanHeader, data, sizeof(vulkanHeader));
  if (vulkanHeader.headerVersion != VK_PIPELINE_CACHE_HEADER_VERSION_ONE ||
      vulkanHeader.headerSize < sizeof(vulkanHeader) ||
      vulkanHeader.headerSize > size)
    return invalid("have a header of Vulkan's of version ",
                   static_cast<uint32_t>(vulkanHeader.headerVersion), " with ",
                   vulkanHeader.headerSize,
                   " bytes, but wanted is version 1 "
                   "with ",
                   sizeof(vulkanHeader), " to ", size);
  if (vulkanHeader.vendorID != core.vendorID ||
      vulkanHeader.deviceID != core.deviceID ||
      std::memcmp(vulkanHeader.pipelineCacheUUID, core.pipelineCacheUUID,
                  VK_UUID_SIZE) != 0)
    return invalid("are for another device or driver than '",
                   properties.info.name, "'");

  VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.initialDataSize = size;
  info.pInitialData = data;
  VkPipelineCache loaded = VK_NULL_HANDLE;
  DML_TRY(checkVk(vk.CreatePipelineCache(device, &info, nullptr, &loaded),
                  "vkCreatePipelineCache"));
  VkResult result;
  {
    std::unique_lock<std::shared_mutex> lock(cacheMutex);
    result = vk.MergePipelineCaches(device, cache, 1, &loaded);
  }
  vk.DestroyPipelineCache(device, loaded, nullptr);
  return checkVk(result, "vkMergePipelineCaches");
}

void dml::runtime::recordBarrier(const DeviceFunctions &vk,
                                 VkCommandBuffer commandBuffer,
                                 VkPipelineStageFlags sourceStages,
                                 VkAccessFlags sourceAccess,
                                 VkPipelineStageFlags destinationStages,
                                 VkAccessFlags destinationAccess) {
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = sourceAccess;
  barrier.dstAccessMask = destinationAccess;
  vk.CmdPipelineBarrier(commandBuffer, sourceStages, destinationStages, 0, 1,
                        &barrier, 0, nullptr, 0, nullptr);
}
