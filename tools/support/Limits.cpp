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
  std::vector<Limit> list = {
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
  // Of most devices, all subgroups have one size.
  if (limits.minSubgroupSize != limits.maxSubgroupSize) {
    list.push_back({"minSubgroupSize", {limits.minSubgroupSize}});
    list.push_back({"maxSubgroupSize", {limits.maxSubgroupSize}});
    list.push_back({"maxComputeWorkgroupSubgroups",
                    {limits.maxComputeWorkgroupSubgroups}});
  }
  // Few drivers report registers.
  if (limits.multiprocessorRegisterCount != 0) {
    list.push_back(
        {"multiprocessorRegisterCount", {limits.multiprocessorRegisterCount}});
    list.push_back({"maxThreadRegisterCount", {limits.maxThreadRegisterCount}});
  }
  return list;
}

std::vector<std::string>
dml::tools::listMatrixShapes(const DmlDeviceLimits &limits) {
  std::vector<std::string> list;
  for (uint32_t i = 0; i < limits.matrixShapeCount; ++i) {
    const DmlMatrixShape &shape = limits.matrixShapes[i];
    std::string text;
    for (uint32_t size : {shape.rows, shape.columns, shape.terms})
      text += std::to_string(size) + "x";
    list.push_back(text + dmlGetDataTypeName(shape.factors) + "x" +
                   dmlGetDataTypeName(shape.sums));
  }
  return list;
}

std::string dml::tools::joinTexts(const std::vector<std::string> &texts,
                                  const char *separator) {
  std::string joined;
  for (const std::string &text : texts)
    joined += (joined.empty() ? "" : separator) + text;
  return joined;
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
