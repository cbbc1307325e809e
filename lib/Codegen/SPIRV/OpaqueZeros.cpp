//===- OpaqueZeros.cpp - Zeros that no driver knows to be 0 ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRV/OpaqueZeros.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dml;

/// Builds an opaque zero of type i32.
static Value buildZero(ImplicitLocOpBuilder &b) {
  Type word = b.getI32Type();
  auto getConstant = [&](int32_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  };
  Value group = arith::IndexCastUIOp::create(
      b, word, gpu::BlockIdOp::create(b, gpu::Dimension::x));
  Value square = arith::MulIOp::create(b, group, group);
  Value shifted = arith::ShRUIOp::create(b, square, getConstant(2));
  Value both = arith::AndIOp::create(b, square, shifted);
  return arith::AndIOp::create(b, both, getConstant(1));
}

Value OpaqueZeros::get(Operation *user, Type type) {
  auto kernel = user->getParentOfType<gpu::GPUFuncOp>();
  if (Value zero = zeros.lookup({kernel, type}))
    return zero;
  ImplicitLocOpBuilder b(user->getLoc(), user);
  Value zero;
  if (type.isInteger(32)) {
    b.setInsertionPointToStart(&kernel.getBody().front());
    zero = buildZero(b);
  } else {
    Value word = get(user, b.getI32Type());
    b.setInsertionPointAfterValue(word);
    zero = type.isF32() ? arith::BitcastOp::create(b, type, word).getResult()
                        : arith::UIToFPOp::create(b, type, word).getResult();
  }
  return zeros[{kernel, type}] = zero;
}

/// Returns the value that `known` has for `constant` in the kernel of `user`.
/// If there is none, builds it from the opaque zero and the constant.
Value OpaqueZeros::getOnce(ConstantMap &known, Operation *user,
                           TypedAttr constant, Combination build) {
  Value &value = known[{user->getParentOfType<gpu::GPUFuncOp>(), constant}];
  if (!value) {
    ImplicitLocOpBuilder b(user->getLoc(), user);
    Value zero = get(user, b.getI32Type());
    b.setInsertionPointAfterValue(zero);
    value = build(b, zero, arith::ConstantOp::create(b, constant));
  }
  return value;
}

Value OpaqueZeros::hide(Operation *user, Value value) {
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return getOnce(constants, user, constant, buildHidden);
  ImplicitLocOpBuilder b(user->getLoc(), user);
  return buildHidden(b, get(user, b.getI32Type()), value);
}

Value OpaqueZeros::addTo(Operation *user, TypedAttr constant) {
  return getOnce(sums, user, constant,
                 [](ImplicitLocOpBuilder &b, Value zero, Value number) {
                   return arith::AddIOp::create(b, zero, number).getResult();
                 });
}

Value OpaqueZeros::buildHidden(ImplicitLocOpBuilder &b, Value zero,
                               Value value) {
  Type type = value.getType(), word = zero.getType();
  if (type.isIndex())
    zero = arith::IndexCastUIOp::create(b, type, zero);
  if (type.isInteger(16))
    zero = arith::TruncIOp::create(b, type, zero);
  if (type.isF16()) {
    // A device may have f16 without 16-bit integers. The f16 therefore becomes
    // one half of a word.
    auto halves = VectorType::get(2, type), words = VectorType::get(1, word);
    Value pair = vector::FromElementsOp::create(
        b, halves,
        {value, arith::ConstantOp::create(b, b.getZeroAttr(type)).getResult()});
    Value bits = vector::ExtractOp::create(
        b, vector::BitCastOp::create(b, words, pair), 0);
    Value hidden = vector::FromElementsOp::create(
        b, words, {arith::XOrIOp::create(b, zero, bits).getResult()});
    return vector::ExtractOp::create(
        b, vector::BitCastOp::create(b, halves, hidden), 0);
  }
  if (!type.isF32())
    return arith::XOrIOp::create(b, zero, value);
  Value bits = arith::BitcastOp::create(b, zero.getType(), value);
  return arith::BitcastOp::create(b, type,
                                  arith::XOrIOp::create(b, zero, bits));
}
