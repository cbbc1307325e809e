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

static Type getTypeOfElements(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

/// Checks that the input of an operator with a scale and a bias is
/// floating-point: scales and biases are f32, and DirectML does not specify
/// their effect on integers.
template <typename OpTy> static LogicalResult verifyScaleBias(OpTy op) {
  Type type = getTypeOfElements(op.getInput());
  if (op.getScaleBias() && !type.isF32() && !type.isF16())
    return op.emitOpError() << "has a scale_bias, but input has element type "
                            << type << "; wants f32 or f16";
  return success();
}

#define DML_SCALED(Op)                                                         \
  LogicalResult Op::verify() { return verifyScaleBias(*this); }
DML_SCALED(ElementWiseAbsOp)
DML_SCALED(ElementWiseAcosOp)
DML_SCALED(ElementWiseAcoshOp)
DML_SCALED(ElementWiseAsinOp)
DML_SCALED(ElementWiseAsinhOp)
DML_SCALED(ElementWiseAtanOp)
DML_SCALED(ElementWiseAtanhOp)
DML_SCALED(ElementWiseCeilOp)
DML_SCALED(ElementWiseClipOp)
DML_SCALED(ElementWiseConstantPowOp)
DML_SCALED(ElementWiseCosOp)
DML_SCALED(ElementWiseCoshOp)
DML_SCALED(ElementWiseErfOp)
DML_SCALED(ElementWiseExpOp)
DML_SCALED(ElementWiseFloorOp)
DML_SCALED(ElementWiseIdentityOp)
DML_SCALED(ElementWiseLogOp)
DML_SCALED(ElementWisePowOp)
DML_SCALED(ElementWiseRecipOp)
DML_SCALED(ElementWiseSinOp)
DML_SCALED(ElementWiseSinhOp)
DML_SCALED(ElementWiseSqrtOp)
DML_SCALED(ElementWiseTanOp)
DML_SCALED(ElementWiseTanhOp)
DML_SCALED(ElementWiseThresholdOp)
#undef DML_SCALED

LogicalResult ElementWiseAdd1Op::verify() {
  return detail::verifyFusedActivation(*this, getFusedActivationAttr());
}

/// Checks that the bounds of a clip have its element type.
template <typename OpTy> static LogicalResult verifyBounds(OpTy op) {
  Type type = getTypeOfElements(op.getInput());
  for (auto [name, bound] : {std::pair("min", TypedAttr(op.getMinAttr())),
                             {"max", TypedAttr(op.getMaxAttr())}})
    if (bound.getType() != type || !isa<FloatAttr, IntegerAttr>(bound))
      return op.emitOpError()
             << name << " is " << bound
             << ", but wants a number of input's element type " << type;
  return success();
}

LogicalResult ElementWiseClip1Op::verify() {
  if (failed(verifyScaleBias(*this)))
    return failure();
  return verifyBounds(*this);
}

/// The older clip makes `min` of a NaN, and this one `max`: the lesser of `max`
/// and the element, and the greater of `min` and that.
FailureOr<SmallVector<Value>>
ElementWiseClip1Op::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  auto type = cast<RankedTensorType>(getInput().getType());
  auto fill = [&](TypedAttr bound) -> Value {
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, Attribute(bound)));
  };
  Value value = getInput();
  if (ScaleBiasAttr scaleBias = getScaleBiasAttr())
    value = ElementWiseIdentityOp::create(builder, loc, type, value, scaleBias);
  value =
      ElementWiseMinOp::create(builder, loc, type, value, fill(getMaxAttr()));
  value =
      ElementWiseMaxOp::create(builder, loc, type, value, fill(getMinAttr()));
  return SmallVector<Value>{value};
}

LogicalResult ElementWiseClipGrad1Op::verify() { return verifyBounds(*this); }

LogicalResult ElementWiseQuantizeLinearOp::verify() {
  Type input = getTypeOfElements(getInput()),
       scale = getTypeOfElements(getScale());
  Type wanted = isa<FloatType>(input) ? input : Float32Type::get(getContext());
  if (scale != wanted)
    return emitOpError() << "scale has element type " << scale << ", but wants "
                         << wanted << " where input has " << input;
  return success();
}

LogicalResult ElementWiseQuantizedLinearAddOp::verify() {
  int64_t rank = cast<RankedTensorType>(getA().getType()).getRank();
  for (auto [name, tensor] : {std::pair("a_scale", getAScale()),
                              {"a_zero_point", getAZeroPoint()},
                              {"b_scale", getBScale()},
                              {"b_zero_point", getBZeroPoint()},
                              {"output_scale", getOutputScale()},
                              {"output_zero_point", getOutputZeroPoint()}}) {
    if (!tensor)
      continue;
    auto type = cast<RankedTensorType>(tensor.getType());
    if (type.getNumElements() != 1)
      return emitOpError() << name << " has " << type.getNumElements()
                           << " elements, but wants 1";
    if (type.getRank() != rank)
      return emitOpError() << name << " has rank " << type.getRank()
                           << ", but a has rank " << rank;
  }
  return success();
}
