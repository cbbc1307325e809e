//===- NormalizationOps.cpp - DirectML's normalizations -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/NormalizationOps.h"
#include "OpUtils.h"
#include "dml/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/NormalizationOps.cpp.inc"

void DMLDialect::registerNormalizationOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/NormalizationOps.cpp.inc"
      >();
}

/// Checks the operands whose sizes may differ from those of the first operand:
/// they must have its rank, and in each dimension its size or 1.
static LogicalResult verifyRepeated(FeatureLevelOpInterface op) {
  SmallVector<FeatureLevelOpInterface::Tensor> tensors = op.getTensors();
  auto input = cast<RankedTensorType>(tensors.front().type);
  for (const FeatureLevelOpInterface::Tensor &tensor :
       ArrayRef(tensors).drop_front()) {
    if (tensor.info->isResult ||
        tensor.info->shapeGroup == tensors.front().info->shapeGroup)
      continue;
    auto type = cast<RankedTensorType>(tensor.type);
    if (type.getRank() != input.getRank())
      return op->emitOpError()
             << tensor.getName() << " has rank " << type.getRank()
             << ", but input has rank " << input.getRank();
    for (auto [dim, found, wanted] :
         llvm::enumerate(type.getShape(), input.getShape()))
      if (found != wanted && found != 1)
        return op->emitOpError()
               << tensor.getName() << " has size " << found << " in dimension "
               << dim << ", but wants 1 or " << wanted << ", as input has";
  }
  return success();
}

/// Verifies a normalization. If the operator's table has a fused activation,
/// also verifies this attribute.
template <typename OpTy> static LogicalResult verifyNormalization(OpTy op) {
  if (failed(verifyRepeated(cast<FeatureLevelOpInterface>(op.getOperation()))))
    return failure();
  return dml::detail::verifyFusedActivation(
      op, op->template getAttrOfType<ActivationAttr>("fused_activation"));
}

#define DML_NORMALIZATION(Op)                                                  \
  LogicalResult Op::verify() { return verifyNormalization(*this); }
DML_NORMALIZATION(BatchNormalizationGradOp)
DML_NORMALIZATION(BatchNormalizationOp)
DML_NORMALIZATION(BatchNormalizationTrainingGradOp)
DML_NORMALIZATION(BatchNormalizationTrainingOp)
DML_NORMALIZATION(MeanVarianceNormalizationOp)
DML_NORMALIZATION(MeanVarianceNormalization1Op)
DML_NORMALIZATION(MeanVarianceNormalization2Op)
#undef DML_NORMALIZATION

//===----------------------------------------------------------------------===//
// Forms that older levels have
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
BatchNormalizationOp::decompose(OpBuilder &builder) {
  if (getSpatial())
    return failure();
  auto copy = cast<BatchNormalizationOp>(builder.clone(*getOperation()));
  copy.setSpatial(true);
  return SmallVector<Value>{copy.getOutput()};
}

/// If only one of `scale` and `bias` is present, adds the other one. Repeats
/// both to the input's size in the dimensions `wholeDims`.
template <typename OpTy>
static FailureOr<SmallVector<Value>>
completeScaleAndBias(OpTy op, OpBuilder &builder, ArrayRef<int64_t> wholeDims) {
  Value scale = op.getScale(), bias = op.getBias();
  if (!scale && !bias)
    return failure();
  auto input = cast<RankedTensorType>(op.getInput().getType());
  // A number that is multiplied by 1 and added to -0 keeps its bits. Adding 0
  // would change -0 to 0.
  auto complete = [&](Value tensor, Value other, double neutral) -> Value {
    if (!tensor) {
      auto type = cast<RankedTensorType>(other.getType());
      tensor = arith::ConstantOp::create(
          builder, op.getLoc(),
          DenseElementsAttr::get(
              type, builder.getFloatAttr(type.getElementType(), neutral)));
    }
    SmallVector<int64_t> repeats(input.getRank(), 1);
    for (int64_t dim : wholeDims)
      repeats[dim] = input.getDimSize(dim) /
                     cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
    if (llvm::all_of(repeats, [](int64_t count) { return count == 1; }))
      return tensor;
    return TileOp::create(builder, op.getLoc(), tensor, repeats);
  };
  Value wholeScale = complete(scale, bias, 1),
        wholeBias = complete(bias, scale, -0.0);
  if (wholeScale == scale && wholeBias == bias)
    return failure();
  auto copy = cast<OpTy>(builder.clone(*op.getOperation()));
  copy.getScaleMutable().assign(wholeScale);
  copy.getBiasMutable().assign(wholeBias);
  return SmallVector<Value>{copy.getOutput()};
}

FailureOr<SmallVector<Value>>
MeanVarianceNormalizationOp::decompose(OpBuilder &builder) {
  return completeScaleAndBias(*this, builder, {});
}

FailureOr<SmallVector<Value>>
MeanVarianceNormalization1Op::decompose(OpBuilder &builder) {
  SmallVector<int64_t> channels;
  if (cast<RankedTensorType>(getInput().getType()).getRank() > 1)
    channels.push_back(1);
  return completeScaleAndBias(*this, builder, channels);
}

FailureOr<SmallVector<Value>>
MeanVarianceNormalization2Op::decompose(OpBuilder &builder) {
  return buildOlder<MeanVarianceNormalization1Op>(
      *this, builder,
      {builder.getNamedAttr("use_mean", builder.getBoolAttr(true)),
       builder.getNamedAttr("use_variance", getUseVarianceAttr())},
      builder.getNamedAttr("normalize_variance", getUseVarianceAttr()));
}

//===----------------------------------------------------------------------===//
// Newer versions
//===----------------------------------------------------------------------===//

static LogicalResult addAxes(MeanVarianceNormalizationOp op,
                             PatternRewriter &rewriter) {
  SmallVector<int64_t> axes = {2, 3};
  if (op.getCrossChannel())
    axes.insert(axes.begin(), 1);
  return replaceByNewer<MeanVarianceNormalization1Op>(
      op, rewriter,
      rewriter.getNamedAttr("axes", rewriter.getDenseI64ArrayAttr(axes)),
      {"cross_channel"});
}

static LogicalResult addUseMean(MeanVarianceNormalization1Op op,
                                PatternRewriter &rewriter) {
  return replaceByNewer<MeanVarianceNormalization2Op>(
      op, rewriter,
      {rewriter.getNamedAttr("use_mean", rewriter.getBoolAttr(true)),
       rewriter.getNamedAttr("use_variance", op.getNormalizeVarianceAttr())},
      {"normalize_variance"});
}

void MeanVarianceNormalizationOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(addAxes);
}

void MeanVarianceNormalization1Op::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(addUseMean);
}
