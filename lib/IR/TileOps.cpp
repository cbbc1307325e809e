//===- TileOps.cpp - DML_OPERATOR_TILE ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/TileOps.h"
#include "OpUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/TileOps.cpp.inc"

void DMLDialect::registerTileOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/TileOps.cpp.inc"
      >();
}

LogicalResult
TileOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                         Adaptor adaptor,
                         SmallVectorImpl<Type> &inferredReturnTypes) {
  if (failed(verifyRanked<TileOp>(location, adaptor.getOperands())))
    return failure();
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> repeats = adaptor.getRepeats();
  if (failed(verifyArrays<TileOp>(location, context, adaptor)))
    return failure();
  SmallVector<int64_t> sizes;
  for (auto [dim, size, count] : llvm::enumerate(input.getShape(), repeats)) {
    auto product = llvm::SaturatingMultiply<uint64_t>(size, count);
    if (failed(verifyOutputSize<TileOp>(location, dim, product)))
      return failure();
    sizes.push_back(static_cast<int64_t>(product));
  }
  inferredReturnTypes.push_back(input.clone(sizes));
  return success();
}

OpFoldResult TileOp::fold(FoldAdaptor adaptor) {
  // If the types are equal, all repeats are 1.
  return getInput().getType() == getOutput().getType() ? getInput() : Value();
}

namespace {
/// Rewrites tile(tile(x)) to tile(x) with the products of the repeats.
struct MergeTiles : OpRewritePattern<TileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TileOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getInput().getDefiningOp<TileOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "input is no tile");
    SmallVector<int64_t> repeats;
    for (auto [outer, inner] :
         llvm::zip_equal(op.getRepeats(), producer.getRepeats()))
      repeats.push_back(outer * inner);
    rewriter.replaceOpWithNewOp<TileOp>(op, op.getType(), producer.getInput(),
                                        repeats);
    return success();
  }
};
} // namespace

void TileOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<MergeTiles>(context);
}

bool TileOp::movesElements() { return true; }

LogicalResult TileOp::reinterpretConstants(Type from, Type to) {
  return success();
}
