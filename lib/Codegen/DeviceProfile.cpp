//===- DeviceProfile.cpp - What a kernel may use of a device --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/DeviceProfile.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
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

/// The storage buffers that a kernel of the profile "full" binds at most.
static constexpr int64_t fullStorageBuffers = 16;
/// What a kernel writes and what it reads: fewer buffers hold nothing.
static constexpr int64_t leastStorageBuffers = 2;

DeviceProfile DeviceProfile::getFull() {
  DeviceProfile profile;
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    profile.set(info.feature, true);
  profile.maxStorageBuffers = fullStorageBuffers;
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

static constexpr llvm::StringLiteral storageBuffersKey = "maxStorageBuffers=";

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
    if (part.consume_front(storageBuffersKey)) {
      int64_t count;
      if (part.getAsInteger(10, count) || count < leastStorageBuffers ||
          count > UINT32_MAX)
        return llvm::createStringError(
            "device profile limit '" + storageBuffersKey + part +
            "' wants a whole number from " + llvm::Twine(leastStorageBuffers) +
            " to " + llvm::Twine(UINT32_MAX));
      profile.maxStorageBuffers = count;
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
  if (maxStorageBuffers !=
      (isNearFull ? fullStorageBuffers : promisedStorageBuffers))
    spec += "," + storageBuffersKey.str() + std::to_string(maxStorageBuffers);
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
