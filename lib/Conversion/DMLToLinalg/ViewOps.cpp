//===- ViewOps.cpp - Views to linalg --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Views become coordinates of their input: of each dimension, where these are
// sums of products, or else of one row of all elements. A view that keeps the
// order of elements is a reshape, for which nothing is computed.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ViewOps.h"
#include "LoweringUtils.h"
#include "dml/IR/Layout.h"

using namespace mlir;
using namespace dml;

namespace {
struct ViewLowering : OpConversionPattern<ViewOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ViewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "result type does not convert");
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    if (op.isReshape()) {
      Value row = flatten(rewriter, loc, input);
      if (type.getRank() > 1) {
        SmallVector<ReassociationIndices> groups(1);
        llvm::append_range(groups[0], llvm::seq<int64_t>(0, type.getRank()));
        row = tensor::ExpandShapeOp::create(rewriter, loc, type, row, groups);
      }
      rewriter.replaceOp(op, row);
      return success();
    }
    ArrayRef<int64_t> sizes = type.getShape(), strides = op.getStrides();
    auto offset = static_cast<int64_t>(op.getOffset());
    std::optional<AffinePlace> place =
        getAffinePlace(cast<RankedTensorType>(input.getType()).getShape(),
                       sizes, strides, offset);
    if (!place) {
      input = flatten(rewriter, loc, input);
      place = AffinePlace{{offset}, {SmallVector<int64_t>(strides)}};
    }
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          SmallVector<Value> coordinates;
          for (auto [start, factors] :
               llvm::zip_equal(place->offsets, place->factors)) {
            Value coordinate = b.index(start);
            for (auto [index, factor] : llvm::zip_equal(indices, factors))
              if (factor != 0)
                coordinate = b.add(b.mul(index, factor), coordinate);
            coordinates.push_back(coordinate);
          }
          return tensor::ExtractOp::create(b, input, coordinates);
        });
  }
};
} // namespace

void dml::populateViewPatterns(const TypeConverter &typeConverter,
                               RewritePatternSet &patterns) {
  patterns.add<ViewLowering>(typeConverter, patterns.getContext());
}
