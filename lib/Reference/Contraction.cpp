//===- Contraction.cpp - Sums of products ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "dml/IR/ContractionOps.h"

using namespace mlir;

namespace dml::reference {

void addContractionEvaluators(Evaluators &evaluators) {}

} // namespace dml::reference
