//===- Executable.h - Writing executables -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_EXECUTABLE_EXECUTABLE_H
#define DML_EXECUTABLE_EXECUTABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace dml {

/// A kernel's SPIR-V.
struct KernelBinary {
  /// The operator it computes, which is also its entry point: "dml.padding".
  std::string name;
  std::vector<uint32_t> code;
};

/// Serializes every spirv.module of `module` and has SPIRV-Tools validate it
/// under Vulkan 1.2. Kernels with the same code are one.
llvm::FailureOr<std::vector<KernelBinary>>
serializeKernels(mlir::ModuleOp module);

/// Writes the executable of `module`, in the form that the pipeline
/// `dml-to-spirv` leaves: public functions over buffers whose launches,
/// copies and allocations stand in one block, with a spirv.module beside each
/// gpu.module. The format is runtime/schema/executable.fbs.
llvm::FailureOr<std::vector<uint8_t>> exportExecutable(mlir::ModuleOp module);

} // namespace dml

#endif // DML_EXECUTABLE_EXECUTABLE_H
