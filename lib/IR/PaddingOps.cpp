//===- PaddingOps.cpp - DML_OPERATOR_PADDING ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PaddingOps.h"
#include "OpUtils.h"
#include "dml/IR/TileOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/PaddingOps.cpp.inc"

void DMLDialect::registerPaddingOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/PaddingOps.cpp.inc"
      >();
}

template <typename OpTy>
static LogicalResult inferPadded(MLIRContext *context,
                                 std::optional<Location> location,
                                 typename OpTy::Adaptor adaptor,
                                 SmallVectorImpl<Type> &inferredReturnTypes) {
  if (failed(verifyRanked<OpTy>(location, adaptor.getOperands())))
    return failure();
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> start = adaptor.getStartPadding();
  ArrayRef<int64_t> end = adaptor.getEndPadding();
  if (failed(verifyArrays<OpTy>(location, context, adaptor)))
    return failure();
  SmallVector<int64_t> sizes;
  for (auto [dim, size, before, after] :
       llvm::enumerate(input.getShape(), start, end)) {
    auto sum = llvm::SaturatingAdd<uint64_t>(size, before, after);
    if (failed(verifyOutputSize<OpTy>(location, dim, sum)))
      return failure();
    sizes.push_back(static_cast<int64_t>(sum));
  }
  inferredReturnTypes.push_back(input.clone(sizes));
  return success();
}

LogicalResult
PaddingOp::inferReturnTypes(MLIRContext *context,
                            std::optional<Location> location, Adaptor adaptor,
                            SmallVectorImpl<Type> &inferredReturnTypes) {
  return inferPadded<PaddingOp>(context, location, adaptor,
                                inferredReturnTypes);
}

LogicalResult
Padding1Op::inferReturnTypes(MLIRContext *context,
                             std::optional<Location> location, Adaptor adaptor,
                             SmallVectorImpl<Type> &inferredReturnTypes) {
  return inferPadded<Padding1Op>(context, location, adaptor,
                                 inferredReturnTypes);
}

LogicalResult Padding1Op::verify() {
  return verifyScalar(*this, "padding_value", getPaddingValue(), getOutput());
}

OpFoldResult Padding1Op::fold(FoldAdaptor adaptor) {
  // If the types are equal, all paddings are 0.
  return getInput().getType() == getOutput().getType() ? getInput() : Value();
}

OpFoldResult PaddingOp::fold(FoldAdaptor adaptor) {
  // If the types are equal, all paddings are 0.
  return getInput().getType() == getOutput().getType() ? getInput() : Value();
}

namespace {
/// Rewrites padding(padding(x)) to padding(x), for modes in which this is
/// possible: if both repeat the edge, or if both add the same constant.
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

//===----------------------------------------------------------------------===//
// Lower feature levels
//===----------------------------------------------------------------------===//

/// Converts `value` to an element of `type` as the operator's description
/// specifies, and returns its bits.
static APInt getPaddingBits(APFloat value, Type type) {
  bool isExact;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &isExact);
    return value.bitcastToAPInt();
  }
  // convertToInteger saturates, and returns 0 for NaN.
  APSInt bits(type.getIntOrFloatBitWidth(), type.isUnsignedInteger());
  value.convertToInteger(bits, APFloat::rmTowardZero, &isExact);
  return bits;
}

bool PaddingOp::movesElements() { return true; }

LogicalResult PaddingOp::reinterpretConstants(Type from, Type to) {
  if (getMode() != PaddingMode::constant)
    return success();
  APInt bits = getPaddingBits(getPaddingValue(), from);
  APFloat value(0.0f);
  if (auto floatType = dyn_cast<FloatType>(to)) {
    value = APFloat(floatType.getFloatSemantics(), bits);
    // Hardware may quiet a NaN or drop its payload when it processes the value.
    if (value.isNaN())
      return failure();
    bool losesInfo;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  } else {
    value.convertFromAPInt(bits, /*IsSigned=*/!to.isUnsignedInteger(),
                           APFloat::rmNearestTiesToEven);
  }
  if (getPaddingBits(value, to) != bits)
    return failure();
  setPaddingValue(value);
  return success();
}

/// Builds `tensor` in reverse order along `dim`, which a reflection at the
/// start contains.
static Value buildMirrorImage(OpBuilder &builder, Location loc, Value tensor,
                              int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t size = type.getDimSize(dim);
  if (size == 1)
    return tensor;
  SmallVector<int64_t> zeros(type.getRank(), 0), start = zeros;
  start[dim] = size - 1;
  Value reflected =
      PaddingOp::create(builder, loc, tensor, PaddingMode::reflection,
                        APFloat(0.0f), start, zeros);
  SmallVector<OpFoldResult> offsets =
      getAsIndexOpFoldResult(builder.getContext(), zeros);
  return tensor::ExtractSliceOp::create(
      builder, loc, type, reflected, offsets,
      getAsIndexOpFoldResult(builder.getContext(), type.getShape()),
      SmallVector<OpFoldResult>(type.getRank(), builder.getIndexAttr(1)));
}

FailureOr<SmallVector<Value>> PaddingOp::decompose(OpBuilder &builder) {
  // The mode wrap repeats the tensor, and the mode symmetric repeats the tensor
  // followed by its mirror image. The result is a slice of a tiling with this
  // period.
  bool isSymmetric = getMode() == PaddingMode::symmetric;
  if (!isSymmetric && getMode() != PaddingMode::wrap)
    return failure();

  auto type = cast<RankedTensorType>(getInput().getType());
  auto resultType = cast<RankedTensorType>(getOutput().getType());
  SmallVector<int64_t> offsets, repeats, padded;
  int64_t elements = 1;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t start = getStartPadding()[dim];
    int64_t period = type.getDimSize(dim), offset = 0, count = 1;
    if (start != 0 || getEndPadding()[dim] != 0) {
      padded.push_back(dim);
      period *= isSymmetric ? 2 : 1;
      offset = (period - start % period) % period;
      count = llvm::divideCeil(offset + resultType.getDimSize(dim), period);
    }
    offsets.push_back(offset);
    repeats.push_back(count);
    if (llvm::MulOverflow(elements, period * count, elements) ||
        elements > UINT32_MAX)
      return failure();
  }

  Value period = getInput();
  if (isSymmetric)
    for (int64_t dim : padded)
      period = tensor::ConcatOp::create(
          builder, getLoc(), dim,
          ValueRange{period, buildMirrorImage(builder, getLoc(), period, dim)});
  Value tiled = TileOp::create(builder, getLoc(), period, repeats);
  MLIRContext *context = builder.getContext();
  Value slice = tensor::ExtractSliceOp::create(
      builder, getLoc(), resultType, tiled,
      getAsIndexOpFoldResult(context, offsets),
      getAsIndexOpFoldResult(context, resultType.getShape()),
      SmallVector<OpFoldResult>(type.getRank(), builder.getIndexAttr(1)));
  return SmallVector<Value>{slice};
}
