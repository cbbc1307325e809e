//===- DeviceProfile.cpp - What a kernel may use of a device --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/DeviceProfile.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace dml;

llvm::ArrayRef<DeviceFeatureInfo> dml::getDeviceFeatures() {
  using spirv::Capability;
  static constexpr DeviceFeatureInfo features[] = {
      {DeviceFeature::ShaderInt8, "shaderInt8", Capability::Int8},
      {DeviceFeature::ShaderInt16, "shaderInt16", Capability::Int16},
      {DeviceFeature::ShaderInt64, "shaderInt64", Capability::Int64},
      {DeviceFeature::ShaderFloat16, "shaderFloat16", Capability::Float16},
      {DeviceFeature::ShaderFloat64, "shaderFloat64", Capability::Float64},
      {DeviceFeature::StorageBuffer8BitAccess, "storageBuffer8BitAccess",
       Capability::StorageBuffer8BitAccess},
      {DeviceFeature::StorageBuffer16BitAccess, "storageBuffer16BitAccess",
       Capability::StorageBuffer16BitAccess},
      {DeviceFeature::ShaderSignedZeroInfNanPreserveFloat32,
       "shaderSignedZeroInfNanPreserveFloat32",
       Capability::SignedZeroInfNanPreserve},
  };
  return features;
}

struct DeviceProfile::Limit {
  llvm::StringLiteral name;
  int64_t DeviceProfile::*value;
  /// The least and the greatest that a specification states.
  int64_t least, greatest;
  /// What the profile "full" has; "minimal" has what Vulkan promises.
  int64_t full;
};

llvm::ArrayRef<DeviceProfile::Limit> DeviceProfile::getLimits() {
  static constexpr Limit limits[] = {
      // What a kernel writes and what it reads: fewer buffers hold nothing.
      {"maxStorageBuffers", &DeviceProfile::maxStorageBuffers, 2, UINT32_MAX,
       16},
      // Ranges begin at multiples of rangeAlignment, and are wanted to be some
      // of them long. Every desktop driver binds 1 GiB; some bind 4.
      {"maxStorageBufferRange", &DeviceProfile::maxStorageBufferRange,
       4 * rangeAlignment, UINT32_MAX, 1 << 30},
      // More would gain nothing: a device has several buffers.
      {"maxMemoryAllocationSize", &DeviceProfile::maxMemoryAllocationSize,
       4 * rangeAlignment, INT64_MAX, promisedMemoryAllocationSize},
  };
  return limits;
}

DeviceProfile DeviceProfile::getFull() {
  DeviceProfile profile;
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    profile.set(info.feature, true);
  for (const Limit &limit : getLimits())
    profile.*limit.value = limit.full;
  return profile;
}

void DeviceProfile::set(DeviceFeature feature, bool value) {
  uint32_t bit = uint32_t(1) << static_cast<unsigned>(feature);
  features = value ? features | bit : features & ~bit;
}

DeviceProfile DeviceProfile::getRequired(Type type, bool isStored) {
  DeviceProfile required;
  bool isFloat = isa<FloatType>(type);
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    required.set(DeviceFeature::ShaderInt8, true);
    required.set(DeviceFeature::StorageBuffer8BitAccess, isStored);
    break;
  case 16:
    required.set(isFloat ? DeviceFeature::ShaderFloat16
                         : DeviceFeature::ShaderInt16,
                 true);
    required.set(DeviceFeature::StorageBuffer16BitAccess, isStored);
    break;
  case 64:
    required.set(isFloat ? DeviceFeature::ShaderFloat64
                         : DeviceFeature::ShaderInt64,
                 true);
    // Buffers hold the bits of an f64.
    if (isStored)
      required.set(DeviceFeature::ShaderInt64, true);
    break;
  default:
    break;
  }
  return required;
}

llvm::Expected<DeviceProfile> DeviceProfile::parse(llvm::StringRef spec) {
  auto [name, changes] = spec.split(',');
  DeviceProfile profile;
  if (name == "full")
    profile = getFull();
  else if (name != "minimal")
    return llvm::createStringError(
        "device profile '" + name +
        "' is unknown; the profiles are 'full' and 'minimal'");

  llvm::SmallVector<llvm::StringRef> parts;
  changes.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    auto [key, number] = part.split('=');
    const auto *limit =
        llvm::find_if(getLimits(), [key = key](const Limit &candidate) {
          return candidate.name == key;
        });
    if (limit != getLimits().end() && part.contains('=')) {
      int64_t &value = profile.*limit->value;
      if (number.getAsInteger(10, value) || value < limit->least ||
          value > limit->greatest)
        return llvm::createStringError(
            "device profile limit '" + part + "' wants a whole number from " +
            llvm::Twine(limit->least) + " to " + llvm::Twine(limit->greatest));
      continue;
    }
    if (std::optional<llvm::Error> error = profile.speed.parse(part)) {
      if (*error)
        return std::move(*error);
      continue;
    }
    bool value = part.consume_front("+");
    if (!value && !part.consume_front("-"))
      return llvm::createStringError("device profile change '" + part +
                                     "' wants a '+' or '-' before the feature");
    const auto *info = llvm::find_if(getDeviceFeatures(),
                                     [&](const DeviceFeatureInfo &candidate) {
                                       return candidate.vulkanName == part;
                                     });
    if (info == getDeviceFeatures().end())
      return llvm::createStringError(
          "Vulkan feature '" + part + "' is unknown; the features are " +
          llvm::join(llvm::map_range(getDeviceFeatures(),
                                     [](const DeviceFeatureInfo &candidate) {
                                       return candidate.vulkanName.str();
                                     }),
                     ", "));
    profile.set(info->feature, value);
  }
  return profile;
}

llvm::FailureOr<DeviceProfile> DeviceProfile::parse(llvm::StringRef spec,
                                                    Operation *op) {
  llvm::Expected<DeviceProfile> profile = parse(spec);
  if (!profile)
    return op->emitError(llvm::toString(profile.takeError()));
  return *profile;
}

std::string DeviceProfile::str() const {
  // The one of the two profiles that needs fewer changes.
  bool isNearFull = 2 * static_cast<size_t>(llvm::popcount(features)) >
                    getDeviceFeatures().size();
  std::string spec = isNearFull ? "full" : "minimal";
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    if (has(info.feature) != isNearFull)
      spec += ((isNearFull ? ",-" : ",+") + info.vulkanName).str();
  const DeviceProfile base = isNearFull ? getFull() : DeviceProfile();
  for (const Limit &limit : getLimits())
    if (this->*limit.value != base.*limit.value)
      spec += "," + limit.name.str() + "=" + std::to_string(this->*limit.value);
  return spec + speed.str();
}

spirv::TargetEnvAttr DeviceProfile::getTargetEnv(MLIRContext *context) const {
  llvm::SmallVector<spirv::Capability> capabilities = {
      spirv::Capability::Shader};
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    if (has(info.feature))
      capabilities.push_back(info.capability);
  // Vulkan 1.2 takes SPIR-V 1.5, of which these extensions are a part.
  spirv::Extension extensions[] = {
      spirv::Extension::SPV_KHR_storage_buffer_storage_class,
      spirv::Extension::SPV_KHR_16bit_storage,
      spirv::Extension::SPV_KHR_8bit_storage};
  auto triple = spirv::VerCapExtAttr::get(spirv::Version::V_1_5, capabilities,
                                          extensions, context);
  return spirv::TargetEnvAttr::get(
      triple, spirv::getDefaultResourceLimits(context),
      spirv::ClientAPI::Vulkan, spirv::Vendor::Unknown,
      spirv::DeviceType::Unknown, spirv::TargetEnvAttr::kUnknownDeviceID);
}
