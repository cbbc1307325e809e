//===- DeviceProfile.h - What a kernel may use of a device ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_DEVICEPROFILE_H
#define DML_CODEGEN_DEVICEPROFILE_H

#include "dml/Codegen/DeviceSpeed.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cstdint>

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
};

/// A feature, under Vulkan's name for it, and the SPIR-V capability it allows.
struct DeviceFeatureInfo {
  DeviceFeature feature;
  llvm::StringLiteral vulkanName;
  mlir::spirv::Capability capability;
};

/// All features; the position of each is its enum value.
llvm::ArrayRef<DeviceFeatureInfo> getDeviceFeatures();

/// The devices that code is generated for: Vulkan 1.2 with some features. The
/// limits are those that every Vulkan device has, but for those that a
/// specification states.
class DeviceProfile {
public:
  /// "full": every feature of getDeviceFeatures(), 16 storage buffers and
  /// ranges of 1 GiB, which desktop GPUs have. A kernel requires of them what
  /// it uses.
  static DeviceProfile getFull();

  /// Parses `spec`: the name of a profile, "full" or "minimal" (no feature, and
  /// the limits that Vulkan promises), followed by any number of ",+feature" or
  /// ",-feature" under Vulkan's names, or of limits: ",maxStorageBuffers=8".
  static llvm::Expected<DeviceProfile> parse(llvm::StringRef spec);
  /// The same for a pass on `op`, at which it emits the error.
  static llvm::FailureOr<DeviceProfile> parse(llvm::StringRef spec,
                                              mlir::Operation *op);

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
  int64_t getMaxStorageBuffers() const { return maxStorageBuffers; }
  /// maxStorageBufferRange: the bytes of a range that a kernel binds, at most.
  int64_t getMaxStorageBufferRange() const { return maxStorageBufferRange; }
  void limitStorageBufferRange(int64_t bytes) {
    maxStorageBufferRange = std::min(maxStorageBufferRange, bytes);
  }
  /// maxMemoryAllocationSize: the bytes of a buffer for temporaries or
  /// constants, at most, where none of them is larger by itself.
  int64_t getMaxMemoryAllocationSize() const { return maxMemoryAllocationSize; }

  /// How fast the device is: a specification sets these numbers by
  /// ",name=number", such as ",opsPerByte=8".
  const DeviceSpeed &getSpeed() const { return speed; }

  /// The specification that parses to this profile.
  std::string str() const;

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
  /// Threads enough to fill a device.
  static constexpr int64_t enoughThreads = 1 << 16;

private:
  uint32_t features = 0;
  int64_t maxStorageBuffers = promisedStorageBuffers;
  int64_t maxStorageBufferRange = promisedStorageBufferRange;
  int64_t maxMemoryAllocationSize = promisedMemoryAllocationSize;
  DeviceSpeed speed;

  /// A limit that a specification may state.
  struct Limit;
  static llvm::ArrayRef<Limit> getLimits();
};

} // namespace dml

#endif // DML_CODEGEN_DEVICEPROFILE_H
