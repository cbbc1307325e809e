//===- RecurrentOps.cpp - Drawing recurrent networks ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RecurrentOps.h"
#include "Testing/Programs/ElementWiseDraws.h"

using namespace mlir;

namespace dml::fuzz {

namespace {
/// The dimensions that the shapes of a network's tensors follow from.
struct Sizes {
  int64_t steps, batch, input, hidden, directions, gates;

  SmallVector<int64_t> get(StringRef tensor) const {
    if (tensor == "input")
      return {1, steps, batch, input};
    if (tensor == "weight")
      return {1, directions, gates * hidden, input};
    if (tensor == "recurrence")
      return {1, directions, gates * hidden, hidden};
    if (tensor == "bias")
      return {1, 1, directions, 2 * gates * hidden};
    if (tensor == "sequence_lengths")
      return {1, 1, 1, batch};
    if (tensor == "peephole")
      return {1, 1, directions, 3 * hidden};
    if (tensor == "output_sequence")
      return {steps, directions, batch, hidden};
    // The remaining tensors are the initial and the final states.
    return {1, directions, batch, hidden};
  }
};
} // namespace

/// Draws a size, mostly a small one: error bounds grow with each step.
static int64_t drawSmall(Random &random, int64_t usual, int64_t most) {
  return random.oneIn(24) ? random.between(1, most) : random.between(1, usual);
}

template <typename OpTy, int64_t gates, int64_t activationCount>
static Operation *draw(Draft &draft, const Cell &cell, uint32_t mode,
                       Value input) {
  Random &random = draft.random;
  MLIRContext *context = draft.builder.getContext();
  auto direction = static_cast<RecurrentNetworkDirection>(mode);
  Sizes sizes;
  sizes.gates = gates;
  sizes.directions =
      direction == RecurrentNetworkDirection::bidirectional ? 2 : 1;
  auto type = cast<RankedTensorType>(input.getType());
  ArrayRef<int64_t> shape = type.getShape();
  sizes.hidden = drawSmall(random, 5, 130);
  bool fits =
      shape[0] == 1 && shape[1] <= 6 && shape[2] <= 12 && shape[3] <= 200;
  if (fits) {
    sizes.steps = shape[1];
    sizes.batch = shape[2];
    sizes.input = shape[3];
  } else {
    // Both steps that are written out and loops over steps.
    sizes.steps = drawSmall(random, 7, 33);
    sizes.batch = drawSmall(random, 3, 12);
    sizes.input = drawSmall(random, 5, 200);
    auto wanted = type.clone(sizes.get("input"));
    if (mayRetype(input))
      input.setType(wanted);
    else
      input = draft.addArgument(wanted);
  }

  const OperatorSupport &support = OpTy::getOperatorSupport();
  OperationState state(draft.builder.getLoc(), OpTy::getOperationName());
  SmallVector<int32_t> operandSegments, resultSegments;
  // At least one result is present: the one at position `certain`.
  size_t numResults = llvm::count_if(
      support.tensors, [](const TensorInfo &info) { return info.isResult; });
  size_t certain = random.between(0, numResults - 1);
  for (auto [info, dataType] : llvm::zip_equal(support.tensors, cell.types)) {
    auto tensorType = RankedTensorType::get(sizes.get(info.name),
                                            getElementType(dataType, context));
    bool isPresent = info.count == TensorInfo::Count::One || random.oneIn(2) ||
                     (info.isResult && resultSegments.size() == certain);
    (info.isResult ? resultSegments : operandSegments).push_back(isPresent);
    if (!isPresent)
      continue;
    if (info.isResult)
      state.addTypes(tensorType);
    else
      state.addOperands(state.operands.empty() ? input
                                               : draft.addArgument(tensorType));
  }
  SmallVector<Attribute> activations;
  // Half of the networks have the usual activations, whose values stay small.
  bool isUsual = random.oneIn(2);
  for (int64_t i = 0; i < activationCount * sizes.directions; ++i)
    activations.push_back(
        isUsual ? ActivationAttr::get(context,
                                      i % activationCount == 0 && gates > 1
                                          ? ActivationFunction::sigmoid
                                          : ActivationFunction::tanh,
                                      draft.builder.getDictionaryAttr({}))
                : drawActivation(draft, support, "activation_descs"));
  state.addAttribute("activation_descs",
                     draft.builder.getArrayAttr(activations));
  state.addAttribute("direction",
                     RecurrentNetworkDirectionAttr::get(context, direction));
  state.addAttribute("operandSegmentSizes",
                     draft.builder.getDenseI32ArrayAttr(operandSegments));
  state.addAttribute("resultSegmentSizes",
                     draft.builder.getDenseI32ArrayAttr(resultSegments));
  if constexpr (std::is_same_v<OpTy, GRUOp>)
    state.addAttribute("linear_before_reset",
                       draft.builder.getBoolAttr(random.oneIn(2)));
  if constexpr (std::is_same_v<OpTy, LSTMOp>) {
    static constexpr float thresholds[] = {0.0f, 0.5f, 1.0f, 3.0f};
    state.addAttribute(
        "clip_threshold",
        draft.builder.getF32FloatAttr(random.pick(ArrayRef(thresholds))));
    state.addAttribute("use_clip_threshold",
                       draft.builder.getBoolAttr(random.oneIn(3)));
    state.addAttribute("couple_input_forget",
                       draft.builder.getBoolAttr(random.oneIn(3)));
  }
  return draft.builder.create(state);
}

/// Gives arguments and results the sizes that the input, the recurrence tensor
/// and the direction require.
template <typename OpTy, int64_t gates>
static void refit(Operation *operation) {
  auto op = cast<OpTy>(operation);
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto recurrence = dyn_cast<RankedTensorType>(op.getRecurrence().getType());
  if (!input || !recurrence || input.getRank() != 4 ||
      recurrence.getRank() != 4)
    return;
  bool isBidirectional =
      op.getDirection() == RecurrentNetworkDirection::bidirectional;
  Sizes sizes{input.getDimSize(1),     input.getDimSize(2),
              input.getDimSize(3),     recurrence.getDimSize(3),
              isBidirectional ? 2 : 1, gates};
  auto interface = cast<FeatureLevelOpInterface>(operation);
  for (const FeatureLevelOpInterface::Tensor &tensor : interface.getTensors()) {
    auto type = dyn_cast<RankedTensorType>(tensor.type);
    if (!type)
      return;
    Value value = tensor.info->isResult ? Value(op->getResult(tensor.number))
                                        : op->getOperand(tensor.number);
    if (tensor.info->isResult ||
        (isa<BlockArgument>(value) && value.hasOneUse()))
      value.setType(type.clone(sizes.get(tensor.info->name)));
  }
}

/// Half of the networks compute with numbers of all kinds. The others have
/// small weights, which keep error bounds narrow.
static Purpose getPurpose(OpOperand &operand) {
  StringRef name = getTensorName(operand);
  if (name == "sequence_lengths")
    return Purpose::Index;
  bool isSmall = operand.getOwner()->getNumOperands() % 2;
  return isSmall && name != "input" ? Purpose::Scale : Purpose::Compute;
}

template <typename OpTy, int64_t gates, int64_t activationCount>
static void add(Operators &operators) {
  Operator op;
  op.draw = draw<OpTy, gates, activationCount>;
  op.modeAttribute = "direction";
  op.numModes = 3;
  op.stringifyMode = [](uint32_t mode) {
    return stringifyRecurrentNetworkDirection(
        static_cast<RecurrentNetworkDirection>(mode));
  };
  op.getPurpose = getPurpose;
  op.refit = refit<OpTy, gates>;
  operators.add<OpTy>(op);
}

void addRecurrentOperators(Operators &operators) {
  add<GRUOp, 3, 2>(operators);
  add<LSTMOp, 4, 3>(operators);
  add<RNNOp, 1, 1>(operators);
}

} // namespace dml::fuzz
