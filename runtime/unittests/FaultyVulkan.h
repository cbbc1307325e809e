//===- FaultyVulkan.h - A Vulkan loader whose calls fail ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A loader that stands before the system's, for tests. Any call that can fail
// fails when it is told to. It follows the objects and the work of the runtime:
// what is left behind, destroyed twice, or destroyed while work uses it is
// reported.
//
// Tests hand it to dmlCreateInstance. It is also a libvulkan.so.1 of its own
// (FaultyLoader.cpp), for programs.
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
  /// A function that returns a VkResult, or vkGetInstanceProcAddr or
  /// vkGetDeviceProcAddr, which then find nothing.
  std::string function;
  uint32_t call = 0;
  VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
  /// So many calls of the function fail, one after another.
  uint32_t count = 1;
  /// All later calls of the function fail too.
  bool lasting = false;
  /// vkGetFenceStatus always says that work goes on, so that the runtime waits
  /// for it. It is not counted then.
  bool hidesStatus = false;
};

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
faultyGetInstanceProcAddr(VkInstance instance, const char *name);

/// The loader beneath: the system's where this is never called.
void setNextLoader(PFN_vkGetInstanceProcAddr getInstanceProcAddr);

/// Forgets all calls, objects and complaints, and sets what fails from now on;
/// nothing where `fault.function` is empty.
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

/// Whether this thread is in a call of Vulkan's: what happens there is the
/// driver's doing.
bool isInsideVulkan();

/// Whether this thread has ever called Vulkan: a driver's own threads have not.
bool hasCalledVulkan();

} // namespace dml::test

#endif // DML_UNITTESTS_FAULTYVULKAN_H
