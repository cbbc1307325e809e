//===- RandomOps.cpp - DirectML's random numbers --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RandomOps.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/RandomOps.cpp.inc"

void DMLDialect::registerRandomOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/RandomOps.cpp.inc"
      >();
}

LogicalResult RandomGeneratorOp::verify() {
  auto state = cast<RankedTensorType>(getInputState().getType());
  constexpr int64_t numWords = 6;
  for (auto [dim, size] : llvm::enumerate(state.getShape())) {
    int64_t wanted =
        static_cast<int64_t>(dim) + 1 == state.getRank() ? numWords : 1;
    if (size != wanted)
      return emitOpError() << "input_state has size " << size
                           << " in dimension " << dim << ", but wants "
                           << wanted;
  }
  return success();
}
