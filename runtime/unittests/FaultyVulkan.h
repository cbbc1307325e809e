//===- FaultyVulkan.h - A Vulkan loader whose calls fail ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A loader for tests, which passes calls on to the system's loader. Any call
// that can fail fails on request. The loader tracks the objects and the work of
// the runtime, and reports objects that are not destroyed, that are destroyed
// twice, or that are destroyed while work uses them.
//
// Tests pass the loader to dmlCreateInstance. For programs, it is also a
// libvulkan.so.1 (FaultyLoader.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_FAULTYVULKAN_H
#define DML_UNITTESTS_FAULTYVULKAN_H

#include "dml/runtime.h"

#include <map>
#include <string>
#include <vector>

namespace dml::test {

/// What fails: call number `call`, from 0 on, of `function`.
struct VulkanFault {
  /// The function that fails: one that returns a VkResult, or
  /// vkGetInstanceProcAddr or vkGetDeviceProcAddr, which then find no function.
  std::string function;
  uint32_t call = 0;
  VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
  /// So many calls of the function fail, one after another.
  uint32_t count = 1;
  /// All later calls of the function fail too.
  bool lasting = false;
  /// Whether vkGetFenceStatus always reports that work continues, so that the
  /// runtime has to wait. Its calls are then not counted.
  bool hidesStatus = false;
};

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
faultyGetInstanceProcAddr(VkInstance instance, const char *name);

/// The loader beneath: the system's where this is never called.
void setNextLoader(PFN_vkGetInstanceProcAddr getInstanceProcAddr);

/// Forgets all calls, objects and reports, and sets the fault for calls from
/// now on. If `fault.function` is empty, no call fails.
void setVulkanFault(const VulkanFault &fault);

/// Lets nothing fail from now on, and knows all objects as before.
void endVulkanFault();

/// Whether the fault has come.
bool hasVulkanFailed();

/// How often each function that can fail was called.
std::map<std::string, uint32_t> countVulkanCalls();

/// The objects that were made and not destroyed.
std::vector<std::string> listLiveObjects();

/// What was done to objects that may not be done.
std::vector<std::string> listVulkanMisuses();

/// Says that all work has ended, where that was found out without this loader.
void endVulkanWork();

/// Whether this thread is inside a call of Vulkan, so that allocations are the
/// driver's.
bool isInsideVulkan();

/// Whether this thread has ever called Vulkan: a driver's own threads have not.
bool hasCalledVulkan();

} // namespace dml::test

#endif // DML_UNITTESTS_FAULTYVULKAN_H
