//===- ReductionBuilder.h - How sets of elements become one -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Sums, products, extrema and their positions. A long reduction is made of
// several short ones (getNumPartials), in an order that depends on sizes alone:
// results do not vary from run to run. Floats are f32 all the way, in partial
// results too.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_REDUCTIONBUILDER_H
#define DML_LIB_CONVERSION_DMLTOLINALG_REDUCTIONBUILDER_H

#include "ElementWiseRows.h"

namespace dml {

/// The way in which two numbers become one, such as their sum. The order in
/// which many numbers are combined matters to rounding alone.
struct Combiner {
  /// The number that changes no other: 0 for sums, 1 for products. Its type is
  /// that of all numbers that are combined.
  mlir::TypedAttr identity;
  bool isUnsigned;
  Number (*combine)(Number, Number);

  /// The combiners of elements of the (unconverted) type `type`.
  static Combiner getSum(mlir::Type type);
  static Combiner getProduct(mlir::Type type);
  /// NaNs lose against numbers, and are the result where there are no others.
  static Combiner getMin(mlir::Type type);
  static Combiner getMax(mlir::Type type);

  mlir::Type getType() const { return identity.getType(); }
  Number getIdentity(ElementBuilder &b) const;
};

/// Combines a value of each place of `sizes` in any order, from `identity` on:
/// the loop is marked (anyOrderAttrName), so that threads may share it. Up to
/// `maxWrittenOut` values are combined without a loop.
mlir::Value buildAnyOrder(
    ElementBuilder &b, llvm::ArrayRef<int64_t> sizes, mlir::Value identity,
    int64_t maxWrittenOut,
    llvm::function_ref<mlir::Value(ElementBuilder &b, mlir::ValueRange place,
                                   mlir::Value carried)>
        next);

/// Computes the number of an element of a set: `outputs` says which set it is,
/// and `reduced` which element.
using ReducedFn = std::function<Number(
    ElementBuilder &b, mlir::ValueRange outputs, mlir::ValueRange reduced)>;

/// Builds the tensor, of sizes `outputs` and the combiner's type, that has at
/// each place the numbers of a set, of sizes `reduced`, combined to one.
/// `isInnermost` says that neighbours in memory belong to one set.
mlir::Value buildReduction(mlir::OpBuilder &builder, mlir::Operation *op,
                           llvm::ArrayRef<int64_t> outputs,
                           llvm::ArrayRef<int64_t> reduced, bool isInnermost,
                           const Combiner &combiner, const ReducedFn &element);

/// The dimensions of a tensor over which it is reduced.
class ReducedAxes {
public:
  ReducedAxes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes);

  /// The tensor's sizes, 1 in the reduced dimensions.
  llvm::ArrayRef<int64_t> getOutputs() const { return outputs; }
  /// The sizes of the reduced dimensions, in ascending order of these.
  llvm::ArrayRef<int64_t> getReduced() const { return reduced; }
  /// The number of elements of a set.
  int64_t getCount() const;
  /// Whether neighbours in memory belong to one set.
  bool isInnermost() const { return innermost; }

  /// The coordinates of an element of a set.
  llvm::SmallVector<mlir::Value> join(mlir::ValueRange outputs,
                                      mlir::ValueRange reduced) const;
  /// The coordinates of the set that the element at `indices` belongs to.
  llvm::SmallVector<mlir::Value> getSet(ElementBuilder &b,
                                        mlir::ValueRange indices) const;
  /// The place of the element at `indices` in its set, in row-major order.
  mlir::Value getPlace(ElementBuilder &b, mlir::ValueRange indices) const;

private:
  llvm::SmallVector<int64_t> axes, outputs, reduced;
  bool innermost = false;
};

/// Computes the number of the element at some coordinates.
using NumberFn =
    std::function<Number(ElementBuilder &b, mlir::ValueRange indices)>;

/// The reduction of some dimensions of what `element` gives.
mlir::Value buildReduction(mlir::OpBuilder &builder, mlir::Operation *op,
                           const ReducedAxes &axes, const Combiner &combiner,
                           const NumberFn &element);

/// A sum over a set whose terms depend on another number of the set, which has
/// to be known first: a softmax adds up e^(x - m), with the largest element m,
/// and a variance (x - m)^2, with the mean m.
struct SumAfter {
  /// The number that comes first: the largest, or a sum.
  Combiner first;
  /// The term of element `x` of `count` elements whose first number is `first`.
  std::function<Number(Number x, Number first, Number count)> term;
  /// What the sum `sum` of `count` elements, whose first number is `first`, is
  /// among `countOfAll` elements, whose first number is `ofAll`.
  std::function<Number(Number sum, Number first, Number count, Number ofAll,
                       Number countOfAll)>
      move;
};

/// Two numbers of each set, of floats.
class PairOfSets {
public:
  /// Builds the first number and the sum after it. Where sets are few and long,
  /// parts of them have numbers of their own, which are then combined, so that
  /// each element is read once for both numbers.
  PairOfSets(mlir::OpBuilder &builder, mlir::Operation *op,
             const ReducedAxes &axes, const SumAfter &sum,
             const NumberFn &element);

  /// The numbers of the set of the element at `indices`.
  Number getFirst(ElementBuilder &b, mlir::ValueRange indices) const {
    return get(b, indices, 0);
  }
  Number getSum(ElementBuilder &b, mlir::ValueRange indices) const {
    return get(b, indices, 1);
  }

private:
  Number get(ElementBuilder &b, mlir::ValueRange indices, int64_t which) const;

  ReducedAxes axes;
  /// A tensor of each number, or one of both, whose first dimension says which.
  mlir::Value tensors[2], both;
};

/// Builds the sums of sets, and the sums of the squares of what elements are
/// above or below the mean of their set.
PairOfSets buildSquares(mlir::OpBuilder &builder, mlir::Operation *op,
                        const ReducedAxes &axes, const NumberFn &element);

/// Builds the largest number of each set, of combiner `largest`, and the sum of
/// the exponentials of what elements are above `getShift` of that number. The
/// shift is the number itself, but for infinities: -infinity has a finite one,
/// so that elements of -infinity have exponentials of 0.
PairOfSets buildExponentials(mlir::OpBuilder &builder, mlir::Operation *op,
                             const ReducedAxes &axes, const Combiner &largest,
                             const std::function<Number(Number)> &getShift,
                             const NumberFn &element);

/// Builds the tensor of the places (getPlace), as i32, of the greatest or least
/// element of each set. NaNs lose against numbers; among equals the first wins,
/// or the last.
mlir::Value buildArgReduction(mlir::OpBuilder &builder, mlir::Operation *op,
                              const ReducedAxes &axes, bool isMax,
                              bool lastWins, const NumberFn &element);

/// The element of `tensor` (of the unconverted type `type`) at `indices`, where
/// sizes of 1 repeat their element.
Number loadNumber(ElementBuilder &b, mlir::Value tensor, mlir::Type type,
                  mlir::ValueRange indices);

/// The number at `indices` of a tensor that a reduction has built.
Number loadReduced(ElementBuilder &b, mlir::Value tensor,
                   mlir::ValueRange indices, bool isUnsigned = false);

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_REDUCTIONBUILDER_H
