//===- QuantizedFactor.cpp - Factors that are packed integers -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/QuantizedFactor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dml;

namespace {
/// An integer of 4 or 8 bits that has been widened to an i32.
struct WidenedNumber {
  int64_t bits = 0;
  bool isSigned = false;
  /// A loaded number of 8 bits, or a loaded word of eight 4-bit numbers
  /// together with the place of the number in the word, from 0 to 7.
  Value loaded, lane;
};
} // namespace

/// If a shift `Op` by `count` bits computes `value`, returns the shifted
/// operand. Returns null otherwise.
template <typename Op> static Value getShifted(Value value, int64_t count) {
  auto shift = value.getDefiningOp<Op>();
  APInt amount;
  return shift && matchPattern(shift.getRhs(), m_ConstantInt(&amount)) &&
                 amount == count
             ? shift.getLhs()
             : Value();
}

/// Matches `value`, an i32, as a 4-bit number at the place `lane` of its word.
/// The word is shifted right by 4 * lane bits and masked. A signed number is
/// then sign-extended by a shift to the left and an arithmetic shift to the
/// right.
static std::optional<WidenedNumber> readNibble(Value value) {
  constexpr int64_t bits = 4, rest = QuantizedFactor::wordBits - bits;
  WidenedNumber number;
  number.bits = bits;
  if (Value extended = getShifted<arith::ShRSIOp>(value, rest)) {
    number.isSigned = true;
    value = getShifted<arith::ShLIOp>(extended, rest);
    if (!value)
      return std::nullopt;
  }
  auto masked = value.getDefiningOp<arith::AndIOp>();
  APInt mask;
  if (!masked || !matchPattern(masked.getRhs(), m_ConstantInt(&mask)) ||
      mask != (1 << bits) - 1)
    return std::nullopt;
  auto shift = masked.getLhs().getDefiningOp<arith::ShRUIOp>();
  auto amount =
      shift ? shift.getRhs().getDefiningOp<arith::IndexCastOp>() : nullptr;
  auto product =
      amount ? amount.getIn().getDefiningOp<arith::MulIOp>() : nullptr;
  APInt factor;
  if (!product || !matchPattern(product.getRhs(), m_ConstantInt(&factor)) ||
      factor != bits)
    return std::nullopt;
  number.loaded = shift.getLhs();
  number.lane = product.getLhs();
  return number.loaded.getDefiningOp<memref::LoadOp>() ? std::optional(number)
                                                       : std::nullopt;
}

/// Matches `value`, an i32, as an 8-bit number that has been extended to 32
/// bits.
static std::optional<WidenedNumber> readByte(Value value) {
  Operation *widening = value.getDefiningOp();
  if (!isa_and_present<arith::ExtUIOp, arith::ExtSIOp>(widening) ||
      !widening->getOperand(0).getType().isInteger(8))
    return std::nullopt;
  WidenedNumber number;
  number.bits = 8;
  number.isSigned = isa<arith::ExtSIOp>(widening);
  number.loaded = widening->getOperand(0);
  return number.loaded.getDefiningOp<memref::LoadOp>() ? std::optional(number)
                                                       : std::nullopt;
}

static std::optional<WidenedNumber> readNumber(Value value) {
  if (!value.getType().isInteger(QuantizedFactor::wordBits))
    return std::nullopt;
  std::optional<WidenedNumber> number = readNibble(value);
  return number ? number : readByte(value);
}

/// Matches the zero point of `factor`, and stores it in `factor`, whose other
/// members are set already. Returns whether the zero point is a small constant
/// or a number of the factor's type.
static bool readZeroPoint(Value zeroPoint, QuantizedFactor &factor) {
  APInt constant;
  if (matchPattern(zeroPoint, m_ConstantInt(&constant))) {
    factor.constantZeroPoint = constant.getSExtValue();
    return std::abs(factor.constantZeroPoint) <= int64_t(1) << factor.bits;
  }
  std::optional<WidenedNumber> number = readNumber(zeroPoint);
  factor.zeroPoint = zeroPoint;
  return number && number->bits == factor.bits &&
         number->isSigned == factor.isSigned;
}

std::optional<QuantizedFactor> QuantizedFactor::match(Value factor) {
  if (auto widening = factor.getDefiningOp<arith::ExtFOp>())
    factor = widening.getIn();
  auto product = factor.getDefiningOp<arith::MulFOp>();
  if (!product || !(product.getType().isF16() || product.getType().isF32()))
    return std::nullopt;
  auto conversion = product.getLhs().getDefiningOp<arith::SIToFPOp>();
  if (!conversion)
    return std::nullopt;
  Value integer = conversion.getIn(), zeroPoint;
  if (auto difference = integer.getDefiningOp<arith::SubIOp>()) {
    integer = difference.getLhs();
    zeroPoint = difference.getRhs();
  }
  std::optional<WidenedNumber> number = readNumber(integer);
  if (!number)
    return std::nullopt;
  QuantizedFactor result;
  result.bits = number->bits;
  result.isSigned = number->isSigned;
  result.loaded = number->loaded;
  result.lane = number->lane;
  result.scale = product.getRhs();
  if (zeroPoint && !readZeroPoint(zeroPoint, result))
    return std::nullopt;
  return result;
}

SmallVector<QuantizedFactor>
dml::matchQuantizedFactors(const ContractionOperand &operand) {
  SmallVector<QuantizedFactor> factors;
  for (Value value : operand.factors) {
    std::optional<QuantizedFactor> factor = QuantizedFactor::match(value);
    if (!factor)
      return {};
    factors.push_back(*factor);
    const QuantizedFactor &first = factors.front();
    if (factor->bits != first.bits || factor->isSigned != first.isSigned ||
        factor->scale.getType() != first.scale.getType() ||
        !factor->zeroPoint != !first.zeroPoint ||
        factor->constantZeroPoint != first.constantZeroPoint)
      return {};
  }
  return factors;
}
