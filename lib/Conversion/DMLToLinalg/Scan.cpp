//===- Scan.cpp - What stands before each element -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Scan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

/// A line is cut into blocks of so many elements. A thread combines those of
/// its block that stand before its own element, and one number for all blocks
/// before, which comes from a scan of the blocks.
static constexpr int64_t blockSize = 32;

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
