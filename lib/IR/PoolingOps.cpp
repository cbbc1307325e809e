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

/// Checks that the tensor `name`, one element for each window of `input`, has
/// the sizes of pooling's output. Without `dilations`, they are 1.
template <typename OpTy>
static LogicalResult
verifyWindows(std::optional<Location> location, StringRef name,
              RankedTensorType windows, RankedTensorType input,
              ArrayRef<int64_t> strides, ArrayRef<int64_t> windowSize,
              ArrayRef<int64_t> startPadding, ArrayRef<int64_t> endPadding,
              ArrayRef<int64_t> dilations) {
  if (windows.getRank() != input.getRank())
    return emitInferenceError<OpTy>(location, name, " has rank ",
                                    windows.getRank(), ", but input has rank ",
                                    input.getRank());
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    int64_t wanted = input.getDimSize(dim), wantedCeil = wanted;
    if (dim >= 2) {
      int64_t i = dim - 2;
      // Values are below 2^32, but the product of two may need all 64 bits.
      uint64_t dilation = dilations.empty() ? 1 : dilations[i];
      uint64_t extent = 1 + static_cast<uint64_t>(windowSize[i] - 1) * dilation;
      uint64_t padded = static_cast<uint64_t>(input.getDimSize(dim)) +
                        startPadding[i] + endPadding[i];
      uint64_t steps = extent >= padded ? 0 : padded - extent;
      wanted = steps / strides[i] + 1;
      wantedCeil = llvm::divideCeil(steps, strides[i]) + 1;
    }
    int64_t found = windows.getDimSize(dim);
    if (found == wanted || found == wantedCeil)
      continue;
    if (wanted == wantedCeil)
      return emitInferenceError<OpTy>(location, name, " has size ", found,
                                      " in dimension ", dim, ", but wants ",
                                      wanted);
    return emitInferenceError<OpTy>(
        location, name, " has size ", found, " in dimension ", dim,
        ", but wants ", wanted, " (or ", wantedCeil, ", rounded up)");
  }
  return success();
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
  if (failed(verifyArrays<Op>(location, context, adaptor)))
    return failure();

  if (failed(verifyWindows<Op>(
          location, "input_gradient", gradient, input, adaptor.getStrides(),
          adaptor.getWindowSize(), adaptor.getStartPadding(),
          adaptor.getEndPadding(), adaptor.getDilations())))
    return failure();
  inferredReturnTypes.push_back(input);
  return success();
}

/// Checks the output of a pooling whose windows have `dilations`, or none.
template <typename OpTy>
static LogicalResult verifyOutput(OpTy op, ArrayRef<int64_t> dilations) {
  return verifyWindows<OpTy>(
      op.getLoc(), "output", cast<RankedTensorType>(op.getOutput().getType()),
      cast<RankedTensorType>(op.getInput().getType()), op.getStrides(),
      op.getWindowSize(), op.getStartPadding(), op.getEndPadding(), dilations);
}

LogicalResult MaxPooling2Op::verify() {
  return verifyOutput(*this, getDilations());
}
LogicalResult AveragePoolingOp::verify() { return verifyOutput(*this, {}); }
