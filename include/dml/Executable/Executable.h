//===- Executable.h - Writing executables -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_EXECUTABLE_EXECUTABLE_H
#define DML_EXECUTABLE_EXECUTABLE_H

#include "dml/Target/DeviceProfile.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
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

/// The bytes of an executable where they are: those of large constants in the
/// module that was compiled, which has to live as long as its context does.
struct ExecutableImage {
  std::vector<std::pair<const void *, size_t>> pieces;
  /// What keeps the other pieces.
  std::shared_ptr<void> owner;
  /// The same executable but for the constants, which lack their bytes: for who
  /// wants to look at all else.
  std::vector<uint8_t> withoutConstants;

  void add(const void *data, size_t size);
  /// All of them, copied.
  std::vector<uint8_t> join() const;
};

/// Writes the executable of a module, in the form that the pipeline
/// `dml-to-spirv` leaves: public functions over buffers whose launches,
/// copies and allocations stand in one block, with a spirv.module beside each
/// gpu.module. The format is runtime/schema/executable.fbs.
///
/// Of several modules, which have the same functions for different devices,
/// each is a variant of every function, the one to be preferred first. A
/// variant that needs all that one before it needs is left out, since no device
/// would take it. Kernels and constants that are equal stand once. What a
/// variant requires follows from what its steps use.
///
/// No constant and no temporary buffer reaches over a multiple of `maxBuffer`
/// bytes, if it has no more: a device puts them into buffers of that size.
llvm::FailureOr<std::vector<uint8_t>> exportExecutable(
    llvm::ArrayRef<mlir::ModuleOp> variants,
    uint64_t maxBuffer = DeviceProfile::promisedMaxMemoryAllocationSize);

/// The same without a copy of the constants.
llvm::FailureOr<ExecutableImage> exportImage(
    llvm::ArrayRef<mlir::ModuleOp> variants,
    uint64_t maxBuffer = DeviceProfile::promisedMaxMemoryAllocationSize);

} // namespace dml

#endif // DML_EXECUTABLE_EXECUTABLE_H
