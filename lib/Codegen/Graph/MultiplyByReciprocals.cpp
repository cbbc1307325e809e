//===- MultiplyByReciprocals.cpp - Divisions by constants -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace dml {
#define GEN_PASS_DEF_MULTIPLYBYRECIPROCALS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// Whether all users of `quotient` round it to f16.
static bool isRoundedToHalf(arith::DivFOp quotient) {
  return quotient.getType().isF32() &&
         llvm::all_of(quotient->getUsers(), [](Operation *user) {
           return isa<arith::TruncFOp>(user) &&
                  user->getResult(0).getType().isF16();
         });
}

/// Returns the reciprocal of the divisor of `quotient` by which the pass
/// multiplies instead, if there is one.
static std::optional<APFloat> getReciprocal(arith::DivFOp quotient) {
  APFloat divisor(0.0f);
  if (!isa<FloatType>(quotient.getType()) ||
      !matchPattern(quotient.getRhs(), m_ConstantFloat(&divisor)) ||
      !divisor.isNormal())
    return std::nullopt;
  APFloat reciprocal(divisor.getSemantics(), 1);
  bool isExact =
      reciprocal.divide(divisor, APFloat::rmNearestTiesToEven) == APFloat::opOK;
  if (!reciprocal.isNormal() || (!isExact && !isRoundedToHalf(quotient)))
    return std::nullopt;
  return reciprocal;
}

namespace {
struct MultiplyByReciprocals
    : dml::impl::MultiplyByReciprocalsBase<MultiplyByReciprocals> {
  using MultiplyByReciprocalsBase::MultiplyByReciprocalsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](arith::DivFOp quotient) {
      std::optional<APFloat> reciprocal = getReciprocal(quotient);
      if (!reciprocal)
        return;
      rewriter.setInsertionPoint(quotient);
      Value factor = arith::ConstantOp::create(
          rewriter, quotient.getLoc(),
          rewriter.getFloatAttr(quotient.getType(), *reciprocal));
      rewriter.replaceOpWithNewOp<arith::MulFOp>(quotient, quotient.getLhs(),
                                                 factor);
    });
  }
};
} // namespace
