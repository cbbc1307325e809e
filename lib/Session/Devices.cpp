//===- Devices.cpp - The devices of sessions ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "Boundary.h"
#include <map>
#include <mutex>

using namespace dml::session;

SessionDevice::SessionDevice(DeviceHandle device) : device(std::move(device)) {}

Expected<std::shared_ptr<SessionDevice>>
SessionDevice::open(const DmlSessionCreateInfo &info) {
  if (!info.device)
    return openShared(info.deviceSelector);
  if (info.deviceSelector)
    return makeError(DML_ERROR_INVALID_ARGUMENT,
                     "there are both a device and the selector of one, but "
                     "wanted is one of them at most");
  auto shared = create<DeviceHandle>(dmlShareDevice, info.device);
  if (!shared)
    return shared.status();
  return std::make_shared<SessionDevice>(std::move(*shared));
}

Status SessionDevice::check() const {
  DML_TRY(runtime::wantOwnVulkan());
  if (!isLost)
    return Status();
  DmlDeviceInfo info{};
  dmlGetDeviceProperties(device.get(), &info);
  return makeError(DML_ERROR_DEVICE_LOST, "the device '", info.name,
                   "' is lost; wanted is another session, on a new device");
}

Status SessionDevice::note(Status status) {
  if (status.result() != DML_ERROR_DEVICE_LOST)
    return status;
  isLost = true;
  Status lost = check();
  return makeError(DML_ERROR_DEVICE_LOST, lost.message(), " (",
                   status.message(), ")");
}

/// Returns the instance of all sessions, which exists until the process ends.
/// It is never destroyed: NVIDIA's driver can be loaded and unloaded only some
/// thirty times, and takes 0.1 s each time.
static Expected<DmlInstance> getInstance() {
  static DmlInstance instance = nullptr;
  if (!instance)
    DML_TRY(call(dmlCreateInstance,
                 static_cast<const DmlInstanceCreateInfo *>(nullptr),
                 &instance));
  return instance;
}

Expected<std::shared_ptr<SessionDevice>>
SessionDevice::openShared(const char *selector) {
  // A thread that a process that was forked lacks may hold the mutex.
  DML_TRY(runtime::wantOwnVulkan());
  static std::mutex mutex;
  static std::map<uint32_t, std::weak_ptr<SessionDevice>> devices;
  std::lock_guard<std::mutex> lock(mutex);
  Expected<DmlInstance> instance = getInstance();
  if (!instance)
    return instance.status();
  uint32_t index = 0;
  DML_TRY(call(dmlFindDevice, *instance, selector, &index));
  std::weak_ptr<SessionDevice> &known = devices[index];
  if (std::shared_ptr<SessionDevice> device = known.lock();
      device && device->check().ok())
    return device;
  std::string name = std::to_string(index);
  DmlDeviceCreateInfo info{};
  info.selector = name.c_str();
  auto device =
      create<DeviceHandle>(dmlCreateDevice, *instance,
                           static_cast<const DmlDeviceCreateInfo *>(&info));
  if (!device)
    return device.status();
  auto result = std::make_shared<SessionDevice>(std::move(*device));
  known = result;
  return result;
}
