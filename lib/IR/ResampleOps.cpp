//===- ResampleOps.cpp - DirectML's resampling operators ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ResampleOps.h"
#include "OpUtils.h"
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

LogicalResult ResampleOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto output = cast<RankedTensorType>(getOutput().getType());
  if (output.getRank() != input.getRank())
    return emitOpError() << "output has rank " << output.getRank()
                         << ", but input has rank " << input.getRank();
  ArrayRef<float> scales = getScales();
  for (auto [i, scale] : llvm::enumerate(scales))
    if (!std::isfinite(scale) || scale <= 0)
      return emitOpError() << "scales[" << i << "] is " << scale
                           << ", but wants a finite value greater than 0";
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
