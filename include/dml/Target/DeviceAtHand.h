//===- DeviceAtHand.h - The profile of a device at hand ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The functions of this header make a device profile of a device that the
// runtime reports (DmlDeviceInfo of dml/runtime.h). The profile is a text that
// DeviceProfile::parse, `dml-compile --device-profile` and the compiler's
// option device-profile accept. This header and its library do not use LLVM,
// so that the tools of the runtime can use them, too.
//
// Features and limits determine which code a kernel may contain. Speeds only
// determine which kernel is chosen. The speed of a device comes from the first
// of these sources that has it:
//
//  1. the measurements of `dml-bench --calibrate --save` on this machine,
//  2. the device's row in the table KnownDevices.def,
//  3. Vulkan's report of the device,
//  4. the defaults of DeviceSpeed.h.
//
// For example, a device without 64-bit floats that binds 128 MiB, has subgroups
// of 8 threads and runs on two processors has the profile
// "full,-shaderFloat64,maxStorageBufferRange=134217728,subgroupSize=8,
// multiprocessors=2", in the words of DeviceProfile::str().
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_DEVICEATHAND_H
#define DML_TARGET_DEVICEATHAND_H

#include "dml/runtime.h"
#include <string>
#include <utility>
#include <vector>

namespace dml {

/// The speeds that were measured on a device.
struct MeasuredSpeeds {
  /// Names of Speeds.def with their numbers.
  std::vector<std::pair<std::string, double>> numbers;
  /// Cooperative matrices, the fastest first.
  std::vector<DmlMatrixShape> matrices;
};

/// Returns the name of cooperative matrices in a profile, such as
/// "16x16x16xf16xf32".
std::string describeMatrix(const DmlMatrixShape &shape);

/// Returns the profile of `device`, which is a physical device, or a DmlDevice
/// with the features that are enabled. `measured` are the speeds that were
/// measured on the device, or null.
std::string getProfileOfDevice(const DmlDeviceInfo &device,
                               const MeasuredSpeeds *measured = nullptr);

/// Returns the profile of `device`, with the speeds that were measured on the
/// device if the user's cache has a file of them. If this file cannot be used,
/// `warning` becomes one line that names the file and the fault, and otherwise
/// "".
std::string getProfileAtHand(const DmlDeviceInfo &device, std::string &warning);

//===----------------------------------------------------------------------===//
// The user's cache
//===----------------------------------------------------------------------===//

/// Returns the folder for files that dml can create again: the folder "dml" in
/// $XDG_CACHE_HOME, or else in $HOME/.cache; on Windows in %LOCALAPPDATA%.
/// Returns "" if no such variable contains an absolute path.
std::string getCacheFolder();

/// Returns the path of the file of measured speeds for a device and the version
/// of its driver, such as "speeds-6d6573613232...-05803003.txt" in the folder
/// of the cache. Returns "" if there is no such folder.
std::string getSpeedFile(const DmlDeviceInfo &device);

/// Reads a file of measured speeds, which anybody may have written. Returns
/// whether the file contains speeds. If the file exists but is no file of
/// speeds, `error` becomes one line that names the fault.
bool readSpeedFile(const std::string &path, MeasuredSpeeds &speeds,
                   std::string &error);

/// Returns the text of a file of measured speeds.
std::string printSpeedFile(const DmlDeviceInfo &device,
                           const MeasuredSpeeds &speeds);

/// Rounds a measured number, so that the noise of measurements changes few
/// kernels: to the nearest of 1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6,
/// 6.8 and 8.2 times a power of ten, which are a fifth apart. Numbers that
/// count (cacheBytes, multiprocessors, matrixUnits) stay as they are.
double roundSpeed(const std::string &name, double value);

} // namespace dml

#endif // DML_TARGET_DEVICEATHAND_H
