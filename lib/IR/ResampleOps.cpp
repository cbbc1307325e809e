//===- ResampleOps.cpp - DirectML's resampling operators ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OpUtils.h"
#include <cmath>

using namespace mlir;
using namespace dml;

LogicalResult ResampleOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto output = cast<RankedTensorType>(getOutput().getType());
  if (output.getElementType() != input.getElementType())
    return emitOpError() << "output has element type "
                         << output.getElementType() << ", but input has "
                         << input.getElementType();
  if (output.getRank() != input.getRank())
    return emitOpError() << "output has rank " << output.getRank()
                         << ", but input has rank " << input.getRank();
  ArrayRef<float> scales = getScales();
  if (failed(verifyCount<ResampleOp>(getLoc(), "scales", scales.size(),
                                     input.getRank(), "dimension of input")))
    return failure();
  for (auto [i, scale] : llvm::enumerate(scales))
    if (!std::isfinite(scale) || scale <= 0)
      return emitOpError() << "scales[" << i << "] is " << scale
                           << ", but wants a finite value greater than 0";
  return success();
}

bool ResampleOp::movesElements() {
  return getMode() == InterpolationMode::nearest_neighbor;
}

OpFoldResult ResampleOp::fold(FoldAdaptor adaptor) {
  bool copies = getInput().getType() == getOutput().getType() &&
                llvm::all_of(getScales(), [](float s) { return s == 1.0f; });
  return copies ? getInput() : Value();
}
