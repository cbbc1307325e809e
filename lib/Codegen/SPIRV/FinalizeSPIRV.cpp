//===- FinalizeSPIRV.cpp - What SPIR-V modules say of themselves ----------===//
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

/// Makes the driver keep -0, infinities and NaN of f32, where the device can
/// and the kernels of `module` compute with f32 or select numbers of f32.
/// Returns whether `module` asks for that. Vulkan otherwise lets a driver take
/// `x / x` for 1, and `x < 0 ? 0 : x` for a maximum, which is 0 where x is NaN.
static bool preserveSpecialNumbers(spirv::ModuleOp module) {
  spirv::TargetEnv target(spirv::lookupTargetEnvOrDefault(module));
  if (!target.allows(spirv::Capability::SignedZeroInfNanPreserve))
    return false;
  // Operations that only move numbers keep all of their bits in any case.
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

/// Gives `module` the Vulkan memory model, which SPIR-V wants of kernels with
/// cooperative matrices. In this model a barrier has to say that each thread
/// sees the values that other threads have stored in workgroup memory. All
/// other memory is private: no thread reads what another one stores there
/// while the kernel runs.
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

/// Marks products of cooperative matrices whose factors and sums are signed.
/// Upstream's conversion gives such matrices signed types. SPIR-V has no signed
/// types in kernels, and reads the signs from the operands of the product.
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

/// Whether kernels read the number of a subgroup or the number of a thread in
/// its subgroup.
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

/// Sets the version, and adds the capabilities that upstream's
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
  // Upstream's pass looks at no built-in variable. Those of subgroups need
  // GroupNonUniform, which every Vulkan 1.2 device has.
  if (usesSubgroups(module) &&
      !llvm::is_contained(capabilities, spirv::Capability::GroupNonUniform))
    capabilities.push_back(spirv::Capability::GroupNonUniform);
  module.setVceTripleAttr(spirv::VerCapExtAttr::get(
      spirv::Version::V_1_5, capabilities,
      llvm::to_vector(triple.getExtensions()), module.getContext()));
}

/// Forbids the driver to fuse or to regroup arithmetic of floating-point
/// numbers.
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
