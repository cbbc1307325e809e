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

using namespace mlir;
using namespace dml;

bool dml::isUnrounded(Operation *op) {
  auto truncation = dyn_cast<arith::TruncFOp>(op);
  return truncation && truncation.getIn().getType().isF32() &&
         truncation.getType().isF16() && !isRounded(truncation.getIn());
}

bool dml::needsRounding(linalg::GenericOp producer, linalg::GenericOp reader) {
  auto contains = [](linalg::GenericOp op, auto isOp) {
    return op.getBody()
        ->walk([&](Operation *nested) {
          return isOp(nested) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  return contains(producer, isUnrounded) &&
         contains(reader, llvm::IsaPred<arith::ExtFOp>);
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
