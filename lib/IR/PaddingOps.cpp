//===- PaddingOps.cpp - DML_OPERATOR_PADDING ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OpUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace dml;

LogicalResult
PaddingOp::inferReturnTypes(MLIRContext *context,
                            std::optional<Location> location, Adaptor adaptor,
                            SmallVectorImpl<Type> &inferredReturnTypes) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> start = adaptor.getStartPadding();
  ArrayRef<int64_t> end = adaptor.getEndPadding();
  if (failed(verifyArray<PaddingOp>(location, "start_padding", start,
                                    input.getRank(), "dimension of input",
                                    0)) ||
      failed(verifyArray<PaddingOp>(location, "end_padding", end,
                                    input.getRank(), "dimension of input", 0)))
    return failure();
  SmallVector<int64_t> sizes;
  for (auto [size, before, after] :
       llvm::zip_equal(input.getShape(), start, end))
    sizes.push_back(size + before + after);
  inferredReturnTypes.push_back(input.clone(sizes));
  return success();
}

OpFoldResult PaddingOp::fold(FoldAdaptor adaptor) {
  // The type says that every padding is 0.
  return getInput().getType() == getOutput().getType() ? getInput() : Value();
}

namespace {
/// padding(padding(x)) -> padding(x) for the modes that compose: the edge of an
/// edge is the edge, and so is a constant of the same constant.
struct MergePadding : OpRewritePattern<PaddingOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PaddingOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getInput().getDefiningOp<PaddingOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "input is no padding");
    PaddingMode mode = op.getMode();
    if (producer.getMode() != mode)
      return rewriter.notifyMatchFailure(op, "modes differ");
    bool composes =
        mode == PaddingMode::edge ||
        (mode == PaddingMode::constant &&
         op.getPaddingValueAttr() == producer.getPaddingValueAttr());
    if (!composes)
      return rewriter.notifyMatchFailure(op, "mode does not compose");
    auto sum = [](ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
      return llvm::map_to_vector(llvm::zip_equal(lhs, rhs), [](auto pair) {
        return std::get<0>(pair) + std::get<1>(pair);
      });
    };
    rewriter.replaceOpWithNewOp<PaddingOp>(
        op, op.getType(), producer.getInput(), mode, op.getPaddingValue(),
        sum(op.getStartPadding(), producer.getStartPadding()),
        sum(op.getEndPadding(), producer.getEndPadding()));
    return success();
  }
};
} // namespace

void PaddingOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MergePadding>(context);
}
