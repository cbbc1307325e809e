//===- SoftmaxOps.cpp - Softmax and its relatives -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SoftmaxOps.h"

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

/// The versions without axes take matrices.
template <typename OpTy> static LogicalResult verifyMatrix(OpTy op) {
  return dml::detail::verifyMatrix(
      op, "input", cast<RankedTensorType>(op.getInput().getType()));
}

LogicalResult ActivationHardmaxOp::verify() { return verifyMatrix(*this); }
LogicalResult ActivationLogSoftmaxOp::verify() { return verifyMatrix(*this); }
LogicalResult ActivationSoftmaxOp::verify() { return verifyMatrix(*this); }
