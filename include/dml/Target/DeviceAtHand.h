//===- DeviceAtHand.h - The profile of a device at hand ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A device that the runtime reports (DmlDeviceInfo of dml/runtime.h) as a
// device profile: a text that DeviceProfile::parse, `dml-compile
// --device-profile` and the compiler's option device-profile take. This header
// and its library use nothing of LLVM, so that the runtime's tools have them,
// too.
//
// Features and limits decide what a kernel may do, speeds only which kernel is
// chosen. The speeds of a device are, the first one that there is,
//
//  1. what `dml-bench --calibrate --save` has measured on this machine,
//  2. what the table KnownDevices.def says of the device,
//  3. what follows from the report, and else the defaults of DeviceSpeed.h.
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

/// Returns cooperative matrices as a profile names them, such as
/// "16x16x16xf16xf32".
std::string describeMatrix(const DmlMatrixShape &shape);

/// Returns the profile of `device`, which may be a physical device, or a
/// DmlDevice with the features that are enabled. `measured` may be null.
std::string getProfileOfDevice(const DmlDeviceInfo &device,
                               const MeasuredSpeeds *measured = nullptr);

/// Returns the same with the speeds that were measured on the device, if the
/// user's cache has any. `warning` becomes one line that names the file where a
/// file cannot be used, and "" otherwise.
std::string getProfileAtHand(const DmlDeviceInfo &device, std::string &warning);

//===----------------------------------------------------------------------===//
// The user's cache
//===----------------------------------------------------------------------===//

/// Returns the folder in which dml keeps what it can make anew: "dml" in
/// $XDG_CACHE_HOME, or else in $HOME/.cache. Returns "" where neither variable
/// has an absolute path.
std::string getCacheFolder();

/// Returns the file of measured speeds for a device and the version of its
/// driver, such as "speeds-6d6573613232...-05803003.txt" in the folder of the
/// cache. Returns "" where there is no folder.
std::string getSpeedFile(const DmlDeviceInfo &device);

/// Reads a file of measured speeds, which anybody may have written. Returns
/// whether there are any; `error` becomes one line where the file is there and
/// is no such file.
bool readSpeedFile(const std::string &path, MeasuredSpeeds &speeds,
                   std::string &error);

/// Returns the text of such a file.
std::string printSpeedFile(const DmlDeviceInfo &device,
                           const MeasuredSpeeds &speeds);

/// Rounds a measured number, so that the noise of measurements changes few
/// kernels: to the nearest of 1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6,
/// 6.8 and 8.2 times a power of ten, which are a fifth apart. Numbers that
/// count (cacheBytes, multiprocessors, matrixUnits) stay as they are.
double roundSpeed(const std::string &name, double value);

} // namespace dml

#endif // DML_TARGET_DEVICEATHAND_H
