//===- ElementWiseRows.h - Element-wise operators as rows -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A row says what an operator computes of the elements at one position:
//
//   {"element_wise_add", [](const Elements &x) { return x[0] + x[1]; }},
//
// Floats are f32 while they are computed with, integers have 32 or 64 bits: a
// device needs arithmetic of no other type. A row serves operators and fused
// activations alike.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_ELEMENTWISEROWS_H
#define DML_LIB_CONVERSION_DMLTOLINALG_ELEMENTWISEROWS_H

#include "LoweringUtils.h"

namespace dml {

/// A value of type i1.
struct Condition {
  ElementBuilder *b;
  mlir::Value value;

  Condition operator&&(Condition other) const;
  Condition operator||(Condition other) const;
  Condition operator!() const;
};

/// An element that is computed with: an f32, or an integer of 32 or 64 bits.
struct Number {
  ElementBuilder *b;
  mlir::Value value;
  /// Whether an integer has no sign.
  bool isUnsigned = false;

  bool isFloat() const { return mlir::isa<mlir::FloatType>(value.getType()); }
  /// The number `constant` of the same type.
  Number operator()(double constant) const;
  /// The result of an operation as a number of this one's type.
  Number with(mlir::Value result) const { return {b, result, isUnsigned}; }

  Number operator+(Number other) const;
  Number operator-(Number other) const;
  Number operator*(Number other) const;
  /// Rounds towards zero for integers, which give all ones for a divisor of 0.
  Number operator/(Number other) const;
  Number operator-() const;

  Condition operator<(Number other) const;
  Condition operator<=(Number other) const;
  Condition operator>(Number other) const { return other < *this; }
  Condition operator>=(Number other) const { return other <= *this; }
  /// Named, lest it be taken for a comparison of C++ values.
  Condition equals(Number other) const;

private:
  Condition compare(mlir::arith::CmpFPredicate ofFloats,
                    mlir::arith::CmpIPredicate ofSigned,
                    mlir::arith::CmpIPredicate ofUnsigned, Number other) const;
};

/// Integers: the bits that both, either or just one has, and shifts, which give
/// 0 where they are as wide as the number or wider.
Number operator&(Number a, Number b);
Number operator|(Number a, Number b);
Number operator^(Number a, Number b);
Number operator<<(Number a, Number b);
Number operator>>(Number a, Number b);

/// The minimum and the maximum; of a number and a NaN both are the number.
Number max(Number a, Number b);
Number min(Number a, Number b);
Number abs(Number x);
Number select(Condition condition, Number whenTrue, Number whenFalse);
Number exp(Number x);
Number log(Number x);
Number sqrt(Number x);
Number floor(Number x);
Number ceil(Number x);
/// Drops the fraction of a float.
Number trunc(Number x);
/// Halves to even.
Number roundEven(Number x);

/// Functions made of arithmetic, for which Vulkan's own bounds are wide or
/// absent: devices differ little.
Number tanh(Number x);
Number sinh(Number x);
Number cosh(Number x);
Number asinh(Number x);
Number acosh(Number x);
Number atanh(Number x);
Number sin(Number x);
Number cos(Number x);
Number asin(Number x);
Number acos(Number x);
Number atan(Number x);
Number atan2(Number y, Number x);
Number erf(Number x);
/// ln(1 + x) for x from 0 to 1.
Number log1p(Number x);
/// Powers of floats, and exact ones of an integer and an integer.
Number pow(Number x, Number exponent);

/// The bits of an f32 as an unsigned integer, and back.
Number toBits(Number x);
Number fromBits(Number bits);
/// The bits of an element as an unsigned integer of 32 or 64 bits.
Number toBits(ElementBuilder &b, mlir::Value element);

/// `x` as a number to compute with for elements of `type`, as dml.cast converts
/// it.
Number convert(Number x, mlir::Type type);

/// x / scale + zeroPoint, rounded and limited to a number of `type`. The zero
/// point is an integer or an f32 that holds one.
Number quantize(Number x, Number scale, std::optional<Number> zeroPoint,
                mlir::Type type);
/// (x - zeroPoint) * scale, for elements of `type`.
Number dequantize(Number x, Number scale, std::optional<Number> zeroPoint,
                  mlir::Type type);

/// A condition as the number 1 or 0, of the type of `like`.
Number toNumber(Condition condition, Number like);
/// The same as unsigned integers of 32 bits, which hold every result type.
Number toTruth(Condition condition);

/// What a row looks at: the elements at one position, and the attributes.
class Elements {
public:
  /// `types` are the element types of the operands and the result.
  Elements(llvm::ArrayRef<Number> numbers, mlir::DictionaryAttr attributes,
           llvm::ArrayRef<mlir::Type> types)
      : numbers(numbers), attributes(attributes), types(types) {}

  size_t size() const { return numbers.size(); }
  Number operator[](size_t index) const { return numbers[index]; }
  /// The f32 attribute `name` as a number like the first element.
  Number operator[](llvm::StringRef name) const;
  /// The attribute `name`, of f32 or of the first operand's type, as a number
  /// like the first element, or its negative: where that is an integer, rounded
  /// towards zero and limited to the numbers of the type.
  Number getBound(llvm::StringRef name, bool isNegated = false) const;
  /// The optional operand whose ODS number is `index`.
  std::optional<Number> getOptional(unsigned index) const;
  template <typename AttrTy> AttrTy getAttr(llvm::StringRef name) const {
    return attributes.getAs<AttrTy>(name);
  }
  mlir::Type getType(size_t index) const { return types[index]; }
  mlir::Type getResultType() const { return types.back(); }

private:
  llvm::ArrayRef<Number> numbers;
  mlir::DictionaryAttr attributes;
  llvm::ArrayRef<mlir::Type> types;
};

struct ElementWiseRow {
  /// How the elements are seen.
  enum class As {
    /// Elements are numbers, to be computed with.
    Numbers,
    /// Elements are their bits, in unsigned integers of 32 or 64 bits.
    Bits,
    /// Elements are copied as they are; where there is a scale_bias, they are
    /// numbers.
    Copies,
  };

  /// The operator's name without the dialect's.
  llvm::StringLiteral op;
  Number (*build)(const Elements &x);
  As as = As::Numbers;
};

/// The rows of each family.
llvm::ArrayRef<ElementWiseRow> getActivationRows();
llvm::ArrayRef<ElementWiseRow> getElementWiseRows();

/// What `activation` makes of the f32 `x`: how operators apply their
/// `fused_activation`. Null leaves `x` as it is.
Number applyActivation(Number x, ActivationAttr activation);

/// Adds a pattern for each of `rows`, which live as long as the program.
void populateElementWise(const mlir::TypeConverter &typeConverter,
                         mlir::RewritePatternSet &patterns,
                         llvm::ArrayRef<ElementWiseRow> rows);

/// Widens an element of the (unconverted) type `type` to a number to compute
/// with, and back.
Number toNumber(ElementBuilder &b, mlir::Value element, mlir::Type type);
mlir::Value fromNumber(Number number, mlir::Type convertedType);

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_ELEMENTWISEROWS_H
