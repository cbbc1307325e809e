/*===- dml-c/Passes.h - dml's passes in MLIR's C API ----------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_C_PASSES_H
#define DML_C_PASSES_H

#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Registers dml's passes and pipelines in MLIR's registry, which the process
 * has one of: mlirParsePassPipeline knows them then by the names that dml-opt
 * lists, "dml-to-linalg" for one. Further calls do nothing, from any thread; no
 * other thread may use MLIR's registry during the first one. */
MLIR_CAPI_EXPORTED void dmlRegisterPasses(void);

#ifdef __cplusplus
}
#endif

#endif /* DML_C_PASSES_H */
