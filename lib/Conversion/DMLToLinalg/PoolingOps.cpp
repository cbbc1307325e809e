//===- PoolingOps.cpp - DirectML's pooling operators to linalg ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace dml;

namespace {
/// One spatial dimension of a pooling.
struct PooledDim {
  /// Elements of the input, and number of windows.
  int64_t input, windows;
  int64_t stride, size, start, dilation;

  /// Elements from a window's first to its last, both included.
  int64_t getExtent() const { return 1 + (size - 1) * dilation; }
};
} // namespace

static SmallVector<PooledDim> getPooledDims(MaxPoolingGradOp op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto gradient = cast<RankedTensorType>(op.getInputGradient().getType());
  SmallVector<PooledDim> dims;
  for (int64_t i = 0, e = input.getRank() - 2; i < e; ++i)
    dims.push_back({input.getDimSize(i + 2), gradient.getDimSize(i + 2),
                    op.getStrides()[i], op.getWindowSize()[i],
                    op.getStartPadding()[i], op.getDilations()[i]});
  return dims;
}

/// The index of a position in its plane, as i32: planes have fewer than 2^32
/// elements, and these numbers are compared for equality alone.
static Value buildPlaneIndex(ElementBuilder &b, ValueRange position,
                             ArrayRef<PooledDim> dims) {
  Value linear = b.index(0);
  for (auto [p, dim] : llvm::zip_equal(position, dims))
    linear = b.add(b.mul(linear, dim.input), p);
  return b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), linear);
}

/// A nest of loops from `lower` to `upper`, carrying `inits`.
static SmallVector<Value>
buildLoops(ElementBuilder &b, ArrayRef<Value> lower, ArrayRef<Value> upper,
           ValueRange inits,
           function_ref<SmallVector<Value>(ElementBuilder &, ValueRange ivs,
                                           ValueRange carried)>
               body) {
  SmallVector<Value> steps(lower.size(), b.index(1));
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), lower, upper, steps, inits,
      [&](OpBuilder &nested, Location loc, ValueRange ivs,
          ValueRange carried) -> scf::ValueVector {
        ElementBuilder inner(loc, nested);
        SmallVector<Value> results = body(inner, ivs, carried);
        return scf::ValueVector(results.begin(), results.end());
      });
  return llvm::to_vector(nest.results);
}

/// The plane index of the element of `input` that wins the window at `indices`
/// ({N, C, window...}), or -1 where the window lies wholly in padding.
static Value buildWinner(ElementBuilder &b, Value input, ValueRange indices,
                         ArrayRef<PooledDim> dims) {
  Value noWinner = arith::ConstantIntOp::create(b, b.getI32Type(), -1);
  Value lowest = arith::ConstantOp::create(
      b, b.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
  SmallVector<Value> lower(dims.size(), b.index(0)), upper;
  for (const PooledDim &dim : dims)
    upper.push_back(b.index(dim.size));

  auto visit = [&](ElementBuilder &b, ValueRange ivs,
                   ValueRange carried) -> SmallVector<Value> {
    Value best = carried[0], winner = carried[1];
    Value inside;
    SmallVector<Value> coordinates(indices.take_front(2));
    for (auto [k, window, dim] :
         llvm::zip_equal(ivs, indices.drop_front(2), dims)) {
      Value p = b.add(b.add(b.mul(window, dim.stride), b.mul(k, dim.dilation)),
                      -dim.start);
      // A negative p is a large unsigned one.
      Value valid = b.cmpi(arith::CmpIPredicate::ult, p, b.index(dim.input));
      inside = inside ? b.andi(inside, valid) : valid;
      coordinates.push_back(b.select(valid, p, b.index(0)));
    }
    Value element = toF32(b, tensor::ExtractOp::create(b, input, coordinates));
    // Greater, or the first NaN: `unordered or greater` and `best` no NaN.
    auto compare = [&](arith::CmpFPredicate predicate, Value lhs, Value rhs) {
      return b.createOrFold<arith::CmpFOp>(predicate, lhs, rhs);
    };
    Value better = b.andi(compare(arith::CmpFPredicate::UGT, element, best),
                          compare(arith::CmpFPredicate::ORD, best, best));
    // The first element wins over none, even if it is -infinity.
    better = b.ori(better, b.cmpi(arith::CmpIPredicate::eq, winner, noWinner));
    better = b.andi(better, inside);
    Value index =
        buildPlaneIndex(b, ArrayRef<Value>(coordinates).drop_front(2), dims);
    return {b.select(better, element, best), b.select(better, index, winner)};
  };
  return buildLoops(b, lower, upper, {lowest, noWinner}, visit)[1];
}

/// The sum of the gradients of the windows that the element at `indices` won.
static Value buildGradient(ElementBuilder &b, Value winners, Value gradient,
                           ValueRange indices, ArrayRef<PooledDim> dims) {
  Type elementType =
      cast<RankedTensorType>(gradient.getType()).getElementType();
  Value self = buildPlaneIndex(b, indices.drop_front(2), dims);

  // The windows whose extent covers the element. With dilation some of them
  // step over it; their winners lie elsewhere.
  SmallVector<Value> lower, upper;
  for (auto [x, dim] : llvm::zip_equal(indices.drop_front(2), dims)) {
    Value padded = b.add(x, dim.start);
    // padded - extent + 1 is the first position, possibly negative, where a
    // covering window starts; the first window at or after it:
    Value first =
        b.maxsi(b.add(padded, dim.stride - dim.getExtent()), b.index(0));
    lower.push_back(b.divui(first, dim.stride));
    Value end = b.add(b.divui(padded, dim.stride), 1);
    upper.push_back(b.minui(end, b.index(dim.windows)));
  }

  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  auto visit = [&](ElementBuilder &b, ValueRange ivs,
                   ValueRange carried) -> SmallVector<Value> {
    SmallVector<Value> coordinates(indices.take_front(2));
    llvm::append_range(coordinates, ivs);
    Value winner = tensor::ExtractOp::create(b, winners, coordinates);
    Value element =
        toF32(b, tensor::ExtractOp::create(b, gradient, coordinates));
    Value sum = arith::AddFOp::create(b, carried[0], element);
    Value won = b.cmpi(arith::CmpIPredicate::eq, winner, self);
    return {b.select(won, sum, carried[0])};
  };
  Value sum = buildLoops(b, lower, upper, zero, visit)[0];
  return fromF32(b, sum, elementType);
}

namespace {
/// Two steps without atomics: every window finds its winner, then every element
/// gathers from the windows that cover it.
struct MaxPoolingGradLowering : OpConversionPattern<MaxPoolingGradOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MaxPoolingGradOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<PooledDim> dims = getPooledDims(op);
    Value gradient = adaptor.getInputGradient();
    auto winnersType =
        cast<RankedTensorType>(gradient.getType()).clone(rewriter.getI32Type());
    Value winners = buildTensor(
        rewriter, op, winnersType, [&](ElementBuilder &b, ValueRange indices) {
          return buildWinner(b, adaptor.getInput(), indices, dims);
        });
    return replaceWithTensor(op, *getTypeConverter(), rewriter,
                             [&](ElementBuilder &b, ValueRange indices) {
                               return buildGradient(b, winners, gradient,
                                                    indices, dims);
                             });
  }
};
} // namespace

void dml::populatePoolingPatterns(const TypeConverter &typeConverter,
                                  RewritePatternSet &patterns) {
  patterns.add<MaxPoolingGradLowering>(typeConverter, patterns.getContext());
}
