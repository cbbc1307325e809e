//===- SoftmaxOps.cpp - Softmax and its relatives to linalg ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SoftmaxOps.h"
#include "ReductionBuilder.h"
#include <limits>

using namespace mlir;
using namespace dml;

/// Returns the dimensions of a set: the attribute `axes`, or the last dimension
/// for operators without this attribute.
template <typename OpTy> static ReducedAxes getAxes(OpTy op) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getInput().getType()).getShape();
  std::optional<Attribute> axes = op->getInherentAttr("axes");
  if (auto array =
          dyn_cast_or_null<DenseI64ArrayAttr>(axes.value_or(Attribute())))
    return ReducedAxes(shape, array.asArrayRef());
  return ReducedAxes(shape, static_cast<int64_t>(shape.size()) - 1);
}

/// Returns the combiner for the largest number of a set. If the set contains
/// NaN, the result may or may not be NaN, since the sum of the set's
/// exponentials is NaN in either case. This takes one operation for each
/// element, whereas a maximum that ignores NaN takes five.
static Combiner getLargest(MLIRContext *context) {
  Builder b(context);
  return {b.getF32FloatAttr(-std::numeric_limits<float>::infinity()),
          /*isUnsigned=*/false, [](Number x, Number y) {
            return x.with(x.b->createOrFold<arith::MaxNumFOp>(
                x.value, y.value, arith::FastMathFlags::nnan));
          }};
}

/// Returns `largest`, the largest number of a set or of a part, or the lowest
/// finite number if all elements are -infinity.
static Number getShift(Number largest) {
  Number lowest = largest(-std::numeric_limits<float>::max());
  return select(largest < lowest, lowest, largest);
}

namespace {
template <typename OpTy, bool isLog>
struct SoftmaxLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    Type elementType = inputType.getElementType();
    ReducedAxes axes = getAxes(op);
    auto load = [&](ElementBuilder &b, ValueRange indices) {
      return loadNumber(b, adaptor.getInput(), inputType, indices);
    };
    PairOfSets sums = buildExponentials(
        rewriter, op, axes, getLargest(op.getContext()), getShift, load);
    return replaceWithTensor(
        op, *this->getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) {
          Number x = load(b, indices) - sums.getFirst(b, indices);
          Number sum = sums.getSum(b, indices);
          return fromNumber(isLog ? x - log(sum) : exp(x) / sum, elementType);
        });
  }
};

template <typename OpTy> struct HardmaxLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    ReducedAxes axes = getAxes(op);
    Value winners = buildArgReduction(
        rewriter, op, axes, /*isMax=*/true, /*lastWins=*/false,
        [&](ElementBuilder &b, ValueRange indices) {
          return loadNumber(b, adaptor.getInput(), inputType, indices);
        });
    return replaceWithTensor(
        op, *this->getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          Value winner =
              tensor::ExtractOp::create(b, winners, axes.getSet(b, indices));
          Value place = b.createOrFold<arith::IndexCastUIOp>(
              b.getI32Type(), axes.getPlace(b, indices));
          Type type = inputType.getElementType();
          auto constant = [&](double value) -> Value {
            return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
          };
          return b.select(b.cmpi(arith::CmpIPredicate::eq, winner, place),
                          constant(1), constant(0));
        });
  }
};
} // namespace

void dml::populateSoftmaxPatterns(const TypeConverter &typeConverter,
                                  RewritePatternSet &patterns) {
  patterns.add<HardmaxLowering<ActivationHardmaxOp>,
               HardmaxLowering<ActivationHardmax1Op>,
               SoftmaxLowering<ActivationLogSoftmaxOp, /*isLog=*/true>,
               SoftmaxLowering<ActivationLogSoftmax1Op, /*isLog=*/true>,
               SoftmaxLowering<ActivationSoftmaxOp, /*isLog=*/false>,
               SoftmaxLowering<ActivationSoftmax1Op, /*isLog=*/false>>(
      typeConverter, patterns.getContext());
}
