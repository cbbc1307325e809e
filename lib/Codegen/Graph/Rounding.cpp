//===- Rounding.cpp - Rounding to f16 in fused bodies ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/Rounding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dml;

std::optional<int64_t> dml::getIntegerMagnitude(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.abs().getZExtValue();
  if (auto difference = value.getDefiningOp<arith::SubIOp>()) {
    std::optional<int64_t> lhs = getIntegerMagnitude(difference.getLhs()),
                           rhs = getIntegerMagnitude(difference.getRhs());
    return lhs && rhs ? std::optional(*lhs + *rhs) : std::nullopt;
  }
  Operation *widening = value.getDefiningOp();
  if (!isa_and_present<arith::ExtUIOp, arith::ExtSIOp>(widening))
    return std::nullopt;
  unsigned width = widening->getOperand(0).getType().getIntOrFloatBitWidth();
  return width <= 8 ? std::optional(int64_t(1) << width) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Arithmetic in f16
//===----------------------------------------------------------------------===//

static bool isSumOrProduct(Operation *op) {
  return isa_and_present<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op);
}

/// Whether f16 can represent the f32 `value`: a widened f16, a constant such as
/// 0.5, or an integer of at most 2^11. A constant such as 2^-15, a denormal of
/// f16, does not count, since a device may flush it to 0.
static bool fitsHalf(Value value) {
  if (auto widening = value.getDefiningOp<arith::ExtFOp>())
    return widening.getIn().getType().isF16();
  if (auto conversion = value.getDefiningOp<arith::SIToFPOp>()) {
    constexpr int64_t largest = 1 << 11;
    std::optional<int64_t> magnitude = getIntegerMagnitude(conversion.getIn());
    return magnitude && *magnitude <= largest;
  }
  APFloat constant(0.0f);
  if (!matchPattern(value, m_ConstantFloat(&constant)))
    return false;
  bool losesInfo = false;
  constant.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
  return !losesInfo && !constant.isDenormal();
}

/// Returns the sum, difference or product that `truncation` rounds to f16 if
/// computeInHalves() replaces it, and null otherwise.
static Operation *getHalfOp(arith::TruncFOp truncation) {
  Operation *op = truncation.getIn().getDefiningOp();
  return truncation.getType().isF16() && truncation.getIn().getType().isF32() &&
                 isSumOrProduct(op) && op->hasOneUse() &&
                 llvm::all_of(op->getOperands(), fitsHalf)
             ? op
             : nullptr;
}

/// Returns the f16 that the f32 `value`, for which fitsHalf() is true, equals.
static Value narrow(ImplicitLocOpBuilder &b, Value value) {
  Type type = b.getF16Type();
  if (auto widening = value.getDefiningOp<arith::ExtFOp>())
    return widening.getIn();
  if (auto conversion = value.getDefiningOp<arith::SIToFPOp>())
    return arith::SIToFPOp::create(b, type, conversion.getIn());
  return b.createOrFold<arith::TruncFOp>(type, value);
}

void dml::computeInHalves(linalg::GenericOp op) {
  op.getBody()->walk([](arith::TruncFOp truncation) {
    Operation *wide = getHalfOp(truncation);
    if (!wide)
      return;
    ImplicitLocOpBuilder b(truncation.getLoc(), truncation);
    SmallVector<Value> operands;
    for (Value operand : wide->getOperands())
      operands.push_back(narrow(b, operand));
    Operation *narrowed =
        b.OpBuilder::create(wide->getLoc(), wide->getName().getIdentifier(),
                            operands, truncation.getType());
    truncation.replaceAllUsesWith(narrowed->getResult(0));
    truncation.erase();
    llvm::SetVector<Value> unused(wide->operand_begin(), wide->operand_end());
    wide->erase();
    for (Value operand : unused)
      if (operand.use_empty())
        operand.getDefiningOp()->erase();
  });
}

bool dml::meetsWidening(linalg::GenericOp producer, linalg::GenericOp reader) {
  auto contains = [](linalg::GenericOp op, auto isOp) {
    return op.getBody()
        ->walk([&](Operation *nested) {
          return isOp(nested) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  return contains(producer,
                  [](Operation *op) {
                    auto truncation = dyn_cast<arith::TruncFOp>(op);
                    return truncation && truncation.getType().isF16() &&
                           truncation.getIn().getType().isF32();
                  }) &&
         contains(reader, [](Operation *op) {
           auto widening = dyn_cast<arith::ExtFOp>(op);
           return widening && widening.getIn().getType().isF16();
         });
}
