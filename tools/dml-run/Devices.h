//===- Devices.h - Print the Vulkan devices -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLRUN_DEVICES_H
#define DML_TOOLS_DMLRUN_DEVICES_H

#include "dml/runtime.h"

#include <string>

namespace dml::tools {

std::string printDevices(DmlInstance instance);
std::string printDevicesAsJson(DmlInstance instance);

} // namespace dml::tools

#endif // DML_TOOLS_DMLRUN_DEVICES_H
