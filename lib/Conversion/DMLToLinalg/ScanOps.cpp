//===- ScanOps.cpp - DirectML's scans to linalg ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ScanOps.h"
#include "ScanBuilder.h"

using namespace mlir;
using namespace dml;

namespace {
template <typename OpTy> struct ScanLowering : OpConversionPattern<OpTy> {
  ScanLowering(const TypeConverter &typeConverter, MLIRContext *context,
               Combiner (*getCombiner)(Type))
      : OpConversionPattern<OpTy>(typeConverter, context),
        getCombiner(getCombiner) {}

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    auto type =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    auto axis = static_cast<int64_t>(op.getAxis());
    Scan scan{op, axis, getCombiner(inputType.getElementType()),
              op.getAxisDirection() == AxisDirection::decreasing,
              isExclusive(op)};
    Value scanned = scan.build(rewriter, inputType.getShape(),
                               [&](ElementBuilder &b, ValueRange indices) {
                                 return loadNumber(b, adaptor.getInput(),
                                                   inputType, indices);
                               });
    return replaceWithTensor(
        op, *this->getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) {
          return fromNumber(
              loadReduced(b, scanned, indices, scan.combiner.isUnsigned),
              type.getElementType());
        });
  }

private:
  static bool isExclusive(CumulativeSummationOp op) {
    return op.getHasExclusiveSum();
  }
  static bool isExclusive(CumulativeProductOp op) {
    return op.getHasExclusiveProduct();
  }

  Combiner (*getCombiner)(Type);
};
} // namespace

void dml::populateScanPatterns(const TypeConverter &typeConverter,
                               RewritePatternSet &patterns) {
  patterns.add<ScanLowering<CumulativeSummationOp>>(
      typeConverter, patterns.getContext(), Combiner::getSum);
  patterns.add<ScanLowering<CumulativeProductOp>>(
      typeConverter, patterns.getContext(), Combiner::getProduct);
}
