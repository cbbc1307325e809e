//===- PoolingOps.cpp - Drawing poolings ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PoolingOps.h"
#include "Testing/Programs/Operators.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace dml::fuzz {

namespace {
/// The positions of windows in a tensor.
struct Windows {
  SmallVector<int64_t> strides, size, startPadding, endPadding, dilations;
  /// The shape of the result: one element per window.
  SmallVector<int64_t> shape;

  Windows(Random &random, ArrayRef<int64_t> input, bool isDilated = true);
  /// Makes an empty list of windows for a tensor of `rank` dimensions.
  explicit Windows(size_t rank) : shape(rank) {}

  /// Returns the attributes of `OpTy` that describe the windows.
  template <typename OpTy>
  SmallVector<NamedAttribute> getAttributes(Builder builder) const {
    SmallVector<NamedAttribute> attributes;
    for (auto [name, values] : {std::pair("strides", &strides),
                                {"window_size", &size},
                                {"start_padding", &startPadding},
                                {"end_padding", &endPadding},
                                {"dilations", &dilations}})
      if (llvm::is_contained(OpTy::getAttributeNames(), name))
        attributes.push_back(
            builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(*values)));
    return attributes;
  }
};
} // namespace

Windows::Windows(Random &random, ArrayRef<int64_t> input, bool isDilated)
    : shape(input) {
  int64_t window = 1;
  // Half of the time, all dimensions have the same window, as in models.
  bool isUsual = random.oneIn(2);
  int64_t usualWindow = random.between(2, 3),
          usualStride = random.between(1, 3),
          usualPadding = random.between(0, usualWindow - 1),
          usualDilation = random.oneIn(3) ? 2 : 1;
  for (int64_t &size : MutableArrayRef(shape).drop_front(2)) {
    strides.push_back(random.between(1, 3));
    // Large windows are no likelier to find a defect. Also, llvmpipe ends the
    // loops of an invocation, which computes several windows, after 65,535
    // iterations.
    constexpr int64_t maxWindow = 4000;
    this->size.push_back(
        random.oneIn(8) && window < 100
            ? random.between(1, std::min(size + 2, maxWindow / window))
            : random.between(1, 4));
    window *= this->size.back();
    bool padded = random.oneIn(2);
    int64_t most = random.oneIn(6) ? 6 : this->size.back() - 1;
    startPadding.push_back(padded ? random.between(0, most) : 0);
    endPadding.push_back(padded ? random.between(0, most) : 0);
    dilations.push_back(random.oneIn(3) ? random.between(1, 3) : 1);
    if (isUsual) {
      strides.back() = usualStride;
      this->size.back() = usualWindow;
      startPadding.back() = endPadding.back() = usualPadding;
      dilations.back() = usualDilation;
    }
    if (!isDilated)
      dilations.back() = 1;
    int64_t extent = 1 + (this->size.back() - 1) * dilations.back();
    int64_t steps = std::max<int64_t>(
        size + startPadding.back() + endPadding.back() - extent, 0);
    int64_t roundUp = random.oneIn(2) ? strides.back() - 1 : 0;
    size = (steps + roundUp) / strides.back() + 1;
  }
}

static Operation *drawMaxPoolingGrad(Draft &draft, const Cell &, uint32_t,
                                     Value input) {
  auto inputType = cast<RankedTensorType>(input.getType());
  Windows windows(draft.random, inputType.getShape());
  Value gradient = draft.addArgument(inputType.clone(windows.shape));
  return MaxPoolingGradOp::create(
      draft.builder, input, gradient, windows.strides, windows.size,
      windows.startPadding, windows.endPadding, windows.dilations);
}

/// Draws the windows of an `OpTy` on a tensor of shape `shape`.
template <typename OpTy>
static Windows drawWindows(Draft &draft, ArrayRef<int64_t> shape) {
  return Windows(draft.random, shape,
                 llvm::is_contained(OpTy::getAttributeNames(), "dilations"));
}

template <typename OpTy>
static Operation *drawMaxPooling(Draft &draft, const Cell &cell, uint32_t,
                                 Value input) {
  auto inputType = cast<RankedTensorType>(input.getType());
  Windows windows = drawWindows<OpTy>(draft, inputType.getShape());
  SmallVector<Type> results = {inputType.clone(windows.shape)};
  // In a graph, the input may be known within bounds only, and then the indices
  // of the maxima are unknown.
  bool hasIndices = cell.types.size() > 2;
  if (hasIndices && draft.random.oneIn(2) && !draft.isGraph)
    results.push_back(RankedTensorType::get(
        windows.shape,
        getElementType(cell.types.back(), draft.builder.getContext())));
  return OpTy::create(draft.builder, results, input,
                      windows.getAttributes<OpTy>(draft.builder));
}

static NamedAttribute drawIncludePadding(Draft &draft) {
  return draft.builder.getNamedAttr(
      "include_padding", draft.builder.getBoolAttr(draft.random.oneIn(2)));
}

static NamedAttribute drawDegree(Draft &draft) {
  int64_t degree = draft.random.oneIn(8) ? draft.random.between(4, 40)
                                         : draft.random.between(1, 3);
  return draft.builder.getNamedAttr("p",
                                    draft.builder.getI64IntegerAttr(degree));
}

/// Draws a pooling with one more attribute, which `drawMore` draws.
template <typename OpTy, NamedAttribute (*drawMore)(Draft &)>
static Operation *drawPooling(Draft &draft, const Cell &, uint32_t,
                              Value input) {
  auto inputType = cast<RankedTensorType>(input.getType());
  Windows windows = drawWindows<OpTy>(draft, inputType.getShape());
  SmallVector<NamedAttribute> attributes =
      windows.getAttributes<OpTy>(draft.builder);
  attributes.push_back(drawMore(draft));
  return OpTy::create(draft.builder, TypeRange(inputType.clone(windows.shape)),
                      input, attributes);
}

static Operation *drawQuantized(Draft &draft, const Cell &cell, uint32_t,
                                Value input) {
  using OpTy = QuantizedLinearAveragePoolingOp;
  Random &random = draft.random;
  MLIRContext *context = draft.builder.getContext();
  Windows windows = drawWindows<OpTy>(draft, getShape(input));
  // A parameter is one number for all channels, with any rank, or one number
  // per channel.
  auto addParameter = [&](unsigned index) {
    SmallVector<int64_t> shape(
        random.oneIn(2) ? random.between(1, 5) : cell.rank, 1);
    if (shape.size() > 1 && random.oneIn(2))
      shape[1] = windows.shape[1];
    return draft.addArgument(RankedTensorType::get(
        shape, getElementType(cell.types[index], context)));
  };
  Value inputScale = addParameter(1),
        inputZero = random.oneIn(3) ? Value() : addParameter(2),
        outputScale = addParameter(3),
        outputZero = random.oneIn(3) ? Value() : addParameter(4);
  return OpTy::create(
      draft.builder,
      RankedTensorType::get(windows.shape,
                            getElementType(cell.types.back(), context)),
      input, inputScale, inputZero, outputScale, outputZero, windows.strides,
      windows.size, windows.startPadding, windows.endPadding, windows.dilations,
      random.oneIn(2));
}

static Operation *drawAveragePoolingGrad(Draft &draft, const Cell &, uint32_t,
                                         Value input) {
  // Draws the attributes first; the sizes of the input gradient follow from
  // them and from the output gradient.
  Random &random = draft.random;
  auto inputType = cast<RankedTensorType>(input.getType());
  Windows windows(inputType.getRank());
  windows.shape.assign(inputType.getShape().begin(),
                       inputType.getShape().end());
  for (int64_t &size : MutableArrayRef(windows.shape).drop_front(2)) {
    windows.strides.push_back(random.between(1, 3));
    windows.size.push_back(random.oneIn(8) ? random.between(1, 20)
                                           : random.between(1, 4));
    int64_t padded = (size - 1) * windows.strides.back() + windows.size.back() +
                     random.between(0, windows.strides.back() - 1);
    auto drawPadding = [&](int64_t room) {
      return random.between(0, std::min(room, random.between(0, 4)));
    };
    windows.startPadding.push_back(drawPadding(padded - 1));
    windows.endPadding.push_back(
        drawPadding(padded - 1 - windows.startPadding.back()));
    size = padded - windows.startPadding.back() - windows.endPadding.back();
  }
  SmallVector<NamedAttribute> attributes =
      windows.getAttributes<AveragePoolingGradOp>(draft.builder);
  attributes.push_back(drawIncludePadding(draft));
  return AveragePoolingGradOp::create(draft.builder,
                                      TypeRange(inputType.clone(windows.shape)),
                                      input, attributes);
}

static Operation *drawMaxUnpooling(Draft &draft, const Cell &cell, uint32_t,
                                   Value input) {
  auto inputType = cast<RankedTensorType>(input.getType());
  Value indices = draft.addArgument(RankedTensorType::get(
      inputType.getShape(),
      getElementType(cell.types[1], draft.builder.getContext())));
  // The interpreter compares each place of the output with all indices.
  constexpr int64_t maxPairs = 1 << 24;
  SmallVector<int64_t> shape(inputType.getRank(), 1);
  int64_t room =
      std::min(draft.maxElements, maxPairs / inputType.getNumElements() + 1);
  for (unsigned dim : draft.drawOrder(shape.size())) {
    shape[dim] = draft.drawSize(room);
    room /= shape[dim];
  }
  return MaxUnpoolingOp::create(draft.builder, inputType.clone(shape), input,
                                indices);
}

/// Returns the sizes that the windows of `input` require, or nothing if no
/// window fits.
template <typename OpTy>
static std::optional<SmallVector<int64_t>> getFittingShape(OpTy op) {
  ArrayRef<int64_t> dilations = op.getDilations();
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!input)
    return std::nullopt;
  SmallVector<int64_t> shape(input.getShape());
  size_t numSpatial = op.getStrides().size();
  if (numSpatial + 2 != shape.size() ||
      op.getWindowSize().size() != numSpatial ||
      op.getStartPadding().size() != numSpatial ||
      op.getEndPadding().size() != numSpatial ||
      (!dilations.empty() && dilations.size() != numSpatial))
    return std::nullopt;
  for (size_t i = 0; i < numSpatial; ++i) {
    // The module is not verified here, so numbers may overflow; unsigned
    // numbers may wrap.
    auto at = [i](ArrayRef<int64_t> values) -> uint64_t {
      return values.empty() ? 1 : values[i];
    };
    uint64_t extent = 1 + (at(op.getWindowSize()) - 1) * at(dilations);
    uint64_t padded =
        shape[i + 2] + at(op.getStartPadding()) + at(op.getEndPadding());
    uint64_t steps = extent >= padded ? 0 : padded - extent;
    uint64_t size = steps / std::max<uint64_t>(at(op.getStrides()), 1) + 1;
    if (size > UINT32_MAX)
      return std::nullopt;
    shape[i + 2] = static_cast<int64_t>(size);
  }
  return shape;
}

/// Gives the results the sizes that the operator requires, since they are not
/// inferred.
template <typename OpTy> static void fitOutput(Operation *operation) {
  std::optional<SmallVector<int64_t>> shape =
      getFittingShape(cast<OpTy>(operation));
  if (!shape)
    return;
  for (Value result : operation->getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      result.setType(type.clone(*shape));
}

/// If the operand `input_gradient` is an argument, gives it the size that the
/// operator requires.
static void fitGradient(Operation *operation) {
  auto op = cast<MaxPoolingGradOp>(operation);
  auto argument = dyn_cast<BlockArgument>(op.getInputGradient());
  std::optional<SmallVector<int64_t>> shape = getFittingShape(op);
  if (!argument || !argument.hasOneUse() || !shape)
    return;
  argument.setType(
      cast<RankedTensorType>(op.getInput().getType()).clone(*shape));
}

void addPoolingOperators(Operators &operators) {
  Operator grad;
  grad.draw = drawMaxPoolingGrad;
  grad.getPurpose = [](OpOperand &operand) {
    return operand.getOperandNumber() == 0 ? Purpose::Order : Purpose::Add;
  };
  grad.needsExact = true;
  grad.refit = fitGradient;
  operators.add<MaxPoolingGradOp>(grad);

  Operator max;
  max.getPurpose = [](OpOperand &) { return Purpose::Order; };
  max.computes = [](StringRef) { return false; };
  max.draw = drawMaxPooling<MaxPooling2Op>;
  max.refit = fitOutput<MaxPooling2Op>;
  operators.add<MaxPooling2Op>(max);
  max.draw = drawMaxPooling<MaxPooling1Op>;
  max.refit = fitOutput<MaxPooling1Op>;
  operators.add<MaxPooling1Op>(max);
  max.draw = drawMaxPooling<MaxPoolingOp>;
  max.refit = fitOutput<MaxPoolingOp>;
  operators.add<MaxPoolingOp>(max);

  Operator average;
  // Half of the poolings average small integers, whose sums are exact.
  average.getPurpose = [](OpOperand &operand) {
    auto include =
        operand.getOwner()->getAttrOfType<BoolAttr>("include_padding");
    return include && include.getValue() ? Purpose::Compute : Purpose::Add;
  };
  average.draw = drawPooling<AveragePoolingOp, drawIncludePadding>;
  average.refit = fitOutput<AveragePoolingOp>;
  operators.add<AveragePoolingOp>(average);
  average.draw = drawPooling<AveragePooling1Op, drawIncludePadding>;
  average.refit = fitOutput<AveragePooling1Op>;
  operators.add<AveragePooling1Op>(average);
  average.draw = drawAveragePoolingGrad;
  average.refit = nullptr;
  operators.add<AveragePoolingGradOp>(average);

  Operator norm;
  norm.getPurpose = [](OpOperand &) { return Purpose::Compute; };
  norm.draw = drawPooling<LpPoolingOp, drawDegree>;
  norm.refit = fitOutput<LpPoolingOp>;
  operators.add<LpPoolingOp>(norm);
  norm.draw = drawPooling<LpPooling1Op, drawDegree>;
  norm.refit = fitOutput<LpPooling1Op>;
  operators.add<LpPooling1Op>(norm);

  Operator quantized;
  quantized.getPurpose = [](OpOperand &operand) {
    unsigned number = operand.getOperandNumber();
    auto type = cast<RankedTensorType>(operand.get().getType());
    return number > 0 && isa<FloatType>(type.getElementType())
               ? Purpose::Scale
               : Purpose::Compute;
  };
  quantized.draw = drawQuantized;
  quantized.refit = fitOutput<QuantizedLinearAveragePoolingOp>;
  operators.add<QuantizedLinearAveragePoolingOp>(quantized);

  Operator unpooling;
  unpooling.computes = [](StringRef) { return false; };
  unpooling.getPurpose = [](OpOperand &operand) {
    return operand.getOperandNumber() == 1 ? Purpose::Index : Purpose::Move;
  };
  unpooling.draw = drawMaxUnpooling;
  operators.add<MaxUnpoolingOp>(unpooling);
}

} // namespace dml::fuzz
