//===- ElementWiseRows.h - Element-wise operators as rows -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A row of the table contains an operator's formula, which computes a result
// from the elements at one position:
//
//   {"element_wise_add", [](const Elements &x) { return x[0] + x[1]; }},
//
// Formulas compute floats as f32, and integers with 32 or 64 bits. Devices need
// no arithmetic for other types. A row is used for an operator as well as for a
// fused activation.
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

/// A number in a computation: an f32, or a 32-bit or 64-bit integer.
struct Number {
  ElementBuilder *b;
  mlir::Value value;
  /// Whether an integer is unsigned.
  bool isUnsigned = false;

  bool isFloat() const { return mlir::isa<mlir::FloatType>(value.getType()); }
  /// Returns the constant `constant` in the type of this number.
  Number operator()(double constant) const;
  /// Returns the result of an operation as a number of this type.
  Number with(mlir::Value result) const { return {b, result, isUnsigned}; }

  Number operator+(Number other) const;
  Number operator-(Number other) const;
  Number operator*(Number other) const;
  /// Integer division rounds towards zero. The quotient by 0 has all bits set.
  Number operator/(Number other) const;
  Number operator-() const;

  Condition operator<(Number other) const;
  Condition operator<=(Number other) const;
  Condition operator>(Number other) const { return other < *this; }
  Condition operator>=(Number other) const { return other <= *this; }
  /// A named function, so that it is not mistaken for a C++ comparison.
  Condition equals(Number other) const;

private:
  Condition compare(mlir::arith::CmpFPredicate ofFloats,
                    mlir::arith::CmpIPredicate ofSigned,
                    mlir::arith::CmpIPredicate ofUnsigned, Number other) const;
};

/// Bitwise operations on integers, and shifts. A shift by the width or more
/// returns 0.
Number operator&(Number a, Number b);
Number operator|(Number a, Number b);
Number operator^(Number a, Number b);
Number operator<<(Number a, Number b);
Number operator>>(Number a, Number b);

/// Return the maximum and the minimum. For a number and NaN, both return the
/// number.
Number max(Number a, Number b);
Number min(Number a, Number b);
Number abs(Number x);
Number select(Condition condition, Number whenTrue, Number whenFalse);
Number exp(Number x);
Number log(Number x);
Number sqrt(Number x);
Number floor(Number x);
Number ceil(Number x);
/// Removes the fraction of a float.
Number trunc(Number x);
/// Rounds to the nearest integer, ties to even.
Number roundEven(Number x);

/// Computes a * b + c with a single rounding. One operation is used, since
/// drivers may not fuse two.
Number fma(Number a, Number b, Number c);
/// Evaluates the polynomial with these coefficients, beginning with that of the
/// highest power, with a single rounding for each step.
Number evaluateFused(Number x, std::initializer_list<double> coefficients);

/// Functions composed of arithmetic, since Vulkan's bounds for the
/// corresponding instructions are wide or missing. Results therefore hardly
/// differ between devices.
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
/// Computes ln(1 + x) for x from 0 to 1.
Number log1p(Number x);
/// Computes powers of floats, and exact powers of integers.
Number pow(Number x, Number exponent);

/// Return the bits of an f32 as an unsigned integer, and the f32 with given
/// bits.
Number toBits(Number x);
Number fromBits(Number bits);
/// Returns the bits of an element as an unsigned integer with 32 or 64 bits.
Number toBits(ElementBuilder &b, mlir::Value element);

/// Converts `x` to a number for elements of `type`, as dml.cast does.
Number convert(Number x, mlir::Type type);

/// Computes x / scale + zeroPoint, rounded and clamped to the range of `type`.
/// The zero point is an integer, or an f32 with an integer value.
Number quantize(Number x, Number scale, std::optional<Number> zeroPoint,
                mlir::Type type);
/// Computes (x - zeroPoint) * scale for elements of `type`.
Number dequantize(Number x, Number scale, std::optional<Number> zeroPoint,
                  mlir::Type type);

/// Returns 1 if the condition is true and 0 otherwise, in the type of `like`.
Number toNumber(Condition condition, Number like);
/// Returns 1 if the condition is true and 0 otherwise, as an unsigned 32-bit
/// integer, which can be converted to each result type.
Number toTruth(Condition condition);

/// The inputs of a row's formula: the elements at one position, and the
/// attributes.
class Elements {
public:
  /// `types` are the element types of the operands and of the result.
  Elements(llvm::ArrayRef<Number> numbers, mlir::DictionaryAttr attributes,
           llvm::ArrayRef<mlir::Type> types)
      : numbers(numbers), attributes(attributes), types(types) {}

  size_t size() const { return numbers.size(); }
  Number operator[](size_t index) const { return numbers[index]; }
  /// Returns the f32 attribute `name` as a number of the first element's type.
  Number operator[](llvm::StringRef name) const;
  /// Returns the attribute `name`, which has the type f32 or the type of the
  /// first operand, or its negative, as a number of the first element's type.
  /// For an integer type, the attribute is rounded towards zero and clamped to
  /// the range of the type.
  Number getBound(llvm::StringRef name, bool isNegated = false) const;
  /// Returns the optional operand with the ODS number `index`.
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
  /// The interpretation of the elements.
  enum class As {
    /// Elements are numbers for arithmetic.
    Numbers,
    /// Elements are their bits, as unsigned integers with 32 or 64 bits.
    Bits,
    /// Elements are copied unchanged, or are numbers if there is a scale_bias.
    Copies,
  };

  /// The name of the operator, without the dialect's prefix.
  llvm::StringLiteral op;
  Number (*build)(const Elements &x);
  As as = As::Numbers;
};

/// Return the rows of the families of operators.
llvm::ArrayRef<ElementWiseRow> getActivationRows();
llvm::ArrayRef<ElementWiseRow> getElementWiseRows();

/// Applies `activation` to the f32 `x`, as operators apply their
/// `fused_activation`. A null `activation` returns `x`.
Number applyActivation(Number x, ActivationAttr activation);

/// Adds a pattern for each of `rows`, which must exist as long as the program.
void populateElementWise(const mlir::TypeConverter &typeConverter,
                         mlir::RewritePatternSet &patterns,
                         llvm::ArrayRef<ElementWiseRow> rows);

/// Convert an element of the (unconverted) type `type` to a number for
/// arithmetic, and back.
Number toNumber(ElementBuilder &b, mlir::Value element, mlir::Type type);
mlir::Value fromNumber(Number number, mlir::Type convertedType);

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_ELEMENTWISEROWS_H
