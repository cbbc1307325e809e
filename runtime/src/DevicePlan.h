//===- DevicePlan.h - Decisions about devices, without a device -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Everything the runtime decides about a device it decides here, from a
// snapshot of what Vulkan reported. No function here calls Vulkan, so each is
// tested without a device.
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_DEVICEPLAN_H
#define DML_RUNTIME_DEVICEPLAN_H

#include "Executable.h"
#include "Status.h"

#include <optional>
#include <string>
#include <vector>

namespace dml::runtime {

/// What Vulkan reported of a physical device.
struct DeviceSnapshot {
  DmlDeviceInfo info{};
  /// The device's own version: may be newer than info.apiVersion, or too old.
  uint32_t deviceApiVersion = 0;
  bool robustBufferAccess = false;
  /// VK_KHR_portability_subset, to be enabled where it is there.
  bool portabilitySubset = false;
  /// VK_EXT_pipeline_robustness.
  bool pipelineRobustness = false;
  /// Whether memory and semaphores of other devices and processes can be
  /// imported by file descriptors.
  bool externalMemory = false, externalSemaphores = false;
  /// VK_EXT_subgroup_size_control with both of its features.
  bool subgroupSizeControl = false;
  /// VK_EXT_memory_budget.
  bool memoryBudget = false;
  /// The largest number of storage buffers in a descriptor set whose offsets a
  /// command buffer may state.
  uint32_t maxDynamicStorageBuffers = 0;
  VkPhysicalDeviceMemoryProperties memory{};
  std::vector<VkQueueFamilyProperties> queueFamilies;
};

/// Finds the device that a selector means; see dmlFindDevice.
Expected<uint32_t> selectDevice(const std::vector<DeviceSnapshot> &devices,
                                const std::string &selector);

/// Everything that keeps the runtime from using a device at all.
std::vector<std::string> findUnusable(const DeviceSnapshot &device);

/// An error that says the same, if there is something.
Status checkUsable(const DeviceSnapshot &device);

/// An error where an instance has a version of Vulkan that is too old.
Status checkApiVersion(uint32_t apiVersion);

/// Requirements as limits of a device that has just enough. Others are 0.
DmlDeviceLimits toLimits(const Requirements &requirements);

/// Returns everything that a device lacks to meet requirements. `supported` are
/// the features of the physical device: the message tells that a feature which
/// it contains was not enabled in the VkDevice.
std::vector<std::string> findMissing(const DmlDeviceInfo &device,
                                     const Requirements &requirements,
                                     DmlFeatureFlags supported = 0);

/// Returns the variant of each function that a device runs: the first one whose
/// requirements it meets. Returns DML_ERROR_UNSUPPORTED, with everything that
/// is missing for the nearest variant, if it meets the requirements of none.
Expected<std::vector<uint32_t>> chooseVariants(const DmlDeviceInfo &device,
                                               const Executable &executable,
                                               DmlFeatureFlags supported = 0);

/// Divides `size` bytes into buffers of at most `limit` bytes, and returns the
/// first byte of each buffer. `ranges`, each given by its first byte and the
/// byte behind its end, are not divided, so that a buffer may exceed the limit
/// if a range does, or if ranges overlap. With a limit of 1000 bytes, 1500
/// bytes with the ranges 0 to 400, 400 to 900 and 900 to 1500 become buffers
/// that begin at 0 and 900.
std::vector<uint64_t>
chooseCuts(uint64_t size, std::vector<std::pair<uint64_t, uint64_t>> ranges,
           uint64_t limit);

/// Returns the queue family to use: the first family with compute and
/// timestamps, or else the first with compute.
std::optional<uint32_t>
chooseQueueFamily(const std::vector<VkQueueFamilyProperties> &families);

/// The type of memory for a use, among those in the mask `typeBits`.
std::optional<uint32_t> chooseMemoryType(const DeviceSnapshot &device,
                                         DmlMemory memory, uint32_t typeBits);

/// The properties of memory for a purpose: the required properties, and the
/// preferred ones.
struct MemoryWish {
  VkMemoryPropertyFlags required = 0, preferred = 0;
};
MemoryWish describeMemory(const DeviceSnapshot &device, DmlMemory memory);

/// Returns the types of memory in the mask `typeBits` that have the properties
/// which `wish` requires.
uint32_t findMemoryTypes(const DeviceSnapshot &device, const MemoryWish &wish,
                         uint32_t typeBits);

/// 16 bytes as in "6d657361-3232-2e33-2e36-000000000000".
std::string describeUuid(const uint8_t (&uuid)[16]);

} // namespace dml::runtime

#endif // DML_RUNTIME_DEVICEPLAN_H
