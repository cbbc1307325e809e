//===- ContractionOps.cpp - Drawing sums of products ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ContractionOps.h"
#include "Operators.h"

using namespace mlir;

namespace dml::fuzz {

void addContractionOperators(Operators &operators) {}

} // namespace dml::fuzz
