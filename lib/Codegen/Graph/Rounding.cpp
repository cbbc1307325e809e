//===- Rounding.cpp - Rounding to f16 in fused bodies ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/Rounding.h"
#include "Emit/Rounding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
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
/// 0.5, an integer of at most 2^11, or a number that has been rounded.
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
    return isRounded(value);
  bool losesInfo = false;
  constant.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
  return !losesInfo;
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

/// Whether only sums, differences and products that computeInHalves() replaces
/// use the f32 that `widening` returns.
static bool isNarrowed(arith::ExtFOp widening) {
  return !widening->use_empty() &&
         llvm::all_of(widening->getUsers(), [](Operation *wide) {
           if (!wide->hasOneUse())
             return false;
           auto truncation =
               dyn_cast<arith::TruncFOp>(*wide->getUsers().begin());
           return truncation && getHalfOp(truncation) == wide;
         });
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

/// Whether the f16 that `truncation` returns is just an operand of arithmetic
/// in f16, of which there may be more after computeInHalves() if `halves` is
/// set.
static bool isOperandOfHalves(arith::TruncFOp truncation, bool halves) {
  return llvm::all_of(truncation->getUsers(), [&](Operation *user) {
    auto widening = dyn_cast<arith::ExtFOp>(user);
    return isSumOrProduct(user) || (halves && widening && isNarrowed(widening));
  });
}

//===----------------------------------------------------------------------===//
// Explicit rounding
//===----------------------------------------------------------------------===//

bool dml::isUnrounded(Operation *op, bool halves) {
  auto truncation = dyn_cast<arith::TruncFOp>(op);
  return truncation && truncation.getIn().getType().isF32() &&
         truncation.getType().isF16() && !isRounded(truncation.getIn()) &&
         !isOperandOfHalves(truncation, halves) &&
         !(halves && getHalfOp(truncation));
}

/// Whether `op` widens an f16. With `halves`, computeInHalves() counts as done.
static bool isWidening(Operation *op, bool halves) {
  auto widening = dyn_cast<arith::ExtFOp>(op);
  return widening && !(halves && isNarrowed(widening));
}

bool dml::needsRounding(linalg::GenericOp producer, linalg::GenericOp reader,
                        bool halves) {
  auto contains = [](linalg::GenericOp op, auto isOp) {
    return op.getBody()
        ->walk([&](Operation *nested) {
          return isOp(nested) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  return contains(producer,
                  [&](Operation *op) { return isUnrounded(op, halves); }) &&
         contains(reader,
                  [&](Operation *op) { return isWidening(op, halves); });
}

/// Rounds `value` to the nearest f16, ties to even, and returns the result as
/// an f32. Normal numbers are rounded by integer arithmetic, whose result
/// Vulkan defines. Adding a large float and subtracting it again rounds as
/// well, but not reliably: Vulkan does not define how a sum of floats is
/// rounded, and one driver truncates float sums that it folds at compile time.
static Value buildRounding(ImplicitLocOpBuilder &b, Value value) {
  auto word = [&](uint32_t bits) -> Value {
    return arith::ConstantOp::create(
        b, IntegerAttr::get(b.getI32Type(), static_cast<int32_t>(bits)));
  };
  auto number = [&](float constant) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(constant));
  };
  auto toNumber = [&](Value bits) -> Value {
    return arith::BitcastOp::create(b, b.getF32Type(), bits);
  };
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
  Value magnitude = arith::AndIOp::create(b, bits, word(0x7fffffff));
  // The mantissa of an f16 has 13 bits less than that of an f32. The sum adds
  // 0xfff to the number, and 1 more if the lowest remaining bit is odd. The sum
  // carries into this bit if the removed 13 bits are more than a half, or if
  // they are exactly a half and the bit is odd. A carry out of the mantissa
  // correctly increments the exponent. For example, 522.25 is 0x44029000, which
  // becomes 0x44029fff and then 0x44028000, or 522. 522.75, or 0x4402b000,
  // becomes 0x4402c000, or 523.
  Value isOdd = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, magnitude, word(13)), word(1));
  Value normal = arith::AndIOp::create(
      b,
      arith::AddIOp::create(b, arith::AddIOp::create(b, magnitude, word(0xfff)),
                            isOdd),
      word(~uint32_t(0x1fff)));
  // The denormals of f16 are multiples of 2^-24. roundeven rounds to such a
  // multiple. The multiplications by powers of two are exact and round nothing.
  Value multiples = math::RoundEvenOp::create(
      b, arith::MulFOp::create(b, toNumber(magnitude), number(0x1p24f)));
  Value denormal = arith::BitcastOp::create(
      b, b.getI32Type(), arith::MulFOp::create(b, multiples, number(0x1p-24f)));
  Value isNormal = arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                                         magnitude, word(0x38800000));
  Value near = arith::SelectOp::create(b, isNormal, normal, denormal);
  // Restores the sign, including the sign of a zero.
  Value sign = arith::AndIOp::create(b, bits, word(0x80000000));
  near = toNumber(arith::OrIOp::create(b, near, sign));
  // Numbers from 65520 on round to 2^16 or more, which f16 lacks, and become
  // infinite: their product with 2^127 overflows to infinity. A NaN takes the
  // same way, and its product is NaN.
  Value isLarge =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UGE,
                            math::AbsFOp::create(b, value), number(65520));
  Value infinite = arith::MulFOp::create(b, value, number(0x1p127f));
  Value rounded = arith::SelectOp::create(b, isLarge, infinite, near);
  rounded.getDefiningOp()->setAttr(roundedAttrName, b.getUnitAttr());
  return rounded;
}

void dml::roundExplicitly(linalg::GenericOp op) {
  op.getBody()->walk([](Operation *nested) {
    if (!isUnrounded(nested))
      return;
    ImplicitLocOpBuilder b(nested->getLoc(), nested);
    nested->setOperand(0, buildRounding(b, nested->getOperand(0)));
  });
}

void dml::dropWidening(IRRewriter &rewriter, linalg::GenericOp op) {
  op.getBody()->walk([&](arith::ExtFOp widening) {
    auto truncation = widening.getIn().getDefiningOp<arith::TruncFOp>();
    if (!truncation || widening.getType() != truncation.getIn().getType() ||
        !isRounded(truncation.getIn()))
      return;
    rewriter.replaceOp(widening, truncation.getIn());
    if (truncation->use_empty())
      rewriter.eraseOp(truncation);
  });
}
