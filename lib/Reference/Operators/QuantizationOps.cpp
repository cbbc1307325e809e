//===- QuantizationOps.cpp - DirectML's quantizations ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/QuantizationOps.h"
#include "Arithmetic/Places.h"
#include "Operators/ElementWiseRows.h"

using namespace mlir;

namespace dml::reference {

static LogicalResult evaluateDynamic(DynamicQuantizeLinearOp op,
                                     ArrayRef<Estimate> operands,
                                     Evaluators::Estimates &outputs) {
  const Estimate &input = operands[0];
  FailureOr<Estimate> output = createBounds(op, op.getOutput().getType()),
                      outputScale =
                          createBounds(op, op.getOutputScale().getType()),
                      outputZeroPoint =
                          createBounds(op, op.getOutputZeroPoint().getType());
  if (failed(output) || failed(outputScale) || failed(outputZeroPoint))
    return failure();
  Interval smallest(0), largest(0);
  for (int64_t i = 0; i < input.value.getNumElements(); ++i) {
    smallest = min(smallest, Interval::load(input, i));
    largest = max(largest, Interval::load(input, i));
  }
  bool isUnsigned = output->value.getDataType() == DataType::UINT8;
  Interval least(isUnsigned ? 0 : -128), greatest(isUnsigned ? 255 : 127);
  // If the range is 0, the scale is certainly 0.
  Interval range = largest - smallest;
  Interval scale = select(range.equals(Interval(0)), Interval(0),
                          range / (greatest - least));
  scale.store(*outputScale, 0);
  Truth isEmpty = scale.equals(Interval(0));
  Interval zeroPoint = roundEven(least - smallest / scale);
  zeroPoint = max(min(zeroPoint, greatest), least);
  zeroPoint = select(isEmpty, least, zeroPoint);
  zeroPoint.storeConverted(*outputZeroPoint, 0);
  for (int64_t i = 0; i < input.value.getNumElements(); ++i) {
    Interval x = roundEven(Interval::load(input, i) / scale) + zeroPoint;
    storeQuantized(select(isEmpty, least, x), *output, i);
  }
  outputs.push_back(dropBounds(std::move(*output)));
  outputs.push_back(std::move(*outputScale));
  outputs.push_back(dropBounds(std::move(*outputZeroPoint)));
  return success();
}

/// Returns the position in `blocks` of the parameter for the block of the
/// element at `at`, in a tensor of shape `shape`.
static int64_t getBlock(const Tensor &blocks, ArrayRef<int64_t> at,
                        ArrayRef<int64_t> shape) {
  SmallVector<int64_t> block;
  for (auto [coordinate, count, size] :
       llvm::zip_equal(at, blocks.getShape(), shape))
    block.push_back(coordinate / (size / count));
  return getPlace(blocks, block);
}

static LogicalResult evaluateQuantize(QuantizeOp op,
                                      ArrayRef<Estimate> operands,
                                      Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  ArrayRef<int64_t> shape = output->value.getShape();
  int64_t place = 0;
  forEachCoordinate(shape, [&](ArrayRef<int64_t> at) {
    int64_t block = getBlock(operands[1].value, at, shape);
    Interval x = roundEven(Interval::load(operands[0], place) /
                           Interval::load(operands[1], block));
    if (operands.size() == 3)
      x = x + Interval::load(operands[2], block);
    storeQuantized(x, *output, place++);
  });
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

static LogicalResult evaluateDequantize(DequantizeOp op,
                                        ArrayRef<Estimate> operands,
                                        Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  ArrayRef<int64_t> shape = output->value.getShape();
  int64_t place = 0;
  forEachCoordinate(shape, [&](ArrayRef<int64_t> at) {
    int64_t block = getBlock(operands[1].value, at, shape);
    // Differences of integers with so few bits are exact in f32.
    Interval x = Interval::load(operands[0], place);
    if (operands.size() == 3)
      x = x - Interval::load(operands[2], block);
    (x * Interval::load(operands[1], block)).store(*output, place++);
  });
  outputs.push_back(std::move(*output));
  return success();
}

void addQuantizationEvaluators(Evaluators &evaluators) {
  evaluators.add<DequantizeOp>(evaluateDequantize);
  evaluators.add<DynamicQuantizeLinearOp>(evaluateDynamic);
  evaluators.add<QuantizeOp>(evaluateQuantize);
}

} // namespace dml::reference
