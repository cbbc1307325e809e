//===- Device.h - Executing cases on a Vulkan device ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_DEVICE_H
#define DML_TOOLS_SUPPORT_DEVICE_H

#include "Testing/Differential/Differential.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Target/DeviceProfile.h"
#include "dml/runtime.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace dml::fuzz {

/// Compiles cases in this process and runs them through the runtime's C API.
class Device {
public:
  struct Options {
    /// The device, as dmlFindDevice takes it.
    std::string selector;
    /// The profile to compile for. Of the device's features, only those of the
    /// profile are enabled. "" stands for the device's own profile.
    std::string deviceProfile;
    /// Whether a message of the validation layer is a failure.
    bool validate = false;
    /// Sets the compiler's other options, if that is wanted.
    std::function<void(CompilerOptions &)> setOptions = nullptr;
  };
  static llvm::Expected<std::unique_ptr<Device>> create(const Options &options);
  ~Device();

  /// An Executor.
  llvm::FailureOr<llvm::SmallVector<reference::Tensor>>
  execute(mlir::ModuleOp module, llvm::ArrayRef<reference::Tensor> inputs,
          Outcome &outcome);

  /// Whether kernels can require that NaNs are preserved. Otherwise Vulkan
  /// allows a driver to replace x < y ? y : x by a maximum, which loses NaNs.
  bool keepsNaNs() const {
    return profile.has(DeviceFeature::ShaderSignedZeroInfNanPreserveFloat32);
  }

  /// Whether a failure's message names a feature that is not compiled for.
  bool isRefusal(llvm::StringRef message) const;

  DmlDevice getHandle() const { return device; }
  /// The profile that is compiled for.
  std::string getProfile() const { return profile.str(); }

  /// What is wrong with the speeds that were measured on the device, or "".
  const std::string &getWarning() const { return warning; }

  /// The device, its driver and the profile that is compiled for.
  std::string describe() const;

private:
  Device() = default;

  std::function<void(CompilerOptions &)> setOptions;
  DmlInstance instance = nullptr;
  DmlDevice device = nullptr;
  DeviceProfile profile;
  std::string warning;
};

} // namespace dml::fuzz

#endif // DML_TOOLS_SUPPORT_DEVICE_H
