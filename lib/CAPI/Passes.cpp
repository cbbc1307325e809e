//===- Passes.cpp - dml's passes in MLIR's C API --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml-c/Passes.h"
#include "dml/Pipelines/Pipelines.h"

void dmlRegisterPasses(void) { dml::registerAllPasses(); }
