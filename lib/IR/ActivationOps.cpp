//===- ActivationOps.cpp - Element-wise operators
//--------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ActivationOps.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/ActivationOps.cpp.inc"

void DMLDialect::registerActivationOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/ActivationOps.cpp.inc"
      >();
}
