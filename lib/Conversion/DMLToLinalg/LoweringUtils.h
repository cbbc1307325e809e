//===- LoweringUtils.h - What the operators' lowerings share ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_LOWERINGUTILS_H
#define DML_LIB_CONVERSION_DMLTOLINALG_LOWERINGUTILS_H

#include "dml/IR/DML.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include <functional>

namespace dml {

/// Builds arithmetic at one location, folding what is constant. Values of type
/// index stand for coordinates: they are signed only where a comment says so.
class ElementBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Value = mlir::Value;

  Value index(int64_t value);

  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value divui(Value lhs, Value rhs);
  Value remui(Value lhs, Value rhs);
  Value minui(Value lhs, Value rhs);
  Value minsi(Value lhs, Value rhs);
  Value maxsi(Value lhs, Value rhs);
  Value cmpi(mlir::arith::CmpIPredicate predicate, Value lhs, Value rhs);
  Value andi(Value lhs, Value rhs);
  Value select(Value condition, Value whenTrue, Value whenFalse);

  Value add(Value lhs, int64_t rhs) { return add(lhs, index(rhs)); }
  Value mul(Value lhs, int64_t rhs) { return mul(lhs, index(rhs)); }
  Value divui(Value lhs, int64_t rhs) { return divui(lhs, index(rhs)); }
  Value remui(Value lhs, int64_t rhs) { return remui(lhs, index(rhs)); }
};

/// `element` as f32, in which all arithmetic on elements is done: it holds
/// every f16 and 8-bit value, and a device needs no f16 arithmetic.
mlir::Value toF32(ElementBuilder &builder, mlir::Value element,
                  bool isUnsigned = false);

/// `value`, an f32, as `type`: rounded to nearest, halves to even. What is to
/// become an integer has a magnitude below 2^22.
mlir::Value fromF32(ElementBuilder &builder, mlir::Value value,
                    mlir::Type type);

/// The number `value` in an element type, which becomes the bits of
/// `loweredType`: floats are rounded to nearest; integers are rounded towards
/// zero, saturate, and are 0 for NaN.
mlir::TypedAttr convertScalar(float value, mlir::Type elementType,
                              mlir::Type loweredType);
/// The scalar `value`, of an element type, as the bits of `loweredType`.
mlir::TypedAttr convertScalar(mlir::TypedAttr value, mlir::Type loweredType);

/// A coordinate that was read from a tensor.
struct DataIndex {
  /// The coordinate as an index, moved to the nearest valid one.
  mlir::Value coordinate;
  /// Whether the coordinate was valid before it was moved.
  mlir::Value isValid;
};

/// Reads `element`, of the (unconverted) integer type `type`, as a coordinate
/// of a dimension of `size` elements. Negative ones count from the end.
DataIndex readIndex(ElementBuilder &builder, mlir::Value element,
                    mlir::Type type, int64_t size);

/// Computes one element of a tensor from its coordinates.
using ElementFn =
    llvm::function_ref<mlir::Value(ElementBuilder &, mlir::ValueRange indices)>;

/// Builds the linalg.generic that computes each element of a tensor of `type`
/// with `element`, as a part of `op`.
mlir::Value buildTensor(mlir::OpBuilder &builder, mlir::Operation *op,
                        mlir::RankedTensorType type, ElementFn element);

/// Replaces `op`, which has one result, by the linalg.generic that computes
/// each element of the result with `element`.
llvm::LogicalResult replaceWithTensor(mlir::Operation *op,
                                      const mlir::TypeConverter &typeConverter,
                                      mlir::ConversionPatternRewriter &rewriter,
                                      ElementFn element);

/// The same for an op of several results, of which `elements` has one function
/// each. A result without uses is computed all the same.
llvm::LogicalResult replaceWithTensors(
    mlir::Operation *op, const mlir::TypeConverter &typeConverter,
    mlir::ConversionPatternRewriter &rewriter,
    llvm::ArrayRef<
        std::function<mlir::Value(ElementBuilder &, mlir::ValueRange indices)>>
        elements);

/// Concatenates `inputs` along `axis`, as a part of `op`: each is a slice of
/// the result, which later passes write it into. Narrow elements that share a
/// 32-bit word with another input's are moved by kernels that read up to three
/// tensors.
mlir::Value buildJoin(mlir::OpBuilder &builder, mlir::Operation *op,
                      mlir::ValueRange inputs, int64_t axis);

/// The number of the element at `coordinates` of a tensor of sizes `sizes`, in
/// row-major order: 7 for (1, 3) of 2x4.
mlir::Value linearize(ElementBuilder &b, mlir::ValueRange coordinates,
                      llvm::ArrayRef<int64_t> sizes);
/// The coordinates of the element with the number `place`.
llvm::SmallVector<mlir::Value> delinearize(ElementBuilder &b, mlir::Value place,
                                           llvm::ArrayRef<int64_t> sizes);

/// The loops of a thread have at most so many iterations: lavapipe ends them
/// after 65,535.
inline constexpr int64_t maxIterations = 49152;

/// Builds loops over all coordinates of `sizes`, in row-major order, that carry
/// `init` along: `body` makes the values for the next iteration of the current
/// ones. Up to `maxWrittenOut` iterations are written out. Loops of more than
/// maxIterations should be split (getNumPartials). No loop is empty: upstream's
/// conversion to SPIR-V leaves the results of one undefined.
llvm::SmallVector<mlir::Value>
buildLoops(ElementBuilder &b, llvm::ArrayRef<int64_t> sizes,
           mlir::ValueRange init,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(
               ElementBuilder &b, mlir::ValueRange coordinates,
               mlir::ValueRange carried)>
               body,
           int64_t maxWrittenOut = 9);

/// How many partial results to make of `count` elements that are reduced to one
/// in each of `outputs` places: 1 where that is done in one step. Partial
/// result `p` of `n` is made of the elements p, p + n, p + 2 n, ..., so that
/// neighbouring threads read neighbouring elements and a single long row keeps
/// a whole device busy. For example, a sum of 2^20 elements is made of 1,024
/// partial sums of 1,024 elements.
int64_t getNumPartials(int64_t outputs, int64_t count);

/// The terms of a sum, or elements of a window, that are written out instead of
/// looped over: those of a window of 3 x 3 x 3. Neighbouring elements share
/// what they load then.
inline constexpr int64_t maxTermsWrittenOut = 27;

/// The number of trailing dimensions of `sizes` that have at most
/// maxTermsWrittenOut points together: 2 of {64, 3, 3}. Loops go over the
/// dimensions before them, and each iteration has these points written out.
size_t getNumWrittenOut(llvm::ArrayRef<int64_t> sizes);

/// What a space of sizes `sizes` is split into: `parts[i]` parts in dimension
/// `i`, of `lengths[i]` coordinates each, the last of which may lie outside.
/// Each thread then loops over one part, for one element of a tensor.
struct PartialSpace {
  llvm::SmallVector<int64_t> sizes, parts, lengths;

  /// Splits the space of sizes `sizes` that each element of a tensor of type
  /// `type` goes over, so that drivers end no thread's loops early, and a
  /// device has enough threads, of which `sharers` share the work of an
  /// element. Dimensions that are written out stay whole.
  PartialSpace(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> sizes,
               int64_t sharers = 1);

  int64_t getNumParts() const;

  /// Builds loops over part `part`, which is null where the space is one part.
  /// `body` gets the coordinates of a point of the space, and a condition:
  /// where it does not hold, the part has no such point, and the coordinates
  /// are those of some other. The condition is null where the space is a
  /// multiple of the part.
  llvm::SmallVector<mlir::Value>
  buildLoops(ElementBuilder &b, mlir::Value part, mlir::ValueRange init,
             llvm::function_ref<llvm::SmallVector<mlir::Value>(
                 ElementBuilder &b, mlir::ValueRange coordinates,
                 mlir::Value isInside, mlir::ValueRange carried)>
                 body) const;
};

/// Builds a tensor, a part of `op`, of what `build` makes for each element of a
/// tensor of type `type`. With one part, the tensor has that type and `build`
/// gets null for the part; with several, it has one dimension of `numParts`
/// more in front.
mlir::Value
buildParts(mlir::OpBuilder &builder, mlir::Operation *op,
           mlir::RankedTensorType type, int64_t numParts,
           llvm::function_ref<mlir::Value(ElementBuilder &b, mlir::Value part,
                                          mlir::ValueRange indices)>
               build);
/// The element at `indices` of part `part` of the tensor `parts` of several.
mlir::Value readPart(ElementBuilder &b, mlir::Value parts, mlir::Value part,
                     mlir::ValueRange indices);

/// Builds a term of a sum for a point of what is summed over.
using TermFn =
    std::function<mlir::Value(ElementBuilder &b, mlir::ValueRange coordinates)>;

/// Builds a tensor of `type`, a part of `op`, each element of which is a sum
/// over all points of `sizes`. `prepare` builds what an element's terms, of
/// `sumType` (f32 or an integer), have in common, and `finish` makes the
/// element of the sum. The sum of many terms is one of partial sums, unless
/// there are sums enough: each counts as the work of `sharers` threads.
mlir::Value buildSums(
    mlir::OpBuilder &builder, mlir::Operation *op, mlir::RankedTensorType type,
    llvm::ArrayRef<int64_t> sizes, mlir::Type sumType,
    llvm::function_ref<TermFn(ElementBuilder &b, mlir::ValueRange indices)>
        prepare,
    llvm::function_ref<mlir::Value(ElementBuilder &b, mlir::ValueRange indices,
                                   mlir::Value sum)>
        finish,
    int64_t sharers = 1);

/// Builds a tensor of `shape`, a part of `op`, that has for each place the
/// largest number, from 1 to `count`, for which `isHit` holds of the number
/// before it (an index), and 0 where it holds of none. That is how a scatter
/// finds what is written last to a place.
mlir::Value buildLastHits(
    mlir::OpBuilder &builder, mlir::Operation *op,
    llvm::ArrayRef<int64_t> shape, int64_t count,
    llvm::function_ref<mlir::Value(ElementBuilder &b, mlir::ValueRange place,
                                   mlir::Value number)>
        isHit);

/// What the tensor `hits` of buildLastHits has at `place`: whether there was a
/// hit, and its number from 0 on, some number below `count` where there was
/// none.
std::pair<mlir::Value, mlir::Value> readLastHit(ElementBuilder &b,
                                                mlir::Value hits,
                                                mlir::ValueRange place,
                                                int64_t count);

/// Whether `value` is a constant whose elements are all equal.
bool isSplat(mlir::Value value);

/// `tensor` as one row of its elements.
mlir::Value flatten(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value tensor);

/// Each adds the patterns of one family of operators.
#define DML_FAMILY(name)                                                       \
  void populate##name##Patterns(const mlir::TypeConverter &typeConverter,      \
                                mlir::RewritePatternSet &patterns);
#include "dml/IR/Families.def"

/// Adds the patterns of MLIR's own tensor operations.
void populateTensorPatterns(const mlir::TypeConverter &typeConverter,
                            mlir::RewritePatternSet &patterns);

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_LOWERINGUTILS_H
