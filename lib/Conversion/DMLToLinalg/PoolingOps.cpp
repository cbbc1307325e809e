//===- PoolingOps.cpp - DirectML's pooling operators to linalg ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
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

/// Where an element lies in a window's extent, row-major, as i32: windows wins
/// are compared for equality alone, and a window's extent that no i32 counts
/// has no tensor to lie in.
static Value buildWindowOffset(ElementBuilder &b, ValueRange offsets,
                               ArrayRef<PooledDim> dims) {
  Value linear = b.index(0);
  for (auto [offset, dim] : llvm::zip_equal(offsets, dims))
    linear = b.add(b.mul(linear, dim.getExtent()), offset);
  return b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), linear);
}

/// Calls `body` for every point below `sizes`, the last coordinate fastest,
/// with the values that it returned for the point before, `inits` at first. Few
/// points are written out, so that neighbouring elements share what they load;
/// many are loops. No loop is empty: upstream's conversion to SPIR-V leaves the
/// results of one undefined.
static SmallVector<Value>
visitPoints(ElementBuilder &b, ArrayRef<int64_t> sizes, ValueRange inits,
            function_ref<SmallVector<Value>(ElementBuilder &, ValueRange point,
                                            ValueRange carried)>
                body) {
  constexpr int64_t maxWrittenOut = 27; // A window of 3 x 3 x 3.
  int64_t count = 1;
  for (int64_t size : sizes)
    count = std::min(count * size, maxWrittenOut + 1);
  if (count <= maxWrittenOut) {
    SmallVector<Value> carried(inits);
    for (int64_t linear = 0; linear < count; ++linear) {
      SmallVector<Value> point(sizes.size());
      int64_t rest = linear;
      for (unsigned dim = sizes.size(); dim-- > 0; rest /= sizes[dim])
        point[dim] = b.index(rest % sizes[dim]);
      carried = body(b, point, carried);
    }
    return carried;
  }

  auto constants = [&](auto value) {
    return llvm::map_to_vector(
        sizes, [&](int64_t size) { return b.index(value(size)); });
  };
  SmallVector<Value> lower = constants([](int64_t) { return 0; });
  SmallVector<Value> upper = constants([](int64_t size) { return size; });
  SmallVector<Value> steps = constants([](int64_t) { return 1; });
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), lower, upper, steps, inits,
      [&](OpBuilder &nested, Location loc, ValueRange point,
          ValueRange carried) -> scf::ValueVector {
        ElementBuilder inner(loc, nested);
        SmallVector<Value> results = body(inner, point, carried);
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
  auto sizes =
      llvm::map_to_vector(dims, [](const PooledDim &dim) { return dim.size; });
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
  return visitPoints(b, sizes, {lowest, noWinner}, visit)[1];
}

/// The sum of the gradients of the windows that the element at `indices` won.
static Value buildGradient(ElementBuilder &b, Value winners, Value gradient,
                           ValueRange indices, ArrayRef<PooledDim> dims) {
  Type elementType =
      cast<RankedTensorType>(gradient.getType()).getElementType();
  Value self = buildPlaneIndex(b, indices.drop_front(2), dims);

  // The windows whose extent covers the element, and how many there may be.
  // With dilation some of them step over it; their winners lie elsewhere.
  SmallVector<Value> first, end;
  SmallVector<int64_t> counts;
  for (auto [x, dim] : llvm::zip_equal(indices.drop_front(2), dims)) {
    Value padded = b.add(x, dim.start);
    // padded - extent + 1 is the first position, possibly negative, where a
    // covering window starts; the first window at or after it:
    Value start =
        b.maxsi(b.add(padded, dim.stride - dim.getExtent()), b.index(0));
    first.push_back(b.divui(start, dim.stride));
    Value last = b.add(b.divui(padded, dim.stride), 1);
    end.push_back(b.minui(last, b.index(dim.windows)));
    counts.push_back(std::min(
        dim.windows,
        static_cast<int64_t>(llvm::divideCeil(dim.getExtent(), dim.stride))));
  }

  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  auto visit = [&](ElementBuilder &b, ValueRange ivs,
                   ValueRange carried) -> SmallVector<Value> {
    SmallVector<Value> coordinates(indices.take_front(2));
    Value won;
    for (auto [i, begin, stop, dim] : llvm::zip_equal(ivs, first, end, dims)) {
      Value window = b.add(begin, i);
      Value covers = b.cmpi(arith::CmpIPredicate::ult, window, stop);
      won = won ? b.andi(won, covers) : covers;
      coordinates.push_back(b.minui(window, b.index(dim.windows - 1)));
    }
    Value winner = tensor::ExtractOp::create(b, winners, coordinates);
    Value element =
        toF32(b, tensor::ExtractOp::create(b, gradient, coordinates));
    Value sum = arith::AddFOp::create(b, carried[0], element);
    won = b.andi(won, b.cmpi(arith::CmpIPredicate::eq, winner, self));
    return {b.select(won, sum, carried[0])};
  };
  Value sum = visitPoints(b, counts, zero, visit)[0];
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
