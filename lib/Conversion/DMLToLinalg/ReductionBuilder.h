//===- ReductionBuilder.h - How sets of elements become one -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Builds sums, products, extrema, and the positions of extrema. A long
// reduction is divided into several short ones (getNumPartials), in an order
// that depends only on sizes, so that results do not vary between runs. Floats
// are f32 in all steps, including partial results.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_REDUCTIONBUILDER_H
#define DML_LIB_CONVERSION_DMLTOLINALG_REDUCTIONBUILDER_H

#include "ElementWiseRows.h"

namespace dml {

/// A way to combine two numbers into one, such as their sum. The order in which
/// many numbers are combined only affects rounding.
struct Combiner {
  /// The number that does not change any other: 0 for sums, 1 for products. It
  /// has the type of the combined numbers.
  mlir::TypedAttr identity;
  bool isUnsigned;
  Number (*combine)(Number, Number);

  /// Return the combiners for elements of the (unconverted) type `type`.
  static Combiner getSum(mlir::Type type);
  static Combiner getProduct(mlir::Type type);
  /// NaNs lose against numbers. The result is NaN only if there are no numbers.
  static Combiner getMin(mlir::Type type);
  static Combiner getMax(mlir::Type type);

  mlir::Type getType() const { return identity.getType(); }
  Number getIdentity(ElementBuilder &b) const;
};

/// Combines one value for each place of `sizes` in any order, beginning with
/// `identity`. The loop is marked with anyOrderAttrName, so that threads may
/// share it. Up to `maxWrittenOut` values are combined without a loop.
mlir::Value buildAnyOrder(
    ElementBuilder &b, llvm::ArrayRef<int64_t> sizes, mlir::Value identity,
    int64_t maxWrittenOut,
    llvm::function_ref<mlir::Value(ElementBuilder &b, mlir::ValueRange place,
                                   mlir::Value carried)>
        next);

/// Computes the number for an element of a set. `outputs` identifies the set,
/// and `reduced` the element in the set.
using ReducedFn = std::function<Number(
    ElementBuilder &b, mlir::ValueRange outputs, mlir::ValueRange reduced)>;

/// Builds the tensor, with shape `outputs` and the combiner's type, whose
/// elements combine the numbers of one set each. The sets have the shape
/// `reduced`. `isInnermost` states that neighbours in memory belong to the same
/// set.
mlir::Value buildReduction(mlir::OpBuilder &builder, mlir::Operation *op,
                           llvm::ArrayRef<int64_t> outputs,
                           llvm::ArrayRef<int64_t> reduced, bool isInnermost,
                           const Combiner &combiner, const ReducedFn &element);

/// The dimensions over which a tensor is reduced.
class ReducedAxes {
public:
  ReducedAxes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes);

  /// Returns the shape of the tensor, with 1 in the reduced dimensions.
  llvm::ArrayRef<int64_t> getOutputs() const { return outputs; }
  /// Returns the sizes of the reduced dimensions, in ascending order of the
  /// dimensions.
  llvm::ArrayRef<int64_t> getReduced() const { return reduced; }
  /// Returns the number of elements in a set.
  int64_t getCount() const;
  /// Whether neighbours in memory belong to the same set.
  bool isInnermost() const { return innermost; }

  /// Returns the coordinates of an element of a set.
  llvm::SmallVector<mlir::Value> join(mlir::ValueRange outputs,
                                      mlir::ValueRange reduced) const;
  /// Returns the coordinates of the set that contains the element at `indices`.
  llvm::SmallVector<mlir::Value> getSet(ElementBuilder &b,
                                        mlir::ValueRange indices) const;
  /// Returns the row-major position of the element at `indices` within its set.
  mlir::Value getPlace(ElementBuilder &b, mlir::ValueRange indices) const;

private:
  llvm::SmallVector<int64_t> axes, outputs, reduced;
  bool innermost = false;
};

/// Computes the number of the element at some coordinates.
using NumberFn =
    std::function<Number(ElementBuilder &b, mlir::ValueRange indices)>;

/// Builds the reduction of `element` over the dimensions `axes`. If `isWhole`
/// is set, long sets are not divided for the sake of occupying a device.
mlir::Value buildReduction(mlir::OpBuilder &builder, mlir::Operation *op,
                           const ReducedAxes &axes, const Combiner &combiner,
                           const NumberFn &element, bool isWhole = false);

/// A sum over a set whose terms depend on another number of the set, which must
/// be computed first. For example, a softmax adds up e^(x - m), where m is the
/// largest element, and a variance adds up (x - m)^2, where m is the mean.
struct SumAfter {
  /// The combiner of the number that is computed first: a maximum or a sum.
  Combiner first;
  /// Computes the term of element `x` in a set of `count` elements whose first
  /// number is `first`.
  std::function<Number(Number x, Number first, Number count)> term;
  /// Converts `sum`, the sum over `count` elements whose first number is
  /// `first`, to the corresponding sum for the first number `ofAll` of all
  /// `countOfAll` elements.
  std::function<Number(Number sum, Number first, Number count, Number ofAll,
                       Number countOfAll)>
      move;
};

/// Two numbers of each set of floats.
class PairOfSets {
public:
  /// Builds the first number and the dependent sum. If there are few long sets,
  /// they are divided into parts, whose numbers are then combined, so that each
  /// element is read only once for both numbers.
  PairOfSets(mlir::OpBuilder &builder, mlir::Operation *op,
             const ReducedAxes &axes, const SumAfter &sum,
             const NumberFn &element);

  /// Return the numbers of the set that contains the element at `indices`.
  Number getFirst(ElementBuilder &b, mlir::ValueRange indices) const {
    return get(b, indices, 0);
  }
  Number getSum(ElementBuilder &b, mlir::ValueRange indices) const {
    return get(b, indices, 1);
  }

private:
  Number get(ElementBuilder &b, mlir::ValueRange indices, int64_t which) const;

  ReducedAxes axes;
  /// A tensor for each number, or a single tensor for both, whose first
  /// dimension selects the number.
  mlir::Value tensors[2], both;
};

/// Builds the sum of each set, and the sum of the squared distances of its
/// elements from the mean of the set.
PairOfSets buildSquares(mlir::OpBuilder &builder, mlir::Operation *op,
                        const ReducedAxes &axes, const NumberFn &element);

/// Builds the largest number of each set, by the combiner `largest`, and the
/// sum of the exponentials of the differences between its elements and
/// `getShift` of the largest number. The shift is this number itself, except
/// that the shift of -infinity is finite, so that elements of -infinity have
/// exponentials of 0.
PairOfSets buildExponentials(mlir::OpBuilder &builder, mlir::Operation *op,
                             const ReducedAxes &axes, const Combiner &largest,
                             const std::function<Number(Number)> &getShift,
                             const NumberFn &element);

/// Builds the tensor of the positions (getPlace), as i32, of the greatest or
/// least element of each set. NaNs lose against numbers. Among equal elements,
/// the first or the last one wins.
mlir::Value buildArgReduction(mlir::OpBuilder &builder, mlir::Operation *op,
                              const ReducedAxes &axes, bool isMax,
                              bool lastWins, const NumberFn &element);

/// Loads the element of `tensor` (of the unconverted type `type`) at `indices`,
/// where dimensions of size 1 are broadcast.
Number loadNumber(ElementBuilder &b, mlir::Value tensor, mlir::Type type,
                  mlir::ValueRange indices);

/// Loads the number at `indices` from a tensor that a reduction has built.
Number loadReduced(ElementBuilder &b, mlir::Value tensor,
                   mlir::ValueRange indices, bool isUnsigned = false);

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_REDUCTIONBUILDER_H
