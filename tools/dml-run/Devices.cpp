//===- Devices.cpp - Print the Vulkan devices -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "support/Json.h"
#include "support/Limits.h"

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
    for (const auto &[name, has] : listFeatures(info.features))
      row(name) << (has ? "yes" : "no") << '\n';
    for (const Limit &limit : listLimits(info.limits))
      row(limit.name) << join(limit.values, " x ") << '\n';
    if (info.limits.matrixShapeCount != 0)
      row("cooperative matrices")
          << joinTexts(listMatrixShapes(info.limits), ", ") << '\n';
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
         << ",\n    \"name\": " << quoteJson(info.name)
         << ",\n    \"type\": " << quoteJson(describeType(info.type))
         << ",\n    \"uuid\": " << quoteJson(describeUuid(info.uuid))
         << ",\n    \"driverName\": " << quoteJson(info.driverName)
         << ",\n    \"driverInfo\": " << quoteJson(info.driverInfo)
         << ",\n    \"apiVersion\": "
         << quoteJson(describeVersion(info.apiVersion))
         << ",\n    \"deviceMemorySize\": " << info.deviceMemorySize
         << ",\n    \"features\": {";
    const char *separator = "";
    for (const auto &[name, has] : listFeatures(info.features)) {
      json << separator << "\n      \"" << name
           << "\": " << (has ? "true" : "false");
      separator = ",";
    }
    json << "\n    },\n    \"matrixShapes\": [";
    separator = "";
    for (const std::string &shape : listMatrixShapes(info.limits)) {
      json << separator << quoteJson(shape);
      separator = ", ";
    }
    json << "],\n    \"limits\": {";
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
