//===- Passes.h - Conversions into the dml dialect --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_PASSES_H
#define DML_IMPORT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace dml {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dml/Import/Passes.h.inc"

} // namespace dml

#endif // DML_IMPORT_PASSES_H
