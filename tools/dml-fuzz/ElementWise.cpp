//===- ElementWise.cpp - Drawing element-wise operators -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementWise.h"
#include "dml/IR/DML.h"

using namespace mlir;

namespace dml::fuzz {

/// A float for an attribute: those that models have, and others.
static Attribute drawFloat(Draft &draft) {
  static constexpr float floats[] = {0.0f,  0.01f, 0.1f, 0.2f,  0.5f,  1.0f,
                                     1.05f, 1.67f, 2.0f, -0.5f, -1.0f, 3.0f};
  return draft.builder.getF32FloatAttr(draft.random.pick(ArrayRef(floats)));
}

/// One of the activations that the operator fuses at the program's level.
static Attribute drawActivation(Draft &draft, const OperatorSupport &support) {
  FeatureLevel level = getTargetFeatureLevel(*draft.module);
  SmallVector<StringRef> cases;
  for (const EnumCaseSupport &enumCase : support.enumCases)
    if (enumCase.attribute == "fused_activation" && enumCase.level <= level &&
        symbolizeActivationFunction(enumCase.enumCase))
      cases.push_back(enumCase.enumCase);
  MLIRContext *context = draft.builder.getContext();
  auto value = *symbolizeActivationFunction(draft.random.pick(ArrayRef(cases)));
  // Numbers from 1 on: every activation takes them at every level.
  NamedAttrList parameters;
  auto name = *RegisteredOperationName::lookup(
      value == ActivationFunction::clip
          ? "dml.element_wise_clip"
          : ("dml.activation_" + stringifyActivationFunction(value)).str(),
      context);
  for (StringAttr attribute : name.getAttributeNames())
    if (attribute != "scale_bias")
      parameters.set(attribute,
                     draft.builder.getF32FloatAttr(
                         static_cast<float>(draft.random.between(2, 12)) / 2));
  return ActivationAttr::get(context, value,
                             parameters.getDictionary(context));
}

static Operation *draw(Draft &draft, const Cell &cell, uint32_t, Value input) {
  MLIRContext *context = draft.builder.getContext();
  auto name = *RegisteredOperationName::lookup(cell.op, context);
  const OperatorSupport &support =
      name.getInterface<FeatureLevelOpInterface>()->getOperatorSupport();
  OperationState state(draft.builder.getLoc(), cell.op);
  for (auto [info, type] : llvm::zip_equal(support.tensors, cell.types)) {
    auto tensorType =
        RankedTensorType::get(getShape(input), getElementType(type, context));
    if (info.isResult)
      state.addTypes(tensorType);
    else if (state.operands.empty())
      state.addOperands(input);
    else
      // Sometimes an element meets itself.
      state.addOperands(tensorType == input.getType() && draft.random.oneIn(8)
                            ? input
                            : draft.addArgument(tensorType));
  }
  bool isFloating = isFloat(cell.types.front());
  for (StringAttr attribute : name.getAttributeNames()) {
    if (attribute == "fused_activation") {
      if (!draft.random.oneIn(4))
        state.addAttribute(attribute, drawActivation(draft, support));
    } else if (attribute != "scale_bias")
      state.addAttribute(attribute, drawFloat(draft));
    else if (isFloating && draft.random.oneIn(2))
      state.addAttribute(attribute,
                         ScaleBiasAttr::get(context,
                                            cast<FloatAttr>(drawFloat(draft)),
                                            cast<FloatAttr>(drawFloat(draft))));
  }
  return draft.builder.create(state);
}

void addElementWise(Operators &operators, StringRef name) {
  Operator op;
  op.draw = draw;
  op.getPurpose = [](OpOperand &) { return Purpose::Compute; };
  operators.add(name, op);
}

} // namespace dml::fuzz
