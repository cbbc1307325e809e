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
/// One dimension of a padding: `size` elements of input, `start` and `end`
/// elements around them.
struct PaddedDim {
  int64_t size, start, end;

  bool isPadded() const { return start != 0 || end != 0; }
};
} // namespace

/// o - start + multiple * period for the smallest multiple that keeps the value
/// from being negative, so that unsigned remainders fold it.
static Value liftToPeriod(ElementBuilder &b, Value o, PaddedDim dim,
                          int64_t period) {
  int64_t lift = llvm::alignTo(static_cast<uint64_t>(dim.start),
                               static_cast<uint64_t>(period));
  return b.add(o, lift - dim.start);
}

/// The input coordinate of output coordinate `o` for the modes that always have
/// one. The formulas are those of the op's description; where the padding is no
/// larger than the tensor one fold is enough and no division is left.
static Value foldCoordinate(ElementBuilder &b, PaddingMode mode, Value o,
                            PaddedDim dim) {
  int64_t n = dim.size;
  if (n == 1)
    return b.index(0);
  // Signed: negative in the padding before the tensor.
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

/// What constant padding is filled with, as the bits of `loweredType`.
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
  /// Loads from coordinates made valid, then selects: no branch.
  static Value buildConstantElement(ElementBuilder &b, OpTy op, Value input,
                                    ArrayRef<PaddedDim> dims,
                                    ValueRange indices) {
    Value inside;
    SmallVector<Value> coordinates(indices);
    for (auto [p, dim] : llvm::zip_equal(coordinates, dims)) {
      if (!dim.isPadded())
        continue;
      // A negative p is a large unsigned one.
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
