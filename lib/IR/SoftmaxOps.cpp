//===- SoftmaxOps.cpp - Softmax and its relatives -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SoftmaxOps.h"
#include "OpUtils.h"

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
