//===- ViewOps.cpp - Views to linalg --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The elements of a view are read at coordinates of its input, each of which is
// a sum of products. Neighbouring dimensions of the input are collapsed if such
// a sum could carry from one to the other. A view that keeps the order of
// elements becomes a reshape, which needs no computation.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ViewOps.h"
#include "LoweringUtils.h"
#include "dml/IR/Layout.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace dml;

/// Collapses as few neighbouring dimensions of `input` as possible, such that
/// the positions of a view are affine in the remaining dimensions. Returns the
/// collapsed dimensions and the affine positions.
static std::pair<SmallVector<ReassociationIndices>, AffinePlace>
chooseDimensions(ArrayRef<int64_t> input, ArrayRef<int64_t> sizes,
                 ArrayRef<int64_t> strides, int64_t offset) {
  auto rank = static_cast<unsigned>(input.size());
  // Bit i of `joined` collapses the dimensions i and i + 1. There are at most
  // eight dimensions. Collapsing all dimensions always succeeds.
  for (int numJoined = 0;; ++numJoined)
    for (unsigned joined = 0; joined < 1u << (rank - 1); ++joined) {
      if (llvm::popcount(joined) != numJoined)
        continue;
      SmallVector<ReassociationIndices> groups;
      SmallVector<int64_t> groupSizes;
      for (unsigned dim = 0; dim < rank; ++dim) {
        if (dim == 0 || !(joined >> (dim - 1) & 1)) {
          groups.emplace_back();
          groupSizes.push_back(1);
        }
        groups.back().push_back(dim);
        groupSizes.back() *= input[dim];
      }
      if (std::optional<AffinePlace> place =
              getAffinePlace(groupSizes, sizes, strides, offset))
        return {groups, *place};
    }
}

/// Reshapes `input` to `type`, which has the same elements in the same order.
static Value reshape(OpBuilder &builder, Location loc, Value input,
                     RankedTensorType type) {
  auto inputType = cast<RankedTensorType>(input.getType());
  int64_t from = inputType.getRank(), to = type.getRank();
  auto groups = getReassociationIndicesForReshape(inputType, type);
  if (groups && from > to)
    return tensor::CollapseShapeOp::create(builder, loc, type, input, *groups);
  if (groups && from < to)
    return tensor::ExpandShapeOp::create(builder, loc, type, input, *groups);
  Value row = flatten(builder, loc, input);
  if (to == 1)
    return row;
  groups.emplace(1);
  llvm::append_range(groups->front(), llvm::seq<int64_t>(0, to));
  return tensor::ExpandShapeOp::create(builder, loc, type, row, *groups);
}

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
      rewriter.replaceOp(op, reshape(rewriter, loc, input, type));
      return success();
    }
    ArrayRef<int64_t> sizes = type.getShape(), strides = op.getStrides();
    auto offset = static_cast<int64_t>(op.getOffset());
    auto inputType = cast<RankedTensorType>(input.getType());
    auto chosen =
        chooseDimensions(inputType.getShape(), sizes, strides, offset);
    const AffinePlace &place = chosen.second;
    if (static_cast<int64_t>(chosen.first.size()) < inputType.getRank())
      input =
          tensor::CollapseShapeOp::create(rewriter, loc, input, chosen.first);
    return replaceWithTensor(
        op, *getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          SmallVector<Value> coordinates;
          for (auto [start, factors] :
               llvm::zip_equal(place.offsets, place.factors)) {
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
