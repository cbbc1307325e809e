//===- LoweringUtils.h - What the operators' lowerings share ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_LOWERINGUTILS_H
#define DML_LIB_CONVERSION_DMLTOLINALG_LOWERINGUTILS_H

#include "dml/IR/DML.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include <functional>

namespace dml {

/// Builds arithmetic at one location, with constant folding. Values of type
/// index are coordinates. They are unsigned unless a comment states otherwise.
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

/// Converts `element` to f32, in which arithmetic on elements is done. An f32
/// can represent each f16 and each 8-bit integer, and devices need not support
/// f16 arithmetic.
mlir::Value toF32(ElementBuilder &builder, mlir::Value element,
                  bool isUnsigned = false);

/// Converts `value`, an f32, to `type`, rounded to nearest, ties to even. If
/// `type` is an integer type, the magnitude of `value` must be less than 2^22.
mlir::Value fromF32(ElementBuilder &builder, mlir::Value value,
                    mlir::Type type);

/// Converts the number `value` to an element type, and returns its bits as
/// `loweredType`. Floats are rounded to nearest. Integers are rounded towards
/// zero, saturate, and are 0 for NaN.
mlir::TypedAttr convertScalar(float value, mlir::Type elementType,
                              mlir::Type loweredType);
/// Returns the bits of the scalar `value`, of an element type, as
/// `loweredType`.
mlir::TypedAttr convertScalar(mlir::TypedAttr value, mlir::Type loweredType);

/// A coordinate that was read from a tensor.
struct DataIndex {
  /// The coordinate as an index, clamped to the valid range.
  mlir::Value coordinate;
  /// Whether the coordinate was valid before clamping.
  mlir::Value isValid;
};

/// Reads `element`, which has the (unconverted) integer type `type`, as a
/// coordinate in a dimension of `size` elements. Negative coordinates count
/// from the end.
DataIndex readIndex(ElementBuilder &builder, mlir::Value element,
                    mlir::Type type, int64_t size);

/// Computes one element of a tensor from its coordinates.
using ElementFn =
    llvm::function_ref<mlir::Value(ElementBuilder &, mlir::ValueRange indices)>;

/// Builds a linalg.generic, as a part of `op`, that computes each element of a
/// tensor of `type` with `element`.
mlir::Value buildTensor(mlir::OpBuilder &builder, mlir::Operation *op,
                        mlir::RankedTensorType type, ElementFn element);

/// Replaces `op`, which has one result, by a linalg.generic that computes each
/// element of the result with `element`.
llvm::LogicalResult replaceWithTensor(mlir::Operation *op,
                                      const mlir::TypeConverter &typeConverter,
                                      mlir::ConversionPatternRewriter &rewriter,
                                      ElementFn element);

/// Replaces `op` by linalg.generics that compute its results. `elements`
/// contains a function for each result. Unused results are computed as well.
llvm::LogicalResult replaceWithTensors(
    mlir::Operation *op, const mlir::TypeConverter &typeConverter,
    mlir::ConversionPatternRewriter &rewriter,
    llvm::ArrayRef<
        std::function<mlir::Value(ElementBuilder &, mlir::ValueRange indices)>>
        elements);

/// Concatenates `inputs` along `axis`, as a part of `op`. Each input becomes a
/// slice of the result, into which later passes write the input directly.
/// Narrow elements that share a 32-bit word with elements of another input are
/// moved by kernels that read up to three tensors.
mlir::Value buildJoin(mlir::OpBuilder &builder, mlir::Operation *op,
                      mlir::ValueRange inputs, int64_t axis);

/// Returns the row-major number of the element at `coordinates` in a tensor
/// with shape `sizes`: 7 for (1, 3) in 2x4.
mlir::Value linearize(ElementBuilder &b, mlir::ValueRange coordinates,
                      llvm::ArrayRef<int64_t> sizes);
/// Returns the coordinates of the element with the row-major number `place`.
llvm::SmallVector<mlir::Value> delinearize(ElementBuilder &b, mlir::Value place,
                                           llvm::ArrayRef<int64_t> sizes);

/// The largest number of iterations in the loops of a thread. lavapipe
/// terminates loops after 65,535 iterations.
inline constexpr int64_t maxIterations = 49152;

/// Builds loops over all coordinates of `sizes`, in row-major order. The loops
/// carry values, at first `init`: `body` computes the values for the next
/// iteration from the current ones. Up to `maxWrittenOut` iterations are
/// unrolled. Loops with more than maxIterations should be split
/// (getNumPartials). Empty loops are not allowed, since upstream's conversion
/// to SPIR-V leaves their results undefined.
llvm::SmallVector<mlir::Value>
buildLoops(ElementBuilder &b, llvm::ArrayRef<int64_t> sizes,
           mlir::ValueRange init,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(
               ElementBuilder &b, mlir::ValueRange coordinates,
               mlir::ValueRange carried)>
               body,
           int64_t maxWrittenOut = 9);

/// Returns the number of partial results for the reduction of `count` elements
/// for each of `outputs` outputs. If the result is 1, the reduction is done in
/// one step. Otherwise, partial result `p` of `n` combines the elements p, p +
/// n, p + 2 n, and so on. Neighbouring threads then read neighbouring elements,
/// and a single long row occupies a whole device. For example, a sum of 2^20
/// elements uses 1,024 partial sums of 1,024 elements.
int64_t getNumPartials(int64_t outputs, int64_t count);

/// The largest number of terms of a sum, or elements of a window, over which
/// code is unrolled: the elements of a 3 x 3 x 3 window. With unrolled code,
/// neighbouring elements of the output share loads.
inline constexpr int64_t maxTermsWrittenOut = 27;

/// Returns the number of trailing dimensions of `sizes` that together have at
/// most maxTermsWrittenOut points: 2 for {64, 3, 3}. Loops run over the
/// dimensions before these, and each iteration is unrolled over these points.
size_t getNumWrittenOut(llvm::ArrayRef<int64_t> sizes);

/// The division of a space with sizes `sizes` into parts: `parts[i]` parts in
/// dimension `i`, with `lengths[i]` coordinates each. The last part may extend
/// beyond the space. Each thread loops over one part, for one element of a
/// tensor.
struct PartialSpace {
  llvm::SmallVector<int64_t> sizes, parts, lengths;

  /// Divides the space of sizes `sizes` over which each element of a tensor of
  /// type `type` is computed. The parts are small enough that drivers do not
  /// terminate loops early, and numerous enough that a device has enough
  /// threads, where each element occupies `sharers` threads. Unrolled
  /// dimensions are not divided.
  PartialSpace(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> sizes,
               int64_t sharers = 1);

  int64_t getNumParts() const;

  /// Builds loops over part `part`, which is null if there is only one part.
  /// `body` receives the coordinates of a point of the space, and a condition.
  /// If the condition is false, the part has no such point, and the coordinates
  /// are those of another point. The condition is null if all parts are
  /// complete.
  llvm::SmallVector<mlir::Value>
  buildLoops(ElementBuilder &b, mlir::Value part, mlir::ValueRange init,
             llvm::function_ref<llvm::SmallVector<mlir::Value>(
                 ElementBuilder &b, mlir::ValueRange coordinates,
                 mlir::Value isInside, mlir::ValueRange carried)>
                 body) const;
};

/// Builds a tensor, as a part of `op`, from the values that `build` returns for
/// each element of a tensor of type `type`. With one part, the tensor has this
/// type, and `build` receives null for the part. With several parts, the tensor
/// has an additional first dimension of size `numParts`.
mlir::Value
buildParts(mlir::OpBuilder &builder, mlir::Operation *op,
           mlir::RankedTensorType type, int64_t numParts,
           llvm::function_ref<mlir::Value(ElementBuilder &b, mlir::Value part,
                                          mlir::ValueRange indices)>
               build);
/// Reads the element at `indices` of part `part` from the tensor `parts`.
mlir::Value readPart(ElementBuilder &b, mlir::Value parts, mlir::Value part,
                     mlir::ValueRange indices);

/// Builds the term of a sum for a point of the space over which the sum runs.
using TermFn =
    std::function<mlir::Value(ElementBuilder &b, mlir::ValueRange coordinates)>;

/// The number of threads that one sum occupies, if each factor depends on
/// dimensions on which the other does not depend. Kernels for such sums
/// distribute the terms of a sum to the threads of a workgroup. Half of a
/// workgroup leaves room for two columns, whose factors are usually neighbours
/// in memory.
inline constexpr int64_t sharersOfSum = DeviceProfile::workgroupSize / 2;

/// Builds a tensor of `type`, as a part of `op`, whose elements are sums over
/// all points of `sizes`. `prepare` builds the values that all terms of an
/// element have in common; terms have the type `sumType`, which is f32 or an
/// integer type. `finish` computes the element from the sum. Sums with many
/// terms are divided into partial sums, unless there are enough sums to occupy
/// a device, where each sum occupies `sharers` threads.
mlir::Value buildSums(
    mlir::OpBuilder &builder, mlir::Operation *op, mlir::RankedTensorType type,
    llvm::ArrayRef<int64_t> sizes, mlir::Type sumType,
    llvm::function_ref<TermFn(ElementBuilder &b, mlir::ValueRange indices)>
        prepare,
    llvm::function_ref<mlir::Value(ElementBuilder &b, mlir::ValueRange indices,
                                   mlir::Value sum)>
        finish,
    int64_t sharers = 1);

/// Builds a tensor of `shape`, as a part of `op`. Each element is the largest
/// number n from 1 to `count` for which `isHit` is true for the number n - 1
/// (an index), or 0 if there is none. A scatter uses the result to find the
/// last update to each place.
mlir::Value buildLastHits(
    mlir::OpBuilder &builder, mlir::Operation *op,
    llvm::ArrayRef<int64_t> shape, int64_t count,
    llvm::function_ref<mlir::Value(ElementBuilder &b, mlir::ValueRange place,
                                   mlir::Value number)>
        isHit);

/// Reads the tensor `hits` of buildLastHits() at `place`. Returns whether there
/// was a hit, and its number, counted from 0. If there was no hit, the number
/// is any number below `count`.
std::pair<mlir::Value, mlir::Value> readLastHit(ElementBuilder &b,
                                                mlir::Value hits,
                                                mlir::ValueRange place,
                                                int64_t count);

/// Whether `value` is a constant with equal elements.
bool isSplat(mlir::Value value);

/// Returns `tensor` as a flat tensor.
mlir::Value flatten(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value tensor);

/// Each function adds the patterns of one family of operators.
#define DML_FAMILY(name)                                                       \
  void populate##name##Patterns(const mlir::TypeConverter &typeConverter,      \
                                mlir::RewritePatternSet &patterns);
#include "dml/IR/Families.def"

/// Adds the patterns of upstream's tensor operations.
void populateTensorPatterns(const mlir::TypeConverter &typeConverter,
                            mlir::RewritePatternSet &patterns);

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_LOWERINGUTILS_H
