//===- ResampleOps.cpp - DirectML's resampling operators ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ResampleOps.h"
#include "OpUtils.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/ResampleOps.cpp.inc"

void DMLDialect::registerResampleOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/ResampleOps.cpp.inc"
      >();
}

template <typename OpTy> static LogicalResult verifyScales(OpTy op) {
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  auto output = cast<RankedTensorType>(op->getResult(0).getType());
  const OperatorSupport &support = OpTy::getOperatorSupport();
  if (output.getRank() != input.getRank())
    return op.emitOpError()
           << support.tensors[1].name << " has rank " << output.getRank()
           << ", but " << support.tensors[0].name << " has rank "
           << input.getRank();
  for (auto [i, scale] : llvm::enumerate(op.getScales()))
    if (!std::isfinite(scale) || scale <= 0)
      return op.emitOpError() << "scales[" << i << "] is " << scale
                              << ", but wants a finite value greater than 0";
  return success();
}

template <typename OpTy> static LogicalResult verifyOffsets(OpTy op) {
  std::pair<StringRef, ArrayRef<float>> arrays[] = {
      {"input_pixel_offsets", op.getInputPixelOffsets()},
      {"output_pixel_offsets", op.getOutputPixelOffsets()}};
  for (auto [name, offsets] : arrays)
    for (auto [i, offset] : llvm::enumerate(offsets))
      if (!std::isfinite(offset))
        return op.emitOpError() << name << "[" << i << "] is " << offset
                                << ", but wants a finite value";
  return verifyScales(op);
}

LogicalResult ResampleOp::verify() { return verifyScales(*this); }
LogicalResult Resample1Op::verify() { return verifyOffsets(*this); }
LogicalResult Resample2Op::verify() { return verifyOffsets(*this); }
LogicalResult Resample3Op::verify() { return verifyOffsets(*this); }
LogicalResult ResampleGradOp::verify() { return verifyOffsets(*this); }
LogicalResult ResampleGrad1Op::verify() { return verifyOffsets(*this); }

LogicalResult Upsample2dOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  if (failed(verifyRanked<Upsample2dOp>(location, adaptor.getOperands())))
    return failure();
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  if (failed(verifyArrays<Upsample2dOp>(location, context, adaptor)))
    return failure();
  int64_t rank = input.getRank();
  if (rank != 4 && rank != 5)
    return emitInferenceError<Upsample2dOp>(location, "input has rank ", rank,
                                            ", but wants rank 4 or 5");
  SmallVector<int64_t> shape(input.getShape());
  for (auto [i, factor] : llvm::enumerate(adaptor.getScaleSize())) {
    size_t dim = rank - 2 + i;
    auto size = llvm::SaturatingMultiply<uint64_t>(shape[dim], factor);
    if (failed(verifyOutputSize<Upsample2dOp>(location, dim, size)))
      return failure();
    shape[dim] = static_cast<int64_t>(size);
  }
  inferredReturnTypes.push_back(input.clone(shape));
  return success();
}

bool ResampleOp::movesElements() {
  return getMode() == InterpolationMode::nearest_neighbor;
}

LogicalResult ResampleOp::reinterpretConstants(Type from, Type to) {
  return success();
}

OpFoldResult ResampleOp::fold(FoldAdaptor adaptor) {
  bool copies = getInput().getType() == getOutput().getType() &&
                llvm::all_of(getScales(), [](float s) { return s == 1.0f; });
  return copies ? getInput() : Value();
}
