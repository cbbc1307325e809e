//===- ConvertKernelsToSPIRV.cpp - GPU kernels to SPIR-V ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRV/ConversionPatterns.h"
#include "SPIRV/IndexWidth.h"
#include "SPIRV/LoopResults.h"
#include "SPIRV/NarrowIntegers.h"
#include "SPIRV/TruncateBeforeSelecting.h"
#include "SPIRV/VerifyArithmetic.h"
#include "SPIRV/VerifyFeatures.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/KernelNames.h"
#include "dml/Codegen/Passes.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"

namespace dml {
#define GEN_PASS_DEF_CONVERTKERNELSTOSPIRV
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// Assigns bindings to the arguments of `kernel`, which `launch` launches.
/// Views of one buffer share a binding, since a device may support as few as 4
/// bindings. Rejects the kernel if it has more bindings than the devices of
/// `profile` support, or a larger buffer than these devices can bind.
static LogicalResult shareBindings(gpu::LaunchFuncOp launch,
                                   gpu::GPUFuncOp kernel,
                                   const DeviceProfile &profile) {
  llvm::SmallMapVector<Value, unsigned, 4> bindings;
  for (auto [index, buffer] : llvm::enumerate(launch.getKernelOperands())) {
    while (isBufferView(buffer.getDefiningOp()))
      buffer = buffer.getDefiningOp()->getOperand(0);
    unsigned binding =
        bindings.try_emplace(buffer, bindings.size()).first->second;
    kernel.setArgAttr(
        index, spirv::getInterfaceVarABIAttrName(),
        spirv::getInterfaceVarABIAttr(
            /*descriptorSet=*/0, binding, std::nullopt, launch.getContext()));
  }
  for (auto [buffer, _] : bindings) {
    auto bytes = static_cast<int64_t>(
        llvm::alignTo(getNumBytes(cast<MemRefType>(buffer.getType())),
                      DeviceProfile::vectorBytes));
    if (bytes > profile.getMaxStorageBufferRange())
      return emitError(launch.getLoc())
             << "'" << kernel.getName() << "' binds " << buffer.getType()
             << ", which has " << bytes << " bytes and was not sliced, but "
             << "the device profile '" << profile.str() << "' has "
             << profile.getMaxStorageBufferRange()
             << " as its maxStorageBufferRange";
  }
  auto count = static_cast<int64_t>(bindings.size());
  if (count <= profile.getMaxStorageBuffers())
    return success();
  return emitError(kernel.getLoc())
         << "'" << kernel.getName() << "' binds " << count
         << " storage buffers, but the device profile '" << profile.str()
         << "' has " << profile.getMaxStorageBuffers();
}

/// Sets the target of `module`, the workgroup sizes of its kernels, and the
/// storage classes of the kernels' buffers.
static void setInterface(gpu::GPUModuleOp module,
                         const DeviceProfile &profile) {
  MLIRContext *context = module.getContext();
  module->setAttr(spirv::getTargetEnvAttrName(), profile.getTargetEnv(context));
  for (auto function : module.getOps<gpu::GPUFuncOp>())
    function->setAttr(spirv::getEntryPointABIAttrName(),
                      spirv::getEntryPointABIAttr(
                          context, function.getKnownBlockSize().value_or(
                                       ArrayRef<int32_t>{1, 1, 1})));
  // A memref with the memory space of workgroups is workgroup memory. A memref
  // without a memory space is a storage buffer.
  spirv::MemorySpaceToStorageClassConverter storageClasses([](Attribute space) {
    auto gpuSpace = dyn_cast_or_null<gpu::AddressSpaceAttr>(space);
    return gpuSpace && gpuSpace.getValue() ==
                           gpu::GPUDialect::getWorkgroupAddressSpace()
               ? spirv::StorageClass::Workgroup
               : spirv::mapMemorySpaceToVulkanStorageClass(space);
  });
  spirv::convertMemRefTypesAndAttrs(module, storageClasses);
}

namespace {
/// A copy of a GPU module, which will be converted to SPIR-V, in a module of
/// its own. The original remains, since launches refer to it by name.
struct ConvertedKernel {
  gpu::GPUModuleOp original;
  OwningOpRef<ModuleOp> module;
  unsigned indexBits;
};
} // namespace

/// Converts `kernels`. Each thread of the compiler converts a share of them.
static LogicalResult convertInParallel(ArrayRef<ConvertedKernel> kernels,
                                       const DeviceProfile &profile,
                                       MLIRContext &context) {
  spirv::TargetEnvAttr targetEnv = profile.getTargetEnv(&context);
  size_t shares =
      context.isMultithreadingEnabled() ? context.getNumThreads() : 1;
  // Each thread of the compiler builds the conversion patterns at most twice:
  // for its kernels with 32-bit indices, and for its kernels with 64-bit
  // indices.
  return failableParallelForEachN(
      &context, 0, 2 * shares, [&](size_t share) -> LogicalResult {
        unsigned indexBits = share % 2 ? wideBits : narrowBits;
        SmallVector<Operation *> mine;
        for (size_t i = share / 2; i < kernels.size(); i += shares)
          if (kernels[i].indexBits == indexBits)
            mine.push_back(&kernels[i].module.get().getBody()->front());
        if (mine.empty())
          return success();
        return convertToSPIRV(mine, targetEnv, indexBits);
      });
}

namespace {
struct ConvertKernelsToSPIRV
    : dml::impl::ConvertKernelsToSPIRVBase<ConvertKernelsToSPIRV> {
  using Base::Base;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    auto originals = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
    if (failed(verifyNames(originals)))
      return signalPassFailure();
    FailureOr<SmallVector<unsigned>> indexBits = computeAllIndexBits(originals);
    if (failed(indexBits) || failed(shareAllBindings(profile)))
      return signalPassFailure();
    SmallVector<ConvertedKernel> kernels;
    for (auto [original, bits] : llvm::zip_equal(originals, *indexBits)) {
      FailureOr<ConvertedKernel> kernel = prepare(original, bits, profile);
      if (succeeded(kernel))
        kernels.push_back(std::move(*kernel));
    }
    // The pass reports all rejected kernels before it fails.
    if (kernels.size() < originals.size() ||
        failed(convertInParallel(kernels, profile, getContext())))
      return signalPassFailure();
    for (ConvertedKernel &kernel : kernels) {
      auto converted = cast<spirv::ModuleOp>(kernel.module->getBody()->front());
      if (failed(verifyArithmetic(converted)))
        return signalPassFailure();
      if (profile.getSpeed().computesInOrder != 0)
        storeResultsAtBeginning(converted);
      converted->remove();
      OpBuilder(kernel.original).insert(converted);
    }
  }

private:
  /// Rejects kernels that already have a SPIR-V module.
  LogicalResult verifyNames(ArrayRef<gpu::GPUModuleOp> originals) {
    SymbolTable names(getOperation());
    for (gpu::GPUModuleOp original : originals)
      if (names.lookup(getSPIRVModuleName(original.getName())))
        return emitError(original.getLoc(), "kernel '")
               << original.getName() << "' is converted to SPIR-V already";
    return success();
  }

  /// Computes the index width of each of `originals`, in parallel.
  FailureOr<SmallVector<unsigned>>
  computeAllIndexBits(ArrayRef<gpu::GPUModuleOp> originals) {
    SmallVector<unsigned> all(originals.size());
    LogicalResult result = failableParallelForEachN(
        &getContext(), 0, originals.size(), [&](size_t i) -> LogicalResult {
          FailureOr<unsigned> bits = computeIndexBits(originals[i]);
          if (succeeded(bits))
            all[i] = *bits;
          return bits;
        });
    if (failed(result))
      return failure();
    return all;
  }

  LogicalResult shareAllBindings(const DeviceProfile &profile) {
    SymbolTableCollection symbols;
    WalkResult result = getOperation().walk([&](gpu::LaunchFuncOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernel());
      return WalkResult(shareBindings(launch, kernel, profile));
    });
    return failure(result.wasInterrupted());
  }

  /// Returns a copy of `original` that the patterns can convert, with indices
  /// of `indexBits` bits. Rejects kernels that the device cannot run.
  FailureOr<ConvertedKernel> prepare(gpu::GPUModuleOp original,
                                     unsigned indexBits,
                                     const DeviceProfile &profile) {
    for (auto kernel : original.getOps<gpu::GPUFuncOp>())
      if (failed(verifyFeatures(kernel, indexBits, profile)))
        return failure();
    auto clone = cast<gpu::GPUModuleOp>(OpBuilder(original).clone(*original));
    truncateBeforeSelecting(clone);
    // Even in a kernel with 64-bit indices, most numbers fit into 32 bits.
    // Their operations are narrowed, since 64-bit divisions are slow.
    auto run = [&](OpPassManager &pm) { return runPipeline(pm, clone); };
    if (indexBits == wideBits && failed(narrowIntegers(clone, run)))
      return failure();
    if (failed(verifyArithmetic(clone, indexBits)))
      return failure();
    ConvertedKernel kernel = {original, ModuleOp::create(original.getLoc()),
                              indexBits};
    clone->remove();
    kernel.module->push_back(clone);
    setInterface(clone, profile);
    return kernel;
  }
};
} // namespace
