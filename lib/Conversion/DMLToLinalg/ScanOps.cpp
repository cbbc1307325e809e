//===- ScanOps.cpp - DirectML's scans to linalg ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ScanOps.h"
#include "Reduction.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

/// A line is cut into blocks of so many elements. A thread combines those of
/// its block that stand before its own element, and one number for all blocks
/// before, which comes from a scan of the blocks.
static constexpr int64_t blockSize = 32;

namespace {
/// A scan along `axis` of numbers that stand in the order in which they are
/// walked.
struct Scan {
  Operation *op;
  int64_t axis;
  Combiner combiner;

  /// What `element` gives combined over all before each place, and the place
  /// itself unless `isExclusive`, for a line of sizes `shape`. `element` is
  /// called for places inside of `shape` alone.
  NumberFn build(OpBuilder &builder, ArrayRef<int64_t> shape, bool isExclusive,
                 const NumberFn &element) const;
};
} // namespace

NumberFn Scan::build(OpBuilder &builder, ArrayRef<int64_t> shape,
                     bool isExclusive, const NumberFn &element) const {
  int64_t size = shape[axis];
  int64_t numBlocks = llvm::divideCeilSigned(size, blockSize);
  // What stands before each block.
  Value before;
  if (numBlocks > 1) {
    SmallVector<int64_t> blocks(shape);
    blocks[axis] = numBlocks;
    Value sums = buildReduction(
        builder, op, blocks, blockSize,
        /*isInnermost=*/axis + 1 == static_cast<int64_t>(shape.size()),
        combiner, [&](ElementBuilder &b, ValueRange block, ValueRange place) {
          SmallVector<Value> indices(block);
          Value at = b.add(b.mul(block[axis], blockSize), place[0]);
          indices[axis] = b.minui(at, b.index(size - 1));
          Number x = element(b, indices);
          if (size % blockSize == 0)
            return x;
          Condition exists{
              &b, b.cmpi(arith::CmpIPredicate::ult, at, b.index(size))};
          return select(exists, x, combiner.getIdentity(b));
        });
    NumberFn scanned =
        build(builder, blocks, /*isExclusive=*/true,
              [&](ElementBuilder &b, ValueRange indices) {
                return loadReduced(b, sums, indices, combiner.isUnsigned);
              });
    before = buildTensor(builder, op,
                         RankedTensorType::get(blocks, combiner.getType()),
                         [&](ElementBuilder &b, ValueRange indices) {
                           return scanned(b, indices).value;
                         });
  }
  Combiner combiner = this->combiner;
  int64_t axis = this->axis;
  // It is called after this function has returned.
  return [=](ElementBuilder &b, ValueRange indices) {
    Value block = b.divui(indices[axis], blockSize);
    Value begin = b.mul(block, blockSize);
    Number start = combiner.getIdentity(b);
    if (before) {
      SmallVector<Value> blockIndices(indices);
      blockIndices[axis] = block;
      start = loadReduced(b, before, blockIndices, combiner.isUnsigned);
    }
    SmallVector<Value> carried = buildLoops(
        b, std::min(size, blockSize), start.value,
        [&](ElementBuilder &b, ValueRange place,
            ValueRange carried) -> SmallVector<Value> {
          Value at = b.add(begin, place[0]);
          SmallVector<Value> other(indices);
          other[axis] = b.minui(at, b.index(size - 1));
          Number old{&b, carried[0], combiner.isUnsigned};
          Number x = combiner.combine(old, element(b, other));
          Condition stands{&b, b.cmpi(isExclusive ? arith::CmpIPredicate::ult
                                                  : arith::CmpIPredicate::ule,
                                      at, indices[axis])};
          return {select(stands, x, old).value};
        });
    return start.with(carried[0]);
  };
}

namespace {
template <typename OpTy> struct ScanLowering : OpConversionPattern<OpTy> {
  ScanLowering(const TypeConverter &typeConverter, MLIRContext *context,
               Combiner (*getCombiner)(Type))
      : OpConversionPattern<OpTy>(typeConverter, context),
        getCombiner(getCombiner) {}

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    auto type =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    auto axis = static_cast<int64_t>(op.getAxis());
    bool isReversed = op.getAxisDirection() == AxisDirection::decreasing;
    // The coordinates of what is walked as the element at `indices`.
    auto walk = [&](ElementBuilder &b, ValueRange indices) {
      SmallVector<Value> walked(indices);
      if (isReversed)
        walked[axis] =
            b.sub(b.index(inputType.getDimSize(axis) - 1), walked[axis]);
      return walked;
    };
    Scan scan{op, axis, getCombiner(inputType.getElementType())};
    NumberFn scanned = scan.build(
        rewriter, inputType.getShape(), isExclusive(op),
        [&](ElementBuilder &b, ValueRange indices) {
          return loadNumber(b, adaptor.getInput(), inputType, walk(b, indices));
        });
    return replaceWithTensor(op, *this->getTypeConverter(), rewriter,
                             [&](ElementBuilder &b, ValueRange indices) {
                               return fromNumber(scanned(b, walk(b, indices)),
                                                 type.getElementType());
                             });
  }

private:
  static bool isExclusive(CumulativeSummationOp op) {
    return op.getHasExclusiveSum();
  }
  static bool isExclusive(CumulativeProductOp op) {
    return op.getHasExclusiveProduct();
  }

  Combiner (*getCombiner)(Type);
};
} // namespace

void dml::populateScanPatterns(const TypeConverter &typeConverter,
                               RewritePatternSet &patterns) {
  patterns.add<ScanLowering<CumulativeSummationOp>>(
      typeConverter, patterns.getContext(), Combiner::getSum);
  patterns.add<ScanLowering<CumulativeProductOp>>(
      typeConverter, patterns.getContext(), Combiner::getProduct);
}
