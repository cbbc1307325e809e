//===- Vulkan.h - Vulkan's functions of a device ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_VULKAN_H
#define DML_LIB_PROVIDER_VULKAN_H

#include "Api.h"

namespace dml::provider {

/// The functions that the provider calls itself.
#define DML_PROVIDER_VULKAN(X)                                                 \
  X(AllocateMemory)                                                            \
  X(FreeMemory)                                                                \
  X(CreateBuffer)                                                              \
  X(DestroyBuffer)                                                             \
  X(GetBufferMemoryRequirements)                                               \
  X(BindBufferMemory)                                                          \
  X(CreateSemaphore)                                                           \
  X(DestroySemaphore)                                                          \
  X(WaitSemaphores)                                                            \
  X(SignalSemaphore)                                                           \
  X(ImportSemaphoreFdKHR)                                                      \
  X(GetMemoryFdKHR)                                                            \
  X(CreateCommandPool)                                                         \
  X(DestroyCommandPool)                                                        \
  X(AllocateCommandBuffers)                                                    \
  X(BeginCommandBuffer)                                                        \
  X(EndCommandBuffer)                                                          \
  X(CmdPipelineBarrier)                                                        \
  X(CmdCopyBuffer)                                                             \
  X(CreateFence)                                                               \
  X(DestroyFence)                                                              \
  X(WaitForFences)                                                             \
  X(QueueSubmit)

/// A device's Vulkan objects and functions. A function that the device has not
/// is null: those of extensions.
class Vulkan {
public:
  explicit Vulkan(DmlDevice device);

#define DML_DECLARE(name) PFN_vk##name name = nullptr;
  DML_PROVIDER_VULKAN(DML_DECLARE)
#undef DML_DECLARE

  VkDevice getDevice() const { return info.device; }
  /// Whether the device imports timeline semaphores from file descriptors.
  bool importsSemaphores() const { return importsTimelines; }
  /// The number of the first memory type among `bits` that is local to the
  /// device. Fails if there is none.
  uint32_t findMemoryType(uint32_t bits) const;
  /// Copies between two buffers, and waits for the copy.
  void copy(VkBuffer to, uint64_t toOffset, VkBuffer from, uint64_t fromOffset,
            uint64_t size) const;

  /// Fails with the name of a call that did not succeed.
  static void check(VkResult result, const char *call);

private:
  void submit(VkCommandBuffer commands) const;

  DmlVulkanDevice info{};
  VkPhysicalDeviceMemoryProperties memory{};
  bool importsTimelines = false;
};

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_VULKAN_H
