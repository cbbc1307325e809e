//===- SliceOps.cpp - DirectML's slices -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SliceOps.h"
#include "OpUtils.h"
#include <cstdlib>

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/SliceOps.cpp.inc"

void DMLDialect::registerSliceOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/SliceOps.cpp.inc"
      >();
}

LogicalResult
SliceOp::inferReturnTypes(MLIRContext *context,
                          std::optional<Location> location, Adaptor adaptor,
                          SmallVectorImpl<Type> &inferredReturnTypes) {
  if (failed(verifyRanked<SliceOp>(location, adaptor.getOperands())))
    return failure();
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  if (failed(verifyArrays<SliceOp>(location, context, adaptor)))
    return failure();
  for (auto [dim, size, offset, count, stride] :
       llvm::enumerate(input.getShape(), adaptor.getOffsets(),
                       adaptor.getSizes(), adaptor.getStrides())) {
    // Each of the three numbers has at most 32 bits, so that the result does
    // not overflow.
    uint64_t last =
        static_cast<uint64_t>(offset) +
        static_cast<uint64_t>(count - 1) * static_cast<uint64_t>(stride);
    if (last >= static_cast<uint64_t>(size))
      return emitInferenceError<SliceOp>(
          location, "reads coordinate ", last, " of dimension ", dim,
          ", but input has size ", size, " there");
  }
  inferredReturnTypes.push_back(input.clone(adaptor.getSizes()));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // If the types are equal, all elements are copied.
  return getInput().getType() == getOutput().getType() ? getInput() : Value();
}

/// Checks the windows of `op` in the tensor `whole`, and that the tensor `part`
/// has no more elements than the windows have steps.
template <typename OpTy>
static LogicalResult verifyWindows(OpTy op, StringRef wholeName, Value whole,
                                   StringRef partName, Value part) {
  auto wholeType = cast<RankedTensorType>(whole.getType());
  auto partType = cast<RankedTensorType>(part.getType());
  if (wholeType.getRank() != partType.getRank())
    return op.emitOpError()
           << "output" << (wholeName == "input" ? "" : "_gradient")
           << " has rank "
           << cast<RankedTensorType>(op->getResult(0).getType()).getRank()
           << ", but " << (wholeName == "input" ? wholeName : partName)
           << " has rank "
           << cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(op.getInputWindowOffsets(), op.getInputWindowSizes(),
                       op.getInputWindowStrides())) {
    if (offset + size > wholeType.getDimSize(dim))
      return op.emitOpError()
             << "its window in dimension " << dim << " ends at "
             << offset + size << ", but " << wholeName << " has size "
             << wholeType.getDimSize(dim) << " there";
    if (stride == 0)
      return op.emitOpError() << "input_window_strides[" << dim
                              << "] is 0, but wants another value";
    int64_t most = 1 + (size - 1) / std::abs(stride);
    if (partType.getDimSize(dim) > most)
      return op.emitOpError()
             << partName << " has size " << partType.getDimSize(dim)
             << " in dimension " << dim << ", but a window of " << size
             << " elements has " << most << " at a stride of " << stride;
  }
  return success();
}

LogicalResult Slice1Op::verify() {
  return verifyWindows(*this, "input", getInput(), "output", getOutput());
}

OpFoldResult Slice1Op::fold(FoldAdaptor adaptor) {
  bool copies =
      getInput().getType() == getOutput().getType() &&
      llvm::all_of(
          llvm::zip_equal(getInputWindowSizes(), getInputWindowStrides()),
          [](auto pair) {
            return std::get<0>(pair) == 1 || std::get<1>(pair) == 1;
          });
  return copies ? getInput() : Value();
}

LogicalResult SliceGradOp::verify() {
  return verifyWindows(*this, "output_gradient", getOutputGradient(),
                       "input_gradient", getInputGradient());
}
