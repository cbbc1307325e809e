//===- ContractionOps.cpp - Drawing sums of products ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ContractionOps.h"
#include "Operators.h"

using namespace mlir;

namespace dml::fuzz {

/// Products that a result may be made of, in all: the interpreter is slow.
static constexpr int64_t maxProducts = 2000000;

static int64_t countElements(ArrayRef<int64_t> shape) {
  return *reference::getNumElements(shape);
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// A divisor of `n`: often 1, sometimes `n` itself.
static int64_t drawDivisor(Random &random, int64_t n) {
  if (random.oneIn(2))
    return 1;
  int64_t divisor = random.oneIn(2) ? n : random.between(1, n);
  while (n % divisor != 0)
    --divisor;
  return divisor;
}

/// Draws what fits the input: of the filter, the sizes that it leaves open.
static Operation *drawConvolution(Draft &draft, const Cell &, uint32_t mode,
                                  Value input) {
  Random &random = draft.random;
  auto type = cast<RankedTensorType>(input.getType());
  ArrayRef<int64_t> shape = type.getShape();
  auto direction = static_cast<ConvolutionDirection>(mode);
  bool isForward = direction == ConvolutionDirection::forward;
  size_t numSpatial = shape.size() - 2;
  int64_t groups = drawDivisor(random, shape[1]);
  // Forward, {filters, channels a group}; backward, {channels, filters a
  // group}.
  int64_t perGroup =
      random.oneIn(8) ? random.between(1, 40) : random.between(1, 4);
  SmallVector<int64_t> filterShape = {shape[1], perGroup};
  if (isForward)
    filterShape = {groups * perGroup, shape[1] / groups};
  int64_t outputChannels = groups * perGroup;

  SmallVector<int64_t> strides, dilations, start, end, outputPadding;
  int64_t products = shape[0] * filterShape[0] * filterShape[1];
  for (size_t i = 0; i < numSpatial; ++i) {
    int64_t size = shape[i + 2];
    int64_t stride = random.oneIn(2) ? 1 : random.between(1, 4);
    int64_t dilation = random.oneIn(2) ? 1 : random.between(1, 3);
    int64_t most = std::clamp<int64_t>(
        maxProducts / std::max<int64_t>(products, 1) / size, 1, 300);
    int64_t filter = random.oneIn(16)
                         ? random.between(1, most)
                         : random.between(1, std::min<int64_t>(most, 4));
    int64_t extent = 1 + (filter - 1) * dilation;
    int64_t before = random.oneIn(2) ? 0 : random.between(0, 4);
    int64_t after = random.oneIn(2) ? before : random.between(0, 4);
    int64_t more = 0;
    if (isForward) {
      // The filter has to fit.
      before += std::max<int64_t>(extent - size - before - after, 0);
    } else {
      int64_t room = (size - 1) * stride + extent - 1;
      before = std::min(before, room / 2);
      after = std::min(after, room / 2);
      more = random.oneIn(3) ? random.between(0, 3) : 0;
    }
    strides.push_back(stride);
    dilations.push_back(dilation);
    start.push_back(before);
    end.push_back(after);
    outputPadding.push_back(more);
    filterShape.push_back(filter);
    products *= size * filter;
  }
  Value filter = draft.addArgument(type.clone(filterShape));
  Value bias;
  if (random.oneIn(2)) {
    SmallVector<int64_t> biasShape(shape.size(), 1);
    biasShape[1] = outputChannels;
    bias = draft.addArgument(type.clone(biasShape));
  }
  return ConvolutionOp::create(
      draft.builder, input, filter, bias,
      random.oneIn(2) ? ConvolutionMode::convolution
                      : ConvolutionMode::cross_correlation,
      direction, strides, dilations, start, end, outputPadding, groups);
}

/// Gives a filter and a bias that are arguments the channels that the input
/// asks for.
static void fitFilter(Operation *operation) {
  auto op = cast<ConvolutionOp>(operation);
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto filterType = dyn_cast<RankedTensorType>(op.getFilter().getType());
  int64_t groups = op.getGroupCount();
  if (!input || !filterType || input.getRank() < 3 || groups < 1 ||
      filterType.getRank() != input.getRank() ||
      input.getDimSize(1) % groups != 0)
    return;
  SmallVector<int64_t> shape(filterType.getShape());
  bool isForward = op.getDirection() == ConvolutionDirection::forward;
  if (isForward) {
    shape[0] = std::max<int64_t>(shape[0] / groups, 1) * groups;
    shape[1] = input.getDimSize(1) / groups;
  } else {
    shape[0] = input.getDimSize(1);
  }
  auto refit = [](Value value, RankedTensorType type) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.hasOneUse())
      argument.setType(type);
  };
  refit(op.getFilter(), input.clone(shape));
  if (!op.getBias())
    return;
  SmallVector<int64_t> biasShape(shape.size(), 1);
  biasShape[1] = isForward ? shape[0] : shape[1] * groups;
  refit(op.getBias(), input.clone(biasShape));
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

static Operation *drawGemm(Draft &draft, const Cell &, uint32_t mode, Value a) {
  Random &random = draft.random;
  auto type = cast<RankedTensorType>(a.getType());
  auto transA = static_cast<MatrixTransform>(mode);
  auto transB =
      random.oneIn(2) ? MatrixTransform::transpose : MatrixTransform::none;
  SmallVector<int64_t> shape(type.getShape());
  int64_t last = shape.size() - 1;
  int64_t terms = shape[last], rows = shape[last - 1];
  if (transA == MatrixTransform::transpose)
    std::swap(terms, rows);
  int64_t products = countElements(shape);
  int64_t columns =
      draft.drawSize(std::clamp<int64_t>(maxProducts / products, 1, 1000));
  shape[last - 1] = transB == MatrixTransform::transpose ? columns : terms;
  shape[last] = transB == MatrixTransform::transpose ? terms : columns;
  // A matrix may be multiplied by itself.
  Value b = type.getShape() == ArrayRef(shape) && random.oneIn(3)
                ? a
                : draft.addArgument(type.clone(shape));
  Value c;
  if (random.oneIn(2)) {
    shape[last - 1] = rows;
    shape[last] = columns;
    c = draft.addArgument(type.clone(shape));
  }
  static constexpr float factors[] = {1.0f, 1.0f, 1.0f,   0.5f, -1.0f,
                                      2.0f, 0.0f, 0.125f, 0.1f};
  return GemmOp::create(draft.builder, a, b, c, transA, transB,
                        APFloat(random.pick(ArrayRef(factors))),
                        APFloat(random.pick(ArrayRef(factors))));
}

/// Gives a second and a third matrix that are arguments the sizes that the
/// first one asks for.
static void fitMatrices(Operation *operation) {
  auto op = cast<GemmOp>(operation);
  auto a = dyn_cast<RankedTensorType>(op.getA().getType());
  auto b = dyn_cast<RankedTensorType>(op.getB().getType());
  if (!a || !b || a.getRank() < 2 || b.getRank() != a.getRank())
    return;
  SmallVector<int64_t> shape(a.getShape());
  int64_t last = shape.size() - 1;
  bool transA = op.getTransA() == MatrixTransform::transpose,
       transB = op.getTransB() == MatrixTransform::transpose;
  int64_t rows = shape[transA ? last : last - 1],
          terms = shape[transA ? last - 1 : last],
          columns = b.getDimSize(transB ? last - 1 : last);
  auto refit = [&](Value value, int64_t height, int64_t width) {
    auto argument = dyn_cast_if_present<BlockArgument>(value);
    if (!argument || !argument.hasOneUse())
      return;
    shape[last - 1] = height;
    shape[last] = width;
    argument.setType(a.clone(shape));
  };
  refit(op.getB(), transB ? columns : terms, transB ? terms : columns);
  refit(op.getC(), rows, columns);
}

void addContractionOperators(Operators &operators) {
  // Sums of small integers are exact, and show what was left out; those of
  // other numbers show what bounds allow. One mode has these, the other those.
  Operator convolution;
  convolution.draw = drawConvolution;
  convolution.modeAttribute = "direction";
  convolution.numModes = 2;
  convolution.stringifyMode = [](uint32_t mode) {
    return stringifyConvolutionDirection(
        static_cast<ConvolutionDirection>(mode));
  };
  convolution.getPurpose = [](OpOperand &operand) {
    auto op = cast<ConvolutionOp>(operand.getOwner());
    return op.getMode() == ConvolutionMode::convolution ? Purpose::Compute
                                                        : Purpose::Add;
  };
  convolution.refit = fitFilter;
  operators.add<ConvolutionOp>(convolution);

  Operator gemm;
  gemm.draw = drawGemm;
  gemm.modeAttribute = "trans_a";
  gemm.numModes = 2;
  gemm.stringifyMode = [](uint32_t mode) {
    return stringifyMatrixTransform(static_cast<MatrixTransform>(mode));
  };
  gemm.getPurpose = [](OpOperand &operand) {
    auto op = cast<GemmOp>(operand.getOwner());
    return op.getTransB() == MatrixTransform::transpose ? Purpose::Compute
                                                        : Purpose::Add;
  };
  gemm.refit = fitMatrices;
  operators.add<GemmOp>(gemm);
}

} // namespace dml::fuzz
