/*===- dml-c/Dialects.h - The dml dialect in MLIR's C API -----------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_C_DIALECTS_H
#define DML_C_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* mlirGetDialectHandle__dml__: the dialect, to register or to load by
 * mlirDialectHandleRegisterDialect and its like. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(DML, dml);

/* Adds to `registry` the dml dialect and all that compiling it needs: the
 * dialects that a stage of compilation is written in, and what their operations
 * lack. A context that compiles is made with such a registry. */
MLIR_CAPI_EXPORTED void
dmlRegisterCompilerDialects(MlirDialectRegistry registry);

#ifdef __cplusplus
}
#endif

#endif /* DML_C_DIALECTS_H */
