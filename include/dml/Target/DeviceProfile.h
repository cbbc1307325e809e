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

// These declarations replace the headers of SPIR-V, which take seconds to
// compile. A source file that needs the name of a capability or the environment
// of a target includes the headers.
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

/// The devices that code is generated for: Vulkan 1.2 devices with certain
/// features and limits. A limit that a specification does not state is the one
/// that Vulkan promises for every device.
class DeviceProfile {
public:
  /// Returns the profile "full", which desktop GPUs and CPU drivers support. It
  /// has all features of getDeviceFeatures() except cooperative matrices and
  /// the memory model that these need, 16 storage buffers, and ranges of 1 GiB.
  /// A kernel requires of a device only the features and limits that the kernel
  /// uses.
  static DeviceProfile getFull();

  /// Parses a specification of a profile: the name "full" or "minimal" (no
  /// features, and the limits that Vulkan promises), followed by any number of
  /// features with Vulkan's names (",+feature" or ",-feature"), limits such as
  /// ",maxStorageBuffers=8", and cooperative matrices
  /// (",cooperativeMatrix=16x16x16xf16xf32"). The order of the entries has no
  /// meaning, except that matrices are preferred in their order. Fails if two
  /// entries state the same property, or contradict each other.
  static llvm::Expected<DeviceProfile> parse(llvm::StringRef spec);

  bool has(DeviceFeature feature) const {
    return features & (uint32_t(1) << static_cast<unsigned>(feature));
  }
  void set(DeviceFeature feature, bool value);

  /// includes() returns whether this profile has every feature of `other`, and
  /// add() adds the features of `other`.
  bool includes(const DeviceProfile &other) const {
    return (other.features & ~features) == 0;
  }
  void add(const DeviceProfile &other) { features |= other.features; }

  /// Returns a profile with the features that kernels need to compute with
  /// values of `type`, an integer or floating-point type, and, if `isStored` is
  /// set, to load and store such values in buffers.
  static DeviceProfile getRequired(mlir::Type type, bool isStored);

  // The limits, such as getMaxStorageBuffers(). Limits.def describes them.
#define DML_LIMIT(NAME, GETTER, PROMISED, LEAST, GREATEST, FULL, MATRICES)     \
  int64_t get##GETTER() const { return limits.NAME; }
#include "dml/Target/Limits.def"

  void limitStorageBufferRange(int64_t bytes) {
    limits.maxStorageBufferRange =
        std::min(limits.maxStorageBufferRange, bytes);
  }
  /// The number of threads that run in lockstep, so that all of them wait if
  /// some take another path: the size of a subgroup, or assumedSubgroupSize if
  /// the profile does not state this size.
  int64_t getThreadsTogether() const {
    return limits.subgroupSize > 0 ? limits.subgroupSize : assumedSubgroupSize;
  }
  /// The matrices that subgroups multiply, the ones to be preferred first.
  llvm::ArrayRef<MatrixShape> getMatrixShapes() const { return matrixShapes; }

  /// The speeds of the device. A specification sets these numbers by
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
  /// Every range of a buffer that a kernel binds begins at a multiple of this
  /// number of bytes, the largest minStorageBufferOffsetAlignment that Vulkan
  /// allows a device.
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
