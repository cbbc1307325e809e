//===- Instance.cpp - A VkInstance and what it sees -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Instance.h"

#include "DeviceFeatures.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>

using namespace dml::runtime;

namespace {

constexpr const char *kValidationLayer = "VK_LAYER_KHRONOS_validation";
/// Spelled out: older headers hold it behind VK_ENABLE_BETA_EXTENSIONS.
constexpr const char *kPortabilitySubset = "VK_KHR_portability_subset";

VKAPI_ATTR VkBool32 VKAPI_CALL receiveDebugMessage(
    VkDebugUtilsMessageSeverityFlagBitsEXT severity,
    VkDebugUtilsMessageTypeFlagsEXT /*type*/,
    const VkDebugUtilsMessengerCallbackDataEXT *data, void *userData) {
  static_cast<Instance *>(userData)->receiveMessage(
      severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT
          ? DML_MESSAGE_SEVERITY_ERROR
          : DML_MESSAGE_SEVERITY_WARNING,
      data->pMessage ? data->pMessage : "");
  return VK_FALSE;
}

template <size_t N> void copyString(char (&to)[N], const char *from) {
  std::string_view text = std::string_view(from).substr(0, N - 1);
  std::copy(text.begin(), text.end(), to);
  to[text.size()] = '\0';
}

bool contains(const std::vector<VkExtensionProperties> &extensions,
              std::string_view name) {
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](auto &e) { return name == e.extensionName; });
}

} // namespace

Expected<std::shared_ptr<Instance>>
Instance::create(const DmlInstanceCreateInfo &info) {
  std::shared_ptr<Instance> instance(new Instance);
  DML_TRY(instance->initialize(info));
  return instance;
}

Status Instance::initialize(const DmlInstanceCreateInfo &info) {
  callback = info.messageCallback;
  callbackUserData = info.messageUserData;
  Expected<GlobalFunctions> loaded =
      loadGlobalFunctions(info.getInstanceProcAddr);
  if (!loaded)
    return loaded.status();
  global = *loaded;

  std::vector<VkExtensionProperties> available;
  DML_TRY(enumerate(
      available,
      [&](uint32_t *count, VkExtensionProperties *properties) {
        return global.EnumerateInstanceExtensionProperties(nullptr, count,
                                                           properties);
      },
      "vkEnumerateInstanceExtensionProperties"));

  std::vector<const char *> layers, extensions;
  debugUtils = contains(available, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (debugUtils)
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  // The loader hides devices such as MoltenVK's without it.
  bool portability =
      contains(available, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
  if (portability)
    extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);

  VkDebugUtilsMessengerCreateInfoEXT messengerInfo{
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messengerInfo.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  // Messages of the type GENERAL are not requested: the loader uses them for
  // complaints about other drivers.
  messengerInfo.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  messengerInfo.pfnUserCallback = receiveDebugMessage;
  messengerInfo.pUserData = this;

  if (info.enableValidation) {
    std::vector<VkLayerProperties> layerProperties;
    DML_TRY(enumerate(layerProperties, global.EnumerateInstanceLayerProperties,
                      "vkEnumerateInstanceLayerProperties"));
    bool found = std::any_of(
        layerProperties.begin(), layerProperties.end(),
        [](auto &l) { return !std::strcmp(l.layerName, kValidationLayer); });
    if (!found || !debugUtils)
      return makeError(DML_ERROR_UNSUPPORTED, "validation needs the layer ",
                       kValidationLayer, " and ",
                       VK_EXT_DEBUG_UTILS_EXTENSION_NAME, ", but ",
                       found ? VK_EXT_DEBUG_UTILS_EXTENSION_NAME
                             : kValidationLayer,
                       " is not installed");
    layers.push_back(kValidationLayer);
  }

  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pEngineName = "dml";
  application.apiVersion = kNewestApiVersion;
  VkInstanceCreateInfo createInfo{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  createInfo.pNext = info.enableValidation ? &messengerInfo : nullptr;
  if (portability)
    createInfo.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  createInfo.pApplicationInfo = &application;
  createInfo.enabledLayerCount = static_cast<uint32_t>(layers.size());
  createInfo.ppEnabledLayerNames = layers.data();
  createInfo.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  createInfo.ppEnabledExtensionNames = extensions.data();
  VkResult result = global.CreateInstance(&createInfo, nullptr, &instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return makeError(DML_ERROR_NOT_FOUND,
                     "the Vulkan loader found no driver, and so no Vulkan "
                     "device (Debian's package mesa-vulkan-drivers has drivers "
                     "for most GPUs, and one for the CPU; VK_DRIVER_FILES "
                     "names the file of a driver that stands elsewhere)");
  DML_TRY(checkVk(result, "vkCreateInstance"));

  DML_TRY(loadInstanceFunctions(global.GetInstanceProcAddr, instance,
                                debugUtils, vk));
  if (info.enableValidation)
    DML_TRY(checkVk(vk.CreateDebugUtilsMessengerEXT(instance, &messengerInfo,
                                                    nullptr, &messenger),
                    "vkCreateDebugUtilsMessengerEXT"));

  DML_TRY(enumerate(
      physicalDevices,
      [&](uint32_t *count, VkPhysicalDevice *devices) {
        result = vk.EnumeratePhysicalDevices(instance, count, devices);
        // The loader's way of saying that no driver has a device.
        if (result == VK_ERROR_INITIALIZATION_FAILED) {
          *count = 0;
          return VK_SUCCESS;
        }
        return result;
      },
      "vkEnumeratePhysicalDevices"));
  for (VkPhysicalDevice device : physicalDevices) {
    Expected<DeviceSnapshot> snapshot =
        takeSnapshot(vk, device, kNewestApiVersion);
    if (!snapshot)
      return snapshot.status();
    snapshots.push_back(std::move(*snapshot));
  }
  return Status();
}

Instance::~Instance() {
  if (messenger)
    vk.DestroyDebugUtilsMessengerEXT(instance, messenger, nullptr);
  // The instance stays where even this function is missing.
  if (instance && vk.DestroyInstance)
    vk.DestroyInstance(instance, nullptr);
}

void Instance::receiveMessage(DmlMessageSeverity severity, const char *text) {
  ++messages;
  if (!callback)
    return;
  std::lock_guard<std::recursive_mutex> lock(callbackMutex);
  callback(callbackUserData, severity, text);
}

/// Reads of VK_EXT_subgroup_size_control which sizes kernels may ask for.
static void readSubgroupSizes(const InstanceFunctions &vk,
                              VkPhysicalDevice device,
                              DeviceSnapshot &snapshot) {
  VkPhysicalDeviceSubgroupSizeControlFeaturesEXT control{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT};
  VkPhysicalDeviceFeatures2 features{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &control};
  vk.GetPhysicalDeviceFeatures2(device, &features);
  VkPhysicalDeviceSubgroupSizeControlPropertiesEXT sizes{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sizes};
  vk.GetPhysicalDeviceProperties2(device, &properties);
  snapshot.subgroupSizeControl =
      control.subgroupSizeControl && control.computeFullSubgroups &&
      (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
  if (!snapshot.subgroupSizeControl)
    return;
  snapshot.info.limits.minSubgroupSize = sizes.minSubgroupSize;
  snapshot.info.limits.maxSubgroupSize = sizes.maxSubgroupSize;
  snapshot.info.limits.maxComputeWorkgroupSubgroups =
      sizes.maxComputeWorkgroupSubgroups;
}

/// Reads the address on the PCI bus, of VK_EXT_pci_bus_info.
static void readPciAddress(const InstanceFunctions &vk, VkPhysicalDevice device,
                           DmlDeviceInfo &info) {
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &pci};
  vk.GetPhysicalDeviceProperties2(device, &properties);
  std::snprintf(info.pciAddress, sizeof(info.pciAddress), "%04x:%02x:%02x.%x",
                pci.pciDomain & 0xffff, pci.pciBus & 0xff, pci.pciDevice & 0xff,
                pci.pciFunction & 0xf);
}

/// Counts the multiprocessors of a device: by the extension of the device's
/// vendor, or as the processors that a CPU driver may use. Returns 0 if there
/// is no such source.
static uint32_t
countMultiprocessors(const InstanceFunctions &vk, VkPhysicalDevice device,
                     VkPhysicalDeviceType type,
                     const std::vector<VkExtensionProperties> &extensions) {
  if (type == VK_PHYSICAL_DEVICE_TYPE_CPU)
    return std::thread::hardware_concurrency();
  auto read = [&](auto &found) {
    VkPhysicalDeviceProperties2 properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &found};
    vk.GetPhysicalDeviceProperties2(device, &properties);
  };
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
  VkPhysicalDeviceShaderCoreProperties2AMD amd{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD};
  VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM arm{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM};
  if (contains(extensions, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME))
    read(nvidia);
  if (contains(extensions, VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME))
    read(amd);
  if (contains(extensions, VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME))
    read(arm);
  return std::max(
      {nvidia.shaderSMCount, amd.activeComputeUnitCount, arm.shaderCoreCount});
}

/// Reads the registers of VK_AMD_shader_core_properties. The extension counts
/// registers of whole subgroups: 512 on each of 2 SIMD units, for subgroups of
/// 64 threads, are 65,536 registers of threads.
static void readRegisters(const InstanceFunctions &vk, VkPhysicalDevice device,
                          DmlDeviceLimits &limits) {
  VkPhysicalDeviceShaderCorePropertiesAMD core{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
  VkPhysicalDeviceProperties2 properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &core};
  vk.GetPhysicalDeviceProperties2(device, &properties);
  limits.multiprocessorRegisterCount =
      core.vgprsPerSimd * core.wavefrontSize * core.simdPerComputeUnit;
  limits.maxThreadRegisterCount = core.maxVgprAllocation;
}

/// The data type of a matrix's components, or DML_DATA_TYPE_UNKNOWN.
static DmlDataType toDataType(VkComponentTypeKHR type) {
  switch (type) {
  case VK_COMPONENT_TYPE_FLOAT16_KHR:
    return DML_DATA_TYPE_FLOAT16;
  case VK_COMPONENT_TYPE_FLOAT32_KHR:
    return DML_DATA_TYPE_FLOAT32;
  case VK_COMPONENT_TYPE_SINT8_KHR:
    return DML_DATA_TYPE_INT8;
  case VK_COMPONENT_TYPE_SINT32_KHR:
    return DML_DATA_TYPE_INT32;
  case VK_COMPONENT_TYPE_UINT8_KHR:
    return DML_DATA_TYPE_UINT8;
  case VK_COMPONENT_TYPE_UINT32_KHR:
    return DML_DATA_TYPE_UINT32;
  default:
    return DML_DATA_TYPE_UNKNOWN;
  }
}

/// Reads the features of VK_KHR_cooperative_matrix and the shapes of the
/// matrices that subgroups multiply, as far as executables can require them.
static Status
readMatrices(const InstanceFunctions &vk, VkPhysicalDevice device,
             VkPhysicalDeviceCooperativeMatrixFeaturesKHR &matrices,
             DmlDeviceLimits &limits) {
  VkPhysicalDeviceFeatures2 features{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &matrices};
  vk.GetPhysicalDeviceFeatures2(device, &features);
  if (!matrices.cooperativeMatrix)
    return Status();
  VkCooperativeMatrixPropertiesKHR empty{};
  empty.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
  std::vector<VkCooperativeMatrixPropertiesKHR> properties;
  DML_TRY(enumerate(
      properties,
      [&](uint32_t *count, VkCooperativeMatrixPropertiesKHR *matrices) {
        std::fill_n(matrices, matrices ? *count : 0, empty);
        return vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR(device, count,
                                                                  matrices);
      },
      "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  for (const VkCooperativeMatrixPropertiesKHR &matrix : properties) {
    DmlMatrixShape shape{matrix.MSize, matrix.NSize, matrix.KSize,
                         toDataType(matrix.AType), toDataType(matrix.CType)};
    if (matrix.scope == VK_SCOPE_SUBGROUP_KHR &&
        !matrix.saturatingAccumulation && matrix.AType == matrix.BType &&
        matrix.CType == matrix.ResultType &&
        shape.factors != DML_DATA_TYPE_UNKNOWN &&
        shape.sums != DML_DATA_TYPE_UNKNOWN &&
        limits.matrixShapeCount < DML_MAX_MATRIX_SHAPES)
      limits.matrixShapes[limits.matrixShapeCount++] = shape;
  }
  return Status();
}

Expected<DeviceSnapshot> dml::runtime::takeSnapshot(const InstanceFunctions &vk,
                                                    VkPhysicalDevice device,
                                                    uint32_t apiVersion) {
  DeviceSnapshot snapshot;
  DmlDeviceInfo &info = snapshot.info;

  VkPhysicalDeviceProperties core;
  vk.GetPhysicalDeviceProperties(device, &core);
  snapshot.deviceApiVersion = core.apiVersion;
  info.apiVersion = std::min(core.apiVersion, apiVersion);
  info.type = core.deviceType;
  copyString(info.name, core.deviceName);
  info.vendorID = core.vendorID;
  info.deviceID = core.deviceID;
  info.driverVersion = core.driverVersion;
  std::copy_n(core.pipelineCacheUUID, 16, info.pipelineCacheUUID);

  FeatureStructures found;
  vk.GetPhysicalDeviceFeatures(device, &found.core);
  snapshot.robustBufferAccess = found.core.robustBufferAccess;
  info.features = getFeatures(found);

  DmlDeviceLimits &limits = info.limits;
  limits.maxStorageBufferRange = core.limits.maxStorageBufferRange;
  limits.minStorageBufferOffsetAlignment =
      core.limits.minStorageBufferOffsetAlignment;
  limits.maxPerStageDescriptorStorageBuffers =
      core.limits.maxPerStageDescriptorStorageBuffers;
  limits.maxComputeWorkGroupInvocations =
      core.limits.maxComputeWorkGroupInvocations;
  std::copy_n(core.limits.maxComputeWorkGroupSize, 3,
              limits.maxComputeWorkGroupSize);
  std::copy_n(core.limits.maxComputeWorkGroupCount, 3,
              limits.maxComputeWorkGroupCount);
  limits.maxComputeSharedMemorySize = core.limits.maxComputeSharedMemorySize;
  snapshot.maxDynamicStorageBuffers =
      core.limits.maxDescriptorSetStorageBuffersDynamic;

  vk.GetPhysicalDeviceMemoryProperties(device, &snapshot.memory);
  for (uint32_t i = 0; i < snapshot.memory.memoryHeapCount; ++i)
    if (snapshot.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      info.deviceMemorySize += snapshot.memory.memoryHeaps[i].size;

  uint32_t count = 0;
  vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  snapshot.queueFamilies.resize(count);
  vk.GetPhysicalDeviceQueueFamilyProperties(device, &count,
                                            snapshot.queueFamilies.data());
  snapshot.queueFamilies.resize(count);
  if (std::optional<uint32_t> family =
          chooseQueueFamily(snapshot.queueFamilies))
    if (snapshot.queueFamilies[*family].timestampValidBits != 0)
      limits.timestampPeriod = core.limits.timestampPeriod;

  // The other properties exist since Vulkan 1.2. An older device is listed, but
  // cannot be used.
  if (info.apiVersion < VK_API_VERSION_1_2)
    return snapshot;

  VkPhysicalDeviceVulkan12Properties &properties12 = found.properties12;
  VkPhysicalDeviceVulkan11Properties properties11{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &properties12};
  VkPhysicalDeviceProperties2 properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties11};
  vk.GetPhysicalDeviceProperties2(device, &properties);
  std::copy_n(properties11.deviceUUID, 16, info.uuid);
  limits.subgroupSize = properties11.subgroupSize;
  limits.minSubgroupSize = properties11.subgroupSize;
  limits.maxSubgroupSize = properties11.subgroupSize;
  limits.maxMemoryAllocationSize = properties11.maxMemoryAllocationSize;
  // Mesa's software drivers end all loops of a thread after this number of
  // iterations in total (LP_MAX_TGSI_LOOP_ITERATIONS), which makes results
  // wrong.
  info.driverID = properties12.driverID;
  if (info.driverID == VK_DRIVER_ID_MESA_LLVMPIPE)
    limits.maxLoopIterations = 65535;
  copyString(info.driverName, properties12.driverName);
  copyString(info.driverInfo, properties12.driverInfo);

  found.vulkan11.pNext = &found.vulkan12;
  VkPhysicalDeviceFeatures2 features2{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &found.vulkan11};
  vk.GetPhysicalDeviceFeatures2(device, &features2);

  std::vector<VkExtensionProperties> extensions;
  DML_TRY(enumerate(
      extensions,
      [&](uint32_t *count, VkExtensionProperties *properties) {
        return vk.EnumerateDeviceExtensionProperties(device, nullptr, count,
                                                     properties);
      },
      "vkEnumerateDeviceExtensionProperties for '", info.name, "'"));
  snapshot.portabilitySubset = contains(extensions, kPortabilitySubset);
  snapshot.pipelineRobustness =
      contains(extensions, VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME);
  snapshot.externalMemory =
      contains(extensions, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  snapshot.externalSemaphores =
      contains(extensions, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
  snapshot.memoryBudget =
      contains(extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (contains(extensions, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME))
    readSubgroupSizes(vk, device, snapshot);
  if (contains(extensions, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME))
    readPciAddress(vk, device, info);
  limits.multiprocessorCount =
      countMultiprocessors(vk, device, info.type, extensions);
  if (contains(extensions, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME))
    readRegisters(vk, device, limits);
  auto hasOperations = [&](VkSubgroupFeatureFlags operations) {
    return (properties11.subgroupSupportedStages &
            VK_SHADER_STAGE_COMPUTE_BIT) &&
           (properties11.subgroupSupportedOperations & operations);
  };
  found.operations.subgroupShuffle =
      hasOperations(VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
  // The subgroups of kernels with matrices vote, which all devices with
  // matrices support so far.
  if (hasOperations(VK_SUBGROUP_FEATURE_VOTE_BIT) &&
      contains(extensions, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME) &&
      vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR)
    DML_TRY(readMatrices(vk, device, found.matrices, limits));
  info.features = getFeatures(found);
  return snapshot;
}
