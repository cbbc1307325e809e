//===- ViewOps.cpp - Tensors as strides have them -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ViewOps.h"
#include "OpUtils.h"
#include "dml/IR/Layout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/ViewOps.cpp.inc"

void DMLDialect::registerViewOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/ViewOps.cpp.inc"
      >();
}

LogicalResult ViewOp::verify() {
  std::pair<StringRef, Value> tensors[] = {{"input", getInput()},
                                           {"output", getOutput()}};
  for (auto [name, value] : tensors) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return emitOpError() << name << " has type " << value.getType()
                           << ", but wants a ranked tensor";
    if (failed(verifyTensor(*this, name, type)))
      return failure();
    if (type.getRank() < 1 || type.getRank() > maxRank)
      return emitOpError() << name << " has rank " << type.getRank()
                           << ", but wants 1 to " << maxRank;
  }
  auto input = cast<RankedTensorType>(getInput().getType()),
       output = cast<RankedTensorType>(getOutput().getType());
  if (input.getElementType() != output.getElementType())
    return emitOpError() << "output has element type "
                         << output.getElementType() << ", but input has "
                         << input.getElementType();
  if (static_cast<int64_t>(getStrides().size()) != output.getRank())
    return emitOpError() << "strides has " << getStrides().size()
                         << (getStrides().size() == 1 ? " value" : " values")
                         << ", but output has rank " << output.getRank();
  auto isNumber = [](int64_t value) {
    return value >= 0 && value <= UINT32_MAX;
  };
  for (auto [dim, stride] : llvm::enumerate(getStrides()))
    if (!isNumber(stride))
      return emitOpError() << "strides[" << dim << "] is " << stride
                           << ", but wants 0 to " << UINT32_MAX;
  auto offset = static_cast<int64_t>(getOffset());
  if (!isNumber(offset))
    return emitOpError() << "offset is " << offset << ", but wants 0 to "
                         << UINT32_MAX;
  uint64_t elements =
      llvm::SaturatingAdd(static_cast<uint64_t>(offset),
                          getExtent(output.getShape(), getStrides()));
  if (elements > static_cast<uint64_t>(input.getNumElements()))
    return emitOpError() << "output's last element is element " << elements - 1
                         << " of input, but input has "
                         << input.getNumElements();
  return success();
}

bool ViewOp::isReshape() {
  auto input = cast<RankedTensorType>(getInput().getType()),
       output = cast<RankedTensorType>(getOutput().getType());
  return getOffset() == 0 &&
         input.getNumElements() == output.getNumElements() &&
         isPacked(output.getShape(), getStrides());
}

OpFoldResult ViewOp::fold(FoldAdaptor adaptor) {
  return isReshape() && getInput().getType() == getOutput().getType()
             ? getInput()
             : Value();
}

namespace {
/// Rewrites view(reshape(x)) to view(x), since a reshape does not change the
/// order of elements.
struct ViewOfReshape : OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ViewOp op,
                                PatternRewriter &rewriter) const override {
    Operation *reshape = op.getInput().getDefiningOp();
    if (!isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            reshape))
      return rewriter.notifyMatchFailure(op, "input is no reshape");
    auto source = cast<RankedTensorType>(reshape->getOperand(0).getType());
    // The input of an upstream operation need not be a valid DirectML tensor.
    if (source.getRank() < 1 || source.getRank() > maxRank)
      return rewriter.notifyMatchFailure(op, "source has another rank");
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().assign(reshape->getOperand(0)); });
    return success();
  }
};

/// Rewrites view(view(x)) to view(x), if each coordinate in the inner view is
/// an affine function of the coordinates in the outer view.
struct ViewOfView : OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ViewOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getInput().getDefiningOp<ViewOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "input is no view");
    // Merges neighbouring dimensions of the inner view if one stride suffices
    // for both.
    SmallVector<int64_t> sizes, steps;
    auto inner = cast<RankedTensorType>(producer.getType());
    for (auto [size, stride] :
         llvm::zip_equal(inner.getShape(), producer.getStrides())) {
      if (size == 1)
        continue;
      if (!sizes.empty() && steps.back() == size * stride) {
        sizes.back() *= size;
        steps.back() = stride;
        continue;
      }
      sizes.push_back(size);
      steps.push_back(stride);
    }
    auto type = cast<RankedTensorType>(op.getType());
    std::optional<AffinePlace> place =
        getAffinePlace(sizes, type.getShape(), op.getStrides(),
                       static_cast<int64_t>(op.getOffset()));
    if (!place)
      return rewriter.notifyMatchFailure(op, "coordinates carry");
    // The offset and the strides in the input of the inner view.
    auto offset = static_cast<int64_t>(producer.getOffset());
    SmallVector<int64_t> strides(type.getRank(), 0);
    for (auto [step, start, factors] :
         llvm::zip_equal(steps, place->offsets, place->factors)) {
      offset += start * step;
      for (auto [stride, factor] : llvm::zip_equal(strides, factors))
        stride += factor * step;
    }
    rewriter.replaceOpWithNewOp<ViewOp>(op, type, producer.getInput(), strides,
                                        offset);
    return success();
  }
};

/// Rewrites view(splat) to a splat.
struct ViewOfSplat : OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ViewOp op,
                                PatternRewriter &rewriter) const override {
    auto constant = op.getInput().getDefiningOp<arith::ConstantOp>();
    auto elements = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                             : SplatElementsAttr();
    if (!elements)
      return rewriter.notifyMatchFailure(op, "input is no splat");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, elements.resizeSplat(cast<ShapedType>(op.getType())));
    return success();
  }
};
} // namespace

void ViewOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<ViewOfReshape, ViewOfSplat, ViewOfView>(context);
}
