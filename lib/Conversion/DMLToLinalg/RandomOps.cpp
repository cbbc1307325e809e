//===- RandomOps.cpp - DirectML's random numbers to linalg ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RandomOps.h"
#include "LoweringUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

static constexpr int64_t wordsOfCounter = 4, wordsOfKey = 2, numRounds = 10;
/// The factors with which the words 0 and 2 of a block are multiplied in each
/// round.
static constexpr uint32_t multipliers[] = {0xD2511F53, 0xCD9E8D57};
/// The numbers that are added to the words of the key in each round.
static constexpr uint32_t steps[wordsOfKey] = {0x9E3779B9, 0xBB67AE85};

static Value getWord(ElementBuilder &b, uint32_t word) {
  return arith::ConstantOp::create(
      b, IntegerAttr::get(b.getI32Type(), APInt(32, word)));
}

/// Loads word `number` of the state.
static Value loadWord(ElementBuilder &b, Value state, Value number) {
  auto rank = cast<RankedTensorType>(state.getType()).getRank();
  SmallVector<Value> at(rank - 1, b.index(0));
  at.push_back(number);
  return tensor::ExtractOp::create(b, state, at);
}

/// Builds the words of the state's counter plus `number`, an unsigned i32.
static SmallVector<Value> buildCounter(ElementBuilder &b, Value state,
                                       Value number) {
  SmallVector<Value> counter;
  Value carry = number;
  for (int64_t i = 0; i < wordsOfCounter; ++i) {
    counter.push_back(
        b.createOrFold<arith::AddIOp>(loadWord(b, state, b.index(i)), carry));
    // If a sum overflows 32 bits, the result is less than the added number.
    carry = b.createOrFold<arith::ExtUIOp>(
        b.getI32Type(),
        b.cmpi(arith::CmpIPredicate::ult, counter.back(), carry));
  }
  return counter;
}

/// Builds the random block for the counter `words`.
static SmallVector<Value> buildBlock(ElementBuilder &b, Value state,
                                     SmallVector<Value> words) {
  SmallVector<Value> key;
  for (int64_t i = 0; i < wordsOfKey; ++i)
    key.push_back(loadWord(b, state, b.index(wordsOfCounter + i)));
  auto exclusiveOr = [&](Value lhs, Value rhs) -> Value {
    return b.createOrFold<arith::XOrIOp>(lhs, rhs);
  };
  for (int64_t round = 0; round < numRounds; ++round) {
    if (round > 0)
      for (auto [word, step] : llvm::zip_equal(key, steps))
        word = b.createOrFold<arith::AddIOp>(word, getWord(b, step));
    auto p =
        arith::MulUIExtendedOp::create(b, words[0], getWord(b, multipliers[0]));
    auto q =
        arith::MulUIExtendedOp::create(b, words[2], getWord(b, multipliers[1]));
    words = {
        exclusiveOr(exclusiveOr(q.getHigh(), words[1]), key[0]), q.getLow(),
        exclusiveOr(exclusiveOr(p.getHigh(), words[3]), key[1]), p.getLow()};
  }
  return words;
}

/// Selects element `number` of `elements`.
static Value choose(ElementBuilder &b, ArrayRef<Value> elements, Value number) {
  Value chosen = elements.back();
  for (auto [index, element] : llvm::enumerate(elements.drop_back()))
    chosen = b.select(b.cmpi(arith::CmpIPredicate::eq, number, b.index(index)),
                      element, chosen);
  return chosen;
}

namespace {
struct RandomGeneratorLowering : OpConversionPattern<RandomGeneratorOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RandomGeneratorOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value state = adaptor.getInputState();
    auto type = cast<RankedTensorType>(
        getTypeConverter()->convertType(op.getOutput().getType()));
    SmallVector<Value> results = {buildTensor(
        rewriter, op, type, [&](ElementBuilder &b, ValueRange indices) {
          Value number = b.index(0);
          for (auto [index, size] : llvm::zip_equal(indices, type.getShape()))
            number = b.add(b.mul(number, size), index);
          Value block = b.createOrFold<arith::IndexCastUIOp>(
              b.getI32Type(), b.divui(number, wordsOfCounter));
          return choose(b, buildBlock(b, state, buildCounter(b, state, block)),
                        b.remui(number, wordsOfCounter));
        })};
    if (op.getOutputState()) {
      auto blocks = static_cast<uint32_t>(
          llvm::divideCeil(type.getNumElements(), wordsOfCounter));
      auto stateType = cast<RankedTensorType>(state.getType());
      results.push_back(buildTensor(
          rewriter, op, stateType, [&](ElementBuilder &b, ValueRange indices) {
            SmallVector<Value> words =
                buildCounter(b, state, getWord(b, blocks));
            // The key does not change.
            words.push_back(loadWord(b, state, indices.back()));
            return choose(b, words, indices.back());
          }));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void dml::populateRandomPatterns(const TypeConverter &typeConverter,
                                 RewritePatternSet &patterns) {
  patterns.add<RandomGeneratorLowering>(typeConverter, patterns.getContext());
}
