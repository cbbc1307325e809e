//===- QuantizationOps.cpp - Drawing quantizations ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/QuantizationOps.h"
#include "Testing/Programs/Operators.h"

using namespace mlir;

namespace dml::fuzz {

static RankedTensorType getType(Draft &draft, const Cell &cell, unsigned tensor,
                                ArrayRef<int64_t> shape) {
  return RankedTensorType::get(
      shape, getElementType(cell.types[tensor], draft.builder.getContext()));
}

static Operation *drawDynamic(Draft &draft, const Cell &cell, uint32_t,
                              Value input) {
  SmallVector<int64_t> one(cell.rank, 1);
  return DynamicQuantizeLinearOp::create(
      draft.builder, getType(draft, cell, 1, getShape(input)),
      getType(draft, cell, 2, one), getType(draft, cell, 3, one), input);
}

/// Draws the number of blocks in each dimension of a tensor of shape `shape`:
/// one block, one per element, or any divisor of the size.
static SmallVector<int64_t> drawBlocks(Random &random,
                                       ArrayRef<int64_t> shape) {
  SmallVector<int64_t> blocks;
  for (int64_t size : shape) {
    int64_t count = random.oneIn(2) ? size : random.between(1, size);
    while (size % count != 0)
      --count;
    blocks.push_back(random.oneIn(3) ? 1 : count);
  }
  return blocks;
}

/// The scale has the type of the real tensor: the input of QuantizeOp, the
/// result of the others.
template <typename OpTy>
static Operation *drawBlocks(Draft &draft, const Cell &cell, uint32_t mode,
                             Value input) {
  auto kind = static_cast<QuantizationType>(mode);
  constexpr unsigned real = std::is_same_v<OpTy, QuantizeOp> ? 0 : 2;
  SmallVector<int64_t> blocks = drawBlocks(draft.random, getShape(input));
  SmallVector<Value> quantizations = {
      draft.addArgument(getType(draft, cell, real, blocks))};
  if (kind == QuantizationType::scale_zero_point)
    quantizations.push_back(
        draft.addArgument(getType(draft, cell, 2 - real, blocks)));
  return OpTy::create(draft.builder, getType(draft, cell, 2, getShape(input)),
                      input, quantizations, kind);
}

template <typename OpTy> static void addBlocks(Operators &operators) {
  Operator op;
  op.modeAttribute = "quantization_type";
  op.numModes = getMaxEnumValForQuantizationType() + 1;
  op.stringifyMode = [](uint32_t mode) {
    return stringifyQuantizationType(static_cast<QuantizationType>(mode));
  };
  op.draw = drawBlocks<OpTy>;
  // The types of the scale and the zero point follow from those of the input
  // and the result.
  op.accepts = [](const Cell &cell) {
    return cell.mode != "none" && cell.types[1] == cell.types[0];
  };
  op.getPurpose = [](OpOperand &operand) {
    return operand.getOperandNumber() == 1 ? Purpose::Scale : Purpose::Compute;
  };
  operators.add<OpTy>(op);
}

void addQuantizationOperators(Operators &operators) {
  Operator dynamic;
  dynamic.draw = drawDynamic;
  dynamic.getPurpose = [](OpOperand &) { return Purpose::Compute; };
  operators.add<DynamicQuantizeLinearOp>(dynamic);
  addBlocks<DequantizeOp>(operators);
  addBlocks<QuantizeOp>(operators);
}

} // namespace dml::fuzz
