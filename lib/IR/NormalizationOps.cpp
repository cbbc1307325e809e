//===- NormalizationOps.cpp - DirectML's normalizations -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/NormalizationOps.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/NormalizationOps.cpp.inc"

void DMLDialect::registerNormalizationOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/NormalizationOps.cpp.inc"
      >();
}

/// Checks that the operands that do not share the first one's sizes have its
/// rank, and in each dimension its size or 1.
static LogicalResult verifyRepeated(FeatureLevelOpInterface op) {
  SmallVector<FeatureLevelOpInterface::Tensor> tensors = op.getTensors();
  auto input = cast<RankedTensorType>(tensors.front().type);
  for (const FeatureLevelOpInterface::Tensor &tensor :
       ArrayRef(tensors).drop_front()) {
    if (tensor.info->isResult ||
        tensor.info->shapeGroup == tensors.front().info->shapeGroup)
      continue;
    auto type = cast<RankedTensorType>(tensor.type);
    if (type.getRank() != input.getRank())
      return op->emitOpError()
             << tensor.getName() << " has rank " << type.getRank()
             << ", but input has rank " << input.getRank();
    for (auto [dim, found, wanted] :
         llvm::enumerate(type.getShape(), input.getShape()))
      if (found != wanted && found != 1)
        return op->emitOpError()
               << tensor.getName() << " has size " << found << " in dimension "
               << dim << ", but wants 1 or " << wanted << ", as input has";
  }
  return success();
}

/// An operator whose tables have a fused activation has the attribute, too.
template <typename OpTy> static LogicalResult verifyNormalization(OpTy op) {
  if (failed(verifyRepeated(cast<FeatureLevelOpInterface>(op.getOperation()))))
    return failure();
  return dml::detail::verifyFusedActivation(
      op, op->template getAttrOfType<ActivationAttr>("fused_activation"));
}

#define DML_NORMALIZATION(Op)                                                  \
  LogicalResult Op::verify() { return verifyNormalization(*this); }
DML_NORMALIZATION(BatchNormalizationGradOp)
DML_NORMALIZATION(BatchNormalizationOp)
DML_NORMALIZATION(BatchNormalizationTrainingGradOp)
DML_NORMALIZATION(BatchNormalizationTrainingOp)
DML_NORMALIZATION(MeanVarianceNormalizationOp)
DML_NORMALIZATION(MeanVarianceNormalization1Op)
DML_NORMALIZATION(MeanVarianceNormalization2Op)
#undef DML_NORMALIZATION
