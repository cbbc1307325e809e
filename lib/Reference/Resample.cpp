//===- Resample.cpp - DirectML's resampling operators ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "dml/IR/ResampleOps.h"
#include "dml/Reference/Fraction.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace dml::reference {

using llvm::DynamicAPInt;

//===----------------------------------------------------------------------===//
// Nearest neighbour
//===----------------------------------------------------------------------===//

static void evaluateNearest(ArrayRef<Fraction> scales, const Tensor &input,
                            Tensor &output) {
  gather(input, output, [&](unsigned dim, int64_t coordinate) {
    // floor(x + 0.5) = floor((o + 0.5) / s), which is never negative.
    const Fraction &scale = scales[dim];
    DynamicAPInt nearest = (2 * DynamicAPInt(coordinate) + 1) *
                           scale.denominator / (2 * scale.numerator);
    DynamicAPInt last(input.getShape()[dim] - 1);
    return static_cast<int64_t>(std::min(nearest, last));
  });
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

namespace {
/// The two elements that an output coordinate lies between, in one dimension.
struct Taps {
  int64_t lower, upper;
  /// Of the upper one.
  float weight;
};

/// An intermediate result.
struct Sample {
  float value;
  /// How far from `value` a correct implementation's result may be.
  double error;
};
} // namespace

static Taps getTaps(const Fraction &scale, int64_t coordinate, int64_t size) {
  // x = (o + 0.5) / s - 0.5 = ((2 o + 1) q - p) / 2 p, with s = p / q.
  DynamicAPInt numerator =
      (2 * DynamicAPInt(coordinate) + 1) * scale.denominator - scale.numerator;
  DynamicAPInt denominator = 2 * scale.numerator;
  int64_t last = size - 1;
  if (numerator <= 0)
    return {0, 0, 0.0f};
  DynamicAPInt lower = numerator / denominator;
  if (lower >= last)
    return {last, last, 0.0f};
  auto index = static_cast<int64_t>(lower);
  return {index, index + 1, roundToFloat(numerator % denominator, denominator)};
}

/// One interpolation, and what it adds to the error (docs/Reference.md).
static Sample interpolate(Sample a, Sample b, float weight) {
  // A neighbour without weight takes no part: neither its infinities nor its
  // NaNs do, and zeros keep their signs.
  if (weight == 0)
    return a;
  float difference = b.value - a.value;
  float product = weight * difference;
  float value = a.value + product;
  if (!std::isfinite(value))
    return {value, 0.0};
  constexpr double unit = 0x1p-24, smallestNormal = 0x1p-126;
  double inherited = a.error + weight * (b.error - a.error);
  double ofProduct = std::fabs(static_cast<double>(product)),
         ofValue = std::fabs(static_cast<double>(value));
  // This computation's own rounding and the other one's; its weight, which may
  // be 2 ULP off; terms of second order; and denormals flushed to zero.
  double rounding = 2 * (2 * ofProduct + ofValue) * unit;
  double ofWeight = 4 * ofProduct * unit;
  return {value, (inherited + rounding + ofWeight) * (1 + 0x1p-20) +
                     4 * smallestNormal};
}

/// Interpolates along dimension `dim` of samples of this shape, which becomes
/// the shape of the result.
static std::vector<Sample>
interpolateAlong(unsigned dim, int64_t size, const Fraction &scale,
                 SmallVectorImpl<int64_t> &shape,
                 const std::vector<Sample> &samples) {
  std::vector<Taps> taps;
  for (int64_t coordinate = 0; coordinate < size; ++coordinate)
    taps.push_back(getTaps(scale, coordinate, shape[dim]));

  int64_t inner = *getNumElements(ArrayRef(shape).drop_front(dim + 1));
  int64_t outer = *getNumElements(ArrayRef(shape).take_front(dim));
  std::vector<Sample> result;
  result.reserve(outer * size * inner);
  for (int64_t i = 0; i < outer; ++i) {
    const Sample *slab = &samples[i * shape[dim] * inner];
    for (const Taps &tap : taps)
      for (int64_t j = 0; j < inner; ++j)
        result.push_back(interpolate(slab[tap.lower * inner + j],
                                     slab[tap.upper * inner + j], tap.weight));
  }
  shape[dim] = size;
  return result;
}

static void evaluateLinear(ArrayRef<Fraction> scales, Evaluators::Bound bound,
                           const Tensor &input, Tensor &output) {
  using Bound = Evaluators::Bound;
  // A device may take f16's denormals for zeros where it converts them, and so
  // lose more than f32's arithmetic does.
  const double smallestNormal =
      input.getDataType() == DataType::FLOAT16 ? 0x1p-14 : 0.0;
  std::vector<Sample> samples(input.getNumElements());
  for (auto [index, sample] : llvm::enumerate(samples)) {
    double number = input.getNumber(index), magnitude = std::fabs(number);
    sample = {static_cast<float>(number),
              magnitude < smallestNormal ? magnitude : 0.0};
  }
  SmallVector<int64_t> shape(input.getShape());
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    samples = interpolateAlong(dim, output.getShape()[dim], scales[dim], shape,
                               samples);
  // Rounding to the element type is monotonic: it keeps bounds bounds.
  for (auto [index, sample] : llvm::enumerate(samples)) {
    double number = sample.value;
    if (bound == Bound::Lower)
      number -= sample.error;
    else if (bound == Bound::Upper && sample.error != 0) // -0 + 0 is +0.
      number += sample.error;
    if (bound != Bound::Value && std::fabs(number) < smallestNormal &&
        (number > 0) == (bound == Bound::Lower))
      number = 0;
    output.setNumber(index, number);
  }
}

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

static LogicalResult evaluate(ResampleOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  SmallVector<Fraction> scales =
      llvm::map_to_vector(op.getScales(), getSimplestFraction);
  bool isLinear = op.getMode() == InterpolationMode::linear;
  switch (operands[0].value.getDataType()) {
  case DataType::FLOAT32:
  case DataType::FLOAT16:
  case DataType::INT8:
  case DataType::UINT8:
    break;
  default:
    if (isLinear)
      return op.emitOpError("interpolates elements of type ")
             << op.getInput().getType().getElementType()
             << ", but the interpreter knows f32, f16, i8 and ui8";
  }
  // Interpolation with weights from 0 to 1 is monotonic in each element.
  return Evaluators::evaluateEach(
      op, operands, outputs,
      [&](ArrayRef<Tensor> in, MutableArrayRef<Tensor> out,
          Evaluators::Bound bound) {
        if (isLinear)
          evaluateLinear(scales, bound, in[0], out[0]);
        else
          evaluateNearest(scales, in[0], out[0]);
        return success();
      },
      /*isCertain=*/!isLinear);
}

void addResampleEvaluators(Evaluators &evaluators) {
  evaluators.add<ResampleOp>(evaluate);
}

} // namespace dml::reference
