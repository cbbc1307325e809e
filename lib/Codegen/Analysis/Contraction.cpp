//===- Contraction.cpp - Sums of products of two operands -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/Contraction.h"
#include "Analysis/BodySlice.h"
#include "Analysis/ElementMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace dml;

/// Returns the only loop in the body of `loop`, if `loop` only hands its sums
/// to this inner loop and yields the inner loop's results. Returns null
/// otherwise.
static scf::ForOp findInner(scf::ForOp loop) {
  auto loops = loop.getBody()->getOps<scf::ForOp>();
  if (!llvm::hasSingleElement(loops))
    return scf::ForOp();
  scf::ForOp inner = *loops.begin();
  return llvm::equal(loop.getYieldedValues(), inner.getResults()) &&
                 llvm::equal(inner.getInitArgs(), loop.getRegionIterArgs())
             ? inner
             : scf::ForOp();
}

LogicalResult Contraction::readLoops(scf::ForOp outermost) {
  for (scf::ForOp loop = outermost; loop;) {
    std::optional<int64_t> count = getCountFromZero(loop);
    if (!count || static_cast<int64_t>(loop.getNumResults()) != sums ||
        !llvm::all_equal(loop.getResultTypes()) ||
        loop.getResult(0).getType() != sumType ||
        llvm::MulOverflow(steps, *count, steps))
      return failure();
    loops.push_back(loop);
    trips.push_back(*count);
    if (loop.getBody()->getOps<scf::ForOp>().empty())
      return success();
    loop = findInner(loop);
  }
  return failure();
}

/// If `added` is the sum of a product and of another value, sets the factors of
/// `term` and returns the other value. Returns null otherwise.
static Value readProduct(Value added, ContractionTerm &term) {
  Operation *op = added.getDefiningOp();
  if (auto fma = dyn_cast_if_present<math::FmaOp>(op)) {
    term.lhs = fma.getA();
    term.rhs = fma.getB();
    return fma.getC();
  }
  if (auto add = dyn_cast_if_present<arith::AddIOp>(op))
    for (auto [sum, factors] : {std::pair(add.getLhs(), add.getRhs()),
                                std::pair(add.getRhs(), add.getLhs())})
      if (auto product = factors.getDefiningOp<arith::MulIOp>()) {
        term.lhs = product.getLhs();
        term.rhs = product.getRhs();
        return sum;
      }
  return Value();
}

SmallVector<ContractionTerm> dml::readTerms(Value sum, Value init) {
  SmallVector<ContractionTerm> terms;
  Block *block = sum.getParentBlock();
  while (sum != init) {
    ContractionTerm term;
    Value added = sum;
    auto select = sum.getDefiningOp<arith::SelectOp>();
    if (select) {
      term.condition = select.getCondition();
      added = select.getTrueValue();
    }
    Value before = readProduct(added, term);
    if (!before || added.getParentBlock() != block ||
        (select && select.getFalseValue() != before))
      return {};
    terms.push_back(term);
    sum = before;
  }
  std::reverse(terms.begin(), terms.end());
  return terms;
}

/// Stores the only nest of loops in the body of `op` in `contraction`. `terms`
/// receives the products that an iteration of the innermost loop adds to each
/// sum. Fails unless all sums start at 0 and add up equal numbers of products.
static LogicalResult readSums(linalg::GenericOp op, Contraction &contraction,
                              SmallVector<ContractionTerm> &terms) {
  auto loops = op.getBody()->getOps<scf::ForOp>();
  if (!llvm::hasSingleElement(loops))
    return failure();
  scf::ForOp outermost = *loops.begin();
  contraction.sums = outermost.getNumResults();
  if (contraction.sums < 1)
    return failure();
  contraction.sumType = outermost.getResult(0).getType();
  auto isZero = [&](Value init) {
    return contraction.sumType.isF32() ? matchPattern(init, m_AnyZeroFloat())
                                       : contraction.sumType.isInteger(32) &&
                                             matchPattern(init, m_Zero());
  };
  if (!llvm::all_of(outermost.getInitArgs(), isZero) ||
      failed(contraction.readLoops(outermost)))
    return failure();
  scf::ForOp innermost = contraction.loops.back();
  size_t count = 0;
  for (auto [yielded, carried] : llvm::zip_equal(
           innermost.getYieldedValues(), innermost.getRegionIterArgs())) {
    SmallVector<ContractionTerm> ofSum = readTerms(yielded, carried);
    if (terms.empty())
      count = ofSum.size();
    if (ofSum.empty() || ofSum.size() != count)
      return failure();
    terms.append(ofSum);
  }
  return success();
}

/// Succeeds if all sums of a contraction have the same factors of the rows, and
/// keeps only one copy of these factors. Fails if a term has a condition and
/// there are several sums, since contraction kernels support conditions only
/// for a single sum.
static LogicalResult shareRows(Contraction &contraction) {
  SmallVector<Value> &factors = contraction.rows.factors;
  size_t count = factors.size() / contraction.sums;
  for (size_t i = count; i < factors.size(); ++i)
    if (factors[i] != factors[i - count])
      return failure();
  factors.truncate(count);
  if (contraction.sums == 1)
    return success();
  bool hasConditions = llvm::any_of(contraction.conditions,
                                    [](Value condition) { return condition; });
  contraction.conditions.truncate(count);
  return success(!hasConditions);
}

/// Classifies the dimensions of the output. Rows are the dimensions on which
/// the left factors alone depend, and columns those on which the right factors
/// alone depend. All other dimensions belong to the batch. The left and the
/// right factors are exchanged if necessary to make the innermost dimension one
/// of the columns, so that neighbouring columns are neighbours in memory.
static void readDims(ShapedType type, llvm::SmallBitVector ofLhs,
                     llvm::SmallBitVector ofRhs, Contraction &contraction) {
  int64_t innermost = getInnermostDim(type);
  if (ofLhs[innermost] && !ofRhs[innermost]) {
    std::swap(contraction.rows, contraction.columns);
    std::swap(ofLhs, ofRhs);
  }
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = type.getDimSize(dim);
    if (size == 1)
      continue;
    bool isRow = ofLhs[dim], isColumn = ofRhs[dim];
    if (isRow == isColumn) {
      contraction.batchDims.push_back(dim);
      contraction.batches *= size;
      continue;
    }
    ContractionOperand &operand =
        isRow ? contraction.rows : contraction.columns;
    operand.dims.push_back(dim);
    operand.size *= size;
  }
}

std::optional<Contraction> Contraction::match(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || !isElementMap(op))
    return std::nullopt;
  auto type = dyn_cast<MemRefType>(op.getOutputs().front().getType());
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrFloat() ||
      !llvm::is_contained({8, 16, 32}, type.getElementTypeBitWidth()))
    return std::nullopt;
  Contraction contraction;
  SmallVector<ContractionTerm> terms;
  if (failed(readSums(op, contraction, terms)))
    return std::nullopt;

  auto given = llvm::map_to_vector(contraction.loops, [](scf::ForOp loop) {
    return Value(loop.getInductionVar());
  });
  SmallVector<Value> sums(contraction.loops.front().getResults());
  BodySlice lhs(op, given), rhs(op, given), conditions(op, given),
      epilogue(op, sums);
  for (const ContractionTerm &term : terms) {
    if (failed(lhs.add(term.lhs)) || failed(rhs.add(term.rhs)) ||
        (term.condition && failed(conditions.add(term.condition))))
      return std::nullopt;
    contraction.rows.factors.push_back(term.lhs);
    contraction.columns.factors.push_back(term.rhs);
    contraction.conditions.push_back(term.condition);
  }
  if (failed(epilogue.add(op.getBody()->getTerminator()->getOperand(0))))
    return std::nullopt;
  contraction.rows.slice = lhs.getOperations();
  contraction.columns.slice = rhs.getOperations();
  contraction.conditionSlice = conditions.getOperations();
  contraction.epilogue = epilogue.getOperations();
  readDims(type, lhs.getDims(), rhs.getDims(), contraction);
  if (failed(shareRows(contraction)))
    return std::nullopt;

  // For all elements of a workgroup's tile, a kernel evaluates the condition of
  // a term only once. The condition may therefore depend on the batch and on
  // the loops over terms, but not on the row or the column.
  llvm::SmallBitVector ofConditions = conditions.getDims();
  auto isOfCondition = [&](int64_t dim) { return ofConditions[dim]; };
  if (contraction.columns.dims.empty() ||
      llvm::any_of(contraction.rows.dims, isOfCondition) ||
      llvm::any_of(contraction.columns.dims, isOfCondition))
    return std::nullopt;
  return contraction;
}

int64_t dml::getInnermostDim(ShapedType type) {
  int64_t innermost = type.getRank() - 1;
  while (innermost > 0 && type.getDimSize(innermost) == 1)
    --innermost;
  return innermost;
}

bool dml::isChosen(const ContractionOperand &operand) {
  return llvm::any_of(operand.slice,
                      [](Operation *op) { return isa<arith::SelectOp>(op); });
}

/// Adds to `needed` the operations of `slice` on which `value` depends.
static void addSlice(ArrayRef<Operation *> slice, Value value,
                     llvm::SmallPtrSetImpl<Operation *> &needed) {
  Operation *definition = value.getDefiningOp();
  if (!definition || !llvm::is_contained(slice, definition) ||
      !needed.insert(definition).second)
    return;
  for (Value operand : definition->getOperands())
    addSlice(slice, operand, needed);
}

SmallVector<Operation *> dml::getSliceOf(ArrayRef<Operation *> slice,
                                         ArrayRef<Value> values) {
  llvm::SmallPtrSet<Operation *, 32> needed;
  for (Value value : values)
    if (value)
      addSlice(slice, value, needed);
  return llvm::filter_to_vector(
      slice, [&](Operation *nested) { return needed.contains(nested); });
}
