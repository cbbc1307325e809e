//===- DeviceProfile.cpp - Features and limits of devices -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dml;

llvm::ArrayRef<DeviceFeatureInfo> dml::getDeviceFeatures() {
  static constexpr DeviceFeatureInfo features[] = {
#define DML_FEATURE(NUMBER, NAME, ENUMERATOR, CONSTANT, CAPABILITY,            \
                    CAPABILITY_NAME, VERSION, IS_IN_FULL, STRUCTURE)           \
  {DeviceFeature::ENUMERATOR, #NAME, spirv::Capability::CAPABILITY_NAME,       \
   VERSION, IS_IN_FULL},
#include "dml/Target/Features.def"
  };
  return features;
}

// The numbers of the capabilities, which the runtime compares, are SPIR-V's.
#define DML_FEATURE(NUMBER, NAME, ENUMERATOR, CONSTANT, CAPABILITY,            \
                    CAPABILITY_NAME, VERSION, IS_IN_FULL, STRUCTURE)           \
  static_assert(static_cast<uint32_t>(spirv::Capability::CAPABILITY_NAME) ==   \
                    CAPABILITY,                                                \
                "the capability of " #NAME " has another number in SPIR-V");
#include "dml/Target/Features.def"

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

std::optional<MatrixShape> MatrixShape::parse(llvm::StringRef spec) {
  llvm::SmallVector<llvm::StringRef> parts;
  spec.split(parts, 'x');
  if (parts.size() != 5)
    return std::nullopt;
  MatrixShape shape;
  int64_t *sizes[] = {&shape.rows, &shape.columns, &shape.terms};
  for (auto [part, size] : llvm::zip(parts, sizes))
    if (part.getAsInteger(10, *size) || *size < 1 || *size > UINT16_MAX)
      return std::nullopt;
  shape.factors = parts[3].str();
  shape.sums = parts[4].str();
  bool ofFloats =
      shape.factors == "f16" && (shape.sums == "f16" || shape.sums == "f32");
  bool ofIntegers =
      (shape.factors == "i8" || shape.factors == "ui8") && shape.sums == "i32";
  return ofFloats || ofIntegers ? std::optional(shape) : std::nullopt;
}

std::string MatrixShape::str() const {
  return (llvm::Twine(rows) + "x" + llvm::Twine(columns) + "x" +
          llvm::Twine(terms) + "x" + factors + "x" + sums)
      .str();
}

/// The matrices for which the entry ",+cooperativeMatrix" stands. GPUs of
/// several vendors have these matrices in common.
static llvm::SmallVector<MatrixShape, 2> getCommonShapes() {
  return {{16, 16, 16, "f16", "f32"}};
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

llvm::ArrayRef<DeviceProfile::LimitInfo> DeviceProfile::getLimits() {
  static constexpr LimitInfo infos[] = {
#define DML_LIMIT(NAME, GETTER, PROMISED, LEAST, GREATEST, FULL, MATRICES)     \
  {#NAME, &Limits::NAME, LEAST, GREATEST, FULL, MATRICES},
#include "dml/Target/Limits.def"
  };
  return infos;
}

DeviceProfile DeviceProfile::getFull() {
  DeviceProfile profile;
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    profile.set(info.feature, info.isInFull);
  for (const LimitInfo &info : getLimits())
    profile.limits.*info.value = info.ofFull;
  return profile;
}

/// Adds cooperative matrices, the feature that SPIR-V requires for them, and
/// the limits that devices with matrices have.
void DeviceProfile::addMatrices() {
  set(DeviceFeature::CooperativeMatrix, true);
  set(DeviceFeature::VulkanMemoryModel, true);
  for (const LimitInfo &info : getLimits())
    limits.*info.value = std::max(limits.*info.value, info.ofMatrices);
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

static constexpr llvm::StringLiteral matrixKey = "cooperativeMatrix";

/// Collects the entries of a specification before any of them is applied, so
/// that their order has no meaning.
class DeviceProfile::Parser {
public:
  explicit Parser(llvm::StringRef spec) : spec(spec) {}

  llvm::Expected<DeviceProfile> run();

private:
  llvm::Error parse(llvm::StringRef part);
  llvm::Error parseLimit(llvm::StringRef part, const LimitInfo &info);
  llvm::Error parseMatrix(llvm::StringRef part);
  llvm::Error parseFeature(llvm::StringRef part);
  /// Refuses an entry for a property that an earlier entry has stated.
  llvm::Error state(llvm::StringRef name);
  /// Refuses matrices that are stated not to be there.
  llvm::Error verifyMatrices() const;

  llvm::StringRef spec;
  llvm::StringSet<> stated;
  llvm::SmallVector<std::pair<int64_t Limits::*, int64_t>> limits;
  llvm::SmallDenseMap<DeviceFeature, bool> features;
  llvm::SmallVector<MatrixShape, 2> matrixShapes;
  DeviceSpeed speed;
};

llvm::Error DeviceProfile::Parser::state(llvm::StringRef name) {
  if (stated.insert(name).second)
    return llvm::Error::success();
  return llvm::createStringError("device profile '" + spec + "' states '" +
                                 name +
                                 "' more than once, but wanted is one entry");
}

llvm::Error DeviceProfile::Parser::parseLimit(llvm::StringRef part,
                                              const LimitInfo &info) {
  int64_t value;
  if (part.split('=').second.getAsInteger(10, value) || value < info.least ||
      value > info.greatest)
    return llvm::createStringError(
        "device profile limit '" + part + "' wants a whole number from " +
        llvm::Twine(info.least) + " to " + llvm::Twine(info.greatest));
  limits.emplace_back(info.value, value);
  return state(info.name);
}

llvm::Error DeviceProfile::Parser::parseMatrix(llvm::StringRef part) {
  std::optional<MatrixShape> shape = MatrixShape::parse(part.split('=').second);
  if (!shape)
    return llvm::createStringError(
        "device profile matrix '" + part +
        "' wants rows, columns, terms, and the types of factors and sums, "
        "such as '16x16x16xf16xf32' or '16x16x32xi8xi32'");
  matrixShapes.push_back(*shape);
  return state(matrixKey.str() + "=" + shape->str());
}

llvm::Error DeviceProfile::Parser::parseFeature(llvm::StringRef part) {
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
  features[info->feature] = value;
  return state(info->vulkanName);
}

llvm::Error DeviceProfile::Parser::parse(llvm::StringRef part) {
  llvm::StringRef key = part.split('=').first;
  const auto *limit = llvm::find_if(
      getLimits(), [&](const LimitInfo &info) { return info.name == key; });
  if (limit != getLimits().end() && part.contains('='))
    return parseLimit(part, *limit);
  if (std::optional<llvm::Error> error = speed.parse(part))
    return *error ? std::move(*error) : state(key);
  return key == matrixKey ? parseMatrix(part) : parseFeature(part);
}

llvm::Error DeviceProfile::Parser::verifyMatrices() const {
  auto isStated = [&](DeviceFeature feature, bool value) {
    auto found = features.find(feature);
    return found != features.end() && found->second == value;
  };
  auto fail = [&](llvm::StringRef without) {
    return llvm::createStringError(
        "device profile '" + spec + "' states cooperative matrices and '-" +
        without + "', without which there are none, but wanted is one of both");
  };
  if (!matrixShapes.empty() &&
      isStated(DeviceFeature::CooperativeMatrix, false))
    return fail("cooperativeMatrix");
  if ((!matrixShapes.empty() ||
       isStated(DeviceFeature::CooperativeMatrix, true)) &&
      isStated(DeviceFeature::VulkanMemoryModel, false))
    return fail("vulkanMemoryModel");
  return llvm::Error::success();
}

llvm::Expected<DeviceProfile> DeviceProfile::Parser::run() {
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
  for (llvm::StringRef part : parts)
    if (llvm::Error error = parse(part))
      return std::move(error);
  if (llvm::Error error = verifyMatrices())
    return std::move(error);

  // Matrices bring limits, beside which those that are stated hold.
  if (!matrixShapes.empty() ||
      features.lookup(DeviceFeature::CooperativeMatrix))
    profile.addMatrices();
  for (auto [feature, value] : features)
    profile.set(feature, value);
  for (auto [limit, value] : limits)
    profile.limits.*limit = value;
  profile.speed = speed;
  if (profile.has(DeviceFeature::CooperativeMatrix))
    profile.matrixShapes =
        matrixShapes.empty() ? getCommonShapes() : matrixShapes;
  return profile;
}

llvm::Expected<DeviceProfile> DeviceProfile::parse(llvm::StringRef spec) {
  return Parser(spec).run();
}

std::string DeviceProfile::str() const {
  // The text begins with "full" or "minimal", whichever needs fewer further
  // entries.
  size_t inFull = 0, ofFull = 0;
  for (const DeviceFeatureInfo &info : getDeviceFeatures()) {
    inFull += info.isInFull;
    ofFull += info.isInFull && has(info.feature);
  }
  bool isNearFull = 2 * ofFull > inFull;
  DeviceProfile named = isNearFull ? getFull() : DeviceProfile();
  std::string spec = isNearFull ? "full" : "minimal";
  if (has(DeviceFeature::CooperativeMatrix)) {
    named.addMatrices();
    if (getMatrixShapes() == llvm::ArrayRef(getCommonShapes()))
      spec += ",+" + matrixKey.str();
    else
      for (const MatrixShape &shape : getMatrixShapes())
        spec += "," + matrixKey.str() + "=" + shape.str();
  }
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    if (has(info.feature) != named.has(info.feature))
      spec += ((has(info.feature) ? ",+" : ",-") + info.vulkanName).str();
  for (const LimitInfo &info : getLimits())
    if (limits.*info.value != named.limits.*info.value)
      spec += "," + info.name.str() + "=" + std::to_string(limits.*info.value);
  return spec + speed.str();
}

/// The limits of the devices, as far as they differ from the limits that every
/// Vulkan device has.
static spirv::ResourceLimitsAttr getResourceLimits(const DeviceProfile &profile,
                                                   MLIRContext *context) {
  if (!profile.has(DeviceFeature::CooperativeMatrix) &&
      profile.getSubgroupSize() == 0)
    return spirv::getDefaultResourceLimits(context);
  Builder b(context);
  auto getType = [&](llvm::StringRef name) -> Type {
    if (name.starts_with("f"))
      return name == "f16" ? Type(b.getF16Type()) : b.getF32Type();
    bool isUnsigned = name.consume_front("u");
    unsigned width = name == "i8" ? 8 : 32;
    return isUnsigned ? b.getIntegerType(width, /*isSigned=*/false)
                      : b.getIntegerType(width);
  };
  auto shapes = llvm::map_to_vector(
      profile.getMatrixShapes(), [&](const MatrixShape &shape) -> Attribute {
        Type factors = getType(shape.factors), sums = getType(shape.sums);
        return spirv::CooperativeMatrixPropertiesKHRAttr::get(
            context, static_cast<uint32_t>(shape.rows),
            static_cast<uint32_t>(shape.columns),
            static_cast<uint32_t>(shape.terms), factors, factors, sums, sums,
            /*acc_sat=*/false,
            spirv::ScopeAttr::get(context, spirv::Scope::Subgroup));
      });
  auto size = static_cast<int32_t>(profile.getMaxWorkgroupSize());
  return spirv::ResourceLimitsAttr::get(
      context, static_cast<int>(profile.getMaxWorkgroupMemory()), size,
      b.getI32ArrayAttr({size, size, 64}),
      static_cast<int>(profile.getSubgroupSize()), std::nullopt, std::nullopt,
      b.getArrayAttr(shapes), b.getArrayAttr({}));
}

spirv::TargetEnvAttr DeviceProfile::getTargetEnv(MLIRContext *context) const {
  llvm::SmallVector<spirv::Capability> capabilities = {
      spirv::Capability::Shader};
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    if (has(info.feature))
      capabilities.push_back(info.capability);
  // Vulkan 1.2 takes SPIR-V 1.5, of which these extensions are a part.
  llvm::SmallVector<spirv::Extension> extensions = {
      spirv::Extension::SPV_KHR_storage_buffer_storage_class,
      spirv::Extension::SPV_KHR_16bit_storage,
      spirv::Extension::SPV_KHR_8bit_storage};
  spirv::Version version = spirv::Version::V_1_5;
  // Every Vulkan device has this one; kernels with matrices or shuffles use it.
  capabilities.push_back(spirv::Capability::GroupNonUniform);
  if (has(DeviceFeature::CooperativeMatrix)) {
    // Devices count as ones with matrices if their subgroups vote.
    capabilities.push_back(spirv::Capability::GroupNonUniformVote);
    extensions.push_back(spirv::Extension::SPV_KHR_cooperative_matrix);
    extensions.push_back(spirv::Extension::SPV_KHR_vulkan_memory_model);
    // MLIR accepts operations on cooperative matrices only in SPIR-V 1.6,
    // although they do not need that version. dml-finalize-spirv sets version
    // 1.5 for all kernels.
    version = spirv::Version::V_1_6;
  }
  auto triple =
      spirv::VerCapExtAttr::get(version, capabilities, extensions, context);
  return spirv::TargetEnvAttr::get(
      triple, getResourceLimits(*this, context), spirv::ClientAPI::Vulkan,
      spirv::Vendor::Unknown, spirv::DeviceType::Unknown,
      spirv::TargetEnvAttr::kUnknownDeviceID);
}
