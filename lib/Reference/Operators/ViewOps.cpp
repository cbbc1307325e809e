//===- ViewOps.cpp - Views ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ViewOps.h"
#include "Operators/Evaluators.h"
#include <cstring>

using namespace mlir;

namespace dml::reference {

static LogicalResult evaluate(ViewOp op, ArrayRef<Tensor> operands,
                              MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0];
  size_t width = getByteWidth(input.getDataType());
  char *element = outputs[0].getData();
  forEachCoordinate(outputs[0].getShape(), [&](ArrayRef<int64_t> coordinate) {
    auto place = static_cast<int64_t>(op.getOffset());
    for (unsigned dim = 0; dim < coordinate.size(); ++dim)
      place += coordinate[dim] * op.getStrides()[dim];
    std::memcpy(element, input.getData() + place * width, width);
    element += width;
  });
  return success();
}

void addViewEvaluators(Evaluators &evaluators) {
  evaluators.addMovement<ViewOp>(evaluate);
}

} // namespace dml::reference
