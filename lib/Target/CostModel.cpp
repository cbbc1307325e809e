//===- CostModel.cpp - What code generation weighs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/CostModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace dml;

namespace {
struct Weight {
  TypeID kind;
  double operations;
};
} // namespace

template <typename Op> static Weight row(double operations) {
  return {TypeID::get<Op>(), operations};
}

double cost::getWeight(Operation *op) {
  // The units of an H100's multiprocessor that compute functions begin 16
  // operations in the time of 128 additions. A function is one or two such
  // operations, and what scales its operand and its result.
  static const Weight weights[] = {
      row<arith::DivFOp>(10),
      row<math::SqrtOp>(10),
      row<math::ExpOp>(10),
      row<math::LogOp>(10),
  };
  TypeID kind = op->getName().getTypeID();
  for (const Weight &weight : weights)
    if (weight.kind == kind)
      return weight.operations;
  return 1;
}
