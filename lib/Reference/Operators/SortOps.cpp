//===- SortOps.cpp - DirectML's selections --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SortOps.h"
#include "Arithmetic/Sets.h"
#include "Operators/ElementWiseRows.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace dml::reference {

/// Returns the indices of `places`, sorted by their elements. NaNs come after
/// all numbers.
static std::vector<int64_t>
sortLine(const Tensor &tensor, ArrayRef<int64_t> places, bool isDecreasing) {
  bool areIntegers = hasIntegers(Estimate(tensor));
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
  std::vector<int64_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return stands(places[a], places[b]);
  });
  return order;
}

/// Computes the bounds of the first elements of a sorted line. The nth element
/// lies between the nth lower bound and the nth upper bound, in sorted order.
static void boundValues(const Estimate &input, ArrayRef<int64_t> places,
                        bool isDecreasing, Estimate &values,
                        ArrayRef<int64_t> line) {
  bool mayHaveNaN = llvm::any_of(places, [&](int64_t place) {
    return !hasIntegers(input) && std::isnan(input.upper.getNumber(place)) &&
           !std::isnan(input.lower.getNumber(place));
  });
  unsigned width = getByteWidth(input.value.getDataType());
  for (Tensor Estimate::*part : {&Estimate::lower, &Estimate::upper}) {
    const Tensor &from = input.*part;
    std::vector<int64_t> order = sortLine(from, places, isDecreasing);
    for (auto [number, to] : llvm::enumerate(line))
      std::copy_n(from.getData() + places[order[number]] * width, width,
                  (values.*part).getData() + to * width);
  }
  // A NaN would move all elements that follow it.
  if (mayHaveNaN)
    for (int64_t to : line)
      storeUnknown(values, to);
}

/// Widens the bounds of the indices in a sorted line: each place of the line
/// may hold any element whose bounds allow this rank.
static void boundIndices(const Estimate &input, ArrayRef<int64_t> places,
                         bool isDecreasing, Estimate &indices,
                         ArrayRef<int64_t> line) {
  SmallVector<Standing> standings;
  std::vector<long double> lows, highs;
  for (int64_t place : places) {
    standings.push_back(Standing::get(input, place, isDecreasing));
    lows.push_back(standings.back().low);
    highs.push_back(standings.back().high);
  }
  llvm::sort(lows);
  llvm::sort(highs);
  auto count = static_cast<int64_t>(places.size());
  for (auto [number, standing] : llvm::enumerate(standings)) {
    // The numbers of elements that certainly come before, and certainly come
    // after, this element.
    int64_t before = lows.end() - llvm::upper_bound(lows, standing.high),
            behind = llvm::lower_bound(highs, standing.low) - highs.begin();
    auto index = static_cast<int64_t>(number);
    auto last = std::min<int64_t>(count - 1 - behind,
                                  static_cast<int64_t>(line.size()) - 1);
    for (int64_t rank = before; rank <= last; ++rank) {
      int64_t to = line[rank];
      if (index < indices.lower.getInteger(to))
        indices.lower.setInteger(to, index);
      if (index > indices.upper.getInteger(to))
        indices.upper.setInteger(to, index);
    }
  }
}

/// Sorts each line, with NaNs after all numbers, and copies its first elements.
template <typename OpTy>
static LogicalResult selectFirst(OpTy op, const Estimate &input,
                                 bool isDecreasing,
                                 Evaluators::Estimates &outputs) {
  FailureOr<Estimate> values = createBounds(op, op.getOutputValue().getType()),
                      indices = createBounds(op, op.getOutputIndex().getType());
  if (failed(values) || failed(indices))
    return failure();
  auto axis = static_cast<int64_t>(op.getAxis());
  unsigned width = getByteWidth(input.value.getDataType());
  std::vector<SmallVector<int64_t>> lines;
  Sets(values->value.getShape(), axis)
      .forEach([&](int64_t, ArrayRef<int64_t> places) {
        lines.emplace_back(places);
      });
  Sets(input.value.getShape(), axis)
      .forEach([&](int64_t line, ArrayRef<int64_t> places) {
        std::vector<int64_t> order =
            sortLine(input.value, places, isDecreasing);
        for (auto [number, to] : llvm::enumerate(lines[line])) {
          std::copy_n(input.value.getData() + places[order[number]] * width,
                      width, values->value.getData() + to * width);
          for (Tensor *part :
               {&indices->value, &indices->lower, &indices->upper})
            part->setInteger(to, order[number]);
        }
        if (input.isExact())
          return;
        boundValues(input, places, isDecreasing, *values, lines[line]);
        boundIndices(input, places, isDecreasing, *indices, lines[line]);
      });
  outputs.push_back(input.isExact() ? Estimate(values->value, input.isBitExact)
                                    : dropBounds(std::move(*values)));
  outputs.push_back(dropBounds(std::move(*indices)));
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
