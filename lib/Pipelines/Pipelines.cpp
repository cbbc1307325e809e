//===- Pipelines.cpp - The compiler as pass pipelines ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Pipelines/Pipelines.h"
#include "dml/Codegen/Passes.h"
#include "dml/Conversion/Passes.h"
#include "dml/Executable/Executable.h"
#include "dml/Executable/Passes.h"
#include "dml/IR/DML.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace dml;

/// Canonicalization. Regions are single blocks, or structured as SPIR-V wants
/// them: there is nothing to simplify.
static std::unique_ptr<Pass> createCanonicalization() {
  return createCanonicalizerPass(
      GreedyRewriteConfig().setRegionSimplificationLevel(
          GreedySimplifyRegionLevel::Disabled));
}

/// Canonicalization and common subexpression elimination.
static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalization());
  pm.addPass(createCSEPass());
}

/// The same for generics on tensors, which are alike in all but their bodies.
static void addTensorCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalization());
  pm.addNestedPass<func::FuncOp>(createMergeEqualOps());
}

void dml::buildDMLToLinalgPipeline(OpPassManager &pm, const CompilerOptions &) {
  // An executable has no calls: private functions dissolve into their callers.
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  addCleanup(pm);
  pm.addPass(createConvertDMLToLinalg());
  pm.addPass(createApplyLayouts());
  addTensorCleanup(pm);
}

void dml::buildLinalgToGPUPipeline(OpPassManager &pm,
                                   const CompilerOptions &options) {
  if (options.fuse)
    pm.addNestedPass<func::FuncOp>(createFuseProducers());
  EmulateTypesOptions emulate;
  emulate.deviceProfile = options.deviceProfile;
  pm.addPass(createEmulateTypes(emulate));
  addTensorCleanup(pm);
  pm.addNestedPass<func::FuncOp>(createCopySharedResults());
  pm.addNestedPass<func::FuncOp>(createPrepareBufferization());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // Arguments are packed; strided layouts would spread from them otherwise.
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.addResultAttribute = true;
  outParams.hoistStaticAllocs = true;
  outParams.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  addCleanup(pm);
  // A slice that was computed in place is copied to itself, which folds only
  // once the views are one.
  pm.addNestedPass<func::FuncOp>(createCanonicalization());
  pm.addNestedPass<func::FuncOp>(createPlaceParts());
  LimitBuffersOptions limit;
  limit.deviceProfile = options.deviceProfile;
  pm.addNestedPass<func::FuncOp>(createLimitBuffers(limit));

  // From here on, each kernel stands once, in a function of its own.
  pm.addPass(createOutlineDispatches());
  SelectKernelsOptions select;
  select.contractionTile = options.contractionTile;
  pm.addNestedPass<func::FuncOp>(createSelectKernels(select));
  pm.addNestedPass<func::FuncOp>(createSelectMapTiles());
  pm.addNestedPass<func::FuncOp>(createDistributeToWorkgroups());
  // Kernels compute their constants; only buffers remain arguments.
  pm.addNestedPass<func::FuncOp>(createSinkConstants());
  pm.addPass(createGpuKernelOutliningPass());
  pm.addPass(createInlineDispatches());
  // Kernels are cleaned up side by side, hence not before they are outlined.
  addCleanup(pm.nest<gpu::GPUModuleOp>());
  pm.addNestedPass<func::FuncOp>(createCanonicalization());
}

void dml::buildGPUToSPIRVPipeline(OpPassManager &pm,
                                  const CompilerOptions &options) {
  ConvertKernelsToSPIRVOptions convert;
  convert.deviceProfile = options.deviceProfile;
  pm.addPass(createConvertKernelsToSPIRV(convert));
  OpPassManager &kernels = pm.nest<spirv::ModuleOp>();
  kernels.addPass(spirv::createSPIRVLowerABIAttributesPass());
  addCleanup(kernels);
  kernels.addPass(spirv::createSPIRVUpdateVCEPass());
  kernels.addPass(createFinalizeSPIRV());
}

static void buildDMLToSPIRVPipeline(OpPassManager &pm,
                                    const CompilerOptions &options) {
  buildDMLToLinalgPipeline(pm, options);
  buildLinalgToGPUPipeline(pm, options);
  buildGPUToSPIRVPipeline(pm, options);
}

void dml::buildDMLToExecutablePipeline(OpPassManager &pm,
                                       const CompilerOptions &options) {
  buildDMLToSPIRVPipeline(pm, options);
  pm.addPass(createSerializeExecutable());
}

void dml::registerPipelines() {
  PassPipelineRegistration<CompilerOptions>(
      "dml-to-linalg", "Compile dml operators to linalg on tensors",
      buildDMLToLinalgPipeline);
  PassPipelineRegistration<CompilerOptions>(
      "dml-to-gpu", "Compile dml operators to GPU kernels on buffers",
      [](OpPassManager &pm, const CompilerOptions &options) {
        buildDMLToLinalgPipeline(pm, options);
        buildLinalgToGPUPipeline(pm, options);
      });
  PassPipelineRegistration<CompilerOptions>(
      "dml-to-spirv", "Compile dml operators to SPIR-V kernels",
      buildDMLToSPIRVPipeline);
  PassPipelineRegistration<CompilerOptions>(
      "dml-to-executable", "Compile dml operators to an executable",
      buildDMLToExecutablePipeline);
}

void dml::registerCompilerDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, bufferization::BufferizationDialect,
                  func::FuncDialect, gpu::GPUDialect, linalg::LinalgDialect,
                  spirv::SPIRVDialect, tensor::TensorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  func::registerInlinerExtension(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  // buffer-results-to-out-params tells allocations by this interface.
  memref::registerAllocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
}

LogicalResult dml::runPasses(PassManager &pm, ModuleOp module) {
  if (failed(verify(module)))
    return failure();
#ifdef NDEBUG
  pm.enableVerifier(false);
#endif
  return pm.run(module);
}

FailureOr<std::vector<uint8_t>>
dml::compileToExecutable(ModuleOp module, const CompilerOptions &options) {
  PassManager pm(module.getContext());
  buildDMLToSPIRVPipeline(pm, options);
  if (failed(runPasses(pm, module)))
    return failure();
  return exportExecutable(module);
}
