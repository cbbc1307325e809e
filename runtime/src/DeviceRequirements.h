//===- DeviceRequirements.h - What a VkDevice is to be created with -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_DEVICEREQUIREMENTS_H
#define DML_RUNTIME_DEVICEREQUIREMENTS_H

#include "DeviceFeatures.h"
#include "Instance.h"

#include <memory>
#include <vector>

namespace dml::runtime {

/// The features, extensions and queue family that the runtime needs in a
/// VkDevice. Chains contain pointers into this object, which is therefore not
/// copied.
class DeviceRequirements {
public:
  /// Reads the properties of the physical device in `request`, and sets
  /// features in the request's chain, if there is one.
  static Expected<std::unique_ptr<DeviceRequirements>>
  create(const DmlDeviceRequest &request);
  /// The same of a device that was read before.
  static Expected<std::unique_ptr<DeviceRequirements>>
  create(const DeviceSnapshot &device, const DmlDeviceRequest &request);
  DeviceRequirements(const DeviceRequirements &) = delete;
  DeviceRequirements &operator=(const DeviceRequirements &) = delete;

  void describe(DmlDeviceRequirementsInfo &info) const;
  const DmlVulkanDevice &device() const { return vulkan; }

private:
  DeviceRequirements() = default;
  Status initialize(const DeviceSnapshot &device,
                    const DmlDeviceRequest &request);
  void addExtensions(const DeviceSnapshot &device);
  void setFeatures(const DeviceSnapshot &device);
  /// Sets a feature: a member of a structure in the chain. If the chain
  /// contains the structure `whole`, which belongs to a version of Vulkan and
  /// also has the member, the member of `whole` is set. Otherwise the structure
  /// `own` is used, and appended to the chain if necessary.
  template <typename Whole, typename Own>
  void set(VkStructureType wholeType, VkBool32 Whole::*inWhole, Own &own,
           VkBool32 Own::*inOwn);
  template <typename Own> void set(Own &own, VkBool32 Own::*member);
  void *findInChain(VkStructureType type) const;

  DmlVulkanDevice vulkan{};
  std::vector<const char *> extensions;
  /// The first structure of the chain: the caller's, or `ownFeatures`.
  VkPhysicalDeviceFeatures2 *features = nullptr;

  VkPhysicalDeviceFeatures2 ownFeatures{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDevice16BitStorageFeatures storage16{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
  VkPhysicalDevice8BitStorageFeatures storage8{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES};
  VkPhysicalDeviceShaderFloat16Int8Features float16Int8{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
  VkPhysicalDeviceVulkanMemoryModelFeatures memoryModel{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES};
  VkPhysicalDeviceTimelineSemaphoreFeatures timelineSemaphore{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
  VkPhysicalDeviceSubgroupSizeControlFeaturesEXT subgroupSizeControl{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT};
  VkPhysicalDevicePipelineRobustnessFeaturesEXT pipelineRobustness{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
};

} // namespace dml::runtime

#endif // DML_RUNTIME_DEVICEREQUIREMENTS_H
