//===- ResampleOps.cpp - Drawing resamplings ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ResampleOps.h"
#include "Testing/Programs/Operators.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace dml::fuzz {

/// Draws the scales and the sizes of the output.
static void drawScales(Draft &draft, Value input, SmallVector<int64_t> &shape,
                       SmallVector<float> &scales) {
  Random &random = draft.random;
  shape.assign(getShape(input).begin(), getShape(input).end());
  scales.assign(shape.size(), 1.0f);
  static constexpr float someScales[] = {
      2.0f,    3.0f,      0.5f,     0.1f,    0.3f,        0.7f,
      1.1f,    1.5f,      2.5f,     0.25f,   0.6f,        1.0f / 3.0f,
      0.1875f, 3.14159f,  17.0f,    1e-3f,   100.0f,      1e-30f,
      1e30f,   0x1p-149f, 0x1p-25f, 0x1p33f, 0.99999994f, 1.0000001f};
  static constexpr float usualScales[] = {2.0f, 2.0f, 2.0f,  3.0f,       4.0f,
                                          1.5f, 0.5f, 0.25f, 2.0f / 3.0f};
  bool isUsual = random.oneIn(2);
  for (unsigned dim : draft.drawOrder(shape.size())) {
    if (random.oneIn(2))
      continue;
    int64_t size = shape[dim], room = draft.getRoom(shape, dim);
    if (isUsual) {
      float scale = random.pick(ArrayRef(usualScales));
      auto scaled = std::floor(scale * static_cast<double>(size));
      if (scaled >= 1 && scaled <= static_cast<double>(room)) {
        scales[dim] = scale;
        shape[dim] = static_cast<int64_t>(scaled);
      }
      continue;
    }
    if (!random.oneIn(8))
      room = std::min(room, 4 * size + 3);
    shape[dim] = draft.drawSize(room);
    // The scale is the ratio of the sizes, or any number that need not fit the
    // sizes.
    if (random.oneIn(2)) {
      scales[dim] = static_cast<float>(shape[dim]) / static_cast<float>(size);
      continue;
    }
    scales[dim] = random.oneIn(4)
                      ? std::ldexp(static_cast<float>(random.between(1, 999)),
                                   static_cast<int>(random.between(-9, -7)))
                      : random.pick(ArrayRef(someScales));
    double scaled = std::floor(scales[dim] * static_cast<double>(size));
    if (random.oneIn(2) && scaled >= 1 && scaled <= room)
      shape[dim] = static_cast<int64_t>(scaled);
  }
}

static Operation *drawResample(Draft &draft, const Cell &, uint32_t mode,
                               Value input) {
  auto inputType = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape;
  SmallVector<float> scales;
  drawScales(draft, input, shape, scales);
  return ResampleOp::create(draft.builder, inputType.clone(shape), input,
                            static_cast<InterpolationMode>(mode), scales);
}

static SmallVector<float> drawOffsets(Random &random, size_t rank,
                                      float usual) {
  static constexpr float offsets[] = {
      0.0f,    0.5f,  -0.5f,     1.0f,  -1.0f,  0.25f,
      -2.5f,   0.1f,  -0.3f,     3.7f,  1e-3f,  7.0f,
      -1e-20f, 1e10f, 0x1p-149f, -0.0f, 100.0f, 0.49999997f};
  bool isUsual = random.oneIn(2), isZero = random.oneIn(2);
  SmallVector<float> result;
  for (size_t dim = 0; dim < rank; ++dim)
    result.push_back(isUsual ? (isZero ? 0.0f : usual)
                             : random.pick(ArrayRef(offsets)));
  return result;
}

template <typename OpTy>
static Operation *drawOffset(Draft &draft, const Cell &, uint32_t mode,
                             Value input) {
  auto inputType = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape;
  SmallVector<float> scales;
  drawScales(draft, input, shape, scales);
  // Gradients map from the larger tensor to the smaller one, so their scales
  // are mostly inverted.
  constexpr bool isGradient = std::is_same_v<OpTy, ResampleGradOp> ||
                              std::is_same_v<OpTy, ResampleGrad1Op>;
  if (isGradient && !draft.random.oneIn(4))
    for (float &scale : scales)
      if (std::isfinite(1 / scale))
        scale = 1 / scale;
  auto before = drawOffsets(draft.random, shape.size(), 0.5f);
  auto after = drawOffsets(draft.random, shape.size(), -0.5f);
  Type type = inputType.clone(shape);
  auto interpolation = static_cast<InterpolationMode>(mode);
  auto direction = draft.random.oneIn(2) ? AxisDirection::increasing
                                         : AxisDirection::decreasing;
  if constexpr (std::is_same_v<OpTy, Resample3Op>)
    return OpTy::create(draft.builder, type, input, interpolation, direction,
                        scales, before, after,
                        /*antialiased=*/!draft.random.oneIn(4));
  else if constexpr (std::is_same_v<OpTy, Resample2Op> ||
                     std::is_same_v<OpTy, ResampleGrad1Op>)
    return OpTy::create(draft.builder, type, input, interpolation, direction,
                        scales, before, after);
  else
    return OpTy::create(draft.builder, type, input, interpolation, scales,
                        before, after);
}

static Operation *drawUpsample(Draft &draft, const Cell &, uint32_t mode,
                               Value input) {
  SmallVector<int64_t> shape(getShape(input)), factors;
  for (size_t dim = shape.size() - 2; dim < shape.size(); ++dim) {
    factors.push_back(
        draft.drawSize(std::min<int64_t>(draft.getRoom(shape, dim) / shape[dim],
                                         draft.random.oneIn(4) ? 70 : 4)));
    shape[dim] *= factors.back();
  }
  return Upsample2dOp::create(draft.builder, input, factors,
                              static_cast<InterpolationMode>(mode));
}

void addResampleOperators(Operators &operators) {
  Operator resample;
  resample.modeAttribute = "mode";
  resample.numModes = getMaxEnumValForInterpolationMode() + 1;
  resample.stringifyMode = [](uint32_t mode) {
    return stringifyInterpolationMode(static_cast<InterpolationMode>(mode));
  };
  resample.draw = drawResample;
  resample.computes = [](StringRef mode) {
    return mode == stringifyInterpolationMode(InterpolationMode::linear);
  };
  resample.getPurpose = [](OpOperand &operand) {
    auto mode =
        operand.getOwner()->getAttrOfType<InterpolationModeAttr>("mode");
    return mode && mode.getValue() == InterpolationMode::linear
               ? Purpose::Interpolate
               : Purpose::Move;
  };
  operators.add<ResampleOp>(resample);
  resample.draw = drawOffset<Resample1Op>;
  operators.add<Resample1Op>(resample);
  resample.draw = drawOffset<Resample2Op>;
  operators.add<Resample2Op>(resample);
  resample.draw = drawOffset<Resample3Op>;
  operators.add<Resample3Op>(resample);
  resample.draw = drawUpsample;
  operators.add<Upsample2dOp>(resample);

  // Gradients are summed. Unless the mode is linear, they are small integers
  // with exact sums.
  resample.computes = [](StringRef) { return true; };
  resample.getPurpose = [](OpOperand &operand) {
    auto mode =
        operand.getOwner()->getAttrOfType<InterpolationModeAttr>("mode");
    return mode && mode.getValue() == InterpolationMode::linear
               ? Purpose::Interpolate
               : Purpose::Add;
  };
  resample.draw = drawOffset<ResampleGradOp>;
  operators.add<ResampleGradOp>(resample);
  resample.draw = drawOffset<ResampleGrad1Op>;
  operators.add<ResampleGrad1Op>(resample);
}

} // namespace dml::fuzz
