//===- ElementWiseDraws.cpp - Drawing element-wise operators --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Testing/Programs/ElementWiseDraws.h"
#include "dml/IR/ElementWiseOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include <cstdlib>

using namespace mlir;

namespace dml::fuzz {

/// Draws the value of a float attribute, usual and unusual ones.
static Attribute drawFloat(Draft &draft) {
  static constexpr float floats[] = {0.0f,  0.01f, 0.1f, 0.2f,  0.5f,  1.0f,
                                     1.05f, 1.67f, 2.0f, -0.5f, -1.0f, 3.0f};
  return draft.builder.getF32FloatAttr(draft.random.pick(ArrayRef(floats)));
}

/// Softmax activations are drawn only by the operators that fuse them, since
/// their axes depend on the operator's result.
static bool isSoftmax(ActivationFunction function) {
  return function == ActivationFunction::softmax ||
         function == ActivationFunction::softmax1;
}

ActivationAttr drawActivation(Draft &draft, const OperatorSupport &support,
                              StringRef attribute) {
  FeatureLevel level = getTargetFeatureLevel(*draft.module);
  SmallVector<StringRef> cases;
  for (const EnumCaseSupport &enumCase : support.enumCases)
    if (auto function = symbolizeActivationFunction(enumCase.enumCase);
        function && enumCase.attribute == attribute &&
        enumCase.level <= level && !isSoftmax(*function))
      cases.push_back(enumCase.enumCase);
  MLIRContext *context = draft.builder.getContext();
  auto value = *symbolizeActivationFunction(draft.random.pick(ArrayRef(cases)));
  // Values from 1 on are valid for every activation at every feature level.
  NamedAttrList parameters;
  auto name = *RegisteredOperationName::lookup(
      value == ActivationFunction::clip
          ? "dml.element_wise_clip"
          : ("dml.activation_" + stringifyActivationFunction(value)).str(),
      context);
  for (StringAttr parameter : name.getAttributeNames())
    if (parameter != "scale_bias")
      parameters.set(parameter,
                     draft.builder.getF32FloatAttr(
                         static_cast<float>(draft.random.between(2, 12)) / 2));
  return ActivationAttr::get(context, value, parameters.getDictionary(context));
}

/// Draws a number of the element type of `input`.
static Attribute drawNumber(Draft &draft, Value input) {
  Type type = cast<RankedTensorType>(input.getType()).getElementType();
  int64_t number = draft.random.between(-9, 9);
  if (isa<FloatType>(type))
    return FloatAttr::get(type, static_cast<double>(number) / 2);
  if (type.isUnsignedInteger())
    number = std::abs(number);
  return IntegerAttr::get(type, number);
}

/// Whether the operand `name` is optional at `level`.
static bool isOptional(const OperatorSupport &support, const TensorInfo &info,
                       FeatureLevel level) {
  if (info.count != TensorInfo::Count::Optional)
    return false;
  for (const EnumCaseSupport &enumCase : support.enumCases)
    if (enumCase.attribute == info.name && enumCase.enumCase == "absent")
      return enumCase.level <= level;
  return true;
}

static Operation *draw(Draft &draft, const Cell &cell, uint32_t mode,
                       Value input) {
  MLIRContext *context = draft.builder.getContext();
  auto name = *RegisteredOperationName::lookup(cell.op, context);
  const OperatorSupport &support =
      name.getInterface<FeatureLevelOpInterface>()->getOperatorSupport();
  const Operator &op = *getOperators().find(cell.op);
  FeatureLevel level = getTargetFeatureLevel(*draft.module);
  OperationState state(draft.builder.getLoc(), cell.op);
  SmallVector<int32_t> segments;
  unsigned numOptional = 0;
  unsigned shapeGroup = support.tensors.front().shapeGroup;
  for (auto [info, type] : llvm::zip_equal(support.tensors, cell.types)) {
    SmallVector<int64_t> shape(getShape(input));
    if (info.shapeGroup != shapeGroup)
      shape.assign(shape.size(), 1);
    auto tensorType =
        RankedTensorType::get(shape, getElementType(type, context));
    if (info.isResult) {
      state.addTypes(tensorType);
      continue;
    }
    numOptional += info.count == TensorInfo::Count::Optional;
    segments.push_back(1);
    if (isOptional(support, info, level) && draft.random.oneIn(3))
      segments.back() = 0;
    else if (state.operands.empty())
      state.addOperands(input);
    else
      // Sometimes both operands are the same value.
      state.addOperands(tensorType == input.getType() && draft.random.oneIn(8)
                            ? input
                            : draft.addArgument(tensorType));
  }
  bool isFloating = cell.types.front() == DataType::FLOAT32 ||
                    cell.types.front() == DataType::FLOAT16;
  bool hasTypedBounds = cell.op == "dml.element_wise_clip1" ||
                        cell.op == "dml.element_wise_clip_grad1";
  for (StringAttr attribute : name.getAttributeNames()) {
    if (attribute == "operandSegmentSizes") {
      if (numOptional > 1)
        state.addAttribute(attribute,
                           draft.builder.getDenseI32ArrayAttr(segments));
    } else if (attribute == "fused_activation") {
      if (!draft.random.oneIn(4))
        state.addAttribute(attribute, drawActivation(draft, support));
    } else if (attribute == "scale_bias") {
      if (isFloating && draft.random.oneIn(2)) {
        auto scale = cast<FloatAttr>(drawFloat(draft));
        auto bias = cast<FloatAttr>(drawFloat(draft));
        state.addAttribute(attribute, ScaleBiasAttr::get(context, scale, bias));
      }
    } else if (attribute == op.modeAttribute) {
      state.addAttribute(
          attribute,
          parseAttribute(support.getEnumCase(attribute, mode)->syntax,
                         context));
    } else if (hasTypedBounds) {
      state.addAttribute(attribute, drawNumber(draft, input));
    } else if (attribute == "steepness") {
      state.addAttribute(
          attribute,
          draft.builder.getF32FloatAttr(
              draft.random.oneIn(2) && level >= FeatureLevel::fl_6_4 ? 0.25f
                                                                     : 1.5f));
    } else if (cell.op == "dml.activation_celu") {
      state.addAttribute(attribute, draft.builder.getF32FloatAttr(
                                        draft.random.oneIn(3) ? 0.75f : 1.0f));
    } else {
      state.addAttribute(attribute, drawFloat(draft));
    }
  }
  return draft.builder.create(state);
}

/// Accepts the cell if the scale has the element type of a floating-point
/// input.
static bool acceptsQuantization(const Cell &cell) {
  return cell.types[1] ==
         (isFloat(cell.types[0]) ? cell.types[0] : DataType::FLOAT32);
}

/// Scales are drawn as moderate numbers.
static Purpose getQuantizedPurpose(OpOperand &operand) {
  Type type = cast<RankedTensorType>(operand.get().getType()).getElementType();
  return isa<FloatType>(type) && operand.getOperandNumber() > 0
             ? Purpose::Scale
             : Purpose::Compute;
}

void addElementWise(Operators &operators, StringRef name) {
  Operator op;
  op.draw = draw;
  op.getPurpose = [](OpOperand &) { return Purpose::Compute; };
  if (name == ElementWiseIdentityOp::getOperationName() ||
      name == ElementWiseIfOp::getOperationName())
    op.getPurpose = [](OpOperand &) { return Purpose::Move; };
  if (name.contains("quantize"))
    op.getPurpose = getQuantizedPurpose;
  if (name == ElementWiseQuantizeLinearOp::getOperationName())
    op.accepts = acceptsQuantization;
  if (name == ElementWiseRoundOp::getOperationName()) {
    op.modeAttribute = "rounding_mode";
    op.numModes = getMaxEnumValForRoundingMode() + 1;
    op.stringifyMode = [](uint32_t mode) {
      return stringifyRoundingMode(static_cast<RoundingMode>(mode));
    };
  }
  if (name == ElementWiseIsInfinityOp::getOperationName()) {
    op.modeAttribute = "infinity_mode";
    op.numModes = getMaxEnumValForIsInfinityMode() + 1;
    op.stringifyMode = [](uint32_t mode) {
      return stringifyIsInfinityMode(static_cast<IsInfinityMode>(mode));
    };
  }
  operators.add(name, op);
}

} // namespace dml::fuzz
