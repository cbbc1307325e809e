//===- Pipelines.cpp - The compiler as pass pipelines ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Pipelines/Pipelines.h"
#include "dml/Codegen/Cleanup.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/KernelNames.h"
#include "dml/Codegen/Passes.h"
#include "dml/Conversion/Passes.h"
#include "dml/Executable/Executable.h"
#include "dml/Executable/Passes.h"
#include "dml/IR/DML.h"
#include "dml/IR/Suggestions.h"
#include "dml/Import/Passes.h"
#include "dml/Import/TOSA.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "dml/Transforms/Passes.h"
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
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include <mutex>
#include <type_traits>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Options by their names
//===----------------------------------------------------------------------===//

static LogicalResult parseValue(StringRef text, std::string &value) {
  value = text.str();
  return success();
}

static LogicalResult parseValue(StringRef text, bool &value) {
  value = text == "true";
  return success(value || text == "false");
}

LogicalResult dml::setCompilerOption(CompilerOptions &options, StringRef name,
                                     StringRef value) {
#define DML_SET_OPTION(TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME, DESCRIPTION)   \
  if (name == NAME) {                                                          \
    TYPE parsed;                                                               \
    if (failed(parseValue(value, parsed)))                                     \
      return failure();                                                        \
    options.MEMBER = parsed;                                                   \
    return success();                                                          \
  }
#define DML_CODEGEN_OPTION DML_SET_OPTION
#define DML_OPERATOR_OPTION DML_SET_OPTION
#include "dml/Target/Options.def"
#undef DML_SET_OPTION
  return failure();
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

void dml::buildTargetPipeline(OpPassManager &pm,
                              const CompilerOptions &options) {
  if (options.legalize)
    pm.addPass(createLegalizeFeatureLevel({options.featureLevel.getValue()}));
  else if (!options.featureLevel.empty())
    pm.addPass(createAttachTarget({options.featureLevel.getValue()}));
}

/// Calls `copy` if the call compiles for the two structures.
template <typename From, typename To, typename Copy>
static void copyIfPresent(const From &from, To &to, Copy copy) {
  if constexpr (std::is_invocable_v<Copy, const From &, To &>)
    copy(from, to);
}

/// Returns the options of a pass. Each option has the value of the compiler's
/// option with the same name: for example, the `rowTile` of
/// SelectKernelsOptions is the `rowTile` of `options`.
template <typename PassOptions, typename Options>
static PassOptions getPassOptions(const Options &options) {
  PassOptions result;
#define DML_COPY_OPTION(TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME, DESCRIPTION)  \
  copyIfPresent(options, result,                                               \
                [](const auto &from, auto &to)                                 \
                    -> decltype(void(to.MEMBER = from.MEMBER.getValue())) {    \
                  to.MEMBER = from.MEMBER.getValue();                          \
                });
#define DML_CODEGEN_OPTION DML_COPY_OPTION
#define DML_OPERATOR_OPTION DML_COPY_OPTION
#include "dml/Target/Options.def"
#undef DML_COPY_OPTION
  return result;
}

/// If the options name a device profile, adds the pass that states it.
static void attachDevice(OpPassManager &pm, const CodegenOptions &options) {
  if (!options.deviceProfile.empty())
    pm.addPass(createAttachDevice({options.deviceProfile.getValue()}));
}

void dml::buildDMLToLinalgPipeline(OpPassManager &pm,
                                   const CompilerOptions &options) {
  attachDevice(pm, options);
  // An executable has no calls, so that private functions are inlined into
  // their callers.
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  addCleanup(pm);
  if (options.externalWeights)
    pm.addPass(createOwnConstants());
  pm.addPass(
      createChooseLayouts(getPassOptions<ChooseLayoutsOptions>(options)));
  pm.addPass(createConvertDMLToLinalg());
  pm.addNestedPass<func::FuncOp>(createAlignLoops());
  pm.addPass(createOutlineLoopBodies());
  pm.addPass(createApplyLayouts());
  addGenericCleanup(pm);
  pm.addNestedPass<func::FuncOp>(createMultiplyByReciprocals());
  if (options.fuse)
    pm.addNestedPass<func::FuncOp>(
        createStackProducts(getPassOptions<StackProductsOptions>(options)));
  // This pass comes before the device is considered, so that the variants for
  // all devices share the initialization.
  pm.addPass(createHoistInitialization());
}

void dml::buildLinalgToDispatchesPipeline(OpPassManager &pm,
                                          const CodegenOptions &options) {
  attachDevice(pm, options);
  if (options.fuse) {
    pm.addNestedPass<func::FuncOp>(
        createFuseProducers(getPassOptions<FuseProducersOptions>(options)));
    // Merging and folding come before attention is selected, since they may
    // remove the products: x ^ x becomes 0 after the two loads of x that fusion
    // has created are merged.
    pm.addNestedPass<func::FuncOp>(createMergeEqualOps());
    pm.addPass(createCanonicalization());
    pm.addNestedPass<func::FuncOp>(
        createFuseAttention(getPassOptions<FuseAttentionOptions>(options)));
  }
  // Nests those concatenations that have not been fused into readers.
  pm.addNestedPass<func::FuncOp>(createNestJoins());
  pm.addPass(createEmulateTypes());
  addGenericCleanup(pm);
  pm.addNestedPass<func::FuncOp>(createCopySharedResults());
  pm.addNestedPass<func::FuncOp>(createPrepareBufferization());
  pm.addNestedPass<func::FuncOp>(createBufferizeLoops());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // Arguments are packed. The default, a dynamic strided layout, would spread
  // from the arguments to other buffers.
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.addResultAttribute = true;
  outParams.hoistStaticAllocs = true;
  outParams.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  addGenericCleanup(pm);
  pm.addNestedPass<func::FuncOp>(createPlaceParts());
  pm.addNestedPass<func::FuncOp>(createWriteInPlace());
  pm.addPass(createSplitSums(getPassOptions<SplitSumsOptions>(options)));
  if (options.fuse)
    pm.addNestedPass<func::FuncOp>(
        createFuseReaders(getPassOptions<FuseReadersOptions>(options)));
  pm.addPass(createSliceBuffers());
  pm.addPass(createLimitBuffers());

  // From here on, equal kernels exist only once, in a function of their own.
  pm.addPass(createOutlineDispatches());
}

void dml::buildDispatchesToGPUPipeline(OpPassManager &pm,
                                       const CodegenOptions &options) {
  pm.addPass(createApplyTuning(getPassOptions<ApplyTuningOptions>(options)));
  pm.addNestedPass<func::FuncOp>(
      createSelectKernels(getPassOptions<SelectKernelsOptions>(options)));
  pm.addNestedPass<func::FuncOp>(createSelectMapTiles());
  pm.addNestedPass<func::FuncOp>(createDistributeToWorkgroups());
  // Kernels compute their own constants, so that only buffers remain as
  // arguments.
  pm.addNestedPass<func::FuncOp>(createSinkConstants());
  pm.addPass(createGpuKernelOutliningPass());
  pm.addPass(createInlineDispatches());
  // The modules of kernels are cleaned up in parallel, which is possible only
  // after outlining.
  addCleanup(pm.nest<gpu::GPUModuleOp>());
  pm.addNestedPass<func::FuncOp>(createCanonicalization());
}

void dml::buildLinalgToGPUPipeline(OpPassManager &pm,
                                   const CodegenOptions &options) {
  buildLinalgToDispatchesPipeline(pm, options);
  buildDispatchesToGPUPipeline(pm, options);
}

void dml::buildGPUToSPIRVPipeline(OpPassManager &pm,
                                  const CodegenOptions &options) {
  attachDevice(pm, options);
  pm.addNestedPass<gpu::GPUModuleOp>(createWorkAroundDrivers());
  pm.addPass(createConvertKernelsToSPIRV());
  OpPassManager &kernels = pm.nest<spirv::ModuleOp>();
  kernels.addPass(spirv::createSPIRVLowerABIAttributesPass());
  addCleanup(kernels);
  kernels.addPass(spirv::createSPIRVUpdateVCEPass());
  kernels.addPass(createFinalizeSPIRV());
}

static void buildDMLToGPUPipeline(OpPassManager &pm,
                                  const CompilerOptions &options) {
  buildDMLToLinalgPipeline(pm, options);
  buildLinalgToGPUPipeline(pm, options);
}

static void buildDMLToSPIRVPipeline(OpPassManager &pm,
                                    const CompilerOptions &options) {
  buildDMLToGPUPipeline(pm, options);
  buildGPUToSPIRVPipeline(pm, options);
}

void dml::buildDMLToExecutablePipeline(OpPassManager &pm,
                                       const CompilerOptions &options) {
  buildDMLToSPIRVPipeline(pm, options);
  pm.addPass(createSerializeExecutable());
}

/// Registers the pipeline that `build` builds, with the pipeline for the
/// feature level in front of it.
template <typename Options>
static void registerPipeline(StringRef argument, StringRef description,
                             void (*build)(OpPassManager &, const Options &)) {
  PassPipelineRegistration<CompilerOptions>(
      argument, description,
      [build](OpPassManager &pm, const CompilerOptions &options) {
        buildTargetPipeline(pm, options);
        build(pm, options);
      });
}

static void registerOnce() {
  constexpr StringLiteral whole = "dml-to-executable";
  // Registering two passes with the same name would terminate the process.
  if (PassPipelineInfo::lookup(whole))
    return;
  registerDMLCodegenPasses();
  registerDMLConversionPasses();
  registerDMLExecutablePasses();
  registerDMLImportPasses();
  registerDMLTransformsPasses();
  registerPipeline("dml-to-linalg",
                   "Compile dml operators to linalg on tensors",
                   buildDMLToLinalgPipeline);
  registerPipeline("dml-to-gpu",
                   "Compile dml operators to GPU kernels on buffers",
                   buildDMLToGPUPipeline);
  registerPipeline("dml-to-spirv", "Compile dml operators to SPIR-V kernels",
                   buildDMLToSPIRVPipeline);
  PassPipelineRegistration<CodegenOptions>(
      "dml-linalg-to-gpu",
      "Compile linalg on tensors to GPU kernels on buffers",
      buildLinalgToGPUPipeline);
  PassPipelineRegistration<CodegenOptions>("dml-gpu-to-spirv",
                                           "Compile GPU kernels to SPIR-V",
                                           buildGPUToSPIRVPipeline);
  registerPipeline(whole, "Compile dml operators to an executable",
                   buildDMLToExecutablePipeline);
}

void dml::registerAllPasses() {
  static std::once_flag once;
  std::call_once(once, registerOnce);
}

void dml::registerCompilerDialects(DialectRegistry &registry) {
  registry.insert<DMLDialect, DMLBufferDialect, DMLDeviceDialect,
                  arith::ArithDialect, bufferization::BufferizationDialect,
                  func::FuncDialect, gpu::GPUDialect, linalg::LinalgDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  spirv::SPIRVDialect, tensor::TensorDialect, ub::UBDialect,
                  vector::VectorDialect>();
  tosareader::registerDialects(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  func::registerInlinerExtension(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  // buffer-results-to-out-params recognizes allocations by this interface.
  memref::registerAllocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  suggestOperations(registry);
}

LogicalResult dml::runPasses(PassManager &pm, ModuleOp module) {
  if (failed(verify(module)))
    return failure();
#ifdef NDEBUG
  pm.enableVerifier(false);
#endif
  return pm.run(module);
}

/// Whether the value of an option may be wrong: a text other than the default.
static bool mayBeWrong(const std::string &value, StringRef byDefault) {
  return value != byDefault;
}
static bool mayBeWrong(bool, bool) { return false; }

std::string dml::describeWrongOption(const CompilerOptions &options) {
  bool mayOneBe = false;
#define DML_TUNING_OPTION(TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME,             \
                          DESCRIPTION)                                         \
  mayOneBe |= mayBeWrong(options.MEMBER.getValue(), DEFAULT);
#include "dml/Target/Options.def"
  if (!mayOneBe)
    return "";
  // Each value is parsed by the pass that has the option: on a function that
  // has nothing to compile, the pass does nothing else.
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (error.empty())
      error = diagnostic.str();
    return success();
  });
  context.printOpOnDiagnostic(false);
  Location location = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  OpBuilder builder(module->getBodyRegion());
  auto function = func::FuncOp::create(builder, location, "empty",
                                       builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  func::ReturnOp::create(builder, location);
  PassManager pm(&context);
  pm.addPass(
      createChooseLayouts(getPassOptions<ChooseLayoutsOptions>(options)));
  pm.addNestedPass<func::FuncOp>(
      createFuseAttention(getPassOptions<FuseAttentionOptions>(options)));
  pm.addPass(createSplitSums(getPassOptions<SplitSumsOptions>(options)));
  pm.addNestedPass<func::FuncOp>(
      createSelectKernels(getPassOptions<SelectKernelsOptions>(options)));
  return failed(pm.run(*module)) && error.empty()
             ? "an option has a value that no pass takes"
             : error;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static bool isTensor(Type type) { return isa<TensorType>(type); }

/// Whether `function` only has launches, copies and allocations on buffers.
static bool isOnBuffers(func::FuncOp function) {
  if (llvm::any_of(function.getArgumentTypes(), isTensor) ||
      llvm::any_of(function.getResultTypes(), isTensor))
    return false;
  WalkResult result = function.walk([](Operation *op) {
    return isa<gpu::LaunchOp, linalg::LinalgOp>(op) ||
                   llvm::any_of(op->getResultTypes(), isTensor)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

Stage dml::getStage(ModuleOp module) {
  auto kernels = module.getOps<gpu::GPUModuleOp>();
  if (kernels.empty() ||
      !llvm::all_of(module.getOps<func::FuncOp>(), isOnBuffers))
    return Stage::DML;
  SymbolTable symbols(module);
  return llvm::all_of(kernels,
                      [&](gpu::GPUModuleOp kernel) {
                        return !!symbols.lookup<spirv::ModuleOp>(
                            getSPIRVModuleName(kernel.getName()));
                      })
             ? Stage::SPIRV
             : Stage::GPU;
}

/// Verifies that the module's device profile has the features and the number of
/// storage buffers that kernels in SPIR-V require.
static LogicalResult verifyKernels(ModuleOp module) {
  const DeviceProfile &profile = getDeviceProfile(module);
  for (auto kernel : module.getOps<spirv::ModuleOp>()) {
    std::optional<spirv::VerCapExtAttr> triple = kernel.getVceTriple();
    if (!triple)
      continue;
    for (const DeviceFeatureInfo &info : getDeviceFeatures())
      if (!profile.has(info.feature) &&
          llvm::is_contained(triple->getCapabilities(), info.capability))
        return emitError(kernel.getLoc(), "'")
               << kernel.getName().value_or("kernel")
               << "' needs the Vulkan feature " << info.vulkanName
               << ", which the device profile '" << profile.str() << "' lacks";
    int64_t bindings = 0;
    for (auto variable : kernel.getOps<spirv::GlobalVariableOp>())
      if (variable.getBinding())
        bindings = std::max<int64_t>(bindings, *variable.getBinding() + 1);
    if (bindings > profile.getMaxStorageBuffers())
      return emitError(kernel.getLoc(), "'")
             << kernel.getName().value_or("kernel") << "' binds " << bindings
             << " storage buffers, but the device profile '" << profile.str()
             << "' has " << profile.getMaxStorageBuffers();
  }
  return success();
}

LogicalResult
dml::compileTo(ModuleOp module, Stage to, const CompilerOptions &options,
               llvm::function_ref<LogicalResult(PassManager &)> configure) {
  Stage from = getStage(module);
  auto emitError = [&] { return mlir::emitError(module.getLoc()); };
  if (from > to)
    return emitError() << "the module has GPU kernels, which is a later stage "
                          "than the one asked for";
  if (from > Stage::DML && (options.legalize || !options.featureLevel.empty()))
    return emitError()
           << "a feature level is for dml operators, but the module "
              "has GPU kernels in their place";
  if (options.legalize && options.featureLevel.empty())
    return emitError() << "legalize wants the level to reach, feature-level";

  PassManager target(module.getContext()), pm(module.getContext());
  if (configure && (failed(configure(target)) || failed(configure(pm))))
    return failure();
  buildTargetPipeline(target, options);
  if (from < Stage::Linalg)
    buildDMLToLinalgPipeline(pm, options);
  if (from < Stage::GPU && to >= Stage::GPU)
    buildLinalgToGPUPipeline(pm, options);
  if (from < Stage::SPIRV && to >= Stage::SPIRV)
    buildGPUToSPIRVPipeline(pm, options);
  if (from == Stage::SPIRV)
    attachDevice(pm, options);
  // The verifier rejects operators that the level does not support.
  if (failed(target.run(module)) || failed(runPasses(pm, module)))
    return failure();
  return from == Stage::SPIRV ? verifyKernels(module) : success();
}

FailureOr<ExecutableImage> dml::compileToImage(
    ModuleOp module, const CompilerOptions &options,
    ArrayRef<std::string> deviceProfiles,
    llvm::function_ref<LogicalResult(PassManager &)> configure) {
  // The largest buffer that the devices of all profiles can allocate.
  int64_t maxBuffer = INT64_MAX;
  auto compileVariant = [&](ModuleOp variant,
                            const CompilerOptions &variantOptions) {
    if (failed(compileTo(variant, Stage::SPIRV, variantOptions, configure)))
      return failure();
    maxBuffer = std::min(
        maxBuffer, getDeviceProfile(variant).getMaxMemoryAllocationSize());
    return success();
  };
  if (deviceProfiles.empty()) {
    if (failed(compileVariant(module, options)))
      return failure();
    return exportImage(module, maxBuffer);
  }
  CompilerOptions variantOptions;
  variantOptions.copyOptionValuesFrom(options);
  // All variants share the first passes, including those for the feature level.
  if (deviceProfiles.size() > 1 && getStage(module) == Stage::DML) {
    // The layouts are chosen for the preferred variant.
    variantOptions.deviceProfile = deviceProfiles.front();
    if (failed(compileTo(module, Stage::Linalg, variantOptions, configure)))
      return failure();
    variantOptions.featureLevel = "";
    variantOptions.legalize = false;
  }
  SmallVector<OwningOpRef<ModuleOp>> copies;
  SmallVector<ModuleOp> variants;
  for (const std::string &profile : deviceProfiles) {
    variantOptions.deviceProfile = profile;
    // The last variant uses the module itself instead of a copy.
    variants.push_back(module);
    if (variants.size() < deviceProfiles.size()) {
      copies.push_back(module.clone());
      variants.back() = *copies.back();
    }
    if (failed(compileVariant(variants.back(), variantOptions)))
      return failure();
  }
  return exportImage(variants, maxBuffer);
}

FailureOr<std::vector<uint8_t>> dml::compileToExecutable(
    ModuleOp module, const CompilerOptions &options,
    ArrayRef<std::string> deviceProfiles,
    llvm::function_ref<LogicalResult(PassManager &)> configure) {
  FailureOr<ExecutableImage> image =
      compileToImage(module, options, deviceProfiles, configure);
  if (failed(image))
    return failure();
  return image->join();
}
