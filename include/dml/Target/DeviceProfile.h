//===- DeviceProfile.h - What a kernel may use of a device ------*- C++ -*-===//
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
namespace spirv {
enum class Capability : uint32_t;
class TargetEnvAttr;
} // namespace spirv
} // namespace mlir

namespace dml {

/// The Vulkan features that kernels may need, in the order of the executable
/// format's `Feature`.
enum class DeviceFeature : uint8_t {
  ShaderInt8,
  ShaderInt16,
  ShaderInt64,
  ShaderFloat16,
  ShaderFloat64,
  StorageBuffer8BitAccess,
  StorageBuffer16BitAccess,
  ShaderSignedZeroInfNanPreserveFloat32,
  VulkanMemoryModel,
  CooperativeMatrix,
  SubgroupShuffle,
};

/// A feature, under Vulkan's name for it, and the SPIR-V capability it allows.
struct DeviceFeatureInfo {
  DeviceFeature feature;
  llvm::StringLiteral vulkanName;
  mlir::spirv::Capability capability;
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

  /// The storage buffers that a kernel binds at most.
  int64_t getMaxStorageBuffers() const { return limits.maxStorageBuffers; }
  /// maxStorageBufferRange: the bytes of a range that a kernel binds, at most.
  int64_t getMaxStorageBufferRange() const {
    return limits.maxStorageBufferRange;
  }
  void limitStorageBufferRange(int64_t bytes) {
    limits.maxStorageBufferRange =
        std::min(limits.maxStorageBufferRange, bytes);
  }
  /// maxMemoryAllocationSize: the bytes of a buffer for temporaries or
  /// constants, at most, where none of them is larger by itself.
  int64_t getMaxMemoryAllocationSize() const {
    return limits.maxMemoryAllocationSize;
  }
  /// The threads of a workgroup, at most. Only kernels with cooperative
  /// matrices have more than workgroupSize.
  int64_t getMaxWorkgroupSize() const { return limits.maxWorkgroupSize; }
  /// Bytes of workgroup memory, at most. Only kernels with cooperative matrices
  /// have more than workgroupMemory.
  int64_t getMaxWorkgroupMemory() const { return limits.maxWorkgroupMemory; }
  /// The threads of a subgroup, or 0 where that is left open.
  int64_t getSubgroupSize() const { return limits.subgroupSize; }
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

  /// Threads of a workgroup: Vulkan promises 128.
  static constexpr int64_t workgroupSize = 128;
  /// maxComputeSharedMemorySize, in bytes: Vulkan promises 16384.
  static constexpr int64_t workgroupMemory = 16384;
  /// maxComputeWorkGroupCount: Vulkan promises 65535 in each dimension.
  static constexpr int64_t maxWorkgroupCount = 65535;
  /// maxPerStageDescriptorStorageBuffers: Vulkan promises 4.
  static constexpr int64_t promisedStorageBuffers = 4;
  /// maxStorageBufferRange: Vulkan promises 128 MiB.
  static constexpr int64_t promisedStorageBufferRange = 1 << 27;
  /// maxMemoryAllocationSize: Vulkan promises 1 GiB.
  static constexpr int64_t promisedMemoryAllocationSize = 1 << 30;
  /// Bytes of which the beginning of every bound range is a multiple: the
  /// largest value that Vulkan lets a device ask for as
  /// minStorageBufferOffsetAlignment.
  static constexpr uint64_t rangeAlignment = 256;
  /// Bytes that a thread stores at once.
  static constexpr int64_t vectorBytes = 16;

private:
  /// What a specification sets by ",name=number".
  struct Limits {
    int64_t maxStorageBuffers = promisedStorageBuffers;
    int64_t maxStorageBufferRange = promisedStorageBufferRange;
    int64_t maxMemoryAllocationSize = promisedMemoryAllocationSize;
    int64_t maxWorkgroupSize = workgroupSize;
    int64_t maxWorkgroupMemory = workgroupMemory;
    int64_t subgroupSize = 0;
  };
  /// A limit, under the name that specifications give it.
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
