//===- ContractionOps.cpp - Sums of products ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ContractionOps.h"
#include "OpUtils.h"
#include "dml/IR/SoftmaxOps.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/ContractionOps.cpp.inc"

void DMLDialect::registerContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/ContractionOps.cpp.inc"
      >();
}

/// Checks that the tensor `name` has the rank of the tensor `firstName`.
template <typename OpTy>
static LogicalResult verifyRank(std::optional<Location> location,
                                StringRef name, RankedTensorType type,
                                StringRef firstName, RankedTensorType first) {
  if (type.getRank() == first.getRank())
    return success();
  return emitInferenceError<OpTy>(location, name, " has rank ", type.getRank(),
                                  ", but ", firstName, " has rank ",
                                  first.getRank());
}

/// Checks that the tensor `name` has the element type and the rank of the
/// tensor `firstName`.
template <typename OpTy>
static LogicalResult verifyLike(std::optional<Location> location,
                                StringRef name, RankedTensorType type,
                                StringRef firstName, RankedTensorType first) {
  if (type.getElementType() != first.getElementType())
    return emitInferenceError<OpTy>(location, name, " has element type ",
                                    type.getElementType(), ", but ", firstName,
                                    " has ", first.getElementType());
  return verifyRank<OpTy>(location, name, type, firstName, first);
}

/// Checks that the output of `op` has the shape `shape`.
template <typename OpTy>
static LogicalResult verifyOutputShape(OpTy op, ArrayRef<int64_t> shape) {
  RankedTensorType found = getTensorType(op.getOutput());
  if (found.getShape() == shape)
    return success();
  return op.emitOpError() << "output has type " << found << ", but wants "
                          << found.clone(shape);
}

//===----------------------------------------------------------------------===//
// Scales and zero points
//===----------------------------------------------------------------------===//

namespace {
/// The constraint on a scale or a zero point: one number, or `size` numbers
/// along the dimension that is `fromEnd`-th from the end, where 1 is the last
/// dimension.
struct QuantizationParameter {
  StringRef name;
  Value tensor;
  int64_t fromEnd = 0, size = 1;
  /// The name, in messages, of the objects of which there are `size`, such as
  /// rows.
  StringRef things = "";
};
} // namespace

static LogicalResult
verifyParameters(Operation *op, ArrayRef<QuantizationParameter> parameters) {
  for (const QuantizationParameter &parameter : parameters) {
    if (!parameter.tensor)
      continue;
    RankedTensorType type = getTensorType(parameter.tensor);
    for (auto [dim, found] : llvm::enumerate(type.getShape())) {
      bool isSpread =
          type.getRank() - static_cast<int64_t>(dim) == parameter.fromEnd;
      if (found == 1 || (isSpread && found == parameter.size))
        continue;
      InFlightDiagnostic diagnostic = op->emitOpError();
      diagnostic << parameter.name << " has size " << found << " in dimension "
                 << dim << ", but wants 1";
      if (isSpread)
        diagnostic << " or " << parameter.size << ", the number of "
                   << parameter.things;
      return diagnostic;
    }
  }
  return success();
}

/// Checks that all present parameters have the same rank.
static LogicalResult
verifySameRank(Operation *op, ArrayRef<QuantizationParameter> parameters) {
  const QuantizationParameter *first = nullptr;
  for (const QuantizationParameter &parameter : parameters) {
    if (!parameter.tensor)
      continue;
    if (!first)
      first = &parameter;
    int64_t found = getTensorType(parameter.tensor).getRank(),
            wanted = getTensorType(first->tensor).getRank();
    if (found != wanted)
      return op->emitOpError()
             << parameter.name << " has rank " << found << ", but "
             << first->name << " has rank " << wanted;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// The attributes that determine the sizes of a convolution's output.
struct Windows {
  ArrayRef<int64_t> strides, dilations, start, end;
  int64_t groups;
  /// The output padding of the backward direction. The forward direction has
  /// none.
  ArrayRef<int64_t> outputPadding = {};
  bool isForward = true;
};
} // namespace

/// Infers the shape of the output.
template <typename OpTy>
static LogicalResult
inferConvolution(std::optional<Location> location, RankedTensorType input,
                 RankedTensorType filter, const Windows &windows,
                 SmallVectorImpl<int64_t> &shape) {
  int64_t groups = windows.groups;
  int64_t channels = input.getDimSize(1);
  if (filter.getDimSize(0) % groups != 0)
    return emitInferenceError<OpTy>(
        location, "filter has size ", filter.getDimSize(0),
        " in dimension 0, but wants a multiple of group_count, which is ",
        groups);
  // Sizes and counts are less than 2^32, so that a product of two does not
  // overflow.
  uint64_t other = static_cast<uint64_t>(filter.getDimSize(1)) *
                   static_cast<uint64_t>(groups);
  uint64_t wanted = windows.isForward ? other : filter.getDimSize(0);
  if (static_cast<uint64_t>(channels) != wanted)
    return emitInferenceError<OpTy>(
        location, "input has ", channels, " channels, but filter wants ",
        wanted,
        windows.isForward ? ", its size in dimension 1 times group_count"
                          : ", its size in dimension 0");

  uint64_t outputChannels = windows.isForward ? filter.getDimSize(0) : other;
  if (failed(verifyOutputSize<OpTy>(location, 1, outputChannels)))
    return failure();
  shape.assign({input.getDimSize(0), static_cast<int64_t>(outputChannels)});
  for (int64_t i = 0, e = input.getRank() - 2; i < e; ++i) {
    // A size plus a product of two numbers below 2^32, and the differences of
    // such sums, need up to 66 bits.
    __int128 size = input.getDimSize(i + 2), stride = windows.strides[i],
             extent = 1 + static_cast<__int128>(filter.getDimSize(i + 2) - 1) *
                              windows.dilations[i],
             padding = static_cast<__int128>(windows.start[i]) + windows.end[i];
    int64_t more = windows.outputPadding.empty() ? 0 : windows.outputPadding[i];
    __int128 result;
    if (windows.isForward) {
      if (more != 0)
        return emitInferenceError<OpTy>(
            location, "output_padding[", i, "] is ", more,
            ", but wants 0: only direction backward pads its output");
      if (extent > size + padding)
        return emitInferenceError<OpTy>(
            location, "filter extends over ", static_cast<uint64_t>(extent),
            " elements in dimension ", i + 2, ", but the padded input has ",
            static_cast<uint64_t>(size + padding));
      result = (size + padding - extent) / stride + 1;
    } else {
      result = (size - 1) * stride + extent + more - padding;
      if (result < 1)
        return emitInferenceError<OpTy>(
            location, "output would have no elements in dimension ", i + 2,
            ": the padding cuts ", static_cast<uint64_t>(padding), " of ",
            static_cast<uint64_t>(result + padding));
    }
    uint64_t saturated = result > UINT64_MAX ? UINT64_MAX : result;
    if (failed(verifyOutputSize<OpTy>(location, i + 2, saturated)))
      return failure();
    shape.push_back(static_cast<int64_t>(saturated));
  }
  return success();
}

/// Checks the shape of a bias, which must have the rank of the output.
template <typename OpTy>
static LogicalResult verifyBias(std::optional<Location> location,
                                RankedTensorType bias, int64_t channels) {
  for (auto [dim, found] : llvm::enumerate(bias.getShape())) {
    int64_t wanted = dim == 1 ? channels : 1;
    if (found != wanted)
      return emitInferenceError<OpTy>(
          location, "bias has size ", found, " in dimension ", dim,
          ", but wants ", wanted, dim == 1 ? ", the output's channels" : "");
  }
  return success();
}

LogicalResult ConvolutionOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  if (failed(verifyRanked<ConvolutionOp>(location, adaptor.getOperands())))
    return failure();
  using Op = ConvolutionOp;
  RankedTensorType input = getTensorType(adaptor.getInput()),
                   filter = getTensorType(adaptor.getFilter());
  if (input.getRank() < 3)
    return emitInferenceError<Op>(
        location, "input has rank ", input.getRank(),
        ", but wants {N, C, W}, {N, C, H, W} or {N, C, D, H, W}");
  if (failed(verifyLike<Op>(location, "filter", filter, "input", input)) ||
      failed(verifyArrays<Op>(location, context, adaptor)))
    return failure();
  SmallVector<int64_t> shape;
  if (failed(inferConvolution<Op>(
          location, input, filter,
          {adaptor.getStrides(), adaptor.getDilations(),
           adaptor.getStartPadding(), adaptor.getEndPadding(),
           static_cast<int64_t>(adaptor.getGroupCount()),
           adaptor.getOutputPadding(),
           adaptor.getDirection() == ConvolutionDirection::forward},
          shape)))
    return failure();
  if (Value value = adaptor.getBias()) {
    RankedTensorType bias = getTensorType(value);
    if (failed(verifyLike<Op>(location, "bias", bias, "input", input)) ||
        failed(verifyBias<Op>(location, bias, shape[1])))
      return failure();
  }
  inferredReturnTypes.push_back(input.clone(shape));
  return success();
}

LogicalResult ConvolutionOp::verify() {
  return detail::verifyFusedActivation(*this, getFusedActivationAttr());
}

/// Checks a convolution of integers, apart from its scales and its bias.
/// Tensors and arrays have already been checked against the feature level.
template <typename OpTy> static LogicalResult verifyConvolution(OpTy op) {
  RankedTensorType input = getTensorType(op.getInput()),
                   filter = getTensorType(op.getFilter());
  SmallVector<int64_t> shape;
  if (failed(verifyRank<OpTy>(op.getLoc(), "filter", filter, "input", input)) ||
      failed(inferConvolution<OpTy>(op.getLoc(), input, filter,
                                    {op.getStrides(), op.getDilations(),
                                     op.getStartPadding(), op.getEndPadding(),
                                     static_cast<int64_t>(op.getGroupCount())},
                                    shape)))
    return failure();
  return verifyOutputShape(op, shape);
}

LogicalResult ConvolutionIntegerOp::verify() {
  if (failed(verifyConvolution(*this)))
    return failure();
  RankedTensorType output = getTensorType(getOutput());
  QuantizationParameter parameters[] = {
      {"input_zero_point", getInputZeroPoint()},
      {"filter_zero_point", getFilterZeroPoint(), output.getRank() - 1,
       output.getDimSize(1), "output channels"}};
  if (failed(verifyParameters(*this, parameters)))
    return failure();
  return verifySameRank(*this, parameters);
}

LogicalResult QuantizedLinearConvolutionOp::verify() {
  if (failed(verifyConvolution(*this)))
    return failure();
  RankedTensorType output = getTensorType(getOutput());
  if (Value value = getBias()) {
    using Op = QuantizedLinearConvolutionOp;
    RankedTensorType bias = getTensorType(value);
    if (failed(verifyRank<Op>(getLoc(), "bias", bias, "output", output)) ||
        failed(verifyBias<Op>(getLoc(), bias, output.getDimSize(1))))
      return failure();
  }
  int64_t fromEnd = output.getRank() - 1, channels = output.getDimSize(1);
  return verifyParameters(*this, {{"input_scale", getInputScale()},
                                  {"input_zero_point", getInputZeroPoint()},
                                  {"filter_scale", getFilterScale(), fromEnd,
                                   channels, "output channels"},
                                  {"filter_zero_point", getFilterZeroPoint(),
                                   fromEnd, channels, "output channels"},
                                  {"output_scale", getOutputScale()},
                                  {"output_zero_point", getOutputZeroPoint()}});
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// Infers the shape of the output. The ranks are equal and at least 2.
template <typename OpTy>
static LogicalResult inferProduct(std::optional<Location> location,
                                  RankedTensorType a, RankedTensorType b,
                                  bool transA, bool transB,
                                  SmallVectorImpl<int64_t> &shape) {
  int64_t row = a.getRank() - 2;
  for (int64_t dim = 0; dim < row; ++dim)
    if (a.getDimSize(dim) != b.getDimSize(dim))
      return emitInferenceError<OpTy>(location, "b has size ",
                                      b.getDimSize(dim), " in dimension ", dim,
                                      ", but a has ", a.getDimSize(dim),
                                      " there (the operator does not "
                                      "broadcast)");
  int64_t columns = a.getDimSize(transA ? row : row + 1);
  int64_t rows = b.getDimSize(transB ? row + 1 : row);
  if (columns != rows)
    return emitInferenceError<OpTy>(
        location, "a has ", columns,
        transA ? " columns, transposed, but b has " : " columns, but b has ",
        rows, transB ? " rows, transposed" : " rows");
  shape.assign(a.getShape().begin(), a.getShape().end());
  shape[row] = a.getDimSize(transA ? row + 1 : row);
  shape[row + 1] = b.getDimSize(transB ? row : row + 1);
  return success();
}

LogicalResult
GemmOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                         Adaptor adaptor,
                         SmallVectorImpl<Type> &inferredReturnTypes) {
  if (failed(verifyRanked<GemmOp>(location, adaptor.getOperands())))
    return failure();
  using Op = GemmOp;
  RankedTensorType a = getTensorType(adaptor.getA()),
                   b = getTensorType(adaptor.getB());
  if (a.getRank() < 2)
    return emitInferenceError<Op>(location, "a has rank ", a.getRank(),
                                  ", but wants {..., M, K}");
  SmallVector<int64_t> shape;
  if (failed(verifyLike<Op>(location, "b", b, "a", a)) ||
      failed(inferProduct<Op>(
          location, a, b, adaptor.getTransA() == MatrixTransform::transpose,
          adaptor.getTransB() == MatrixTransform::transpose, shape)))
    return failure();
  inferredReturnTypes.push_back(a.clone(shape));
  return success();
}

std::optional<SmallVector<int64_t>> GemmOp::getSoftmaxAxes() {
  ActivationAttr activation = getFusedActivationAttr();
  if (!activation)
    return std::nullopt;
  if (activation.getValue() == ActivationFunction::softmax)
    return SmallVector<int64_t>{getTensorType(getOutput()).getRank() - 1};
  if (activation.getValue() == ActivationFunction::softmax1)
    return llvm::to_vector(activation.getParameters()
                               .getAs<DenseI64ArrayAttr>("axes")
                               .asArrayRef());
  return std::nullopt;
}

LogicalResult GemmOp::verify() {
  ActivationAttr activation = getFusedActivationAttr();
  if (!getSoftmaxAxes())
    return success();
  // The constraints on the attributes and the input of the activation's
  // operator also apply to a fused activation.
  RankedTensorType output = getTensorType(getOutput());
  if (activation.getValue() == ActivationFunction::softmax)
    return detail::verifyMatrix(*this, "output", output);
  OperationName softmax("dml." + activation.getOperatorName(), getContext());
  return verifyArrays(
      {getLoc(), getOperationName(), *dml::getOperatorSupport(softmax),
       activation.getParameters(),
       [&](StringRef) -> std::optional<int64_t> { return output.getRank(); }});
}

FailureOr<SmallVector<Value>> GemmOp::decompose(OpBuilder &builder) {
  std::optional<SmallVector<int64_t>> axes = getSoftmaxAxes();
  if (!axes)
    return failure();
  bool isMatrix =
      getFusedActivationAttr().getValue() == ActivationFunction::softmax;
  auto product = cast<GemmOp>(builder.clone(*getOperation()));
  product.removeFusedActivationAttr();
  // The older version of the operator has no axes.
  if (isMatrix)
    return SmallVector<Value>{ActivationSoftmaxOp::create(
        builder, getLoc(), getType(), product.getOutput())};
  return SmallVector<Value>{ActivationSoftmax1Op::create(
      builder, getLoc(), getType(), product.getOutput(), *axes)};
}

/// Checks the matrices of an integer product.
template <typename OpTy> static LogicalResult verifyProduct(OpTy op) {
  RankedTensorType a = getTensorType(op.getA()), b = getTensorType(op.getB());
  SmallVector<int64_t> shape;
  if (failed(verifyRank<OpTy>(op.getLoc(), "b", b, "a", a)) ||
      failed(inferProduct<OpTy>(op.getLoc(), a, b, /*transA=*/false,
                                /*transB=*/false, shape)))
    return failure();
  return verifyOutputShape(op, shape);
}

/// Returns the constraint for a parameter with one number, or with one number
/// for each row or column of `output`.
static QuantizationParameter getRowParameter(StringRef name, Value tensor,
                                             Value output) {
  return {name, tensor, 2, getTensorType(output).getShape().drop_back().back(),
          "rows"};
}
static QuantizationParameter getColumnParameter(StringRef name, Value tensor,
                                                Value output) {
  return {name, tensor, 1, getTensorType(output).getShape().back(), "columns"};
}

LogicalResult MatrixMultiplyIntegerOp::verify() {
  if (failed(verifyProduct(*this)))
    return failure();
  return verifyParameters(
      *this,
      {getRowParameter("a_zero_point", getAZeroPoint(), getOutput()),
       getColumnParameter("b_zero_point", getBZeroPoint(), getOutput())});
}

LogicalResult QuantizedLinearMatrixMultiplyOp::verify() {
  if (failed(verifyProduct(*this)))
    return failure();
  Value output = getOutput();
  QuantizationParameter parameters[] = {
      getRowParameter("a_scale", getAScale(), output),
      getRowParameter("a_zero_point", getAZeroPoint(), output),
      getColumnParameter("b_scale", getBScale(), output),
      getColumnParameter("b_zero_point", getBZeroPoint(), output),
      getRowParameter("output_scale", getOutputScale(), output),
      getRowParameter("output_zero_point", getOutputZeroPoint(), output)};
  if (failed(verifyParameters(*this, parameters)))
    return failure();
  return verifySameRank(*this, parameters);
}

LogicalResult MatrixMultiplyIntegerToFloatOp::verify() {
  if (failed(verifyProduct(*this)))
    return failure();
  Type a = getTensorType(getA()).getElementType(),
       b = getTensorType(getB()).getElementType();
  if (a != b && (!a.isInteger(8) || !b.isInteger(8)))
    return emitOpError() << "b has element type " << b << ", but a has " << a
                         << "; only integers of 8 bits mix";
  Value output = getOutput();
  QuantizationParameter parameters[] = {
      getRowParameter("a_scale", getAScale(), output),
      getRowParameter("a_zero_point", getAZeroPoint(), output),
      getColumnParameter("b_scale", getBScale(), output),
      getColumnParameter("b_zero_point", getBZeroPoint(), output)};
  if (failed(verifyParameters(*this, parameters)))
    return failure();
  return verifySameRank(*this, parameters);
}
