//===- DeviceRequirements.cpp - What a VkDevice is to be created with -----===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DeviceRequirements.h"

#include "DataType.h"

using namespace dml::runtime;

Expected<std::unique_ptr<DeviceRequirements>>
DeviceRequirements::create(const DmlDeviceRequest &request) {
  if (!request.instance || !request.physicalDevice)
    return makeError(DML_ERROR_INVALID_ARGUMENT,
                     "the request needs an instance and a physicalDevice, but "
                     "one is VK_NULL_HANDLE");
  DML_TRY(checkApiVersion(request.apiVersion));
  Expected<GlobalFunctions> global =
      loadGlobalFunctions(request.getInstanceProcAddr);
  if (!global)
    return global.status();
  InstanceFunctions vk;
  DML_TRY(loadInstanceFunctions(global->GetInstanceProcAddr, request.instance,
                                request.debugUtilsEnabled, vk));
  Expected<DeviceSnapshot> snapshot =
      takeSnapshot(vk, request.physicalDevice,
                   std::min(request.apiVersion, kNewestApiVersion));
  if (!snapshot)
    return snapshot.status();
  DML_TRY(checkUsable(*snapshot));
  DmlDeviceRequest complete = request;
  complete.getInstanceProcAddr = global->GetInstanceProcAddr;
  return create(*snapshot, complete);
}

Expected<std::unique_ptr<DeviceRequirements>>
DeviceRequirements::create(const DeviceSnapshot &device,
                           const DmlDeviceRequest &request) {
  std::unique_ptr<DeviceRequirements> requirements(new DeviceRequirements);
  DML_TRY(requirements->initialize(device, request));
  return requirements;
}

Status DeviceRequirements::initialize(const DeviceSnapshot &device,
                                      const DmlDeviceRequest &request) {
  if (DmlFeatureFlags unknown = request.disabledFeatures & ~DML_FEATURE_ALL)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "disabledFeatures has 0x",
                     std::hex, unknown, ", which is no feature");
  if (request.robustBufferAccess && !device.robustBufferAccess)
    return makeError(DML_ERROR_UNSUPPORTED, "device '", device.info.name,
                     "' lacks the feature robustBufferAccess");
  vulkan.getInstanceProcAddr = request.getInstanceProcAddr;
  vulkan.instance = request.instance;
  vulkan.physicalDevice = request.physicalDevice;
  vulkan.apiVersion = request.apiVersion;
  vulkan.debugUtilsEnabled = request.debugUtilsEnabled;
  vulkan.enabledFeatures = device.info.features & ~request.disabledFeatures;
  vulkan.robustBufferAccessEnabled = request.robustBufferAccess;
  vulkan.pipelineRobustnessEnabled =
      !request.robustBufferAccess && device.pipelineRobustness;
  vulkan.subgroupSizeControlEnabled = device.subgroupSizeControl;
  // A device that can be used has such a family.
  vulkan.queueFamilyIndex = *chooseQueueFamily(device.queueFamilies);
  addExtensions(device);
  // Nothing fails from here on: the chain is the caller's.
  features = request.features ? request.features : &ownFeatures;
  setFeatures(device);
  return Status();
}

void DeviceRequirements::addExtensions(const DeviceSnapshot &device) {
  // Must be enabled where a device offers it.
  if (device.portabilitySubset)
    extensions.push_back("VK_KHR_portability_subset");
  if (vulkan.pipelineRobustnessEnabled)
    extensions.push_back(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME);
  if (vulkan.subgroupSizeControlEnabled)
    extensions.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  // The runtime imports nothing. A program may, into dml's device, as the
  // provider for ONNX Runtime does.
  if (device.externalMemory)
    extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  if (device.externalSemaphores)
    extensions.push_back(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
  if (vulkan.enabledFeatures & DML_FEATURE_COOPERATIVE_MATRIX_BIT)
    extensions.push_back(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
}

void *DeviceRequirements::findInChain(VkStructureType type) const {
  auto *at = reinterpret_cast<VkBaseOutStructure *>(features);
  while (at && at->sType != type)
    at = at->pNext;
  return at;
}

template <typename Own>
void DeviceRequirements::set(Own &own, VkBool32 Own::*member) {
  auto *found = static_cast<Own *>(findInChain(own.sType));
  if (!found) {
    // Appended, so that what the caller holds stays the chain's first.
    auto *last = reinterpret_cast<VkBaseOutStructure *>(features);
    while (last->pNext)
      last = last->pNext;
    last->pNext = reinterpret_cast<VkBaseOutStructure *>(&own);
    found = &own;
  }
  found->*member = VK_TRUE;
}

template <typename Whole, typename Own>
void DeviceRequirements::set(VkStructureType wholeType,
                             VkBool32 Whole::*inWhole, Own &own,
                             VkBool32 Own::*inOwn) {
  // Vulkan forbids both structures in one chain.
  if (void *found = findInChain(wholeType))
    static_cast<Whole *>(found)->*inWhole = VK_TRUE;
  else
    set(own, inOwn);
}

void DeviceRequirements::setFeatures(const DeviceSnapshot &device) {
  DmlFeatureFlags enabled = vulkan.enabledFeatures;
  VkPhysicalDeviceFeatures &core = features->features;
  core.robustBufferAccess |= vulkan.robustBufferAccessEnabled;
#define DML_SET_CORE(name, bit)                                                \
  if (enabled & DML_FEATURE_##bit##_BIT)                                       \
    core.name = VK_TRUE;
#define DML_SET(version, name, own, condition)                                 \
  if (condition)                                                               \
    set(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_##version##_FEATURES,       \
        &VkPhysicalDeviceVulkan1##version##Features::name, own,                \
        &decltype(own)::name);
  DML_SET_CORE(shaderInt16, SHADER_INT16)
  DML_SET_CORE(shaderInt64, SHADER_INT64)
  DML_SET_CORE(shaderFloat64, SHADER_FLOAT64)
  DML_SET(1, storageBuffer16BitAccess, storage16,
          enabled & DML_FEATURE_STORAGE_BUFFER_16BIT_ACCESS_BIT)
  DML_SET(2, storageBuffer8BitAccess, storage8,
          enabled & DML_FEATURE_STORAGE_BUFFER_8BIT_ACCESS_BIT)
  DML_SET(2, shaderInt8, float16Int8, enabled & DML_FEATURE_SHADER_INT8_BIT)
  DML_SET(2, shaderFloat16, float16Int8,
          enabled & DML_FEATURE_SHADER_FLOAT16_BIT)
  DML_SET(2, vulkanMemoryModel, memoryModel,
          enabled & DML_FEATURE_VULKAN_MEMORY_MODEL_BIT)
  // Vulkan 1.2 demands it of devices.
  DML_SET(2, timelineSemaphore, timelineSemaphore, true)
  DML_SET(3, subgroupSizeControl, subgroupSizeControl,
          vulkan.subgroupSizeControlEnabled)
  DML_SET(3, computeFullSubgroups, subgroupSizeControl,
          vulkan.subgroupSizeControlEnabled)
#undef DML_SET
#undef DML_SET_CORE
  if (vulkan.pipelineRobustnessEnabled)
    set(pipelineRobustness,
        &VkPhysicalDevicePipelineRobustnessFeaturesEXT::pipelineRobustness);
  if (enabled & DML_FEATURE_COOPERATIVE_MATRIX_BIT)
    set(matrices,
        &VkPhysicalDeviceCooperativeMatrixFeaturesKHR::cooperativeMatrix);
}

void DeviceRequirements::describe(DmlDeviceRequirementsInfo &info) const {
  info.features = features;
  info.extensions = extensions.data();
  info.extensionCount = static_cast<uint32_t>(extensions.size());
  info.queueFamilyIndex = vulkan.queueFamilyIndex;
  info.device = vulkan;
}
