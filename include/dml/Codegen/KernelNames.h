//===- KernelNames.h - How kernels are named --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_KERNELNAMES_H
#define DML_CODEGEN_KERNELNAMES_H

#include "llvm/ADT/Twine.h"
#include <string>

namespace dml {

/// Returns the name of the SPIR-V module that upstream's conversion creates
/// from the gpu.module `kernel`, beside this module.
inline std::string getSPIRVModuleName(llvm::StringRef kernel) {
  return ("__spv__" + kernel).str();
}

} // namespace dml

#endif // DML_CODEGEN_KERNELNAMES_H
