//===- VerifyFeatures.cpp - Kernels need no feature that is missing -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRV/VerifyFeatures.h"
#include "SPIRV/NarrowIntegers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dml;

/// Adds to `required` the features that values of `type` need.
static void addRequired(Type type, unsigned indexBits,
                        DeviceProfile &required) {
  if (isa<gpu::MMAMatrixType>(type)) {
    required.set(DeviceFeature::CooperativeMatrix, true);
    required.set(DeviceFeature::VulkanMemoryModel, true);
    return;
  }
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex()) {
    if (indexBits == wideBits)
      required.set(DeviceFeature::ShaderInt64, true);
    return;
  }
  if (element.isIntOrFloat())
    required.add(DeviceProfile::getRequired(element, isa<MemRefType>(type)));
}

LogicalResult dml::verifyFeatures(gpu::GPUFuncOp kernel, unsigned indexBits,
                                  const DeviceProfile &profile) {
  DeviceProfile required;
  kernel.walk([&](Operation *op) {
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      addRequired(type, indexBits, required);
  });
  SmallVector<StringRef> missing;
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    if (required.has(info.feature) && !profile.has(info.feature))
      missing.push_back(info.vulkanName);
  if (missing.empty())
    return success();
  return emitError(kernel.getLoc())
         << "'" << kernel.getName() << "' needs the Vulkan feature"
         << (missing.size() > 1 ? "s " : " ") << llvm::join(missing, ", ")
         << ", which the device profile '" << profile.str() << "' lacks";
}
