//===- Driver.h - What a driver makes of kernels ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Drivers compile SPIR-V to the instructions of a GPU, and decide then how many
// registers a thread has. They tell so through
// VK_KHR_pipeline_executable_properties, each in words of its own: "VGPRs" of
// Mesa's driver for AMD's GPUs is "Register Count" of NVIDIA's driver.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLINSPECT_DRIVER_H
#define DML_TOOLS_DMLINSPECT_DRIVER_H

#include "Executable.h"

#include <memory>
#include <string>
#include <vector>

namespace dml::tools {

/// A number that a driver tells of a kernel, in the driver's words.
struct DriverStatistic {
  std::string name;
  /// The number in decimal digits, or "true" or "false".
  std::string value;
};

struct DriverKernel {
  /// The kernel's number in the executable, and its entry point.
  uint32_t index = 0;
  std::string name;
  /// Threads of a subgroup, as the driver chose or was told.
  uint32_t subgroupSize = 0;
  std::vector<DriverStatistic> statistics;
};

/// The kernels that a device would run, as its driver compiled them.
struct DriverReport {
  std::string device, driver;
  /// The profile that the first function's variant was compiled for; "" where
  /// the executable does not say.
  std::string deviceProfile;
  std::vector<DriverKernel> kernels;
};

/// Has the driver of the device that `selector` means compile the kernels of
/// the variants that the device would run. Fails, with exit code 1, where the
/// device lacks something that these kernels need, or where its driver tells
/// nothing.
DriverReport
compileWithDriver(std::shared_ptr<const runtime::Executable> executable,
                  const std::string &selector);

/// Returns how many registers, or bytes of registers, a kernel spills: the
/// largest of the statistics that have names of spills.
uint64_t getSpills(const DriverKernel &kernel);

/// Returns the number of kernels that spill.
size_t countSpilling(const DriverReport &report);

std::string printText(const DriverReport &report);
std::string printJson(const DriverReport &report);

} // namespace dml::tools

#endif // DML_TOOLS_DMLINSPECT_DRIVER_H
