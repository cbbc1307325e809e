//===- PoolingOps.cpp - DirectML's pooling operators ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OpUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

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
  struct {
    StringRef name;
    ArrayRef<int64_t> values;
    int64_t minimum;
  } arrays[] = {{"strides", adaptor.getStrides(), 1},
                {"window_size", adaptor.getWindowSize(), 1},
                {"start_padding", adaptor.getStartPadding(), 0},
                {"end_padding", adaptor.getEndPadding(), 0},
                {"dilations", adaptor.getDilations(), 1}};
  for (auto &array : arrays)
    if (failed(verifyArray<Op>(location, array.name, array.values,
                               input.getRank() - 2,
                               "spatial dimension of input", array.minimum)))
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
