//===- ProfileAtHand.cpp - The profile of a Vulkan device -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/ProfileAtHand.h"

#include "dml/Target/DeviceAtHand.h"

using namespace dml::tools;

ProfileAtHand dml::tools::findProfileAtHand(DmlInstance instance,
                                            const std::string &selector,
                                            DmlFeatureFlags disabled) {
  ProfileAtHand found;
  DmlError error = nullptr;
  DmlDeviceInfo device{};
  uint32_t index = 0;
  if (dmlFindDevice(instance, selector.c_str(), &index, &error) ==
          DML_SUCCESS &&
      dmlGetDeviceInfo(instance, index, &device, &error) == DML_SUCCESS) {
    device.features &= ~disabled;
    found.isCPU = device.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    found.profile = getProfileAtHand(device, found.warning);
  } else {
    found.error = dmlGetErrorMessage(error);
  }
  dmlDestroyError(error);
  return found;
}
