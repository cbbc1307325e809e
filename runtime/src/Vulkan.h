//===- Vulkan.h - The Vulkan functions the runtime calls ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Vulkan is opened at run time, so that a program links and starts where there
// is none and gets an error it can show.
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_VULKAN_H
#define DML_RUNTIME_VULKAN_H

#include "Status.h"
#include "VulkanCooperativeMatrix.h"

#include <vector>

namespace dml::runtime {

#define DML_VULKAN_GLOBAL_FUNCTIONS(X)                                         \
  X(CreateInstance)                                                            \
  X(EnumerateInstanceExtensionProperties)                                      \
  X(EnumerateInstanceLayerProperties)

/// These two are there from Vulkan 1.1 on.
#define DML_VULKAN_INSTANCE_FUNCTIONS(X)                                       \
  X(DestroyInstance)                                                           \
  X(EnumeratePhysicalDevices)                                                  \
  X(EnumerateDeviceExtensionProperties)                                        \
  X(GetPhysicalDeviceProperties)                                               \
  X(GetPhysicalDeviceProperties2)                                              \
  X(GetPhysicalDeviceFeatures)                                                 \
  X(GetPhysicalDeviceFeatures2)                                                \
  X(GetPhysicalDeviceMemoryProperties)                                         \
  X(GetPhysicalDeviceMemoryProperties2)                                        \
  X(GetPhysicalDeviceQueueFamilyProperties)                                    \
  X(CreateDevice)                                                              \
  X(GetDeviceProcAddr)

/// The functions of VK_EXT_debug_utils, which are null where it is not enabled.
#define DML_VULKAN_DEBUG_FUNCTIONS(X)                                          \
  X(CreateDebugUtilsMessengerEXT)                                              \
  X(DestroyDebugUtilsMessengerEXT)                                             \
  X(SetDebugUtilsObjectNameEXT)                                                \
  X(CmdBeginDebugUtilsLabelEXT)                                                \
  X(CmdEndDebugUtilsLabelEXT)

#define DML_VULKAN_DEVICE_FUNCTIONS(X)                                         \
  X(DestroyDevice)                                                             \
  X(GetDeviceQueue)                                                            \
  X(QueueSubmit)                                                               \
  X(AllocateMemory)                                                            \
  X(FreeMemory)                                                                \
  X(MapMemory)                                                                 \
  X(CreateBuffer)                                                              \
  X(DestroyBuffer)                                                             \
  X(GetBufferMemoryRequirements)                                               \
  X(BindBufferMemory)                                                          \
  X(CreateShaderModule)                                                        \
  X(DestroyShaderModule)                                                       \
  X(CreateDescriptorSetLayout)                                                 \
  X(DestroyDescriptorSetLayout)                                                \
  X(CreatePipelineLayout)                                                      \
  X(DestroyPipelineLayout)                                                     \
  X(CreatePipelineCache)                                                       \
  X(DestroyPipelineCache)                                                      \
  X(GetPipelineCacheData)                                                      \
  X(MergePipelineCaches)                                                       \
  X(CreateComputePipelines)                                                    \
  X(DestroyPipeline)                                                           \
  X(CreateDescriptorPool)                                                      \
  X(DestroyDescriptorPool)                                                     \
  X(AllocateDescriptorSets)                                                    \
  X(UpdateDescriptorSets)                                                      \
  X(CreateCommandPool)                                                         \
  X(DestroyCommandPool)                                                        \
  X(AllocateCommandBuffers)                                                    \
  X(BeginCommandBuffer)                                                        \
  X(EndCommandBuffer)                                                          \
  X(CreateFence)                                                               \
  X(DestroyFence)                                                              \
  X(ResetFences)                                                               \
  X(GetFenceStatus)                                                            \
  X(WaitForFences)                                                             \
  X(CreateQueryPool)                                                           \
  X(DestroyQueryPool)                                                          \
  X(GetQueryPoolResults)                                                       \
  X(CmdResetQueryPool)                                                         \
  X(CmdWriteTimestamp)                                                         \
  X(CmdPipelineBarrier)                                                        \
  X(CmdCopyBuffer)                                                             \
  X(CmdFillBuffer)                                                             \
  X(CmdBindPipeline)                                                           \
  X(CmdBindDescriptorSets)                                                     \
  X(CmdDispatch)

#define DML_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;

struct GlobalFunctions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  DML_VULKAN_GLOBAL_FUNCTIONS(DML_VULKAN_MEMBER)
};

struct InstanceFunctions {
  DML_VULKAN_INSTANCE_FUNCTIONS(DML_VULKAN_MEMBER)
  DML_VULKAN_DEBUG_FUNCTIONS(DML_VULKAN_MEMBER)
  /// Of VK_KHR_cooperative_matrix: null where no device has it.
  DML_VULKAN_MEMBER(GetPhysicalDeviceCooperativeMatrixPropertiesKHR)
};

struct DeviceFunctions {
  DML_VULKAN_DEVICE_FUNCTIONS(DML_VULKAN_MEMBER)
};

#undef DML_VULKAN_MEMBER

/// Loads the functions that need no instance, from `getInstanceProcAddr`. If it
/// is null, they come from the system's loader, which remains open until the
/// process ends.
Expected<GlobalFunctions>
loadGlobalFunctions(PFN_vkGetInstanceProcAddr getInstanceProcAddr);
/// Loads functions into `vk`. If a function is missing, the functions before it
/// are set, the first of which destroys the instance or device.
Status loadInstanceFunctions(PFN_vkGetInstanceProcAddr getInstanceProcAddr,
                             VkInstance instance, bool debugUtils,
                             InstanceFunctions &vk);
Status loadDeviceFunctions(PFN_vkGetDeviceProcAddr getDeviceProcAddr,
                           VkDevice device, DeviceFunctions &vk);

/// "VK_ERROR_OUT_OF_HOST_MEMORY".
std::string describeVkResult(VkResult result);

/// The Status of a Vulkan call; the words of `ts` name the call.
template <typename... Ts> Status checkVk(VkResult result, const Ts &...ts) {
  if (result >= VK_SUCCESS)
    return Status();
  DmlResult code = DML_ERROR_VULKAN;
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY ||
      result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
    code = DML_ERROR_OUT_OF_MEMORY;
  else if (result == VK_ERROR_DEVICE_LOST)
    code = DML_ERROR_DEVICE_LOST;
  return makeError(code, ts..., " failed with ", describeVkResult(result));
}

/// The largest number of attempts of a call in two steps, if the second step
/// reports more elements than the first. A driver that always did so would
/// otherwise never end.
constexpr int kMaxIncomplete = 16;

/// Calls one of Vulkan's functions in two steps, the first of which returns the
/// number of elements. `attempt` executes both steps, and `ts` are the words of
/// the call's name for a message.
template <typename Attempt, typename... Ts>
Status retryIncomplete(Attempt attempt, const Ts &...ts) {
  for (int i = 0; i < kMaxIncomplete; ++i) {
    VkResult result = attempt();
    if (result != VK_INCOMPLETE)
      return checkVk(result, ts...);
  }
  return makeError(DML_ERROR_VULKAN, ts..., " gave VK_INCOMPLETE ",
                   kMaxIncomplete, " times, but wanted is all that there is");
}

/// Fills `values` by one of Vulkan's functions in two steps. `call` takes a
/// count and an array, or null for the count alone. `ts` are the words of the
/// call's name for a message.
template <typename T, typename Call, typename... Ts>
Status enumerate(std::vector<T> &values, Call call, const Ts &...ts) {
  return retryIncomplete(
      [&] {
        uint32_t count = 0;
        VkResult result = call(&count, nullptr);
        values.resize(result == VK_SUCCESS ? count : 0);
        // The null array of an empty vector would ask for the count again.
        if (values.empty())
          return result;
        result = call(&count, values.data());
        values.resize(count);
        return result;
      },
      ts...);
}

} // namespace dml::runtime

#endif // DML_RUNTIME_VULKAN_H
