//===- PoolingOps.cpp - DirectML's pooling operators ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PoolingOps.h"
#include "OpUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/PoolingOps.cpp.inc"

void DMLDialect::registerPoolingOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/PoolingOps.cpp.inc"
      >();
}

/// Checks that the tensor `name`, which has an element for each window of the
/// tensor `inputName`, has the shape of the pooling's output. If `dilations` is
/// empty, all dilations are 1.
template <typename OpTy>
static LogicalResult
verifyWindows(std::optional<Location> location, StringRef name,
              RankedTensorType windows, StringRef inputName,
              RankedTensorType input, ArrayRef<int64_t> strides,
              ArrayRef<int64_t> windowSize, ArrayRef<int64_t> startPadding,
              ArrayRef<int64_t> endPadding, ArrayRef<int64_t> dilations) {
  if (windows.getRank() != input.getRank())
    return emitInferenceError<OpTy>(location, name, " has rank ",
                                    windows.getRank(), ", but ", inputName,
                                    " has rank ", input.getRank());
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    int64_t wanted = input.getDimSize(dim), wantedCeil = wanted;
    if (dim >= 2) {
      int64_t i = dim - 2;
      // Values are less than 2^32, but a product of two may need 64 bits.
      uint64_t dilation = dilations.empty() ? 1 : dilations[i];
      uint64_t extent = 1 + static_cast<uint64_t>(windowSize[i] - 1) * dilation;
      uint64_t padded = static_cast<uint64_t>(input.getDimSize(dim)) +
                        startPadding[i] + endPadding[i];
      uint64_t steps = extent >= padded ? 0 : padded - extent;
      wanted = steps / strides[i] + 1;
      wantedCeil = llvm::divideCeil(steps, strides[i]) + 1;
    }
    int64_t found = windows.getDimSize(dim);
    if (found == wanted || found == wantedCeil)
      continue;
    if (wanted == wantedCeil)
      return emitInferenceError<OpTy>(location, name, " has size ", found,
                                      " in dimension ", dim, ", but wants ",
                                      wanted);
    return emitInferenceError<OpTy>(
        location, name, " has size ", found, " in dimension ", dim,
        ", but wants ", wanted, " (or ", wantedCeil, ", rounded up)");
  }
  return success();
}

LogicalResult MaxPoolingGradOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  if (failed(verifyRanked<MaxPoolingGradOp>(location, adaptor.getOperands())))
    return failure();
  using Op = MaxPoolingGradOp;
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto gradient = cast<RankedTensorType>(adaptor.getInputGradient().getType());
  if (input.getRank() < 3)
    return emitInferenceError<Op>(
        location, "input has rank ", input.getRank(),
        ", but wants {N, C, H, W} or {N, C, D, H, W}");
  if (gradient.getElementType() != input.getElementType())
    return emitInferenceError<Op>(location, "input_gradient has element type ",
                                  gradient.getElementType(), ", but input has ",
                                  input.getElementType());
  if (failed(verifyArrays<Op>(location, context, adaptor)))
    return failure();

  if (failed(
          verifyWindows<Op>(location, "input_gradient", gradient, "input",
                            input, adaptor.getStrides(),
                            adaptor.getWindowSize(), adaptor.getStartPadding(),
                            adaptor.getEndPadding(), adaptor.getDilations())))
    return failure();
  inferredReturnTypes.push_back(input);
  return success();
}

//===----------------------------------------------------------------------===//
// Forward poolings
//===----------------------------------------------------------------------===//

/// Checks that `output` has one element for each window of `input`.
template <typename OpTy> static LogicalResult verifyOutput(OpTy op) {
  return verifyWindows<OpTy>(
      op.getLoc(), "output", getTensorType(op.getOutput()), "input",
      getTensorType(op.getInput()), op.getStrides(), op.getWindowSize(),
      op.getStartPadding(), op.getEndPadding(), op.getDilations());
}

LogicalResult AveragePooling1Op::verify() { return verifyOutput(*this); }
LogicalResult AveragePoolingOp::verify() { return verifyOutput(*this); }
LogicalResult LpPooling1Op::verify() { return verifyOutput(*this); }
LogicalResult LpPoolingOp::verify() { return verifyOutput(*this); }
LogicalResult MaxPooling1Op::verify() { return verifyOutput(*this); }
LogicalResult MaxPooling2Op::verify() { return verifyOutput(*this); }
LogicalResult MaxPoolingOp::verify() { return verifyOutput(*this); }

LogicalResult QuantizedLinearAveragePoolingOp::verify() {
  int64_t channels = getTensorType(getInput()).getDimSize(1);
  for (auto [name, tensor] : {std::pair("input_scale", getInputScale()),
                              {"input_zero_point", getInputZeroPoint()},
                              {"output_scale", getOutputScale()},
                              {"output_zero_point", getOutputZeroPoint()}}) {
    if (!tensor)
      continue;
    for (auto [dim, size] : llvm::enumerate(getTensorType(tensor).getShape())) {
      if (size == 1 || (dim == 1 && size == channels))
        continue;
      InFlightDiagnostic error = emitOpError()
                                 << name << " has size " << size
                                 << " in dimension " << dim << ", but wants 1";
      if (dim == 1 && channels != 1)
        error << " (or " << channels << ", input's number of channels)";
      return error;
    }
  }
  return verifyOutput(*this);
}

/// The newer versions have an attribute for dilations. Returns the attribute
/// with 1 for each dimension of `op`, which is what the older versions do.
template <typename OpTy>
static NamedAttribute getNoDilations(OpTy op, Builder &builder) {
  SmallVector<int64_t> dilations(op.getStrides().size(), 1);
  return builder.getNamedAttr("dilations",
                              builder.getDenseI64ArrayAttr(dilations));
}

/// Rewrites `op` as a `NewOp`, its newer version with dilations.
template <typename NewOp, typename OldOp>
static LogicalResult addDilations(OldOp op, PatternRewriter &rewriter) {
  return replaceByNewer<NewOp>(op, rewriter, getNoDilations(op, rewriter));
}

FailureOr<SmallVector<Value>> AveragePooling1Op::decompose(OpBuilder &builder) {
  return buildOlder<AveragePoolingOp>(*this, builder,
                                      getNoDilations(*this, builder));
}

FailureOr<SmallVector<Value>> LpPooling1Op::decompose(OpBuilder &builder) {
  return buildOlder<LpPoolingOp>(*this, builder,
                                 getNoDilations(*this, builder));
}

FailureOr<SmallVector<Value>> MaxPooling2Op::decompose(OpBuilder &builder) {
  NamedAttribute dilations = getNoDilations(*this, builder);
  if (getOutputIndices())
    return buildOlder<MaxPooling1Op>(*this, builder, dilations);
  return buildOlder<MaxPoolingOp>(*this, builder, dilations);
}

void AveragePoolingOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *) {
  patterns.add(addDilations<AveragePooling1Op, AveragePoolingOp>);
}
void LpPoolingOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  patterns.add(addDilations<LpPooling1Op, LpPoolingOp>);
}
void MaxPooling1Op::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *) {
  patterns.add(addDilations<MaxPooling2Op, MaxPooling1Op>);
}
void MaxPoolingOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *) {
  patterns.add(addDilations<MaxPooling2Op, MaxPoolingOp>);
}

//===----------------------------------------------------------------------===//
// Back from windows
//===----------------------------------------------------------------------===//

LogicalResult AveragePoolingGradOp::verify() {
  return verifyWindows<AveragePoolingGradOp>(
      getLoc(), "input_gradient", getTensorType(getInputGradient()),
      "output_gradient", getTensorType(getOutputGradient()), getStrides(),
      getWindowSize(), getStartPadding(), getEndPadding(), getDilations());
}
