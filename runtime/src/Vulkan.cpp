//===- Vulkan.cpp - The Vulkan functions the runtime calls ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Vulkan.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

using namespace dml::runtime;

namespace {

#ifdef _WIN32
constexpr const char *kLoaderNames[] = {"vulkan-1.dll"};
#elif defined(__APPLE__)
constexpr const char *kLoaderNames[] = {"libvulkan.1.dylib", "libvulkan.dylib",
                                        "libMoltenVK.dylib"};
#else
constexpr const char *kLoaderNames[] = {"libvulkan.so.1", "libvulkan.so"};
#endif

/// The loader is never closed: its layers and drivers run threads of their own.
PFN_vkGetInstanceProcAddr openLoader(std::string &error) {
  for (const char *name : kLoaderNames) {
#ifdef _WIN32
    HMODULE library = LoadLibraryA(name);
    void *address = library ? reinterpret_cast<void *>(GetProcAddress(
                                  library, "vkGetInstanceProcAddr"))
                            : nullptr;
    if (!address && error.empty())
      error = std::string(name) + " cannot be loaded";
#else
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, "vkGetInstanceProcAddr") : nullptr;
    if (!address && error.empty())
      if (const char *text = dlerror())
        error = text;
#endif
    if (address)
      return reinterpret_cast<PFN_vkGetInstanceProcAddr>(address);
  }
  return nullptr;
}

Status missingFunction(const char *name) {
  return makeError(DML_ERROR_UNSUPPORTED, "Vulkan has no function ", name);
}

} // namespace

Expected<GlobalFunctions> dml::runtime::loadGlobalFunctions(
    PFN_vkGetInstanceProcAddr getInstanceProcAddr) {
  GlobalFunctions vk;
  std::string error;
  vk.GetInstanceProcAddr =
      getInstanceProcAddr ? getInstanceProcAddr : openLoader(error);
  if (!vk.GetInstanceProcAddr)
    return makeError(DML_ERROR_NOT_FOUND,
                     "cannot open the Vulkan loader: ", error,
                     " (in Debian it is the package libvulkan1)");
#define DML_LOAD(name)                                                         \
  vk.name = reinterpret_cast<PFN_vk##name>(                                    \
      vk.GetInstanceProcAddr(VK_NULL_HANDLE, "vk" #name));                     \
  if (!vk.name)                                                                \
    return missingFunction("vk" #name);
  DML_VULKAN_GLOBAL_FUNCTIONS(DML_LOAD)
#undef DML_LOAD
  return vk;
}

Status dml::runtime::loadInstanceFunctions(
    PFN_vkGetInstanceProcAddr getInstanceProcAddr, VkInstance instance,
    bool debugUtils, InstanceFunctions &vk) {
#define DML_LOAD(name)                                                         \
  vk.name = reinterpret_cast<PFN_vk##name>(                                    \
      getInstanceProcAddr(instance, "vk" #name));                              \
  if (!vk.name)                                                                \
    return missingFunction("vk" #name);
  DML_VULKAN_INSTANCE_FUNCTIONS(DML_LOAD)
  vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR =
      reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
          getInstanceProcAddr(
              instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  if (!debugUtils)
    return Status();
  DML_VULKAN_DEBUG_FUNCTIONS(DML_LOAD)
#undef DML_LOAD
  return Status();
}

Status
dml::runtime::loadDeviceFunctions(PFN_vkGetDeviceProcAddr getDeviceProcAddr,
                                  VkDevice device, DeviceFunctions &vk) {
#define DML_LOAD(name)                                                         \
  vk.name =                                                                    \
      reinterpret_cast<PFN_vk##name>(getDeviceProcAddr(device, "vk" #name));   \
  if (!vk.name)                                                                \
    return missingFunction("vk" #name);
  DML_VULKAN_DEVICE_FUNCTIONS(DML_LOAD)
#undef DML_LOAD
  return Status();
}

std::string dml::runtime::describeVkResult(VkResult result) {
  switch (result) {
#define DML_CASE(name)                                                         \
  case name:                                                                   \
    return #name;
    DML_CASE(VK_SUCCESS)
    DML_CASE(VK_NOT_READY)
    DML_CASE(VK_TIMEOUT)
    DML_CASE(VK_INCOMPLETE)
    DML_CASE(VK_ERROR_OUT_OF_HOST_MEMORY)
    DML_CASE(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    DML_CASE(VK_ERROR_INITIALIZATION_FAILED)
    DML_CASE(VK_ERROR_DEVICE_LOST)
    DML_CASE(VK_ERROR_MEMORY_MAP_FAILED)
    DML_CASE(VK_ERROR_LAYER_NOT_PRESENT)
    DML_CASE(VK_ERROR_EXTENSION_NOT_PRESENT)
    DML_CASE(VK_ERROR_FEATURE_NOT_PRESENT)
    DML_CASE(VK_ERROR_INCOMPATIBLE_DRIVER)
    DML_CASE(VK_ERROR_TOO_MANY_OBJECTS)
    DML_CASE(VK_ERROR_FRAGMENTED_POOL)
    DML_CASE(VK_ERROR_OUT_OF_POOL_MEMORY)
    DML_CASE(VK_ERROR_INVALID_EXTERNAL_HANDLE)
    DML_CASE(VK_ERROR_FRAGMENTATION)
    DML_CASE(VK_ERROR_INVALID_SHADER_NV)
    DML_CASE(VK_ERROR_UNKNOWN)
#undef DML_CASE
  default:
    return "VkResult " + std::to_string(static_cast<int>(result));
  }
}
