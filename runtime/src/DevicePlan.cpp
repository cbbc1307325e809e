//===- DevicePlan.cpp - Decisions about devices, without a device ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DevicePlan.h"

#include "DataType.h"
#include "executable_constants.h"

#include <algorithm>
#include <cctype>

using namespace dml::runtime;

namespace {

std::string join(const std::vector<std::string> &parts) {
  std::string joined;
  for (const std::string &part : parts)
    joined += (joined.empty() ? "" : "; ") + part;
  return joined;
}

std::string lower(std::string text) {
  for (char &c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The 32 hexadecimal digits of a UUID, or nothing.
std::optional<std::string> parseUuid(const std::string &text) {
  std::string digits;
  for (char c : lower(text)) {
    if (c == '-')
      continue;
    if (!std::isxdigit(static_cast<unsigned char>(c)))
      return std::nullopt;
    digits.push_back(c);
  }
  if (digits.size() != 32)
    return std::nullopt;
  return digits;
}

bool isIndex(const std::string &text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c); });
}

std::string listDevices(const std::vector<DeviceSnapshot> &devices) {
  std::vector<std::string> names;
  for (size_t i = 0; i < devices.size(); ++i)
    names.push_back(concat(i, ": ", devices[i].info.name));
  return join(names);
}

bool isGpu(const DeviceSnapshot &device) {
  return device.info.type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ||
         device.info.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ||
         device.info.type == VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU;
}

/// The device of the host's own memory, where mapping costs nothing.
bool sharesHostMemory(const DeviceSnapshot &device) {
  return device.info.type == VK_PHYSICAL_DEVICE_TYPE_CPU ||
         device.info.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

} // namespace

Expected<uint32_t>
dml::runtime::selectDevice(const std::vector<DeviceSnapshot> &devices,
                           const std::string &selector) {
  if (devices.empty())
    return makeError(DML_ERROR_NOT_FOUND, "there is no Vulkan device");

  if (selector.empty()) {
    // A GPU before anything else; what cannot be used is passed over.
    for (bool wantGpu : {true, false})
      for (uint32_t i = 0; i < devices.size(); ++i)
        if (isGpu(devices[i]) == wantGpu && findUnusable(devices[i]).empty())
          return i;
    std::vector<std::string> reasons;
    for (const DeviceSnapshot &device : devices)
      reasons.push_back(checkUsable(device).message());
    return makeError(DML_ERROR_UNSUPPORTED,
                     "no Vulkan device can be used: ", join(reasons));
  }

  std::optional<uint32_t> found;
  if (isIndex(selector)) {
    unsigned long index = std::stoul(selector);
    if (index < devices.size())
      found = static_cast<uint32_t>(index);
  } else if (std::optional<std::string> uuid = parseUuid(selector)) {
    for (uint32_t i = 0; i < devices.size() && !found; ++i)
      if (parseUuid(describeUuid(devices[i].info.uuid)) == uuid)
        found = i;
  } else {
    for (uint32_t i = 0; i < devices.size() && !found; ++i)
      if (lower(devices[i].info.name).find(lower(selector)) !=
          std::string::npos)
        found = i;
  }
  if (!found)
    return makeError(DML_ERROR_NOT_FOUND, "no device is called '", selector,
                     "'; the devices are ", listDevices(devices));
  DML_TRY(checkUsable(devices[*found]));
  return *found;
}

std::vector<std::string>
dml::runtime::findUnusable(const DeviceSnapshot &device) {
  std::vector<std::string> missing;
  if (device.info.apiVersion < VK_API_VERSION_1_2)
    missing.push_back(concat("it has Vulkan ",
                             describeApiVersion(device.info.apiVersion),
                             ", but 1.2 is needed"));
  if (!chooseQueueFamily(device.queueFamilies))
    missing.push_back("it has no queue family with VK_QUEUE_COMPUTE_BIT");
  return missing;
}

Status dml::runtime::checkUsable(const DeviceSnapshot &device) {
  std::vector<std::string> missing = findUnusable(device);
  if (missing.empty())
    return Status();
  return makeError(DML_ERROR_UNSUPPORTED, "device '", device.info.name,
                   "' cannot be used: ", join(missing));
}

Status dml::runtime::checkApiVersion(uint32_t apiVersion) {
  if (apiVersion >= VK_API_VERSION_1_2)
    return Status();
  return makeError(DML_ERROR_INVALID_ARGUMENT, "the instance has apiVersion ",
                   describeApiVersion(apiVersion),
                   ", but Vulkan 1.2 is needed");
}

DmlDeviceLimits dml::runtime::toLimits(const Requirements &requirements) {
  DmlDeviceLimits limits{};
  limits.maxStorageBufferRange = requirements.maxStorageBufferRange;
  limits.maxPerStageDescriptorStorageBuffers =
      requirements.maxPerStageDescriptorStorageBuffers;
  limits.maxComputeWorkGroupInvocations =
      requirements.maxComputeWorkGroupInvocations;
  for (int i = 0; i < 3; ++i) {
    limits.maxComputeWorkGroupSize[i] = requirements.maxComputeWorkGroupSize[i];
    limits.maxComputeWorkGroupCount[i] =
        requirements.maxComputeWorkGroupCount[i];
  }
  limits.maxComputeSharedMemorySize = requirements.maxComputeSharedMemorySize;
  limits.maxLoopIterations = requirements.maxLoopIterations;
  limits.subgroupSize = requirements.subgroupSize;
  limits.minSubgroupSize = requirements.subgroupSize;
  limits.maxSubgroupSize = requirements.subgroupSize;
  limits.maxComputeWorkgroupSubgroups =
      requirements.maxComputeWorkgroupSubgroups;
  // The reader lets no more through.
  limits.matrixShapeCount =
      static_cast<uint32_t>(requirements.matrixShapes.size());
  std::copy(requirements.matrixShapes.begin(), requirements.matrixShapes.end(),
            limits.matrixShapes);
  return limits;
}

std::vector<std::string>
dml::runtime::findMissing(const DmlDeviceInfo &device,
                          const Requirements &requirements,
                          DmlFeatureFlags supported) {
  std::vector<std::string> missing;
  const DmlDeviceLimits &limits = device.limits;

  // Patch versions do not gate anything.
  auto minor = [](uint32_t version) { return version >> 12; };
  if (minor(device.apiVersion) < minor(requirements.apiVersion))
    missing.push_back(concat(
        "Vulkan ", describeApiVersion(requirements.apiVersion),
        " is needed, but it has ", describeApiVersion(device.apiVersion)));
  for (DmlFeatureFlags bit = 1; bit & DML_FEATURE_ALL; bit <<= 1)
    if (requirements.features & ~device.features & bit)
      missing.push_back(concat(
          "feature ", dmlGetFeatureName(static_cast<DmlFeatureFlagBits>(bit)),
          supported & bit ? " is needed, but the VkDevice was created "
                            "without it"
                          : " is needed, but it has none"));

  auto checkLimit = [&](const char *name, uint64_t has, uint64_t needs) {
    if (has < needs)
      missing.push_back(
          concat(name, " of ", needs, " is needed, but it has ", has));
  };
  auto checkExtent = [&](const char *name, const uint32_t(&has)[3],
                         const Extent &needs) {
    for (int i = 0; i < 3; ++i)
      checkLimit(concat(name, "[", i, "]").c_str(), has[i], needs[i]);
  };
  checkLimit("maxStorageBufferRange", limits.maxStorageBufferRange,
             requirements.maxStorageBufferRange);
  checkLimit("maxPerStageDescriptorStorageBuffers",
             limits.maxPerStageDescriptorStorageBuffers,
             requirements.maxPerStageDescriptorStorageBuffers);
  checkLimit("maxComputeWorkGroupInvocations",
             limits.maxComputeWorkGroupInvocations,
             requirements.maxComputeWorkGroupInvocations);
  checkExtent("maxComputeWorkGroupSize", limits.maxComputeWorkGroupSize,
              requirements.maxComputeWorkGroupSize);
  checkExtent("maxComputeWorkGroupCount", limits.maxComputeWorkGroupCount,
              requirements.maxComputeWorkGroupCount);
  checkLimit("maxComputeSharedMemorySize", limits.maxComputeSharedMemorySize,
             requirements.maxComputeSharedMemorySize);
  // No limit is known of most drivers.
  if (limits.maxLoopIterations != 0)
    checkLimit("maxLoopIterations", limits.maxLoopIterations,
               requirements.maxLoopIterations);
  if (requirements.subgroupSize != 0 &&
      (requirements.subgroupSize < limits.minSubgroupSize ||
       requirements.subgroupSize > limits.maxSubgroupSize))
    missing.push_back(concat("subgroups of ", requirements.subgroupSize,
                             " threads are needed, but it has ",
                             limits.minSubgroupSize, " to ",
                             limits.maxSubgroupSize));
  // The limit is one of kernels that ask for a size of subgroups.
  if (limits.maxComputeWorkgroupSubgroups != 0)
    checkLimit("maxComputeWorkgroupSubgroups",
               limits.maxComputeWorkgroupSubgroups,
               requirements.maxComputeWorkgroupSubgroups);
  for (const DmlMatrixShape &shape : requirements.matrixShapes)
    if (std::none_of(limits.matrixShapes,
                     limits.matrixShapes + limits.matrixShapeCount,
                     [&](const DmlMatrixShape &other) {
                       return areEqual(shape, other);
                     }))
      missing.push_back(concat("cooperative matrices ",
                               describeMatrixShape(shape),
                               " are needed, but it has none such"));
  return missing;
}

Expected<std::vector<uint32_t>>
dml::runtime::chooseVariants(const DmlDeviceInfo &device,
                             const Executable &executable,
                             DmlFeatureFlags supported) {
  std::vector<uint32_t> chosen;
  std::vector<std::string> reasons;
  bool isSharedSaid = false;
  for (const Function &function : executable.functions) {
    // The one that lacks least; of several, the last, which wants least.
    size_t nearest = 0;
    std::vector<std::string> missing;
    for (size_t i = 0; i < function.variants.size(); ++i) {
      std::vector<std::string> found =
          findMissing(device, function.variants[i].requirements, supported);
      if (i == 0 || found.size() <= missing.size()) {
        nearest = i;
        missing = std::move(found);
      }
      if (missing.empty())
        break;
    }
    chosen.push_back(static_cast<uint32_t>(nearest));
    if (missing.empty())
      continue;
    size_t count = function.variants.size();
    if (count > 1)
      reasons.push_back(concat("of the ", count, " variants of function '",
                               function.name, "' it comes nearest to variant ",
                               nearest, ": ", join(missing)));
    else if (!isSharedSaid)
      reasons.push_back(join(missing));
    // Functions without a choice share their requirements.
    isSharedSaid |= count == 1;
  }
  if (!reasons.empty())
    return makeError(DML_ERROR_UNSUPPORTED, "device '", device.name,
                     "' cannot run the executable: ", join(reasons));
  return chosen;
}

std::vector<uint64_t>
dml::runtime::chooseCuts(uint64_t size,
                         std::vector<std::pair<uint64_t, uint64_t>> ranges,
                         uint64_t limit) {
  std::vector<uint64_t> begins = {0};
  if (size <= limit)
    return begins;
  std::sort(ranges.begin(), ranges.end());
  std::vector<uint64_t> places;
  uint64_t reach = 0;
  for (const auto &[begin, end] : ranges) {
    if (begin > reach)
      places.push_back(reach);
    if (begin >= reach)
      places.push_back(begin);
    // Ranges begin where a device binds them, also from a cut on.
    constexpr uint64_t kAlignment = executable::kRangeAlignment;
    reach = std::max(reach, (end + kAlignment - 1) / kAlignment * kAlignment);
  }
  places.push_back(std::min(reach, size));
  places.push_back(size);
  for (size_t i = 0; i + 1 < places.size(); ++i)
    if (places[i + 1] - begins.back() > limit && places[i] > begins.back())
      begins.push_back(places[i]);
  return begins;
}

std::optional<uint32_t> dml::runtime::chooseQueueFamily(
    const std::vector<VkQueueFamilyProperties> &families) {
  std::optional<uint32_t> chosen;
  for (uint32_t i = 0; i < families.size(); ++i) {
    if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) ||
        families[i].queueCount == 0)
      continue;
    if (families[i].timestampValidBits != 0)
      return i;
    if (!chosen)
      chosen = i;
  }
  return chosen;
}

static constexpr VkMemoryPropertyFlags kLocal =
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
static constexpr VkMemoryPropertyFlags kMapped =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
static constexpr VkMemoryPropertyFlags kCached =
    VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
/// These need a feature of their own, or cost speed.
static constexpr VkMemoryPropertyFlags kNever =
    VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD |
    VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;

MemoryWish dml::runtime::describeMemory(const DeviceSnapshot &device,
                                        DmlMemory memory) {
  switch (memory) {
  case DML_MEMORY_DEVICE:
    return {0, sharesHostMemory(device) ? kLocal | kMapped | kCached : kLocal};
  case DML_MEMORY_UPLOAD:
    return {kMapped, 0};
  case DML_MEMORY_READBACK:
    return {kMapped, kCached};
  case DML_MEMORY_MAX_ENUM:
    break;
  }
  return {};
}

uint32_t dml::runtime::findMemoryTypes(const DeviceSnapshot &device,
                                       const MemoryWish &wish,
                                       uint32_t typeBits) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < device.memory.memoryTypeCount; ++i) {
    VkMemoryPropertyFlags flags = device.memory.memoryTypes[i].propertyFlags;
    if ((flags & wish.required) == wish.required && !(flags & kNever))
      found |= 1u << i;
  }
  return found & typeBits;
}

std::optional<uint32_t>
dml::runtime::chooseMemoryType(const DeviceSnapshot &device, DmlMemory memory,
                               uint32_t typeBits) {
  // The properties that memory must have and must not have. The list begins
  // with the best combination, and ends with the one that is barely usable.
  struct Wish {
    VkMemoryPropertyFlags with, without;
  };
  std::vector<Wish> wishes;
  switch (memory) {
  case DML_MEMORY_DEVICE:
    if (sharesHostMemory(device)) {
      wishes.push_back({kLocal | kMapped | kCached, 0});
      wishes.push_back({kLocal | kMapped, 0});
    }
    // A discrete GPU's mapped memory may be a small window: leave it alone.
    wishes.push_back({kLocal, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT});
    wishes.push_back({kLocal, 0});
    wishes.push_back({0, 0});
    break;
  case DML_MEMORY_UPLOAD:
    wishes.push_back({kMapped, kLocal | kCached});
    wishes.push_back({kMapped, kLocal});
    wishes.push_back({kMapped, 0});
    break;
  case DML_MEMORY_READBACK:
    wishes.push_back({kMapped | kCached, kLocal});
    wishes.push_back({kMapped | kCached, 0});
    wishes.push_back({kMapped, 0});
    break;
  case DML_MEMORY_MAX_ENUM:
    break;
  }
  for (const Wish &wish : wishes)
    for (uint32_t i = 0; i < device.memory.memoryTypeCount; ++i) {
      VkMemoryPropertyFlags flags = device.memory.memoryTypes[i].propertyFlags;
      if ((typeBits >> i & 1) && (flags & wish.with) == wish.with &&
          !(flags & (wish.without | kNever)))
        return i;
    }
  return std::nullopt;
}

std::string dml::runtime::describeUuid(const uint8_t (&uuid)[16]) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text.push_back('-');
    text.push_back(kDigits[uuid[i] >> 4]);
    text.push_back(kDigits[uuid[i] & 15]);
  }
  return text;
}
