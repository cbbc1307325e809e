//===- ActivationOps.cpp - Drawing element-wise operators -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ActivationOps.h"
#include "Testing/Programs/ElementWiseDraws.h"

namespace dml::fuzz {

void addActivationOperators(Operators &operators) {
  addElementWise<
#define GET_OP_LIST
#include "dml/IR/ActivationOps.cpp.inc"
      >(operators);
}

} // namespace dml::fuzz
