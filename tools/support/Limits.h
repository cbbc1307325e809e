//===- Limits.h - Features and limits as text -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_LIMITS_H
#define DML_TOOLS_SUPPORT_LIMITS_H

#include "dml/runtime.h"

#include <string>
#include <utility>
#include <vector>

namespace dml::tools {

/// All features by their Vulkan names, and whether `features` has them.
std::vector<std::pair<const char *, bool>>
listFeatures(DmlFeatureFlags features);

/// A limit of one number, or of three.
struct Limit {
  const char *name;
  std::vector<uint64_t> values;
};

std::vector<Limit> listLimits(const DmlDeviceLimits &limits);

/// Returns the names of the cooperative matrices in device profiles, such as
/// "16x16x16xf16xf32".
std::vector<std::string> listMatrixShapes(const DmlDeviceLimits &limits);

std::string join(const std::vector<uint64_t> &values, const char *separator);
std::string joinTexts(const std::vector<std::string> &texts,
                      const char *separator);

/// "1.2", of a version of Vulkan.
std::string describeVersion(uint32_t version);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_LIMITS_H
