//===- ReductionOps.cpp - DirectML's reductions to linalg -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ReductionOps.h"
#include "ReductionBuilder.h"
#include <limits>

using namespace mlir;
using namespace dml;

/// Replaces `op` by the positions of the greatest or least elements.
static LogicalResult replaceWithPlaces(Operation *op, Value input,
                                       ArrayRef<int64_t> axes, bool isMax,
                                       bool lastWins,
                                       const TypeConverter &typeConverter,
                                       ConversionPatternRewriter &rewriter) {
  auto inputType = cast<RankedTensorType>(op->getOperand(0).getType());
  auto type =
      typeConverter.convertType<RankedTensorType>(op->getResult(0).getType());
  Value places = buildArgReduction(
      rewriter, op, ReducedAxes(inputType.getShape(), axes), isMax, lastWins,
      [&](ElementBuilder &b, ValueRange indices) {
        return loadNumber(b, input, inputType, indices);
      });
  if (type == places.getType()) {
    rewriter.replaceOp(op, places);
    return success();
  }
  return replaceWithTensor(
      op, typeConverter, rewriter,
      [&](ElementBuilder &b, ValueRange indices) -> Value {
        return fromNumber(loadReduced(b, places, indices, /*isUnsigned=*/true),
                          type.getElementType());
      });
}

namespace {
template <typename OpTy> struct ArgLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return replaceWithPlaces(op, adaptor.getInput(), op.getAxes(),
                             std::is_same_v<OpTy, ArgMaxOp>,
                             op.getAxisDirection() == AxisDirection::decreasing,
                             *this->getTypeConverter(), rewriter);
  }
};

struct ReduceLowering : OpConversionPattern<ReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};
} // namespace

static Combiner getCombiner(ReduceFunction function, Type type) {
  switch (function) {
  case ReduceFunction::max:
    return Combiner::getMax(type);
  case ReduceFunction::min:
    return Combiner::getMin(type);
  case ReduceFunction::multiply:
    return Combiner::getProduct(type);
  default:
    return Combiner::getSum(type);
  }
}

LogicalResult
ReduceLowering::matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const {
  ReduceFunction function = op.getFunction();
  if (function == ReduceFunction::argmax || function == ReduceFunction::argmin)
    return replaceWithPlaces(op, adaptor.getInput(), op.getAxes(),
                             function == ReduceFunction::argmax,
                             /*lastWins=*/false, *getTypeConverter(), rewriter);

  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  Type elementType = inputType.getElementType();
  ReducedAxes axes(inputType.getShape(), op.getAxes());
  auto load = [&](ElementBuilder &b, ValueRange indices) {
    return loadNumber(b, adaptor.getInput(), inputType, indices);
  };

  auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
  if (function == ReduceFunction::log_sum_exp) {
    // The number that is subtracted from each element before the exponential:
    // the largest element, or the lowest finite number instead of -infinity, or
    // 0 instead of infinity.
    auto getShift = [](Number m) {
      Number lowest = m(-std::numeric_limits<float>::max());
      return select(m < m(std::numeric_limits<double>::infinity()),
                    select(m < lowest, lowest, m), m(0));
    };
    PairOfSets sums = buildExponentials(
        rewriter, op, axes, Combiner::getMax(elementType), getShift, load);
    return replaceWithTensor(op, *getTypeConverter(), rewriter,
                             [&](ElementBuilder &b, ValueRange indices) {
                               Number x = getShift(sums.getFirst(b, indices)) +
                                          log(sums.getSum(b, indices));
                               return fromNumber(x, type.getElementType());
                             });
  }

  Value reduced =
      buildReduction(rewriter, op, axes, getCombiner(function, elementType),
                     [&](ElementBuilder &b, ValueRange indices) {
                       Number x = load(b, indices);
                       switch (function) {
                       case ReduceFunction::l1:
                         return abs(x);
                       case ReduceFunction::l2:
                       case ReduceFunction::sum_square:
                         return x * x;
                       default:
                         return x;
                       }
                     });
  return replaceWithTensor(op, *getTypeConverter(), rewriter,
                           [&](ElementBuilder &b, ValueRange indices) -> Value {
                             Number x =
                                 loadReduced(b, reduced, indices,
                                             elementType.isUnsignedInteger());
                             switch (function) {
                             case ReduceFunction::average:
                               x = x / x(static_cast<double>(axes.getCount()));
                               break;
                             case ReduceFunction::l2:
                               x = sqrt(x);
                               break;
                             case ReduceFunction::log_sum:
                               x = log(x);
                               break;
                             default:
                               break;
                             }
                             return fromNumber(x, type.getElementType());
                           });
}

void dml::populateReductionPatterns(const TypeConverter &typeConverter,
                                    RewritePatternSet &patterns) {
  patterns.add<ArgLowering<ArgMaxOp>, ArgLowering<ArgMinOp>, ReduceLowering>(
      typeConverter, patterns.getContext());
}
