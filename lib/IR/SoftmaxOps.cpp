//===- SoftmaxOps.cpp - Softmax and its relatives -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SoftmaxOps.h"
#include "OpUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/SoftmaxOps.cpp.inc"

void DMLDialect::registerSoftmaxOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/SoftmaxOps.cpp.inc"
      >();
}

LogicalResult dml::detail::verifyMatrix(Operation *op, StringRef name,
                                        RankedTensorType type) {
  ArrayRef<int64_t> sizes =
      type.getShape().drop_while([](int64_t size) { return size == 1; });
  if (sizes.size() > 2)
    return op->emitOpError()
           << name << " has type " << type << ", of " << sizes.size()
           << " dimensions without the leading sizes of 1, but "
              "wants at most 2";
  return success();
}

/// Checks that the input of a version without axes is a matrix.
template <typename OpTy> static LogicalResult verifyMatrix(OpTy op) {
  return dml::detail::verifyMatrix(
      op, "input", cast<RankedTensorType>(op.getInput().getType()));
}

LogicalResult ActivationHardmaxOp::verify() { return verifyMatrix(*this); }
LogicalResult ActivationLogSoftmaxOp::verify() { return verifyMatrix(*this); }
LogicalResult ActivationSoftmaxOp::verify() { return verifyMatrix(*this); }

//===----------------------------------------------------------------------===//
// Older versions
//===----------------------------------------------------------------------===//

/// Returns how many of the last dimensions contain the elements of a set, if
/// the sets are rows: no other dimension stands behind an axis, except those of
/// size 1. For example, the axes 2 and 3 of 2x4x8x8 elements give 2, and so
/// does the axis 2 of 2x4x8x1 elements.
static std::optional<int64_t> countRowDimensions(ArrayRef<int64_t> sizes,
                                                 ArrayRef<int64_t> axes) {
  auto rank = static_cast<int64_t>(sizes.size());
  int64_t first = rank;
  for (int64_t axis : axes)
    if (sizes[axis] != 1)
      first = std::min(first, axis);
  for (int64_t dim = first; dim < rank; ++dim)
    if (sizes[dim] != 1 && !llvm::is_contained(axes, dim))
      return std::nullopt;
  return rank - first;
}

/// Builds the result of `op` with the `OldOp`, which takes a matrix, of which
/// each row is a set. Fails if the sets are no rows.
template <typename OldOp, typename NewOp>
static FailureOr<SmallVector<Value>> buildMatrix(NewOp op, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  std::optional<int64_t> count =
      countRowDimensions(type.getShape(), op.getAxes());
  if (!count)
    return failure();
  // Each set of no axes is one element.
  int64_t columns = 1;
  for (int64_t size : type.getShape().take_back(*count))
    columns *= size;
  auto matrix = type.clone({1, 1, type.getNumElements() / columns, columns});
  Location loc = op.getLoc();
  auto reshape = [&](RankedTensorType to, Value value) -> Value {
    auto from = cast<RankedTensorType>(value.getType());
    if (from == to)
      return value;
    if (auto groups = getReassociationIndicesForReshape(from, to))
      return from.getRank() < to.getRank()
                 ? tensor::ExpandShapeOp::create(builder, loc, to, value,
                                                 *groups)
                       .getResult()
                 : tensor::CollapseShapeOp::create(builder, loc, to, value,
                                                   *groups)
                       .getResult();
    return Value();
  };
  // One dimension is a stop between any two shapes of as many elements.
  auto flat = type.clone({type.getNumElements()});
  auto reshapeThrough = [&](RankedTensorType to, Value value) {
    if (Value direct = reshape(to, value))
      return direct;
    return reshape(to, reshape(flat, value));
  };
  Value output = OldOp::create(builder, loc, matrix,
                               reshapeThrough(matrix, op.getInput()));
  return SmallVector<Value>{reshapeThrough(type, output)};
}

FailureOr<SmallVector<Value>>
ActivationHardmax1Op::decompose(OpBuilder &builder) {
  return buildMatrix<ActivationHardmaxOp>(*this, builder);
}

FailureOr<SmallVector<Value>>
ActivationLogSoftmax1Op::decompose(OpBuilder &builder) {
  return buildMatrix<ActivationLogSoftmaxOp>(*this, builder);
}

FailureOr<SmallVector<Value>>
ActivationSoftmax1Op::decompose(OpBuilder &builder) {
  return buildMatrix<ActivationSoftmaxOp>(*this, builder);
}

//===----------------------------------------------------------------------===//
// Newer versions
//===----------------------------------------------------------------------===//

/// Rewrites `op`, whose sets are rows, as a `NewOp`, whose sets lie along given
/// axes.
template <typename NewOp, typename OldOp>
static LogicalResult addAxes(OldOp op, PatternRewriter &rewriter) {
  int64_t rank = cast<RankedTensorType>(op.getInput().getType()).getRank();
  return replaceByNewer<NewOp>(
      op, rewriter,
      rewriter.getNamedAttr("axes", rewriter.getDenseI64ArrayAttr(rank - 1)));
}

void ActivationHardmaxOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(addAxes<ActivationHardmax1Op, ActivationHardmaxOp>);
}

void ActivationLogSoftmaxOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(addAxes<ActivationLogSoftmax1Op, ActivationLogSoftmaxOp>);
}

void ActivationSoftmaxOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(addAxes<ActivationSoftmax1Op, ActivationSoftmaxOp>);
}
