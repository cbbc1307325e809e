//===- ElementWiseOps.cpp - Drawing element-wise operators ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ElementWiseOps.h"
#include "Testing/Programs/ElementWiseDraws.h"

namespace dml::fuzz {

void addElementWiseOperators(Operators &operators) {
  addElementWise<
#define GET_OP_LIST
#include "dml/IR/ElementWiseOps.cpp.inc"
      >(operators);
}

} // namespace dml::fuzz
