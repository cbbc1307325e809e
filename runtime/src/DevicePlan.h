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
  /// VK_EXT_subgroup_size_control with both of its features.
  bool subgroupSizeControl = false;
  /// VK_EXT_memory_budget.
  bool memoryBudget = false;
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

/// Everything that a device lacks to meet requirements. Features in `supported`
/// that `device` lacks are those a VkDevice was made without.
std::vector<std::string> findMissing(const DmlDeviceInfo &device,
                                     const Requirements &requirements,
                                     DmlFeatureFlags supported = 0);

/// The variant of each function that a device runs: the first whose
/// requirements it meets. DML_ERROR_UNSUPPORTED where there is none, with all
/// that is missing for the one that is nearest.
Expected<std::vector<uint32_t>> chooseVariants(const DmlDeviceInfo &device,
                                               const Executable &executable,
                                               DmlFeatureFlags supported = 0);

/// Where a space of `size` bytes is cut into buffers of `limit` bytes at most:
/// the first byte of each. No cut is within one of `ranges`, each the first
/// byte of a range and the one behind it, so that a buffer is larger where a
/// range is, or where ranges overlap without a gap. With a limit of 1000 bytes,
/// 1500 bytes with the ranges 0 to 400, 400 to 900 and 900 to 1500 begin at 0
/// and 900.
std::vector<uint64_t>
chooseCuts(uint64_t size, std::vector<std::pair<uint64_t, uint64_t>> ranges,
           uint64_t limit);

/// The queue family to use: the first with compute, one with timestamps before
/// one without.
std::optional<uint32_t>
chooseQueueFamily(const std::vector<VkQueueFamilyProperties> &families);

/// The type of memory for a use, among those in the mask `typeBits`.
std::optional<uint32_t> chooseMemoryType(const DeviceSnapshot &device,
                                         DmlMemory memory, uint32_t typeBits);

/// The properties of the memory for a use: those that it must have, and those
/// that are best.
struct MemoryWish {
  VkMemoryPropertyFlags required = 0, preferred = 0;
};
MemoryWish describeMemory(const DeviceSnapshot &device, DmlMemory memory);

/// Of the types of memory in the mask `typeBits` those that have what `wish`
/// requires.
uint32_t findMemoryTypes(const DeviceSnapshot &device, const MemoryWish &wish,
                         uint32_t typeBits);

/// 16 bytes as in "6d657361-3232-2e33-2e36-000000000000".
std::string describeUuid(const uint8_t (&uuid)[16]);

} // namespace dml::runtime

#endif // DML_RUNTIME_DEVICEPLAN_H
