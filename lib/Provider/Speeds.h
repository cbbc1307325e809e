//===- Speeds.h - How fast the CPU and a device are -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_SPEEDS_H
#define DML_LIB_PROVIDER_SPEEDS_H

#include "Api.h"
#include "Devices.h"
#include "Partitions.h"

namespace dml::provider {

/// The speeds of the CPU provider and of devices, each measured once in a
/// process, when a session first needs them. May be used from many threads.
class MeasuredSpeeds {
public:
  /// Returns the speeds of the CPU and of a device. Where one of them cannot be
  /// measured, such as on a device without memory, its speeds are those of a
  /// desktop.
  Speeds get(const std::shared_ptr<DmlDeviceImpl> &device, const Log &log);

private:
  std::mutex mutex;
  std::optional<Speeds> cpu;
  std::map<std::string, Speeds> devices;
};

/// Returns the nearest of 1, 2 and 5 times a power of ten, so that the noise of
/// a measurement changes few partitions: 1.7 and 2.4 both become 2.
double roundSpeed(double speed);

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_SPEEDS_H
