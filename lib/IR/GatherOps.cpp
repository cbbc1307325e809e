//===- GatherOps.cpp - DirectML's gathers ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/GatherOps.h"
#include "OpUtils.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/GatherOps.cpp.inc"

void DMLDialect::registerGatherOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/GatherOps.cpp.inc"
      >();
}

/// Checks that `indices` has the same rank as `input`.
template <typename OpTy>
static LogicalResult verifyIndicesRank(std::optional<Location> location,
                                       RankedTensorType input,
                                       RankedTensorType indices) {
  if (indices.getRank() == input.getRank())
    return success();
  return emitInferenceError<OpTy>(location, "indices has rank ",
                                  indices.getRank(), ", but input has rank ",
                                  input.getRank());
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  if (failed(verifyRanked<GatherOp>(location, adaptor.getOperands())))
    return failure();
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  if (failed(verifyArrays<GatherOp>(location, context, adaptor)) ||
      failed(verifyIndicesRank<GatherOp>(location, input, indices)))
    return failure();
  auto rank = input.getRank(), axis = static_cast<int64_t>(adaptor.getAxis()),
       count = static_cast<int64_t>(adaptor.getIndexDimensions());
  if (count > axis + 1)
    return emitInferenceError<GatherOp>(
        location, "index_dimensions is ", count, ", but only ", axis + 1,
        " find a place before the dimensions after axis ", axis);
  for (int64_t dim = 0; dim < rank - count; ++dim)
    if (indices.getDimSize(dim) != 1)
      return emitInferenceError<GatherOp>(
          location, "indices has size ", indices.getDimSize(dim),
          " in dimension ", dim, ", but wants 1 before its last ", count,
          " dimensions");
  for (int64_t dim = 0; dim < count - 1; ++dim)
    if (input.getDimSize(dim) != 1)
      return emitInferenceError<GatherOp>(
          location, "input has size ", input.getDimSize(dim), " in dimension ",
          dim, ", which finds no place in output");
  SmallVector<int64_t> shape;
  if (count == 0)
    shape.push_back(1);
  for (int64_t dim = std::max<int64_t>(count - 1, 0); dim < axis; ++dim)
    shape.push_back(input.getDimSize(dim));
  llvm::append_range(shape, indices.getShape().take_back(count));
  llvm::append_range(shape, input.getShape().drop_front(axis + 1));
  inferred.push_back(input.clone(shape));
  return success();
}

LogicalResult GatherElementsOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  if (failed(verifyRanked<GatherElementsOp>(location, adaptor.getOperands())))
    return failure();
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  if (failed(verifyArrays<GatherElementsOp>(location, context, adaptor)) ||
      failed(verifyIndicesRank<GatherElementsOp>(location, input, indices)))
    return failure();
  for (auto [dim, found, wanted] :
       llvm::enumerate(indices.getShape(), input.getShape()))
    if (dim != static_cast<size_t>(adaptor.getAxis()) && found != wanted)
      return emitInferenceError<GatherElementsOp>(
          location, "indices has size ", found, " in dimension ", dim,
          ", but input has ", wanted, " there");
  inferred.push_back(input.clone(indices.getShape()));
  return success();
}

template <typename OpTy>
static LogicalResult
inferGatherNd(MLIRContext *context, std::optional<Location> location,
              typename OpTy::Adaptor adaptor, int64_t batch,
              SmallVectorImpl<Type> &inferred) {
  if (failed(verifyRanked<OpTy>(location, adaptor.getOperands())))
    return failure();
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  if (failed(verifyArrays<OpTy>(location, context, adaptor)) ||
      failed(verifyIndicesRank<OpTy>(location, input, indices)))
    return failure();
  SmallVector<int64_t> shape;
  if (failed(inferSliceShape<OpTy>(
          location, input.getShape(), indices.getShape(),
          static_cast<int64_t>(adaptor.getInputDimensionCount()),
          static_cast<int64_t>(adaptor.getIndicesDimensionCount()), batch,
          "output", shape)))
    return failure();
  inferred.push_back(input.clone(shape));
  return success();
}

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  return inferGatherNd<GatherNdOp>(context, location, adaptor, /*batch=*/0,
                                   inferred);
}

LogicalResult GatherNd1Op::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  return inferGatherNd<GatherNd1Op>(
      context, location, adaptor,
      static_cast<int64_t>(adaptor.getBatchDimensionCount()), inferred);
}

LogicalResult OneHotOp::verify() {
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto values = cast<RankedTensorType>(getValues().getType());
  auto output = cast<RankedTensorType>(getOutput().getType());
  for (auto [name, type] : {std::pair("values", values), {"output", output}})
    if (type.getRank() != indices.getRank())
      return emitOpError() << name << " has rank " << type.getRank()
                           << ", but indices has rank " << indices.getRank();
  if (values.getNumElements() < 2)
    return emitOpError() << "values has " << values.getNumElements()
                         << " element, but wants at least 2";
  auto axis = static_cast<size_t>(getAxis());
  if (indices.getDimSize(axis) != 1)
    return emitOpError() << "indices has size " << indices.getDimSize(axis)
                         << " in dimension " << axis
                         << ", but wants 1 along axis";
  for (auto [dim, found, wanted] :
       llvm::enumerate(output.getShape(), indices.getShape()))
    if (dim != axis && found != wanted)
      return emitOpError() << "output has size " << found << " in dimension "
                           << dim << ", but indices has " << wanted << " there";
  return success();
}

/// The newer version has an attribute for batch dimensions. Returns the
/// attribute of none.
static NamedAttribute getNoBatch(Builder &builder) {
  return builder.getNamedAttr("batch_dimension_count",
                              builder.getI64IntegerAttr(0));
}

static LogicalResult addBatch(GatherNdOp op, PatternRewriter &rewriter) {
  return replaceByNewer<GatherNd1Op>(op, rewriter, getNoBatch(rewriter));
}

FailureOr<SmallVector<Value>> GatherNd1Op::decompose(OpBuilder &builder) {
  return buildOlder<GatherNdOp>(*this, builder, getNoBatch(builder));
}

void GatherNdOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *) {
  patterns.add(addBatch);
}
