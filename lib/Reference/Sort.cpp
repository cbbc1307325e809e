//===- Sort.cpp - DirectML's selections -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Sets.h"
#include "dml/IR/SortOps.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace dml::reference {

/// Sorts each line, NaNs behind all numbers, and copies its first elements.
template <typename OpTy>
static LogicalResult selectFirst(OpTy op, const Estimate &input,
                                 bool isDecreasing,
                                 Evaluators::Estimates &outputs) {
  FailureOr<Tensor> values = createTensor(op, op.getOutputValue().getType()),
                    indices = createTensor(op, op.getOutputIndex().getType());
  if (failed(values) || failed(indices) || failed(verifyExact(op, input)))
    return failure();
  const Tensor &tensor = input.value;
  auto axis = static_cast<int64_t>(op.getAxis());
  unsigned width = getByteWidth(tensor.getDataType());
  bool areIntegers = hasIntegers(input);
  auto stands = [&](int64_t a, int64_t b) {
    if (areIntegers) {
      __int128 x = tensor.getInteger(a), y = tensor.getInteger(b);
      return isDecreasing ? x > y : x < y;
    }
    double x = tensor.getNumber(a), y = tensor.getNumber(b);
    if (std::isnan(x) || std::isnan(y))
      return !std::isnan(x);
    return isDecreasing ? x > y : x < y;
  };
  std::vector<SmallVector<int64_t>> lines;
  Sets(values->getShape(), axis)
      .forEach([&](int64_t, ArrayRef<int64_t> places) {
        lines.emplace_back(places);
      });
  std::vector<int64_t> order(tensor.getShape()[axis]);
  Sets(tensor.getShape(), axis)
      .forEach([&](int64_t line, ArrayRef<int64_t> places) {
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
          return stands(places[a], places[b]);
        });
        for (auto [number, to] : llvm::enumerate(lines[line])) {
          std::copy_n(tensor.getData() + places[order[number]] * width, width,
                      values->getData() + to * width);
          indices->setInteger(to, order[number]);
        }
      });
  outputs.push_back(Estimate(std::move(*values), input.isBitExact));
  outputs.push_back(Estimate(std::move(*indices)));
  return success();
}

static LogicalResult evaluateTopK(TopKOp op, ArrayRef<Estimate> operands,
                                  Evaluators::Estimates &outputs) {
  return selectFirst(op, operands[0], /*isDecreasing=*/true, outputs);
}

static LogicalResult evaluateTopK1(TopK1Op op, ArrayRef<Estimate> operands,
                                   Evaluators::Estimates &outputs) {
  return selectFirst(op, operands[0],
                     op.getAxisDirection() == AxisDirection::decreasing,
                     outputs);
}

static LogicalResult evaluateNonzero(NonzeroCoordinatesOp op,
                                     ArrayRef<Estimate> operands,
                                     Evaluators::Estimates &outputs) {
  const Tensor &input = operands[0].value;
  if (!operands[0].isExact())
    return op.emitOpError("counts elements of an input that is known within "
                          "bounds only");
  FailureOr<Tensor> count = createTensor(op, op.getOutputCount().getType()),
                    rows =
                        createTensor(op, op.getOutputCoordinates().getType());
  if (failed(count) || failed(rows))
    return failure();
  bool areIntegers = hasIntegers(operands[0]);
  int64_t length = rows->getShape().back(), place = 0, found = 0;
  forEachCoordinate(input.getShape(), [&](ArrayRef<int64_t> at) {
    bool isZero = areIntegers ? input.getInteger(place) == 0
                              : input.getNumber(place) == 0;
    ++place;
    if (isZero)
      return;
    for (auto [i, coordinate] : llvm::enumerate(at.take_back(length)))
      rows->setInteger(found * length + static_cast<int64_t>(i), coordinate);
    ++found;
  });
  count->setInteger(0, found);
  outputs.push_back(Estimate(std::move(*count)));
  outputs.push_back(Estimate(std::move(*rows)));
  return success();
}

void addSortEvaluators(Evaluators &evaluators) {
  evaluators.add<NonzeroCoordinatesOp>(evaluateNonzero);
  evaluators.add<TopKOp>(evaluateTopK);
  evaluators.add<TopK1Op>(evaluateTopK1);
}

} // namespace dml::reference
