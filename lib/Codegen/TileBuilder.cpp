//===- TileBuilder.cpp - The elements that a thread computes --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"
#include "dml/Codegen/BufferOps.h"
#include "dml/Codegen/DeviceProfile.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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
// Buffers
//===----------------------------------------------------------------------===//

Value BufferViews::getView(ImplicitLocOpBuilder &b, Value buffer, Type element,
                           int64_t elementBits) {
  Value &view = views[{buffer, element}];
  if (!view) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(launch);
    view = BufferViewOp::create(
        b,
        MemRefType::get({llvm::divideCeilSigned(bits, elementBits)}, element),
        buffer, /*whole=*/false);
  }
  return view;
}

Value BufferViews::getRoot(ImplicitLocOpBuilder &b, Value buffer) {
  Value &root = roots[buffer];
  if (root)
    return root;
  std::optional<Placement> placement = getPlacement(buffer);
  if (!placement || placement->strips.empty())
    return root = buffer;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(launch);
  auto type = MemRefType::get(
      {getNumBytes(cast<MemRefType>(placement->root.getType())) * 8 /
       element.getIntOrFloatBitWidth()},
      element);
  return root = BufferViewOp::create(b, type, buffer, /*whole=*/true);
}

LinearForm dml::getPlace(IndexForms &forms, ImplicitLocOpBuilder &b,
                         const Placement &placement, LinearForm position,
                         int64_t bytes) {
  for (const Strip &strip : placement.strips) {
    LinearForm row = 0;
    if (strip.count > 1)
      std::tie(row, position) = forms.divide(b, position, strip.run / bytes);
    position = forms.add(b, forms.mul(b, row, strip.stride / bytes),
                         forms.add(b, position, strip.offset / bytes));
  }
  return position;
}

Value BufferViews::getElements(ImplicitLocOpBuilder &b, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return getView(b, buffer, type.getElementType(),
                 type.getElementTypeBitWidth());
}

Value BufferViews::getVectors(ImplicitLocOpBuilder &b, Value buffer,
                              const Packing &packing) {
  return getView(b, buffer, packing.getVectorType(), packing.bytes * 8);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Scalar TileBuilder::lookup(Value value) const {
  auto found = getValues().find(value);
  if (found != getValues().end())
    return found->second;
  // Defined outside of the generic.
  Scalar scalar;
  scalar.value = value;
  return scalar;
}

LinearForm TileBuilder::getIndex(Value value) {
  auto found = getValues().find(value);
  if (found != getValues().end()) {
    if (!found->second.value)
      return found->second.index;
    value = found->second.value;
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return forms.getOpaque(value);
}

Value TileBuilder::materialize(Type type, const Scalar &scalar) {
  if (scalar.value)
    return scalar.value;
  if (!scalar.buffer)
    return forms.materialize(b, scalar.index);
  Value loaded = load(scalar.buffer, scalar.index);
  return scalar.guard ? buildSelect(scalar.guard, loaded, scalar.otherwise)
                      : loaded;
}

Value TileBuilder::getValue(Value value) {
  auto found = getValues().find(value);
  return found == getValues().end()
             ? value
             : materialize(value.getType(), found->second);
}

Value TileBuilder::getConstant(TypedAttr attribute) {
  Value &constant = built.constants[attribute];
  if (!constant)
    constant = arith::ConstantOp::create(b, attribute);
  return constant;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

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

/// `form` divided by `divisor` and what is left, if that is the same number for
/// all threads.
static std::optional<std::pair<LinearForm, int64_t>>
divideExactly(const LinearForm &form, int64_t divisor) {
  LinearForm quotient;
  for (LinearForm::Term term : form.terms) {
    if (term.second % divisor)
      return std::nullopt;
    quotient.terms.push_back({term.first, term.second / divisor});
  }
  int64_t remainder = llvm::mod(form.constant, divisor);
  quotient.constant = (form.constant - remainder) / divisor;
  return std::make_pair(quotient, remainder);
}

/// An element, or a word of narrow ones, as a part of the largest vector that
/// has it in the same place for all threads: neighbours are wanted too, mostly,
/// and a group of threads takes no longer to load vectors than to load parts of
/// them.
Value TileBuilder::loadComponent(Value buffer, const LinearForm &component) {
  Value &value = built.components[{buffer.getAsOpaquePointer(), component}];
  if (value)
    return value;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t componentBytes =
      llvm::divideCeil(std::max(32u, element.getIntOrFloatBitWidth()), 8);
  for (int64_t bytes = DeviceProfile::vectorBytes; bytes > componentBytes;
       bytes /= 2) {
    auto place = divideExactly(component, bytes / componentBytes);
    if (!place)
      continue;
    Value &vector =
        built.vectors[{buffer.getAsOpaquePointer(), bytes, place->first}];
    if (!vector)
      vector = memref::LoadOp::create(
          b, views.getVectors(b, buffer, Packing(element, bytes)),
          forms.materialize(b, place->first));
    return value = vector::ExtractOp::create(b, vector, place->second);
  }
  return value = memref::LoadOp::create(
             b, views.getVectors(b, buffer, Packing(element, componentBytes)),
             forms.materialize(b, component));
}

Value TileBuilder::load(Value buffer, const LinearForm &position) {
  Value &value = built.loads[{buffer.getAsOpaquePointer(), position}];
  if (value)
    return value;
  Packing packing(cast<MemRefType>(buffer.getType()).getElementType(),
                  DeviceProfile::vectorBytes);
  if (packing.bits >= 32)
    return value = loadComponent(buffer, position);
  auto place = divideExactly(position, packing.getPerWord());
  if (!place)
    return value = memref::LoadOp::create(b, views.getElements(b, buffer),
                                          forms.materialize(b, position));
  auto [word, offset] = *place;
  Value bits = loadComponent(buffer, word);
  if (auto type = dyn_cast<IntegerType>(packing.element)) {
    // 32-bit arithmetic, here and around, spares devices the conversions.
    if (offset)
      bits = arith::ShRUIOp::create(
          b, bits, getConstant(b.getI32IntegerAttr(offset * packing.bits)));
    return value = arith::TruncIOp::create(b, type, bits);
  }
  Value part = vector::BroadcastOp::create(
      b, VectorType::get(1, packing.getWordType()), bits);
  part = vector::BitCastOp::create(b, packing.getPartType(), part);
  return value = vector::ExtractOp::create(b, part, offset);
}

/// What a store takes.
Value TileBuilder::buildVector(const Packing &packing, ArrayRef<Value> parts) {
  auto type = dyn_cast<VectorType>(packing.getVectorType());
  return type ? vector::FromElementsOp::create(b, type, parts).getResult()
              : parts.front();
}

/// Whether `elements` lie side by side in a buffer of `type`, and count under
/// the same condition.
static bool areNeighbours(ArrayRef<Scalar> elements, Type type) {
  const Scalar &first = elements.front();
  if (!first.buffer ||
      cast<MemRefType>(first.buffer.getType()).getElementType() != type)
    return false;
  for (auto [lane, element] : llvm::enumerate(elements))
    if (element.buffer != first.buffer || element.guard != first.guard ||
        element.otherwise != first.otherwise ||
        element.index.terms != first.index.terms ||
        element.index.constant !=
            first.index.constant + static_cast<int64_t>(lane))
      return false;
  return true;
}

/// A vector of narrow elements that lie as they are in another buffer, read
/// word by word. Null where they do not.
Value TileBuilder::packMoved(const Packing &packing,
                             ArrayRef<Scalar> elements) {
  const Scalar &first = elements.front();
  if (!packing.hasWords() || first.guard ||
      !areNeighbours(elements, packing.element))
    return Value();
  if (forms.getRange(first.index).min < 0)
    return Value();

  int64_t perWord = packing.getPerWord();
  auto [word, offset] = forms.divide(b, first.index, perWord);
  int64_t count = elements.size() / perWord;
  SmallVector<Value> parts;
  if (offset == LinearForm(0)) {
    for (int64_t i = 0; i < count; ++i)
      parts.push_back(loadComponent(first.buffer, forms.add(b, word, i)));
    return buildVector(packing, parts);
  }

  // Each word is put together from two. The one after the last may lie beyond
  // the buffer, where nothing of it is taken.
  LinearForm last =
      llvm::divideCeilSigned(
          cast<MemRefType>(first.buffer.getType()).getNumElements(), perWord) -
      1;
  SmallVector<Value> source;
  for (int64_t i = 0; i <= count; ++i)
    source.push_back(
        loadComponent(first.buffer, forms.min(b, forms.add(b, word, i), last)));
  Type wordType = packing.getWordType();
  Value shift = arith::IndexCastOp::create(
      b, wordType, forms.materialize(b, forms.mul(b, offset, packing.bits)));
  Value most = getConstant(b.getI32IntegerAttr(31));
  Value one = getConstant(b.getI32IntegerAttr(1));
  Value back = b.createOrFold<arith::SubIOp>(most, shift);
  for (int64_t i = 0; i < count; ++i) {
    Value low = arith::ShRUIOp::create(b, source[i], shift);
    // By 32 - shift in two steps, as shifting by 32 is undefined.
    Value high = arith::ShLIOp::create(
        b, arith::ShLIOp::create(b, source[i + 1], one), back);
    parts.push_back(arith::OrIOp::create(b, low, high));
  }
  return buildVector(packing, parts);
}

/// A word of narrow elements that are a word of another buffer, too, under a
/// condition that they share, or null.
Value TileBuilder::packGuarded(const Packing &packing,
                               ArrayRef<Scalar> elements) {
  const Scalar &first = elements.front();
  if (!first.guard || !areNeighbours(elements, packing.element))
    return Value();
  auto place = divideExactly(first.index, packing.getPerWord());
  TypedAttr otherwise;
  if (!place || place->second ||
      !matchPattern(first.otherwise, m_Constant(&otherwise)))
    return Value();
  auto number = dyn_cast<FloatAttr>(otherwise);
  APInt bits = number ? number.getValue().bitcastToAPInt()
                      : cast<IntegerAttr>(otherwise).getValue();
  return buildSelect(first.guard, loadComponent(first.buffer, place->first),
                     getConstant(IntegerAttr::get(packing.getWordType(),
                                                  APInt::getSplat(32, bits))));
}

/// The word of elements that are integers in the low bits of words, or null.
Value TileBuilder::packWords(const Packing &packing, ArrayRef<Value> elements) {
  Value word;
  Value mask = getConstant(
      b.getI32IntegerAttr(llvm::maskTrailingOnes<uint32_t>(packing.bits)));
  for (auto [lane, element] : llvm::enumerate(elements)) {
    auto truncation = element.getDefiningOp<arith::TruncIOp>();
    if (!truncation || truncation.getIn().getType() != packing.getWordType())
      return Value();
    Value bits = truncation.getIn();
    // Shifting drops what the last element has above its bits.
    if (lane + 1 < elements.size())
      bits = arith::AndIOp::create(b, bits, mask);
    if (lane > 0)
      bits = arith::ShLIOp::create(
          b, bits, getConstant(b.getI32IntegerAttr(lane * packing.bits)));
    word = word ? arith::OrIOp::create(b, word, bits).getResult() : bits;
  }
  return word;
}

Value TileBuilder::pack(const Packing &packing, ArrayRef<Scalar> elements) {
  if (Value moved = packMoved(packing, elements))
    return moved;
  SmallVector<Value> parts;
  for (; !elements.empty();
       elements = elements.drop_front(packing.getPerWord())) {
    ArrayRef<Scalar> few = elements.take_front(packing.getPerWord());
    if (packing.hasWords()) {
      if (Value word = packGuarded(packing, few)) {
        parts.push_back(word);
        continue;
      }
    }
    auto scalars = llvm::map_to_vector(few, [&](const Scalar &element) {
      return materialize(packing.element, element);
    });
    Value part = scalars.front();
    if (packing.hasWords()) {
      part = packWords(packing, scalars);
      if (!part) {
        part =
            vector::FromElementsOp::create(b, packing.getPartType(), scalars);
        part = vector::BitCastOp::create(
            b, VectorType::get(1, packing.getWordType()), part);
        part = vector::ExtractOp::create(b, part, 0);
      }
    }
    parts.push_back(part);
  }
  return buildVector(packing, parts);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// What a comparison of indices comes to, if ranges tell.
std::optional<bool> TileBuilder::decide(arith::CmpIOp op) {
  LinearForm lhs = getIndex(op.getLhs());
  LinearForm rhs = getIndex(op.getRhs());
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
    // A negative number is a large unsigned one.
    std::optional<bool> notNegative = forms.isNonNegative(lhs);
    std::optional<bool> notLess = atLeast(lhs, rhs);
    if (notNegative == false || notLess == true)
      return false;
    if (notNegative == true && notLess == false)
      return true;
    return std::nullopt;
  }
  case Predicate::uge:
    return positive ? atLeast(lhs, rhs) : std::nullopt;
  case Predicate::ugt:
    return positive ? negate(atLeast(rhs, lhs)) : std::nullopt;
  case Predicate::ule:
    return positive ? atLeast(rhs, lhs) : std::nullopt;
  }
  llvm_unreachable("unknown predicate");
}

/// The operands of an operation. Those of a comparison of indices are divided
/// by what coefficients have in common: the elements of a vector then ask the
/// same question.
SmallVector<Value, 4> TileBuilder::getOperands(Operation &op) {
  using Predicate = arith::CmpIPredicate;
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (compare && compare.getLhs().getType().isIndex() &&
      llvm::is_contained(
          {Predicate::ult, Predicate::uge, Predicate::slt, Predicate::sge},
          compare.getPredicate())) {
    LinearForm lhs = getIndex(compare.getLhs());
    LinearForm rhs = getIndex(compare.getRhs());
    int64_t common = lhs.getCommonDivisor();
    if (common > 1 && rhs.isConstant() && rhs.constant >= 0) {
      // common * y + rest < bound where y < (bound - rest) / common, rounded
      // up.
      auto [quotient, rest] = *divideExactly(lhs, common);
      LinearForm bound = llvm::divideCeilSigned(rhs.constant - rest, common);
      return {forms.materialize(b, quotient), forms.materialize(b, bound)};
    }
  }
  return llvm::map_to_vector<4>(
      op.getOperands(), [&](Value operand) { return getValue(operand); });
}

Value TileBuilder::buildSelect(Value condition, Value chosen, Value otherwise) {
  Value &selection = built.selections[{condition.getAsOpaquePointer(),
                                       chosen.getAsOpaquePointer(),
                                       otherwise.getAsOpaquePointer()}];
  if (!selection)
    selection = b.createOrFold<arith::SelectOp>(condition, chosen, otherwise);
  return selection;
}

/// The range of the index that `op` selects where its condition holds.
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

/// An index that `op` selects. What the elements of a vector select between are
/// multiples of a number and constants: of the multiples they select the same.
LinearForm TileBuilder::buildChoice(arith::SelectOp op) {
  LinearForm lhs = getIndex(op.getTrueValue());
  LinearForm rhs = getIndex(op.getFalseValue());
  int64_t common = std::max<int64_t>(
      std::gcd(lhs.getCommonDivisor(), rhs.getCommonDivisor()), 1);
  auto [chosen, rest] = *divideExactly(lhs, common);
  auto [otherwise, otherRest] = *divideExactly(rhs, common);
  Value condition = getValue(op.getCondition());
  Value selection = buildSelect(condition, forms.materialize(b, chosen),
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
  LinearForm flag = forms.getOpaque(
      buildSelect(condition, forms.materialize(b, 1), forms.materialize(b, 0)),
      {0, 1});
  built.conditions[flag.terms.front().first] = condition;
  return forms.add(b, result, forms.mul(b, flag, rest - otherRest));
}

/// Whether `condition` holds only where `implied` does.
static bool implies(Value condition, Value implied) {
  if (condition == implied)
    return true;
  auto both = condition.getDefiningOp<arith::AndIOp>();
  return both &&
         (implies(both.getLhs(), implied) || implies(both.getRhs(), implied));
}

/// A load that counts only where a condition holds. An index that is selected
/// by that condition is then the one of elements that lie side by side.
std::optional<Scalar> TileBuilder::buildGuarded(arith::SelectOp op) {
  Scalar scalar = lookup(op.getTrueValue());
  if (!scalar.buffer || scalar.value || scalar.guard ||
      !matchPattern(op.getFalseValue(), m_Constant()))
    return std::nullopt;
  scalar.guard = getValue(op.getCondition());
  scalar.otherwise = getValue(op.getFalseValue());
  LinearForm assumed = scalar.index.constant;
  for (LinearForm::Term term : scalar.index.terms) {
    Value condition = built.conditions.lookup(term.first);
    if (condition && implies(scalar.guard, condition))
      assumed.constant += term.second;
    else
      assumed.terms.push_back(term);
  }
  // What is loaded where it does not count has to be there, too.
  IndexRange range = forms.getRange(assumed, built.selected);
  auto type = cast<MemRefType>(scalar.buffer.getType());
  if (range.min >= 0 && range.max < type.getNumElements())
    scalar.index = assumed;
  return scalar;
}

/// Operations that ranges and forms say more about than folding does.
std::optional<Scalar> TileBuilder::buildIndex(Operation &op) {
  auto index = [&](unsigned operand) {
    return getIndex(op.getOperand(operand));
  };
  auto isNonNegative = [&](unsigned operand) {
    return forms.getRange(index(operand)).min >= 0;
  };
  auto result = [](const LinearForm &form) {
    Scalar scalar;
    scalar.index = form;
    return scalar;
  };
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
    Scalar scalar;
    scalar.buffer = views.getRoot(b, load.getMemRef());
    scalar.index = linearize(load.getMemRefType(), coordinates);
    if (scalar.buffer != load.getMemRef())
      scalar.index =
          getPlace(forms, b, *getPlacement(load.getMemRef()), scalar.index,
                   load.getMemRefType().getElementTypeBitWidth() / 8);
    return scalar;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    if (!compare.getLhs().getType().isIndex())
      return std::nullopt;
    if (std::optional<bool> known = decide(compare)) {
      Scalar scalar;
      scalar.value = getConstant(b.getBoolAttr(*known));
      return scalar;
    }
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

/// Operations of one class compute the same from the same operands. Those that
/// do more than compute one value have none.
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

/// The result of an operation as a scalar.
Scalar TileBuilder::getResult(Value result) {
  Scalar scalar;
  if (result.getType().isIndex())
    scalar.index = forms.getOpaque(result);
  else
    scalar.value = result;
  return scalar;
}

/// An operation that widens what was narrowed from a word, without the narrow
/// type, or null.
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
        word, getConstant(b.getI32IntegerAttr(
                  llvm::maskTrailingOnes<uint32_t>(width))));
  } else {
    Value shift = getConstant(b.getI32IntegerAttr(32 - width));
    word = b.createOrFold<arith::ShLIOp>(word, shift);
    word = b.createOrFold<arith::ShRSIOp>(word, shift);
  }
  Type type = op.getResult(0).getType();
  if (isa<FloatType>(type))
    return isUnsigned ? b.createOrFold<arith::UIToFPOp>(type, word)
                      : b.createOrFold<arith::SIToFPOp>(type, word);
  return type.isInteger(32) ? word : Value();
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
      known = attribute ? getConstant(cast<TypedAttr>(attribute))
                        : cast<Value>(folded.front());
      built->erase();
    }
  }
  getValues()[op.getResult(0)] = getResult(known);
}

void TileBuilder::buildOperation(Operation &nested,
                                 ArrayRef<LinearForm> coordinates) {
  if (auto index = dyn_cast<linalg::IndexOp>(nested))
    getValues()[index].index = coordinates[index.getDim()];
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

/// Builds one loop for all elements, unless its bounds differ between them.
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

  // What the loop uses of the code before it is loaded before it.
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getRegion(), captured);
  SmallVector<Value> init;
  forEach([&] {
    for (Value value : captured) {
      auto found = getValues().find(value);
      if (found != getValues().end() && found->second.buffer &&
          !found->second.value) {
        Value loaded = materialize(value.getType(), found->second);
        getValues()[value].value = loaded;
      }
    }
    for (Value value : loop.getInitArgs())
      init.push_back(getValue(value));
  });
  auto joined = scf::ForOp::create(b, forms.materialize(b, bounds[0]),
                                   forms.materialize(b, bounds[1]),
                                   forms.materialize(b, bounds[2]), init);
  IndexForms formsBefore = forms;
  Built builtBefore = built;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(joined.getBody());
    LinearForm induction = forms.getOpaque(
        joined.getInductionVar(),
        {forms.getRange(bounds[0]).min, forms.getRange(bounds[1]).max - 1});
    auto arguments = joined.getRegionIterArgs();
    forEach([&] {
      getValues()[loop.getInductionVar()].index = induction;
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
  forms = formsBefore;
  built = std::move(builtBefore);
  // Arithmetic of indices that does not depend on the iteration.
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
// Slices
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
  // Each as it is where it is chosen, and whatever elsewhere.
  auto build = [&](const LinearForm &nonNegative,
                   ArrayRef<LinearForm> coordinates) {
    forms.assume(nonNegative);
    Scalar element = buildElement(coordinates);
    IndexRange range = forms.getRange(element.index);
    forms.assumeNothing();
    return std::make_pair(element, range);
  };
  auto [lhs, lhsRange] = build(form, chosen);
  auto [rhs, rhsRange] = build(forms.sub(b, -1, form), otherwise);
  if (!lhs.buffer || !rhs.buffer)
    return std::nullopt;
  // The constant goes to the other side: neighbours compare the same.
  LinearForm varying = form;
  varying.constant = 0;
  Value condition = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                          forms.materialize(b, varying),
                                          forms.materialize(b, -form.constant));
  Scalar result = lhs.guard ? lhs : rhs;
  result.index =
      forms.getOpaque(buildSelect(condition, forms.materialize(b, lhs.index),
                                  forms.materialize(b, rhs.index)),
                      lhsRange.getUnion(rhsRange));
  if (result.guard) {
    auto getGuard = [&](const Scalar &scalar) {
      return scalar.guard ? scalar.guard : getConstant(b.getBoolAttr(true));
    };
    result.guard = buildSelect(condition, getGuard(lhs), getGuard(rhs));
  }
  return result;
}
