//===- ContractionOps.cpp - Drawing sums of products ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ContractionOps.h"
#include "Testing/Programs/Axes.h"
#include "Testing/Programs/ElementWiseDraws.h"

using namespace mlir;

namespace dml::fuzz {

/// The limit on the multiplications of one operation, because the interpreter
/// is slow.
static constexpr int64_t maxProducts = 2000000;

/// The limit on the filter elements that one operation visits, those outside of
/// the input included. A backward convolution visits the whole filter for each
/// element of its output, though most of the filter lies outside of a small
/// input. For example, an image of 2 x 4 and a filter of 170 x 166 make an
/// output of 339 x 165 elements, which visit 1.6 billion filter elements per
/// channel.
static constexpr int64_t maxSteps = 20000000;

static int64_t countElements(ArrayRef<int64_t> shape) {
  return *reference::getNumElements(shape);
}

/// Changes the type of a value if it is an argument with one use.
static void refit(Value value, RankedTensorType type) {
  auto argument = dyn_cast_if_present<BlockArgument>(value);
  if (argument && argument.hasOneUse())
    argument.setType(type);
}

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Scales and zero points
//===----------------------------------------------------------------------===//

/// Draws the scales and zero points of an operator on quantized numbers. All of
/// them have the same rank.
class ParameterDrawer {
public:
  /// `tensorRank` is the rank of the operator's tensors, which the parameters
  /// may have at every feature level.
  ParameterDrawer(Draft &draft, const Cell &cell,
                  const OperatorSupport &support, int64_t tensorRank)
      : draft(draft), cell(cell), support(support), rank(tensorRank) {
    if (getTargetFeatureLevel(*draft.module) == newestFeatureLevel &&
        draft.random.oneIn(4))
      rank = draft.random.between(1, 4);
  }

  /// Draws the operand `name`: one number, or sometimes `size` numbers along
  /// the dimension that is `fromEnd`-th from the end.
  Value draw(StringRef name, int64_t fromEnd = 0, int64_t size = 1) {
    SmallVector<int64_t> shape(rank, 1);
    if (fromEnd > 0 && fromEnd <= rank && draft.random.oneIn(2))
      shape[rank - fromEnd] = size;
    return draft.addArgument(RankedTensorType::get(shape, getType(name)));
  }
  /// Draws the operand `name` like `draw`, or sometimes nothing.
  Value drawOptional(StringRef name, int64_t fromEnd = 0, int64_t size = 1) {
    return draft.random.oneIn(3) ? Value() : draw(name, fromEnd, size);
  }
  /// Returns the element type of the tensor `name` in the cell.
  Type getType(StringRef name) const {
    for (auto [info, type] : llvm::zip_equal(support.tensors, cell.types))
      if (info.name == name)
        return getElementType(type, draft.builder.getContext());
    llvm_unreachable("no such tensor");
  }

private:
  Draft &draft;
  const Cell &cell;
  const OperatorSupport &support;
  int64_t rank;
};

/// If a scale or a zero point is an argument, gives it the number of elements
/// that its operator requires.
static void refitParameter(Value value, int64_t fromEnd = 0, int64_t size = 1) {
  if (!value)
    return;
  RankedTensorType type = getTensorType(value);
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, found] : llvm::enumerate(shape))
    if (found != 1)
      found = type.getRank() - static_cast<int64_t>(dim) == fromEnd ? size : 1;
  refit(value, type.clone(shape));
}

/// The first operand gets numbers of all kinds, whose sums wrap around or
/// saturate. The other integers are small, so that errors in sums show. Scales
/// are moderate.
static Purpose getQuantizedPurpose(OpOperand &operand) {
  if (isa<FloatType>(getTensorType(operand.get()).getElementType()))
    return Purpose::Scale;
  return operand.getOperandNumber() == 0 ? Purpose::Compute : Purpose::Add;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// Draws a divisor of `n`: often 1, sometimes `n` itself.
static int64_t drawDivisor(Random &random, int64_t n) {
  if (random.oneIn(2))
    return 1;
  int64_t divisor = random.oneIn(2) ? n : random.between(1, n);
  while (n % divisor != 0)
    --divisor;
  return divisor;
}

namespace {
/// The shapes and attributes of a convolution, which fit its input.
struct DrawnConvolution {
  SmallVector<int64_t> filter, output;
  SmallVector<int64_t> strides, dilations, start, end, outputPadding;
  int64_t groups;
};
} // namespace

/// Draws the attributes, and the sizes of the filter that the input does not
/// determine.
static DrawnConvolution drawWindows(Draft &draft, ArrayRef<int64_t> shape,
                                    bool isForward) {
  Random &random = draft.random;
  size_t numSpatial = shape.size() - 2;
  DrawnConvolution drawn;
  int64_t groups = drawn.groups = drawDivisor(random, shape[1]);
  // The filter is {filters, channels per group} forward, and {channels, filters
  // per group} backward.
  int64_t perGroup =
      random.oneIn(8) ? random.between(1, 40) : random.between(1, 4);
  drawn.filter = {shape[1], perGroup};
  if (isForward)
    drawn.filter = {groups * perGroup, shape[1] / groups};
  drawn.output = {shape[0], groups * perGroup};

  // `products` counts the multiplications of the whole input with the filter
  // dimensions that are drawn so far.
  int64_t products = countElements(shape) * perGroup;
  // `steps` counts the filter elements that the elements of the output visit,
  // for the dimensions that are drawn so far.
  int64_t steps = countElements(drawn.output) * shape[1] / groups;
  for (size_t i = 0; i < numSpatial; ++i) {
    int64_t size = shape[i + 2];
    int64_t stride = random.oneIn(2) ? 1 : random.between(1, 4);
    int64_t dilation = random.oneIn(2) ? 1 : random.between(1, 3);
    int64_t most = std::clamp<int64_t>(
        maxProducts / std::max<int64_t>(products, 1), 1, 300);
    int64_t filter = random.oneIn(16)
                         ? random.between(1, most)
                         : random.between(1, std::min<int64_t>(most, 4));
    auto isTooLarge = [&] {
      int64_t output = (size - 1) * stride + 1 + (filter - 1) * dilation;
      return !isForward && steps * filter > maxSteps / output;
    };
    if (isTooLarge())
      stride = dilation = 1;
    while (filter > 1 && isTooLarge())
      filter /= 2;
    int64_t extent = 1 + (filter - 1) * dilation;
    int64_t before = random.oneIn(2) ? 0 : random.between(0, 4);
    int64_t after = random.oneIn(2) ? before : random.between(0, 4);
    int64_t more = 0;
    if (isForward) {
      // The padded input must be at least as large as the filter.
      before += std::max<int64_t>(extent - size - before - after, 0);
      drawn.output.push_back((size + before + after - extent) / stride + 1);
    } else {
      int64_t room = (size - 1) * stride + extent - 1;
      before = std::min(before, room / 2);
      after = std::min(after, room / 2);
      more = random.oneIn(3) ? random.between(0, 3) : 0;
      drawn.output.push_back(room + 1 - before - after + more);
    }
    drawn.strides.push_back(stride);
    drawn.dilations.push_back(dilation);
    drawn.start.push_back(before);
    drawn.end.push_back(after);
    drawn.outputPadding.push_back(more);
    drawn.filter.push_back(filter);
    products *= filter;
    steps *= filter * drawn.output.back();
  }
  return drawn;
}

/// Draws a bias of type `type`, or none.
static Value drawBias(Draft &draft, Type type, const DrawnConvolution &drawn) {
  if (draft.random.oneIn(2))
    return {};
  SmallVector<int64_t> shape(drawn.output.size(), 1);
  shape[1] = drawn.output[1];
  return draft.addArgument(RankedTensorType::get(shape, type));
}

static Operation *drawConvolution(Draft &draft, const Cell &, uint32_t mode,
                                  Value input) {
  RankedTensorType type = getTensorType(input);
  auto direction = static_cast<ConvolutionDirection>(mode);
  DrawnConvolution drawn = drawWindows(
      draft, type.getShape(), direction == ConvolutionDirection::forward);
  Value filter = draft.addArgument(type.clone(drawn.filter));
  Value bias = drawBias(draft, type.getElementType(), drawn);
  auto flip = draft.random.oneIn(2) ? ConvolutionMode::convolution
                                    : ConvolutionMode::cross_correlation;
  auto activation = drawFusedActivation<ConvolutionOp>(draft);
  return ConvolutionOp::create(draft.builder, input, filter, bias, flip,
                               direction, drawn.strides, drawn.dilations,
                               drawn.start, drawn.end, drawn.outputPadding,
                               drawn.groups, activation);
}

static Operation *drawIntegerConvolution(Draft &draft, const Cell &cell,
                                         uint32_t, Value input) {
  int64_t rank = getTensorType(input).getRank();
  DrawnConvolution drawn =
      drawWindows(draft, getShape(input), /*isForward=*/true);
  ParameterDrawer parameters(draft, cell,
                             ConvolutionIntegerOp::getOperatorSupport(), rank);
  Value inputZero = parameters.drawOptional("input_zero_point"),
        filter = draft.addArgument(
            RankedTensorType::get(drawn.filter, parameters.getType("filter"))),
        filterZero = parameters.drawOptional("filter_zero_point", rank - 1,
                                             drawn.output[1]);
  return ConvolutionIntegerOp::create(
      draft.builder,
      RankedTensorType::get(drawn.output, parameters.getType("output")), input,
      inputZero, filter, filterZero, drawn.strides, drawn.dilations,
      drawn.start, drawn.end, drawn.groups);
}

static Operation *drawQuantizedConvolution(Draft &draft, const Cell &cell,
                                           uint32_t, Value input) {
  int64_t rank = getTensorType(input).getRank();
  DrawnConvolution drawn =
      drawWindows(draft, getShape(input), /*isForward=*/true);
  int64_t channels = drawn.output[1];
  ParameterDrawer parameters(
      draft, cell, QuantizedLinearConvolutionOp::getOperatorSupport(), rank);
  Value inputScale = parameters.draw("input_scale"),
        inputZero = parameters.drawOptional("input_zero_point"),
        filter = draft.addArgument(
            RankedTensorType::get(drawn.filter, parameters.getType("filter"))),
        filterScale = parameters.draw("filter_scale", rank - 1, channels),
        filterZero =
            parameters.drawOptional("filter_zero_point", rank - 1, channels),
        bias = drawBias(draft, parameters.getType("bias"), drawn),
        outputScale = parameters.draw("output_scale"),
        outputZero = parameters.drawOptional("output_zero_point");
  return QuantizedLinearConvolutionOp::create(
      draft.builder,
      RankedTensorType::get(drawn.output, parameters.getType("output")), input,
      inputScale, inputZero, filter, filterScale, filterZero, bias, outputScale,
      outputZero, drawn.strides, drawn.dilations, drawn.start, drawn.end,
      drawn.groups);
}

/// Gives the channels that the input requires to a filter and a bias that are
/// arguments. Returns the sizes of the filter, or none if nothing fits.
template <typename OpTy>
static SmallVector<int64_t> fitFilter(OpTy op, bool isForward) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto filterType = dyn_cast<RankedTensorType>(op.getFilter().getType());
  int64_t groups = op.getGroupCount();
  if (!input || !filterType || input.getRank() < 3 || groups < 1 ||
      filterType.getRank() != input.getRank() ||
      input.getDimSize(1) % groups != 0)
    return {};
  SmallVector<int64_t> shape(filterType.getShape());
  if (isForward) {
    shape[0] = std::max<int64_t>(shape[0] / groups, 1) * groups;
    shape[1] = input.getDimSize(1) / groups;
  } else {
    shape[0] = input.getDimSize(1);
  }
  refit(op.getFilter(), filterType.clone(shape));
  return shape;
}
template <typename OpTy>
static void fitBias(OpTy op, int64_t rank, int64_t channels) {
  Value bias = op.getBias();
  if (!bias)
    return;
  SmallVector<int64_t> shape(rank, 1);
  shape[1] = channels;
  refit(bias, getTensorType(bias).clone(shape));
}

static void refitConvolution(Operation *operation) {
  auto op = cast<ConvolutionOp>(operation);
  bool isForward = op.getDirection() == ConvolutionDirection::forward;
  SmallVector<int64_t> filter = fitFilter(op, isForward);
  if (!filter.empty())
    fitBias(op, filter.size(),
            isForward ? filter[0]
                      : filter[1] * static_cast<int64_t>(op.getGroupCount()));
}

/// Does the same as refitConvolution for convolutions of integers, whose result
/// types are not inferred.
template <typename OpTy> static void refitIntegers(Operation *operation) {
  auto op = cast<OpTy>(operation);
  SmallVector<int64_t> filter = fitFilter(op, /*isForward=*/true);
  ArrayRef<int64_t> input = getShape(op.getInput());
  if (filter.empty() || op.getStrides().size() != input.size() - 2 ||
      op.getDilations().size() != input.size() - 2 ||
      op.getStartPadding().size() != input.size() - 2 ||
      op.getEndPadding().size() != input.size() - 2)
    return;
  int64_t rank = input.size();
  SmallVector<int64_t> output = {input[0], filter[0]};
  for (int64_t i = 0; i < rank - 2; ++i) {
    int64_t room = input[i + 2] + op.getStartPadding()[i] +
                   op.getEndPadding()[i] -
                   (filter[i + 2] - 1) * op.getDilations()[i] - 1;
    if (room < 0 || op.getStrides()[i] < 1)
      return;
    output.push_back(room / op.getStrides()[i] + 1);
  }
  op.getOutput().setType(getTensorType(op.getOutput()).clone(output));
  refitParameter(op.getFilterZeroPoint(), rank - 1, filter[0]);
  if constexpr (std::is_same_v<OpTy, QuantizedLinearConvolutionOp>) {
    refitParameter(op.getFilterScale(), rank - 1, filter[0]);
    fitBias(op, rank, filter[0]);
  }
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// Draws the number of columns of the second matrix, for a first matrix of
/// shape `shape`.
static int64_t drawColumns(Draft &draft, ArrayRef<int64_t> shape) {
  return draft.drawSize(
      std::clamp<int64_t>(maxProducts / countElements(shape), 1, 1000));
}

/// Draws an activation for a product of rank `rank`: sometimes a softmax, which
/// not every feature level fuses. `isMatrix` is set if the product is a single
/// matrix.
static ActivationAttr drawGemmActivation(Draft &draft, size_t rank,
                                         bool isMatrix) {
  MLIRContext *context = draft.builder.getContext();
  if (getTargetFeatureLevel(*draft.module) < FeatureLevel::fl_6_1 ||
      !draft.random.oneIn(4))
    return drawFusedActivation<GemmOp>(draft);
  if (isMatrix && draft.random.oneIn(2))
    return ActivationAttr::get(context, ActivationFunction::softmax,
                               DictionaryAttr::get(context));
  return ActivationAttr::get(
      context, ActivationFunction::softmax1,
      draft.builder.getDictionaryAttr(draft.builder.getNamedAttr(
          "axes", draft.builder.getDenseI64ArrayAttr(drawAxes(draft, rank)))));
}

static Operation *drawGemm(Draft &draft, const Cell &, uint32_t mode, Value a) {
  Random &random = draft.random;
  RankedTensorType type = getTensorType(a);
  auto transA = static_cast<MatrixTransform>(mode);
  auto transB =
      random.oneIn(2) ? MatrixTransform::transpose : MatrixTransform::none;
  SmallVector<int64_t> shape(type.getShape());
  int64_t last = shape.size() - 1;
  int64_t terms = shape[last], rows = shape[last - 1];
  if (transA == MatrixTransform::transpose)
    std::swap(terms, rows);
  int64_t columns = drawColumns(draft, shape);
  shape[last - 1] = transB == MatrixTransform::transpose ? columns : terms;
  shape[last] = transB == MatrixTransform::transpose ? terms : columns;
  // Sometimes a matrix is multiplied by itself.
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
  bool isMatrix = llvm::product_of(ArrayRef(shape).drop_back(2)) == 1;
  APFloat alpha(random.pick(ArrayRef(factors)));
  APFloat beta(random.pick(ArrayRef(factors)));
  auto activation = drawGemmActivation(draft, shape.size(), isMatrix);
  return GemmOp::create(draft.builder, a, b, c, transA, transB, alpha, beta,
                        activation);
}

/// Draws a matrix product of integers. `create` draws the scales and zero
/// points, and builds the operation from `a`, `b` and the type of the output.
static Operation *
drawProduct(Draft &draft, const Cell &cell, const OperatorSupport &support,
            Value a,
            llvm::function_ref<Operation *(ParameterDrawer &parameters, Value b,
                                           RankedTensorType output)>
                create) {
  SmallVector<int64_t> shape(getShape(a));
  ParameterDrawer parameters(draft, cell, support, shape.size());
  int64_t last = shape.size() - 1, rows = shape[last - 1];
  int64_t columns = drawColumns(draft, shape);
  shape[last - 1] = shape[last];
  shape[last] = columns;
  Value b =
      draft.addArgument(RankedTensorType::get(shape, parameters.getType("b")));
  shape[last - 1] = rows;
  return create(parameters, b,
                RankedTensorType::get(shape, parameters.getType("output")));
}

static Operation *drawIntegerProduct(Draft &draft, const Cell &cell, uint32_t,
                                     Value a) {
  return drawProduct(
      draft, cell, MatrixMultiplyIntegerOp::getOperatorSupport(), a,
      [&](ParameterDrawer &parameters, Value b, RankedTensorType output) {
        int64_t rows = output.getShape().drop_back().back(),
                columns = output.getShape().back();
        Value aZero = parameters.drawOptional("a_zero_point", 2, rows),
              bZero = parameters.drawOptional("b_zero_point", 1, columns);
        return MatrixMultiplyIntegerOp::create(draft.builder, output, a, aZero,
                                               b, bZero);
      });
}

static Operation *drawQuantizedProduct(Draft &draft, const Cell &cell, uint32_t,
                                       Value a) {
  return drawProduct(
      draft, cell, QuantizedLinearMatrixMultiplyOp::getOperatorSupport(), a,
      [&](ParameterDrawer &parameters, Value b, RankedTensorType output) {
        int64_t rows = output.getShape().drop_back().back(),
                columns = output.getShape().back();
        Value aScale = parameters.draw("a_scale", 2, rows),
              aZero = parameters.drawOptional("a_zero_point", 2, rows),
              bScale = parameters.draw("b_scale", 1, columns),
              bZero = parameters.drawOptional("b_zero_point", 1, columns),
              scale = parameters.draw("output_scale", 2, rows),
              zero = parameters.drawOptional("output_zero_point", 2, rows);
        return QuantizedLinearMatrixMultiplyOp::create(draft.builder, output, a,
                                                       aScale, aZero, b, bScale,
                                                       bZero, scale, zero);
      });
}

static Operation *drawFloatProduct(Draft &draft, const Cell &cell, uint32_t,
                                   Value a) {
  return drawProduct(
      draft, cell, MatrixMultiplyIntegerToFloatOp::getOperatorSupport(), a,
      [&](ParameterDrawer &parameters, Value b, RankedTensorType output) {
        int64_t rows = output.getShape().drop_back().back(),
                columns = output.getShape().back();
        Value aScale = parameters.draw("a_scale", 2, rows),
              aZero = parameters.drawOptional("a_zero_point", 2, rows),
              bScale = parameters.draw("b_scale", 1, columns),
              bZero = parameters.drawOptional("b_zero_point", 1, columns);
        Value bias =
            draft.random.oneIn(2) ? Value() : draft.addArgument(output);
        return MatrixMultiplyIntegerToFloatOp::create(
            draft.builder, output, a, aScale, aZero, b, bScale, bZero, bias);
      });
}

/// Only products of 8-bit integers may mix types.
static bool acceptsFloatProduct(const Cell &cell) {
  auto isNarrow = [](DataType type) {
    return type == DataType::INT8 || type == DataType::UINT8;
  };
  DataType a = cell.types[0], b = cell.types[3];
  return a == b || (isNarrow(a) && isNarrow(b));
}

/// The numbers of rows and columns of a product.
template <typename OpTy>
static std::optional<std::pair<int64_t, int64_t>>
fitSecond(OpTy op, bool transA, bool transB) {
  auto a = dyn_cast<RankedTensorType>(op.getA().getType());
  auto b = dyn_cast<RankedTensorType>(op.getB().getType());
  if (!a || !b || a.getRank() < 2 || b.getRank() != a.getRank())
    return std::nullopt;
  SmallVector<int64_t> shape(a.getShape());
  int64_t last = shape.size() - 1;
  int64_t rows = shape[transA ? last : last - 1],
          terms = shape[transA ? last - 1 : last],
          columns = b.getDimSize(transB ? last - 1 : last);
  shape[last - 1] = transB ? columns : terms;
  shape[last] = transB ? terms : columns;
  refit(op.getB(), b.clone(shape));
  return std::pair(rows, columns);
}

/// Gives the sizes that the first matrix requires to a second and a third
/// matrix that are arguments.
static void refitMatrices(Operation *operation) {
  auto op = cast<GemmOp>(operation);
  auto sizes = fitSecond(op, op.getTransA() == MatrixTransform::transpose,
                         op.getTransB() == MatrixTransform::transpose);
  if (!sizes || !op.getC())
    return;
  SmallVector<int64_t> shape(getShape(op.getA()).drop_back(2));
  shape.append({sizes->first, sizes->second});
  refit(op.getC(), getTensorType(op.getC()).clone(shape));
}

/// Does the same as refitMatrices for products of integers, whose result types
/// are not inferred.
template <typename OpTy> static void refitProduct(Operation *operation) {
  auto op = cast<OpTy>(operation);
  auto sizes = fitSecond(op, /*transA=*/false, /*transB=*/false);
  if (!sizes)
    return;
  auto [rows, columns] = *sizes;
  SmallVector<int64_t> shape(getShape(op.getA()).drop_back(2));
  shape.append({rows, columns});
  op.getOutput().setType(getTensorType(op.getOutput()).clone(shape));
  refitParameter(op.getAZeroPoint(), 2, rows);
  refitParameter(op.getBZeroPoint(), 1, columns);
  if constexpr (!std::is_same_v<OpTy, MatrixMultiplyIntegerOp>) {
    refitParameter(op.getAScale(), 2, rows);
    refitParameter(op.getBScale(), 1, columns);
  }
  if constexpr (std::is_same_v<OpTy, QuantizedLinearMatrixMultiplyOp>) {
    refitParameter(op.getOutputScale(), 2, rows);
    refitParameter(op.getOutputZeroPoint(), 2, rows);
  }
  if constexpr (std::is_same_v<OpTy, MatrixMultiplyIntegerToFloatOp>)
    if (op.getBias())
      refit(op.getBias(), getTensorType(op.getOutput()));
}

void addContractionOperators(Operators &operators) {
  // Small integers have exact sums, which show every missing product; numbers
  // of all kinds test the error bounds. An attribute of the operator selects
  // the kind: the mode of a convolution, and the second transform of a product.
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
  convolution.refit = refitConvolution;
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
  gemm.refit = refitMatrices;
  operators.add<GemmOp>(gemm);

  // Sums of integers are exact at any magnitude, so all integers are drawn.
  Operator integers;
  integers.getPurpose = [](OpOperand &) { return Purpose::Compute; };
  integers.draw = drawIntegerConvolution;
  integers.refit = refitIntegers<ConvolutionIntegerOp>;
  operators.add<ConvolutionIntegerOp>(integers);
  integers.draw = drawIntegerProduct;
  integers.refit = refitProduct<MatrixMultiplyIntegerOp>;
  operators.add<MatrixMultiplyIntegerOp>(integers);

  Operator quantized;
  quantized.getPurpose = getQuantizedPurpose;
  quantized.draw = drawQuantizedConvolution;
  quantized.refit = refitIntegers<QuantizedLinearConvolutionOp>;
  operators.add<QuantizedLinearConvolutionOp>(quantized);
  quantized.draw = drawQuantizedProduct;
  quantized.refit = refitProduct<QuantizedLinearMatrixMultiplyOp>;
  operators.add<QuantizedLinearMatrixMultiplyOp>(quantized);
  quantized.draw = drawFloatProduct;
  quantized.accepts = acceptsFloatProduct;
  quantized.refit = refitProduct<MatrixMultiplyIntegerToFloatOp>;
  operators.add<MatrixMultiplyIntegerToFloatOp>(quantized);
}

} // namespace dml::fuzz
