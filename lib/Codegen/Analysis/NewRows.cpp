//===- NewRows.cpp - Which elements a body replaces -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/NewRows.h"
#include "Analysis/BodySlice.h"
#include "Analysis/ElementMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dml;

/// Adds to `found` the comparisons that hold wherever `condition` holds:
/// `condition` itself if it is a comparison, or both sides of an arith.andi.
static void collect(Value condition, SmallVectorImpl<arith::CmpIOp> &found) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    collect(both.getLhs(), found);
    collect(both.getRhs(), found);
  } else if (auto compare = condition.getDefiningOp<arith::CmpIOp>()) {
    found.push_back(compare);
  }
}

/// Returns the dimension of the output if `value` is the coordinate in this
/// dimension, and nothing otherwise.
static std::optional<int64_t> getDim(Value value) {
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index ? std::optional<int64_t>(index.getDim()) : std::nullopt;
}

/// Returns n if `end` is `first` + n with a constant n, and nothing otherwise.
static std::optional<int64_t> getDistance(Value first, Value end) {
  APInt lower, upper;
  if (matchPattern(first, m_ConstantInt(&lower)) &&
      matchPattern(end, m_ConstantInt(&upper)))
    return (upper - lower).getSExtValue();
  auto add = end.getDefiningOp<arith::AddIOp>();
  if (!add || add.getLhs() != first ||
      !matchPattern(add.getRhs(), m_ConstantInt(&upper)))
    return std::nullopt;
  return upper.getSExtValue();
}

/// Finds the rows that a body replaces by `compare`, a comparison of a
/// coordinate. The comparison `coordinate == first` describes one row. The
/// comparison `coordinate >= first` describes `count` rows, if `all` also
/// contains the comparison `coordinate < first + count`.
static std::optional<NewRows> read(arith::CmpIOp compare,
                                   ArrayRef<arith::CmpIOp> all) {
  using Predicate = arith::CmpIPredicate;
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  NewRows rows;
  if (compare.getPredicate() == Predicate::eq) {
    if (!getDim(lhs))
      std::swap(lhs, rhs);
    rows.count = 1;
  } else if (compare.getPredicate() == Predicate::uge) {
    for (arith::CmpIOp other : all)
      if (other.getPredicate() == Predicate::ult && other.getLhs() == lhs)
        rows.count = getDistance(rhs, other.getRhs()).value_or(rows.count);
  }
  std::optional<int64_t> dim = getDim(lhs);
  if (!dim || rows.count < 1)
    return std::nullopt;
  rows.dim = *dim;
  rows.first = rhs;
  return rows;
}

int64_t NewRows::getInner(MemRefType type) const {
  return llvm::product_of(type.getShape().drop_front(dim + 1));
}

int64_t NewRows::getNumElements(MemRefType type) const {
  return type.getNumElements() / type.getDimSize(dim) * count;
}

std::optional<NewRows> NewRows::find(linalg::GenericOp op, int64_t together) {
  if (!mapsElements(op) || !readsOutput(op))
    return std::nullopt;
  auto select = op.getBody()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  if (!select || select.getFalseValue() != op.getRegionOutputArgs().front())
    return std::nullopt;
  MemRefType type = getOutputType(op);
  SmallVector<arith::CmpIOp> comparisons;
  collect(select.getCondition(), comparisons);
  std::optional<NewRows> best;
  for (arith::CmpIOp compare : comparisons) {
    std::optional<NewRows> rows = read(compare, comparisons);
    if (!rows || rows->count >= type.getDimSize(rows->dim) ||
        rows->getInner(type) % together ||
        (best && best->getNumElements(type) <= rows->getNumElements(type)))
      continue;
    BodySlice first(op, {});
    if (failed(first.add(rows->first)) ||
        first.getDims().find_last() >= static_cast<int>(rows->dim))
      continue;
    rows->slice = first.getOperations();
    best = rows;
  }
  return best;
}
