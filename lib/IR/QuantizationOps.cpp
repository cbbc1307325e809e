//===- QuantizationOps.cpp - DirectML's quantizations ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/QuantizationOps.h"
#include "OpUtils.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/QuantizationOps.cpp.inc"

void DMLDialect::registerQuantizationOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/QuantizationOps.cpp.inc"
      >();
}

LogicalResult DynamicQuantizeLinearOp::verify() {
  RankedTensorType scale = getTensorType(getOutputScale());
  int64_t rank = getTensorType(getInput()).getRank();
  if (scale.getRank() != rank)
    return emitOpError() << "output_scale has rank " << scale.getRank()
                         << ", but input has rank " << rank;
  if (scale.getNumElements() != 1)
    return emitOpError() << "output_scale has " << scale.getNumElements()
                         << " elements, but wants 1";
  return success();
}

/// Checks a quantization by blocks. `real` is the tensor that is not quantized,
/// and `quantized` is the other one.
template <typename OpTy>
static LogicalResult verifyBlocks(OpTy op, StringRef realName, Value real,
                                  StringRef quantizedName, Value quantized) {
  QuantizationType kind = op.getQuantizationType();
  if (kind == QuantizationType::none)
    return op.emitOpError("quantization_type is none, but wants scale or "
                          "scale_zero_point");
  OperandRange tensors = op.getQuantizations();
  size_t wanted = kind == QuantizationType::scale ? 1 : 2;
  if (tensors.size() != wanted)
    return op.emitOpError()
           << "quantizations has " << tensors.size() << " tensor"
           << (tensors.size() == 1 ? "" : "s") << ", but wants " << wanted
           << " where quantization_type is " << stringifyQuantizationType(kind);

  auto verifyType = [&](size_t index, StringRef name,
                        Value like) -> LogicalResult {
    Type found = getTensorType(tensors[index]).getElementType(),
         wanted = getTensorType(like).getElementType();
    if (found != wanted)
      return op.emitOpError()
             << "quantizations[" << index << "] has element type " << found
             << ", but " << name << " has " << wanted;
    return success();
  };
  if (failed(verifyType(0, realName, real)) ||
      (wanted == 2 && failed(verifyType(1, quantizedName, quantized))))
    return failure();

  RankedTensorType input = getTensorType(op.getInput()),
                   scale = getTensorType(tensors[0]);
  if (scale.getRank() != input.getRank())
    return op.emitOpError() << "quantizations[0] has rank " << scale.getRank()
                            << ", but input has rank " << input.getRank();
  for (auto [dim, found, size] :
       llvm::enumerate(scale.getShape(), input.getShape()))
    if (size % found != 0)
      return op.emitOpError()
             << "quantizations[0] has size " << found << " in dimension " << dim
             << ", but wants a divisor of " << size << ", which input has";
  if (wanted == 1)
    return success();
  RankedTensorType zeroPoint = getTensorType(tensors[1]);
  if (zeroPoint.getRank() != scale.getRank())
    return op.emitOpError()
           << "quantizations[1] has rank " << zeroPoint.getRank()
           << ", but quantizations[0] has rank " << scale.getRank();
  for (auto [dim, found, size] :
       llvm::enumerate(zeroPoint.getShape(), scale.getShape()))
    if (found != size)
      return op.emitOpError()
             << "quantizations[1] has size " << found << " in dimension " << dim
             << ", but quantizations[0] has " << size << " there";
  return success();
}

LogicalResult QuantizeOp::verify() {
  return verifyBlocks(*this, "input", getInput(), "output", getOutput());
}

LogicalResult DequantizeOp::verify() {
  return verifyBlocks(*this, "output", getOutput(), "input", getInput());
}
