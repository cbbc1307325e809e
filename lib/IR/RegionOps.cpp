//===- RegionOps.cpp - DirectML's pooling of regions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RegionOps.h"
#include "OpUtils.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/RegionOps.cpp.inc"

void DMLDialect::registerRegionOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/RegionOps.cpp.inc"
      >();
}

LogicalResult RoiPoolingOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &inferred) {
  if (failed(verifyRanked<RoiPoolingOp>(location, adaptor.getOperands())) ||
      failed(verifyArrays<RoiPoolingOp>(location, context, adaptor)))
    return failure();
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  if (input.getRank() != 4)
    return emitInferenceError<RoiPoolingOp>(
        location, "input has rank ", input.getRank(), ", but wants rank 4");
  auto roi = cast<RankedTensorType>(adaptor.getRoi().getType());
  if (roi.getRank() != 4 || roi.getDimSize(0) != 1 || roi.getDimSize(1) != 1 ||
      roi.getDimSize(3) != 5)
    return emitInferenceError<RoiPoolingOp>(location, "roi has type ", roi,
                                            ", but wants the sizes 1x1xRx5");
  ArrayRef<int64_t> bins = adaptor.getPooledSize();
  inferred.push_back(
      input.clone({roi.getDimSize(2), input.getDimSize(1), bins[0], bins[1]}));
  return success();
}

/// Verifies that the sizes of `tensor` are `wanted`, possibly with leading 1s.
static LogicalResult verifySizes(Operation *op, StringRef name, Value tensor,
                                 ArrayRef<int64_t> wanted) {
  ArrayRef<int64_t> found = cast<RankedTensorType>(tensor.getType()).getShape();
  if (found.size() >= wanted.size() &&
      found.take_back(wanted.size()) == wanted &&
      llvm::all_of(found.drop_back(wanted.size()),
                   [](int64_t size) { return size == 1; }))
    return success();
  InFlightDiagnostic error = op->emitOpError();
  error << name << " has type " << tensor.getType() << ", but wants the sizes ";
  llvm::interleave(wanted, error, "x");
  return error << " with leading 1s";
}

/// Verifies the constraints that all operators with sampled regions have in
/// common. `outputs` is the tensor with one element for each output.
template <typename OpTy>
static LogicalResult verifySampling(OpTy op, StringRef inputName, Value input,
                                    StringRef outputsName, Value outputs) {
  if (op.getReductionFunction() != ReduceFunction::average &&
      op.getReductionFunction() != ReduceFunction::max)
    return op.emitOpError()
           << "reduction_function is "
           << stringifyReduceFunction(op.getReductionFunction())
           << ", but wants average or max";
  if (op.getMinimumSamplesPerOutput() > op.getMaximumSamplesPerOutput())
    return op.emitOpError() << "minimum_samples_per_output is "
                            << op.getMinimumSamplesPerOutput()
                            << ", but maximum_samples_per_output is "
                            << op.getMaximumSamplesPerOutput();
  std::pair<StringRef, Value> planes[] = {{inputName, input},
                                          {outputsName, outputs}};
  for (auto [name, tensor] : planes)
    if (int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
        rank != 4)
      return op.emitOpError()
             << name << " has rank " << rank << ", but wants rank 4";
  auto inputType = cast<RankedTensorType>(input.getType()),
       type = cast<RankedTensorType>(outputs.getType());
  int64_t regions = type.getDimSize(0);
  if (failed(verifySizes(op, "roi", op.getRoi(), {regions, 4})) ||
      failed(verifySizes(op, "batch_indices", op.getBatchIndices(), regions)))
    return failure();
  if (type.getDimSize(1) != inputType.getDimSize(1))
    return op.emitOpError()
           << outputsName << " has " << type.getDimSize(1) << " channels, but "
           << inputName << " has " << inputType.getDimSize(1);
  return success();
}

LogicalResult RoiAlignOp::verify() {
  return verifySampling(*this, "input", getInput(), "output", getOutput());
}
LogicalResult RoiAlign1Op::verify() {
  return verifySampling(*this, "input", getInput(), "output", getOutput());
}
LogicalResult RoiAlignGradOp::verify() {
  if (!getOutputGradient() && !getOutputRoiGradient())
    return emitOpError("has no results, but wants output_gradient or "
                       "output_roi_gradient");
  bool isMax = getReductionFunction() == ReduceFunction::max;
  if (!getInput() && (isMax || getOutputRoiGradient()))
    return emitOpError("has no input, but wants one where ")
           << (isMax ? "reduction_function is max"
                     : "there is an output_roi_gradient");
  return verifySampling(*this, getInput() ? "input" : "output_gradient",
                        getInput() ? getInput() : getOutputGradient(),
                        "input_gradient", getInputGradient());
}

/// The newer version has attributes for the offsets and the alignment. Returns
/// the attributes with which it computes what the older version does.
static std::array<NamedAttribute, 3> getOldOffsets(Builder &builder) {
  return {
      builder.getNamedAttr("input_pixel_offset", builder.getF32FloatAttr(0.5f)),
      builder.getNamedAttr("output_pixel_offset",
                           builder.getF32FloatAttr(-0.5f)),
      builder.getNamedAttr("align_regions_to_corners",
                           builder.getBoolAttr(false))};
}

static LogicalResult addOffsets(RoiAlignOp op, PatternRewriter &rewriter) {
  return replaceByNewer<RoiAlign1Op>(op, rewriter, getOldOffsets(rewriter));
}

FailureOr<SmallVector<Value>> RoiAlign1Op::decompose(OpBuilder &builder) {
  return buildOlder<RoiAlignOp>(*this, builder, getOldOffsets(builder));
}

void RoiAlignOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *) {
  patterns.add(addOffsets);
}
