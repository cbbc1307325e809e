//===- Devices.h - The devices of sessions ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_DEVICES_H
#define DML_LIB_SESSION_DEVICES_H

#include "Support.h"
#include <atomic>

namespace dml::session {

/// A device of sessions: the caller's device, or a device that all sessions of
/// this process share, so that each weight is on the device only once.
class SessionDevice {
public:
  explicit SessionDevice(DeviceHandle device);

  static Expected<std::shared_ptr<SessionDevice>>
  open(const DmlSessionCreateInfo &info);

  DmlDevice get() const { return device.get(); }
  /// Fails where a call has lost the device, and in a process that was forked
  /// from the one that has opened the device.
  Status check() const;
  /// Returns `status`, the result of a call. If the call has lost the device,
  /// adds the device's name to the message, and later sessions get another
  /// device.
  Status note(Status status);

private:
  static Expected<std::shared_ptr<SessionDevice>>
  openShared(const char *selector);

  DeviceHandle device;
  std::atomic<bool> isLost = false;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_DEVICES_H
