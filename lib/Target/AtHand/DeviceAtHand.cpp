//===- DeviceAtHand.cpp - The profile of a device at hand -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/DeviceAtHand.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

using namespace dml;

//===----------------------------------------------------------------------===//
// Cooperative matrices
//===----------------------------------------------------------------------===//

/// Returns the name of a type of matrices' elements in profiles, or "".
static std::string getElementName(DmlDataType type) {
  switch (type) {
  case DML_DATA_TYPE_FLOAT16:
    return "f16";
  case DML_DATA_TYPE_FLOAT32:
    return "f32";
  case DML_DATA_TYPE_INT8:
    return "i8";
  case DML_DATA_TYPE_UINT8:
    return "ui8";
  case DML_DATA_TYPE_INT32:
    return "i32";
  default:
    return "";
  }
}

std::string dml::describeMatrix(const DmlMatrixShape &shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.columns) +
         "x" + std::to_string(shape.terms) + "x" +
         getElementName(shape.factors) + "x" + getElementName(shape.sums);
}

/// Whether a kernel can use matrices of `shape`. The factors must be f16 with
/// sums of f32, or 8-bit integers with sums of i32, and the numbers of rows,
/// columns and terms must fill vectors of 16 bytes.
static bool isUsable(const DmlMatrixShape &shape) {
  bool ofFloats = shape.factors == DML_DATA_TYPE_FLOAT16 &&
                  shape.sums == DML_DATA_TYPE_FLOAT32;
  bool ofIntegers = (shape.factors == DML_DATA_TYPE_INT8 ||
                     shape.factors == DML_DATA_TYPE_UINT8) &&
                    shape.sums == DML_DATA_TYPE_INT32;
  uint32_t lanes = ofFloats ? 8 : 16;
  auto isWhole = [&](uint32_t size) {
    return size != 0 && size <= UINT16_MAX && size % lanes == 0;
  };
  return (ofFloats || ofIntegers) && isWhole(shape.rows) &&
         isWhole(shape.columns) && isWhole(shape.terms);
}

static bool isSame(const DmlMatrixShape &one, const DmlMatrixShape &other) {
  return one.rows == other.rows && one.columns == other.columns &&
         one.terms == other.terms && one.factors == other.factors &&
         one.sums == other.sums;
}

/// Returns the position of `shape` in the vendor's list of matrices in
/// KnownDevices.def, or a number beyond the list.
static size_t getRankOfVendor(uint32_t vendor, const DmlMatrixShape &shape) {
  size_t rank = 0;
#define DML_FAST_MATRIX(VENDOR, ROWS, COLUMNS, TERMS)                          \
  if (vendor == VENDOR && shape.rows == ROWS && shape.columns == COLUMNS &&    \
      shape.terms == TERMS)                                                    \
    return rank;                                                               \
  ++rank;
#include "dml/Target/KnownDevices.def"
  return rank;
}

/// Returns the matrices that kernels should use on a device: for each type of
/// factors, the fastest that was measured, or else the first of the vendor's
/// list, or else the first that the device reports. Further matrices would only
/// lengthen the search for kernels: with four shapes instead of two, the search
/// takes half as long again for ResNet-50, BERT and ViT-B in f16, and finds the
/// same kernels.
static std::vector<DmlMatrixShape> getMatrices(const DmlDeviceInfo &device,
                                               const MeasuredSpeeds *measured) {
  std::vector<DmlMatrixShape> shapes;
  if (!(device.features & DML_FEATURE_COOPERATIVE_MATRIX_BIT) ||
      !(device.features & DML_FEATURE_VULKAN_MEMORY_MODEL_BIT))
    return shapes;
  uint32_t count =
      std::min<uint32_t>(device.limits.matrixShapeCount, DML_MAX_MATRIX_SHAPES);
  for (uint32_t i = 0; i < count; ++i)
    if (isUsable(device.limits.matrixShapes[i]))
      shapes.push_back(device.limits.matrixShapes[i]);
  auto getRank = [&](const DmlMatrixShape &shape) {
    size_t rank = 0;
    if (measured)
      for (const DmlMatrixShape &other : measured->matrices) {
        if (isSame(shape, other))
          return rank;
        ++rank;
      }
    return rank + getRankOfVendor(device.vendorID, shape);
  };
  std::vector<std::pair<size_t, size_t>> order;
  for (const DmlMatrixShape &shape : shapes)
    order.emplace_back(getRank(shape), order.size());
  std::sort(order.begin(), order.end());
  std::vector<DmlMatrixShape> fastest;
  for (auto [rank, index] : order)
    if (std::none_of(fastest.begin(), fastest.end(),
                     [&, at = index](auto &other) {
                       return other.factors == shapes[at].factors;
                     }))
      fastest.push_back(shapes[index]);
  return fastest;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

namespace {
/// The limits that a device reports, under the names of Limits.def.
struct ReportedLimits {
  uint64_t maxStorageBuffers, maxStorageBufferRange, maxMemoryAllocationSize,
      maxWorkgroupSize, maxWorkgroupMemory, subgroupSize;
};
} // namespace

/// Returns the size of subgroups that suits the devices of a vendor: 32, with
/// which kernels were measured, or that of KnownDevices.def.
static uint64_t getPreferredSubgroupSize(uint32_t vendor) {
#define DML_SUBGROUP_SIZE(VENDOR, THREADS)                                     \
  if (vendor == VENDOR)                                                        \
    return THREADS;
#include "dml/Target/KnownDevices.def"
  return 32;
}

/// Returns the size of subgroups that kernels request: of the sizes that the
/// device allows, the one nearest to that of getPreferredSubgroupSize().
/// Returns 0 if kernels do not use this size, or if a workgroup would have more
/// subgroups than the device allows.
static uint64_t chooseSubgroupSize(const DmlDeviceInfo &device,
                                   uint64_t workgroupSize) {
  const DmlDeviceLimits &limits = device.limits;
  if (!(device.features & (DML_FEATURE_SUBGROUP_SHUFFLE_BIT |
                           DML_FEATURE_COOPERATIVE_MATRIX_BIT)))
    return 0;
  // Without the control of sizes, all subgroups have one.
  if (limits.maxComputeWorkgroupSubgroups == 0)
    return limits.subgroupSize;
  uint64_t preferred = getPreferredSubgroupSize(device.vendorID);
  uint64_t least = std::max<uint64_t>(
      limits.minSubgroupSize,
      (workgroupSize + limits.maxComputeWorkgroupSubgroups - 1) /
          limits.maxComputeWorkgroupSubgroups);
  uint64_t size = limits.minSubgroupSize;
  while (size != 0 && size < std::max(least, preferred) &&
         2 * size <= limits.maxSubgroupSize)
    size *= 2;
  return size < least ? 0 : size;
}

/// Returns the limits of the device as entries of a profile. A limit that
/// exceeds the needs of the compiler is reduced: to the limit of the profile
/// "full", or to the limit for devices with cooperative matrices, if the device
/// has any.
static std::string describeLimits(const DmlDeviceInfo &device,
                                  bool hasMatrices) {
  const DmlDeviceLimits &limits = device.limits;
  uint64_t threads = std::min(limits.maxComputeWorkGroupInvocations,
                              limits.maxComputeWorkGroupSize[0]);
  ReportedLimits reported{limits.maxPerStageDescriptorStorageBuffers,
                          limits.maxStorageBufferRange,
                          limits.maxMemoryAllocationSize,
                          threads,
                          limits.maxComputeSharedMemorySize,
                          /*subgroupSize=*/0};
  std::string text;
#define DML_LIMIT(NAME, GETTER, PROMISED, LEAST, GREATEST, FULL, MATRICES)     \
  {                                                                            \
    uint64_t most = std::max<uint64_t>(FULL, hasMatrices ? MATRICES : 0);      \
    reported.NAME = std::clamp<uint64_t>(reported.NAME, PROMISED,              \
                                         std::max<uint64_t>(most, PROMISED));  \
  }
#include "dml/Target/Limits.def"
  reported.subgroupSize = chooseSubgroupSize(device, reported.maxWorkgroupSize);
#define DML_LIMIT(NAME, GETTER, PROMISED, LEAST, GREATEST, FULL, MATRICES)     \
  if (reported.NAME != 0)                                                      \
    text += "," #NAME "=" + std::to_string(reported.NAME);
#include "dml/Target/Limits.def"
  return text;
}

//===----------------------------------------------------------------------===//
// Speeds
//===----------------------------------------------------------------------===//

/// Adds the entries of `text`, such as "opsPerByte=8,barrierCycles=60".
static void addNumbers(std::map<std::string, double> &numbers,
                       const std::string &text) {
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    size_t equals = text.find('=', begin);
    numbers[text.substr(begin, equals - begin)] =
        std::strtod(text.c_str() + equals + 1, nullptr);
    begin = end + 1;
  }
}

/// Returns an estimate of the number of multiprocessors of a device that does
/// not report it. Desktop GPUs of several vendors have 40 to 128, and GPUs that
/// share the memory of the host have fewer.
static std::optional<double> guessMultiprocessors(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 64;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 12;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return 1;
  default:
    return std::nullopt;
  }
}

/// Returns the row of KnownDevices.def for the device, or null.
static const char *findKnownSpeeds(const DmlDeviceInfo &device) {
#define DML_KNOWN_DEVICE(VENDOR, NAME, SPEEDS)                                 \
  if (device.vendorID == VENDOR && std::strstr(device.name, NAME))             \
    return SPEEDS;
#include "dml/Target/KnownDevices.def"
  return nullptr;
}

/// Adds what Vulkan reports of the device, and what KnownDevices.def has of its
/// driver.
static void addReported(std::map<std::string, double> &numbers,
                        const DmlDeviceInfo &device) {
  const DmlDeviceLimits &limits = device.limits;
  auto add = [&](const char *name, uint32_t value) {
    if (value != 0)
      numbers[name] = value;
  };
  add("multiprocessors", limits.multiprocessorCount);
  add("registers", limits.multiprocessorRegisterCount);
  add("registersOfThread", limits.maxThreadRegisterCount);
#define DML_KNOWN_DRIVER(DRIVER, BEFORE, NAME, SPEEDS)                         \
  if (device.driverID == DRIVER && device.driverVersion < BEFORE &&            \
      std::strstr(device.name, NAME))                                          \
    addNumbers(numbers, SPEEDS);
#include "dml/Target/KnownDevices.def"
}

/// Returns the speeds of the device as entries of a profile. What drivers
/// report overrides measurements, which only estimate it.
static std::string describeSpeeds(const DmlDeviceInfo &device,
                                  const MeasuredSpeeds *measured) {
  std::map<std::string, double> numbers;
  const char *known = findKnownSpeeds(device);
  if (known)
    addNumbers(numbers, known);
  else if (auto guess = guessMultiprocessors(device.type))
    numbers["multiprocessors"] = *guess;
  if (measured)
    for (const auto &[name, value] : measured->numbers)
      numbers[name] = value;
  addReported(numbers, device);
  std::string text;
  for (const auto &[name, value] : numbers) {
    char number[32];
    std::snprintf(number, sizeof(number), "%.15g", value);
    text += "," + name + "=" + number;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

std::string dml::getProfileOfDevice(const DmlDeviceInfo &device,
                                    const MeasuredSpeeds *measured) {
  std::vector<DmlMatrixShape> matrices = getMatrices(device, measured);
  std::string text = "minimal";
  // An entry for matrices implies the features that matrices need. Other
  // kernels do not use these features, so that they have no entries of their
  // own.
  constexpr DmlFeatureFlags ofMatrices =
      DML_FEATURE_COOPERATIVE_MATRIX_BIT | DML_FEATURE_VULKAN_MEMORY_MODEL_BIT;
#define DML_FEATURE(NUMBER, NAME, ENUMERATOR, CONSTANT, CAPABILITY,            \
                    CAPABILITY_NAME, VERSION, IS_IN_FULL, STRUCTURE)           \
  if (device.features & ~ofMatrices & DML_FEATURE_##CONSTANT##_BIT)            \
    text += ",+" #NAME;
#include "Features.def"
  for (const DmlMatrixShape &shape : matrices)
    text += ",cooperativeMatrix=" + describeMatrix(shape);
  return text + describeLimits(device, !matrices.empty()) +
         describeSpeeds(device, measured);
}

std::string dml::getProfileAtHand(const DmlDeviceInfo &device,
                                  std::string &warning) {
  warning.clear();
  std::string path = getSpeedFile(device), error;
  MeasuredSpeeds measured;
  bool isMeasured = !path.empty() && readSpeedFile(path, measured, error);
  if (!error.empty())
    warning = "the measured speeds of '" + std::string(device.name) +
              "' are ignored: " + error;
  return getProfileOfDevice(device, isMeasured ? &measured : nullptr);
}
