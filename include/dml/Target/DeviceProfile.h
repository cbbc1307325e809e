//===- DeviceProfile.h - Features and limits of devices ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_DEVICEPROFILE_H
#define DML_TARGET_DEVICEPROFILE_H

#include "dml/Target/DeviceSpeed.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

// The headers of SPIR-V take seconds to read: files that ask for a capability's
// name or a target's environment include them.
namespace mlir {
class MLIRContext;
class Type;
namespace spirv {
enum class Capability : uint32_t;
class TargetEnvAttr;
} // namespace spirv
} // namespace mlir

namespace dml {

/// The Vulkan features that kernels may need, numbered as in executables.
enum class DeviceFeature : uint8_t {
#define DML_FEATURE(NUMBER, NAME, ENUMERATOR, CONSTANT, CAPABILITY,            \
                    CAPABILITY_NAME, VERSION, IS_IN_FULL, STRUCTURE)           \
  ENUMERATOR = NUMBER,
#include "dml/Target/Features.def"
};

/// A row of Features.def.
struct DeviceFeatureInfo {
  DeviceFeature feature;
  llvm::StringLiteral vulkanName;
  /// The SPIR-V capability that the feature allows.
  mlir::spirv::Capability capability;
  /// The minor version of the executable format that has the feature.
  uint16_t formatVersion;
  /// Whether the profile "full" has the feature.
  bool isInFull;
};

/// All features; the position of each is its enum value.
llvm::ArrayRef<DeviceFeatureInfo> getDeviceFeatures();

/// The matrices that the threads of a subgroup multiply together: `rows` times
/// `terms` factors and `terms` times `columns` factors, whose products they add
/// to `rows` times `columns` sums.
struct MatrixShape {
  int64_t rows, columns, terms;
  /// The element types under MLIR's names: "f16", "i8", "ui8", and "f32" or
  /// "i32" for sums.
  std::string factors, sums;

  /// Parses "16x16x16xf16xf32": rows, columns, terms, factors, sums.
  static std::optional<MatrixShape> parse(llvm::StringRef spec);
  std::string str() const;
  bool operator==(const MatrixShape &other) const {
    return std::tie(rows, columns, terms, factors, sums) ==
           std::tie(other.rows, other.columns, other.terms, other.factors,
                    other.sums);
  }
};

/// The devices that code is generated for: Vulkan 1.2 with some features. The
/// limits are those that every Vulkan device has, but for those that a
/// specification states.
class DeviceProfile {
public:
  /// "full": what desktop GPUs and CPU drivers have: every feature of
  /// getDeviceFeatures() but cooperative matrices and the memory model that
  /// these need, 16 storage buffers and ranges of 1 GiB. A kernel requires of
  /// them what it uses.
  static DeviceProfile getFull();

  /// Parses `spec`: the name of a profile, "full" or "minimal" (no feature, and
  /// the limits that Vulkan promises), followed by any number of ",+feature" or
  /// ",-feature" under Vulkan's names, limits such as ",maxStorageBuffers=8",
  /// and ",cooperativeMatrix=16x16x16xf16xf32". Their order means nothing, but
  /// for that of the matrices: what is stated holds, whatever else is stated
  /// with it. Each is stated once, and none contradicts another.
  static llvm::Expected<DeviceProfile> parse(llvm::StringRef spec);

  bool has(DeviceFeature feature) const {
    return features & (uint32_t(1) << static_cast<unsigned>(feature));
  }
  void set(DeviceFeature feature, bool value);

  /// Whether this profile has every feature of `other`; and adds them.
  bool includes(const DeviceProfile &other) const {
    return (other.features & ~features) == 0;
  }
  void add(const DeviceProfile &other) { features |= other.features; }

  /// What values of an integer or floating-point type need, and, where
  /// `isStored`, buffers of them.
  static DeviceProfile getRequired(mlir::Type type, bool isStored);

  // The limits, such as getMaxStorageBuffers(): Limits.def says what each is.
#define DML_LIMIT(NAME, GETTER, PROMISED, LEAST, GREATEST, FULL, MATRICES)     \
  int64_t get##GETTER() const { return limits.NAME; }
#include "dml/Target/Limits.def"

  void limitStorageBufferRange(int64_t bytes) {
    limits.maxStorageBufferRange =
        std::min(limits.maxStorageBufferRange, bytes);
  }
  /// The threads that run together: where some take another path, all wait.
  /// They are those of a subgroup, or assumedSubgroupSize where the profile
  /// leaves that open.
  int64_t getThreadsTogether() const {
    return limits.subgroupSize > 0 ? limits.subgroupSize : assumedSubgroupSize;
  }
  /// The matrices that subgroups multiply, the ones to be preferred first.
  llvm::ArrayRef<MatrixShape> getMatrixShapes() const { return matrixShapes; }

  /// How fast the device is: a specification sets these numbers by
  /// ",name=number", such as ",opsPerByte=8".
  const DeviceSpeed &getSpeed() const { return speed; }

  /// The specification that parses to this profile.
  std::string str() const;

  /// Profiles are equal if their specifications are.
  bool operator==(const DeviceProfile &other) const {
    return str() == other.str();
  }
  friend llvm::hash_code hash_value(const DeviceProfile &profile) {
    return llvm::hash_value(profile.str());
  }

  /// The SPIR-V environment of such a device.
  mlir::spirv::TargetEnvAttr getTargetEnv(mlir::MLIRContext *context) const;

  // The limits that Vulkan promises, such as promisedMaxStorageBuffers.
#define DML_LIMIT(NAME, GETTER, PROMISED, LEAST, GREATEST, FULL, MATRICES)     \
  static constexpr int64_t promised##GETTER = PROMISED;
#include "dml/Target/Limits.def"

  /// The threads of a workgroup of a kernel without cooperative matrices.
  static constexpr int64_t workgroupSize = promisedMaxWorkgroupSize;
  /// The bytes of workgroup memory of a kernel without cooperative matrices.
  static constexpr int64_t workgroupMemory = promisedMaxWorkgroupMemory;
  /// Threads of a subgroup where nothing says how many: GPUs have 32 or 64.
  static constexpr int64_t assumedSubgroupSize = 32;
  /// maxComputeWorkGroupCount: Vulkan promises 65535 in each dimension.
  static constexpr int64_t maxWorkgroupCount = 65535;
  /// Bytes of which the beginning of every bound range is a multiple: the
  /// largest value that Vulkan lets a device ask for as
  /// minStorageBufferOffsetAlignment.
  static constexpr uint64_t rangeAlignment = 256;
  /// Bytes that a thread stores at once.
  static constexpr int64_t vectorBytes = 16;

private:
  /// The numbers that a specification sets by ",name=number".
  struct Limits {
#define DML_LIMIT(NAME, GETTER, PROMISED, LEAST, GREATEST, FULL, MATRICES)     \
  int64_t NAME = promised##GETTER;
#include "dml/Target/Limits.def"
  };
  /// A row of Limits.def.
  struct LimitInfo {
    llvm::StringLiteral name;
    int64_t Limits::*value;
    /// The least and the greatest number that a specification may give.
    int64_t least, greatest;
    /// The limits of "full", and those of devices with cooperative matrices.
    int64_t ofFull, ofMatrices;
  };
  static llvm::ArrayRef<LimitInfo> getLimits();
  void addMatrices();

  class Parser;

  uint32_t features = 0;
  Limits limits;
  llvm::SmallVector<MatrixShape, 2> matrixShapes;
  DeviceSpeed speed;
};

} // namespace dml

#endif // DML_TARGET_DEVICEPROFILE_H
