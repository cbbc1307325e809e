//===- TrainingOps.cpp - DirectML's optimizers to linalg ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/TrainingOps.h"
#include "ReductionBuilder.h"
#include <cmath>

using namespace mlir;
using namespace dml;

/// Computes 1 - beta^step for the unsigned 32-bit integer `step`. A direct
/// subtraction would lose precision if the power is close to 1, as in the first
/// thousand steps. Instead, the differences 1 - beta^e for the exponents e = 1,
/// 2, 4, and so on are constants. The constants for the bits of `step` are
/// combined without subtracting nearly equal numbers, by 1 - a * b = (1 - a) +
/// (1 - b) * a.
static Number buildLackOfPower(Number step, double beta) {
  ElementBuilder &b = *step.b;
  Number zero{&b, arith::ConstantOp::create(b, b.getF32FloatAttr(0))};
  Number lack = zero;
  // If beta is 1, the result is 0. The result is returned as a constant here,
  // because some drivers simplify the product of NaN and a computed 0 to 0.
  if (beta == 1)
    return zero;
  for (int bit = 0; bit < 32; ++bit) {
    // beta - 1 is exact, since beta is an f32 from 0 to 1.
    double exponent = std::ldexp(1.0, bit);
    Number ofBit = lack(-std::expm1(exponent * std::log1p(beta - 1)));
    Condition isSet = !(step & step(exponent)).equals(step(0));
    lack = lack + select(isSet, ofBit * (lack(1) - lack), zero);
  }
  return lack;
}

namespace {
struct AdamOptimizerLowering : OpConversionPattern<AdamOptimizerOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AdamOptimizerOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getInputParameters().getType());
    RankedTensorType exact = type.clone(rewriter.getF32Type());
    double beta1 = op.getBeta1().convertToDouble(),
           beta2 = op.getBeta2().convertToDouble();
    auto load = [&](ElementBuilder &b, Value tensor, ValueRange indices) {
      return loadNumber(b, tensor, type, indices);
    };
    // The step size, which all elements have in common, is computed only once.
    Value step = buildTensor(
        rewriter, op, RankedTensorType::get({1}, rewriter.getF32Type()),
        [&](ElementBuilder &b, ValueRange) {
          auto stepType =
              cast<RankedTensorType>(op.getTrainingStep().getType());
          SmallVector<Value> first(stepType.getRank(), b.index(0));
          Number number =
              loadNumber(b, adaptor.getTrainingStep(), stepType, first);
          Number alpha = sqrt(buildLackOfPower(number, beta2)) /
                         buildLackOfPower(number, beta1);
          return (alpha(op.getLearningRate().convertToDouble()) * alpha).value;
        });
    // The moments are kept in f32, since they are used before they are rounded.
    Value firstMoment = buildTensor(
        rewriter, op, exact, [&](ElementBuilder &b, ValueRange indices) {
          Number m = load(b, adaptor.getInputFirstMoment(), indices),
                 g = load(b, adaptor.getGradient(), indices);
          return (m(beta1) * m + g(1 - beta1) * g).value;
        });
    Value secondMoment = buildTensor(
        rewriter, op, exact, [&](ElementBuilder &b, ValueRange indices) {
          Number v = load(b, adaptor.getInputSecondMoment(), indices),
                 g = load(b, adaptor.getGradient(), indices);
          return (v(beta2) * v + g(1 - beta2) * (g * g)).value;
        });
    Value parameters = buildTensor(
        rewriter, op, type, [&](ElementBuilder &b, ValueRange indices) {
          Number x = load(b, adaptor.getInputParameters(), indices),
                 m = loadReduced(b, firstMoment, indices),
                 v = loadReduced(b, secondMoment, indices),
                 size = loadReduced(b, step, b.index(0));
          Number divisor = sqrt(v) + v(op.getEpsilon().convertToDouble());
          return fromNumber(x - size * m / divisor, type.getElementType());
        });
    auto round = [&](Value moment) {
      if (exact == type)
        return moment;
      return buildTensor(rewriter, op, type,
                         [&](ElementBuilder &b, ValueRange indices) {
                           return fromNumber(loadReduced(b, moment, indices),
                                             type.getElementType());
                         });
    };
    rewriter.replaceOp(op,
                       {parameters, round(firstMoment), round(secondMoment)});
    return success();
  }
};
} // namespace

void dml::populateTrainingPatterns(const TypeConverter &typeConverter,
                                   RewritePatternSet &patterns) {
  patterns.add<AdamOptimizerLowering>(typeConverter, patterns.getContext());
}
