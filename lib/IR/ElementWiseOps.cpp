//===- ElementWiseOps.cpp - Element-wise operators ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ElementWiseOps.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/ElementWiseOps.cpp.inc"

void DMLDialect::registerElementWiseOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/ElementWiseOps.cpp.inc"
      >();
}

/// Scales and biases are floats: what they would do to integers is not said.
template <typename OpTy> static LogicalResult verifyScaleBias(OpTy op) {
  Type type = cast<RankedTensorType>(op.getInput().getType()).getElementType();
  if (op.getScaleBias() && !isa<FloatType>(type))
    return op.emitOpError() << "has a scale_bias, but input has element type "
                            << type << "; wants f32 or f16";
  return success();
}

#define DML_SCALED(Op)                                                         \
  LogicalResult Op::verify() { return verifyScaleBias(*this); }
DML_SCALED(ElementWiseAbsOp)
DML_SCALED(ElementWiseCeilOp)
DML_SCALED(ElementWiseExpOp)
DML_SCALED(ElementWiseFloorOp)
DML_SCALED(ElementWiseLogOp)
DML_SCALED(ElementWiseRecipOp)
DML_SCALED(ElementWiseSqrtOp)
#undef DML_SCALED

LogicalResult ElementWiseAdd1Op::verify() {
  return detail::verifyFusedActivation(*this, getFusedActivationAttr());
}
