//===- Driver.cpp - What a driver makes of kernels ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Instance.h"
#include "Program.h"
#include "support/Json.h"
#include "support/Plural.h"
#include "support/Runtime.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

using namespace dml::tools;
using namespace dml::runtime;

//===----------------------------------------------------------------------===//
// A device whose driver tells of its kernels
//===----------------------------------------------------------------------===//

namespace {

[[noreturn]] void failWith(const Status &status) {
  fail(status.message(), ::getExitCode(status.result()));
}

template <typename T> T take(Expected<T> found) {
  if (!found)
    failWith(found.status());
  return std::move(*found);
}

void want(const Status &status) {
  if (status.result() != DML_SUCCESS)
    failWith(status);
}

/// A VkDevice with VK_KHR_pipeline_executable_properties, which the runtime's
/// own devices do not enable, and what the runtime makes of it.
class TellingDevice {
public:
  explicit TellingDevice(const std::string &selector);
  ~TellingDevice();
  TellingDevice(const TellingDevice &) = delete;
  TellingDevice &operator=(const TellingDevice &) = delete;

  const std::shared_ptr<dml::runtime::Device> &get() const { return device; }
  const DmlDeviceInfo &info() const { return snapshot->info; }
  std::vector<VkPipelineExecutablePropertiesKHR>
  getExecutables(VkPipeline pipeline) const;
  std::vector<VkPipelineExecutableStatisticKHR>
  getStatistics(VkPipeline pipeline, uint32_t executable) const;

private:
  void requireExtension() const;
  void createDevice();

  std::shared_ptr<dml::runtime::Instance> instance;
  VkPhysicalDevice physicalDevice = VK_NULL_HANDLE;
  const DeviceSnapshot *snapshot = nullptr;
  VkDevice vkDevice = VK_NULL_HANDLE;
  DmlVulkanDevice adopted{};
  std::shared_ptr<dml::runtime::Device> device;
  PFN_vkGetPipelineExecutablePropertiesKHR getProperties = nullptr;
  PFN_vkGetPipelineExecutableStatisticsKHR readStatistics = nullptr;
  PFN_vkDestroyDevice destroyDevice = nullptr;
};

} // namespace

TellingDevice::TellingDevice(const std::string &selector)
    : instance(take(dml::runtime::Instance::create({}))) {
  uint32_t index = take(selectDevice(instance->devices(), selector));
  physicalDevice = instance->physicalDevice(index);
  snapshot = &instance->devices()[index];
  requireExtension();
  createDevice();
  Expected<std::shared_ptr<dml::runtime::Device>> made =
      dml::runtime::Device::adopt(adopted);
  if (!made) {
    destroyDevice(vkDevice, nullptr);
    failWith(made.status());
  }
  device = std::move(*made);
  device->captureStatistics();
}

TellingDevice::~TellingDevice() {
  device.reset();
  destroyDevice(vkDevice, nullptr);
}

void TellingDevice::requireExtension() const {
  auto enumerate = reinterpret_cast<PFN_vkEnumerateDeviceExtensionProperties>(
      instance->getProcAddr()(instance->handle(),
                              "vkEnumerateDeviceExtensionProperties"));
  uint32_t count = 0;
  want(checkVk(enumerate(physicalDevice, nullptr, &count, nullptr),
               "vkEnumerateDeviceExtensionProperties"));
  std::vector<VkExtensionProperties> extensions(count);
  want(checkVk(enumerate(physicalDevice, nullptr, &count, extensions.data()),
               "vkEnumerateDeviceExtensionProperties"));
  constexpr std::string_view wanted =
      VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
  if (std::none_of(extensions.begin(), extensions.end(),
                   [&](const VkExtensionProperties &extension) {
                     return extension.extensionName == wanted;
                   }))
    fail(std::string("the driver of device '") + snapshot->info.name +
             "' tells nothing of its kernels: wanted is the extension " +
             std::string(wanted),
         kExitNo);
}

void TellingDevice::createDevice() {
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
  executables.pipelineExecutableInfo = VK_TRUE;
  VkPhysicalDeviceFeatures2 features{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &executables};
  DmlDeviceRequest request{};
  request.getInstanceProcAddr = instance->getProcAddr();
  request.instance = instance->handle();
  request.physicalDevice = physicalDevice;
  request.apiVersion = kNewestApiVersion;
  request.debugUtilsEnabled = instance->hasDebugUtils();
  request.features = &features;
  Owner<DmlDeviceRequirements, dmlDestroyDeviceRequirements> requirements;
  DML_CHECK(dmlGetDeviceRequirements, &request, requirements.out());
  DmlDeviceRequirementsInfo wanted{};
  dmlDescribeDeviceRequirements(requirements, &wanted);
  std::vector<const char *> extensions(
      wanted.extensions, wanted.extensions + wanted.extensionCount);
  extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);

  float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = wanted.queueFamilyIndex;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                          wanted.features};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const InstanceFunctions &vk = instance->functions();
  want(checkVk(vk.CreateDevice(physicalDevice, &info, nullptr, &vkDevice),
               "vkCreateDevice for '", snapshot->info.name, "'"));
  auto load = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        vk.GetDeviceProcAddr(vkDevice, name));
  };
  load(destroyDevice, "vkDestroyDevice");
  load(getProperties, "vkGetPipelineExecutablePropertiesKHR");
  load(readStatistics, "vkGetPipelineExecutableStatisticsKHR");
  adopted = wanted.device;
  adopted.device = vkDevice;
}

std::vector<VkPipelineExecutablePropertiesKHR>
TellingDevice::getExecutables(VkPipeline pipeline) const {
  VkPipelineInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, nullptr,
                         pipeline};
  uint32_t count = 0;
  want(checkVk(getProperties(vkDevice, &info, &count, nullptr),
               "vkGetPipelineExecutablePropertiesKHR"));
  std::vector<VkPipelineExecutablePropertiesKHR> found(
      count, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR});
  want(checkVk(getProperties(vkDevice, &info, &count, found.data()),
               "vkGetPipelineExecutablePropertiesKHR"));
  return found;
}

std::vector<VkPipelineExecutableStatisticKHR>
TellingDevice::getStatistics(VkPipeline pipeline, uint32_t executable) const {
  VkPipelineExecutableInfoKHR info{
      VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, nullptr, pipeline,
      executable};
  uint32_t count = 0;
  want(checkVk(readStatistics(vkDevice, &info, &count, nullptr),
               "vkGetPipelineExecutableStatisticsKHR"));
  std::vector<VkPipelineExecutableStatisticKHR> found(
      count, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
  want(checkVk(readStatistics(vkDevice, &info, &count, found.data()),
               "vkGetPipelineExecutableStatisticsKHR"));
  return found;
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

/// Returns a statistic's value in the form of DriverStatistic.
static std::string
describeValue(const VkPipelineExecutableStatisticKHR &statistic) {
  std::ostringstream text;
  switch (statistic.format) {
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
    text << (statistic.value.b32 ? "true" : "false");
    break;
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
    text << statistic.value.i64;
    break;
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
    text << statistic.value.u64;
    break;
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
    text << statistic.value.f64;
    break;
  default:
    break;
  }
  return text.str();
}

/// Describes a kernel that its driver compiled to one piece of code, or to
/// several, whose statistics follow one another.
static DriverKernel describeKernel(const TellingDevice &device,
                                   VkPipeline pipeline) {
  DriverKernel kernel;
  uint32_t count = 0;
  for (const auto &executable : device.getExecutables(pipeline)) {
    kernel.subgroupSize = executable.subgroupSize;
    for (const auto &statistic : device.getStatistics(pipeline, count))
      kernel.statistics.push_back({statistic.name, describeValue(statistic)});
    ++count;
  }
  return kernel;
}

DriverReport dml::tools::compileWithDriver(
    std::shared_ptr<const dml::runtime::Executable> executable,
    const std::string &selector) {
  TellingDevice device(selector);
  DriverReport report;
  report.device = device.info().name;
  report.driver =
      std::string(device.info().driverName) + ", " + device.info().driverInfo;
  std::shared_ptr<dml::runtime::Program> program =
      take(dml::runtime::Program::compile(device.get(), executable));
  if (!executable->functions.empty())
    report.deviceProfile = program->variant(0).deviceProfile;
  for (uint32_t i = 0; i < executable->kernels.size(); ++i) {
    VkPipeline pipeline = program->pipeline(i);
    if (!pipeline)
      continue;
    DriverKernel kernel = describeKernel(device, pipeline);
    kernel.index = i;
    kernel.name = executable->kernels[i].entryPoint;
    report.kernels.push_back(std::move(kernel));
  }
  return report;
}

uint64_t dml::tools::getSpills(const DriverKernel &kernel) {
  // In the order of the drivers: Mesa's for AMD, Mesa's for Intel, NVIDIA's,
  // whose threads have local memory for nothing but spilled registers and
  // arrays, which kernels keep in registers.
  constexpr std::string_view names[] = {"Spilled VGPRs", "Spilled SGPRs",
                                        "Spill count", "Local Memory Size"};
  uint64_t most = 0;
  for (const DriverStatistic &statistic : kernel.statistics) {
    uint64_t value = 0;
    if (std::find(std::begin(names), std::end(names), statistic.name) !=
        std::end(names))
      std::from_chars(statistic.value.data(),
                      statistic.value.data() + statistic.value.size(), value);
    // NVIDIA's driver (580.159) sets the upper half of a size to 16, also if
    // the kernel has no local memory.
    most = std::max<uint64_t>(most, static_cast<uint32_t>(value));
  }
  return most;
}

size_t dml::tools::countSpilling(const DriverReport &report) {
  return static_cast<size_t>(std::count_if(
      report.kernels.begin(), report.kernels.end(),
      [](const DriverKernel &kernel) { return getSpills(kernel) != 0; }));
}

std::string dml::tools::printText(const DriverReport &report) {
  std::ostringstream text;
  text << printCount(report.kernels.size(), "kernel") << " compiled for '"
       << report.device << "' (" << report.driver << "), of which ";
  if (size_t count = countSpilling(report)) {
    auto worst = std::max_element(
        report.kernels.begin(), report.kernels.end(),
        [](const DriverKernel &left, const DriverKernel &right) {
          return getSpills(left) < getSpills(right);
        });
    text << count << (count == 1 ? " spills" : " spill")
         << " registers, kernel " << worst->index << " '" << worst->name
         << "' most: " << getSpills(*worst) << '\n';
  } else {
    text << "none spills registers\n";
  }
  for (const DriverKernel &kernel : report.kernels) {
    text << "kernel " << kernel.index << " '" << kernel.name
         << "', subgroups of " << kernel.subgroupSize << '\n';
    for (const DriverStatistic &statistic : kernel.statistics)
      text << "  " << statistic.name << ": " << statistic.value << '\n';
  }
  return text.str();
}

std::string dml::tools::printJson(const DriverReport &report) {
  std::ostringstream json;
  json << "{\n  \"device\": " << quoteJson(report.device)
       << ",\n  \"driver\": " << quoteJson(report.driver)
       << ",\n  \"deviceProfile\": " << quoteJson(report.deviceProfile)
       << ",\n  \"kernels\": [";
  const char *separator = "";
  for (const DriverKernel &kernel : report.kernels) {
    json << separator << "\n    {\"kernel\": " << kernel.index
         << ", \"entryPoint\": " << quoteJson(kernel.name)
         << ", \"subgroupSize\": " << kernel.subgroupSize
         << ", \"spills\": " << getSpills(kernel) << ", \"statistics\": {";
    separator = "";
    for (const DriverStatistic &statistic : kernel.statistics) {
      json << separator << quoteJson(statistic.name) << ": " << statistic.value;
      separator = ", ";
    }
    json << "}}";
    separator = ",";
  }
  json << "\n  ]\n}\n";
  return json.str();
}
