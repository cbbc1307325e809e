//===- Passes.h - Writing executables ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_EXECUTABLE_PASSES_H
#define DML_EXECUTABLE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dml {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dml/Executable/Passes.h.inc"

} // namespace dml

#endif // DML_EXECUTABLE_PASSES_H
