//===- PaddingOps.cpp - DML_OPERATOR_PADDING to linalg --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PaddingOps.h"
#include "LoweringUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace dml;

namespace {
/// One dimension of a padding: `size` elements of the input, with `start`
/// elements before and `end` elements behind them.
struct PaddedDim {
  int64_t size, start, end;

  bool isPadded() const { return start != 0 || end != 0; }
};
} // namespace

/// Builds o - start + n * period, with the smallest n for which the result is
/// never negative. An unsigned remainder by the period can then be computed.
static Value liftToPeriod(ElementBuilder &b, Value o, PaddedDim dim,
                          int64_t period) {
  int64_t lift = llvm::alignTo(static_cast<uint64_t>(dim.start),
                               static_cast<uint64_t>(period));
  return b.add(o, lift - dim.start);
}

/// Builds the input coordinate for output coordinate `o`, for the modes that
/// always have one. The formulas are those in the description of the operator.
/// If the padding is not larger than the tensor, a single reflection suffices,
/// without divisions.
static Value foldCoordinate(ElementBuilder &b, PaddingMode mode, Value o,
                            PaddedDim dim) {
  int64_t n = dim.size;
  if (n == 1)
    return b.index(0);
  // A signed number, which is negative in the padding before the tensor.
  Value p = b.add(o, -dim.start);
  switch (mode) {
  case PaddingMode::constant:
    break;
  case PaddingMode::edge:
    if (dim.start)
      p = b.maxsi(p, b.index(0));
    if (dim.end)
      p = b.minsi(p, b.index(n - 1));
    return p;
  case PaddingMode::reflection: {
    int64_t period = 2 * (n - 1);
    if (dim.start <= n - 1 && dim.end <= n - 1) {
      if (dim.start)
        p = b.maxsi(p, b.sub(b.index(0), p));
      if (dim.end)
        p = b.minsi(p, b.sub(b.index(period), p));
      return p;
    }
    Value q = b.remui(liftToPeriod(b, o, dim, period), period);
    return b.minui(q, b.sub(b.index(period), q));
  }
  case PaddingMode::symmetric: {
    int64_t period = 2 * n;
    if (dim.start <= n && dim.end <= n) {
      if (dim.start)
        p = b.maxsi(p, b.sub(b.index(-1), p));
      if (dim.end)
        p = b.minsi(p, b.sub(b.index(period - 1), p));
      return p;
    }
    Value q = b.remui(liftToPeriod(b, o, dim, period), period);
    return b.minui(q, b.sub(b.index(period - 1), q));
  }
  case PaddingMode::wrap:
    return b.remui(liftToPeriod(b, o, dim, n), n);
  }
  llvm_unreachable("constant padding has elements without a coordinate");
}

/// Returns the value for constant padding as the bits of `loweredType`.
static TypedAttr getPaddingValue(PaddingOp op, Type loweredType) {
  return convertScalar(op.getPaddingValue().convertToFloat(),
                       getElementTypeOrSelf(op.getType()), loweredType);
}
static TypedAttr getPaddingValue(Padding1Op op, Type loweredType) {
  return convertScalar(op.getPaddingValue(), loweredType);
}

namespace {
template <typename OpTy> struct PaddingLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> sizes =
        cast<RankedTensorType>(op.getInput().getType()).getShape();
    SmallVector<PaddedDim> dims;
    for (auto [size, start, end] :
         llvm::zip_equal(sizes, op.getStartPadding(), op.getEndPadding()))
      dims.push_back({size, start, end});

    PaddingMode mode = op.getMode();
    return replaceWithTensor(
        op, *this->getTypeConverter(), rewriter,
        [&](ElementBuilder &b, ValueRange indices) -> Value {
          if (mode == PaddingMode::constant)
            return buildConstantElement(b, op, adaptor.getInput(), dims,
                                        indices);
          SmallVector<Value> coordinates;
          for (auto [o, dim] : llvm::zip_equal(indices, dims))
            coordinates.push_back(
                dim.isPadded() ? foldCoordinate(b, mode, o, dim) : o);
          return tensor::ExtractOp::create(b, adaptor.getInput(), coordinates);
        });
  }

private:
  /// Loads the element at a valid coordinate, and then selects, so that there
  /// is no branch.
  static Value buildConstantElement(ElementBuilder &b, OpTy op, Value input,
                                    ArrayRef<PaddedDim> dims,
                                    ValueRange indices) {
    Value inside;
    SmallVector<Value> coordinates(indices);
    for (auto [p, dim] : llvm::zip_equal(coordinates, dims)) {
      if (!dim.isPadded())
        continue;
      // As an unsigned number, a negative p is large.
      p = b.add(p, -dim.start);
      Value valid = b.cmpi(arith::CmpIPredicate::ult, p, b.index(dim.size));
      inside = inside ? b.andi(inside, valid) : valid;
      p = b.select(valid, p, b.index(0));
    }
    Value element = tensor::ExtractOp::create(b, input, coordinates);
    if (!inside)
      return element;
    Value padding =
        arith::ConstantOp::create(b, getPaddingValue(op, element.getType()));
    return b.select(inside, element, padding);
  }
};
} // namespace

void dml::populatePaddingPatterns(const TypeConverter &typeConverter,
                                  RewritePatternSet &patterns) {
  patterns.add<PaddingLowering<PaddingOp>, PaddingLowering<Padding1Op>>(
      typeConverter, patterns.getContext());
}
