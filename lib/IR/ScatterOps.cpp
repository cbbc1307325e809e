//===- ScatterOps.cpp - DirectML's scatters -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ScatterOps.h"
#include "OpUtils.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/ScatterOps.cpp.inc"

void DMLDialect::registerScatterOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/ScatterOps.cpp.inc"
      >();
}

LogicalResult ScatterElementsOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  if (failed(verifyRanked<ScatterElementsOp>(location, adaptor.getOperands())))
    return failure();
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  if (failed(verifyArrays<ScatterElementsOp>(location, context, adaptor)))
    return failure();
  if (indices.getRank() != input.getRank())
    return emitInferenceError<ScatterElementsOp>(
        location, "indices has rank ", indices.getRank(),
        ", but input has rank ", input.getRank());
  for (auto [dim, found, wanted] :
       llvm::enumerate(indices.getShape(), input.getShape()))
    if (dim != static_cast<size_t>(adaptor.getAxis()) && found != wanted)
      return emitInferenceError<ScatterElementsOp>(
          location, "indices has size ", found, " in dimension ", dim,
          ", but input has ", wanted, " there");
  inferred.push_back(input);
  return success();
}

LogicalResult ScatterNdOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  if (failed(verifyRanked<ScatterNdOp>(location, adaptor.getOperands())))
    return failure();
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  auto updates = cast<RankedTensorType>(adaptor.getUpdates().getType());
  if (failed(verifyArrays<ScatterNdOp>(location, context, adaptor)))
    return failure();
  for (auto [name, type] :
       {std::pair("indices", indices), {"updates", updates}})
    if (type.getRank() != input.getRank())
      return emitInferenceError<ScatterNdOp>(
          location, name, " has rank ", type.getRank(), ", but input has rank ",
          input.getRank());
  SmallVector<int64_t> wanted;
  if (failed(inferSliceShape<ScatterNdOp>(
          location, input.getShape(), indices.getShape(),
          static_cast<int64_t>(adaptor.getInputDimensionCount()),
          static_cast<int64_t>(adaptor.getIndicesDimensionCount()),
          /*batch=*/0, "updates", wanted)))
    return failure();
  for (auto [dim, found, size] : llvm::enumerate(updates.getShape(), wanted))
    if (found != size)
      return emitInferenceError<ScatterNdOp>(location, "updates has size ",
                                             found, " in dimension ", dim,
                                             ", but wants ", size);
  inferred.push_back(input);
  return success();
}
