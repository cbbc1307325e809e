//===- PaddingOps.cpp - DML_OPERATOR_PADDING ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PaddingOps.h"
#include "Arithmetic/Places.h"
#include "Operators/Evaluators.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace dml::reference {

/// Returns the coordinate of the input that position `p` of the padded tensor
/// shows, in a dimension of size `n`.
static int64_t getSource(PaddingMode mode, int64_t p, int64_t n) {
  auto modulo = [](int64_t value, int64_t period) {
    return (value % period + period) % period;
  };
  switch (mode) {
  case PaddingMode::constant:
    return 0 <= p && p < n ? p : outsideOfInput;
  case PaddingMode::edge:
    return std::clamp<int64_t>(p, 0, n - 1);
  case PaddingMode::reflection: {
    if (n == 1)
      return 0;
    int64_t q = modulo(p, 2 * (n - 1));
    return q < n ? q : 2 * (n - 1) - q;
  }
  case PaddingMode::symmetric: {
    int64_t q = modulo(p, 2 * n);
    return q < n ? q : 2 * n - 1 - q;
  }
  case PaddingMode::wrap:
    return modulo(p, n);
  }
  llvm_unreachable("unknown padding mode");
}

static bool isInteger(DataType type) {
  return type != DataType::FLOAT16 && type != DataType::FLOAT32 &&
         type != DataType::FLOAT64;
}

/// Pads with `fill`, which has one element.
template <typename OpTy>
static void pad(OpTy op, const Tensor &input, const Tensor &fill,
                Tensor &output) {
  gather(input, output,
         [&](unsigned dim, int64_t coordinate) {
           return getSource(op.getMode(),
                            coordinate - op.getStartPadding()[dim],
                            input.getShape()[dim]);
         },
         {fill.getData(), fill.getNumBytes()});
}

static LogicalResult evaluate(PaddingOp op, ArrayRef<Tensor> operands,
                              MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0];
  float value = op.getPaddingValue().convertToFloat();
  FailureOr<Tensor> fill = Tensor::create(input.getDataType(), {1});
  if (failed(fill))
    return op.emitOpError("finds no memory for its padding value");
  fill->setNumber(0,
                  isInteger(input.getDataType()) ? std::trunc(value) : value);
  pad(op, input, *fill, outputs[0]);
  return success();
}

static LogicalResult evaluate1(Padding1Op op, ArrayRef<Tensor> operands,
                               MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0];
  FailureOr<Tensor> fill = Tensor::create(input.getDataType(), {1});
  if (failed(fill))
    return op.emitOpError("finds no memory for its padding value");
  setScalar(*fill, 0, op.getPaddingValue());
  pad(op, input, *fill, outputs[0]);
  return success();
}

void addPaddingEvaluators(Evaluators &evaluators) {
  evaluators.addMovement<PaddingOp>(evaluate);
  evaluators.addMovement<Padding1Op>(evaluate1);
}

} // namespace dml::reference
