/*===- headers.c - The C API's headers in C -------------------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
\*===----------------------------------------------------------------------===*/

#include "dml-c/Compiler.h"
#include "dml-c/Dialects.h"
#include "dml-c/Passes.h"

/* Types that are wrong in C are errors here. */
MlirLogicalResult (*dmlTestCompile)(MlirStringRef, MlirStringRef,
                                    DmlCompilerOptions, MlirStringCallback,
                                    DmlDiagnosticCallback,
                                    void *) = dmlCompileToExecutable;
