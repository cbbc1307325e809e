//===- ReductionOps.cpp - DirectML's reductions ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ReductionOps.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/ReductionOps.cpp.inc"

void DMLDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/ReductionOps.cpp.inc"
      >();
}

/// Checks that reduced dimensions have size 1, and the other dimensions the
/// size of the input.
template <typename OpTy> static LogicalResult verifyReducedShape(OpTy op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto output = cast<RankedTensorType>(op.getOutput().getType());
  if (output.getRank() != input.getRank())
    return op.emitOpError() << "output has rank " << output.getRank()
                            << ", but input has rank " << input.getRank();
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    bool isReduced = llvm::is_contained(op.getAxes(), dim);
    int64_t found = output.getDimSize(dim);
    int64_t wanted = isReduced ? 1 : input.getDimSize(dim);
    if (found != wanted)
      return op.emitOpError()
             << "output has size " << found << " in dimension " << dim
             << ", but wants " << wanted
             << (isReduced ? ", since axes lists it" : ", as input has");
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  bool isPlace = getFunction() == ReduceFunction::argmax ||
                 getFunction() == ReduceFunction::argmin;
  Type input = cast<RankedTensorType>(getInput().getType()).getElementType();
  Type output = cast<RankedTensorType>(getOutput().getType()).getElementType();
  if (!isPlace && input != output)
    return emitOpError() << "output has element type " << output
                         << ", but input has " << input;
  return verifyReducedShape(*this);
}

LogicalResult ArgMaxOp::verify() { return verifyReducedShape(*this); }
LogicalResult ArgMinOp::verify() { return verifyReducedShape(*this); }
