//===- ProfileAtHand.h - The profile of a Vulkan device ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_PROFILEATHAND_H
#define DML_TOOLS_SUPPORT_PROFILEATHAND_H

#include "dml/runtime.h"

#include <string>

namespace dml::tools {

/// The profile of a device that there is.
struct ProfileAtHand {
  /// As `dml-compile --device-profile` takes it; "" where there is none.
  std::string profile;
  /// Why there is no profile.
  std::string error;
  /// Whether the device is a CPU.
  bool isCPU = false;
  /// What is wrong with the speeds that were measured on the device, or "".
  std::string warning;
};

/// Finds the device that `selector` names, as dmlFindDevice does, and returns
/// its profile without the features `disabled`.
ProfileAtHand findProfileAtHand(DmlInstance instance,
                                const std::string &selector,
                                DmlFeatureFlags disabled = 0);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_PROFILEATHAND_H
