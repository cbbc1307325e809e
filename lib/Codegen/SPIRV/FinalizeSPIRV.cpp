//===- FinalizeSPIRV.cpp - Requirements of SPIR-V modules -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

namespace dml {
#define GEN_PASS_DEF_FINALIZESPIRV
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// Requires that the driver preserves -0, infinities and NaN of f32, if the
/// device supports this and the kernels of `module` compute with f32 or select
/// between f32 numbers. Without this requirement, Vulkan allows a driver to
/// replace `x / x` by 1, and `x < 0 ? 0 : x` by a maximum, which is 0 if x is
/// NaN. Returns whether `module` has the requirement.
static bool preserveSpecialNumbers(spirv::ModuleOp module) {
  spirv::TargetEnv target(spirv::lookupTargetEnvOrDefault(module));
  if (!target.allows(spirv::Capability::SignedZeroInfNanPreserve))
    return false;
  // The listed operations only move numbers, and preserve all bits in any case.
  WalkResult computes = module.walk([](Operation *op) {
    if (isa<spirv::StoreOp, spirv::BitcastOp, spirv::CompositeConstructOp,
            spirv::CompositeExtractOp, spirv::CompositeInsertOp,
            spirv::VectorShuffleOp>(op))
      return WalkResult::advance();
    return llvm::any_of(
               op->getOperandTypes(),
               [](Type type) { return getElementTypeOrSelf(type).isF32(); })
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!computes.wasInterrupted())
    return false;
  for (auto entry : llvm::to_vector(module.getOps<spirv::EntryPointOp>())) {
    auto function = SymbolTable::lookupNearestSymbolFrom<spirv::FuncOp>(
        module, entry.getFnAttr());
    OpBuilder builder(module.getContext());
    builder.setInsertionPointToEnd(module.getBody());
    spirv::ExecutionModeOp::create(
        builder, entry.getLoc(), function,
        spirv::ExecutionMode::SignedZeroInfNanPreserve, /*params=*/{32});
  }
  return true;
}

/// Gives `module` the Vulkan memory model, which SPIR-V requires for kernels
/// with cooperative matrices. In this model, each barrier must state that the
/// stores of other threads to workgroup memory become visible. All other memory
/// is private: while a kernel runs, no thread reads data that another thread
/// stores there.
static void useVulkanMemoryModel(spirv::ModuleOp module) {
  module.setMemoryModel(spirv::MemoryModel::Vulkan);
  auto isShared = [](Value pointer) {
    return cast<spirv::PointerType>(pointer.getType()).getStorageClass() ==
           spirv::StorageClass::Workgroup;
  };
  constexpr auto nonPrivate = spirv::MemoryAccess::NonPrivatePointer;
  module.walk([&](Operation *op) {
    if (auto load = dyn_cast<spirv::LoadOp>(op)) {
      if (isShared(load.getPtr()))
        load.setMemoryAccess(nonPrivate);
    } else if (auto store = dyn_cast<spirv::StoreOp>(op)) {
      if (isShared(store.getPtr()))
        store.setMemoryAccess(nonPrivate);
    } else if (auto load = dyn_cast<spirv::KHRCooperativeMatrixLoadOp>(op)) {
      load.setMemoryOperand(nonPrivate);
    } else if (auto store = dyn_cast<spirv::KHRCooperativeMatrixStoreOp>(op)) {
      store.setMemoryOperand(nonPrivate);
    } else if (auto barrier = dyn_cast<spirv::ControlBarrierOp>(op)) {
      barrier.setMemorySemantics(barrier.getMemorySemantics() |
                                 spirv::MemorySemantics::MakeAvailable |
                                 spirv::MemorySemantics::MakeVisible);
    }
  });
}

/// Marks multiplications of cooperative matrices whose factors and sums are
/// signed integers. Upstream's conversion gives such matrices signed types. A
/// SPIR-V kernel has no signed types. The operands of the multiplication state
/// the signs instead.
static void setSigns(spirv::ModuleOp module) {
  using Operands = spirv::CooperativeMatrixOperandsKHR;
  module.walk([&](spirv::KHRCooperativeMatrixMulAddOp op) {
    auto factors = cast<spirv::CooperativeMatrixType>(op.getA().getType());
    if (factors.getElementType().isSignedInteger())
      op.setMatrixOperands(Operands::ASigned | Operands::BSigned |
                           Operands::CSigned | Operands::ResultSigned);
  });
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](spirv::CooperativeMatrixType type) -> std::optional<Type> {
        auto element = dyn_cast<IntegerType>(type.getElementType());
        if (!element)
          return std::nullopt;
        return spirv::CooperativeMatrixType::get(
            IntegerType::get(type.getContext(), element.getWidth()),
            type.getRows(), type.getColumns(), type.getScope(), type.getUse());
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// Whether the kernels of `module` read the index of their subgroup, or the
/// index of a thread in its subgroup.
static bool usesSubgroups(spirv::ModuleOp module) {
  return llvm::any_of(
      module.getOps<spirv::GlobalVariableOp>(),
      [](spirv::GlobalVariableOp variable) {
        auto name = variable->getAttrOfType<StringAttr>(
            spirv::SPIRVDialect::getAttributeName(spirv::Decoration::BuiltIn));
        std::optional<spirv::BuiltIn> builtIn;
        if (name)
          builtIn = spirv::symbolizeBuiltIn(name.getValue());
        return builtIn == spirv::BuiltIn::SubgroupId ||
               builtIn == spirv::BuiltIn::SubgroupLocalInvocationId;
      });
}

/// Sets the SPIR-V version, and adds the capabilities that upstream's
/// spirv-update-vce does not deduce.
static void setRequirements(spirv::ModuleOp module) {
  spirv::VerCapExtAttr triple = module.getVceTripleAttr();
  if (!triple)
    return;
  auto capabilities = llvm::to_vector(triple.getCapabilities());
  if (preserveSpecialNumbers(module))
    capabilities.push_back(spirv::Capability::SignedZeroInfNanPreserve);
  if (llvm::is_contained(capabilities,
                         spirv::Capability::CooperativeMatrixKHR)) {
    capabilities.push_back(spirv::Capability::VulkanMemoryModel);
    useVulkanMemoryModel(module);
    setSigns(module);
  }
  // Upstream's pass ignores built-in variables. The built-in variables of
  // subgroups require the capability GroupNonUniform, which every Vulkan 1.2
  // device supports.
  if (usesSubgroups(module) &&
      !llvm::is_contained(capabilities, spirv::Capability::GroupNonUniform))
    capabilities.push_back(spirv::Capability::GroupNonUniform);
  module.setVceTripleAttr(spirv::VerCapExtAttr::get(
      spirv::Version::V_1_5, capabilities,
      llvm::to_vector(triple.getExtensions()), module.getContext()));
}

/// Forbids the driver to contract floating-point arithmetic, such as a product
/// and a sum to a fused multiply-add, or to reassociate it.
static void forbidContraction(spirv::ModuleOp module) {
  std::string noContraction = llvm::convertToSnakeFromCamelCase(
      stringifyDecoration(spirv::Decoration::NoContraction));
  module.walk([&](Operation *op) {
    if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp>(op))
      op->setAttr(noContraction, UnitAttr::get(module.getContext()));
  });
}

namespace {
struct FinalizeSPIRV : dml::impl::FinalizeSPIRVBase<FinalizeSPIRV> {
  void runOnOperation() override {
    spirv::ModuleOp module = getOperation();
    setRequirements(module);
    forbidContraction(module);
  }
};
} // namespace
