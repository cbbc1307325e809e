//===- QuantizedFactors.cpp - Unpacking of words of integers --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Quantized numbers become floats without shifts and conversions. The f32 with
// the bits 0x4b000000 is 2^23, and the lowest bit of its mantissa has the value
// 1, so that 0x4b000005 is 2^23 + 5. For a number that lies four bits higher,
// the exponent is four less: 0x49000050 is 2^19 + 5. An AND with a mask and an
// OR with the bits of such a power of two thus extract a number of a word as a
// float, to which the power of two, the bias, is added. Subtracting the sum of
// the bias and the zero point gives the exact difference between the number and
// the zero point. In f16, one AND extracts a number from each half of the word.
//
//===----------------------------------------------------------------------===//

#include "Emit/QuantizedFactors.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dml;

namespace {
/// A format of floats. A small integer becomes a float without a conversion:
/// its bits are placed in the mantissa of a float of this format.
struct PackedFloat {
  /// The number of bits of the float, the number of bits of its mantissa, and
  /// the bias of its exponent.
  int64_t bits, digits, exponentBias;

  /// Returns the bits of the float 2^(digits - shift). In the mantissa of this
  /// float, bit `shift` has the value 1.
  uint32_t getBits(int64_t shift) const {
    return static_cast<uint32_t>(exponentBias + digits - shift) << digits;
  }
  double getValue(int64_t shift) const {
    return static_cast<double>(int64_t(1) << (digits - shift));
  }
};
} // namespace

static constexpr PackedFloat half = {16, 10, 15}, single = {32, 23, 127};

static Value getWord(ImplicitLocOpBuilder &b, uint32_t bits) {
  return arith::ConstantOp::create(b,
                                   b.getI32IntegerAttr(static_cast<int>(bits)));
}

static VectorType getPairType(ImplicitLocOpBuilder &b) {
  return VectorType::get(2, b.getF16Type());
}

/// Returns the two f16 numbers in the i32 `word`.
static Value toPair(ImplicitLocOpBuilder &b, Value word) {
  Value part =
      vector::BroadcastOp::create(b, VectorType::get(1, b.getI32Type()), word);
  return vector::BitCastOp::create(b, getPairType(b), part);
}

std::optional<QuantizedFactors>
QuantizedFactors::match(const ContractionOperand &operand) {
  QuantizedFactors result;
  result.factors = matchQuantizedFactors(operand);
  if (result.factors.empty())
    return std::nullopt;
  SmallVector<Value> needed;
  for (const QuantizedFactor &factor : result.factors)
    needed.append({factor.loaded, factor.lane, factor.zeroPoint, factor.scale});
  result.slice = getSliceOf(operand.slice, needed);
  return result;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Returns the position in its buffer of the word that consists of `numbers`,
/// in their order, or nothing if there is no such word.
std::optional<LinearForm>
QuantizedFactors::findWord(TileBuilder &builder,
                           ArrayRef<BuiltFactor> numbers) const {
  std::optional<LinearForm> word;
  Value buffer;
  for (auto [i, number] : llvm::enumerate(numbers)) {
    const QuantizedFactor &factor = factors[number.term];
    auto place = static_cast<int64_t>(i);
    Scalar scalar = builder.getScalar(number.element, factor.loaded);
    const auto *load = std::get_if<Load>(&scalar);
    if (!load || load->guard)
      return std::nullopt;
    LinearForm position = load->position;
    if (factor.lane) {
      Scalar lane = builder.getScalar(number.element, factor.lane);
      const auto *form = std::get_if<LinearForm>(&lane);
      if (!form || !(*form == LinearForm(place)))
        return std::nullopt;
    } else {
      auto divided = divideExactly(position, getNumPerWord());
      if (!divided || divided->second != place)
        return std::nullopt;
      position = divided->first;
    }
    if (word && (!(*word == position) || buffer != load->buffer))
      return std::nullopt;
    word = position;
    buffer = load->buffer;
  }
  return word;
}

std::optional<QuantizedFactors::Word>
QuantizedFactors::buildWord(TileBuilder &builder,
                            ArrayRef<BuiltFactor> numbers) const {
  std::optional<LinearForm> position = findWord(builder, numbers);
  if (!position)
    return std::nullopt;
  Word word;
  for (BuiltFactor number : numbers) {
    const QuantizedFactor &factor = factors[number.term];
    Value scale = builder.getBuilt(number.element, factor.scale), zeroPoint;
    if (factor.zeroPoint)
      zeroPoint = builder.getBuilt(number.element, factor.zeroPoint);
    if (word.scale && (word.scale != scale || word.zeroPoint != zeroPoint))
      return std::nullopt;
    word.scale = scale;
    word.zeroPoint = zeroPoint;
  }
  Value loaded = factors[numbers.front().term].loaded;
  Scalar scalar = builder.getScalar(numbers.front().element, loaded);
  word.bits = builder.getShared().loadComponent(std::get<Load>(scalar).buffer,
                                                *position);
  return word;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Builds the float, or the pair of f16 numbers, that is subtracted from an
/// extracted number. The lowest bit of the extracted number is bit `place` of
/// the word. The float is the sum of two numbers: the power of two that the
/// extraction has added (the bias), and the zero point.
Value QuantizedFactors::buildBias(ImplicitLocOpBuilder &b, const Word &word,
                                  int64_t place, Type type) const {
  const QuantizedFactor &factor = factors.front();
  bool isHalf = isa<VectorType>(type);
  const PackedFloat &packed = isHalf ? half : single;
  // Signed numbers are made unsigned by flipping their highest bits
  // (flipSigns()), which adds half of their range: 8 for numbers of 4 bits. The
  // zero point increases by as much.
  int64_t offset = factor.isSigned ? int64_t(1) << (factor.bits - 1) : 0;
  if (!word.zeroPoint) {
    double bias = packed.getValue(place) +
                  static_cast<double>(factor.constantZeroPoint + offset);
    auto attribute = b.getFloatAttr(getElementTypeOrSelf(type), bias);
    if (!isHalf)
      return arith::ConstantOp::create(b, attribute);
    return arith::ConstantOp::create(
        b,
        DenseElementsAttr::get(cast<VectorType>(type), Attribute(attribute)));
  }
  Value number = word.zeroPoint;
  if (offset)
    number = arith::AddIOp::create(b, number,
                                   getWord(b, static_cast<uint32_t>(offset)));
  // In f16, a pair of numbers is computed at a time, so that the zero point is
  // copied to both halves of the word.
  uint32_t both = isHalf ? 0x10001 : 1;
  uint32_t scale = both << place;
  if (scale != 1)
    number = arith::MulIOp::create(b, number, getWord(b, scale));
  number =
      arith::OrIOp::create(b, number, getWord(b, packed.getBits(place) * both));
  if (isHalf)
    return toPair(b, number);
  return arith::BitcastOp::create(b, type, number);
}

/// Flips the highest bits of signed numbers, which makes them unsigned.
QuantizedFactors::Word QuantizedFactors::flipSigns(ImplicitLocOpBuilder &b,
                                                   const Word &word) const {
  const QuantizedFactor &factor = factors.front();
  if (!factor.isSigned)
    return word;
  uint32_t highest = 0;
  for (int64_t i = 0; i < getNumPerWord(); ++i)
    highest |= uint32_t(1) << (factor.bits * (i + 1) - 1);
  Word flipped = word;
  flipped.bits = arith::XOrIOp::create(b, word.bits, getWord(b, highest));
  return flipped;
}

/// The number of low bits of an f16's mantissa, which has 10 bits, in which
/// numbers are extracted: two numbers of 4 bits, or one of 8.
static constexpr int64_t bitsOfPair = 8;

SmallVector<int64_t> QuantizedFactors::getPairedNumbers() const {
  int64_t bits = factors.front().bits;
  SmallVector<int64_t> numbers;
  for (int64_t place = 0; place < half.bits; place += bits)
    for (int64_t ofHalf : {int64_t(0), half.bits})
      numbers.push_back((place + ofHalf) / bits);
  return numbers;
}

SmallVector<Value> QuantizedFactors::buildPairs(ImplicitLocOpBuilder &b,
                                                const Word &word) const {
  int64_t ofNumber = factors.front().bits;
  constexpr uint32_t both = 0x10001;
  VectorType type = getPairType(b);
  Value scale = vector::BroadcastOp::create(b, type, word.scale);
  Value bits = flipSigns(b, word).bits;
  SmallVector<Value> pairs, biases;
  for (int64_t place = 0; place < bitsOfPair; place += ofNumber)
    biases.push_back(buildBias(b, word, place, type));
  for (int64_t shift = 0; shift < half.bits; shift += bitsOfPair) {
    Value shifted = bits;
    if (shift)
      shifted = arith::ShRUIOp::create(
          b, bits, getWord(b, static_cast<uint32_t>(shift)));
    for (auto [i, bias] : llvm::enumerate(biases)) {
      int64_t place = static_cast<int64_t>(i) * ofNumber;
      uint32_t mask = llvm::maskTrailingOnes<uint32_t>(ofNumber) << place;
      Value pair = arith::AndIOp::create(b, shifted, getWord(b, mask * both));
      pair =
          arith::OrIOp::create(b, pair, getWord(b, half.getBits(place) * both));
      pair = arith::SubFOp::create(b, toPair(b, pair), bias);
      pairs.push_back(arith::MulFOp::create(b, pair, scale));
    }
  }
  return pairs;
}

/// Builds the factors of a word, each rounded to f16 and then widened to f32.
SmallVector<Value> QuantizedFactors::buildHalves(ImplicitLocOpBuilder &b,
                                                 const Word &word) const {
  SmallVector<int64_t> numbers = getPairedNumbers();
  SmallVector<Value> results(numbers.size());
  for (auto [i, pair] : llvm::enumerate(buildPairs(b, word)))
    for (int64_t lane = 0; lane < 2; ++lane) {
      Value product = vector::ExtractOp::create(b, pair, lane);
      results[numbers[2 * i + lane]] =
          arith::ExtFOp::create(b, b.getF32Type(), product);
    }
  return results;
}

/// Builds the factors of a word in f32, without a rounding to f16.
SmallVector<Value> QuantizedFactors::buildSingles(ImplicitLocOpBuilder &b,
                                                  const Word &word) const {
  const QuantizedFactor &factor = factors.front();
  SmallVector<Value> results, biases;
  Value unsignedBits = flipSigns(b, word).bits;
  // The mantissa of an f32, of 23 bits, has room for the numbers in the lower
  // half of the word. The upper half is shifted down for a second extraction.
  constexpr int64_t ofShift = QuantizedFactor::wordBits / 2;
  for (int64_t place = 0; place < ofShift; place += factor.bits)
    biases.push_back(buildBias(b, word, place, b.getF32Type()));
  for (int64_t shift = 0; shift < QuantizedFactor::wordBits; shift += ofShift) {
    Value bits = unsignedBits;
    if (shift)
      bits = arith::ShRUIOp::create(b, bits,
                                    getWord(b, static_cast<uint32_t>(shift)));
    for (auto [i, bias] : llvm::enumerate(biases)) {
      int64_t place = static_cast<int64_t>(i) * factor.bits;
      uint32_t mask = llvm::maskTrailingOnes<uint32_t>(factor.bits) << place;
      Value number = arith::AndIOp::create(b, bits, getWord(b, mask));
      number =
          arith::OrIOp::create(b, number, getWord(b, single.getBits(place)));
      number = arith::BitcastOp::create(b, b.getF32Type(), number);
      number = arith::SubFOp::create(b, number, bias);
      results.push_back(arith::MulFOp::create(b, number, word.scale));
    }
  }
  return results;
}

SmallVector<Value> QuantizedFactors::buildFactors(ImplicitLocOpBuilder &b,
                                                  const Word &word) const {
  return factors.front().scale.getType().isF16() ? buildHalves(b, word)
                                                 : buildSingles(b, word);
}
