//===- PoolingOps.cpp - DirectML's pooling operators ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PoolingOps.h"
#include "OpUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/PoolingOps.cpp.inc"

void DMLDialect::registerPoolingOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/PoolingOps.cpp.inc"
      >();
}

LogicalResult MaxPoolingGradOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  using Op = MaxPoolingGradOp;
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto gradient = cast<RankedTensorType>(adaptor.getInputGradient().getType());
  if (input.getRank() < 3)
    return emitInferenceError<Op>(
        location, "input has rank ", input.getRank(),
        ", but wants {N, C, H, W} or {N, C, D, H, W}");
  if (gradient.getElementType() != input.getElementType())
    return emitInferenceError<Op>(location, "input_gradient has element type ",
                                  gradient.getElementType(), ", but input has ",
                                  input.getElementType());
  if (gradient.getRank() != input.getRank())
    return emitInferenceError<Op>(location, "input_gradient has rank ",
                                  gradient.getRank(), ", but input has rank ",
                                  input.getRank());
  if (failed(verifyArrays<Op>(location, context, adaptor)))
    return failure();

  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    int64_t wanted = input.getDimSize(dim), wantedCeil = wanted;
    if (dim >= 2) {
      int64_t i = dim - 2;
      // Values are below 2^32, but the product of two may need all 64 bits.
      uint64_t extent =
          1 + static_cast<uint64_t>(adaptor.getWindowSize()[i] - 1) *
                  static_cast<uint64_t>(adaptor.getDilations()[i]);
      uint64_t padded = static_cast<uint64_t>(input.getDimSize(dim)) +
                        adaptor.getStartPadding()[i] +
                        adaptor.getEndPadding()[i];
      uint64_t steps = extent >= padded ? 0 : padded - extent;
      wanted = steps / adaptor.getStrides()[i] + 1;
      wantedCeil = llvm::divideCeil(steps, adaptor.getStrides()[i]) + 1;
    }
    int64_t found = gradient.getDimSize(dim);
    if (found == wanted || found == wantedCeil)
      continue;
    if (wanted == wantedCeil)
      return emitInferenceError<Op>(location, "input_gradient has size ", found,
                                    " in dimension ", dim, ", but wants ",
                                    wanted);
    return emitInferenceError<Op>(location, "input_gradient has size ", found,
                                  " in dimension ", dim, ", but wants ", wanted,
                                  " (or ", wantedCeil, ", rounded up)");
  }
  inferredReturnTypes.push_back(input);
  return success();
}
