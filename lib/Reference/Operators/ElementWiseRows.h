//===- ElementWiseRows.h - Element-wise operators ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A row is the formula of an operator's description:
//
//   row("element_wise_add", [](auto &x) { return out(x[0] + x[1]); }),
//
// It evaluates floats and integers within bounds, and integers that are certain
// exactly. A row for floats alone is made by `floatRow`.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_OPERATORS_ELEMENTWISEROWS_H
#define DML_LIB_REFERENCE_OPERATORS_ELEMENTWISEROWS_H

#include "Arithmetic/Interval.h"
#include "Operators/Evaluators.h"

namespace dml::reference {

/// What a formula looks at: the elements at one position, and the attributes.
template <typename Number> class Elements {
public:
  Elements(llvm::ArrayRef<Number> numbers, mlir::DictionaryAttr attributes)
      : numbers(numbers), attributes(attributes) {}

  Number operator[](size_t index) const { return numbers[index]; }
  /// The f32 attribute `name`.
  Number operator[](llvm::StringRef name) const {
    return numbers.front()(
        attributes.getAs<mlir::FloatAttr>(name).getValueAsDouble());
  }
  /// The attribute `name`, or its negative, as a number like the elements of
  /// the first operand.
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

/// A formula's result: a number like its operands, or 1 or 0.
template <typename Number> struct Outcome {
  Outcome(Number number) : number(number) {}
  Outcome(Truth truth) : truth(truth) {}

  std::optional<Number> number;
  std::optional<Truth> truth;
};

template <typename Number> Outcome<Number> out(Number number) { return number; }
/// The outcome of a condition, for numbers like those of `x`.
template <typename Number>
Outcome<Number> out(const Elements<Number> &, Truth truth) {
  return truth;
}

struct ElementWiseRow {
  /// The operator's name without the dialect's.
  llvm::StringLiteral op;
  Outcome<Interval> (*ofFloats)(const Elements<Interval> &x);
  /// The formula for integers, null where the operator knows none.
  Outcome<Integer> (*ofIntegers)(const Elements<Integer> &x);
};

/// `formula` is a generic lambda without captures, whose instances become the
/// two functions.
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

/// The rows of each family.
llvm::ArrayRef<ElementWiseRow> getActivationRows();
llvm::ArrayRef<ElementWiseRow> getElementWiseRows();

/// What `activation` makes of `x`: how operators apply their
/// `fused_activation`. Null leaves `x` as it is.
Interval applyActivation(Interval x, ActivationAttr activation);

/// Stores that nothing is known of element `index`.
void storeUnknown(Estimate &tensor, int64_t index);
/// Widens the bounds of element `to` so that element `from` of `other`, a
/// tensor of its type, may stand there as well.
void includeElement(Estimate &tensor, int64_t to, const Estimate &other,
                    int64_t from);
/// `estimate`, marked as certain if it is of integers whose lower and upper
/// bounds are the same.
Estimate dropBounds(Estimate estimate);
/// The integer `i` of `x` less the one `zeroIndex` of `zero`, or the former
/// where `zero` is null, as an f32. Differences of 32 bits wrap around.
Interval loadDifference(const Estimate &x, int64_t i, const Estimate *zero,
                        int64_t zeroIndex);

/// Stores `x`, which is rounded, as the nearest number that the integer type
/// has; a NaN as any.
void storeQuantized(Interval x, Estimate &tensor, int64_t index);

/// Adds an evaluator for each of `rows`, which live as long as the program.
void addElementWise(Evaluators &evaluators,
                    llvm::ArrayRef<ElementWiseRow> rows);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_OPERATORS_ELEMENTWISEROWS_H
