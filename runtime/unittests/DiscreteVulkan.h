//===- DiscreteVulkan.h - A GPU with memory of its own ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A CPU's Vulkan has one kind of memory, which the host sees. Here it is
// dressed up as a discrete GPU: one type of memory is only the device's and the
// other only the host's, so that everything goes through staging buffers.
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_DISCRETEVULKAN_H
#define DML_UNITTESTS_DISCRETEVULKAN_H

#include "dml/runtime.h"

namespace dml::test {

/// The system's loader; ends the process where there is none.
PFN_vkGetInstanceProcAddr openVulkanLoader();

/// The same with the GPU dressed up. One instance and device at a time.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
discreteGetInstanceProcAddr(VkInstance instance, const char *name);

/// What an instance made from here on says of the GPU's
/// maxMemoryAllocationSize; 0 is what it says by itself.
void setDiscreteAllocationSize(uint64_t bytes);

} // namespace dml::test

#endif // DML_UNITTESTS_DISCRETEVULKAN_H
