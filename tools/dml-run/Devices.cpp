//===- Devices.cpp - Print the Vulkan devices -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Devices.h"

#include <sstream>
#include <utility>
#include <vector>

using namespace dml::tools;

namespace {

std::string describeUuid(const uint8_t *uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text += '-';
    text += kDigits[uuid[i] >> 4];
    text += kDigits[uuid[i] & 15];
  }
  return text;
}

const char *describeType(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return "integrated GPU";
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return "discrete GPU";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return "virtual GPU";
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return "CPU";
  default:
    return "other";
  }
}

std::string describeVersion(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
         std::to_string(VK_API_VERSION_MINOR(version));
}

std::vector<std::pair<const char *, bool>>
listFeatures(const DmlDeviceInfo &info) {
  std::vector<std::pair<const char *, bool>> features;
  for (DmlFeatureFlags bit = 1; bit & DML_FEATURE_ALL; bit <<= 1)
    features.push_back({dmlGetFeatureName(static_cast<DmlFeatureFlagBits>(bit)),
                        (info.features & bit) != 0});
  return features;
}

/// A limit of one number, or of three.
struct Limit {
  const char *name;
  std::vector<uint64_t> values;
};

std::vector<Limit> listLimits(const DmlDeviceLimits &limits) {
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

std::string join(const std::vector<uint64_t> &values, const char *separator) {
  std::string text;
  for (uint64_t value : values)
    text += (text.empty() ? "" : separator) + std::to_string(value);
  return text;
}

std::string quote(const std::string &text) {
  std::ostringstream json;
  json << '"';
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      json << '\\' << c;
    else if (c < 0x20)
      json << "\\u00"
           << "0123456789abcdef"[c >> 4] << "0123456789abcdef"[c & 15];
    else
      json << c;
  }
  json << '"';
  return json.str();
}

/// The infos of all devices; the indices are below the count, so none fails.
std::vector<DmlDeviceInfo> listDevices(DmlInstance instance) {
  std::vector<DmlDeviceInfo> infos(dmlGetDeviceCount(instance));
  for (uint32_t i = 0; i < infos.size(); ++i)
    dmlGetDeviceInfo(instance, i, &infos[i], nullptr);
  return infos;
}

} // namespace

std::string dml::tools::printDevices(DmlInstance instance) {
  std::ostringstream text;
  auto row = [&](const char *name) -> std::ostream & {
    text << "  " << name;
    for (size_t width = std::char_traits<char>::length(name); width < 39;
         ++width)
      text << ' ';
    return text;
  };
  std::vector<DmlDeviceInfo> devices = listDevices(instance);
  for (size_t i = 0; i < devices.size(); ++i) {
    const DmlDeviceInfo &info = devices[i];
    text << (i == 0 ? "" : "\n") << i << ": " << info.name << '\n';
    row("type") << describeType(info.type) << '\n';
    row("uuid") << describeUuid(info.uuid) << '\n';
    row("driver") << info.driverName << ", " << info.driverInfo << '\n';
    row("Vulkan") << describeVersion(info.apiVersion) << '\n';
    row("deviceMemorySize") << info.deviceMemorySize << '\n';
    for (const auto &[name, has] : listFeatures(info))
      row(name) << (has ? "yes" : "no") << '\n';
    for (const Limit &limit : listLimits(info.limits))
      row(limit.name) << join(limit.values, " x ") << '\n';
    row("timestampPeriod") << info.limits.timestampPeriod << '\n';
  }
  return text.str();
}

std::string dml::tools::printDevicesAsJson(DmlInstance instance) {
  std::ostringstream json;
  std::vector<DmlDeviceInfo> devices = listDevices(instance);
  json << "[";
  for (size_t i = 0; i < devices.size(); ++i) {
    const DmlDeviceInfo &info = devices[i];
    json << (i == 0 ? "\n" : ",\n") << "  {\n    \"index\": " << i
         << ",\n    \"name\": " << quote(info.name)
         << ",\n    \"type\": " << quote(describeType(info.type))
         << ",\n    \"uuid\": " << quote(describeUuid(info.uuid))
         << ",\n    \"driverName\": " << quote(info.driverName)
         << ",\n    \"driverInfo\": " << quote(info.driverInfo)
         << ",\n    \"apiVersion\": " << quote(describeVersion(info.apiVersion))
         << ",\n    \"deviceMemorySize\": " << info.deviceMemorySize
         << ",\n    \"features\": {";
    const char *separator = "";
    for (const auto &[name, has] : listFeatures(info)) {
      json << separator << "\n      \"" << name
           << "\": " << (has ? "true" : "false");
      separator = ",";
    }
    json << "\n    },\n    \"limits\": {";
    for (const Limit &limit : listLimits(info.limits)) {
      bool isList = limit.values.size() > 1;
      json << "\n      \"" << limit.name << "\": " << (isList ? "[" : "")
           << join(limit.values, ", ") << (isList ? "]," : ",");
    }
    json << "\n      \"timestampPeriod\": " << info.limits.timestampPeriod
         << "\n    }\n  }";
  }
  json << "\n]\n";
  return json.str();
}
