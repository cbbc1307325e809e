//===- Words.h - Arithmetic in 32-bit words ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_GRAPH_WORDS_H
#define DML_LIB_CODEGEN_GRAPH_WORDS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dml {

inline constexpr unsigned wordBits = 32;

/// Two 32-bit words that hold an i64 or the bits of an f64.
struct Wide {
  mlir::Value low, high;
};

/// Builds arithmetic on words (i32) and on numbers of two words. Operations
/// that are undefined in `arith` are undefined here, too: division by zero,
/// shifts by the width or more, and conversions of floats that do not fit into
/// the integer.
class WordBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Predicate = mlir::arith::CmpIPredicate;

  mlir::Value index(int64_t value);
  mlir::Value word(uint32_t value);
  template <typename Op> mlir::Value with(mlir::Value lhs, mlir::Value rhs) {
    return createOrFold<Op>(lhs, rhs);
  }
  template <typename Op> mlir::Value with(mlir::Value lhs, uint32_t rhs) {
    return createOrFold<Op>(lhs, word(rhs));
  }
  mlir::Value compare(Predicate predicate, mlir::Value lhs, mlir::Value rhs);
  mlir::Value compare(Predicate predicate, mlir::Value lhs, uint32_t rhs);
  mlir::Value select(mlir::Value condition, mlir::Value whenTrue,
                     mlir::Value whenFalse);
  /// Builds a word that is 1 if `condition` is true, and 0 otherwise.
  mlir::Value truth(mlir::Value condition);
  /// Builds the sign extension of the low `width` bits of `bits`.
  mlir::Value extendSign(mlir::Value bits, unsigned width);

  /// split() splits a vector<2xi32> or an i64 into two words, and join() joins
  /// two words to a value of either type.
  Wide split(mlir::Value value);
  mlir::Value join(Wide words, mlir::Type type);
  /// Extends the integer `number` to two words.
  Wide extend(mlir::Value number, bool isSigned);

  Wide wide(uint64_t value);
  Wide add(Wide a, Wide b);
  Wide sub(Wide a, Wide b);
  Wide mul(Wide a, Wide b);
  Wide divUnsigned(Wide a, Wide b);
  Wide divSigned(Wide a, Wide b);
  Wide remUnsigned(Wide a, Wide b);
  Wide remSigned(Wide a, Wide b);
  Wide bitAnd(Wide a, Wide b);
  Wide bitOr(Wide a, Wide b);
  Wide bitXor(Wide a, Wide b);
  /// Shift two words by `amount` bits, from 0 to 63.
  Wide shiftLeft(Wide a, mlir::Value amount);
  Wide shiftRight(Wide a, mlir::Value amount);
  Wide shiftLeft(Wide a, Wide amount) { return shiftLeft(a, amount.low); }
  Wide shiftRight(Wide a, Wide amount) { return shiftRight(a, amount.low); }
  Wide shiftRightSigned(Wide a, Wide amount);
  Wide minUnsigned(Wide a, Wide b);
  Wide minSigned(Wide a, Wide b);
  Wide maxUnsigned(Wide a, Wide b);
  Wide maxSigned(Wide a, Wide b);
  mlir::Value compare(Predicate predicate, Wide a, Wide b);
  Wide select(mlir::Value condition, Wide whenTrue, Wide whenFalse);

  /// Convert an integer to the bits of an f32 or of an f64. The result is
  /// rounded once, to nearest, ties to even.
  mlir::Value toSingle(Wide number, bool isSigned);
  Wide toDouble(Wide number, bool isSigned);
  /// Convert an f32, or the bits of an f64, to an integer. Fractions are
  /// rounded towards zero.
  Wide fromSingle(mlir::Value number, bool isSigned);
  Wide fromDouble(Wide bits, bool isSigned);

  /// Convert the bits of an f32 to the bits of an f64, and vice versa.
  Wide widenFloat(mlir::Value bits);
  mlir::Value narrowFloat(Wide bits);
  mlir::Value compareDoubles(mlir::arith::CmpFPredicate predicate, Wide a,
                             Wide b);

private:
  /// Shift two words by `n` bits, from 0 to 31.
  Wide shiftLeftWithin(Wide a, mlir::Value n);
  Wide shiftRightWithin(Wide a, mlir::Value n);
  mlir::Value countLeadingZeros(mlir::Value word);
  /// Shifts `a` left by the number of its leading zeros. Returns the shifted
  /// words and the number of zeros.
  std::pair<Wide, mlir::Value> normalize(Wide a);
  /// Negates `number` if all bits of `isNegative` are set. If `isNegative` is
  /// 0, returns `number`.
  Wide negateIf(mlir::Value isNegative, Wide number);
  /// Builds a word whose bits are all set if `a` is negative, and 0 otherwise.
  mlir::Value getSign(Wide a) {
    return with<mlir::arith::ShRSIOp>(a.high, wordBits - 1);
  }
  mlir::Value divideByNormal(Wide dividend, mlir::Value divisor);
  mlir::Value roundToSingle(Wide normal);
  Wide getOrderOfDouble(Wide bits);
};

} // namespace dml

#endif // DML_LIB_CODEGEN_GRAPH_WORDS_H
