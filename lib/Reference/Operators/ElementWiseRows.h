//===- ElementWiseRows.h - Element-wise operators ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A row of the table contains the formula in an operator's description:
//
//   row("element_wise_add", [](auto &x) { return out(x[0] + x[1]); }),
//
// The formula evaluates floats and integers within bounds. Integers that are
// known exactly remain exact. `floatRow` creates a row for floats only.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_OPERATORS_ELEMENTWISEROWS_H
#define DML_LIB_REFERENCE_OPERATORS_ELEMENTWISEROWS_H

#include "Arithmetic/Interval.h"
#include "Operators/Evaluators.h"

namespace dml::reference {

/// The inputs of a formula: the elements of the operands at one position, and
/// the attributes.
template <typename Number> class Elements {
public:
  Elements(llvm::ArrayRef<Number> numbers, mlir::DictionaryAttr attributes)
      : numbers(numbers), attributes(attributes) {}

  Number operator[](size_t index) const { return numbers[index]; }
  /// Returns the f32 attribute `name`.
  Number operator[](llvm::StringRef name) const {
    return numbers.front()(
        attributes.getAs<mlir::FloatAttr>(name).getValueAsDouble());
  }
  /// Returns the attribute `name`, or its negative, as a number of the first
  /// operand's type.
  Number getBound(llvm::StringRef name, bool isNegated = false) const {
    return numbers.front().getBound(attributes.get(name), isNegated);
  }
  template <typename AttrTy> AttrTy getAttr(llvm::StringRef name) const {
    return attributes.getAs<AttrTy>(name);
  }

private:
  llvm::ArrayRef<Number> numbers;
  mlir::DictionaryAttr attributes;
};

/// The result of a formula: a number of the operands' type, or 1 or 0.
template <typename Number> struct Outcome {
  Outcome(Number number) : number(number) {}
  Outcome(Truth truth) : truth(truth) {}

  std::optional<Number> number;
  std::optional<Truth> truth;
};

template <typename Number> Outcome<Number> out(Number number) { return number; }
/// Returns the result of a condition, for operands such as `x`.
template <typename Number>
Outcome<Number> out(const Elements<Number> &, Truth truth) {
  return truth;
}

struct ElementWiseRow {
  /// The name of the operator, without the dialect's prefix.
  llvm::StringLiteral op;
  Outcome<Interval> (*ofFloats)(const Elements<Interval> &x);
  /// The formula for integers, or null if the operator does not support
  /// integers.
  Outcome<Integer> (*ofIntegers)(const Elements<Integer> &x);
};

/// Returns a row for `formula`, a generic lambda without captures whose
/// instances are the two functions.
template <typename Formula>
ElementWiseRow row(llvm::StringLiteral op, Formula formula) {
  return {op, formula, formula};
}
template <typename Formula>
ElementWiseRow floatRow(llvm::StringLiteral op, Formula formula) {
  return {op, formula, nullptr};
}
template <typename Formula>
ElementWiseRow integerRow(llvm::StringLiteral op, Formula formula) {
  return {op, nullptr, formula};
}

/// Return the rows of the families of operators.
llvm::ArrayRef<ElementWiseRow> getActivationRows();
llvm::ArrayRef<ElementWiseRow> getElementWiseRows();

/// Applies `activation` to `x`, as operators apply their `fused_activation`. A
/// null `activation` returns `x`.
Interval applyActivation(Interval x, ActivationAttr activation);

/// Stores bounds of element `index` that include everything.
void storeUnknown(Estimate &tensor, int64_t index);
/// Widens the bounds of element `to` to include the bounds of element `from` of
/// `other`, which has the same type.
void includeElement(Estimate &tensor, int64_t to, const Estimate &other,
                    int64_t from);
/// Returns `estimate`, marked as exact if it has integers and its lower and
/// upper bounds are equal.
Estimate dropBounds(Estimate estimate);
/// Returns integer `i` of `x` as an f32, minus integer `zeroIndex` of `zero` if
/// `zero` is not null. 32-bit differences wrap around.
Interval loadDifference(const Estimate &x, int64_t i, const Estimate *zero,
                        int64_t zeroIndex);

/// Stores `x`, which is an integer, as the nearest number of the tensor's
/// integer type. For NaN, all numbers are possible.
void storeQuantized(Interval x, Estimate &tensor, int64_t index);

/// Adds an evaluator for each of `rows`, which must exist as long as the
/// program.
void addElementWise(Evaluators &evaluators,
                    llvm::ArrayRef<ElementWiseRow> rows);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_OPERATORS_ELEMENTWISEROWS_H
