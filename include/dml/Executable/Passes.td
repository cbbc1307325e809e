//===- Passes.td - Writing executables ---------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_EXECUTABLE_PASSES_TD
#define DML_EXECUTABLE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SerializeExecutable
    : Pass<"dml-serialize-executable", "mlir::ModuleOp"> {
  let summary = "Write a module's executable";
  let description = [{
    Writes the executable (.dmlx) of a module whose kernels are SPIR-V, and attaches
    its bytes as the attribute `dml.executable`. Every SPIR-V module passes
    SPIRV-Tools' validator first.

    No constant and no temporary buffer reaches over a multiple of the profile's
    `maxMemoryAllocationSize`, if it has no more bytes.
  }];
}

#endif // DML_EXECUTABLE_PASSES_TD
