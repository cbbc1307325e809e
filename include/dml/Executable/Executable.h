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

/// The SPIR-V code of one kernel.
struct KernelBinary {
  /// The name of the operator that the kernel computes, which is also the name
  /// of its entry point: "dml.padding".
  std::string name;
  std::vector<uint32_t> code;
};

/// Serializes every spirv.module of `module` and has SPIRV-Tools validate the
/// code under Vulkan 1.2. Kernels with equal code become one kernel.
llvm::FailureOr<std::vector<KernelBinary>>
serializeKernels(mlir::ModuleOp module);

/// An executable as a list of byte ranges, which are not copied. The ranges of
/// large constants lie in the module that was compiled, so the module's context
/// has to outlive the image.
struct ExecutableImage {
  std::vector<std::pair<const void *, size_t>> pieces;
  /// Keeps the bytes alive that do not lie in the module.
  std::shared_ptr<void> owner;
  /// The same executable without the bytes of its constants, for readers of
  /// everything else.
  std::vector<uint8_t> withoutConstants;

  void add(const void *data, size_t size);
  /// Returns a copy of all pieces, one after another.
  std::vector<uint8_t> join() const;
};

/// Writes the executable of a module in the form that the pipeline
/// `dml-to-spirv` leaves: public functions over buffers, whose launches, copies
/// and allocations stand in one block, and a spirv.module beside each
/// gpu.module. The format is runtime/schema/executable.fbs.
///
/// Several modules hold the same functions for different devices; the most
/// preferred module comes first. Each module adds a variant to every function,
/// unless the variant requires everything that an earlier variant requires: no
/// device would choose that one. The requirements of a variant follow from its
/// steps. Equal kernels and equal constants are written once.
///
/// A device allocates buffers of `maxBuffer` bytes. Therefore no constant and
/// no temporary buffer of at most `maxBuffer` bytes crosses a multiple of
/// `maxBuffer`.
llvm::FailureOr<std::vector<uint8_t>> exportExecutable(
    llvm::ArrayRef<mlir::ModuleOp> variants,
    uint64_t maxBuffer = DeviceProfile::promisedMaxMemoryAllocationSize);

/// Does the same as exportExecutable, without copying the constants.
llvm::FailureOr<ExecutableImage> exportImage(
    llvm::ArrayRef<mlir::ModuleOp> variants,
    uint64_t maxBuffer = DeviceProfile::promisedMaxMemoryAllocationSize);

} // namespace dml

#endif // DML_EXECUTABLE_EXECUTABLE_H
