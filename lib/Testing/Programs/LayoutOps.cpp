//===- LayoutOps.cpp - Drawing operators that rearrange and fill ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/LayoutOps.h"
#include "Testing/Programs/Operators.h"

using namespace mlir;

namespace dml::fuzz {

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Parts of a tensor
//===----------------------------------------------------------------------===//

static Operation *drawJoin(Draft &draft, const Cell &, uint32_t, Value input) {
  Random &random = draft.random;
  SmallVector<int64_t> shape(getShape(input)), whole = shape;
  int64_t axis = random.between(0, shape.size() - 1);
  // Sometimes there are more inputs than one kernel can read.
  int64_t count =
      random.oneIn(4) ? random.between(4, 12) : random.between(1, 3);
  SmallVector<Value> inputs = {input};
  while (static_cast<int64_t>(inputs.size()) < count) {
    int64_t room = draft.getRoom(whole, axis) - whole[axis];
    if (random.oneIn(6) && room >= shape[axis]) {
      inputs.push_back(input);
      whole[axis] += shape[axis];
      continue;
    }
    if (room < 1)
      break;
    SmallVector<int64_t> part = shape;
    part[axis] = draft.drawSize(std::min<int64_t>(room, 2 * shape[axis] + 3));
    whole[axis] += part[axis];
    inputs.push_back(draft.addArgument(getType(input).clone(part)));
  }
  for (size_t i = inputs.size(); i-- > 1;)
    std::swap(inputs[i], inputs[random.between(0, i)]);
  return JoinOp::create(draft.builder, inputs, axis);
}

static Operation *drawSplit(Draft &draft, const Cell &, uint32_t, Value input) {
  Random &random = draft.random;
  SmallVector<int64_t> shape(getShape(input));
  int64_t axis = random.between(0, shape.size() - 1);
  SmallVector<Type> types;
  for (int64_t rest = shape[axis]; rest > 0; rest -= shape[axis]) {
    shape[axis] =
        types.size() == 4 || random.oneIn(3) ? rest : random.between(1, rest);
    types.push_back(getType(input).clone(shape));
  }
  return SplitOp::create(draft.builder, types, input, axis);
}

/// Makes the sizes of the outputs add up to the input's again: the last output
/// takes the remainder.
static void refitSplit(Operation *operation) {
  auto op = cast<SplitOp>(operation);
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!input || static_cast<int64_t>(op.getAxis()) >= input.getRank() ||
      op.getOutputs().empty())
    return;
  int64_t rest = input.getDimSize(op.getAxis());
  for (auto [i, output] : llvm::enumerate(op.getOutputs())) {
    SmallVector<int64_t> shape(input.getShape());
    auto type = dyn_cast<RankedTensorType>(output.getType());
    int64_t others = op.getOutputs().size() - 1 - i;
    int64_t size = type && type.getRank() == input.getRank()
                       ? type.getDimSize(op.getAxis())
                       : 1;
    shape[op.getAxis()] = others == 0 ? rest : std::min(size, rest - others);
    rest -= shape[op.getAxis()];
    output.setType(input.clone(shape));
  }
}

//===----------------------------------------------------------------------===//
// Blocks and channels
//===----------------------------------------------------------------------===//

/// Draws the block size. Returns `input`, whose sizes are adapted if it is an
/// unused argument. If they cannot be adapted, the block size is 1.
static Value fitBlocks(Draft &draft, Value input, bool toDepth,
                       int64_t &block) {
  SmallVector<int64_t> shape(getShape(input));
  block = draft.random.between(1, draft.random.oneIn(4) ? 5 : 3);
  auto fits = [&] {
    return toDepth ? shape[2] % block == 0 && shape[3] % block == 0
                   : shape[1] % (block * block) == 0;
  };
  if (fits())
    return input;
  if (!mayRetype(input)) {
    block = 1;
    return input;
  }
  if (toDepth) {
    shape[2] = (shape[2] + block - 1) / block * block;
    shape[3] = (shape[3] + block - 1) / block * block;
  } else {
    shape[1] = (shape[1] + block * block - 1) / (block * block) * block * block;
  }
  if (*reference::getNumElements(shape) > 4 * draft.maxElements) {
    block = 1;
    return input;
  }
  input.setType(getType(input).clone(shape));
  return input;
}

template <typename OpTy, bool toDepth>
static Operation *drawBlocks(Draft &draft, const Cell &, uint32_t mode,
                             Value input) {
  int64_t block;
  input = fitBlocks(draft, input, toDepth, block);
  if constexpr (std::is_same_v<OpTy, SpaceToDepth1Op> ||
                std::is_same_v<OpTy, DepthToSpace1Op>)
    return OpTy::create(draft.builder, input, block,
                        static_cast<DepthSpaceOrder>(mode));
  else
    return OpTy::create(draft.builder, input, block);
}

//===----------------------------------------------------------------------===//
// Sequences and windows
//===----------------------------------------------------------------------===//

static Operation *drawReverse(Draft &draft, const Cell &cell, uint32_t,
                              Value input) {
  SmallVector<int64_t> shape(getShape(input));
  int64_t axis = draft.random.between(0, shape.size() - 1);
  shape[axis] = 1;
  Value lengths = draft.addArgument(RankedTensorType::get(
      shape, getElementType(cell.types[1], draft.builder.getContext())));
  return ReverseSubsequencesOp::create(draft.builder, input.getType(), input,
                                       lengths, axis);
}

namespace {
struct Window {
  SmallVector<int64_t> sizes, strides, dilations, start, end;
  int64_t elements = 1, places = 1;

  /// Adds a window for a spatial dimension of `size` elements.
  void add(Random &random, int64_t size) {
    start.push_back(random.oneIn(2) ? random.between(0, 2) : 0);
    end.push_back(random.oneIn(2) ? random.between(0, 2) : 0);
    int64_t padded = size + start.back() + end.back();
    sizes.push_back(
        random.between(1, std::min<int64_t>(padded, elements > 8 ? 2 : 4)));
    int64_t most = sizes.back() == 1 ? 3 : (padded - 1) / (sizes.back() - 1);
    dilations.push_back(random.between(1, std::min<int64_t>(most, 3)));
    strides.push_back(random.between(1, 3));
    int64_t extent = dilations.back() * (sizes.back() - 1) + 1;
    elements *= sizes.back();
    places *= (padded - extent) / strides.back() + 1;
  }
};
} // namespace

static Operation *drawUnfold(Draft &draft, const Cell &, uint32_t,
                             Value input) {
  ArrayRef<int64_t> shape = getShape(input);
  // Drops some of the leading dimensions of size 1.
  int64_t lead = 0;
  while (lead < static_cast<int64_t>(shape.size()) - 3 && shape[lead] == 1 &&
         draft.random.oneIn(2))
    ++lead;
  shape = shape.drop_front(lead);
  Window window;
  for (int64_t size : shape.drop_front(2))
    window.add(draft.random, size);
  SmallVector<int64_t> columns(draft.random.oneIn(3) ? 1 : 0, 1);
  columns.append({shape[0], shape[1] * window.elements, window.places});
  return UnfoldOp::create(draft.builder, getType(input).clone(columns), input,
                          window.sizes, window.strides, window.dilations,
                          window.start, window.end);
}

/// Draws an image. Its columns are an argument of their own unless `input`
/// fits.
static Operation *drawFold(Draft &draft, const Cell &, uint32_t, Value input) {
  Random &random = draft.random;
  RankedTensorType type = getType(input);
  unsigned planeRank = random.between(1, 3);
  SmallVector<int64_t> image = {random.between(1, 2), random.between(1, 3)};
  Window window;
  for (unsigned dim = 0; dim < planeRank; ++dim) {
    image.push_back(random.between(1, draft.maxElements > 1000 ? 20 : 6));
    window.add(random, image.back());
  }
  SmallVector<int64_t> columns(type.getRank() - 3, 1);
  columns.append({image[0], image[1] * window.elements, window.places});
  if (random.oneIn(4))
    image.insert(image.begin(), 1);
  Value source = input;
  if (!mayRetype(input))
    source = draft.addArgument(type.clone(columns));
  else
    input.setType(type.clone(columns));
  return FoldOp::create(draft.builder, type.clone(image), source, window.sizes,
                        window.strides, window.dilations, window.start,
                        window.end);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Operation *drawScale(Draft &draft, const Cell &, uint32_t, Value input) {
  Random &random = draft.random;
  RankedTensorType type = getType(input);
  if (type.getDimSize(1) != 1 && type.getDimSize(1) != 3) {
    SmallVector<int64_t> shape(type.getShape());
    shape[1] = random.oneIn(2) ? 1 : 3;
    if (!mayRetype(input))
      input = draft.addArgument(type.clone(shape));
    else
      input.setType(type.clone(shape));
  }
  SmallVector<float> bias;
  for (int64_t i = 0; i < getShape(input)[1]; ++i)
    bias.push_back(static_cast<float>(random.between(-40, 40)) / 8);
  return ValueScale2dOp::create(
      draft.builder, input.getType(), input,
      llvm::APFloat(static_cast<float>(random.between(-40, 40)) / 8), bias);
}

static Operation *drawConstant(Draft &draft, const Cell &, uint32_t,
                               Value input) {
  return FillValueConstantOp::create(
      draft.builder, input.getType(),
      drawScalar(draft, getType(input).getElementType()));
}

static Operation *drawSequence(Draft &draft, const Cell &, uint32_t,
                               Value input) {
  Type type = getType(input).getElementType();
  auto start = drawScalar(draft, type), delta = drawScalar(draft, type);
  return FillValueSequenceOp::create(draft.builder, input.getType(), start,
                                     delta);
}

/// Draws the number of a diagonal, mostly of one that a matrix of `type` has.
static int64_t drawDiagonal(Random &random, RankedTensorType type) {
  if (random.oneIn(8))
    return random.pick(ArrayRef<int64_t>({INT32_MIN, INT32_MAX, 0}));
  return random.between(-type.getShape().drop_back().back() - 1,
                        type.getShape().back() + 1);
}

static Operation *drawDiagonalMatrix(Draft &draft, const Cell &, uint32_t,
                                     Value input) {
  static constexpr float values[] = {1.0f, -2.5f, 10.6f, 300.0f, -1e10f};
  int64_t diagonal = drawDiagonal(draft.random, getType(input));
  return DiagonalMatrixOp::create(
      draft.builder, input.getType(), diagonal,
      llvm::APFloat(draft.random.pick(ArrayRef(values))));
}

static Operation *drawDiagonalMatrix1(Draft &draft, const Cell &, uint32_t,
                                      Value input) {
  Value copied = draft.random.oneIn(4) ? Value() : input;
  auto value = drawScalar(draft, getType(input).getElementType());
  int64_t begin = drawDiagonal(draft.random, getType(input)),
          end = drawDiagonal(draft.random, getType(input));
  return DiagonalMatrix1Op::create(draft.builder, input.getType(), copied,
                                   value, begin, end);
}

void addLayoutOperators(Operators &operators) {
  Operator move;
  move.computes = [](StringRef) { return false; };
  move.draw = drawJoin;
  operators.add<JoinOp>(move);
  move.draw = drawSplit;
  move.refit = refitSplit;
  operators.add<SplitOp>(move);
  move.refit = nullptr;
  move.draw = drawBlocks<SpaceToDepthOp, /*toDepth=*/true>;
  operators.add<SpaceToDepthOp>(move);
  move.draw = drawBlocks<DepthToSpaceOp, /*toDepth=*/false>;
  operators.add<DepthToSpaceOp>(move);
  move.draw = drawUnfold;
  operators.add<UnfoldOp>(move);
  move.draw = drawConstant;
  operators.add<FillValueConstantOp>(move);
  move.draw = drawDiagonalMatrix;
  operators.add<DiagonalMatrixOp>(move);
  move.draw = drawDiagonalMatrix1;
  operators.add<DiagonalMatrix1Op>(move);

  Operator ordered = move;
  ordered.modeAttribute = "order";
  ordered.numModes = getMaxEnumValForDepthSpaceOrder() + 1;
  ordered.stringifyMode = [](uint32_t mode) {
    return stringifyDepthSpaceOrder(static_cast<DepthSpaceOrder>(mode));
  };
  ordered.draw = drawBlocks<SpaceToDepth1Op, /*toDepth=*/true>;
  operators.add<SpaceToDepth1Op>(ordered);
  ordered.draw = drawBlocks<DepthToSpace1Op, /*toDepth=*/false>;
  operators.add<DepthToSpace1Op>(ordered);

  Operator reverse = move;
  reverse.draw = drawReverse;
  reverse.getPurpose = [](OpOperand &operand) {
    return operand.getOperandNumber() == 1 ? Purpose::Index : Purpose::Move;
  };
  operators.add<ReverseSubsequencesOp>(reverse);

  Operator compute;
  compute.draw = drawFold;
  compute.getPurpose = [](OpOperand &) { return Purpose::Add; };
  operators.add<FoldOp>(compute);
  compute.draw = drawScale;
  compute.getPurpose = [](OpOperand &) { return Purpose::Compute; };
  operators.add<ValueScale2dOp>(compute);
  compute.draw = drawSequence;
  operators.add<FillValueSequenceOp>(compute);
}

} // namespace dml::fuzz
