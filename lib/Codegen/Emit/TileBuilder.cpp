//===- TileBuilder.cpp - The elements that a thread computes --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/TileBuilder.h"
#include "Analysis/ElementMap.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Scalar TileBuilder::lookup(Value value) const {
  // A value for which no scalar is known is defined outside of the generic.
  auto found = getValues().find(value);
  return found == getValues().end() ? Scalar(value) : found->second;
}

LinearForm TileBuilder::getIndex(Value value) {
  Scalar scalar = lookup(value);
  if (const auto *index = std::get_if<LinearForm>(&scalar))
    return *index;
  value = shared.materialize(scalar);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return forms.getOpaque(value);
}

Value TileBuilder::getValue(Value value) {
  return shared.materialize(lookup(value));
}

LinearForm TileBuilder::linearize(MemRefType type,
                                  ArrayRef<LinearForm> coordinates) {
  LinearForm position;
  int64_t stride = 1;
  for (auto [size, coordinate] :
       llvm::reverse(llvm::zip_equal(type.getShape(), coordinates))) {
    position = forms.add(b, position, forms.mul(b, coordinate, stride));
    stride *= size;
  }
  return position;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Returns the two sides of a comparison of indices. If the right side is a
/// constant, both sides are divided by the greatest common divisor of the left
/// side's coefficients, so that the elements of a vector share one comparison:
/// 4 t + 3 < 20 becomes t < 5.
std::pair<LinearForm, LinearForm> TileBuilder::getSides(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  LinearForm lhs = getIndex(op.getLhs());
  LinearForm rhs = getIndex(op.getRhs());
  if (!llvm::is_contained(
          {Predicate::ult, Predicate::uge, Predicate::slt, Predicate::sge},
          op.getPredicate()))
    return {lhs, rhs};
  int64_t common = lhs.getCommonDivisor();
  if (common <= 1 || !rhs.isConstant() || rhs.constant < 0)
    return {lhs, rhs};
  // A left side that is common * y + rest is less than `bound` if and only if y
  // is less than ceil((bound - rest) / common).
  auto [quotient, rest] = *divideExactly(lhs, common);
  LinearForm bound = llvm::divideCeilSigned(rhs.constant - rest, common);
  return {quotient, bound};
}

/// Returns the outcome of a comparison of indices if the ranges of the indices
/// decide it, and nothing otherwise.
std::optional<bool> TileBuilder::decide(arith::CmpIOp op) {
  std::pair<LinearForm, LinearForm> sides = getSides(op);
  const LinearForm &lhs = sides.first, &rhs = sides.second;
  auto atLeast = [&](const LinearForm &a, const LinearForm &b2) {
    return forms.isNonNegative(forms.sub(b, a, b2));
  };
  auto negate = [](std::optional<bool> known) {
    return known ? std::optional(!*known) : known;
  };
  auto areEqual = [&]() -> std::optional<bool> {
    IndexRange difference = forms.getRange(forms.sub(b, lhs, rhs));
    if (difference.min > 0 || difference.max < 0)
      return false;
    return difference.min == difference.max ? std::optional(true)
                                            : std::nullopt;
  };
  using Predicate = arith::CmpIPredicate;
  bool positive = forms.getRange(lhs).min >= 0 && forms.getRange(rhs).min >= 0;
  switch (op.getPredicate()) {
  case Predicate::eq:
    return areEqual();
  case Predicate::ne:
    return negate(areEqual());
  case Predicate::slt:
    return negate(atLeast(lhs, rhs));
  case Predicate::sge:
    return atLeast(lhs, rhs);
  case Predicate::sgt:
    return negate(atLeast(rhs, lhs));
  case Predicate::sle:
    return atLeast(rhs, lhs);
  case Predicate::ult: {
    if (forms.getRange(rhs).min < 0)
      return std::nullopt;
    if (forms.getRange(rhs).max == 0)
      return false;
    // The comparison is unsigned, and a negative number is a large unsigned
    // number.
    std::optional<bool> notNegative = forms.isNonNegative(lhs);
    std::optional<bool> notLess = atLeast(lhs, rhs);
    if (notNegative == false || notLess == true)
      return false;
    if (notNegative == true && notLess == false)
      return true;
    return std::nullopt;
  }
  case Predicate::uge:
    if (forms.getRange(rhs).min == 0 && forms.getRange(rhs).max == 0)
      return true;
    return positive ? atLeast(lhs, rhs) : std::nullopt;
  case Predicate::ugt:
    return positive ? negate(atLeast(rhs, lhs)) : std::nullopt;
  case Predicate::ule:
    return positive ? atLeast(rhs, lhs) : std::nullopt;
  }
  llvm_unreachable("unknown predicate");
}

/// Returns the operands of `op` as values of the kernel.
SmallVector<Value, 4> TileBuilder::getOperands(Operation &op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (compare && compare.getLhs().getType().isIndex()) {
    auto [lhs, rhs] = getSides(compare);
    return {forms.materialize(b, lhs), forms.materialize(b, rhs)};
  }
  return llvm::map_to_vector<4>(
      op.getOperands(), [&](Value operand) { return getValue(operand); });
}

/// Returns the range of the index that the select operation `op` returns when
/// its condition is true. The condition may narrow this range.
IndexRange TileBuilder::getChosenRange(arith::SelectOp op) {
  LinearForm chosen = getIndex(op.getTrueValue());
  IndexRange range = forms.getRange(chosen);
  auto compare = op.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult ||
      !compare.getLhs().getType().isIndex() ||
      !(getIndex(compare.getLhs()) == chosen))
    return range;
  IndexRange bound = forms.getRange(getIndex(compare.getRhs()));
  range = {std::max<int64_t>(range.min, 0), std::min(range.max, bound.max - 1)};
  return {range.min, std::max(range.min, range.max)};
}

/// Builds the index that `op` selects. If both alternatives are multiples of
/// one number plus a constant, such as 4 q + i and 4 r + i in lane i, the lanes
/// of a vector share one selection between q and r.
LinearForm TileBuilder::buildChoice(arith::SelectOp op) {
  LinearForm lhs = getIndex(op.getTrueValue());
  LinearForm rhs = getIndex(op.getFalseValue());
  int64_t common = std::max<int64_t>(
      std::gcd(lhs.getCommonDivisor(), rhs.getCommonDivisor()), 1);
  auto [chosen, rest] = *divideExactly(lhs, common);
  auto [otherwise, otherRest] = *divideExactly(rhs, common);
  Value condition = getValue(op.getCondition());
  Value selection = shared.buildSelect(condition, forms.materialize(b, chosen),
                                       forms.materialize(b, otherwise));

  IndexRange range = forms.getRange(chosen, {});
  IndexRange narrowed = getChosenRange(op);
  narrowed = {llvm::divideCeilSigned(narrowed.min - rest, common),
              llvm::divideFloorSigned(narrowed.max - rest, common)};
  IndexRange otherRange = forms.getRange(otherwise, {});
  LinearForm multiple = forms.getOpaque(selection, range.getUnion(otherRange));
  if (!multiple.isConstant())
    built.selected[multiple.terms.front().first] =
        narrowed.getUnion(otherRange);

  LinearForm result = forms.add(b, forms.mul(b, multiple, common), otherRest);
  if (rest == otherRest)
    return result;
  LinearForm flag =
      forms.getOpaque(shared.buildSelect(condition, forms.materialize(b, 1),
                                         forms.materialize(b, 0)),
                      {0, 1});
  built.conditions[flag.terms.front().first] = condition;
  return forms.add(b, result, forms.mul(b, flag, rest - otherRest));
}

/// Whether `implied` is true wherever `condition` is true.
static bool implies(Value condition, Value implied) {
  if (condition == implied)
    return true;
  auto both = condition.getDefiningOp<arith::AndIOp>();
  return both &&
         (implies(both.getLhs(), implied) || implies(both.getRhs(), implied));
}

/// Builds `select(condition, load, constant)` as a guarded load, which always
/// runs, but whose element is used only where the condition holds. The index of
/// the load may itself be selected by the condition: 4 + 5 c is 9 where the
/// condition holds (c is 1) and 4 elsewhere. Only the element at 9 is ever
/// used. If index 9 lies inside of the buffer for all threads, all threads load
/// at 9, and no selection of the index is needed.
std::optional<Scalar> TileBuilder::buildGuarded(arith::SelectOp op) {
  Scalar scalar = lookup(op.getTrueValue());
  auto *load = std::get_if<Load>(&scalar);
  if (!load || load->value || load->guard ||
      !matchPattern(op.getFalseValue(), m_Constant()))
    return std::nullopt;
  load->guard = getValue(op.getCondition());
  load->otherwise = getValue(op.getFalseValue());
  LinearForm assumed = load->position.constant;
  for (LinearForm::Term term : load->position.terms) {
    Value condition = built.conditions.lookup(term.first);
    if (condition && implies(load->guard, condition))
      assumed.constant += term.second;
    else
      assumed.terms.push_back(term);
  }
  // The load runs even if its condition is false, so that the index must always
  // lie inside of the buffer.
  IndexRange range = forms.getRange(assumed, built.selected);
  auto type = cast<MemRefType>(load->buffer.getType());
  if (range.min >= 0 && range.max < type.getNumElements())
    load->position = assumed;
  return scalar;
}

/// Builds `op` without an operation, if possible. An index becomes a linear
/// form. A load is postponed until its element is needed. A selection between a
/// load and a constant becomes a guarded load. A comparison becomes a constant
/// if ranges decide it. Returns nothing for other operations.
std::optional<Scalar> TileBuilder::buildIndex(Operation &op) {
  auto index = [&](unsigned operand) {
    return getIndex(op.getOperand(operand));
  };
  auto isNonNegative = [&](unsigned operand) {
    return forms.getRange(index(operand)).min >= 0;
  };
  auto result = [](const LinearForm &form) { return Scalar(form); };
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    APInt condition;
    if (matchPattern(getValue(select.getCondition()),
                     m_ConstantInt(&condition)))
      return lookup(condition.isZero() ? select.getFalseValue()
                                       : select.getTrueValue());
    if (!select.getType().isIndex())
      return buildGuarded(select);
    return result(buildChoice(select));
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    SmallVector<LinearForm> coordinates;
    for (auto [coordinate, size] :
         llvm::zip_equal(load.getIndices(), load.getMemRefType().getShape()))
      coordinates.push_back(
          forms.getWithin(getIndex(coordinate), {0, size - 1}));
    Load element;
    element.buffer = shared.views.getRoot(b, load.getMemRef());
    element.position = linearize(load.getMemRefType(), coordinates);
    if (element.buffer != load.getMemRef())
      element.position =
          getPlace(forms, b, *getPlacement(load.getMemRef()), element.position,
                   load.getMemRefType().getElementTypeBitWidth() / 8);
    return element;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    if (!compare.getLhs().getType().isIndex())
      return std::nullopt;
    if (std::optional<bool> known = decide(compare))
      return shared.getConstant(b.getBoolAttr(*known));
    return std::nullopt;
  }
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isIndex())
    return std::nullopt;
  if (isa<arith::ConstantOp>(op)) {
    APInt value;
    matchPattern(&op, m_ConstantInt(&value));
    return result(value.getSExtValue());
  }
  if (isa<arith::AddIOp>(op))
    return result(forms.add(b, index(0), index(1)));
  if (isa<arith::SubIOp>(op))
    return result(forms.sub(b, index(0), index(1)));
  if (isa<arith::MulIOp>(op))
    return result(forms.mul(b, index(0), index(1)));
  if (isa<arith::MinSIOp>(op) ||
      (isa<arith::MinUIOp>(op) && isNonNegative(0) && isNonNegative(1)))
    return result(forms.min(b, index(0), index(1)));
  if (isa<arith::MaxSIOp>(op) ||
      (isa<arith::MaxUIOp>(op) && isNonNegative(0) && isNonNegative(1)))
    return result(forms.max(b, index(0), index(1)));
  if (isa<arith::DivUIOp, arith::RemUIOp>(op) && isNonNegative(0) &&
      index(1).isConstant() && index(1).constant > 0) {
    auto [quotient, remainder] = forms.divide(b, index(0), index(1).constant);
    return result(isa<arith::DivUIOp>(op) ? quotient : remainder);
  }
  return std::nullopt;
}

/// Returns the class of `op`: operations of one class compute equal results
/// from equal operands. Returns nothing for operations with side effects, with
/// regions or with several results.
std::optional<unsigned> TileBuilder::getClass(Operation &op) {
  auto [position, isNew] = classes.try_emplace(&op, std::nullopt);
  if (!isNew)
    return position->second;
  if (op.getNumRegions() || op.getNumResults() != 1 || !isMemoryEffectFree(&op))
    return std::nullopt;
  unsigned number = classes.size();
  auto &candidates = byHash[OperationEquivalence::computeHash(
      &op, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations)];
  for (Operation *candidate : candidates)
    if (OperationEquivalence::isEquivalentTo(
            candidate, &op, OperationEquivalence::ignoreValueEquivalence,
            /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations))
      return position->second = classes[candidate];
  candidates.push_back(&op);
  return position->second = number;
}

/// Returns `result`, the result of an operation, as a scalar. An index becomes
/// a linear form.
Scalar TileBuilder::getResult(Value result) {
  if (result.getType().isIndex())
    return forms.getOpaque(result);
  return result;
}

/// If `op` widens a number that was truncated from a 32-bit word, builds the
/// result by arithmetic on the word. Returns null for other operations.
Value TileBuilder::buildWidening(Operation &op, ValueRange operands) {
  bool isUnsigned = isa<arith::ExtUIOp, arith::UIToFPOp>(op);
  if (!isUnsigned && !isa<arith::ExtSIOp, arith::SIToFPOp>(op))
    return Value();
  auto truncation = operands.front().getDefiningOp<arith::TruncIOp>();
  if (!truncation || !truncation.getType().isSignlessInteger() ||
      !truncation.getIn().getType().isInteger(32))
    return Value();
  unsigned width = truncation.getType().getIntOrFloatBitWidth();
  Value word = truncation.getIn();
  if (isUnsigned) {
    word = b.createOrFold<arith::AndIOp>(
        word, shared.getConstant(b.getI32IntegerAttr(
                  llvm::maskTrailingOnes<uint32_t>(width))));
  } else {
    Value shift = shared.getConstant(b.getI32IntegerAttr(32 - width));
    word = b.createOrFold<arith::ShLIOp>(word, shift);
    word = b.createOrFold<arith::ShRSIOp>(word, shift);
  }
  Type type = op.getResult(0).getType();
  if (isa<FloatType>(type))
    return isUnsigned ? b.createOrFold<arith::UIToFPOp>(type, word)
                      : b.createOrFold<arith::SIToFPOp>(type, word);
  return type.isInteger(32) ? word : Value();
}

/// Replaces the load from a buffer that is placed in a larger one by a load
/// from the larger one, the root, since kernels access roots only. If the
/// placed buffer begins at element 4 of the root, its element 1 is element 5 of
/// the root.
void TileBuilder::loadFromRoot(memref::LoadOp load) {
  Value part = load.getMemRef();
  Value root = shared.views.getRoot(b, part);
  if (root == part)
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(load);
  // The load may stand in a loop. The scope keeps values that are built for its
  // index from being used behind the loop.
  IndexForms::Scope scope(forms);
  MemRefType type = load.getMemRefType();
  SmallVector<LinearForm> coordinates;
  for (auto [index, size] : llvm::zip_equal(load.getIndices(), type.getShape()))
    coordinates.push_back(forms.getOpaque(index, {0, size - 1}));
  LinearForm place =
      getPlace(forms, b, *getPlacement(part), linearize(type, coordinates),
               type.getElementTypeBitWidth() / 8);
  load.replaceAllUsesWith(
      memref::LoadOp::create(b, shared.views.getElements(b, root),
                             forms.materialize(b, place))
          .getResult());
  load.erase();
}

void TileBuilder::buildOther(Operation &op, ArrayRef<LinearForm> coordinates) {
  SmallVector<Value, 4> operands = getOperands(op);
  std::optional<unsigned> number = getClass(op);
  if (!number) {
    IRMapping mapping;
    mapping.map(op.getOperands(), operands);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op.getRegions(), captured);
    for (Value value : captured)
      mapping.map(value, getValue(value));
    Operation *clone = b.clone(op, mapping);
    clone->walk([&](linalg::IndexOp index) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(clone);
      index.replaceAllUsesWith(
          forms.materialize(b, coordinates[index.getDim()]));
      index.erase();
    });
    clone->walk([&](memref::LoadOp load) { loadFromRoot(load); });
    for (auto [original, result] :
         llvm::zip_equal(op.getResults(), clone->getResults()))
      getValues()[original] = getResult(result);
    return;
  }

  Value &known = built.computed[{*number, operands}];
  if (!known)
    known = buildWidening(op, operands);
  if (!known) {
    Operation *built = b.insert(Operation::create(
        op.getLoc(), op.getName(), op.getResultTypes(), operands,
        op.getDiscardableAttrDictionary(), op.getPropertiesStorage(),
        /*successors=*/{}, /*numRegions=*/0));
    known = built->getResult(0);
    SmallVector<OpFoldResult> folded;
    if (succeeded(built->fold(folded)) && !folded.empty()) {
      auto attribute = dyn_cast<Attribute>(folded.front());
      known = attribute ? shared.getConstant(cast<TypedAttr>(attribute))
                        : cast<Value>(folded.front());
      built->erase();
    }
  }
  getValues()[op.getResult(0)] = getResult(known);
}

void TileBuilder::buildOperation(Operation &nested,
                                 ArrayRef<LinearForm> coordinates) {
  if (auto index = dyn_cast<linalg::IndexOp>(nested))
    getValues()[index] = coordinates[index.getDim()];
  else if (std::optional<Scalar> scalar = buildIndex(nested))
    getValues()[nested.getResult(0)] = *scalar;
  else
    buildOther(nested, coordinates);
}

Scalar TileBuilder::buildElement(ArrayRef<LinearForm> coordinates) {
  Block *body = op.getBody();
  getValues().reserve(body->getOperations().size());
  for (Operation &nested : body->without_terminator())
    buildOperation(nested, coordinates);
  return lookup(body->getTerminator()->getOperand(0));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool TileBuilder::hasLoops(linalg::GenericOp op) {
  return !op.getBody()->getOps<scf::ForOp>().empty();
}

void TileBuilder::buildBlock(Block &block, Coordinates coordinates) {
  for (Operation &nested : block.without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(nested);
        loop && buildLoop(loop, coordinates))
      continue;
    for (current = 0; current < coordinates.size(); ++current)
      buildOperation(nested, coordinates[current]);
    current = 0;
  }
}

/// Builds one loop in place of `loop` for all elements of the tile. The new
/// loop carries the values that `loop` carries, once for each element. Returns
/// false if the bounds of `loop` differ between elements.
bool TileBuilder::buildLoop(scf::ForOp loop, Coordinates coordinates) {
  size_t numElements = coordinates.size();
  auto forEach = [&](auto &&body) {
    for (current = 0; current < numElements; ++current)
      body();
    current = 0;
  };
  const LinearForm bounds[] = {getIndex(loop.getLowerBound()),
                               getIndex(loop.getUpperBound()),
                               getIndex(loop.getStep())};
  bool areSame = loop.getInductionVar().getType().isIndex();
  forEach([&] {
    areSame &= getIndex(loop.getLowerBound()) == bounds[0] &&
               getIndex(loop.getUpperBound()) == bounds[1] &&
               getIndex(loop.getStep()) == bounds[2];
  });
  if (!areSame)
    return false;

  // A load that precedes the loop in the body is built here, in front of the
  // loop. If it were built only where its element is used, it would run in each
  // iteration.
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getRegion(), captured);
  SmallVector<Value> init;
  forEach([&] {
    for (Value value : captured) {
      auto found = getValues().find(value);
      if (found == getValues().end())
        continue;
      if (auto *load = std::get_if<Load>(&found->second))
        load->value = shared.materialize(*load);
    }
    for (Value value : loop.getInitArgs())
      init.push_back(getValue(value));
  });
  auto joined = scf::ForOp::create(b, forms.materialize(b, bounds[0]),
                                   forms.materialize(b, bounds[1]),
                                   forms.materialize(b, bounds[2]), init);
  Built builtBefore = built;
  SharedValues::Built sharedBefore = shared.getBuilt();
  {
    OpBuilder::InsertionGuard guard(b);
    IndexForms::Scope scope(forms);
    b.setInsertionPointToStart(joined.getBody());
    LinearForm induction = forms.getOpaque(
        joined.getInductionVar(),
        {forms.getRange(bounds[0]).min, forms.getRange(bounds[1]).max - 1});
    auto arguments = joined.getRegionIterArgs();
    forEach([&] {
      getValues()[loop.getInductionVar()] = induction;
      for (Value argument : loop.getRegionIterArgs()) {
        getValues()[argument] = getResult(arguments.front());
        arguments = arguments.drop_front();
      }
    });
    buildBlock(*loop.getBody(), coordinates);
    SmallVector<Value> next;
    forEach([&] {
      for (Value value : loop.getYieldedValues())
        next.push_back(getValue(value));
    });
    if (joined.getNumResults() == 0)
      joined.getBody()->getTerminator()->erase();
    scf::YieldOp::create(b, next);
  }
  built = std::move(builtBefore);
  shared.restore(std::move(sharedBefore));
  // Loop-invariant index arithmetic moves out of the loop.
  moveLoopInvariantCode(joined);
  auto results = joined.getResults();
  forEach([&] {
    for (Value result : loop.getResults()) {
      getValues()[result] = getResult(results.front());
      results = results.drop_front();
    }
  });
  return true;
}

SmallVector<Scalar> TileBuilder::buildElements(Coordinates coordinates) {
  values.resize(std::max(values.size(), coordinates.size()));
  buildBlock(*op.getBody(), coordinates);
  SmallVector<Scalar> elements;
  for (current = 0; current < coordinates.size(); ++current)
    elements.push_back(lookup(op.getBody()->getTerminator()->getOperand(0)));
  current = 0;
  return elements;
}

//===----------------------------------------------------------------------===//
// Slices of the body
//===----------------------------------------------------------------------===//

void TileBuilder::bind(size_t element, Value value, const Scalar &scalar) {
  values.resize(std::max(values.size(), element + 1));
  values[element][value] = scalar;
}

void TileBuilder::buildSlice(ArrayRef<Operation *> slice,
                             Coordinates coordinates) {
  values.resize(std::max(values.size(), coordinates.size()));
  for (Operation *nested : slice)
    for (current = 0; current < coordinates.size(); ++current)
      buildOperation(*nested, coordinates[current]);
  current = 0;
}

Scalar TileBuilder::getScalar(size_t element, Value value) {
  current = element;
  Scalar scalar = lookup(value);
  current = 0;
  return scalar;
}

Value TileBuilder::getBuilt(size_t element, Value value) {
  current = element;
  Value built = getValue(value);
  current = 0;
  return built;
}

bool TileBuilder::isMove(linalg::GenericOp op) {
  if (readsOutput(op))
    return false;
  Block *body = op.getBody();
  Value yielded = body->getTerminator()->getOperand(0);
  if (auto select = yielded.getDefiningOp<arith::SelectOp>())
    if (matchPattern(select.getFalseValue(), m_Constant()))
      yielded = select.getTrueValue();
  return yielded.getDefiningOp<memref::LoadOp>() &&
         llvm::hasSingleElement(body->getOps<memref::LoadOp>()) &&
         llvm::all_of(*body,
                      [](Operation &op) { return op.getNumRegions() == 0; });
}

std::optional<Scalar> TileBuilder::chooseMoved(const LinearForm &form,
                                               ArrayRef<LinearForm> chosen,
                                               ArrayRef<LinearForm> otherwise) {
  // The body is built twice: once for the threads with `form` >= 0, and once
  // for the threads with `form` < 0. Each time, the position of the load is
  // right only for the threads for which the body is built, and may lie outside
  // of the buffer for other threads. No load is built at this position.
  // Instead, the code selects between the two positions, and loads once from
  // the selected one.
  auto build = [&](const LinearForm &nonNegative,
                   ArrayRef<LinearForm> coordinates) {
    forms.assume(nonNegative);
    Scalar scalar = buildElement(coordinates);
    std::optional<std::pair<Load, IndexRange>> element;
    if (const auto *load = std::get_if<Load>(&scalar))
      element.emplace(*load, forms.getRange(load->position));
    forms.assumeNothing();
    return element;
  };
  auto chosenElement = build(form, chosen);
  auto otherElement = build(forms.sub(b, -1, form), otherwise);
  if (!chosenElement || !otherElement)
    return std::nullopt;
  auto [lhs, lhsRange] = *chosenElement;
  auto [rhs, rhsRange] = *otherElement;
  // For neighbouring elements, `form` often differs by its constant alone. The
  // constant moves to the right side of the comparison, so that these elements
  // share the value of the left side.
  LinearForm varying = form;
  varying.constant = 0;
  Value condition = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                          forms.materialize(b, varying),
                                          forms.materialize(b, -form.constant));
  Load result = lhs.guard ? lhs : rhs;
  result.position = forms.getOpaque(
      shared.buildSelect(condition, forms.materialize(b, lhs.position),
                         forms.materialize(b, rhs.position)),
      lhsRange.getUnion(rhsRange));
  if (result.guard) {
    auto getGuard = [&](const Load &load) {
      return load.guard ? load.guard : shared.getConstant(b.getBoolAttr(true));
    };
    result.guard = shared.buildSelect(condition, getGuard(lhs), getGuard(rhs));
  }
  return result;
}
