//===- ScanOps.cpp - DirectML's scans -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ScanOps.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/ScanOps.cpp.inc"

void DMLDialect::registerScanOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/ScanOps.cpp.inc"
      >();
}
