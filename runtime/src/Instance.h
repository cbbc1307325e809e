//===- Instance.h - A VkInstance and what it sees -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_INSTANCE_H
#define DML_RUNTIME_INSTANCE_H

#include "DevicePlan.h"
#include "Vulkan.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace dml::runtime {

/// The newest version the runtime asks for and tells apart.
constexpr uint32_t kNewestApiVersion = VK_API_VERSION_1_3;

class Instance {
public:
  static Expected<std::shared_ptr<Instance>>
  create(const DmlInstanceCreateInfo &info);
  ~Instance();
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;

  const InstanceFunctions &functions() const { return vk; }
  PFN_vkGetInstanceProcAddr getProcAddr() const {
    return global.GetInstanceProcAddr;
  }
  VkInstance handle() const { return instance; }
  bool hasDebugUtils() const { return debugUtils; }
  const std::vector<DeviceSnapshot> &devices() const { return snapshots; }
  VkPhysicalDevice physicalDevice(uint32_t index) const {
    return physicalDevices[index];
  }
  uint32_t messageCount() const { return messages; }
  void receiveMessage(DmlMessageSeverity severity, const char *text);

private:
  Instance() = default;
  Status initialize(const DmlInstanceCreateInfo &info);

  GlobalFunctions global;
  InstanceFunctions vk;
  VkInstance instance = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  bool debugUtils = false;
  DmlMessageCallback callback = nullptr;
  void *callbackUserData = nullptr;
  std::atomic<uint32_t> messages{0};
  /// Held while the callback runs, which may itself make calls.
  std::recursive_mutex callbackMutex;
  std::vector<VkPhysicalDevice> physicalDevices;
  std::vector<DeviceSnapshot> snapshots;
};

/// Asks Vulkan about a physical device. `apiVersion` is the instance's.
Expected<DeviceSnapshot> takeSnapshot(const InstanceFunctions &vk,
                                      VkPhysicalDevice device,
                                      uint32_t apiVersion);

} // namespace dml::runtime

#endif // DML_RUNTIME_INSTANCE_H
