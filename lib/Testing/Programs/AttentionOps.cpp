//===- AttentionOps.cpp - Drawing attention -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/AttentionOps.h"
#include "Testing/Programs/Operators.h"
#include <set>

using namespace mlir;

namespace dml::fuzz {

namespace {
/// The dimensions that the shapes of the tensors follow from.
struct Sizes {
  int64_t batch, queries, newKeys, pastKeys, headSize, valueSize, queryHeads,
      keyHeads;
  MultiheadAttentionMaskType maskType;

  SmallVector<int64_t> get(StringRef tensor) const {
    int64_t keys = pastKeys + newKeys;
    if (tensor == "query")
      return {batch, queries, queryHeads * headSize};
    if (tensor == "key")
      return {batch, newKeys, keyHeads * headSize};
    if (tensor == "value")
      return {batch, newKeys, keyHeads * valueSize};
    if (tensor == "stacked_query_key")
      return {batch, queries, queryHeads, 2, headSize};
    if (tensor == "stacked_key_value")
      return {batch, newKeys, keyHeads, 2, headSize};
    if (tensor == "stacked_query_key_value")
      return {batch, queries, queryHeads, 3, headSize};
    if (tensor == "bias")
      return {(queryHeads + keyHeads) * headSize + keyHeads * valueSize};
    if (tensor == "mask")
      switch (maskType) {
      case MultiheadAttentionMaskType::none:
      case MultiheadAttentionMaskType::key_sequence_length:
        return {1, batch};
      case MultiheadAttentionMaskType::key_sequence_end_start:
        return {2, batch};
      case MultiheadAttentionMaskType::key_query_sequence_length_start_end:
        return {3 * batch + 2};
      case MultiheadAttentionMaskType::boolean:
        return {batch, queryHeads, queries, keys};
      }
    if (tensor == "relative_position_bias")
      return {batch, queryHeads, queries, keys};
    if (tensor == "past_key")
      return {batch, keyHeads, pastKeys, headSize};
    if (tensor == "past_value")
      return {batch, keyHeads, pastKeys, valueSize};
    if (tensor == "past_sequence_lengths")
      return {batch};
    if (tensor == "output")
      return {batch, queries, queryHeads * valueSize};
    if (tensor == "output_present_key")
      return {batch, keyHeads, keys, headSize};
    return {batch, keyHeads, keys, valueSize};
  }
};
} // namespace

static int64_t drawSmall(Random &random, int64_t usual, int64_t most) {
  return random.oneIn(24) ? random.between(1, most) : random.between(1, usual);
}

template <typename OpTy>
static Operation *draw(Draft &draft, const Cell &cell, uint32_t mode,
                       Value input) {
  constexpr bool hasGroups = std::is_same_v<OpTy, MultiheadAttention1Op>;
  Random &random = draft.random;
  MLIRContext *context = draft.builder.getContext();
  Sizes sizes;
  sizes.maskType = static_cast<MultiheadAttentionMaskType>(mode);
  sizes.batch = random.between(1, 3);
  sizes.queries = drawSmall(random, 5, 40);
  sizes.newKeys = drawSmall(random, 6, 150);
  // Products over many keys have loops, and so exercise the kernels that
  // iterate over blocks of keys.
  if (random.oneIn(4)) {
    sizes.queries = random.between(1, 70);
    sizes.newKeys = random.between(28, 70);
  }
  sizes.headSize = drawSmall(random, 5, 130);
  sizes.valueSize = drawSmall(random, 5, 40);
  sizes.keyHeads = random.between(1, 3);
  sizes.queryHeads = sizes.keyHeads;

  // The names of the tensors that supply the queries, keys and values.
  std::set<StringRef> present;
  bool hasPast = random.oneIn(2), hasNew = true;
  switch (random.between(0, 5)) {
  case 0:
    present = {"stacked_query_key", "value"};
    sizes.newKeys = sizes.queries;
    break;
  case 1:
    present = {"query", "stacked_key_value"};
    sizes.valueSize = sizes.headSize;
    break;
  case 2:
    present = {"stacked_query_key_value"};
    sizes.newKeys = sizes.queries;
    sizes.valueSize = sizes.headSize;
    break;
  case 3:
    hasNew = random.oneIn(2);
    hasPast |= !hasNew;
    [[fallthrough]];
  default:
    present = {"query"};
    if (hasNew)
      present.insert({"key", "value"});
  }
  if (!hasNew)
    sizes.newKeys = 0;
  if (hasGroups && !present.count("stacked_query_key") &&
      !present.count("stacked_query_key_value"))
    sizes.queryHeads *= random.between(1, 3);
  sizes.pastKeys = hasPast ? drawSmall(random, 5, 60) : 0;
  if (hasPast) {
    present.insert("past_key");
    present.insert("past_value");
    if (hasGroups && random.oneIn(3))
      present.insert("past_sequence_lengths");
  }
  if (sizes.maskType != MultiheadAttentionMaskType::none)
    present.insert("mask");
  for (StringRef name : {"bias", "relative_position_bias"})
    if (random.oneIn(2))
      present.insert(name);
  present.insert("output");
  for (StringRef name : {"output_present_key", "output_present_value"})
    if (random.oneIn(3))
      present.insert(name);

  const OperatorSupport &support = OpTy::getOperatorSupport();
  const LevelSupport &row = *support.getRow(newestFeatureLevel);
  OperationState state(draft.builder.getLoc(), OpTy::getOperationName());
  SmallVector<int32_t> operandSegments, resultSegments;
  for (auto [info, limits, dataType] :
       llvm::zip_equal(support.tensors, row.tensors, cell.types)) {
    bool isPresent = present.count(info.name) != 0;
    (info.isResult ? resultSegments : operandSegments).push_back(isPresent);
    if (!isPresent)
      continue;
    SmallVector<int64_t> shape = sizes.get(info.name);
    // Dimensions of size 1 may precede the others.
    int64_t rank = info.name == "query"
                       ? cell.rank
                       : random.between(shape.size(), limits.maxRank);
    if (!random.oneIn(2) && info.name != "query")
      rank = static_cast<int64_t>(shape.size());
    shape.insert(shape.begin(), rank - shape.size(), 1);
    // Lengths are i32, or have the element type of the other tensors.
    DataType element =
        info.name == "past_sequence_lengths" && dataType != DataType::INT32
            ? cell.types.front()
            : dataType;
    auto type = RankedTensorType::get(shape, getElementType(element, context));
    if (info.isResult) {
      state.addTypes(type);
    } else if (state.operands.empty() && mayRetype(input)) {
      input.setType(type);
      state.addOperands(input);
    } else if (state.operands.empty() && input.getType() == type) {
      state.addOperands(input);
    } else {
      state.addOperands(draft.addArgument(type));
    }
  }
  auto number = [&](ArrayRef<float> numbers) {
    return draft.builder.getF32FloatAttr(random.pick(numbers));
  };
  state.addAttribute("scale", number({1.0f, 0.5f, 0.125f, 0.0f, -0.25f}));
  state.addAttribute("mask_filter_value",
                     number({-10000.0f, -10000.0f, 0.0f, 3.0f}));
  auto count = [&](int64_t heads) {
    return draft.builder.getI64IntegerAttr(heads);
  };
  if constexpr (hasGroups) {
    state.addAttribute("query_head_count", count(sizes.queryHeads));
    state.addAttribute("key_value_head_count", count(sizes.keyHeads));
  } else {
    state.addAttribute("head_count", count(sizes.queryHeads));
  }
  state.addAttribute("mask_type", MultiheadAttentionMaskTypeAttr::get(
                                      context, sizes.maskType));
  state.addAttribute("operandSegmentSizes",
                     draft.builder.getDenseI32ArrayAttr(operandSegments));
  state.addAttribute("resultSegmentSizes",
                     draft.builder.getDenseI32ArrayAttr(resultSegments));
  return draft.builder.create(state);
}

/// A mask is drawn as coordinates, which serve as booleans as well; sequence
/// lengths are small integers, some negative. The other operands are drawn from
/// numbers of all kinds in half of the operations.
static Purpose getPurpose(OpOperand &operand) {
  StringRef name = getTensorName(operand);
  if (name == "mask")
    return Purpose::Index;
  if (name == "past_sequence_lengths")
    return Purpose::Add;
  return operand.getOwner()->getNumOperands() % 2 ? Purpose::Scale
                                                  : Purpose::Compute;
}

template <typename OpTy> static void add(Operators &operators) {
  Operator op;
  op.draw = draw<OpTy>;
  op.modeAttribute = "mask_type";
  op.numModes = 5;
  op.stringifyMode = [](uint32_t mode) {
    return stringifyMultiheadAttentionMaskType(
        static_cast<MultiheadAttentionMaskType>(mode));
  };
  op.getPurpose = getPurpose;
  operators.add<OpTy>(op);
}

void addAttentionOperators(Operators &operators) {
  add<MultiheadAttentionOp>(operators);
  add<MultiheadAttention1Op>(operators);
}

} // namespace dml::fuzz
