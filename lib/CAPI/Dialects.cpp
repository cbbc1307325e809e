//===- Dialects.cpp - The dml dialect in MLIR's C API ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml-c/Dialects.h"
#include "dml/IR/DML.h"
#include "dml/Pipelines/Pipelines.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(DML, dml, dml::DMLDialect)

void dmlRegisterCompilerDialects(MlirDialectRegistry registry) {
  dml::registerCompilerDialects(*unwrap(registry));
}
