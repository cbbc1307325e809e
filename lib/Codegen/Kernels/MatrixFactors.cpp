//===- MatrixFactors.cpp - Factors of cooperative matrices ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/MatrixFactors.h"
#include "Emit/VectorPacker.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Narrow numbers
//===----------------------------------------------------------------------===//

Type dml::getMatrixElement(MLIRContext *context, StringRef name) {
  Builder b(context);
  if (name == "f16")
    return b.getF16Type();
  if (name == "f32")
    return b.getF32Type();
  return name == "i32" ? b.getI32Type() : b.getI8Type();
}

/// Whether f16 can represent the f32 `value` exactly.
static bool isHalf(Value value) {
  if (auto widening = value.getDefiningOp<arith::ExtFOp>())
    return widening.getIn().getType().isF16();
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return isHalf(select.getTrueValue()) && isHalf(select.getFalseValue());
  APFloat constant(0.0);
  if (!matchPattern(value, m_ConstantFloat(&constant)))
    return false;
  bool isInexact;
  constant.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven,
                   &isInexact);
  return !isInexact;
}

/// Matches `factor`, an i32, as an 8-bit integer minus a zero point.
static std::optional<NarrowFactor> getByte(Value factor) {
  NarrowFactor narrow;
  auto select = factor.getDefiningOp<arith::SelectOp>();
  if (select && matchPattern(select.getFalseValue(), m_Zero())) {
    narrow.condition = select.getCondition();
    factor = select.getTrueValue();
  }
  Value zeroPoint;
  if (auto difference = factor.getDefiningOp<arith::SubIOp>()) {
    factor = difference.getLhs();
    zeroPoint = difference.getRhs();
  }
  // Returns the 8-bit number that was widened to `value`, or null.
  auto getWidened = [](Value value, bool isUnsigned) -> Value {
    Operation *op = value.getDefiningOp();
    if (!(isUnsigned ? isa_and_present<arith::ExtUIOp>(op)
                     : isa_and_present<arith::ExtSIOp>(op)) ||
        !op->getOperand(0).getType().isInteger(8))
      return Value();
    return op->getOperand(0);
  };
  narrow.isUnsigned = isa_and_present<arith::ExtUIOp>(factor.getDefiningOp());
  narrow.element = getWidened(factor, narrow.isUnsigned);
  if (!narrow.element)
    return std::nullopt;
  if (zeroPoint) {
    narrow.zeroPoint = getWidened(zeroPoint, narrow.isUnsigned);
    if (!narrow.zeroPoint)
      return std::nullopt;
  }
  return narrow;
}

/// Returns the number that was widened to the f32 `factor`, or `factor` itself.
static Value getNarrow(Value factor) {
  auto widening = factor.getDefiningOp<arith::ExtFOp>();
  return widening ? widening.getIn() : factor;
}

std::optional<NarrowFactor> NarrowFactor::get(Value factor, StringRef name) {
  if (name == "i8")
    return getByte(factor);
  if (name != "f16" || !factor.getType().isF32() || !isHalf(factor))
    return std::nullopt;
  NarrowFactor narrow;
  narrow.element = getNarrow(factor);
  return narrow;
}

ZeroPoint dml::getZeroPoint(const ContractionOperand &operand) {
  std::optional<NarrowFactor> first = getByte(operand.factors.front());
  return {first->zeroPoint, first->isUnsigned};
}

bool dml::canMultiply(const Contraction &contraction,
                      const MatrixShape &shape) {
  if (contraction.sumType !=
      getMatrixElement(contraction.sumType.getContext(), shape.sums))
    return false;
  for (const ContractionOperand *operand :
       {&contraction.rows, &contraction.columns}) {
    std::optional<NarrowFactor> first;
    for (Value factor : operand->factors) {
      std::optional<NarrowFactor> narrow =
          NarrowFactor::get(factor, shape.factors);
      if (!narrow)
        return false;
      if (!first)
        first = narrow;
      // The zero point is subtracted from the sums after the loop over terms.
      // It must therefore be the same for all terms, and must not be computed
      // in the loop.
      if (narrow->zeroPoint != first->zeroPoint ||
          narrow->isUnsigned != first->isUnsigned ||
          (narrow->zeroPoint &&
           contraction.loops.front()->isAncestor(
               narrow->zeroPoint.getParentBlock()->getParentOp())))
        return false;
    }
  }
  return true;
}

void dml::widenLast(linalg::GenericOp op) {
  op.getBody()->walk([](arith::SelectOp select) {
    if (!select.getType().isF32() || !isHalf(select))
      return;
    ImplicitLocOpBuilder b(select.getLoc(), select);
    auto narrow = [&](Value value) -> Value {
      if (auto widening = value.getDefiningOp<arith::ExtFOp>())
        return widening.getIn();
      return b.createOrFold<arith::TruncFOp>(b.getF16Type(), value);
    };
    Value chosen = arith::SelectOp::create(b, select.getCondition(),
                                           narrow(select.getTrueValue()),
                                           narrow(select.getFalseValue()));
    select.replaceAllUsesWith(
        arith::ExtFOp::create(b, b.getF32Type(), chosen).getResult());
    select.erase();
  });
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Replaces `element` by `zero` where `condition` does not hold. If `element`
/// is a load that is not built yet, the condition becomes the guard of the
/// load. Neighbouring elements can then still be loaded as one vector.
/// `conjoin` builds the conjunction of two conditions. Its second condition may
/// be null.
static void guardFactor(SharedValues &shared, Scalar &element, Value condition,
                        Value zero,
                        llvm::function_ref<Value(Value, Value)> conjoin) {
  auto *load = std::get_if<Load>(&element);
  if (load && !load->value &&
      (!load->guard || load->otherwise == zero ||
       matchPattern(load->otherwise, m_AnyZeroFloat()))) {
    load->guard = conjoin(condition, load->guard);
    load->otherwise = zero;
    return;
  }
  element = shared.buildSelect(condition, shared.materialize(element), zero);
}

Value dml::packFactors(TileBuilder &builder, const ContractionOperand &operand,
                       StringRef type, ArrayRef<BuiltFactor> factors,
                       ArrayRef<Value> counts, ArrayRef<Value> conditions) {
  SharedValues &shared = builder.getShared();
  ImplicitLocOpBuilder &b = shared.b;
  Type narrowType = getMatrixElement(b.getContext(), type);
  ZeroPoint zeroPoint;
  if (narrowType.isInteger())
    zeroPoint = getZeroPoint(operand);
  // Equal pairs of conditions share one conjunction, so that neighbours with
  // equal conditions can be loaded and selected as a vector.
  llvm::DenseMap<std::pair<Value, Value>, Value> known;
  auto conjoin = [&](Value lhs, Value rhs) {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    Value &conjunction = known[{lhs, rhs}];
    if (!conjunction)
      conjunction = arith::AndIOp::create(b, lhs, rhs);
    return conjunction;
  };
  SmallVector<Scalar> elements;
  for (auto [number, term] : factors) {
    NarrowFactor narrow = *NarrowFactor::get(operand.factors[term], type);
    Scalar element = builder.getScalar(number, narrow.element);
    if (narrow.element.getType().isF32())
      element = Value(
          arith::TruncFOp::create(b, narrowType, shared.materialize(element)));
    Value condition = counts[number];
    for (Value own :
         {conditions.empty() ? Value() : conditions[term], narrow.condition})
      if (own)
        condition = conjoin(condition, builder.getBuilt(number, own));
    if (condition) {
      // A factor that must not count becomes the zero point, which stands for
      // 0: the zero point is subtracted later.
      Value zero = zeroPoint.value
                       ? builder.getBuilt(number, zeroPoint.value)
                       : shared.getConstant(b.getZeroAttr(narrowType));
      guardFactor(shared, element, condition, zero, conjoin);
    }
    elements.push_back(element);
  }
  Value packed =
      VectorPacker(shared, Packing(narrowType, DeviceProfile::vectorBytes))
          .pack(elements);
  if (!zeroPoint.isUnsigned)
    return packed;
  constexpr uint32_t highestBits = 0x80808080;
  return arith::XOrIOp::create(
      b, packed,
      arith::ConstantOp::create(
          b, DenseElementsAttr::get(cast<VectorType>(packed.getType()),
                                    APInt(32, highestBits))));
}
