//===- Devices.cpp - Vulkan's devices and ONNX Runtime's ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "dml/session.hpp"

using namespace dml;
using namespace dml::provider;

static bool isSame(const DmlDeviceInfo &device, const Hardware &hardware) {
  if (hardware.isCpu)
    return false;
  if (device.pciAddress[0] && !hardware.pciAddress.empty())
    return device.pciAddress == hardware.pciAddress;
  return device.vendorID == hardware.vendor &&
         device.deviceID == hardware.device;
}

static std::optional<size_t> findCpu(const std::vector<Hardware> &hardware) {
  for (size_t i = 0; i < hardware.size(); ++i)
    if (hardware[i].isCpu)
      return i;
  return std::nullopt;
}

std::vector<std::optional<size_t>>
provider::matchDevices(const std::vector<DmlDeviceInfo> &devices,
                       const std::vector<Hardware> &hardware) {
  std::vector<bool> isTaken(hardware.size());
  std::vector<std::optional<size_t>> matches;
  for (const DmlDeviceInfo &device : devices) {
    std::optional<size_t> match;
    if (device.type != VK_PHYSICAL_DEVICE_TYPE_CPU)
      for (size_t i = 0; i < hardware.size() && !match; ++i)
        if (!isTaken[i] && isSame(device, hardware[i]))
          match = i;
    if (match)
      isTaken[*match] = true;
    matches.push_back(match ? match : findCpu(hardware));
  }
  return matches;
}

std::string provider::getSelector(const DmlDeviceInfo &info) {
  static const char digits[] = "0123456789abcdef";
  std::string selector;
  for (uint8_t byte : info.uuid) {
    selector += digits[byte >> 4];
    selector += digits[byte & 15];
  }
  return selector;
}

/// Returns Vulkan's instance, which exists until the process ends, since some
/// drivers can be loaded only a few times.
static DmlInstance getInstance() {
  static std::mutex mutex;
  static DmlInstance instance = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (!instance)
    dml::detail::check(dmlCreateInstance,
                       static_cast<const DmlInstanceCreateInfo *>(nullptr),
                       &instance);
  return instance;
}

std::vector<DmlDeviceInfo> Devices::list() {
  std::vector<DmlDeviceInfo> devices;
  try {
    DmlInstance instance = getInstance();
    for (uint32_t i = 0; i < dmlGetDeviceCount(instance); ++i) {
      DmlDeviceInfo info{};
      dml::detail::check(dmlGetDeviceInfo, instance, i, &info);
      uint32_t index = 0;
      // A device that the runtime cannot use is not found by its number.
      if (dmlFindDevice(instance, std::to_string(i).c_str(), &index, nullptr) ==
          DML_SUCCESS)
        devices.push_back(info);
    }
  } catch (const dml::Error &error) {
    if (error.result() != DML_ERROR_NOT_FOUND)
      throw;
  }
  return devices;
}

std::shared_ptr<DmlDeviceImpl> Devices::open(const std::string &selector) {
  DmlInstance instance = getInstance();
  uint32_t index = 0;
  dml::detail::check(dmlFindDevice, instance, selector.c_str(), &index);
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<DmlDeviceImpl> &known = devices[index];
  if (std::shared_ptr<DmlDeviceImpl> device = known.lock())
    return device;
  std::string number = std::to_string(index);
  DmlDeviceCreateInfo info{};
  info.selector = number.c_str();
  DmlDevice device = nullptr;
  dml::detail::check(dmlCreateDevice, instance,
                     const_cast<const DmlDeviceCreateInfo *>(&info), &device);
  std::shared_ptr<DmlDeviceImpl> result(device, DeviceDestroyer());
  known = result;
  return result;
}
