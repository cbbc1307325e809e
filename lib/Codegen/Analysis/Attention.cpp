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
/// Decides whether the same operations compute two values of a body.
class Equivalence {
public:
  /// Declares that the block arguments `lhs` and `rhs` stand for the same
  /// value.
  void assume(Value lhs, Value rhs) { known.insert({lhs, rhs}); }
  /// Whether the same operations compute `lhs` and `rhs`. Two loads from one
  /// address return the same value, since a body stores nothing.
  bool areSame(Value lhs, Value rhs);

private:
  bool areSame(Operation *lhs, Operation *rhs);

  llvm::DenseSet<std::pair<Value, Value>> known;
};
} // namespace

/// Removes a minimum that has no effect from `value`: in a loop of 1024
/// iterations with the induction variable %i, `min(%i, 1023)` becomes %i.
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
// The parts of the loops
//===----------------------------------------------------------------------===//

/// If an operation of type `Op` computes `combined` from `carried` and another
/// operand, returns the other operand. Returns null otherwise.
template <typename Op> static Value getOther(Value combined, Value carried) {
  auto op = combined.getDefiningOp<Op>();
  if (!op)
    return Value();
  if (op->getOperand(0) == carried)
    return op->getOperand(1);
  return op->getOperand(1) == carried ? op->getOperand(0) : Value();
}

/// Returns x if `value` is exp(x) or `x == x ? exp(x) : x`, and null otherwise.
/// The comparison preserves NaN, for which some drivers' exp returns a number.
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

/// Whether `value` is the number that is subtracted from each score before the
/// exponential: `largest`, or the larger of `largest` and the lowest finite
/// number. The lowest finite number avoids the NaN of -infinity minus -infinity
/// where all scores are -infinity.
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
/// The score of a query and a key, as one of the three loops over keys computes
/// the score. `isSeen` is the condition that the mask lets the query attend to
/// the key. `isSeen` is null if there is no mask.
struct Seen {
  Value score, isSeen;
};
} // namespace

/// If `value` is `select(isSeen, score, none)`, and isNone(none) returns true,
/// returns the score and the condition. Takes any other value for a score
/// without a condition.
static Seen readSeen(Value value, llvm::function_ref<bool(Value)> isNone) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (select && isNone(select.getFalseValue()))
    return {select.getTrueValue(), select.getCondition()};
  return {value, Value()};
}

/// Returns the score and the condition of `value`, if `value` is exp(score -
/// largest) or `select(isSeen, exp(score - largest), 0)`. Returns nothing if
/// `value` is computed in another way.
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

/// Whether `value` is an initial value of a maximum: NaN, which arith.maxnumf
/// ignores, or -infinity.
static bool isNoScore(Value value) {
  APFloat constant(0.0f);
  return matchPattern(value, m_ConstantFloat(&constant)) &&
         (constant.isNaN() || (constant.isInfinity() && constant.isNegative()));
}

/// Whether `isSeen` is an unsigned comparison `key <= x`. Such a condition
/// holds for key 0.
static bool isFirstSeen(Value isSeen, Value key) {
  auto compare = isSeen.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::ule &&
         compare.getLhs() == key;
}

/// Returns the only sum of products that `block` computes: the result of its
/// only loop, or the last of a chain of math.fma if the loop has been unrolled.
/// Returns null if there is no such sum or if there are several.
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

/// Matches `sum` as the contraction `scores`. `sum` adds up products of a
/// factor of a query and a factor of a key. `key` is the induction variable of
/// the loop over keys. `dimsOfQueries` and `dimsOfKeys` receive the dimensions
/// of the output on which the factors of queries and the factors of keys
/// depend.
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
  // Each term of a score is a factor of the query times a factor of the key, in
  // either order. The query's factor is the one that the body can compute
  // without `key`, the index of the key. The factors of the query must stand on
  // the same side, left or right, in all terms. `steps` are the induction
  // variables of the loops over the terms, on which both factors may depend.
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

/// Returns the number of elements of a head of attention, if dimension `dim` of
/// the output, which has `size` elements, holds several heads one after the
/// other: 64 if 16 heads fill 1,024 elements. All elements of a head have the
/// same scores. The operations of `slices`, which compute the scores, therefore
/// use only the head's index, the coordinate divided by 64. Returns nothing if
/// one of the operations uses the coordinate in another way, if divisors
/// differ, or if the divisor does not divide `size`.
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

namespace {
/// Matches the body of a generic as attention, step by step. The body has three
/// loops over the keys. In this example there are 1024 keys, and the body
/// computes the output's element for a query and a column of values. score()
/// stands for an inner loop, or an unrolled loop, that adds up the products of
/// the 64 factors of a query and the 64 factors of a key, and for operations on
/// the sum, such as a scale:
///
///   %largest = scf.for %i = 0 to 1024 iter_args(%m = NaN) {
///     yield maxnum(%m, score(%query, %i))                    // readMaximum()
///   } {dml.any_order}
///   %total = scf.for %j = 0 to 1024 iter_args(%t = 0.0) {
///     yield %t + exp(score(%query, %j) - %largest)           // readTotal()
///   } {dml.any_order}
///   %mean = scf.for %k = 0 to 1024 iter_args(%o = 0.0) {
///     %weight = exp(score(%query, %k) - %largest) / %total
///     yield fma(%weight, value(%k, %column), %o)             // readProducts()
///   }
///   yield epilogue(%mean)
///
/// For two keys with scores 1 and 3 and values 10 and 20, the largest score is
/// 3, the total e^-2 + e^0 = 1.135, the weights are 0.119 and 0.881, and the
/// mean is 18.81. Where a query sees only some of the keys, the loops select
/// between seen and unseen keys:
///
///   select(isSeen(%query, %i), score(%query, %i), NaN)  // for %largest
///   select(isSeen(%query, %j), exp(...), 0.0)           // for %total, %weight
///   select(isSeen(%query, %k), fma(...), %o)            // for %mean
class AttentionReader {
public:
  explicit AttentionReader(linalg::GenericOp op) : op(op) {}

  /// Matches the body as attention. Returns nothing if the body is no
  /// attention.
  std::optional<Attention> read();

private:
  LogicalResult readOutput();
  LogicalResult readLoops();
  LogicalResult readMaximum();
  LogicalResult readTotal();
  LogicalResult readProducts();
  LogicalResult compareLoops();
  LogicalResult readSlices();
  LogicalResult readSharedDim();
  LogicalResult readDims();
  void readSharingHeads();

  linalg::GenericOp op;
  Attention attention;
  ShapedType type;
  scf::ForOp maximum, exponentials, products;
  /// The score in each of the three loops over keys, with the condition that
  /// the query sees the key.
  Seen ofMaximum, ofTotal, ofProducts;
  /// The product of a weight and a value that each iteration of the loop
  /// `products` adds to an element of the output. `value` is the factor of this
  /// product that is not the weight.
  ContractionTerm product;
  Value value;
  /// Dimensions of the output: those on whose coordinates the scores depend,
  /// those on which the keys depend, and those on which the values depend.
  llvm::SmallBitVector ofScores, ofKeys, ofValues;
};
} // namespace

/// Returns the value that an iteration of `loop` passes to the next iteration.
static Value getYielded(scf::ForOp loop) {
  return loop.getYieldedValues().front();
}

LogicalResult AttentionReader::readOutput() {
  if (!isElementMap(op))
    return failure();
  type = cast<ShapedType>(op.getOutputs().front().getType());
  auto buffer = dyn_cast<MemRefType>(type);
  return success(
      type.hasStaticShape() && type.getElementType().isIntOrFloat() &&
      llvm::is_contained({8, 16, 32}, type.getElementTypeBitWidth()) &&
      (!buffer || buffer.getLayout().isIdentity()));
}

/// Finds the three loops of the body. All must iterate over the same number of
/// keys.
LogicalResult AttentionReader::readLoops() {
  auto loops = llvm::to_vector(op.getBody()->getOps<scf::ForOp>());
  if (loops.size() != 3)
    return failure();
  for (scf::ForOp loop : loops) {
    std::optional<int64_t> count = getCountFromZero(loop);
    if (!count || loop.getNumResults() != 1 ||
        !loop.getResult(0).getType().isF32() ||
        (attention.keys && attention.keys != *count))
      return failure();
    attention.keys = *count;
  }
  maximum = loops[0];
  exponentials = loops[1];
  products = loops[2];
  attention.key = exponentials.getInductionVar();
  attention.keyOfValue = products.getInductionVar();
  return success();
}

/// Matches the loop `maximum` as the computation of a query's largest score.
LogicalResult AttentionReader::readMaximum() {
  Value score = getOther<arith::MaxNumFOp>(getYielded(maximum),
                                           maximum.getRegionIterArg(0));
  if (!maximum->hasAttr(anyOrderAttrName) || !score ||
      !isNoScore(maximum.getInitArgs()[0]))
    return failure();
  ofMaximum = readSeen(score, isNoScore);
  return success();
}

/// Matches the loop `exponentials` as the sum of the exponentials of a query's
/// scores.
LogicalResult AttentionReader::readTotal() {
  Value exponential = getOther<arith::AddFOp>(getYielded(exponentials),
                                              exponentials.getRegionIterArg(0));
  if (!exponentials->hasAttr(anyOrderAttrName) || !exponential ||
      !matchPattern(exponentials.getInitArgs()[0], m_AnyZeroFloat()))
    return failure();
  std::optional<Seen> seen = readExponential(exponential, maximum.getResult(0));
  if (!seen)
    return failure();
  ofTotal = *seen;
  attention.score = ofTotal.score;
  attention.isSeen = ofTotal.isSeen;
  return success();
}

/// Matches the loop `products` as the sum of products of weights and values.
LogicalResult AttentionReader::readProducts() {
  SmallVector<ContractionTerm> terms =
      readTerms(getYielded(products), products.getRegionIterArg(0));
  if (terms.size() != 1 ||
      !matchPattern(products.getInitArgs()[0], m_AnyZeroFloat()))
    return failure();
  product = terms.front();
  // In graphs whose tensors are f16, a weight is a quotient that is rounded to
  // f16 and widened again.
  auto dropRounding = [](Value factor) {
    auto widening = factor.getDefiningOp<arith::ExtFOp>();
    auto rounding = widening ? widening.getIn().getDefiningOp<arith::TruncFOp>()
                             : arith::TruncFOp();
    return rounding ? rounding.getIn() : factor;
  };
  auto getWeight = [&](Value factor) {
    auto quotient = dropRounding(factor).getDefiningOp<arith::DivFOp>();
    return quotient && quotient.getRhs() == exponentials.getResult(0)
               ? quotient
               : arith::DivFOp();
  };
  Value factor = product.lhs;
  value = product.rhs;
  if (!getWeight(factor))
    std::swap(factor, value);
  arith::DivFOp weight = getWeight(factor);
  if (!weight)
    return failure();
  attention.isRoundable = weight->hasAttr(roundableAttrName);
  attention.isRounded = factor != weight.getResult();
  std::optional<Seen> seen =
      readExponential(weight.getLhs(), maximum.getResult(0));
  if (!seen)
    return failure();
  ofProducts = *seen;
  return success();
}

/// Succeeds if all three loops over keys compute the same scores and include
/// the same keys: all keys, or the first keys up to a limit, as with a causal
/// mask.
LogicalResult AttentionReader::compareLoops() {
  Equivalence inMaximum, inProducts;
  inMaximum.assume(maximum.getInductionVar(), attention.key);
  inProducts.assume(attention.keyOfValue, attention.key);
  if (!inMaximum.areSame(ofMaximum.score, attention.score) ||
      !inProducts.areSame(ofProducts.score, attention.score))
    return failure();
  Value isSeen = attention.isSeen;
  if (!isSeen)
    return success(!ofMaximum.isSeen && !ofProducts.isSeen &&
                   !product.condition);
  return success(ofMaximum.isSeen && ofProducts.isSeen && product.condition &&
                 inMaximum.areSame(ofMaximum.isSeen, isSeen) &&
                 inProducts.areSame(ofProducts.isSeen, isSeen) &&
                 inProducts.areSame(product.condition, isSeen) &&
                 isFirstSeen(isSeen, attention.key));
}

/// Collects the operations that compute scores, conditions, values and outputs.
LogicalResult AttentionReader::readSlices() {
  llvm::SmallBitVector ofQueries;
  attention.sum = findSum(*exponentials.getBody());
  if (!attention.sum || !attention.sum.getType().isF32() ||
      failed(readScores(op, attention.sum, attention.key, attention.scores,
                        ofQueries, ofKeys)))
    return failure();
  BodySlice score(op, {attention.sum, attention.key}),
      isSeen(op, attention.key), values(op, attention.keyOfValue),
      epilogue(op, products.getResult(0));
  if (failed(score.add(attention.score)) ||
      (attention.isSeen && failed(isSeen.add(attention.isSeen))) ||
      failed(values.add(value)) ||
      failed(epilogue.add(op.getBody()->getTerminator()->getOperand(0))))
    return failure();
  attention.scoreSlice = score.getOperations();
  attention.isSeenSlice = isSeen.getOperations();
  Contraction &sums = attention.products;
  sums.sumType = products.getResult(0).getType();
  sums.loops = {products};
  sums.trips = {attention.keys};
  sums.steps = attention.keys;
  sums.conditions = {Value()};
  sums.columns.factors = {value};
  sums.columns.slice = values.getOperations();
  sums.epilogue = epilogue.getOperations();
  ofValues = values.getDims();
  ofScores = score.getDims();
  ofScores |= isSeen.getDims();
  ofScores |= ofQueries;
  ofScores |= ofKeys;
  return success();
}

/// Sets `sharedDim`, if the output's innermost dimension holds several heads
/// one after the other, each with its columns of the values: coordinate 130 of
/// a dimension of 16 heads with 64 columns each is column 2 of head 2. The head
/// then belongs to the batch, and the column to the columns of the values. The
/// dimension holds heads if the scores depend on it, since scores never depend
/// on a column of the values.
LogicalResult AttentionReader::readSharedDim() {
  int64_t innermost = getInnermostDim(type);
  if (!ofScores[innermost])
    return success();
  std::optional<int64_t> divisor =
      findDivisor({attention.scores.rows.slice, attention.scores.columns.slice,
                   attention.scoreSlice, attention.isSeenSlice},
                  innermost, type.getDimSize(innermost));
  if (!divisor)
    return failure();
  attention.products.sharedDim = innermost;
  attention.products.columnsOfShared = *divisor;
  return success();
}

/// Classifies the dimensions of the output. Rows are the dimensions on which
/// the queries alone depend, columns those on which the values alone depend.
/// All other dimensions belong to the batch.
LogicalResult AttentionReader::readDims() {
  Contraction &sums = attention.products;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = type.getDimSize(dim);
    bool isShared = dim == sums.sharedDim;
    if (size == 1 && !isShared)
      continue;
    bool isRow = ofScores[dim] && !ofKeys[dim] && !ofValues[dim],
         isColumn = ofValues[dim] && !ofScores[dim];
    if (isShared || (!isRow && !isColumn)) {
      sums.batchDims.push_back(dim);
      sums.batches *= isShared ? size / sums.columnsOfShared : size;
    }
    if (isShared || isColumn) {
      sums.columns.dims.push_back(dim);
      sums.columns.size *= isShared ? sums.columnsOfShared : size;
    } else if (isRow) {
      sums.rows.dims.push_back(dim);
      sums.rows.size *= size;
    }
  }
  attention.scores.rows.dims = sums.rows.dims;
  attention.scores.rows.size = sums.rows.size;
  attention.scores.columns.size = attention.keys;
  // The output's innermost dimension must be a dimension of columns, so that
  // neighbouring columns are neighbours in memory.
  return success(llvm::is_contained(sums.columns.dims, getInnermostDim(type)));
}

/// Returns the constant by which `op`, of type `Division`, divides `dividend`,
/// or nothing if `op` does anything else.
template <typename Division>
static std::optional<int64_t> getDivisor(Operation *op, Value dividend) {
  auto division = dyn_cast<Division>(op);
  APInt by;
  if (!division || division.getLhs() != dividend ||
      !matchPattern(division.getRhs(), m_ConstantInt(&by)))
    return std::nullopt;
  return by.getSExtValue();
}

/// Sets the number of heads of queries that read the same keys and values. The
/// head is the last coordinate of the batch. If, for example, 32 heads of
/// queries share 8 heads of keys and values, the operations that compute keys
/// and values must use only the head divided by 4.
void AttentionReader::readSharingHeads() {
  const Contraction &sums = attention.products;
  if (sums.batchDims.empty())
    return;
  int64_t dim = sums.batchDims.back(), heads = type.getDimSize(dim);
  bool isShared = dim == sums.sharedDim;
  if (isShared)
    heads /= sums.columnsOfShared;
  auto isIndex = [&](Value value) {
    auto index = value.getDefiningOp<linalg::IndexOp>();
    return index && static_cast<int64_t>(index.getDim()) == dim;
  };
  auto isHead = [&](Value value) {
    auto division = value.getDefiningOp<arith::DivUIOp>();
    return isShared ? division && isIndex(division.getLhs()) : isIndex(value);
  };
  std::optional<int64_t> sharing;
  for (ArrayRef<Operation *> slice :
       {ArrayRef(attention.scores.columns.slice), ArrayRef(sums.columns.slice)})
    for (Operation *nested : slice)
      for (Value operand : nested->getOperands()) {
        // In a dimension that holds heads and their columns, such as 16 heads
        // of 64 columns, operations must use the head, which is the coordinate
        // divided by 64, or the column, which is the remainder.
        if (isShared && isIndex(operand) &&
            getDivisor<arith::DivUIOp>(nested, operand) !=
                sums.columnsOfShared &&
            getDivisor<arith::RemUIOp>(nested, operand) != sums.columnsOfShared)
          return;
        if (!isHead(operand))
          continue;
        std::optional<int64_t> divisor =
            getDivisor<arith::DivUIOp>(nested, operand);
        if (!divisor || *divisor < 1 || heads % *divisor ||
            (sharing && *sharing != *divisor))
          return;
        sharing = divisor;
      }
  // If no operation uses the head, `sharing` is empty: keys and values do not
  // depend on the head, and all heads share them.
  attention.sharingHeads = sharing.value_or(heads);
}

std::optional<Attention> AttentionReader::read() {
  if (failed(readOutput()) || failed(readLoops()) || failed(readMaximum()) ||
      failed(readTotal()) || failed(readProducts()) || failed(compareLoops()) ||
      failed(readSlices()) || failed(readSharedDim()) || failed(readDims()))
    return std::nullopt;
  readSharingHeads();
  return attention;
}

std::optional<Attention> Attention::match(linalg::GenericOp op) {
  return AttentionReader(op).read();
}
