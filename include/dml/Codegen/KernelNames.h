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

/// The name of the SPIR-V module that is made of the gpu.module `kernel` and
/// stands beside it. (Upstream's conversion gives it.)
inline std::string getSPIRVModuleName(llvm::StringRef kernel) {
  return ("__spv__" + kernel).str();
}

} // namespace dml

#endif // DML_CODEGEN_KERNELNAMES_H
