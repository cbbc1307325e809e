//===- ContractionOps.cpp - Sums of products ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ContractionOps.h"
#include "OpUtils.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/ContractionOps.cpp.inc"

void DMLDialect::registerContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/ContractionOps.cpp.inc"
      >();
}

/// Checks that the tensor `name` has the element type and the rank of the first
/// one, `firstName`.
template <typename OpTy>
static LogicalResult verifyLike(std::optional<Location> location,
                                StringRef name, RankedTensorType type,
                                StringRef firstName, RankedTensorType first) {
  if (type.getElementType() != first.getElementType())
    return emitInferenceError<OpTy>(location, name, " has element type ",
                                    type.getElementType(), ", but ", firstName,
                                    " has ", first.getElementType());
  if (type.getRank() != first.getRank())
    return emitInferenceError<OpTy>(location, name, " has rank ",
                                    type.getRank(), ", but ", firstName,
                                    " has rank ", first.getRank());
  return success();
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

LogicalResult ConvolutionOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  using Op = ConvolutionOp;
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto filter = cast<RankedTensorType>(adaptor.getFilter().getType());
  if (input.getRank() < 3)
    return emitInferenceError<Op>(
        location, "input has rank ", input.getRank(),
        ", but wants {N, C, W}, {N, C, H, W} or {N, C, D, H, W}");
  if (failed(verifyLike<Op>(location, "filter", filter, "input", input)) ||
      failed(verifyArrays<Op>(location, context, adaptor)))
    return failure();

  bool isForward = adaptor.getDirection() == ConvolutionDirection::forward;
  int64_t groups = adaptor.getGroupCount();
  int64_t channels = input.getDimSize(1);
  if (filter.getDimSize(0) % groups != 0)
    return emitInferenceError<Op>(
        location, "filter has size ", filter.getDimSize(0),
        " in dimension 0, but wants a multiple of group_count, which is ",
        groups);
  // Sizes and counts are below 2^32, so that products of two fit.
  uint64_t other = static_cast<uint64_t>(filter.getDimSize(1)) *
                   static_cast<uint64_t>(groups);
  uint64_t wanted = isForward ? other : filter.getDimSize(0);
  if (static_cast<uint64_t>(channels) != wanted)
    return emitInferenceError<Op>(
        location, "input has ", channels, " channels, but filter wants ",
        wanted,
        isForward ? ", its size in dimension 1 times group_count"
                  : ", its size in dimension 0");

  uint64_t outputChannels = isForward ? filter.getDimSize(0) : other;
  if (failed(verifyOutputSize<Op>(location, 1, outputChannels)))
    return failure();
  SmallVector<int64_t> shape = {input.getDimSize(0),
                                static_cast<int64_t>(outputChannels)};
  for (int64_t i = 0, e = input.getRank() - 2; i < e; ++i) {
    // A size plus a product of two numbers below 2^32, and differences of
    // such, need 66 bits.
    __int128 size = input.getDimSize(i + 2), stride = adaptor.getStrides()[i],
             extent = 1 + static_cast<__int128>(filter.getDimSize(i + 2) - 1) *
                              adaptor.getDilations()[i],
             padding = static_cast<__int128>(adaptor.getStartPadding()[i]) +
                       adaptor.getEndPadding()[i];
    int64_t more = adaptor.getOutputPadding()[i];
    __int128 result;
    if (isForward) {
      if (more != 0)
        return emitInferenceError<Op>(
            location, "output_padding[", i, "] is ", more,
            ", but wants 0: only direction backward pads its output");
      if (extent > size + padding)
        return emitInferenceError<Op>(
            location, "filter extends over ", static_cast<uint64_t>(extent),
            " elements in dimension ", i + 2, ", but the padded input has ",
            static_cast<uint64_t>(size + padding));
      result = (size + padding - extent) / stride + 1;
    } else {
      result = (size - 1) * stride + extent + more - padding;
      if (result < 1)
        return emitInferenceError<Op>(
            location, "output would have no elements in dimension ", i + 2,
            ": the padding cuts ", static_cast<uint64_t>(padding), " of ",
            static_cast<uint64_t>(result + padding));
    }
    uint64_t saturated = result > UINT64_MAX ? UINT64_MAX : result;
    if (failed(verifyOutputSize<Op>(location, i + 2, saturated)))
      return failure();
    shape.push_back(static_cast<int64_t>(saturated));
  }

  if (Value value = adaptor.getBias()) {
    auto bias = cast<RankedTensorType>(value.getType());
    if (failed(verifyLike<Op>(location, "bias", bias, "input", input)))
      return failure();
    for (auto [dim, found] : llvm::enumerate(bias.getShape())) {
      int64_t wanted = dim == 1 ? shape[1] : 1;
      if (found != wanted)
        return emitInferenceError<Op>(
            location, "bias has size ", found, " in dimension ", dim,
            ", but wants ", wanted, dim == 1 ? ", the output's channels" : "");
    }
  }
  inferredReturnTypes.push_back(input.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

LogicalResult
GemmOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                         Adaptor adaptor,
                         SmallVectorImpl<Type> &inferredReturnTypes) {
  using Op = GemmOp;
  auto a = cast<RankedTensorType>(adaptor.getA().getType());
  auto b = cast<RankedTensorType>(adaptor.getB().getType());
  if (a.getRank() < 2)
    return emitInferenceError<Op>(location, "a has rank ", a.getRank(),
                                  ", but wants {..., M, K}");
  if (failed(verifyLike<Op>(location, "b", b, "a", a)))
    return failure();
  int64_t row = a.getRank() - 2;
  for (int64_t dim = 0; dim < row; ++dim)
    if (a.getDimSize(dim) != b.getDimSize(dim))
      return emitInferenceError<Op>(location, "b has size ", b.getDimSize(dim),
                                    " in dimension ", dim, ", but a has ",
                                    a.getDimSize(dim),
                                    " there (the operator does not broadcast)");
  bool transA = adaptor.getTransA() == MatrixTransform::transpose;
  bool transB = adaptor.getTransB() == MatrixTransform::transpose;
  int64_t columns = a.getDimSize(transA ? row : row + 1);
  int64_t rows = b.getDimSize(transB ? row + 1 : row);
  if (columns != rows)
    return emitInferenceError<Op>(location, "a has ", columns,
                                  transA ? " columns, transposed, but b has "
                                         : " columns, but b has ",
                                  rows, transB ? " rows, transposed" : " rows");
  SmallVector<int64_t> shape(a.getShape());
  shape[row] = a.getDimSize(transA ? row + 1 : row);
  shape[row + 1] = b.getDimSize(transB ? row : row + 1);
  inferredReturnTypes.push_back(a.clone(shape));
  return success();
}
