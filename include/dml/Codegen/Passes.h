//===- Passes.h - From linalg to SPIR-V -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_PASSES_H
#define DML_CODEGEN_PASSES_H

#include "dml/Target/CostModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace dml {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dml/Codegen/Passes.h.inc"

} // namespace dml

#endif // DML_CODEGEN_PASSES_H
