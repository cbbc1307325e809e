//===- Kernels.cpp - SPIR-V binaries --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "SPIRVIndices.h"
#include "dml/Codegen/KernelNames.h"
#include "dml/IR/DML.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "llvm/ADT/StringExtras.h"
#include <spirv-tools/libspirv.hpp>

using namespace mlir;
using namespace dml;

/// Whether SPIRV-Tools supports cooperative matrices. Versions before 2023.3 do
/// not, and reject every module with such matrices. Such modules are then left
/// to the validator of the runtime.
static bool validatorKnowsMatrices() {
  static const bool knows = [] {
    std::vector<uint32_t> code;
    return spvtools::SpirvTools(SPV_ENV_VULKAN_1_2)
        .Assemble("OpCapability CooperativeMatrixKHR", &code);
  }();
  return knows;
}

/// Has SPIRV-Tools validate `code`, and reports its messages at the location of
/// `module`.
static LogicalResult validate(spirv::ModuleOp module, ArrayRef<uint32_t> code) {
  if (llvm::is_contained(module.getVceTripleAttr().getCapabilities(),
                         spirv::Capability::CooperativeMatrixKHR) &&
      !validatorKnowsMatrices())
    return success();
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  std::string messages;
  tools.SetMessageConsumer([&](spv_message_level_t, const char *,
                               const spv_position_t &, const char *message) {
    if (!messages.empty())
      messages += "; ";
    messages += message;
  });
  // Friendly names only make messages more readable, and would add more than
  // half to the time of validation.
  spvtools::ValidatorOptions options;
  options.SetFriendlyNames(false);
  if (tools.Validate(code.data(), code.size(), options))
    return success();
  return emitError(module.getLoc(),
                   "SPIRV-Tools' validator refuses the kernel: ")
         << messages;
}

/// Clamps the indices into private and workgroup arrays that may be out of
/// bounds. The runtime rejects kernels with such indices.
static LogicalResult limitIndices(KernelTable::Kernel &kernel) {
  runtime::Expected<uint32_t> limited = runtime::limitSPIRVIndices(kernel.code);
  if (limited)
    return success();
  return emitError(kernel.module.getLoc(), "the runtime refuses the kernel: ")
         << limited.status().message();
}

LogicalResult KernelTable::add(ModuleOp module) {
  byModule.clear();
  size_t before = kernels.size();
  for (auto spirvModule : module.getOps<spirv::ModuleOp>()) {
    auto entryPoints =
        llvm::to_vector(spirvModule.getOps<spirv::EntryPointOp>());
    if (entryPoints.size() != 1 || !spirvModule.getName())
      return emitError(spirvModule.getLoc(), "a SPIR-V module wants a name and "
                                             "one entry point to be written to "
                                             "an executable");
    if (!isName(entryPoints.front().getFn()))
      return emitError(spirvModule.getLoc(), "entry point ")
             << entryPoints.front().getFnAttr().getAttr()
             << " wants a UTF-8 name without control characters";
    SmallVector<uint32_t> code;
    if (failed(spirv::serialize(spirvModule, code)))
      return failure();
    auto [position, isNew] = indices.try_emplace(
        std::string(reinterpret_cast<const char *>(code.data()),
                    code.size() * sizeof(uint32_t)),
        kernels.size());
    byModule[*spirvModule.getName()] = position->second;
    if (!isNew)
      continue;
    kernels.push_back({entryPoints.front().getFn().str(), spirvModule,
                       std::vector<uint32_t>(code.begin(), code.end())});
  }
  return failableParallelForEach(
      module.getContext(), MutableArrayRef(kernels).drop_front(before),
      [](Kernel &kernel) {
        return success(succeeded(limitIndices(kernel)) &&
                       succeeded(validate(kernel.module, kernel.code)));
      });
}

std::optional<unsigned> KernelTable::lookup(StringRef gpuModule) const {
  auto found = byModule.find(getSPIRVModuleName(gpuModule));
  if (found == byModule.end())
    return std::nullopt;
  return found->second;
}

FailureOr<std::vector<KernelBinary>> dml::serializeKernels(ModuleOp module) {
  KernelTable table;
  if (failed(table.add(module)))
    return failure();
  std::vector<KernelBinary> binaries;
  for (const KernelTable::Kernel &kernel : table.getKernels())
    binaries.push_back({kernel.name, kernel.code});
  return binaries;
}
