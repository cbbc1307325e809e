//===- Limits.cpp - Features and limits as text ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Limits.h"

using namespace dml::tools;

std::vector<std::pair<const char *, bool>>
dml::tools::listFeatures(DmlFeatureFlags all) {
  std::vector<std::pair<const char *, bool>> features;
  for (DmlFeatureFlags bit = 1; bit & DML_FEATURE_ALL; bit <<= 1)
    features.push_back({dmlGetFeatureName(static_cast<DmlFeatureFlagBits>(bit)),
                        (all & bit) != 0});
  return features;
}

std::vector<Limit> dml::tools::listLimits(const DmlDeviceLimits &limits) {
  auto three = [](const uint32_t(&values)[3]) {
    return std::vector<uint64_t>(values, values + 3);
  };
  return {
      {"maxStorageBufferRange", {limits.maxStorageBufferRange}},
      {"maxMemoryAllocationSize", {limits.maxMemoryAllocationSize}},
      {"minStorageBufferOffsetAlignment",
       {limits.minStorageBufferOffsetAlignment}},
      {"maxPerStageDescriptorStorageBuffers",
       {limits.maxPerStageDescriptorStorageBuffers}},
      {"maxComputeWorkGroupInvocations",
       {limits.maxComputeWorkGroupInvocations}},
      {"maxComputeWorkGroupSize", three(limits.maxComputeWorkGroupSize)},
      {"maxComputeWorkGroupCount", three(limits.maxComputeWorkGroupCount)},
      {"maxComputeSharedMemorySize", {limits.maxComputeSharedMemorySize}},
      {"subgroupSize", {limits.subgroupSize}},
      {"maxLoopIterations", {limits.maxLoopIterations}},
  };
}

std::string dml::tools::join(const std::vector<uint64_t> &values,
                             const char *separator) {
  std::string text;
  for (uint64_t value : values)
    text += (text.empty() ? "" : separator) + std::to_string(value);
  return text;
}

std::string dml::tools::describeVersion(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
         std::to_string(VK_API_VERSION_MINOR(version));
}
