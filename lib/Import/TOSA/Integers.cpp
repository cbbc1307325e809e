//===- Integers.cpp - Arithmetic of integers and quantized numbers --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TOSA/Expression.h"

using namespace mlir;
using namespace dml;
using namespace dml::tosareader;

//===----------------------------------------------------------------------===//
// Scaling
//===----------------------------------------------------------------------===//

Value dml::tosareader::scaleIntegers(Expression &e, Value value,
                                     const Scaling &scaling, bool roundsTwice) {
  constexpr DataType wide = DataType::INT64;
  constexpr int64_t bias = int64_t(1) << 62;
  Shape shape(e.getShape(value));
  auto spread = [&](DataType type, ArrayRef<int64_t> numbers) {
    return e.spread(e.constant(type, numbers, toPhysical(scaling.shape)),
                    shape);
  };
  // DirectML shifts unsigned integers. 2^62 is added, which makes each number
  // positive, together with the half that rounds, and taken away afterwards:
  // -5 / 4 is (2^62 - 5 + 2) / 4 - 2^60 = -1, rounded down.
  SmallVector<int64_t> added, taken, secondRounds;
  for (int64_t shift : scaling.shifts) {
    added.push_back(bias + (int64_t(1) << (shift - 1)));
    taken.push_back(bias >> shift);
    secondRounds.push_back(roundsTwice && shift > 31 ? int64_t(1) << 30 : 0);
  }
  Value result = e.combine("element_wise_multiply", value,
                           spread(wide, scaling.multipliers));
  result = e.combine("element_wise_add", result, spread(wide, added));
  if (llvm::any_of(secondRounds, [](int64_t round) { return round != 0; })) {
    // The half of the first of two shifts has the sign of the number.
    Value sign =
        e.castTo(e.combine("element_wise_logical_greater_than_or_equal", value,
                           e.splat(wide, 0, shape), DataType::UINT8),
                 wide);
    sign = e.combine(
        "element_wise_subtract",
        e.combine("element_wise_multiply", sign, e.splat(wide, 2, shape)),
        e.splat(wide, 1, shape));
    result = e.combine(
        "element_wise_add", result,
        e.combine("element_wise_multiply", sign, spread(wide, secondRounds)));
  }
  result = e.combine("element_wise_bit_shift_right",
                     e.bitcast(result, DataType::UINT64),
                     spread(DataType::UINT64, scaling.shifts));
  result = e.combine("element_wise_subtract", e.bitcast(result, wide),
                     spread(wide, taken));
  return e.castTo(result, DataType::INT32);
}

/// The least and the greatest number of an integer type of up to 32 bits.
static std::pair<int64_t, int64_t> getRange(DataType type) {
  switch (type) {
  case DataType::INT8:
    return {INT8_MIN, INT8_MAX};
  case DataType::UINT8:
    return {0, UINT8_MAX};
  case DataType::INT16:
    return {INT16_MIN, INT16_MAX};
  case DataType::UINT16:
    return {0, UINT16_MAX};
  default:
    return {INT32_MIN, INT32_MAX};
  }
}

Value dml::tosareader::finishQuantized(Expression &e, Value value,
                                       int64_t zeroPoint, DataType type) {
  if (zeroPoint != 0)
    value = e.combine("element_wise_add", value,
                      e.splat(DataType::INT32, zeroPoint, e.getShape(value)));
  if (type != DataType::INT32) {
    auto [low, high] = getRange(type);
    value = e.clip(value, low, high);
  }
  return e.castTo(value, type);
}

/// The type of the bits `type` if they are unsigned.
static DataType getUnsigned(DataType type) {
  switch (type) {
  case DataType::INT8:
    return DataType::UINT8;
  case DataType::INT16:
    return DataType::UINT16;
  case DataType::INT32:
    return DataType::UINT32;
  default:
    return type;
  }
}

/// Whether `type` is an integer type of at most 32 bits, signed or unsigned.
static bool hasAtMost32Bits(DataType type) {
  return !Expression::isFloat(type) && type != DataType::INT64 &&
         type != DataType::UINT64;
}

/// Returns the zero point in operand `index`, read as a number of `type`.
static std::optional<int64_t> getZeroPointAs(Expression &e, unsigned index,
                                             DataType type, StringRef what) {
  std::optional<int64_t> zero = e.getInteger(index, what);
  if (zero && type == DataType::UINT8)
    return *zero & 0xff;
  if (zero && type == DataType::UINT16)
    return *zero & 0xffff;
  return zero;
}

static Value convertRescale(Expression &e, tosa::RescaleOp op,
                            ValueRange operands) {
  auto multipliers = e.getIntegers(1, "its multiplier");
  auto shifts = e.getIntegers(2, "its shift");
  if (!multipliers || !shifts)
    return {};
  Value x = e.widenRank(operands[0]);
  if (op.getInputUnsigned())
    x = e.toUnsigned(x);
  DataType from = e.getDataTypeOf(x), stored = e.getResultDataType(),
           to = op.getOutputUnsigned() ? getUnsigned(stored) : stored;
  if (!hasAtMost32Bits(from) || !hasAtMost32Bits(to) || to == DataType::UINT32)
    return e.refuse("wanted are integers of 8, 16 or 32 bits");
  auto inputZero = getZeroPointAs(e, 3, from, "its input_zp");
  auto outputZero = getZeroPointAs(e, 4, to, "its output_zp");
  if (!inputZero || !outputZero)
    return {};
  for (int64_t shift : *shifts)
    if (shift < 2 || shift > 62)
      return e.refuse("its shift is " + Twine(shift) +
                      ", but wanted is 2 to 62");
  for (int64_t multiplier : *multipliers)
    if (multiplier < 0)
      return e.refuse("its multiplier is " + Twine(multiplier) +
                      ", but wanted is 0 at least");
  if (multipliers->size() != shifts->size())
    return e.refuse("its multiplier has " + Twine(multipliers->size()) +
                    " elements, but its shift has " + Twine(shifts->size()));

  Value wide = e.castTo(x, DataType::INT64);
  if (*inputZero != 0)
    wide = e.combine("element_wise_subtract", wide,
                     e.splat(DataType::INT64, *inputZero, e.getShape(wide)));
  Scaling scaling{
      *multipliers, *shifts, {static_cast<int64_t>(multipliers->size())}};
  bool roundsTwice = op.getScale32() &&
                     op.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND;
  Value scaled = scaleIntegers(e, wide, scaling, roundsTwice);
  return e.bitcast(finishQuantized(e, scaled, *outputZero, to), stored);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Value convertMul(Expression &e, ValueRange operands) {
  Shape shape = toPhysical(e.getResultShape());
  DataType type = e.getResultDataType();
  auto shift = e.getInteger(2, "its shift");
  if (!shift)
    return {};
  bool isShifted = *shift != 0 && type == DataType::INT32;
  if (*shift < 0 || *shift > 62)
    return e.refuse("its shift is " + Twine(*shift) +
                    ", but wanted is 0 to 62");
  // Bytes and 16-bit integers have products of 32 bits.
  DataType factor = isShifted ? DataType::INT64 : type;
  Value a = e.castTo(e.spread(operands[0], shape), factor),
        b = e.castTo(e.spread(operands[1], shape), factor);
  Value product = e.combine("element_wise_multiply", a, b);
  if (!isShifted)
    return product;
  return scaleIntegers(e, product, {{1}, {*shift}, {1}},
                       /*roundsTwice=*/false);
}

static Value convertNegate(Expression &e, ValueRange operands) {
  Value x = e.widenRank(operands[0]);
  DataType type = e.getDataTypeOf(x);
  if (e.isFloat(type))
    return e.apply("element_wise_negate", x);
  auto inputZero = e.getInteger(1, "its input1_zp");
  auto outputZero = e.getInteger(2, "its output_zp");
  if (!inputZero || !outputZero)
    return {};
  if (!hasAtMost32Bits(type))
    return e.combine("element_wise_subtract", e.splat(type, 0, e.getShape(x)),
                     x);
  // The difference has 32 bits, and is limited to the numbers of the type.
  Value sum = e.splat(DataType::INT32, *inputZero + *outputZero, e.getShape(x));
  Value difference =
      e.combine("element_wise_subtract", sum, e.castTo(x, DataType::INT32));
  return finishQuantized(e, difference, 0, type);
}

/// The bits of `x` are shifted with 2^(bits - 1) added to the number, so that
/// it is not negative.
static Value convertArithmeticShift(Expression &e,
                                    tosa::ArithmeticRightShiftOp op,
                                    ValueRange operands) {
  Shape shape = toPhysical(e.getResultShape());
  Value x = e.toUnsigned(e.spread(operands[0], shape)),
        by = e.toUnsigned(e.spread(operands[1], shape));
  DataType type = e.getDataTypeOf(x);
  unsigned bits = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  StringRef shift = "element_wise_bit_shift_right";
  Value top =
      e.splat(type, static_cast<int64_t>(uint64_t(1) << (bits - 1)), shape);
  Value result =
      e.combine("element_wise_subtract",
                e.combine(shift, e.combine("element_wise_bit_xor", x, top), by),
                e.combine(shift, top, by));
  if (op.getRound()) {
    // The last bit that is shifted out, which there is none of for a shift by
    // 0.
    Value one = e.splat(type, 1, shape);
    Value last = e.combine(
        "element_wise_bit_and",
        e.combine(shift, e.combine("element_wise_bit_shift_left", x, one), by),
        one);
    result = e.combine("element_wise_add", result, last);
  }
  return e.bitcast(result, e.getResultDataType());
}

static Value convertClz(Expression &e, ValueRange operands) {
  Value x = e.toUnsigned(e.widenRank(operands[0]));
  DataType type = e.getDataTypeOf(x);
  if (type != DataType::UINT32)
    return e.refuse("wanted are integers of 32 bits");
  // All bits below the highest one are set: what is left are the zeros.
  for (int64_t by = 1; by < 32; by *= 2)
    x = e.combine("element_wise_bit_or", x,
                  e.combine("element_wise_bit_shift_right", x,
                            e.splat(type, by, e.getShape(x))));
  x = e.apply("element_wise_bit_count", e.apply("element_wise_bit_not", x), {},
              type);
  return e.bitcast(x, DataType::INT32);
}

/// Returns, for each of `places`, the element of `table`, which has one
/// dimension.
static Value lookUp(Expression &e, Value table, Value places) {
  Shape shape(e.getShape(places)), of(shape.size(), 1);
  of.back() = e.getShape(table)[0];
  return e.build(
      "gather", {{"input", e.reshape(table, of)}, {"indices", places}},
      {e.integer("axis", static_cast<int64_t>(shape.size()) - 1),
       e.integer("index_dimensions", static_cast<int64_t>(shape.size()))},
      shape, e.getDataTypeOf(table));
}

static Value convertTable(Expression &e, ValueRange operands) {
  Value x = e.widenRank(operands[0]), table = operands[1];
  DataType type = e.getDataTypeOf(x), tableType = e.getDataTypeOf(table);
  Shape shape(e.getShape(x));
  bool isByte = type == DataType::INT8 && tableType == DataType::INT8;
  if (!isByte && !(type == DataType::INT16 && tableType == DataType::INT16 &&
                   e.getResultDataType() == DataType::INT32))
    return e.refuse("wanted are a table of i8 for i8, or of i16 for i16 with a "
                    "result of i32");
  int64_t wanted = isByte ? 256 : 513;
  if (e.getShape(table)[0] != wanted)
    return e.refuse("its table has " + Twine(e.getShape(table)[0]) +
                    " elements, but wanted are " + Twine(wanted));
  auto splat = [&](DataType of, int64_t number) {
    return e.splat(of, number, shape);
  };
  // Numbers from 0 on: 0 to 255, or 0 to 65,535.
  Value place = e.combine("element_wise_add", e.castTo(x, DataType::INT32),
                          splat(DataType::INT32, isByte ? 128 : 32768));
  place = e.toUnsigned(place);
  if (isByte)
    return lookUp(e, table, place);
  // Of the 16 bits of a number, the upper 9 bits are the place of an element in
  // the table, and the lower 7 bits divide the way from this element to the
  // next one.
  constexpr DataType bits = DataType::UINT32, number = DataType::INT32;
  Value part = e.bitcast(
      e.combine("element_wise_bit_and", place, splat(bits, 127)), number);
  place = e.combine("element_wise_bit_shift_right", place, splat(bits, 7));
  Value next = e.toUnsigned(e.combine(
      "element_wise_add", e.bitcast(place, number), splat(number, 1)));
  Value first = e.castTo(lookUp(e, table, place), number),
        second = e.castTo(lookUp(e, table, next), number);
  return e.combine(
      "element_wise_add",
      e.combine("element_wise_multiply", first, splat(number, 128)),
      e.combine("element_wise_multiply",
                e.combine("element_wise_subtract", second, first), part));
}

void dml::tosareader::addIntegerRules(Rules &rules) {
  rules.add<tosa::MulOp>(convertMul);
  rules.add<tosa::NegateOp>(convertNegate);
  rules.add<tosa::RescaleOp>(convertRescale);
  rules.add<tosa::ArithmeticRightShiftOp>(convertArithmeticShift);
  rules.add<tosa::ClzOp>(convertClz);
  rules.add<tosa::TableOp>(convertTable);
}
