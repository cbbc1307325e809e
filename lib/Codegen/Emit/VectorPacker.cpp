//===- VectorPacker.cpp - Elements as vectors to store --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/VectorPacker.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

/// Builds the vector that a store takes from its components `parts`.
Value VectorPacker::buildVector(ArrayRef<Value> parts) {
  auto type = dyn_cast<VectorType>(packing.getVectorType());
  return type ? vector::FromElementsOp::create(b, type, parts).getResult()
              : parts.front();
}

/// Returns the first of `elements` if all of them are loads of consecutive
/// elements of one buffer, whose elements have the type `type`, with the same
/// guard. (A guard is the condition under which the loaded element is used.)
/// Returns null otherwise.
static const Load *getNeighbours(ArrayRef<Scalar> elements, Type type) {
  const auto *first = std::get_if<Load>(&elements.front());
  if (!first ||
      cast<MemRefType>(first->buffer.getType()).getElementType() != type)
    return nullptr;
  for (auto [lane, element] : llvm::enumerate(elements)) {
    const auto *other = std::get_if<Load>(&element);
    if (!other || other->buffer != first->buffer ||
        other->guard != first->guard || other->otherwise != first->otherwise ||
        other->position.terms != first->position.terms ||
        other->position.constant !=
            first->position.constant + static_cast<int64_t>(lane))
      return nullptr;
  }
  return first;
}

/// Builds a vector of narrow elements that lie next to each other in the buffer
/// from which they are loaded. The code loads whole words of that buffer and
/// shifts them. Returns null if the elements are not neighbours.
Value VectorPacker::packMoved(ArrayRef<Scalar> elements) {
  const Load *first =
      packing.hasWords() ? getNeighbours(elements, packing.element) : nullptr;
  if (!first || first->guard || forms.getRange(first->position).min < 0)
    return Value();

  int64_t perWord = packing.getPerWord();
  auto [word, offset] = forms.divide(b, first->position, perWord);
  int64_t count = elements.size() / perWord;
  SmallVector<Value> parts;
  if (offset == LinearForm(0)) {
    for (int64_t i = 0; i < count; ++i)
      parts.push_back(
          shared.loadComponent(first->buffer, forms.add(b, word, i)));
    return buildVector(parts);
  }

  // Each word of the result combines parts of two words of the buffer. The
  // second word of the last pair may lie beyond the buffer. None of its bits
  // are used in this case, and the code loads the last word of the buffer
  // instead.
  LinearForm last =
      llvm::divideCeilSigned(
          cast<MemRefType>(first->buffer.getType()).getNumElements(), perWord) -
      1;
  SmallVector<Value> source;
  for (int64_t i = 0; i <= count; ++i)
    source.push_back(shared.loadComponent(
        first->buffer, forms.min(b, forms.add(b, word, i), last)));
  Type wordType = packing.getWordType();
  Value shift = arith::IndexCastOp::create(
      b, wordType, forms.materialize(b, forms.mul(b, offset, packing.bits)));
  Value most = shared.getConstant(b.getI32IntegerAttr(31));
  Value one = shared.getConstant(b.getI32IntegerAttr(1));
  Value back = b.createOrFold<arith::SubIOp>(most, shift);
  for (int64_t i = 0; i < count; ++i) {
    Value low = arith::ShRUIOp::create(b, source[i], shift);
    // The left shift by 32 - `shift` takes two steps, by 1 and by 31 - `shift`,
    // since a shift by 32 is undefined.
    Value high = arith::ShLIOp::create(
        b, arith::ShLIOp::create(b, source[i + 1], one), back);
    parts.push_back(arith::OrIOp::create(b, low, high));
  }
  return buildVector(parts);
}

/// Builds a word of narrow elements that form a whole word of the buffer from
/// which they are loaded, and that are used under one condition, their guard.
/// Returns null for other elements.
Value VectorPacker::packGuarded(ArrayRef<Scalar> elements) {
  const Load *first = getNeighbours(elements, packing.element);
  if (!first || !first->guard)
    return Value();
  auto place = divideExactly(first->position, packing.getPerWord());
  if (!place || place->second)
    return Value();
  TypedAttr otherwise;
  Value word;
  if (matchPattern(first->otherwise, m_Constant(&otherwise))) {
    auto number = dyn_cast<FloatAttr>(otherwise);
    APInt bits = number ? number.getValue().bitcastToAPInt()
                        : cast<IntegerAttr>(otherwise).getValue();
    word = shared.getConstant(
        IntegerAttr::get(packing.getWordType(), APInt::getSplat(32, bits)));
  } else if (packing.element.isInteger()) {
    // A multiplication by 0x01010101 copies a byte to all four bytes of the
    // word. (Elements of 16 bits are multiplied by 0x00010001.)
    word = arith::MulIOp::create(
        b, arith::ExtUIOp::create(b, packing.getWordType(), first->otherwise),
        shared.getConstant(
            IntegerAttr::get(packing.getWordType(),
                             APInt::getSplat(32, APInt(packing.bits, 1)))));
  } else {
    return Value();
  }
  return shared.buildSelect(
      first->guard, shared.loadComponent(first->buffer, place->first), word);
}

/// Builds the word of integers that were truncated from 32-bit words. Returns
/// null for other elements.
Value VectorPacker::packWords(ArrayRef<Value> elements) {
  Value word;
  Value mask = shared.getConstant(
      b.getI32IntegerAttr(llvm::maskTrailingOnes<uint32_t>(packing.bits)));
  for (auto [lane, element] : llvm::enumerate(elements)) {
    auto truncation = element.getDefiningOp<arith::TruncIOp>();
    if (!truncation || truncation.getIn().getType() != packing.getWordType())
      return Value();
    Value bits = truncation.getIn();
    // Only the elements before the last need a mask. The left shift of the last
    // element drops the bits above it.
    if (lane + 1 < elements.size())
      bits = arith::AndIOp::create(b, bits, mask);
    if (lane > 0)
      bits = arith::ShLIOp::create(
          b, bits,
          shared.getConstant(b.getI32IntegerAttr(lane * packing.bits)));
    word = word ? arith::OrIOp::create(b, word, bits).getResult() : bits;
  }
  return word;
}

Value VectorPacker::pack(ArrayRef<Scalar> elements) {
  if (Value moved = packMoved(elements))
    return moved;
  SmallVector<Value> parts;
  for (; !elements.empty();
       elements = elements.drop_front(packing.getPerWord())) {
    ArrayRef<Scalar> few = elements.take_front(packing.getPerWord());
    if (packing.hasWords()) {
      if (Value word = packGuarded(few)) {
        parts.push_back(word);
        continue;
      }
    }
    auto scalars = llvm::map_to_vector(few, [&](const Scalar &element) {
      return shared.materialize(element);
    });
    Value part = scalars.front();
    if (packing.hasWords()) {
      part = packWords(scalars);
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
  return buildVector(parts);
}
