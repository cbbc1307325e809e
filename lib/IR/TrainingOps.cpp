//===- TrainingOps.cpp - DirectML's optimizers ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/TrainingOps.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/TrainingOps.cpp.inc"

void DMLDialect::registerTrainingOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/TrainingOps.cpp.inc"
      >();
}

LogicalResult AdamOptimizerOp::verify() {
  auto step = cast<RankedTensorType>(getTrainingStep().getType());
  for (auto [dim, size] : llvm::enumerate(step.getShape()))
    if (size != 1)
      return emitOpError() << "training_step has size " << size
                           << " in dimension " << dim << ", but wants 1";
  for (auto [name, beta] :
       {std::pair("beta1", getBeta1()), {"beta2", getBeta2()}}) {
    // The negated comparison also rejects NaN.
    float value = beta.convertToFloat();
    if (!(value >= 0 && value <= 1))
      return emitOpError() << name << " is " << value
                           << ", but wants a value from 0 to 1";
  }
  return success();
}
