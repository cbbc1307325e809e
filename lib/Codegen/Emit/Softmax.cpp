//===- Softmax.cpp - The operations of an online softmax ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/Softmax.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;

Value dml::buildLarger(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return arith::MaxNumFOp::create(b, lhs, rhs, arith::FastMathFlags::nnan);
}

Value dml::buildExponential(ImplicitLocOpBuilder &b, Value x) {
  Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, x);
  Value exponential = math::ExpOp::create(b, x);
  return arith::SelectOp::create(b, isNumber, exponential, x);
}

Value dml::buildShift(ImplicitLocOpBuilder &b, Value largest) {
  TypedAttr number = b.getF32FloatAttr(-std::numeric_limits<float>::max());
  if (auto vector = dyn_cast<VectorType>(largest.getType()))
    number = DenseElementsAttr::get(vector, number);
  Value lowest = arith::ConstantOp::create(b, number);
  Value isLower =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, largest, lowest);
  return arith::SelectOp::create(b, isLower, lowest, largest);
}
