//===- Words.cpp - Arithmetic in 32-bit words -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/Words.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dml;
using namespace mlir::arith;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Value WordBuilder::index(int64_t value) {
  return ConstantIndexOp::create(*this, value);
}

Value WordBuilder::word(uint32_t value) {
  return ConstantOp::create(
      *this, IntegerAttr::get(getI32Type(), static_cast<int32_t>(value)));
}

Value WordBuilder::compare(Predicate predicate, Value lhs, Value rhs) {
  return createOrFold<CmpIOp>(predicate, lhs, rhs);
}
Value WordBuilder::compare(Predicate predicate, Value lhs, uint32_t rhs) {
  return compare(predicate, lhs, word(rhs));
}

Value WordBuilder::select(Value condition, Value whenTrue, Value whenFalse) {
  return createOrFold<SelectOp>(condition, whenTrue, whenFalse);
}

Value WordBuilder::truth(Value condition) {
  return createOrFold<ExtUIOp>(getI32Type(), condition);
}

Value WordBuilder::extendSign(Value bits, unsigned width) {
  uint32_t rest = wordBits - width;
  return with<ShRSIOp>(with<ShLIOp>(bits, rest), rest);
}

Value WordBuilder::countLeadingZeros(Value word) {
  return createOrFold<math::CountLeadingZerosOp>(word);
}

//===----------------------------------------------------------------------===//
// Two words
//===----------------------------------------------------------------------===//

Wide WordBuilder::split(Value value) {
  if (isa<VectorType>(value.getType()))
    return {createOrFold<vector::ExtractOp>(value, 0),
            createOrFold<vector::ExtractOp>(value, 1)};
  Value shift = ConstantOp::create(*this, getI64IntegerAttr(wordBits));
  return {createOrFold<TruncIOp>(getI32Type(), value),
          createOrFold<TruncIOp>(getI32Type(),
                                 createOrFold<ShRUIOp>(value, shift))};
}

Value WordBuilder::join(Wide words, Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector::FromElementsOp::create(*this, vector,
                                          ValueRange{words.low, words.high});
  Value shift = ConstantOp::create(*this, getI64IntegerAttr(wordBits));
  return createOrFold<OrIOp>(
      createOrFold<ExtUIOp>(type, words.low),
      createOrFold<ShLIOp>(createOrFold<ExtUIOp>(type, words.high), shift));
}

Wide WordBuilder::extend(Value number, bool isSigned) {
  return {number, isSigned ? with<ShRSIOp>(number, wordBits - 1) : word(0)};
}

Wide WordBuilder::wide(uint64_t value) {
  return {word(static_cast<uint32_t>(value)),
          word(static_cast<uint32_t>(value >> wordBits))};
}

Wide WordBuilder::add(Wide a, Wide b) {
  Value low = with<AddIOp>(a.low, b.low);
  // The addition of the low words carries if the sum is less than an operand.
  Value carry = truth(compare(Predicate::ult, low, a.low));
  return {low, with<AddIOp>(with<AddIOp>(a.high, b.high), carry)};
}

Wide WordBuilder::sub(Wide a, Wide b) {
  Value borrow = truth(compare(Predicate::ult, a.low, b.low));
  return {with<SubIOp>(a.low, b.low),
          with<SubIOp>(with<SubIOp>(a.high, b.high), borrow)};
}

Wide WordBuilder::mul(Wide a, Wide b) {
  auto product = MulUIExtendedOp::create(*this, a.low, b.low);
  Value crossed =
      with<AddIOp>(with<MulIOp>(a.low, b.high), with<MulIOp>(a.high, b.low));
  return {product.getLow(), with<AddIOp>(product.getHigh(), crossed)};
}

Wide WordBuilder::bitAnd(Wide a, Wide b) {
  return {with<AndIOp>(a.low, b.low), with<AndIOp>(a.high, b.high)};
}
Wide WordBuilder::bitOr(Wide a, Wide b) {
  return {with<OrIOp>(a.low, b.low), with<OrIOp>(a.high, b.high)};
}
Wide WordBuilder::bitXor(Wide a, Wide b) {
  return {with<XOrIOp>(a.low, b.low), with<XOrIOp>(a.high, b.high)};
}

Wide WordBuilder::select(Value condition, Wide whenTrue, Wide whenFalse) {
  return {select(condition, whenTrue.low, whenFalse.low),
          select(condition, whenTrue.high, whenFalse.high)};
}

/// Returns the predicate that compares unsigned numbers as `predicate` compares
/// signed ones. The low words of two signed numbers are compared with this
/// predicate, if the high words are equal.
static WordBuilder::Predicate getUnsigned(WordBuilder::Predicate predicate) {
  using Predicate = WordBuilder::Predicate;
  switch (predicate) {
  case Predicate::slt:
    return Predicate::ult;
  case Predicate::sle:
    return Predicate::ule;
  case Predicate::sgt:
    return Predicate::ugt;
  case Predicate::sge:
    return Predicate::uge;
  default:
    return predicate;
  }
}

Value WordBuilder::compare(Predicate predicate, Wide a, Wide b) {
  Value low = compare(getUnsigned(predicate), a.low, b.low);
  Value high = compare(predicate, a.high, b.high);
  if (predicate == Predicate::eq)
    return createOrFold<AndIOp>(low, high);
  if (predicate == Predicate::ne)
    return createOrFold<OrIOp>(low, high);
  return select(compare(Predicate::eq, a.high, b.high), low, high);
}

Wide WordBuilder::minUnsigned(Wide a, Wide b) {
  return select(compare(Predicate::ult, a, b), a, b);
}
Wide WordBuilder::minSigned(Wide a, Wide b) {
  return select(compare(Predicate::slt, a, b), a, b);
}
Wide WordBuilder::maxUnsigned(Wide a, Wide b) {
  return select(compare(Predicate::ugt, a, b), a, b);
}
Wide WordBuilder::maxSigned(Wide a, Wide b) {
  return select(compare(Predicate::sgt, a, b), a, b);
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

// Shifting two words left by n, a number of 0 to 31, moves n bits from the low
// word to the high word. The bits to be moved are extracted by shifting the low
// word right by 32 - n. This shift takes two steps, by 1 and by 31 - n, since a
// shift of a word by 32 is undefined. If n is 32 or more, the words are shifted
// by n - 32, and the low word then takes the place of the high word. Shifts to
// the right are analogous.

Wide WordBuilder::shiftLeftWithin(Wide a, Value n) {
  Value back = with<XOrIOp>(n, wordBits - 1);
  Value crossing = with<ShRUIOp>(with<ShRUIOp>(a.low, 1), back);
  return {with<ShLIOp>(a.low, n),
          with<OrIOp>(with<ShLIOp>(a.high, n), crossing)};
}

Wide WordBuilder::shiftLeft(Wide a, Value amount) {
  Wide shifted = shiftLeftWithin(a, with<AndIOp>(amount, wordBits - 1));
  return select(compare(Predicate::uge, amount, wordBits),
                {word(0), shifted.low}, shifted);
}

Wide WordBuilder::shiftRightWithin(Wide a, Value n) {
  Value back = with<XOrIOp>(n, wordBits - 1);
  Value crossing = with<ShLIOp>(with<ShLIOp>(a.high, 1), back);
  return {with<OrIOp>(with<ShRUIOp>(a.low, n), crossing),
          with<ShRUIOp>(a.high, n)};
}

Wide WordBuilder::shiftRight(Wide a, Value amount) {
  Wide shifted = shiftRightWithin(a, with<AndIOp>(amount, wordBits - 1));
  return select(compare(Predicate::uge, amount, wordBits),
                {shifted.high, word(0)}, shifted);
}

Wide WordBuilder::shiftRightSigned(Wide a, Wide amount) {
  // An arithmetic right shift fills in ones if the number is negative. It
  // equals the complement of the logical shift of the number's complement.
  Value sign = getSign(a);
  Wide flip = {sign, sign};
  return bitXor(shiftRight(bitXor(a, flip), amount), flip);
}

std::pair<Wide, Value> WordBuilder::normalize(Wide a) {
  Value isLow = compare(Predicate::eq, a.high, 0u);
  Value zeros = countLeadingZeros(select(isLow, a.low, a.high));
  Value count = with<AddIOp>(zeros, select(isLow, word(wordBits), word(0)));
  return {shiftLeft(a, count), count};
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

Wide WordBuilder::negateIf(Value isNegative, Wide number) {
  Wide flip = {isNegative, isNegative};
  return sub(bitXor(number, flip), flip);
}

/// Divides two words by a word whose highest bit is set. The high word of the
/// dividend is less than the divisor, so that the quotient fits into a word.
/// The quotient is computed as two digits of 16 bits. Each digit is first
/// estimated from the upper half of the divisor. An estimate is at most 2 too
/// large.
Value WordBuilder::divideByNormal(Wide dividend, Value divisor) {
  Value upper = with<ShRUIOp>(divisor, 16);
  Value lower = with<AndIOp>(divisor, 0xffff);
  auto getDigit = [&](Value rest, Value next) {
    Value digit = with<DivUIOp>(rest, upper);
    Value left = with<SubIOp>(rest, with<MulIOp>(digit, upper));
    for (int round = 0; round < 2; ++round) {
      Value isLarge =
          with<OrIOp>(compare(Predicate::ugt, digit, 0xffff),
                      compare(Predicate::ugt, with<MulIOp>(digit, lower),
                              with<OrIOp>(with<ShLIOp>(left, 16), next)));
      // The function is long division by a number of two digits of 16 bits
      // (Knuth's algorithm D). `digit` is an estimate from the divisor's upper
      // half, and `left` is the remainder of this estimate: `rest` - `digit` *
      // `upper`. The estimate is too large if the product of `digit` and
      // `lower` exceeds `left` * 2^16 + `next`.
      //
      // In the first round, `left` has at most 16 bits. If `left` has more bits
      // in the second round, `left` * 2^16 has more than 32 bits, whereas the
      // product has at most 32 bits. The estimate is then right. But the shift
      // of `left` by 16 loses the upper bits, so that `isLarge` may be true. It
      // is therefore replaced by false.
      if (round > 0)
        isLarge = with<AndIOp>(isLarge, compare(Predicate::ule, left, 0xffff));
      digit = select(isLarge, with<SubIOp>(digit, 1), digit);
      left = select(isLarge, with<AddIOp>(left, upper), left);
    }
    return digit;
  };
  Value next = with<ShRUIOp>(dividend.low, 16);
  Value first = getDigit(dividend.high, next);
  Value rest = with<SubIOp>(with<OrIOp>(with<ShLIOp>(dividend.high, 16), next),
                            with<MulIOp>(first, divisor));
  Value second = getDigit(rest, with<AndIOp>(dividend.low, 0xffff));
  return with<OrIOp>(with<ShLIOp>(first, 16), second);
}

// The division uses neither loops nor branches, so that no thread of a subgroup
// waits for others. Division by one word is long division in two steps, the
// first of which divides the high word of `a`.
//
// For a divisor of two words, the quotient has at most one word. Let z be the
// number of leading zeros of `b`. The high word n of `b` << z has its highest
// bit set, and `b` is about n * 2^(32 - z). divideByNormal() requires a
// dividend whose high word is less than the divisor n. The high word of `a` may
// be too large, but the high word of half of `a` is less than n. The code
// therefore divides half of `a` by n. If q is the quotient, `a` / `b` is about
// 2 * q / 2^(32 - z), which is q shifted right by 31 - z.
//
// Since n lacks the lower bits of `b`, the divisor is slightly too small, so
// that the shifted q is the right quotient or 1 more. The code therefore
// subtracts 1 from a quotient that is not 0, and adds 1 again if the remainder
// is still at least `b`.
Wide WordBuilder::divUnsigned(Wide a, Wide b) {
  Value isShort = compare(Predicate::eq, b.high, 0u);
  Value divisor = select(isShort, b.low, word(1));
  Value firstWord = with<DivUIOp>(a.high, divisor);
  Value left = with<SubIOp>(a.high, with<MulIOp>(firstWord, divisor));

  Wide upper = select(isShort, Wide{word(0), b.low}, b);
  Value zeros = countLeadingZeros(upper.high);
  Value normal = shiftLeftWithin(upper, zeros).high;
  Wide dividend = select(isShort, shiftLeftWithin({a.low, left}, zeros),
                         shiftRightWithin(a, word(1)));
  Value quotient = divideByNormal(dividend, normal);

  Value shift = with<XOrIOp>(zeros, wordBits - 1);
  Value guess = with<ShRUIOp>(quotient, shift);
  guess = with<SubIOp>(guess, truth(compare(Predicate::ne, guess, 0u)));
  Wide rest = sub(a, mul({guess, word(0)}, b));
  guess = with<AddIOp>(guess, truth(compare(Predicate::uge, rest, b)));
  return select(isShort, Wide{quotient, firstWord}, Wide{guess, word(0)});
}

Wide WordBuilder::divSigned(Wide a, Wide b) {
  Value signA = getSign(a), signB = getSign(b);
  Wide quotient = divUnsigned(negateIf(signA, a), negateIf(signB, b));
  return negateIf(with<XOrIOp>(signA, signB), quotient);
}

Wide WordBuilder::remUnsigned(Wide a, Wide b) {
  return sub(a, mul(divUnsigned(a, b), b));
}

Wide WordBuilder::remSigned(Wide a, Wide b) {
  return sub(a, mul(divSigned(a, b), b));
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

// Integers are converted to floats by integer arithmetic, so that each number
// is rounded only once and equally on all devices. normalize() shifts an
// integer left until its highest bit is set. This bit is the leading 1 of the
// mantissa. A float has the exponent in the bits above the mantissa, and the
// leading 1 is not stored. The conversions add the mantissa with its leading 1
// to an exponent that is 1 too small. The leading 1 then increments the
// exponent. A carry out of a mantissa that is rounded up increments the
// exponent once more.

/// Rounds a normalized number to its upper 24 bits.
Value WordBuilder::roundToSingle(Wide normal) {
  // The upper 24 bits of the high word are the mantissa. The other 8 bits tell
  // whether the number lies below the middle between two results, in the
  // middle, or above. The low word matters only for numbers that seem to lie in
  // the middle: they lie above if the low word is not 0. The lowest bit of
  // `all`, a sticky bit, is therefore set if the low word is not 0.
  Value rest = truth(compare(Predicate::ne, normal.low, 0u));
  Value all = with<OrIOp>(normal.high, rest);
  Value mantissa = with<ShRUIOp>(all, 8);
  Value isOdd = with<AndIOp>(mantissa, 1);
  Value below = with<AddIOp>(with<AndIOp>(all, 0xff), isOdd);
  return with<AddIOp>(mantissa, truth(compare(Predicate::ugt, below, 0x80)));
}

Value WordBuilder::toSingle(Wide number, bool isSigned) {
  Value sign = isSigned ? getSign(number) : word(0);
  auto [normal, zeros] = normalize(isSigned ? negateIf(sign, number) : number);
  // A number from 2^63 to 2^64, which has no leading zeros, has the biased
  // exponent 127 + 63. Adding the mantissa with its leading 1 increments the
  // exponent by 1, which is subtracted here.
  Value exponent = with<SubIOp>(word(127 + 63 - 1), zeros);
  Value bits = with<AddIOp>(with<ShLIOp>(exponent, 23), roundToSingle(normal));
  Value isZero = compare(Predicate::eq, normal.high, 0u);
  bits = select(isZero, word(0), bits);
  return with<OrIOp>(bits, with<AndIOp>(sign, 0x80000000));
}

Wide WordBuilder::toDouble(Wide number, bool isSigned) {
  Value sign = isSigned ? getSign(number) : word(0);
  auto [normal, zeros] = normalize(isSigned ? negateIf(sign, number) : number);
  Wide mantissa = shiftRight(normal, word(11));
  Value isOdd = with<AndIOp>(mantissa.low, 1);
  Value below = with<AddIOp>(with<AndIOp>(normal.low, 0x7ff), isOdd);
  mantissa =
      add(mantissa, {truth(compare(Predicate::ugt, below, 0x400)), word(0)});
  Value exponent = with<SubIOp>(word(1023 + 63 - 1), zeros);
  mantissa.high = with<AddIOp>(mantissa.high, with<ShLIOp>(exponent, 20));
  Value isZero = compare(Predicate::eq, normal.high, 0u);
  Wide bits = select(isZero, wide(0), mantissa);
  return {bits.low, with<OrIOp>(bits.high, with<AndIOp>(sign, 0x80000000))};
}

Wide WordBuilder::fromSingle(Value number, bool isSigned) {
  // The high word is the number divided by 2^32 and truncated, and the low word
  // is the rest. Both are exact, since products with powers of two are exact,
  // and so is the difference between a number and its upper bits.
  auto constant = [&](float value) -> Value {
    return ConstantOp::create(*this, getF32FloatAttr(value));
  };
  Value magnitude = number, sign = word(0);
  if (isSigned) {
    Value bits = createOrFold<BitcastOp>(getI32Type(), number);
    sign = with<ShRSIOp>(bits, wordBits - 1);
    magnitude =
        createOrFold<BitcastOp>(getF32Type(), with<AndIOp>(bits, 0x7fffffff));
  }
  Value high = createOrFold<FPToUIOp>(
      getI32Type(), createOrFold<MulFOp>(magnitude, constant(0x1p-32f)));
  Value upper = createOrFold<MulFOp>(createOrFold<UIToFPOp>(getF32Type(), high),
                                     constant(0x1p32f));
  Value low = createOrFold<FPToUIOp>(getI32Type(),
                                     createOrFold<SubFOp>(magnitude, upper));
  return isSigned ? negateIf(sign, {low, high}) : Wide{low, high};
}

Wide WordBuilder::fromDouble(Wide bits, bool isSigned) {
  Value sign = isSigned ? getSign(bits) : word(0);
  Value exponent = with<AndIOp>(with<ShRUIOp>(bits.high, 20), 0x7ff);
  Wide mantissa = {
      bits.low, with<OrIOp>(with<AndIOp>(bits.high, 0xfffff), word(0x100000))};
  // The mantissa with its leading 1 is shifted left until the leading 1 is the
  // highest bit of the two words, which is its place in numbers from 2^63 on.
  // Smaller numbers are shifted right again.
  Value shift = with<SubIOp>(word(1023 + 63), exponent);
  Value isSmall = compare(Predicate::ugt, shift, 63u);
  Wide number =
      shiftRight(shiftLeft(mantissa, word(11)), with<AndIOp>(shift, 63));
  number = select(isSmall, wide(0), number);
  return isSigned ? negateIf(sign, number) : number;
}

Wide WordBuilder::widenFloat(Value bits) {
  Value sign = with<AndIOp>(bits, 0x80000000);
  Value magnitude = with<AndIOp>(bits, 0x7fffffff);
  // The bias of the exponent is 127 in f32 and 1023 in f64.
  Value low = with<ShLIOp>(magnitude, 29), high = with<ShRUIOp>(magnitude, 3);
  Value isSpecial = compare(Predicate::uge, magnitude, 0x7f800000);
  Wide number = {low,
                 with<AddIOp>(high, select(isSpecial, word((2047 - 255) << 20),
                                           word((1023 - 127) << 20)))};
  // Denormals of f32 are multiples of 2^-149, which are normal numbers in f64.
  Value zeros = countLeadingZeros(magnitude);
  Value normal = with<ShLIOp>(magnitude, with<AndIOp>(zeros, 31));
  Value exponent = with<SubIOp>(word(1023 - 149 + 31 - 1), zeros);
  Wide denormal = {
      with<ShLIOp>(normal, 21),
      with<AddIOp>(with<ShLIOp>(exponent, 20), with<ShRUIOp>(normal, 11))};
  Value isZero = compare(Predicate::eq, magnitude, 0u);
  denormal = select(isZero, wide(0), denormal);
  Value isDenormal = compare(Predicate::ult, magnitude, 0x00800000);
  number = select(isDenormal, denormal, number);
  return {number.low, with<OrIOp>(number.high, sign)};
}

Value WordBuilder::narrowFloat(Wide bits) {
  Value sign = with<AndIOp>(bits.high, 0x80000000);
  Value magnitude = with<AndIOp>(bits.high, 0x7fffffff);
  Wide normal = shiftLeft(
      {bits.low, with<OrIOp>(with<AndIOp>(magnitude, 0xfffff), word(0x100000))},
      word(11));
  // The bias of the exponent is 127 in f32 and 1023 in f64. If the exponent for
  // f32 is less than 1, the result is a denormal. A denormal has the scale of
  // the exponent 1 and leading zeros in its mantissa, so that the mantissa is
  // shifted right. A shift by 25 or more leaves less than half of the smallest
  // denormal, which is rounded to 0. A shift can therefore be limited to 31, as
  // shiftRightWithin() requires, without a change of the result.
  Value exponent = with<SubIOp>(with<ShRUIOp>(magnitude, 20), word(1023 - 127));
  Value isDenormal = compare(Predicate::slt, exponent, 1u);
  Value zeros = select(isDenormal, with<SubIOp>(word(1), exponent), word(0));
  zeros = with<MinUIOp>(zeros, 31u);
  Wide shifted = shiftRightWithin(normal, zeros);
  // A right shift of a denormal's mantissa loses bits. If a lost bit was set,
  // the sticky bit is set. The number is then rounded as one that is slightly
  // larger than the bits that are left.
  Value isInexact =
      compare(Predicate::ne, shiftLeftWithin(shifted, zeros), normal);
  shifted.low = with<OrIOp>(shifted.low, truth(isInexact));
  Value rounded = roundToSingle(shifted);
  Value above = select(isDenormal, word(0), with<SubIOp>(exponent, 1));
  Value result = with<AddIOp>(with<ShLIOp>(above, 23), rounded);
  // Numbers from 2^128 on become infinite. A number that rounds to 2^128
  // already has the bits of infinity because of the carry into the exponent.
  Value isLarge = compare(Predicate::sge, exponent, 255u);
  result = select(isLarge, word(0x7f800000), result);
  Value isNaN =
      compare(Predicate::ugt, {bits.low, magnitude}, wide(0x7ff0000000000000));
  result = select(isNaN, word(0x7fc00000), result);
  return with<OrIOp>(result, sign);
}

/// Returns a signed integer for the bits of an f64. Comparing two such integers
/// gives the same result as comparing the numbers. Both zeros have the same
/// integer.
Wide WordBuilder::getOrderOfDouble(Wide bits) {
  Wide magnitude = {bits.low, with<AndIOp>(bits.high, 0x7fffffff)};
  return negateIf(getSign(bits), magnitude);
}

Value WordBuilder::compareDoubles(CmpFPredicate predicate, Wide a, Wide b) {
  // The predicates of arith are numbers. The numbers 0 to 7 are the ordered
  // predicates, which are false for NaN. Each of their bits stands for a case
  // in which the predicate holds: OGE, "greater or equal", is 3, the sum of 2
  // for "greater" and 1 for "equal". The numbers 8 to 13 are the unordered
  // predicates, which are true for NaN. They have the same bits after 7 is
  // subtracted: UGE is 10, and 10 - 7 is 3. Number 14, UNO, holds for NaN
  // alone, and 15 is always true.
  constexpr unsigned equal = 1, greater = 2, less = 4;
  bool ofNaN = predicate >= CmpFPredicate::UEQ;
  auto cases = static_cast<unsigned>(predicate);
  if (predicate == CmpFPredicate::UNO)
    cases = 0;
  else if (ofNaN && predicate != CmpFPredicate::AlwaysTrue)
    cases -= static_cast<unsigned>(CmpFPredicate::ORD);
  Wide orderA = getOrderOfDouble(a), orderB = getOrderOfDouble(b);
  Value none = ConstantOp::create(*this, getBoolAttr(false));
  auto getCase = [&](unsigned bit, Predicate holds) {
    return cases & bit ? compare(holds, orderA, orderB) : none;
  };
  Value result = with<OrIOp>(with<OrIOp>(getCase(equal, Predicate::eq),
                                         getCase(greater, Predicate::sgt)),
                             getCase(less, Predicate::slt));
  auto isNaN = [&](Wide bits) {
    return compare(Predicate::ugt,
                   Wide{bits.low, with<AndIOp>(bits.high, 0x7fffffff)},
                   wide(0x7ff0000000000000));
  };
  return select(with<OrIOp>(isNaN(a), isNaN(b)),
                ConstantOp::create(*this, getBoolAttr(ofNaN)), result);
}
