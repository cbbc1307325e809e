//===- CostModel.cpp - Costs of operations --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/CostModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace dml;

double cost::getWeight(Operation *op) {
  return isa<arith::DivFOp, math::SqrtOp, math::ExpOp, math::LogOp>(op)
             ? opsPerFunction
             : 1;
}
