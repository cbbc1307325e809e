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

/// A number of 64 bits, or the bits of an f64, in two words.
struct Wide {
  mlir::Value low, high;
};

/// Builds arithmetic on words, each an i32, and on numbers of two words. What
/// `arith` leaves undefined is undefined here: division by zero, shifts by as
/// much as the width, conversions of floats that do not fit.
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
  /// The word 1 where `condition` holds, and 0 elsewhere.
  mlir::Value truth(mlir::Value condition);
  /// The signed number that the low `width` bits of `bits` are.
  mlir::Value extendSign(mlir::Value bits, unsigned width);

  /// The words of a vector of two or of an i64, and back to either type.
  Wide split(mlir::Value value);
  mlir::Value join(Wide words, mlir::Type type);
  /// The same number in two words.
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
  /// Shifts by a number of 0 to 63.
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

  /// The bits of an f32 and of an f64, rounded once, to nearest, halves to
  /// even.
  mlir::Value toSingle(Wide number, bool isSigned);
  Wide toDouble(Wide number, bool isSigned);
  /// An f32, and the bits of an f64, rounded towards zero.
  Wide fromSingle(mlir::Value number, bool isSigned);
  Wide fromDouble(Wide bits, bool isSigned);

  /// These convert the bits of an f32 to those of an f64, and back.
  Wide widenFloat(mlir::Value bits);
  mlir::Value narrowFloat(Wide bits);
  mlir::Value compareDoubles(mlir::arith::CmpFPredicate predicate, Wide a,
                             Wide b);

private:
  /// Shifts by a number of 0 to 31.
  Wide shiftLeftWithin(Wide a, mlir::Value n);
  Wide shiftRightWithin(Wide a, mlir::Value n);
  mlir::Value countLeadingZeros(mlir::Value word);
  /// The number without the zeros above its highest bit that is set, and how
  /// many zeros those were.
  std::pair<Wide, mlir::Value> normalize(Wide a);
  /// `number` where `isNegative` is all ones, negated; where it is 0, itself.
  Wide negateIf(mlir::Value isNegative, Wide number);
  /// All ones for a negative number, else 0.
  mlir::Value getSign(Wide a) {
    return with<mlir::arith::ShRSIOp>(a.high, wordBits - 1);
  }
  mlir::Value divideByNormal(Wide dividend, mlir::Value divisor);
  mlir::Value roundToSingle(Wide normal);
  Wide getOrderOfDouble(Wide bits);
};

} // namespace dml

#endif // DML_LIB_CODEGEN_GRAPH_WORDS_H
