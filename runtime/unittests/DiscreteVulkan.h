//===- DiscreteVulkan.h - A GPU with memory of its own ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// On a CPU, Vulkan has one kind of memory, which the host can access. This
// loader makes such a device look like a discrete GPU: one type of memory is
// only for the device and the other only for the host, so that all data pass
// through staging buffers.
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

/// Sets the maxMemoryAllocationSize of the GPU in instances that are created
/// from now on, or the real value if `bytes` is 0.
void setDiscreteAllocationSize(uint64_t bytes);

} // namespace dml::test

#endif // DML_UNITTESTS_DISCRETEVULKAN_H
