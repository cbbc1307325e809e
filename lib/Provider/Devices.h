//===- Devices.h - Vulkan's devices and ONNX Runtime's ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_DEVICES_H
#define DML_LIB_PROVIDER_DEVICES_H

#include "dml/runtime.h"
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dml::provider {

/// A hardware device as ONNX Runtime has found it.
struct Hardware {
  bool isCpu = false;
  uint32_t vendor = 0, device = 0;
  /// The address on the PCI bus, such as "0000:01:00.0", or "" if ONNX Runtime
  /// does not know it.
  std::string pciAddress;
};

/// For each of Vulkan's `devices`, the place in `hardware` of the device that
/// it is, or nothing if there is none. A software device, and a GPU that ONNX
/// Runtime has not found, is the CPU. A GPU is found by its PCI address, or by
/// vendor and device where one side has no address. Each GPU of `hardware` is
/// taken once: the second of two equal cards is the second device that
/// matches.
std::vector<std::optional<size_t>>
matchDevices(const std::vector<DmlDeviceInfo> &devices,
             const std::vector<Hardware> &hardware);

/// Returns the UUID of a device as a selector for dmlFindDevice.
std::string getSelector(const DmlDeviceInfo &info);

struct DeviceDestroyer {
  void operator()(DmlDevice device) const { dmlDestroyDevice(device); }
};

/// Vulkan's devices that the runtime can use. May be called from many threads.
class Devices {
public:
  /// Lists the devices. There are none where there is no Vulkan.
  static std::vector<DmlDeviceInfo> list();

  /// Returns the device that `selector` selects as in dmlFindDevice. All
  /// sessions of the provider share it. It exists as long as somebody has it.
  std::shared_ptr<DmlDeviceImpl> open(const std::string &selector);

private:
  std::mutex mutex;
  std::map<uint32_t, std::weak_ptr<DmlDeviceImpl>> devices;
};

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_DEVICES_H
