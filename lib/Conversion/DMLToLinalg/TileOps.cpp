//===- TileOps.cpp - DML_OPERATOR_TILE to linalg --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/TileOps.h"
#include "LoweringUtils.h"

using namespace mlir;
using namespace dml;

namespace {
struct TileLowering : OpConversionPattern<TileOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TileOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> sizes =
        cast<RankedTensorType>(op.getInput().getType()).getShape();
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          SmallVector<Value> coordinates;
          for (auto [o, size, repeat] :
               llvm::zip_equal(indices, sizes, op.getRepeats()))
            coordinates.push_back(repeat == 1 ? o : b.remui(o, size));
          return tensor::ExtractOp::create(b, adaptor.getInput(), coordinates);
        });
  }
};
} // namespace

void dml::populateTilePatterns(const TypeConverter &typeConverter,
                               RewritePatternSet &patterns) {
  patterns.add<TileLowering>(typeConverter, patterns.getContext());
}
