//===- ElementWiseRows.cpp - Element-wise operators -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Operators/ElementWiseRows.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace dml::reference {

static bool isInteger(DataType type) {
  return type != DataType::FLOAT16 && type != DataType::FLOAT32 &&
         type != DataType::FLOAT64;
}

void storeUnknown(Estimate &tensor, int64_t index) {
  if (isInteger(tensor.value.getDataType())) {
    Integer like = Integer::load(tensor, index);
    tensor.lower.setInteger(index, like.getMin());
    tensor.upper.setInteger(index, like.getMax());
    return;
  }
  tensor.lower.setNumber(index, -std::numeric_limits<double>::infinity());
  tensor.upper.setNumber(index, std::numeric_limits<double>::quiet_NaN());
}

void includeElement(Estimate &tensor, int64_t to, const Estimate &other,
                    int64_t from) {
  if (isInteger(tensor.value.getDataType())) {
    select(Truth::unknown(true), Integer::load(tensor, to),
           Integer::load(other, from))
        .store(tensor, to);
    return;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  double lows[] = {tensor.lower.getNumber(to), other.lower.getNumber(from)},
         highs[] = {tensor.upper.getNumber(to), other.upper.getNumber(from)};
  bool isNaN = std::isnan(lows[0]) && std::isnan(lows[1]),
       mayBeNaN = std::isnan(highs[0]) || std::isnan(highs[1]);
  tensor.lower.setNumber(to, isNaN      ? nan
                             : mayBeNaN ? -infinity
                                        : std::min(lows[0], lows[1]));
  tensor.upper.setNumber(to, mayBeNaN ? nan : std::max(highs[0], highs[1]));
}

void storeQuantized(Interval x, Estimate &tensor, int64_t index) {
  if (x.isNaN || x.mayBeNaN)
    storeUnknown(tensor, index);
  else
    x.storeConverted(tensor, index);
}

Estimate dropBounds(Estimate estimate) {
  bool isExact = isInteger(estimate.value.getDataType()) &&
                 std::memcmp(estimate.lower.getData(), estimate.upper.getData(),
                             estimate.lower.getNumBytes()) == 0;
  return isExact ? Estimate(estimate.value) : estimate;
}

Interval loadDifference(const Estimate &x, int64_t i, const Estimate *zero,
                        int64_t zeroIndex) {
  if (!zero)
    return Interval::load(x, i);
  // Differences of integers with fewer than 32 bits do not wrap around.
  Integer a = Integer::load(x, i);
  if (a.width < 32) {
    a.width = 32;
    a.isUnsigned = false;
  }
  Integer difference = a - Integer::load(*zero, zeroIndex);
  return Interval::around(static_cast<float>(difference.value),
                          static_cast<double>(difference.low),
                          static_cast<double>(difference.high), 0);
}

/// Stores 1 or 0, or both as bounds if the truth is unknown.
static void storeTruth(Estimate &tensor, int64_t index, Truth truth) {
  tensor.value.setNumber(index, truth.holds());
  tensor.lower.setNumber(index, truth == Truth::True);
  tensor.upper.setNumber(index, truth != Truth::False);
}

/// Returns `x * scale + bias` if the attributes contain a scale_bias, and `x`
/// otherwise.
template <typename Number>
static Number applyScaleBias(Number x, DictionaryAttr attributes) {
  auto scaleBias = attributes.getAs<ScaleBiasAttr>("scale_bias");
  if (!scaleBias)
    return x;
  return x * x(scaleBias.getScale().getValueAsDouble()) +
         x(scaleBias.getBias().getValueAsDouble());
}

Interval applyActivation(Interval x, ActivationAttr activation) {
  if (!activation)
    return x;
  DictionaryAttr parameters = activation.getParameters();
  std::string name = activation.getOperatorName();
  x = applyScaleBias(x, parameters);
  for (ArrayRef<ElementWiseRow> rows :
       {getActivationRows(), getElementWiseRows()})
    for (const ElementWiseRow &row : rows)
      if (row.op == name)
        return *row.ofFloats(Elements<Interval>(x, parameters)).number;
  llvm_unreachable("an activation without a row");
}

template <typename Number>
static LogicalResult
evaluateRow(Operation *op,
            Outcome<Number> (*formula)(const Elements<Number> &x),
            ArrayRef<Estimate> operands, Evaluators::Estimates &outputs) {
  auto attributes =
      cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  if (!attributes)
    attributes = DictionaryAttr::get(op->getContext());
  FailureOr<Estimate> output = createBounds(op, op->getResult(0).getType());
  if (failed(output))
    return failure();
  auto activation = attributes.getAs<ActivationAttr>("fused_activation");
  for (int64_t i = 0; i < output->value.getNumElements(); ++i) {
    SmallVector<Number> numbers;
    for (const Estimate &operand : operands)
      numbers.push_back(Number::load(operand, i));
    numbers.front() = applyScaleBias(numbers.front(), attributes);
    Outcome<Number> outcome = formula(Elements<Number>(numbers, attributes));
    if constexpr (std::is_same_v<Number, Interval>)
      if (activation)
        outcome = applyActivation(*outcome.number, activation);
    if (outcome.number)
      outcome.number->store(*output, i);
    else
      storeTruth(*output, i, *outcome.truth);
  }
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

void addElementWise(Evaluators &evaluators, ArrayRef<ElementWiseRow> rows) {
  for (const ElementWiseRow &row : rows)
    evaluators.add(
        ("dml." + row.op).str(),
        [&row](Operation *op, ArrayRef<Estimate> operands,
               Evaluators::Estimates &outputs) -> LogicalResult {
          DataType type = operands.front().value.getDataType();
          if (!isInteger(type)) {
            if (type == DataType::FLOAT64 || !row.ofFloats)
              return op->emitOpError("is unknown to the interpreter for ")
                     << stringifyDataType(type);
            return evaluateRow(op, row.ofFloats, operands, outputs);
          }
          if (!row.ofIntegers)
            return op->emitOpError("is unknown to the interpreter for ")
                   << stringifyDataType(type);
          return evaluateRow(op, row.ofIntegers, operands, outputs);
        });
}

} // namespace dml::reference
