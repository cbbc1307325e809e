//===- RegionOps.cpp - Drawing poolings of regions ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RegionOps.h"
#include "Testing/Programs/Operators.h"

using namespace mlir;

namespace dml::fuzz {

/// Spatial scales. The scale selects how the corners of regions are drawn: as
/// integers, as small fractions, or as numbers of all kinds, in this order.
static constexpr float spatialScales[] = {1.0f, 0.5f, 0.0625f};

static Purpose getRegionPurpose(float scale) {
  return scale == spatialScales[0]   ? Purpose::Add
         : scale == spatialScales[1] ? Purpose::Scale
                                     : Purpose::Interpolate;
}

static Type getType(Draft &draft, const Cell &cell, unsigned tensor) {
  return getElementType(cell.types[tensor], draft.builder.getContext());
}

/// Draws the number R of regions and the shape of the output, which is {R, C,
/// any, any} for an input with C channels and shape `shape`.
static SmallVector<int64_t> drawOutputs(Draft &draft, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> outputs = {1, shape[1], 1, 1};
  for (unsigned dim : {2u, 3u, 0u})
    outputs[dim] = draft.drawSize(std::clamp<int64_t>(
        draft.maxElements / *reference::getNumElements(outputs), 1,
        dim == 0 ? 40 : 9));
  return outputs;
}

static Operation *drawRoiPooling(Draft &draft, const Cell &cell, uint32_t,
                                 Value input) {
  SmallVector<int64_t> outputs = drawOutputs(draft, getShape(input));
  Value roi = draft.addArgument(
      RankedTensorType::get({1, 1, outputs[0], 5}, getType(draft, cell, 1)));
  return RoiPoolingOp::create(
      draft.builder, input, roi,
      APFloat(draft.random.pick(ArrayRef(spatialScales))),
      ArrayRef<int64_t>(outputs).take_back(2));
}

/// Returns `sizes` with some dimensions of size 1 before them.
static SmallVector<int64_t> drawLeading(Random &random, ArrayRef<int64_t> sizes,
                                        size_t maxRank) {
  SmallVector<int64_t> shape(random.between(0, maxRank - sizes.size()), 1);
  llvm::append_range(shape, sizes);
  return shape;
}

template <typename OpTy>
static Operation *drawRoiAlign(Draft &draft, const Cell &cell, uint32_t mode,
                               Value input) {
  Random &random = draft.random;
  SmallVector<int64_t> outputs = drawOutputs(draft, getShape(input));
  Value roi = draft.addArgument(RankedTensorType::get(
      drawLeading(random, {outputs[0], 4}, 4), getType(draft, cell, 1)));
  Value indices = draft.addArgument(RankedTensorType::get(
      drawLeading(random, outputs[0], 4), getType(draft, cell, 2)));
  auto function =
      random.oneIn(2) ? ReduceFunction::average : ReduceFunction::max;
  auto interpolation = static_cast<InterpolationMode>(mode);
  float scaleX = random.pick(ArrayRef(spatialScales)),
        scaleY = random.pick(ArrayRef(spatialScales)),
        outside = static_cast<float>(random.between(-3, 3));
  // The number of samples follows from the region's size in pixels within these
  // limits, which are small because lavapipe ends loops of many iterations.
  int64_t least = random.between(0, 3), most = random.between(least, 5);
  auto output = cast<RankedTensorType>(input.getType()).clone(outputs);
  if constexpr (std::is_same_v<OpTy, RoiAlignOp>) {
    return OpTy::create(draft.builder, output, input, roi, indices, function,
                        interpolation, APFloat(scaleX), APFloat(scaleY),
                        APFloat(outside), least, most);
  } else {
    static constexpr float offsets[] = {0.5f, 0.0f, -0.5f, 0.25f, -1.0f, 0.3f};
    bool isUsual = random.oneIn(2);
    float before = isUsual ? 0.5f : random.pick(ArrayRef(offsets)),
          after = isUsual ? -0.5f : random.pick(ArrayRef(offsets));
    return OpTy::create(draft.builder, output, input, roi, indices, function,
                        interpolation, APFloat(scaleX), APFloat(scaleY),
                        APFloat(before), APFloat(after), APFloat(outside),
                        least, most, random.oneIn(3));
  }
}

static Operation *drawRoiAlignGrad(Draft &draft, const Cell &cell,
                                   uint32_t mode, Value input) {
  Random &random = draft.random;
  auto inputType = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> outputs = drawOutputs(draft, inputType.getShape());
  auto function =
      random.oneIn(2) ? ReduceFunction::average : ReduceFunction::max;
  bool hasImages = !random.oneIn(3), hasRegions = !hasImages || random.oneIn(2);
  Value gradient = draft.addArgument(inputType.clone(outputs));
  Value roi = draft.addArgument(RankedTensorType::get(
      drawLeading(random, {outputs[0], 4}, 4), inputType.getElementType()));
  Value indices = draft.addArgument(RankedTensorType::get(
      drawLeading(random, outputs[0], 4), getType(draft, cell, 3)));
  static constexpr float offsets[] = {0.5f, 0.0f, -0.5f, 0.25f, -1.0f, 0.3f};
  bool isUsual = random.oneIn(2);
  float scaleX = random.pick(ArrayRef(spatialScales)),
        scaleY = random.pick(ArrayRef(spatialScales)),
        before = isUsual ? 0.5f : random.pick(ArrayRef(offsets)),
        after = isUsual ? -0.5f : random.pick(ArrayRef(offsets));
  int64_t least = random.between(0, 3), most = random.between(least, 4);
  // The image may be left out if no result depends on it.
  bool needsInput = function == ReduceFunction::max || hasRegions ||
                    !mayRetype(input) || random.oneIn(2);
  return RoiAlignGradOp::create(
      draft.builder, hasImages ? inputType : Type(),
      hasRegions ? roi.getType() : Type(), needsInput ? input : Value(),
      gradient, roi, indices, function, static_cast<InterpolationMode>(mode),
      APFloat(scaleX), APFloat(scaleY), APFloat(before), APFloat(after), least,
      most, random.oneIn(3));
}

void addRegionOperators(Operators &operators) {
  Operator pooling;
  pooling.draw = drawRoiPooling;
  pooling.getPurpose = [](OpOperand &operand) {
    auto op = cast<RoiPoolingOp>(operand.getOwner());
    return operand.getOperandNumber() == 1
               ? getRegionPurpose(op.getSpatialScale().convertToFloat())
               : Purpose::Order;
  };
  operators.add<RoiPoolingOp>(pooling);

  Operator align;
  align.modeAttribute = "interpolation_mode";
  align.numModes = getMaxEnumValForInterpolationMode() + 1;
  align.stringifyMode = [](uint32_t mode) {
    return stringifyInterpolationMode(static_cast<InterpolationMode>(mode));
  };
  align.getPurpose = [](OpOperand &operand) {
    if (operand.getOperandNumber() == 0)
      return Purpose::Interpolate;
    if (operand.getOperandNumber() == 2)
      return Purpose::Index;
    auto scale =
        operand.getOwner()->getAttrOfType<FloatAttr>("spatial_scale_x");
    return scale
               ? getRegionPurpose(static_cast<float>(scale.getValueAsDouble()))
               : Purpose::Add;
  };
  align.draw = drawRoiAlign<RoiAlignOp>;
  operators.add<RoiAlignOp>(align);
  align.draw = drawRoiAlign<RoiAlign1Op>;
  operators.add<RoiAlign1Op>(align);

  align.draw = drawRoiAlignGrad;
  align.needsExact = true;
  align.getPurpose = [](OpOperand &operand) {
    auto op = cast<RoiAlignGradOp>(operand.getOwner());
    if (operand.get() == op.getBatchIndices())
      return Purpose::Index;
    if (operand.get() == op.getRoi())
      return getRegionPurpose(op.getSpatialScaleX().convertToFloat());
    return operand.get() == op.getInput() &&
                   op.getReductionFunction() == ReduceFunction::max
               ? Purpose::Order
               : Purpose::Add;
  };
  operators.add<RoiAlignGradOp>(align);
}

} // namespace dml::fuzz
