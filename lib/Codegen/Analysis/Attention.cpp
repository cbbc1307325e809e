//===- Attention.cpp - Products with a softmax of products ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/Attention.h"
#include "Analysis/BodySlice.h"
#include "Analysis/ElementMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Values that are the same
//===----------------------------------------------------------------------===//

namespace {
/// Compares what values of a body are computed by.
class Equivalence {
public:
  /// Takes `lhs` and `rhs`, which no operations compute, for the same value.
  void assume(Value lhs, Value rhs) { known.insert({lhs, rhs}); }
  /// Whether the same operations compute both. (A body stores nothing, so that
  /// two loads from one place are the same.)
  bool areSame(Value lhs, Value rhs);

private:
  bool areSame(Operation *lhs, Operation *rhs);

  llvm::DenseSet<std::pair<Value, Value>> known;
};
} // namespace

/// The number of an iteration, which is less than the loop runs, where `value`
/// is the lesser of that number and one that it does not reach.
static Value dropBound(Value value) {
  auto least = value.getDefiningOp<arith::MinUIOp>();
  APInt bound;
  if (!least || !matchPattern(least.getRhs(), m_ConstantInt(&bound)))
    return value;
  auto number = dyn_cast<BlockArgument>(dropBound(least.getLhs()));
  auto loop = number ? dyn_cast<scf::ForOp>(number.getOwner()->getParentOp())
                     : scf::ForOp();
  if (!loop || loop.getInductionVar() != number)
    return value;
  std::optional<int64_t> count = getCountFromZero(loop);
  return count && *count - 1 <= bound.getSExtValue() ? Value(number) : value;
}

bool Equivalence::areSame(Value lhs, Value rhs) {
  lhs = dropBound(lhs);
  rhs = dropBound(rhs);
  if (lhs == rhs || known.contains({lhs, rhs}))
    return true;
  auto left = dyn_cast<OpResult>(lhs), right = dyn_cast<OpResult>(rhs);
  if (!left || !right || left.getResultNumber() != right.getResultNumber() ||
      !areSame(left.getOwner(), right.getOwner()))
    return false;
  known.insert({lhs, rhs});
  return true;
}

bool Equivalence::areSame(Operation *lhs, Operation *rhs) {
  if (lhs->getName() != rhs->getName() ||
      lhs->getAttrDictionary() != rhs->getAttrDictionary() ||
      lhs->getResultTypes() != rhs->getResultTypes() ||
      lhs->getNumOperands() != rhs->getNumOperands())
    return false;
  for (auto [left, right] :
       llvm::zip_equal(lhs->getOperands(), rhs->getOperands()))
    if (!areSame(left, right))
      return false;
  auto left = dyn_cast<scf::ForOp>(lhs);
  if (!left)
    return lhs->getNumRegions() == 0;
  auto right = cast<scf::ForOp>(rhs);
  for (auto [leftArgument, rightArgument] : llvm::zip_equal(
           left.getBody()->getArguments(), right.getBody()->getArguments()))
    assume(leftArgument, rightArgument);
  return llvm::all_of(
      llvm::zip_equal(left.getYieldedValues(), right.getYieldedValues()),
      [&](auto yielded) {
        return areSame(std::get<0>(yielded), std::get<1>(yielded));
      });
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// The other operand of an operation of type `Op` that has `carried` as one,
/// and makes `combined`; null if there is none.
template <typename Op> static Value getOther(Value combined, Value carried) {
  auto op = combined.getDefiningOp<Op>();
  if (!op)
    return Value();
  if (op->getOperand(0) == carried)
    return op->getOperand(1);
  return op->getOperand(1) == carried ? op->getOperand(0) : Value();
}

/// The number whose exponential `value` is: it may be looked at first, since
/// there are drivers that have a number for the exponential of NaN.
static Value getExponent(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    auto exp = select.getTrueValue().getDefiningOp<math::ExpOp>();
    bool isOfNumber = compare && exp &&
                      compare.getPredicate() == arith::CmpFPredicate::OEQ &&
                      compare.getLhs() == exp.getOperand() &&
                      compare.getRhs() == exp.getOperand() &&
                      select.getFalseValue() == exp.getOperand();
    return isOfNumber ? exp.getOperand() : Value();
  }
  auto exp = value.getDefiningOp<math::ExpOp>();
  return exp ? exp.getOperand() : Value();
}

/// Whether `value` is `largest`, or a finite number where that is -infinity.
static bool isShift(Value value, Value largest) {
  if (value == largest)
    return true;
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select || select.getFalseValue() != largest)
    return false;
  APFloat lowest(0.0f);
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  return compare && compare.getPredicate() == arith::CmpFPredicate::OLT &&
         compare.getLhs() == largest &&
         compare.getRhs() == select.getTrueValue() &&
         matchPattern(select.getTrueValue(), m_ConstantFloat(&lowest)) &&
         lowest.isLargest() && lowest.isNegative();
}

namespace {
/// A score of one of the loops, and whether it is seen; null where all are.
struct Seen {
  Value score, isSeen;
};
} // namespace

/// Takes apart what is chosen between a number that is seen and `isNone`.
static Seen readSeen(Value value, llvm::function_ref<bool(Value)> isNone) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (select && isNone(select.getFalseValue()))
    return {select.getTrueValue(), select.getCondition()};
  return {value, Value()};
}

/// Reads an exponential of what a score is above `largest`, which is 0 where it
/// is not seen.
static std::optional<Seen> readExponential(Value value, Value largest) {
  Seen seen = readSeen(
      value, [](Value none) { return matchPattern(none, m_PosZeroFloat()); });
  Value exponent = getExponent(seen.score);
  auto difference =
      exponent ? exponent.getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  if (!difference || !isShift(difference.getRhs(), largest))
    return std::nullopt;
  return Seen{difference.getLhs(), seen.isSeen};
}

/// Whether `value` is what a maximum begins with, which is no score.
static bool isNoScore(Value value) {
  APFloat constant(0.0f);
  return matchPattern(value, m_ConstantFloat(&constant)) &&
         (constant.isNaN() || (constant.isInfinity() && constant.isNegative()));
}

/// Whether `isSeen` holds for the first of the keys that `key` is: where it
/// says that the key's number is at most another number.
static bool isFirstSeen(Value isSeen, Value key) {
  auto compare = isSeen.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::ule &&
         compare.getLhs() == key;
}

/// The sum of products of f32 that `block` computes, in loops or without them:
/// null unless there is one.
static Value findSum(Block &block) {
  auto loops = block.getOps<scf::ForOp>();
  if (!loops.empty()) {
    scf::ForOp loop = *loops.begin();
    return llvm::hasSingleElement(loops) && loop.getNumResults() == 1
               ? loop.getResult(0)
               : Value();
  }
  Value sum;
  for (auto product : block.getOps<math::FmaOp>()) {
    bool isAdded = llvm::any_of(product->getUsers(), [&](Operation *user) {
      auto next = dyn_cast<math::FmaOp>(user);
      return next && next.getC() == product.getResult();
    });
    if (isAdded)
      continue;
    if (sum)
      return Value();
    sum = product;
  }
  return sum;
}

/// Reads the sums that scores are made of: `sum`, which is computed for `key`.
static LogicalResult readScores(linalg::GenericOp op, Value sum, Value key,
                                Contraction &scores,
                                llvm::SmallBitVector &dimsOfQueries,
                                llvm::SmallBitVector &dimsOfKeys) {
  scores.sumType = sum.getType();
  SmallVector<ContractionTerm> terms;
  if (auto outermost = sum.getDefiningOp<scf::ForOp>()) {
    if (!matchPattern(outermost.getInitArgs()[0], m_AnyZeroFloat()) ||
        failed(scores.readLoops(outermost)))
      return failure();
    scf::ForOp innermost = scores.loops.back();
    terms = readTerms(innermost.getBody()->getTerminator()->getOperand(0),
                      innermost.getRegionIterArg(0));
  } else {
    Value first = sum;
    while (auto product = first.getDefiningOp<math::FmaOp>())
      first = product.getC();
    if (!matchPattern(first, m_AnyZeroFloat()))
      return failure();
    terms = readTerms(sum, first);
  }
  auto steps = llvm::map_to_vector(scores.loops, [](scf::ForOp loop) {
    return Value(loop.getInductionVar());
  });
  // What is computed of the key may not be a factor of queries.
  BodySlice lhs(op, steps);
  bool isOfQueries = !terms.empty() && succeeded(lhs.add(terms.front().lhs));
  SmallVector<Value> withKey(steps);
  withKey.push_back(key);
  BodySlice queries(op, steps), keys(op, withKey);
  for (const ContractionTerm &term : terms) {
    Value query = isOfQueries ? term.lhs : term.rhs,
          ofKey = isOfQueries ? term.rhs : term.lhs;
    if (term.condition || failed(queries.add(query)) || failed(keys.add(ofKey)))
      return failure();
    scores.rows.factors.push_back(query);
    scores.columns.factors.push_back(ofKey);
    scores.conditions.push_back(Value());
  }
  scores.rows.slice = queries.getOperations();
  scores.columns.slice = keys.getOperations();
  dimsOfQueries = queries.getDims();
  dimsOfKeys = keys.getDims();
  return success(!terms.empty());
}

/// The number by which all operations of `slices` divide coordinate `dim` of
/// the output before they use it, and which divides `size`; nothing if they use
/// it otherwise.
static std::optional<int64_t>
findDivisor(ArrayRef<ArrayRef<Operation *>> slices, int64_t dim, int64_t size) {
  std::optional<int64_t> divisor;
  for (ArrayRef<Operation *> slice : slices)
    for (Operation *nested : slice)
      for (Value operand : nested->getOperands()) {
        auto index = operand.getDefiningOp<linalg::IndexOp>();
        if (!index || static_cast<int64_t>(index.getDim()) != dim)
          continue;
        APInt by;
        auto division = dyn_cast<arith::DivUIOp>(nested);
        if (!division || division.getLhs() != operand ||
            !matchPattern(division.getRhs(), m_ConstantInt(&by)) ||
            by.getSExtValue() < 1 || size % by.getSExtValue() ||
            (divisor && *divisor != by.getSExtValue()))
          return std::nullopt;
        divisor = by.getSExtValue();
      }
  return divisor;
}

std::optional<Attention> Attention::match(linalg::GenericOp op) {
  if (!isElementMap(op))
    return std::nullopt;
  auto type = cast<ShapedType>(op.getOutputs().front().getType());
  auto buffer = dyn_cast<MemRefType>(type);
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat() ||
      !llvm::is_contained({8, 16, 32}, type.getElementTypeBitWidth()) ||
      (buffer && !buffer.getLayout().isIdentity()))
    return std::nullopt;

  // Three loops over the keys.
  Block &body = *op.getBody();
  auto loops = llvm::to_vector(body.getOps<scf::ForOp>());
  if (loops.size() != 3)
    return std::nullopt;
  Attention attention;
  for (scf::ForOp loop : loops) {
    std::optional<int64_t> count = getCountFromZero(loop);
    if (!count || loop.getNumResults() != 1 ||
        !loop.getResult(0).getType().isF32() ||
        (attention.keys && attention.keys != *count))
      return std::nullopt;
    attention.keys = *count;
  }
  auto [maximum, exponentials, products] =
      std::tuple(loops[0], loops[1], loops[2]);
  auto getYielded = [](scf::ForOp loop) {
    return loop.getBody()->getTerminator()->getOperand(0);
  };
  Value largest = maximum.getResult(0), total = exponentials.getResult(0);

  // The largest score.
  Value candidate = getOther<arith::MaxNumFOp>(getYielded(maximum),
                                               maximum.getRegionIterArg(0));
  if (!maximum->hasAttr(anyOrderAttrName) || !candidate ||
      !isNoScore(maximum.getInitArgs()[0]))
    return std::nullopt;
  Seen first = readSeen(candidate, isNoScore);

  // The sum of exponentials.
  Value exponential = getOther<arith::AddFOp>(getYielded(exponentials),
                                              exponentials.getRegionIterArg(0));
  if (!exponentials->hasAttr(anyOrderAttrName) || !exponential ||
      !matchPattern(exponentials.getInitArgs()[0], m_AnyZeroFloat()))
    return std::nullopt;
  std::optional<Seen> second = readExponential(exponential, largest);

  // The products of weights and values.
  SmallVector<ContractionTerm> terms =
      readTerms(getYielded(products), products.getRegionIterArg(0));
  if (!second || terms.size() != 1 ||
      !matchPattern(products.getInitArgs()[0], m_AnyZeroFloat()))
    return std::nullopt;
  ContractionTerm term = terms.front();
  auto isWeight = [&](Value factor) {
    auto weight = factor.getDefiningOp<arith::DivFOp>();
    return weight && weight.getRhs() == total;
  };
  if (!isWeight(term.lhs))
    std::swap(term.lhs, term.rhs);
  if (!isWeight(term.lhs))
    return std::nullopt;
  attention.isRoundable = term.lhs.getDefiningOp()->hasAttr(roundableAttrName);
  std::optional<Seen> third = readExponential(
      term.lhs.getDefiningOp<arith::DivFOp>().getLhs(), largest);
  if (!third)
    return std::nullopt;

  // All three are of the same scores.
  attention.key = exponentials.getInductionVar();
  attention.keyOfValue = products.getInductionVar();
  Equivalence ofFirst, ofThird;
  ofFirst.assume(maximum.getInductionVar(), attention.key);
  ofThird.assume(attention.keyOfValue, attention.key);
  attention.score = second->score;
  attention.isSeen = second->isSeen;
  if (!ofFirst.areSame(first.score, attention.score) ||
      !ofThird.areSame(third->score, attention.score))
    return std::nullopt;
  bool isAny =
      attention.isSeen || first.isSeen || third->isSeen || term.condition;
  bool isEach =
      attention.isSeen && first.isSeen && third->isSeen && term.condition;
  if (isAny && (!isEach || !ofFirst.areSame(first.isSeen, attention.isSeen) ||
                !ofThird.areSame(third->isSeen, attention.isSeen) ||
                !ofThird.areSame(term.condition, attention.isSeen) ||
                !isFirstSeen(attention.isSeen, attention.key)))
    return std::nullopt;

  // What they are made of.
  llvm::SmallBitVector ofQueries, ofKeys;
  attention.sum = findSum(*exponentials.getBody());
  if (!attention.sum || !attention.sum.getType().isF32() ||
      failed(readScores(op, attention.sum, attention.key, attention.scores,
                        ofQueries, ofKeys)))
    return std::nullopt;
  BodySlice score(op, {attention.sum, attention.key}),
      isSeen(op, attention.key), value(op, attention.keyOfValue),
      epilogue(op, products.getResult(0));
  if (failed(score.add(attention.score)) ||
      (attention.isSeen && failed(isSeen.add(attention.isSeen))) ||
      failed(value.add(term.rhs)) ||
      failed(epilogue.add(body.getTerminator()->getOperand(0))))
    return std::nullopt;
  attention.scoreSlice = score.getOperations();
  attention.isSeenSlice = isSeen.getOperations();
  Contraction &sums = attention.products;
  sums.sumType = products.getResult(0).getType();
  sums.loops = {products};
  sums.trips = {attention.keys};
  sums.steps = attention.keys;
  sums.conditions = {Value()};
  sums.columns.factors = {term.rhs};
  sums.columns.slice = value.getOperations();
  sums.epilogue = epilogue.getOperations();

  // The dimensions of the output.
  llvm::SmallBitVector ofValues = value.getDims(), ofScores = score.getDims();
  ofScores |= isSeen.getDims();
  ofScores |= ofQueries;
  ofScores |= ofKeys;
  int64_t innermost = type.getRank() - 1;
  while (innermost > 0 && type.getDimSize(innermost) == 1)
    --innermost;
  if (ofScores[innermost]) {
    std::optional<int64_t> divisor = findDivisor(
        {attention.scores.rows.slice, attention.scores.columns.slice,
         attention.scoreSlice, attention.isSeenSlice},
        innermost, type.getDimSize(innermost));
    if (!divisor)
      return std::nullopt;
    sums.sharedDim = innermost;
    sums.columnsOfShared = *divisor;
  }
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = type.getDimSize(dim);
    if (dim == sums.sharedDim) {
      sums.batchDims.push_back(dim);
      sums.batches *= size / sums.columnsOfShared;
      sums.columns.dims.push_back(dim);
      sums.columns.size *= sums.columnsOfShared;
    } else if (size > 1) {
      if (ofScores[dim] && !ofKeys[dim] && !ofValues[dim]) {
        sums.rows.dims.push_back(dim);
        sums.rows.size *= size;
      } else if (ofValues[dim] && !ofScores[dim]) {
        sums.columns.dims.push_back(dim);
        sums.columns.size *= size;
      } else {
        sums.batchDims.push_back(dim);
        sums.batches *= size;
      }
    }
  }
  // The columns are where the output's neighbours lie.
  if (!llvm::is_contained(sums.columns.dims, innermost))
    return std::nullopt;
  attention.scores.rows.dims = sums.rows.dims;
  attention.scores.rows.size = sums.rows.size;
  attention.scores.columns.size = attention.keys;
  return attention;
}
