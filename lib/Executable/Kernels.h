//===- Kernels.h - SPIR-V binaries ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_EXECUTABLE_KERNELS_H
#define DML_LIB_EXECUTABLE_KERNELS_H

#include "dml/Executable/Executable.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace dml {

/// The kernels of modules. Kernels with equal code are stored once.
class KernelTable {
public:
  struct Kernel {
    std::string name;
    mlir::spirv::ModuleOp module;
    std::vector<uint32_t> code;
  };

  /// Serializes every spirv.module of `module`, clamps the indices that are not
  /// provably within their arrays, and validates the result.
  llvm::LogicalResult add(mlir::ModuleOp module);

  /// Returns the kernel made from the gpu.module of that name. Only the module
  /// that was added last is searched.
  std::optional<unsigned> lookup(llvm::StringRef gpuModule) const;

  llvm::ArrayRef<Kernel> getKernels() const { return kernels; }

private:
  std::vector<Kernel> kernels;
  /// The position in `kernels` by code, and by the name of the gpu.module.
  llvm::StringMap<unsigned> indices;
  llvm::StringMap<unsigned> byModule;
};

} // namespace dml

#endif // DML_LIB_EXECUTABLE_KERNELS_H
